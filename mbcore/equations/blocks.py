"""Linear systems solved block by block, as expressions.

The Jacobians of a multibody system are almost triangular: a node is fixed by a few deformations,
the next by a few more. Their block-triangular form is found once; small blocks are inverted by
cofactors, which need no pivot order and so hold wherever the block is regular.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

SMALL = 4
"""Largest block that is inverted by cofactors."""


@dataclass(frozen=True)
class Block:
    """Rows and columns of one diagonal block."""

    rows: list[int]
    columns: list[int]


class BlockSolver:
    """Solves J X = B and Jᵀ X = B for a structurally regular SX matrix J, shape (n, n)."""

    def __init__(self, J: ca.SX) -> None:
        self.J = ca.sparsify(J)
        self.blocks = _forward_blocks(self.J.sparsity())
        self._block_of = {c: b for b, block in enumerate(self.blocks) for c in block.columns}

    @cached_property
    def _inverses(self) -> list[ca.SX | None]:
        return [
            ca.inv_minor(self._diagonal(block)) if 1 < len(block.rows) <= SMALL else None
            for block in self.blocks
        ]

    def _diagonal(self, block: Block) -> ca.SX:
        return self.J[block.rows, block.columns]

    @cached_property
    def _factors(self) -> list[tuple[ca.SX, ca.SX] | None]:
        return [
            ca.qr(self._diagonal(block)) if len(block.rows) > SMALL else None
            for block in self.blocks
        ]

    def _solve_block(self, b: int, right: ca.SX, transposed: bool) -> ca.SX:
        block, inverse, factors = self.blocks[b], self._inverses[b], self._factors[b]
        if inverse is not None:
            return (inverse.T if transposed else inverse) @ right
        if factors is not None:
            Q, R = factors
            return Q @ ca.solve(R.T, right) if transposed else ca.solve(R, Q.T @ right)
        return right / self.J[block.rows[0], block.columns[0]]

    def solve(self, B: ca.SX) -> ca.SX:
        """Return X with J X = B, shape of B (n, k)."""
        X = ca.SX(B.shape[0], B.shape[1])
        for b, block in enumerate(self.blocks):
            right = B[block.rows, :]
            known = _touched(self.J[block.rows, :], block.columns)
            if known:
                right = right - self.J[block.rows, known] @ X[known, :]
            X[block.columns, :] = self._solve_block(b, ca.sparsify(right), False)
        return ca.sparsify(X)

    def solve_transposed(self, B: ca.SX) -> ca.SX:
        """Return X with Jᵀ X = B, shape of B (n, k)."""
        X = ca.SX(B.shape[0], B.shape[1])
        for b in reversed(range(len(self.blocks))):
            block = self.blocks[b]
            right = B[block.columns, :]
            known = _touched(self.J[:, block.columns].T, block.rows)
            if known:
                right = right - self.J[known, block.columns].T @ X[known, :]
            X[block.rows, :] = self._solve_block(b, ca.sparsify(right), True)
        return ca.sparsify(X)

    @property
    def largest(self) -> int:
        """Number of rows of the largest block."""
        return max((len(block.rows) for block in self.blocks), default=0)

    def measures(self) -> list[tuple[list[int], ca.SX]]:
        """Return rows and a measure of each block, in [-1, 1]; 0 where singular.

        det(block) / Π |row| for blocks that are inverted by cofactors, whose sign tells branches
        apart. It would become small with a block's size: for larger ones it is the smallest part
        of a column that is orthogonal to the columns before it, without a sign.
        """
        found = []
        for block, factors in zip(self.blocks, self._factors, strict=True):
            if factors is not None:
                found.append((block.rows, _smallest_pivot(self._diagonal(block), factors[1])))
                continue
            rows = self.J[block.rows, :]
            scale = ca.SX(1)
            for i in range(len(block.rows)):
                scale *= ca.sqrt(ca.sumsqr(rows[i, :]))
            found.append((block.rows, _determinant(self._diagonal(block)) / scale))
        return found


class ReducedSolver:
    """Solves the velocity problem by way of the rates of kinematic coordinates.

    Zero slips close loops that the position problem does not have. So velocities are first
    expressed by the rates of *all* generalized coordinates, and those of the kinematic ones follow
    from the slips, [SchwabMeijaard2003] (5) to (9); only the small matrix (10) is new.

    Parameters
    ----------
    rates : BlockSolver
        Jacobian of ι(ε^o, ε^m, ε^d, ε^k), shape (n, n).
    V : SX
        Slips, shape (nk, n), nk > 0.
    """

    def __init__(self, rates: BlockSolver, V: ca.SX) -> None:
        self._rates, self._V = rates, ca.sparsify(V)
        n, nk = self._V.shape[1], self._V.shape[0]
        self._others, self._kinematic = list(range(n - nk)), list(range(n - nk, n))
        self._F_k = rates.solve(ca.SX.eye(n)[:, self._kinematic])
        self._matrix = self._V @ self._F_k  # (10)
        self._inverse = ca.inv_minor(ca.densify(self._matrix))

    def solve(self, B: ca.SX) -> ca.SX:
        """Return X with J X = B, where the slips are the last rows, shape of B (n, k)."""
        held = ca.SX(B.shape[0], B.shape[1])
        held[self._others, :] = B[self._others, :]
        X = self._rates.solve(ca.sparsify(held))
        return ca.sparsify(X + self._F_k @ (self._inverse @ (B[self._kinematic, :] - self._V @ X)))

    def solve_transposed(self, B: ca.SX) -> ca.SX:
        """Return X with Jᵀ X = B, shape of B (n, k)."""
        slips = self._inverse.T @ (self._F_k.T @ B)
        X = self._rates.solve_transposed(ca.sparsify(B - self._V.T @ slips))
        X[self._kinematic, :] = slips
        return ca.sparsify(X)

    def measures(self) -> list[tuple[list[int], ca.SX]]:
        """Return the slips' rows and the determinant of (10), scaled into [-1, 1]."""
        scale = ca.SX(1)
        for i in range(len(self._kinematic)):
            scale *= ca.sqrt(ca.sumsqr(self._V[i, :]) * ca.sumsqr(self._F_k))
        return [(self._kinematic, _determinant(self._matrix) / scale)]


def velocity_solver(J: ca.SX, rates: ca.SX, kinematic: int) -> BlockSolver | ReducedSolver:
    """Return the cheaper solver for the velocity problem.

    Parameters
    ----------
    J : SX
        Jacobian of ι(ε^o, ε^m, ε^d, s^o), shape (n, n).
    rates : SX
        Jacobian of ι(ε^o, ε^m, ε^d, ε^k), shape (n, n).
    kinematic : int
        Number of kinematic coordinates, the last rows of both.
    """
    direct = BlockSolver(J)
    if direct.largest <= SMALL or not 0 < kinematic <= SMALL:
        return direct
    through = BlockSolver(rates)
    if through.largest >= direct.largest:
        return direct
    n = J.shape[0]
    return ReducedSolver(through, J[list(range(n - kinematic, n)), :])


def _touched(rows: ca.SX, own: list[int]) -> list[int]:
    """Columns with entries in ``rows`` that are not among ``own``."""
    _, columns = rows.sparsity().get_triplet()
    return sorted(set(columns) - set(own))


def _determinant(block: ca.SX) -> ca.SX:
    if block.shape[0] == 1:
        return ca.densify(block)[0]
    return ca.det(block)


def _smallest_pivot(block: ca.SX, R: ca.SX) -> ca.SX:
    """Return min |R_ii| / |column i|."""
    smallest = ca.SX(1)
    for i in range(block.shape[0]):
        smallest = ca.fmin(smallest, ca.fabs(R[i, i]) / ca.sqrt(ca.sumsqr(block[:, i])))
    return smallest


def _forward_blocks(sparsity: ca.Sparsity) -> list[Block]:
    """Diagonal blocks in an order in which each needs only those before it."""
    count, rows, columns, row_ends, column_ends, *_ = sparsity.btf()
    blocks = [
        Block(
            list(rows[row_ends[b] : row_ends[b + 1]]),
            list(columns[column_ends[b] : column_ends[b + 1]]),
        )
        for b in range(count)
    ]
    if any(len(b.rows) != len(b.columns) for b in blocks):
        raise ValueError("the matrix is structurally singular")
    pattern = np.array(ca.DM(sparsity, 1).full(), bool)
    for order in (blocks, blocks[::-1]):
        known: set[int] = set()
        for block in order:
            known |= set(block.columns)
            needed = np.flatnonzero(pattern[block.rows].any(axis=0))
            if not set(needed.tolist()) <= known:
                break
        else:
            return order
    raise AssertionError("a block-triangular form has a forward order")
