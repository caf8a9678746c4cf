"""Linear systems solved block by block, as expressions: forward, and transposed backward.

A loop is one block that is torn: its nodes follow from a few unknowns, with as many closing
conditions. The rest of the block is such a system itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import add, sub

import casadi as ca
import numpy as np

from mbcore.equations.elimination.blocks import (
    SMALL,
    Block,
    Measure,
    PlacedBlock,
    SmallBlock,
)
from mbcore.equations.elimination.entries import Entries
from mbcore.equations.elimination.ordering import Part, Pattern, dependency_order
from mbcore.equations.elimination.tearing import Tearing, tear
from mbcore.equations.elimination.unit_sizes import Sizes
from mbcore.equations.small_matrices import determinant
from mbcore.model.expressions import sparse


class TornBlock(Block):
    """A loop: inner blocks in sequence, while a few tears are unknown, then closing conditions.

    With inner unknowns n, tears t and closing rows c: J_nn is block-triangular, n = n_0 + T t with
    T = -J_nn⁻¹ J_nt, and K t = right_c - J_cn n_0 with the small K = J_ct + J_cn T.
    """

    def __init__(self, entries: Entries, tearing: Tearing, sizes: Sizes | None = None) -> None:
        self.tearing = tearing
        inner = tearing.parts
        rows = [i for part in inner for i in part.rows] + tearing.closing
        columns = [j for part in inner for j in part.columns] + tearing.tears
        super().__init__(entries, rows, columns, sizes)
        self._n = len(rows) - len(tearing.closing)
        local = entries.part(self.rows, self.columns)
        n, k = list(range(self._n)), list(range(self._n, len(rows)))
        places = {j: i for i, j in enumerate(self.columns)}
        rows_at = {j: i for i, j in enumerate(self.rows)}
        self._inner = Triangular(
            Entries(local[: self._n, : self._n]),
            [
                Part(
                    [rows_at[i] for i in part.rows],
                    [places[j] for j in part.columns],
                    part.placed,
                )
                for part in inner
            ],
            sizes=self.sizes.part(self.rows[: self._n], self.columns[: self._n]),
        )
        self._closing = sparse(local[k, n])
        self.T = -self._inner.solve(sparse(local[n, k]))
        self.K = sparse(local[k, k] + self._closing @ self.T)
        self._solver = BlockSolver(self.K, sizes=self.sizes.part(tearing.closing, tearing.tears))

    def solve(self, right: ca.SX) -> ca.SX:
        """Return inner unknowns and tears, in the order of the block's columns."""
        free = self._inner.solve(right[: self._n, :])
        tears = self._solver.solve(sparse(right[self._n :, :] - self._closing @ free))
        return sparse(ca.vertcat(free + self.T @ tears, tears))

    def solve_transposed(self, right: ca.SX) -> ca.SX:
        """Return multipliers of inner and closing rows, in the order of the block's rows."""
        own = right[: self._n, :]
        closing = self._solver.solve_transposed(sparse(right[self._n :, :] + self.T.T @ own))
        inner = self._inner.solve_transposed(sparse(own - self._closing.T @ closing))
        return sparse(ca.vertcat(inner, closing))

    def bound_transposed(self, right: ca.SX) -> ca.SX:
        """Return the sizes of these multipliers' parts, in the order of the block's rows."""
        own = right[: self._n, :]
        there = right[self._n :, :] + ca.fabs(self.T).T @ own
        closing = self._solver.bound_transposed(sparse(there))
        passed = own + ca.fabs(self._closing).T @ closing
        inner = self._inner.bound_transposed(sparse(passed))
        return sparse(ca.vertcat(inner, closing))

    def measures(self, row_square: Callable[[int], ca.SX] | None = None) -> list[Measure]:
        """Return those of inner blocks, and of K scaled by its rows and columns.

        Each sign distinguishes branches: that of a wheel's contact point at its top differs from
        that at its bottom. An inner block may become singular where the loop is not; that is
        refused as well, which excludes some motions but never gives a wrong number.
        """
        # a row that has a tear beside one inner unknown would be as long as this one's entry alone
        square = row_square or self.row_square
        found = self._inner.measures(lambda i: square(self.rows[i]))
        inner = [([self.rows[i] for i in rows], m) for rows, m in found]
        return [*inner, *self._closing_measures()]

    def _closing_measures(self) -> list[Measure]:
        found: list[Measure] = []
        row_squares = [self.row_square(i) for i in self.tearing.closing]
        sizes = self.sizes.columns
        parts = ca.diag(ca.SX([1 / sizes[j] for j in self.columns[: self._n]]))
        T = sparse(parts @ self.T)
        reach_squares = [
            1 + sizes[j] ** 2 * ca.sumsqr(T[:, i]) for i, j in enumerate(self.tearing.tears)
        ]
        for block in self._solver.blocks:
            names = [self.tearing.closing[i] for i in block.rows]
            if isinstance(block, SmallBlock) and len(block.rows) > SMALL:
                reaches = [
                    ca.sqrt(reach_squares[j]) / sizes[self.tearing.tears[j]] for j in block.columns
                ]
                found.append((names, block.least(reaches)))
                continue
            square = ca.SX(1)
            for i, j in zip(block.rows, block.columns, strict=True):
                square *= row_squares[i] * reach_squares[j]
            size = self.product([self.tearing.tears[j] for j in block.columns])
            measure = size * determinant(self.K[block.rows, block.columns]) / ca.sqrt(square)
            found.append((names, measure))
        return found


class Triangular:
    """Solves J X = B and Jᵀ X = B for a matrix whose blocks each need only those before them."""

    def __init__(
        self,
        entries: Entries,
        parts: Sequence[Part],
        tearing: Callable[[Part], Tearing | None] | None = None,
        sizes: Sizes | None = None,
    ) -> None:
        self.entries = entries
        self.blocks: list[Block] = []
        for part in parts:
            self.blocks.append(_block(entries, part, tearing, sizes))

    def solve(self, B: ca.SX) -> ca.SX:
        """Return X with J X = B, shape of B (n, k)."""
        rows = Entries(B)
        n, k = B.shape
        solution: list[ca.SX] = [ca.SX(1, k)] * n
        every = list(range(k))
        for block in self.blocks:
            right = rows.part(block.rows, every)
            known = [j for j in block.others if solution[j].nnz()]
            if known:
                places = [block.others.index(j) for j in known]
                there = ca.vertcat(*(solution[j] for j in known))
                right = right - block.coupling[:, places] @ there
            right = sparse(right)
            if right.nnz():
                found = ca.vertsplit(sparse(block.solve(right)))
                for row, j in zip(found, block.columns, strict=True):
                    solution[j] = row
        return sparse(ca.vertcat(*solution)) if n else ca.SX(n, k)

    def solve_transposed(self, B: ca.SX) -> ca.SX:
        """Return X with Jᵀ X = B, shape of B (n, k)."""
        return self._backward(
            B,
            lambda block, right: block.solve_transposed(right),
            lambda block, found: block.coupling.T @ found,
            sub,
        )

    def bound_transposed(self, B: ca.SX) -> ca.SX:
        """Return an upper bound of the sizes of X with Jᵀ X = B, where B >= 0.

        Rounding errors of X are as large as this times the machine's precision.
        """
        return self._backward(
            B,
            lambda block, right: block.bound_transposed(right),
            lambda block, found: ca.fabs(block.coupling).T @ found,
            add,
        )

    def _backward(
        self,
        B: ca.SX,
        solve: Callable[[Block, ca.SX], ca.SX],
        passed_on: Callable[[Block, ca.SX], ca.SX],
        join: Callable[[ca.SX, ca.SX], ca.SX],
    ) -> ca.SX:
        """Go from the last block to the first; each passes on to those that it needs."""
        n, k = B.shape
        rows = Entries(B)
        right: list[ca.SX] = [rows.part([i], list(range(k))) for i in range(n)]
        solution: list[ca.SX] = [ca.SX(1, k)] * n
        for block in reversed(self.blocks):
            own = sparse(ca.vertcat(*(right[j] for j in block.columns)))
            if not own.nnz():
                continue
            found = sparse(solve(block, own))
            for i, row in enumerate(block.rows):
                solution[row] = found[i, :]
            passed = sparse(passed_on(block, found))
            for i, j in enumerate(block.others):
                if passed[i, :].nnz():
                    right[j] = sparse(join(right[j], passed[i, :]))
        return sparse(ca.vertcat(*solution)) if n else ca.SX(n, k)

    def measures(self, row_square: Callable[[int], ca.SX] | None = None) -> list[Measure]:
        """Return rows and conditioning measure of each block that can become singular."""
        return [measure for block in self.blocks for measure in block.measures(row_square)]

    @property
    def largest(self) -> int:
        """Number of rows of the largest block that is not placed."""
        sizes = (len(b.rows) for b in self.blocks if not isinstance(b, PlacedBlock))
        return max(sizes, default=0)


def _block(
    entries: Entries,
    part: Part,
    tearing: Callable[[Part], Tearing | None] | None,
    sizes: Sizes | None,
) -> Block:
    if part.placed and len(part.groups) == 1 and len(part.rows) == len(part.groups[0]):
        return PlacedBlock(entries, part.rows, part.columns, sizes)
    torn = tearing(part) if tearing and (part.placed or len(part.rows) > SMALL) else None
    if torn is not None:
        return TornBlock(entries, torn, sizes)
    return SmallBlock(entries, part.rows, part.columns, sizes)


class BlockSolver(Triangular):
    """Solves J X = B and Jᵀ X = B for a structurally regular SX matrix J, shape (n, n).

    Parameters
    ----------
    J : SX
        The matrix.
    groups : sequence of (rows, columns)
        Where speeds of a node are placed: J is the identity there. In an order in which each needs
        only groups before it and columns of no group.
    tearing : callable, optional
        Tears a part, or returns None where it is to be solved as it is.
    sizes : Sizes, optional
        Natural sizes of the rows and columns; 1 where absent.
    """

    def __init__(
        self,
        J: ca.SX,
        groups: Sequence[tuple[list[int], list[int]]] = (),
        tearing: Callable[[Part], Tearing | None] | None = None,
        sizes: Sizes | None = None,
    ) -> None:
        self.J = sparse(J)
        entries = Entries(self.J)
        pattern = Pattern([set(row) for row in entries.by_row], list(groups))
        super().__init__(entries, dependency_order(pattern), tearing, sizes)


def tearing_of(
    J: ca.SX,
    numbers: Callable[[], np.ndarray],
    nodes: Sequence[Sequence[int]],
    speeds: int,
    slips: int,
    sizes: Sizes,
) -> Callable[[Part], Tearing | None]:
    """Return the function that tears parts of J, guided by its numbers at one configuration.

    Parameters
    ----------
    numbers : callable
        Returns J at the start configuration, shape (n, n).
    nodes : sequence of sequence of int
        Columns that belong together.
    speeds : int
        Columns from here on are rates of tears and kinematic coordinates: open first.
    slips : int
        Rows from here on are slips: they close loops rather than determine nodes.
    sizes : Sizes
        Natural sizes of the columns, in which the numbers count.
    """
    by_row = [set(row) for row in Entries(J).by_row]
    node_of = {j: k for k, node in enumerate(nodes) for j in node}
    made: list[np.ndarray] = []

    def tear_part(part: Part) -> Tearing | None:
        if not made:
            made.append(numbers() * np.array(sizes.columns))
        touched = sorted({node_of[j] for j in part.columns if j in node_of})
        return tear(part, by_row, made[0], [nodes[k] for k in touched], speeds, slips)

    return tear_part
