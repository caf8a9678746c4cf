"""Accelerations by elimination from the last block to the first, and forward again.

Block b gives its speeds' rates as a_b = Σ P_bk a_k + S_b q̈_b + g_b over its few parents k and the
degrees of freedom whose rates it holds. Put into the virtual power δvᵀ(M a - f), that adds to the
parents' matrices and forces; then q̈_b is taken out by D_b = S_bᵀ M_bb S_b, which is a pivot of
M̄ = HᵀMH and so positive definite where M̄ is. Work grows with the number of blocks; no tree is
needed, the order of the blocks is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore.equations.elimination.block_solver import Triangular
from mbcore.equations.elimination.blocks import Block, SmallBlock
from mbcore.equations.elimination.composites import CompositeBlock, Simplify, with_composites
from mbcore.equations.elimination.loops import ClosingBlock, open_loops, own_rows
from mbcore.equations.elimination.ordering import elimination_order
from mbcore.equations.small_matrices import (
    definite_inverse,
    indefinite_inverse,
    symmetric_product,
    with_constants,
)
from mbcore.model.expressions import sparse


def _in_cheap_order(blocks: Sequence[Block], M: ca.SX) -> list[Block]:
    """Return blocks in an order in which eliminating the last one couples few others."""
    owner = {j: b for b, block in enumerate(blocks) for j in block.columns}
    needs = [{owner[j] for j in block.others if owner[j] < b} for b, block in enumerate(blocks)]
    coupled: list[set[int]] = [set() for _ in blocks]

    def couple(b: int, c: int) -> None:
        coupled[max(b, c)].add(min(b, c))

    for i, j in zip(*M.sparsity().get_triplet(), strict=True):
        couple(owner[i], owner[j])
    closing = [b for b, block in enumerate(blocks) if isinstance(block, ClosingBlock)]
    for b in closing:
        loop = {owner[j] for j in blocks[b].entries.columns_of(blocks[b].rows)}
        for c in loop:
            couple(b, c)
        # Blocks between the loop and its closing block may have mass through the loop alone.
        needs[b] |= {k for k in _ancestors(loop, needs) if k < b}
    sizes = [len(block.columns) for block in blocks]
    return [blocks[b] for b in elimination_order(sizes, needs, coupled)]


def _ancestors(blocks: set[int], needs: Sequence[set[int]]) -> set[int]:
    """Return blocks and all that they need, at any remove."""
    found, ahead = set(blocks), list(blocks)
    while ahead:
        new = needs[ahead.pop()] - found
        found |= new
        ahead += new
    return found


@dataclass
class _Step:
    """Result of the elimination of one block, for the forward pass.

    A block that holds as many degrees of freedom as speeds is ``free``: its speeds' rates are
    taken out themselves, and q̈ follows from them.
    """

    block: Block
    free: bool
    dofs: list[int]
    parents: list[int]
    P: dict[int, ca.SX]
    S: ca.SX
    N: ca.SX
    inverse: ca.SX
    gain: dict[int, ca.SX]


def _products(pairs: Sequence[tuple[ca.SX | None, ca.SX | None]]) -> int:
    """Return the number of products in Σ oneᵀ two, without those with 1 or -1."""
    count = 0
    for one, two in pairs:
        if one is not None and two is not None:
            left, right = _factors(one), _factors(two)
            count += sum(a * b for a, b in zip(left, right, strict=True))
    return count


def _factors(matrix: ca.SX) -> list[int]:
    """Return how many entries of each row are neither 0 nor 1 nor -1."""
    found = [0] * matrix.shape[0]
    for row, entry in zip(matrix.sparsity().row(), matrix.nonzeros(), strict=True):
        found[row] += not (entry.is_one() or entry.is_minus_one() or entry.is_zero())
    return found


class Recursion:
    """Solves M̄ q̈ = f̄, [Schwab2002] (A.107), without H, M̄ and f̄, for M̄ symmetric.

    Parameters
    ----------
    solver : Triangular
        Blocks of the velocity problem, n unknowns.
    M : SX
        Mass matrix, shape (n, n), symmetric.
    unit_rates : SX
        Right-hand sides of the velocity problem for unit rates of the degrees of freedom, (n, nd).
    turned : sequence of int
        Rows of free rotations: unit rates are orthonormal there, so such a block is ``free``, too.
    simplify : callable, optional
        Finds entries that are the same wherever loops are closed; without it, these stay blocks of
        their own.
    """

    def __init__(
        self,
        solver: Triangular,
        M: ca.SX,
        unit_rates: ca.SX,
        turned: Sequence[int] = (),
        simplify: Simplify | None = None,
    ) -> None:
        self._turned = set(turned)
        self._n, self._nd = unit_rates.shape
        self._rates_in = self._dofs_of_rows(unit_rates)
        self._blocks = open_loops(solver.blocks, self._rates_in, self._n)
        if simplify is not None:
            massive = set(M.sparsity().row())
            self._blocks = with_composites(
                self._blocks, self._rates_in, massive, self._turned, simplify
            )
        self._blocks = _in_cheap_order(self._blocks, M)
        self._owner = {j: b for b, block in enumerate(self._blocks) for j in block.columns}
        self._local = {j: i for block in self._blocks for i, j in enumerate(block.columns)}
        self._mass = self._grouped(M)
        for b, block in enumerate(self._blocks):
            if isinstance(block, ClosingBlock):
                self._close(b, block)
        self._unit_rates = unit_rates
        dofs = [
            sorted({q for i in own_rows(block) for q in self._rates_in.get(i, [])})
            for block in self._blocks
        ]
        free = [self._is_free(block, own) for block, own in zip(self._blocks, dofs, strict=True)]
        transfers = self._all_transfers(free)
        self._steps = [
            self._eliminate(b, free[b], dofs[b], transfers[b])
            for b in reversed(range(len(self._blocks)))
        ][::-1]

    def _close(self, b: int, block: ClosingBlock) -> None:
        """Let multipliers act: -Jᵀλ on the speeds, and -J a + right = 0 as their own rows."""
        for k, row in enumerate(block.rows):
            for j, entry in block.entries.by_row[row].items():
                c = self._owner[j]
                high, low = max(b, c), min(b, c)
                part = self._mass[high].setdefault(low, self._zeros(high, low))
                place = block.tears + k
                if c == b:
                    part[place, self._local[j]] = -entry
                    part[self._local[j], place] = -entry
                elif c > b:
                    part[self._local[j], place] = -entry
                else:
                    part[place, self._local[j]] = -entry

    def _is_free(self, block: Block, dofs: list[int]) -> bool:
        """Whether each row of the block holds the rate of one degree of freedom, or it closes."""
        if isinstance(block, ClosingBlock) or self._turned.issuperset(block.rows):
            return True
        unit = self._unit_rates[block.rows, dofs]
        return (
            0 < len(dofs) == len(block.rows)
            and isinstance(block, SmallBlock)
            and unit.nnz() == len(dofs)
            and unit.is_constant()
            and bool(np.all(np.abs(np.array(ca.DM(unit).full())).sum(axis=0) == 1))
        )

    def _all_transfers(self, free: list[bool]) -> list[dict[int, ca.SX]]:
        """P of all blocks, with entries that are the same everywhere as numbers."""
        made = [
            {} if f else self._transfers(block) for block, f in zip(self._blocks, free, strict=True)
        ]
        parts = [part for found in made for part in found.values()]
        constant = iter(with_constants(parts))
        return [{k: next(constant) for k in found} for found in made]

    def _grouped(self, M: ca.SX) -> dict[int, dict[int, ca.SX]]:
        """Entries of M by blocks: rows of a block, columns of it or of a block before it."""
        found: dict[int, dict[int, ca.SX]] = {b: {} for b in range(len(self._blocks))}
        rows, columns = M.sparsity().get_triplet()
        for k, (i, j) in enumerate(zip(rows, columns, strict=True)):
            b, c = self._owner[i], self._owner[j]
            if c <= b:
                part = found[b].setdefault(c, self._zeros(b, c))
                part[self._local[i], self._local[j]] = M.nz[k]
        return found

    def _zeros(self, b: int, c: int) -> ca.SX:
        return ca.SX(len(self._blocks[b].columns), len(self._blocks[c].columns))

    def _dofs_of_rows(self, unit_rates: ca.SX) -> dict[int, list[int]]:
        rows, columns = unit_rates.sparsity().get_triplet()
        found: dict[int, list[int]] = {}
        for i, j in zip(rows, columns, strict=True):
            found.setdefault(i, []).append(j)
        return found

    def _eliminate(self, b: int, free: bool, dofs: list[int], P: dict[int, ca.SX]) -> _Step:
        block = self._blocks[b]
        if free:
            S = ca.SX.eye(len(block.columns))
        else:
            S = sparse(block.solve(sparse(self._unit_rates[block.rows, dofs])))
        mine = self._mass[b]
        N = mine.get(b, self._zeros(b, b))
        others = sorted({*P, *(k for k in mine if k != b)})
        A = {
            k: sparse((N @ P[k] if k in P else self._zeros(b, k)) + mine.get(k, self._zeros(b, k)))
            for k in others
        }
        NS = sparse(N @ S)
        D = symmetric_product(sparse(S.T), NS)
        U = {k: sparse(A[k].T @ S) for k in others if A[k].nnz() and S.shape[1]}
        U = {k: u for k, u in U.items() if u.nnz()}
        definite = not isinstance(block, ClosingBlock)
        inverse = definite_inverse(D) if definite or D.shape[0] <= 2 else indefinite_inverse(D)
        gain = {k: sparse(u @ inverse) for k, u in U.items()}
        for k in others:
            for j in others:
                if j <= k:
                    self._add(k, j, self._passed(k, j, P, A, mine, U, gain))
        return _Step(block, free, dofs, others, P, S, N, inverse, gain)

    def _transfers(self, block: Block) -> dict[int, ca.SX]:
        if not block.others:
            return {}
        if isinstance(block, CompositeBlock):
            whole = block.transfer()
        else:
            whole = sparse(-block.solve(block.coupling))
        found: dict[int, ca.SX] = {}
        for i, j in enumerate(block.others):
            column = whole[:, i]
            if column.nnz():
                k = self._owner[j]
                part = found.setdefault(k, ca.SX(len(block.columns), len(self._blocks[k].columns)))
                part[:, self._local[j]] = column
        return found

    def _passed(
        self,
        k: int,
        j: int,
        P: dict[int, ca.SX],
        A: dict[int, ca.SX],
        mine: dict[int, ca.SX],
        U: dict[int, ca.SX],
        gain: dict[int, ca.SX],
    ) -> ca.SX:
        """Contribution of the block to the matrix of its parents k and j.

        P_kᵀ A_j + M_kᵀ P_j is A_kᵀ P_j + P_kᵀ M_j, too: where a parent moves the block in
        parallel, its P is the identity, and a product with A costs nothing.
        """
        pairs = [(P.get(k), A[j]), (mine.get(k), P.get(j))]
        others = [(A[k], P.get(j)), (P.get(k), mine.get(j))]
        if _products(others) < _products(pairs):
            pairs = others
        left = [one.T for one, two in pairs if one is not None and two is not None]
        right = [two for one, two in pairs if one is not None and two is not None]
        if k in U and j in U:
            left.append(-gain[k])
            right.append(U[j].T)
        if not left:
            return ca.SX(len(self._blocks[k].columns), len(self._blocks[j].columns))
        one, two = sparse(ca.horzcat(*left)), sparse(ca.vertcat(*right))
        return symmetric_product(one, two) if k == j else one @ two

    def _add(self, k: int, j: int, part: ca.SX) -> None:
        part = sparse(part)
        if part.nnz():
            there = self._mass[k].get(j)
            self._mass[k][j] = part if there is None else sparse(there + part)

    def fixed_directions(self) -> bool:
        """Whether rates of degrees of freedom enter what is taken out by its speeds unchanged."""
        free = [i for s in self._steps if s.free for i in own_rows(s.block)]
        others = [i for i in free if i not in self._turned]
        return bool(ca.SX(self._unit_rates[others, :]).is_constant())

    def solve(
        self, f: ca.SX, g: ca.SX | None = None, on_dofs: ca.SX | None = None
    ) -> tuple[ca.SX, ca.SX]:
        """Return accelerations of the degrees of freedom and of all speeds.

        Parameters
        ----------
        f : SX
            Forces on the speeds, shape (n, k).
        g : SX, optional
            Accelerations that rest demands of each block given its parents': right-hand side of
            the velocity problem, shape (n, 1); absent for none.
        on_dofs : SX, optional
            Forces on the degrees of freedom themselves, shape (nd, k). They have no part on those
            whose `fixed_directions` make them part of ``f``.

        Returns
        -------
        qdd : SX
            Shape (nd, k).
        a : SX
            Shape (n, k).
        """
        k = f.shape[1]
        forces = [self._force_on(block, f, g) for block in self._blocks]
        own: list[ca.SX] = []
        for b, block in enumerate(self._blocks):
            shape = (len(block.columns), k)
            unneeded = g is None or self._steps[b].free
            right = ca.SX(*shape) if unneeded or g is None else sparse(g[block.rows, :])
            own.append(sparse(block.solve(right)) if right.nnz() else ca.SX(*shape))
        reduced: list[ca.SX] = [ca.SX(0, k)] * len(self._blocks)
        for b in reversed(range(len(self._blocks))):
            step = self._steps[b]
            net = sparse(forces[b] - step.N @ own[b])
            reduced[b] = sparse(step.S.T @ net)  # rows of f̄, [Schwab2002] (A.107)
            if on_dofs is not None and not step.free and step.dofs:
                reduced[b] = sparse(reduced[b] + on_dofs[step.dofs, :])
            for parent in step.parents:
                passed = ca.SX(len(self._blocks[parent].columns), k)
                if parent in step.P:
                    passed += step.P[parent].T @ net
                direct = self._mass[b].get(parent)
                if direct is not None:
                    passed -= direct.T @ own[b]
                if parent in step.gain:
                    passed -= step.gain[parent] @ reduced[b]
                forces[parent] = sparse(forces[parent] + passed)
        return self._forward(reduced, own, g, k)

    def _force_on(self, block: Block, f: ca.SX, g: ca.SX | None) -> ca.SX:
        if not isinstance(block, ClosingBlock):
            return sparse(f[block.columns, :])
        demanded = ca.SX(len(block.rows), f.shape[1]) if g is None else -g[block.rows, :]
        return sparse(ca.vertcat(f[block.columns[: block.tears], :], demanded))

    def _forward(
        self, reduced: list[ca.SX], own: list[ca.SX], g: ca.SX | None, k: int
    ) -> tuple[ca.SX, ca.SX]:
        a: list[ca.SX] = []
        rates: list[ca.SX] = [ca.SX(1, k)] * self._nd
        whole: list[ca.SX] = [ca.SX(1, k)] * self._n
        for b, block in enumerate(self._blocks):
            step = self._steps[b]
            there = own[b]
            for parent, P in step.P.items():
                there = there + P @ a[parent]
            if step.S.shape[1]:
                qdd = step.inverse @ reduced[b]
                for parent, gain in step.gain.items():
                    qdd = qdd - gain.T @ a[parent]
                there = there + step.S @ qdd
                if not step.free:
                    for i, q in enumerate(step.dofs):
                        rates[q] = qdd[i, :]
            a.append(sparse(there))
            for i, j in enumerate(block.columns):
                if j < self._n:
                    whole[j] = a[b][i, :]
        for step in self._steps:
            if step.free and step.dofs:
                self._set_rates(step, whole, rates, g)
        return (
            ca.vertcat(*rates) if rates else ca.SX(0, k),
            sparse(ca.vertcat(*whole)) if whole else ca.SX(0, k),
        )

    def _set_rates(
        self, step: _Step, whole: list[ca.SX], rates: list[ca.SX], g: ca.SX | None
    ) -> None:
        """Rates of the degrees of freedom of a free block by those of its speeds."""
        entries, rows = step.block.entries, own_rows(step.block)
        touched = sorted(entries.columns_of(rows))
        there = entries.part(rows, touched) @ ca.vertcat(*(whole[j] for j in touched))
        if g is not None:
            there = there - g[rows, :]
        unit = sparse(self._unit_rates[rows, step.dofs])
        there = unit.T @ there  # each row holds one rate, with a factor of 1 or -1, or turns
        for i, q in enumerate(step.dofs):
            rates[q] = there[i, :]
