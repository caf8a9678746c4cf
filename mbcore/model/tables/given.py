"""Points that users give for a table: arrays of finite numbers whose abscissae rise.

Tables of one and of two variables use it; it knows no polynomials.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.tables.pieces import LEAST, LEAST_PERIODIC
from mbcore.model.units.text_units import unit_of
from mbcore.model.units.units import Unit, coherent_unit, parse
from mbcore.model.wording import formatted, shortened

MOST = 200_000
"""Points of a table; each is a line of an FMU's C."""
REMEDY = 'give more points, or an extrapolation: beyond="hold" or beyond="linear"'
"""Remedy where an argument is outside of a table."""
_FARTHEST = 1e80
"""Between two abscissae of cubic polynomials; the coefficients of cubes underflow beyond it."""
_TURNED = 1e-12
"""Difference of the ordinates at both ends of a periodic table, relative to the largest."""


class Points(NamedTuple):
    """Points in SI units, and these."""

    x: np.ndarray
    y: np.ndarray
    units: tuple[str, str]


def owner_of(name: object) -> str:
    """Return what messages call a table of a name."""
    text = checks.text("table", name)
    return f"table {text!r}" if text != "table" else "table"


def given_units(owner: str, units: object, example: tuple[str, ...]) -> tuple[str, ...]:
    """Return the units of the axes and of the ordinates, empty where there are none.

    Raises
    ------
    ModelError
        If they are not as many texts as in the example.
    """
    count = len(example)
    if units is None:
        return ("",) * count
    given = units if isinstance(units, list | tuple) else ()
    if len(given) != count or not all(isinstance(unit, str) for unit in given):
        raise ModelError(f"{owner}: units = {units!r}; give {count} texts, as in {example!r}")
    return tuple(given)


def refuse_outside(owner: str, what: str, at: np.ndarray, x: np.ndarray, unit: str) -> None:
    """Refuse arguments before the first or behind the last of rising abscissae."""
    outside = (at < x[0]) | (at > x[-1])
    if outside.any():
        ends = f"{formatted(x[0])} to {formatted(x[-1])} {unit}".rstrip()
        raise ModelError(
            f"{owner}: {what} is {formatted(at[outside].flat[0])}, outside of its points "
            f"from {ends}; {REMEDY}"
        )


def truth(owner: str, what: str, given: object) -> bool:
    """Return what is true or false."""
    if not isinstance(given, bool):
        raise ModelError(f"{owner}: {what} = {given!r}; give True or False")
    return given


def points(owner: str, x: Any, y: Any, units: tuple[str, ...], kind: tuple[str, bool]) -> Points:
    """Return the points of a table in SI units.

    Parameters
    ----------
    owner : str
        Its name in messages.
    x, y : array_like
        Abscissae and ordinates.
    units : (str, str)
        Their units; empty for none.
    kind : (str, bool)
        Interpolation, and whether it is periodic.

    Raises
    ------
    ModelError
        Naming the first number that is wrong.
    """
    factors, si = zip(*(in_si(owner, unit) for unit in units), strict=True)
    at, of = axis(owner, "x", x), _sequence(owner, "y", y)
    if len(at) != len(of):
        raise ModelError(
            f"{owner}: {len(at)} abscissae x and {len(of)} ordinates y; give one y for each x"
        )
    refuse_few(owner, at, *kind)
    if kind[1]:
        of = _turned(owner, at, of)
    return Points(at * factors[0], of * factors[1], (si[0], si[1]))


def axis(owner: str, what: str, given: Any) -> np.ndarray:
    """Return finite numbers that rise, as `points`."""
    found = _sequence(owner, what, given)
    _refuse_order(owner, what, found)
    return found


def refuse_few(owner: str, x: np.ndarray, interpolation: str, periodic: bool = False) -> None:
    """Refuse fewer points than an interpolation needs."""
    least = LEAST_PERIODIC if periodic and interpolation != "linear" else LEAST[interpolation]
    if len(x) < least:
        other = ', or interpolation="linear"' if interpolation != "linear" else ""
        raise ModelError(
            f"{owner}: {len(x)} point{'s' * (len(x) != 1)} for interpolation {interpolation!r}; "
            f"give {least} at least{other}"
        )


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Name the file of the points in errors about them."""
    try:
        yield
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def refuse_distances(
    owner: str, axes: Sequence[tuple[str, np.ndarray]], interpolation: str, coefficients: Any
) -> None:
    """Refuse abscissae so near, or so far apart, that polynomials have no numbers for them."""
    if interpolation != "linear":
        for what, x in axes:
            i = int(np.argmax(np.diff(x)))
            if x[i + 1] - x[i] > _FARTHEST:
                raise ModelError(
                    f"{owner}: {_two(what, x, i)} are too far apart for an interpolation by cubes; "
                    'give them in a larger unit, or interpolation="linear"'
                )
    if np.isfinite(coefficients).all():
        return
    what, x = min(axes, key=lambda axis: np.min(np.diff(axis[1])))
    raise ModelError(
        f"{owner}: {_two(what, x, int(np.argmin(np.diff(x))))} are too near each other, because "
        "slopes there are larger than any number; give points further apart"
    )


def _two(what: str, x: np.ndarray, i: int) -> str:
    return f"{what}[{i}] = {float(x[i])!r} and {what}[{i + 1}] = {float(x[i + 1])!r}"


def in_si(owner: str, unit: str) -> tuple[float, str]:
    """Return the factor to SI units, and the SI unit, of a unit; nothing changes without one."""
    if not unit:
        return 1.0, ""
    known = unit_of(f"{owner}: a unit", unit, unit)
    return known.factor, coherent_unit(known) if known.factor != 1 else _in_modelica(known)


def _in_modelica(unit: Unit) -> str:
    try:
        return parse(unit.name).name
    except ModelError:
        return coherent_unit(unit)


def _sequence(owner: str, what: str, given: Any) -> np.ndarray:
    found = numbers(owner, what, given, MOST)
    found = found.ravel() if 1 in found.shape else found
    if found.ndim != 1:
        raise ModelError(f"{owner}: {what} has the shape {found.shape}; give a sequence")
    return found


def numbers(owner: str, what: str, given: Any, most: int) -> np.ndarray:
    """Return finite numbers in their shape, so many at most."""
    if isinstance(given, ca.SX | ca.MX):
        raise ModelError(
            f"{owner}: {what} = {shortened(str(given), 60)} is an expression; give numbers, and "
            "call the table with expressions"
        )
    size = getattr(given, "size", None)
    if isinstance(size, int | np.integer) and size > most:
        raise _too_many(owner, what, int(size), most)
    if np.ma.is_masked(given):
        place = np.argwhere(np.ma.getmaskarray(given))[0].tolist()
        where = ", ".join(map(str, place))
        raise ModelError(f"{owner}: {what}[{where}] is masked; leave the point out: {what}[~mask]")
    try:
        found = np.array(given.full() if isinstance(given, ca.DM) else given)
        if found.dtype.kind in "Mm":
            raise ModelError(
                f"{owner}: {what} has dates or time differences; give numbers, as seconds from the "
                "first one"
            )
        if found.dtype.kind in "OUScb" or _holds_truths(given):
            raise ValueError
        found = found.astype(float)
    except ModelError:
        raise
    except (TypeError, ValueError):
        wrong = _first_text(given)
        remedy = "give numbers alone"
        if re.search(r"\d,\d", wrong):
            remedy += '; decimal commas are read by pandas.read_csv(..., decimal=",")'
        raise ModelError(f"{owner}: {what} {wrong}; {remedy}") from None
    if found.size > most:
        raise _too_many(owner, what, found.size, most)
    if not np.isfinite(found).all():
        place = np.argwhere(~np.isfinite(found))[0].tolist()
        where = ", ".join(map(str, place))
        raise ModelError(
            f"{owner}: {what}[{where}] = {found[tuple(place)]} is not a finite number; leave the "
            "point out, or give its value"
        )
    return found


def _holds_truths(given: Any) -> bool:
    """Return whether True or False is among the entries of a sequence, or of its rows."""
    return isinstance(given, list | tuple) and any(_is_truth(e) or _holds_truths(e) for e in given)


def _is_truth(entry: object) -> bool:
    return isinstance(entry, bool | np.bool_)


def _first_text(given: Any) -> str:
    """Return where the first thing is that is not a number, or a row of another length."""
    if not isinstance(given, str | bytes) and hasattr(given, "__iter__"):
        lengths = [len(row) for row in given if isinstance(row, list | tuple | np.ndarray)]
        for i, length in enumerate(lengths):
            if len(lengths) == len(given) and length != lengths[0]:
                return f"has {lengths[0]} numbers in row 0 and {length} in row {i}"
        for i, entry in enumerate(given):
            try:
                if isinstance(entry, list | tuple) and _holds_truths(given):
                    if not _holds_truths(entry):
                        continue
                    raise ValueError
                if isinstance(entry, str | bytes) or _is_truth(entry):
                    raise ValueError
                float(entry)
            except (TypeError, ValueError):
                return f"holds {shortened(repr(entry), 60)} at place {i}"
    return f"is {shortened(repr(given), 60)}"


def _too_many(owner: str, what: str, size: int, most: int) -> ModelError:
    return ModelError(
        f"{owner}: {what} has {size} points, and a table may have {most}; keep one of each "
        f"{-(-size // most)} points, or give a smooth table through fewer ones"
    )


def _refuse_order(owner: str, what: str, x: np.ndarray) -> None:
    wrong = np.flatnonzero(np.diff(x) <= 0)
    if wrong.size:
        i = int(wrong[0])
        a, b = formatted(x[i]), formatted(x[i + 1])
        does = "is repeated" if x[i] == x[i + 1] else "falls"
        remedy = (
            "give each abscissa once; a step needs two that are close together"
            if x[i] == x[i + 1]
            else f"sort the points by {what}, rising"
        )
        raise ModelError(f"{owner}: {what}[{i + 1}] = {b} {does} after {what}[{i}] = {a}; {remedy}")


def _turned(owner: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return ordinates of a periodic table, the last one equal to the first."""
    if abs(y[-1] - y[0]) > _TURNED * np.max(abs(y)):
        raise ModelError(
            f"{owner}: it is periodic, but y begins with {formatted(y[0])} at x = "
            f"{formatted(x[0])} and ends with {formatted(y[-1])} at x = {formatted(x[-1])}; give "
            "the first point again as the last one, a period later"
        )
    return np.append(y[:-1], y[0])
