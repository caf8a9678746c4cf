"""A table over two variables that is called like a function: a map of torque, a road."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import casadi as ca
import numpy as np
from scipy.interpolate import CubicSpline, RegularGridInterpolator

from mbcore.model import checks
from mbcore.model.calls import explains_arguments, refuse_unknown_arguments
from mbcore.model.errors import ModelError
from mbcore.model.near_names import Suggesting
from mbcore.model.tables.csv_columns import read_grid
from mbcore.model.tables.given import (
    axis,
    given_units,
    in_si,
    numbers,
    owner_of,
    refuse_few,
    refuse_outside,
    truth,
)
from mbcore.model.tables.lookup import Lookup
from mbcore.model.tables.pieces import BEYOND, Beyond, Pieces, with_ends
from mbcore.model.tables.polynomials import differentiated, polynomial
from mbcore.model.wording import shortened

MOST = 40_000
"""Points of such a table, each of which is a line or more of an FMU's C."""
MOST_AT_ONCE = 10**9
"""Numbers that it is called with."""
KINDS = ("linear", "smooth")
_UNITS = ("rpm", "1", "N.m")
"""An example of units."""


class Table2D(Suggesting):
    """A surface through points of a grid, called with two expressions as a function is.

    In each cell of the grid it is a polynomial in both variables, with exact derivatives. At a line
    of the grid they are those of the cell to the right, at the last line of the cell before::

        from mbcore import Table2D

        torque = Table2D(
            [0, 2000, 6000], [0, 1], [[0, 90], [0, 160], [0, 120]],
            units=("rpm", "1", "N.m"), beyond="hold", name="motor",
        )
        print(torque(200, 0.5))

    Parameters
    ----------
    x, y : array_like, shape (n,), (m,)
        Lines of the grid, rising.
    z : array_like, shape (n, m)
        Ordinates; a row for each x.
    interpolation : {"linear", "smooth"}
        Straight along both axes, or a spline with continuous second derivatives, that of SciPy's
        ``RectBivariateSpline``, for four lines or more along each.
    beyond : {"refuse", "hold", "linear", "continue"}
        As of `Table`, for both axes.
    units : (str, str, str), optional
        Units of the x, y and z given; expressions are in the SI units that measure the same.
    name : str
        What messages call it.
    end_steps : bool
        Whether steps of a run end at the lines of a linear one, as of `Table`.

    Attributes
    ----------
    x, y, z : ndarray
        The points in SI units.
    interpolation, beyond : str
        As given.
    units : tuple of str
        SI units of x, y and z, empty where none were given.

    Raises
    ------
    ModelError
        If lines do not rise, a number is not finite, the shapes do not fit, or there are too few
        points or too many; the error names place and value.
    """

    _elsewhere: ClassVar[dict[str, str]] = {
        "integral": "a table over one variable has it: Table(x, y).integral",
        "period": "give an angle that is taken back to its range, ca.remainder(angle, 2 * ca.pi)",
        "periodic": "give an angle that is taken back to its range, ca.remainder(angle, 2 * ca.pi)",
    }

    @explains_arguments
    def __init__(
        self,
        x: Any,
        y: Any,
        z: Any,
        *,
        interpolation: str = "linear",
        beyond: Beyond = "refuse",
        units: Sequence[str] | None = None,
        name: str = "table",
        end_steps: bool = False,
    ) -> None:
        self.name = checks.text("table", name)
        owner = self._owner
        if interpolation == "monotone":
            raise ModelError(
                f"{owner}: interpolation = 'monotone' is for tables over one variable; give "
                "'linear', which does not overshoot, or 'smooth'"
            )
        self.interpolation = checks.choice(owner, "interpolation", interpolation, KINDS)
        self.beyond = checks.choice(owner, "beyond", beyond, BEYOND)
        texts = given_units(owner, units, _UNITS)
        factors, si = zip(*(in_si(owner, unit) for unit in texts), strict=True)
        self.units: tuple[str, ...] = si
        lines = [axis(owner, what, given) for what, given in (("x", x), ("y", y))]
        heights = numbers(owner, "z", z, MOST)
        for of in lines:
            refuse_few(owner, of, self.interpolation)
        if heights.shape != (len(lines[0]), len(lines[1])):
            raise ModelError(
                f"{owner}: z has the shape {heights.shape} for {len(lines[0])} x and "
                f"{len(lines[1])} y; give a row for each x with a number for each y"
            )
        self.x, self.y = (of * factor for of, factor in zip(lines, factors, strict=False))
        self.z = heights * factors[2]
        self._axes, cells = _cells(self.x, self.y, self.z, (self.interpolation, beyond))
        self._degrees = tuple(size - 1 for size in cells.shape[2:])
        self._columns = len(self.y) + 1
        places = [pieces.ends for pieces in self._axes]
        refuses = beyond == "refuse"
        self.end_steps = truth(owner, "end_steps", end_steps)
        self._lines = [
            Lookup(
                ends,
                np.column_stack([pieces.origins, np.arange(len(ends) + 1.0)]),
                f"{name} {what}" if name != "table" else f"table, {what}",
                refuses,
                (unit,),
                end_steps and interpolation == "linear",
            )
            for ends, pieces, what, unit in zip(places, self._axes, "xy", si, strict=False)
        ]
        rows = cells.reshape(cells.shape[0] * cells.shape[1], -1)
        self._cells = Lookup(np.arange(1, len(rows)) - 0.5, rows, name, units=self.units)

    @classmethod
    def of(cls, surface: Any, *, beyond: Beyond | None = None, **kwargs: Any) -> Table2D:
        """Return the table of a surface that is there already, with its values and derivatives.

        Parameters
        ----------
        surface : object
            SciPy's ``RegularGridInterpolator`` over two variables with the method ``"linear"`` (it
            solves for a cubic one to three digits only); a ``DataArray`` of xarray with two
            dimensions that have coordinates.
        beyond : str, optional
            As of `Table2D`; by default what the surface does.
        **kwargs
            Units and name, as of `Table2D`; the interpolation for a ``DataArray``.

        Raises
        ------
        ModelError
            If it is none of these.
        """
        if isinstance(surface, RegularGridInterpolator) and surface.method == "linear":
            values = np.asarray(surface.values)
            if values.ndim == 2 == len(surface.grid):
                goes_on = not surface.bounds_error and surface.fill_value is None
                outside: Beyond = beyond or ("continue" if goes_on else "refuse")
                x, y = surface.grid
                return cls(x, y, values, beyond=outside, **kwargs)
        dims = getattr(surface, "dims", ())
        if len(dims) == 2 and all(dim in getattr(surface, "coords", ()) for dim in dims):
            x, y = (surface.coords[dim].values for dim in dims)
            return cls(x, y, surface.values, beyond=beyond or "refuse", **kwargs)
        raise ModelError(
            f"table: {shortened(repr(surface), 60)} is not a surface that a table takes; give "
            "SciPy's linear RegularGridInterpolator over two variables, a DataArray with two "
            'coordinates, or the points: Table2D(x, y, z), with interpolation="smooth" for a spline'
        )

    @classmethod
    def from_csv(
        cls, path: str | Path, *, units: Sequence[str] | None = None, **kwargs: Any
    ) -> Table2D:
        r"""Return the table of a grid in a CSV file, read as by `mbcore.read_inputs`.

        The first line has the y from its second cell on, each other line its x and then its z. The
        first cell may have units: ``speed [rpm] \ pedal [1] \ torque [N.m]``.

        Parameters
        ----------
        path : path
            The file.
        units : (str, str, str), optional
            Of x, y and z where the first cell has none, as in ``("rpm", "1", "N.m")``; an empty
            text for that of the file, or for SI units. Without it a warning tells what has no unit.
        **kwargs
            As of `Table2D`; the name is by default that of the file.

        Raises
        ------
        ModelError
            As of `Table2D`; or a cell holds no number, which names file and line.
        TypeError
            An argument is unknown, with similar names.
        OSError
            The file cannot be read.
        """
        refuse_unknown_arguments("Table2D.from_csv", Table2D.__init__, kwargs, Table2D.from_csv)
        given = None if units is None else given_units(f"{path}", units, _UNITS)
        x, y, z, known = read_grid(path, given)
        return cls(x, y, z, units=known, **{"name": Path(path).stem, **kwargs})

    def __call__(self, x: Any, y: Any) -> Any:
        """Return the ordinate at ``x``, ``y``: an expression of expressions, numbers of numbers.

        Raises
        ------
        ModelError
            If an argument is NaN, infinite, or outside of a table that refuses it; or it is neither
            a number nor a scalar expression.
        """
        return self.derivative(x, y, 0, 0)

    def derivative(self, x: Any, y: Any, x_order: int = 0, y_order: int = 0) -> Any:
        """Return the derivative of ``x_order`` by ``x`` and of ``y_order`` by ``y``."""
        orders = tuple(
            checks.whole(self._owner, what, order, 0)
            for what, order in (("x_order", x_order), ("y_order", y_order))
        )
        if any(map(_is_expression, (x, y))):
            first = checks.expression(self._owner, "x", x)
            second = checks.expression(self._owner, "y", y)
            return self._expression(first, second, orders)
        x, y = (np.array(ca.DM(a)).item() if isinstance(a, ca.SX) else a for a in (x, y))
        return self._numbers(x, y, orders)

    @property
    def _owner(self) -> str:
        return owner_of(self.name)

    def _expression(self, x: ca.SX, y: ca.SX, orders: tuple[int, ...]) -> ca.SX:
        (x0, row), (y0, column) = (
            ca.vertsplit(lookup.function(a)) for lookup, a in zip(self._lines, (x, y), strict=True)
        )
        entries = ca.vertsplit(self._cells.function(row * self._columns + column))
        known = ca.logic_and(x <= np.inf, y <= np.inf)
        first, second = self._degrees
        # What depends on the cell alone depends on both arguments, though without a slope.
        rows = [
            [
                ca.if_else(known, entries[i * (second + 1) + j], 0)
                if i == first or j == second
                else entries[i * (second + 1) + j]
                for j in range(second + 1)
            ]
            for i in range(first + 1)
        ]
        return self._surface(rows, x - x0, y - y0, orders)

    def _numbers(self, x: Any, y: Any, orders: tuple[int, ...]) -> Any:
        both = []
        for what, a, line, unit in (
            ("x", x, self.x, self.units[0]),
            ("y", y, self.y, self.units[1]),
        ):
            found = numbers(self._owner, what, a, MOST_AT_ONCE)
            if self.beyond == "refuse":
                refuse_outside(self._owner, what, found, line, unit)
            both.append(found)
        at = np.broadcast_arrays(*both)
        place = [lookup.place(a) for lookup, a in zip(self._lines, at, strict=True)]
        first, second = self._degrees
        cells = self._cells.rows[place[0] * self._columns + place[1]]
        rows = [
            [cells[..., i * (second + 1) + j] for j in range(second + 1)] for i in range(first + 1)
        ]
        dx, dy = (a - pieces.origins[i] for a, pieces, i in zip(at, self._axes, place, strict=True))
        found = np.asarray(self._surface(rows, dx, dy, orders) + 0 * at[0])
        return float(found) if found.ndim == 0 else found

    def _surface(self, rows: list[list[Any]], x: Any, y: Any, orders: tuple[int, ...]) -> Any:
        along = [polynomial(y, differentiated(row, orders[1])) for row in rows]
        return polynomial(x, differentiated(along, orders[0]))

    def __repr__(self) -> str:
        """Say its name, points and kind."""
        size = f"{len(self.x)} x {len(self.y)} points"
        return f"<{self._owner}: {size}; {self.interpolation}; beyond: {self.beyond}>"


def _is_expression(given: Any) -> bool:
    """Return whether an argument is an expression, or a handle that is refused as one."""
    return (isinstance(given, ca.SX) and not given.is_constant()) or hasattr(given, "value")


def _cells(
    x: np.ndarray, y: np.ndarray, z: np.ndarray, kinds: tuple[str, Any]
) -> tuple[list[Pieces], np.ndarray]:
    """Return the pieces along both axes, and coefficients, shape (n + 1, m + 1, powers, powers)."""
    along_x = _along(x, z, kinds[0])  # cells, powers, y
    n, powers = along_x.shape[:2]
    along_y = _along(y, np.moveaxis(along_x, 2, 0).reshape(len(y), -1), kinds[0])
    m, others = along_y.shape[:2]
    inner = along_y.reshape(m, others, n, powers)
    first = with_ends(x, inner.transpose(2, 3, 0, 1).reshape(n, powers, -1), kinds[1])
    grown = first.coefficients.reshape(n + 2, powers, m, others)
    second = with_ends(y, grown.transpose(2, 3, 0, 1).reshape(m, others, -1), kinds[1])
    whole = second.coefficients.reshape(m + 2, others, n + 2, powers)
    return [first, second], whole.transpose(2, 0, 3, 1)


def _along(x: np.ndarray, values: np.ndarray, kind: str) -> np.ndarray:
    """Return coefficients along the first axis, shape (n - 1, powers, others)."""
    if kind == "smooth":
        return np.moveaxis(CubicSpline(x, values, axis=0).c[::-1], 0, 1)
    slopes = np.diff(values, axis=0) / np.diff(x)[:, None]
    return np.stack([values[:-1], slopes], axis=1)
