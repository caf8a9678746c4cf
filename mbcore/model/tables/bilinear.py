"""A surface that is straight along both axes of a grid: each ordinate is stored once.

In a cell it is a polynomial in the fractions of the cell that arguments have gone through. Its four
coefficients are differences of the ordinates at the corners, made where they are needed, so that a
grid of a million points is a million numbers. Used by `mbcore.model.tables.table2d` alone, which
has splines, too; a spline has sixteen coefficients in each cell instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from mbcore.model.tables.grid import Axis, Grid
from mbcore.model.tables.lookup import Lookup
from mbcore.model.tables.pieces import Beyond, interval_ends
from mbcore.model.tables.polynomials import differentiated, polynomial


class Bilinear:
    """A surface over a grid."""

    def __init__(self, grid: Grid) -> None:
        self._columns = grid.z.shape[1]
        self._lines = [_lookup(axis, grid.beyond) for axis in grid.axes]
        units = (grid.unit,) if grid.unit else ()
        corners = (0, 1, self._columns, self._columns + 1)
        self._grid = Lookup(
            np.zeros(0), grid.z.reshape(-1, 1), grid.name, units=units, corners=corners
        )

    @property
    def largest(self) -> float:
        """The size of the largest slope along an axis."""
        jump = np.ptp(self._grid.rows / 2) * 2
        return float(max(jump * np.max(lookup.rows[:, 2]) for lookup in self._lines))

    def expression(self, x: ca.SX, y: ca.SX, orders: Sequence[int]) -> ca.SX:
        """Return a derivative at two expressions."""
        (x0, at_x, by_x, row), (y0, at_y, by_y, column) = (
            ca.vertsplit(lookup.function(a)) for lookup, a in zip(self._lines, (x, y), strict=True)
        )
        entries = ca.vertsplit(self._grid.function(row * self._columns + column))
        known = ca.logic_and(x <= np.inf, y <= np.inf)
        # Differences depend on both arguments, though without a slope.
        first, *differences = _coefficients(entries)
        coefficients = [first, *(ca.if_else(known, c, 0) for c in differences)]
        fractions = at_x + (x - x0) * by_x, at_y + (y - y0) * by_y
        return _value(coefficients, fractions, (by_x, by_y), orders)

    def numbers(self, at: Sequence[np.ndarray], orders: Sequence[int]) -> np.ndarray:
        """Return a derivative at arrays of one shape."""
        rows = [lookup.rows[lookup.place(a)] for lookup, a in zip(self._lines, at, strict=True)]
        columns = [[row[..., i] for i in range(4)] for row in rows]
        (x0, at_x, by_x, row), (y0, at_y, by_y, column) = columns
        first = (row * self._columns + column).astype(int)
        entries = [self._grid.rows[first + corner, 0] for corner in self._grid.corners]
        fractions = at_x + (at[0] - x0) * by_x, at_y + (at[1] - y0) * by_y
        return np.asarray(_value(_coefficients(entries), fractions, (by_x, by_y), orders))


def _lookup(axis: Axis, beyond: Beyond) -> Lookup:
    """Return the search along an axis: origin, fraction there, fractions by distance, cell."""
    x, n = axis.lines, len(axis.lines)
    by = 1 / np.diff(x)
    rows = np.zeros((n + 1, 4))
    rows[1:-1] = np.column_stack([x[:-1], np.zeros(n - 1), by, np.arange(n - 1)])
    rows[0], rows[-1] = rows[1], rows[-2]
    if beyond != "continue":
        rows[-1, :2] = x[-1], 1
    if beyond == "hold":
        rows[[0, -1], 2] = 0
    return Lookup(
        interval_ends(x),
        rows,
        axis.label,
        beyond == "refuse",
        (axis.unit,),
        axis.ends_steps,
        axis=True,
    )


def _coefficients(corners: Sequence[Any]) -> list[Any]:
    """Return the constant coefficient, those of y, of x and of both, given the corners."""
    z, behind_y, behind_x, behind_both = corners
    return [z, behind_y - z, behind_x - z, (behind_both - behind_x) - (behind_y - z)]


def _value(
    coefficients: Sequence[Any], fractions: Sequence[Any], by: Sequence[Any], orders: Sequence[int]
) -> Any:
    rows = coefficients[:2], coefficients[2:]
    along = [polynomial(fractions[1], differentiated(row, orders[1])) for row in rows]
    value = polynomial(fractions[0], differentiated(along, orders[0]))
    for factor, order in zip(by, orders, strict=True):
        for _ in range(order):
            value = value * factor
    return value
