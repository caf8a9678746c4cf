"""A table of points that is called like a function: with expressions, numbers and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from mbcore.model import checks
from mbcore.model.calls import explains_arguments, refuse_unknown_arguments
from mbcore.model.errors import ModelError
from mbcore.model.near_names import Suggesting
from mbcore.model.tables.csv_columns import read_columns
from mbcore.model.tables.given import (
    Points,
    given_units,
    naming,
    owner_of,
    points,
    refuse_distances,
    refuse_outside,
    truth,
)
from mbcore.model.tables.lookup import Lookup
from mbcore.model.tables.ordinates import Ordinates, Shape
from mbcore.model.tables.pieces import (
    BEYOND,
    INTERPOLATIONS,
    Beyond,
    Interpolation,
    Pieces,
    interpolated,
    with_ends,
)
from mbcore.model.tables.polynomials import differentiated, polynomial
from mbcore.model.tables.sources import converted
from mbcore.model.wording import formatted

_UNITS = ("mm", "N")
"""An example of units."""


class Table(Suggesting):
    """A curve through points, called with an expression as a function is, exact in derivatives.

    It is a polynomial from point to point. Its first and second derivatives are those of this
    polynomial, at a point those of the piece to the right of it, at the last point those of the
    piece before. An FMU has the points as data and finds the piece in constant time::

        from mbcore import Model, Table, Truss

        progressive = Table([0, 0.02, 0.05], [0, 300, 1500], interpolation="monotone", name="strut")
        model = Model("wheel", gravity=(0, 0, -9.81))
        hook, wheel = model.point("hook", (0, 0, 0), fixed=True), model.point("wheel", (0, 0, -0.5))
        strut = model.add(Truss("strut", hook, wheel))
        strut.elongation.dof().spring(progressive)

    Parameters
    ----------
    x, y : array_like, shape (n,)
        Abscissae, which rise, and ordinates: two at least, for ``"smooth"`` four (three if
        periodic).
    interpolation : {"linear", "monotone", "smooth"}
        Straight lines; cubics without overshoot, with the slopes of SciPy's
        ``PchipInterpolator``; or a spline with continuous second derivative, SciPy's
        ``CubicSpline``.
    beyond : {"refuse", "hold", "linear", "continue"}
        What is before the first and behind the last point. ``"refuse"`` makes it a requirement of
        the model that nothing is; the others hold the last ordinate, go on straight, or go on by
        the polynomial of the last piece.
    periodic : bool
        Whether the last point is the first one again, as of an angle that winds.
    units : (str, str), optional
        Units of the abscissae and the ordinates given, as in ``("mm", "kN")``; an empty text for
        any. Expressions are in the SI units that measure the same. A spring refuses a table in
        other units; of an argument that measures something else a warning tells.
    name : str
        Its name in messages.
    end_steps : bool
        Whether steps of a run end where the argument passes a point at which the value or one of
        two derivatives jumps. A step over such a point loses digits. The points are events that
        change nothing: FMUs have them, too.
    parameter : bool
        Whether the ordinates are parameters of the models that call it, up to 100 of them:
        ``spring.force[1]``, ... of ``name="spring.force"``, given at once by
        ``parameters={"spring.force": values}``. They are tunable where the table is smooth, else
        fixed; the abscissae never change.

    Attributes
    ----------
    x, y : ndarray, shape (n,)
        The points in SI units.
    interpolation, beyond : str
        As given; of a spline that `of` was given, its name.
    period : float or None
        The period in SI units.
    units : (str, str)
        SI units of abscissae and ordinates, empty where none were given.

    Raises
    ------
    ModelError
        If abscissae do not rise, a number is not finite, there are too few points or too many, or a
        periodic table does not end as it begins; the error names place and value.
    """

    _ordinates: Ordinates | None = None

    @explains_arguments
    def __init__(
        self,
        x: Any,
        y: Any,
        *,
        interpolation: Interpolation = "linear",
        beyond: Beyond = "refuse",
        periodic: bool = False,
        units: Sequence[str] | None = None,
        name: str = "table",
        end_steps: bool = False,
        parameter: bool = False,
    ) -> None:
        owner = owner_of(name)
        kind = checks.choice(owner, "interpolation", interpolation, INTERPOLATIONS)
        outside = checks.choice(owner, "beyond", beyond, BEYOND)
        if periodic and outside != "refuse":
            raise ModelError(
                f"{owner}: beyond = {beyond!r} of a periodic table, which has no ends; leave it out"
            )
        given = points(owner, x, y, given_units(owner, units, _UNITS), (kind, periodic))
        with np.errstate(all="ignore"):
            inner = interpolated(given.x, given.y, kind, periodic)  # type: ignore[arg-type]
        refuse_distances(owner, [("x", given.x)], kind, inner)
        self._set(given, inner, (kind, outside), periodic, name)
        if truth(owner, "parameter", parameter):
            shape = Shape(self.x, kind, self.beyond, periodic, self.units[0])  # type: ignore[arg-type]
            self._ordinates = Ordinates(owner, name, self.y, self.units[1], shape)
        self.end_steps = truth(owner, "end_steps", end_steps)

    def _set(
        self,
        given: Points,
        inner: np.ndarray,
        kinds: tuple[str, str],
        periodic: bool,
        name: str,
    ) -> None:
        self.x, self.y, self.units = given
        self.interpolation, beyond = kinds
        self.beyond = "continue" if periodic else beyond
        self.name, self.end_steps = name, False
        self.period = float(self.x[-1] - self.x[0]) if periodic else None
        self._pieces = with_ends(self.x, inner, self.beyond)  # type: ignore[arg-type]
        self._whole = self._pieces.integral()
        self._lookups: dict[tuple[bool, bool], Lookup] = {}

    @classmethod
    def of(
        cls,
        curve: Any,
        *,
        interpolation: Interpolation | None = None,
        beyond: Beyond | None = None,
        units: Sequence[str] | None = None,
        name: str = "table",
        end_steps: bool = False,
    ) -> Table:
        """Return the table of a curve that is there already, with its values and derivatives.

        Parameters
        ----------
        curve : object
            SciPy's ``CubicSpline``, ``PchipInterpolator``, ``Akima1DInterpolator``, ``PPoly`` or a
            ``BSpline`` as ``make_interp_spline`` makes; CasADi's ``interpolant`` of one argument;
            a pandas ``Series``, whose index has the abscissae.
        interpolation : str, optional
            As of `Table`, of a ``Series`` alone; the others have theirs.
        beyond : str, optional
            As of `Table`; by default as the curve itself.
        units, name, end_steps
            As of `Table`.

        Raises
        ------
        ModelError
            If it is none of these, or of several variables.
        """
        owner = owner_of(name)
        found = converted(owner, curve)
        if beyond is not None:
            checks.choice(owner, "beyond", beyond, BEYOND)
        if found.inner is None:
            return cls(
                found.x,
                found.y,
                interpolation=interpolation or "linear",
                beyond=beyond or "refuse",
                units=units,
                name=name,
                end_steps=end_steps,
            )
        if interpolation is not None:
            raise ModelError(
                f"{owner}: interpolation = {interpolation!r}, and {type(curve).__name__} has its "
                "own; leave it out, or give the points: Table(x, y)"
            )
        texts = given_units(owner, units, _UNITS)
        given = points(owner, found.x, found.y, texts, ("linear", found.periodic))
        by = (given.x[-1] - given.x[0]) / (found.x[-1] - found.x[0])
        powers = by ** -np.arange(found.inner.shape[1], dtype=float)
        sizes = given.y[np.argmax(abs(found.y))], found.y[np.argmax(abs(found.y))]
        scale = sizes[0] / sizes[1] if sizes[1] else 1.0
        table = cls.__new__(cls)
        kinds = (type(curve).__name__, beyond or found.beyond)
        table._set(given, found.inner * powers * scale, kinds, found.periodic, name)
        table.end_steps = truth(owner, "end_steps", end_steps)
        return table

    @classmethod
    def from_csv(
        cls,
        path: str | Path,
        x: str | None = None,
        y: str | None = None,
        *,
        units: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> Table:
        """Return the table of two columns of a CSV file, in the units that its header has.

        Headers are ``travel [mm]``, ``travel (mm)`` or ``travel / mm``. Separators, decimal commas
        and encodings are found as by `mbcore.read_inputs`::

            force = Table.from_csv("strut.csv", "travel [mm]", "force [kN]", interpolation="smooth")

        Parameters
        ----------
        path : path
            The file.
        x, y : str, optional
            Names of the columns, with or without units; needed where there are more than two.
        units : (str, str), optional
            Units where the header has none, as in ``("mm", "N")``; an empty text for that of the
            header, or for numbers in SI units. Without it a warning tells of headers without units.
        **kwargs
            As of `Table`; the name is by default that of the ordinates' column.

        Raises
        ------
        ModelError
            As of `Table`; or a column or unit is unknown, a unit is not that of the header, or a
            cell holds no number, which names file and line.
        TypeError
            An argument is unknown, with similar names.
        OSError
            The file cannot be read.
        """
        refuse_unknown_arguments("Table.from_csv", Table.__init__, kwargs, Table.from_csv)
        given = None if units is None else given_units(f"{path}", units, _UNITS)
        across, up = read_columns(path, (x, y), given)
        kwargs = {"name": up.name, **kwargs}
        with naming(path):
            return cls(across.values, up.values, units=(across.unit, up.unit), **kwargs)

    def __call__(self, x: Any) -> Any:
        """Return the ordinate at ``x``: an expression of an expression, numbers of numbers.

        Raises
        ------
        ModelError
            If ``x`` is NaN, infinite, or outside of a table that refuses it; or it is neither a
            number nor an expression.
        """
        return self._valued(x, 0, False)

    def derivative(self, x: Any, order: int = 1) -> Any:
        """Return the derivative of an order at ``x``, as calling it returns the ordinate."""
        return self._valued(x, checks.whole(self._owner, "order", order, 0), False)

    def integral(self, x: Any) -> Any:
        """Return the integral from the first point to ``x``, as calling it returns the ordinate.

        Of a force over a distance it is the work, of a torque over an angle, too. A periodic table
        is integrated over all turns.
        """
        return self._valued(x, 0, True)

    @property
    def _owner(self) -> str:
        return owner_of(self.name)

    def _valued(self, x: Any, order: int, whole: bool) -> Any:
        pieces = self._whole if whole else self._pieces
        if isinstance(x, ca.SX | ca.MX) and not x.is_constant():
            if isinstance(x, ca.SX) and x.numel() != 1:
                return ca.SX(x.sparsity(), self._column(x, order, whole))
            return self._expression(x, order, whole)
        if isinstance(x, ca.SX | ca.MX | ca.DM):
            return self._numbers(np.array(ca.DM(x).full()), pieces, order)
        if isinstance(x, str | bytes | None) or hasattr(x, "value") or hasattr(x, "position"):
            return self._expression(checks.expression(self._owner, "argument", x), order, whole)
        try:
            numbers = np.asarray(x, float)
        except (TypeError, ValueError):
            checks.matrix(self._owner, "argument", x)
            raise
        found = self._numbers(numbers, pieces, order)
        return float(found) if found.ndim == 0 else found

    def _column(self, x: ca.SX, order: int, whole: bool) -> ca.SX:
        return ca.vertcat(*(self._expression(entry, order, whole) for entry in x.nonzeros()))

    def _expression(self, x: Any, order: int, whole: bool) -> Any:
        at, turns = x, 0.0
        if self.period is not None:
            turns = ca.floor((x - self.x[0]) / self.period)
            at = x - turns * self.period
        origin, *coefficients = ca.vertsplit(self._lookup(whole, True).function(at))
        if self._ordinates is not None:
            coefficients = self._ordinates.coefficients(coefficients)
        # A value that depends on the piece alone depends on the argument, though without a slope.
        coefficients[-1] = ca.if_else(at <= np.inf, coefficients[-1], 0)
        if whole and self.period is not None:
            turn = self._turn if self._ordinates is None else self._ordinates.turn
            coefficients[0] += turns * turn
        return polynomial(at - origin, differentiated(coefficients, order))

    def _numbers(self, x: np.ndarray, pieces: Pieces, order: int) -> np.ndarray:
        if not np.isfinite(x).all():
            wrong = x[~np.isfinite(x)].flat[0]
            raise ModelError(f"{self._owner}: its argument is {wrong}; give a finite number")
        at, turns = x, np.zeros_like(x)
        if self.period is not None:
            turns = np.floor((x - self.x[0]) / self.period)
            at = x - turns * self.period
        elif self.beyond == "refuse":
            refuse_outside(self._owner, "its argument", x, self.x, self.units[0])
        place = self._lookup(pieces is self._whole).place(at)
        rows = pieces.coefficients[place]
        coefficients = [rows[..., i] for i in range(rows.shape[-1])]
        if pieces is self._whole and self.period is not None:
            coefficients[0] = coefficients[0] + turns * self._turn
        found = polynomial(at - pieces.origins[place], differentiated(coefficients, order))
        return np.asarray(found + np.zeros_like(x))

    @property
    def _turn(self) -> float:
        """The integral over a period."""
        whole = self._whole
        return float(polynomial(self.x[-1] - whole.origins[-1], list(whole.coefficients[-1])))

    def _lookup(self, whole: bool, called: bool = False) -> Lookup:
        """Return the search of numbers, or that which expressions call."""
        if (whole, called) not in self._lookups:
            pieces = self._whole if whole else self._pieces
            refuses = self.beyond == "refuse"
            units = (self.units[0], "" if whole else self.units[1])
            own = self._ordinates if called else None
            rows = pieces.rows if own is None else own.rows(whole)
            count = 0 if own is None else len(own.records)
            self._lookups[whole, called] = Lookup(
                pieces.ends, rows, self.name, refuses, units, self.end_steps, count
            )
        return self._lookups[whole, called]

    def __repr__(self) -> str:
        """Say its name, points and kind."""
        ends = f"{formatted(self.x[0])} to {formatted(self.x[-1])}"
        more = "periodic" if self.period is not None else f"beyond: {self.beyond}"
        return f"<{self._owner}: {len(self.x)} points from {ends}; {self.interpolation}; {more}>"
