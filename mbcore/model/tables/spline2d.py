"""A surface of splines along both axes of a grid: sixteen coefficients in each cell.

Used by `mbcore.model.tables.table2d` alone; what is straight along both axes is in
`mbcore.model.tables.bilinear`, whose numbers are the ordinates themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from mbcore.model.tables.grid import Axis, Grid
from mbcore.model.tables.lookup import Lookup
from mbcore.model.tables.pieces import Beyond, Pieces, with_ends
from mbcore.model.tables.polynomials import differentiated, polynomial
from mbcore.model.tables.splines import about_middles, spline_coefficients

_POWERS = 4
"""Of a cubic polynomial, from the constant one on."""


class Spline2D:
    """A surface over a grid with continuous second derivatives."""

    def __init__(self, grid: Grid) -> None:
        axes, beyond = grid.axes, grid.beyond
        self._axes, cells = _cells(axes[0].lines, axes[1].lines, grid.z, beyond)
        self._columns = grid.z.shape[1] + 1
        self._lines = [_lookup(axis, of, beyond) for axis, of in zip(axes, self._axes, strict=True)]
        units = (*(axis.unit for axis in axes), grid.unit)
        rows = cells.reshape(cells.shape[0] * cells.shape[1], -1)
        self._cells = Lookup(np.arange(1, len(rows)) - 0.5, rows, grid.name, units=units)

    @property
    def largest(self) -> float:
        """The size of the largest coefficient."""
        return float(np.max(abs(self._cells.rows)))

    def expression(self, x: ca.SX, y: ca.SX, orders: Sequence[int]) -> ca.SX:
        """Return a derivative at two expressions."""
        (x0, row), (y0, column) = (
            ca.vertsplit(lookup.function(a)) for lookup, a in zip(self._lines, (x, y), strict=True)
        )
        entries = ca.vertsplit(self._cells.function(row * self._columns + column))
        known = ca.logic_and(x <= np.inf, y <= np.inf)
        # A value that depends on the cell alone depends on both arguments, though without a slope.
        powers = range(_POWERS)
        rows = [
            [
                ca.if_else(known, entries[i * _POWERS + j], 0)
                if _POWERS - 1 in (i, j)
                else entries[i * _POWERS + j]
                for j in powers
            ]
            for i in powers
        ]
        return _value(rows, x - x0, y - y0, orders)

    def numbers(self, at: Sequence[np.ndarray], orders: Sequence[int]) -> np.ndarray:
        """Return a derivative at arrays of one shape."""
        place = [lookup.place(a) for lookup, a in zip(self._lines, at, strict=True)]
        cells = self._cells.rows[place[0] * self._columns + place[1]]
        powers = range(_POWERS)
        rows = [[cells[..., i * _POWERS + j] for j in powers] for i in powers]
        dx, dy = (a - pieces.origins[i] for a, pieces, i in zip(at, self._axes, place, strict=True))
        return np.asarray(_value(rows, dx, dy, orders))


def _lookup(axis: Axis, pieces: Pieces, beyond: Beyond) -> Lookup:
    """Return the search along an axis: origin and number of a cell."""
    rows = np.column_stack([pieces.origins, np.arange(len(pieces.origins))])
    refuses = beyond == "refuse"
    return Lookup(pieces.ends, rows, axis.label, refuses, (axis.unit,), axis.ends_steps, axis=True)


def _value(rows: list[list[Any]], x: Any, y: Any, orders: Sequence[int]) -> Any:
    along = [polynomial(y, differentiated(row, orders[1])) for row in rows]
    return polynomial(x, differentiated(along, orders[0]))


def _cells(
    x: np.ndarray, y: np.ndarray, z: np.ndarray, beyond: Beyond
) -> tuple[list[Pieces], np.ndarray]:
    """Return the pieces along both axes, and coefficients, shape (n + 1, m + 1, powers, powers)."""
    n, m = len(x) - 1, len(y) - 1
    x_middles, along_x = about_middles(x, spline_coefficients(x, z))  # powers, cells, y
    rows = along_x.each(lambda part: part.reshape(-1, m + 1).T)
    y_middles, along_y = about_middles(y, spline_coefficients(y, rows))
    inner = along_y.high.reshape(_POWERS, m, _POWERS, n)
    first = with_ends(x, inner.transpose(3, 2, 1, 0).reshape(n, _POWERS, -1), beyond, x_middles)
    grown = first.coefficients.reshape(n + 2, _POWERS, m, _POWERS)
    along = grown.transpose(2, 3, 0, 1).reshape(m, _POWERS, -1)
    second = with_ends(y, along, beyond, y_middles)
    whole = second.coefficients.reshape(m + 2, _POWERS, n + 2, _POWERS)
    return [first, second], whole.transpose(2, 0, 3, 1)
