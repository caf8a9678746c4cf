"""A table over two variables that is called like a function: a map of torque, a road."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import casadi as ca
import numpy as np
from scipy.interpolate import RegularGridInterpolator

from mbcore.model import checks
from mbcore.model.calls import explains_arguments, refuse_unknown_arguments
from mbcore.model.errors import ModelError
from mbcore.model.near_names import Suggesting
from mbcore.model.tables.bilinear import Bilinear
from mbcore.model.tables.csv_columns import read_grid
from mbcore.model.tables.given import (
    axis,
    given_units,
    in_si,
    naming,
    numbers,
    owner_of,
    refuse_distances,
    refuse_few,
    refuse_outside,
    truth,
)
from mbcore.model.tables.grid import Axis, Grid
from mbcore.model.tables.pieces import BEYOND, Beyond
from mbcore.model.tables.spline2d import Spline2D
from mbcore.model.wording import shortened

MOST, MOST_LINEAR = 40_000, 1_050_000
"""Points of a smooth and of a linear table: sixteen numbers in an FMU each, or one."""
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
        Its name in messages.
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
        "period": "reduce the angle to its range, ca.remainder(angle, 2 * ca.pi)",
        "periodic": "reduce the angle to its range, ca.remainder(angle, 2 * ca.pi)",
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
        most = MOST_LINEAR if self.interpolation == "linear" else MOST
        heights = numbers(owner, "z", z, most)
        for of in lines:
            refuse_few(owner, of, self.interpolation)
        if heights.shape != (len(lines[0]), len(lines[1])):
            raise ModelError(
                f"{owner}: z has the shape {heights.shape} for {len(lines[0])} x and "
                f"{len(lines[1])} y; give a row for each x with a number for each y"
            )
        self.x, self.y = (of * factor for of, factor in zip(lines, factors, strict=False))
        self.z = heights * factors[2]
        self.end_steps = truth(owner, "end_steps", end_steps)
        ends_steps = end_steps and interpolation == "linear"
        first, second = (
            Axis(f"{name} {what}" if name != "table" else f"table, {what}", of, unit, ends_steps)
            for what, of, unit in zip("xy", (self.x, self.y), si, strict=False)
        )
        grid = Grid((first, second), self.z, beyond, name, si[2])
        with np.errstate(all="ignore"):  # what is not a number is refused below
            self._surface: Bilinear | Spline2D = (
                Bilinear(grid) if interpolation == "linear" else Spline2D(grid)
            )
        both = [("x", self.x), ("y", self.y)]
        refuse_distances(owner, both, interpolation, self._surface.largest)

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
            As of `Table2D`; by default as the surface itself.
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
            text for that of the file, or for SI units. Without it a warning names columns without
            a unit.
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
        with naming(path):
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
            return self._surface.expression(first, second, orders)
        x, y = (np.array(ca.DM(a)).item() if isinstance(a, ca.SX) else a for a in (x, y))
        return self._numbers(x, y, orders)

    @property
    def _owner(self) -> str:
        return owner_of(self.name)

    def _numbers(self, x: Any, y: Any, orders: tuple[int, ...]) -> Any:
        both = []
        for what, a, line, unit in (
            ("x", x, self.x, self.units[0]),
            ("y", y, self.y, self.units[1]),
        ):
            if np.ndim(a) == 0 and isinstance(a, float | int | np.number) and not np.isfinite(a):
                raise ModelError(f"{self._owner}: {what} is {a}; give a finite number")
            found = numbers(self._owner, what, a, MOST_AT_ONCE)
            if self.beyond == "refuse":
                refuse_outside(self._owner, what, found, line, unit)
            both.append(found)
        at = np.broadcast_arrays(*both)
        found = self._surface.numbers(at, orders) + 0 * at[0]
        return float(found) if found.ndim == 0 else found

    def __repr__(self) -> str:
        """Say its name, points and kind."""
        size = f"{len(self.x)} x {len(self.y)} points"
        return f"<{self._owner}: {size}; {self.interpolation}; beyond: {self.beyond}>"


def _is_expression(given: Any) -> bool:
    """Return whether an argument is an expression, or a handle that is refused as one."""
    return (isinstance(given, ca.SX) and not given.is_constant()) or hasattr(given, "value")
