"""Blocks of linear systems, as expressions: placed ones, and small ones.

The Jacobians of a multibody system are almost triangular: a node is placed by another one, or by a
few conditions, the next node by a few more. The blocks that remain are small. They are inverted by
cofactors, which need no pivot order and are therefore valid wherever the block is regular.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property

import casadi as ca

from mbcore.equations.elimination.entries import Entries
from mbcore.equations.elimination.unit_sizes import Sizes
from mbcore.equations.small_matrices import determinant, least_singular_value, orientation

SMALL = 4
"""Largest block that is inverted by cofactors."""

Measure = tuple[list[int], ca.SX]
"""Rows of a block, and its conditioning measure: about 1 at most, 0 where singular."""


class Block:
    """Rows and columns of one diagonal block, and the solution of its system where it has one."""

    def __init__(
        self,
        entries: Entries,
        rows: Sequence[int],
        columns: Sequence[int],
        sizes: Sizes | None = None,
    ) -> None:
        self.entries, self.rows, self.columns = entries, list(rows), list(columns)
        self.sizes = sizes or Sizes([1.0] * len(entries.by_row), [1.0] * entries.matrix.shape[1])

    def solve(self, right: ca.SX) -> ca.SX:
        """Return X with J X = right, over the block's own rows and columns."""
        raise NotImplementedError(type(self).__name__)

    def solve_transposed(self, right: ca.SX) -> ca.SX:
        """Return X with Jᵀ X = right."""
        raise NotImplementedError(type(self).__name__)

    def bound_transposed(self, right: ca.SX) -> ca.SX:
        """Return an upper bound of the sizes of X with Jᵀ X = right, where ``right`` >= 0.

        It is |J⁻ᵀ| right, or more.
        """
        raise NotImplementedError(type(self).__name__)

    def measures(self, row_square: Callable[[int], ca.SX] | None = None) -> list[Measure]:
        """Return the conditioning measure of the block; none if it is never singular.

        ``row_square`` gives the square of a row's length where the block's own entries are not all
        of the row.
        """
        return []

    @cached_property
    def others(self) -> list[int]:
        """Columns of other blocks with entries in these rows."""
        return sorted(self.entries.columns_of(self.rows) - set(self.columns))

    @cached_property
    def coupling(self) -> ca.SX:
        """Entries in the columns of other blocks."""
        return self.entries.part(self.rows, self.others)

    def row_square(self, row: int) -> ca.SX:
        """Return the square of a row's length over columns in their natural sizes."""
        squares: dict[float, list[ca.SX]] = {}
        for j, entry in self.entries.by_row[row].items():
            squares.setdefault(self.sizes.columns[j], []).append(entry)
        return sum(
            (size**2 * ca.sumsqr(ca.vertcat(*entries)) for size, entries in squares.items()),
            ca.SX(0),
        )

    def product(self, columns: Sequence[int]) -> float:
        """Return the product of columns' natural sizes."""
        return math.prod(self.sizes.columns[j] for j in columns)


class PlacedBlock(Block):
    """Speeds of a node that are given explicitly: the identity."""

    def solve(self, right: ca.SX) -> ca.SX:
        """Return ``right`` itself."""
        return right

    def solve_transposed(self, right: ca.SX) -> ca.SX:
        """Return ``right`` itself."""
        return right

    def bound_transposed(self, right: ca.SX) -> ca.SX:
        """Return ``right`` itself."""
        return right


class SmallBlock(Block):
    """A block that is inverted by cofactors, or by QR where it is larger than `SMALL`."""

    @cached_property
    def diagonal(self) -> ca.SX:
        """The block's own entries."""
        return self.entries.part(self.rows, self.columns)

    @cached_property
    def _inverse(self) -> ca.SX:
        return ca.inv_minor(ca.densify(self.diagonal))

    @cached_property
    def _factors(self) -> tuple[ca.SX, ca.SX]:
        return ca.qr(self._weights @ self.diagonal)

    @cached_property
    def _weights(self) -> ca.SX:
        """Diagonal matrix that makes lengths and angles in the rows alike."""
        return ca.diag(ca.SX([1 / self.sizes.rows[i] for i in self.rows]))

    def solve(self, right: ca.SX) -> ca.SX:
        """Return the inverse, or the factors' inverses, times ``right``."""
        if len(self.rows) == 1:
            return right / self.diagonal[0, 0]
        if len(self.rows) <= SMALL:
            return self._inverse @ right
        Q, R = self._factors
        return ca.solve(R, Q.T @ (self._weights @ right))

    def solve_transposed(self, right: ca.SX) -> ca.SX:
        """Return the same for the transposed matrix."""
        if len(self.rows) == 1:
            return right / self.diagonal[0, 0]
        if len(self.rows) <= SMALL:
            return self._inverse.T @ right
        Q, R = self._factors
        return self._weights @ (Q @ ca.solve(R.T, right))

    def least(self, columns: Sequence[ca.SX | float]) -> ca.SX:
        """Return the least singular value where columns are divided by sizes, within √n.

        It has the sign of the determinant, which is that of Q, for the diagonal of R is positive.
        """
        Q, R = self._factors
        return orientation(Q) * least_singular_value(R, columns)

    def bound_transposed(self, right: ca.SX) -> ca.SX:
        """Return |J⁻ᵀ| ``right``; for QR |Q| |R⁻ᵀ| ``right``."""
        if len(self.rows) == 1:
            return right / ca.fabs(self.diagonal[0, 0])
        if len(self.rows) <= SMALL:
            return ca.fabs(self._inverse).T @ right
        Q, R = self._factors
        inverse = ca.solve(R, ca.SX.eye(len(self.rows)))
        return self._weights @ (ca.fabs(Q) @ (ca.fabs(inverse).T @ right))

    def measures(self, row_square: Callable[[int], ca.SX] | None = None) -> list[Measure]:
        """Return det/Π|row|, whose sign distinguishes branches.

        For QR it is the least singular value with the sign of the determinant. Columns are scaled
        by natural sizes, so that it does not depend on the unit of length, and so are the rows for
        QR. Of rows of length 1 a determinant is at most 1.65 times the least singular value: it
        vanishes at least as fast. Lengths are those over all columns, also of other blocks.
        """
        if len(self.rows) > SMALL:
            return [(self.rows, self.least([1 / self.sizes.columns[j] for j in self.columns]))]
        square = ca.SX(1)  # one root costs less than one for each row
        for row in self.rows:
            square *= (row_square or self.row_square)(row)
        size = self.product(self.columns)
        return [(self.rows, size * determinant(self.diagonal) / ca.sqrt(square))]
