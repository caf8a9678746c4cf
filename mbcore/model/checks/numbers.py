"""Numbers that users give, alone, by name or as the fields of a record, and vectors of them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import casadi as ca
import numpy as np

from mbcore.model.arrays.elements import values_by_element
from mbcore.model.checks.expressions import (
    as_float,
    in_unit,
    matrix,
    one_expression,
    refuse_handle,
    short,
)
from mbcore.model.checks.ranges import Range
from mbcore.model.errors import ModelError, warn_user
from mbcore.model.expressions import dense, symbolic
from mbcore.model.near_names import unknown
from mbcore.model.parameter_sets.parameter_set import ParameterSet, located
from mbcore.model.units.text_units import value_in
from mbcore.model.variables import Number, type_of


def number(
    owner: str,
    what: str,
    value: object,
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
    unit: str = "",
) -> Number:
    """Return a finite number in its range, or a scalar expression, which has no value yet.

    A text with its own unit is converted to ``unit``; without one the number has none.

    Raises
    ------
    ModelError
        If it is something else.
    """
    # True is an int in Python, but as a mass or a length it is a mistake.
    if isinstance(value, bool | np.bool_):
        raise ModelError(f"{owner}: {what} = {value!r}; give a number or an expression")
    value = in_unit(owner, what, value, unit or "1")
    # a plain number goes without CasADi, which takes fifty times as long
    given = value if isinstance(value, float) else one_expression(owner, what, value)
    if isinstance(given, ca.SX) and not given.is_constant():
        return given
    Range(owner, what, above, least, below, most, unit).refuse(float(given))
    return float(given)


def real(owner: str, what: str, value: object, **ends: Any) -> float:
    """Return a finite number in its range, as `number`; expressions are refused as well."""
    if not (isinstance(value, str) and ends.get("unit")):
        given = _alone(owner, what, value)
        if not given.is_constant():
            raise ModelError(f"{owner}: {what} is the expression {short(given)}; give a number")
        if math.isnan(float(given)):
            nan = f"nan {ends.get('unit', '')}".rstrip()
            raise ModelError(f"{owner}: {what} = {nan} is not a number; give a finite number")
    return float(number(owner, what, value, **ends))


def whole(owner: str, what: str, value: object, least: int) -> int:
    """Return a whole number, not below ``least``."""
    count = real(owner, what, value, least=least)
    if count != int(count):
        raise ModelError(f"{owner}: {what} = {value}: give a whole number")
    return int(count)


def scalar(owner: str, value: object, unit: str = "", display: str | None = None) -> float:
    """Return a number as a float, NaN and infinity included; ``owner`` says all of its name.

    A text with a unit is accepted if ``unit`` gives the unit of the number.
    """
    if isinstance(value, str) and unit:
        return value_in(owner, value, unit, display)
    if isinstance(value, Real) and not isinstance(value, bool):
        return as_float(owner, value)
    of, _, what = owner.rpartition(": ")
    given = _alone(of, what, value) if of else _alone(owner, "value", value)
    if not given.is_constant():
        raise ModelError(f"{owner}: {short(given)} is an expression; give a number")
    return float(given)


def _alone(owner: str, what: str, value: object) -> ca.SX:
    """Return one number, or a scalar expression where only numbers are taken, to be refused.

    Raises
    ------
    ModelError
        If it is something else; expressions are not proposed.
    """
    refuse_handle(owner, what, value)
    if isinstance(value, Real) and not isinstance(value, bool):
        return ca.SX(as_float(f"{owner}: {what}", value))
    try:
        given = matrix(owner, what, value)
    except ModelError:
        given = None
    if given is None or isinstance(value, bool | np.bool_):
        raise ModelError(f"{owner}: {what} = {short(value)}; give a number")
    if given.numel() != 1:
        raise ModelError(
            f"{owner}: {what} = {short(value)} has {given.numel()} components; give one number"
        )
    return dense(given)


def values(owner: str, given: object, records: Sequence[Any] = ()) -> dict[str, float]:
    """Return numbers by name, NaN and infinity included, from a mapping; empty for None.

    Texts with units are taken for those of ``records``, which have a name and a unit, and arrays
    for those that are elements of one.

    Raises
    ------
    ModelError
        If it is not a mapping of names to numbers; messages begin with ``owner``.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise ModelError(f"{owner}: {short(given)}; give values by name, as in {{'x': 0.1}}")
    if not given:
        return {}
    by_name = {record.name: record for record in records}
    found: dict[str, float] = {}
    for asked, one_or_all in given.items():
        with located(given, asked):
            each = values_by_element(f"{owner} {asked}", asked, one_or_all, by_name)
            for name, value in each:
                record = by_name.get(name)
                if record is None and isinstance(value, str) and by_name:
                    raise ModelError(f"{owner} {name}: {unknown('variable', name, by_name)}")
                if isinstance(given, ParameterSet) and record is not None:
                    given.check_type(owner, asked, type_of(record))
                if name in found:
                    raise ModelError(
                        f"{owner} {name} is given twice, once within an array; leave one out"
                    )
                units = () if record is None else (record.unit, record.display_unit)
                found[name] = scalar(f"{owner} {name}", value, *units)
    return found


def fields(owner: str, record: Any, **ends: dict[str, Any]) -> None:
    """Refuse a dataclass whose values are not numbers or expressions; ranges and units by field.

    Texts with units become numbers.
    """
    for field in dataclasses.fields(record):
        given = getattr(record, field.name)
        value = number(owner, field.name, given, **ends.get(field.name, {}))
        if isinstance(given, str):
            object.__setattr__(record, field.name, value)


def fields_in_units(owner: str, record: Any, **units: str) -> None:
    """Convert texts among the fields of a dataclass to numbers in these units."""
    for name, unit in units.items():
        given = getattr(record, name)
        if isinstance(given, str):
            object.__setattr__(record, name, in_unit(owner, name, given, unit))


def vector(
    owner: str,
    what: str,
    value: object,
    sizes: int | Sequence[int],
    example: str = "",
    unit: str = "",
) -> ca.SX:
    """Return numbers or expressions as a column, shape (n, 1).

    ``sizes`` are the numbers of components that it may have.

    Raises
    ------
    ModelError
        If it is not a sequence, has another number of components, or a component is not a finite
        number or scalar expression.
    """
    allowed = (sizes,) if isinstance(sizes, int) else tuple(sizes)
    asked = f"{' or '.join(map(str, allowed))} components" + (f", as in {example}" * bool(example))
    if isinstance(value, ca.SX | ca.DM | ca.MX | np.ndarray):
        flat = matrix(owner, what, value)
        parts: list[object] = ca.vertsplit(ca.vec(ca.densify(flat))) if flat.numel() else []
        if min(flat.shape) > 1:
            raise ModelError(f"{owner}: {what} has the shape {flat.shape}; give {asked}")
    elif isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        refuse_handle(owner, what, value)
        raise ModelError(f"{owner}: {what} = {value!r}: {asked} are needed; give a sequence")
    else:
        parts = list(value)
    if len(parts) not in allowed:
        raise ModelError(f"{owner}: {what} = {short(value)}: {asked} are needed, got {len(parts)}")
    column = [number(owner, f"{what}[{i}]", part, unit=unit) for i, part in enumerate(parts)]
    return dense(ca.vertcat(*map(symbolic, column)))


def numbers(owner: str, what: str, value: object, size: int, example: str = "") -> np.ndarray:
    """Return finite numbers, shape (size,); expressions are refused."""
    column = vector(owner, what, value, size, example)
    if not column.is_constant():
        raise ModelError(
            f"{owner}: {what} holds the expression {short(column)}; give {size} numbers"
        )
    return np.array(ca.DM(column).full())[:, 0]


def direction(owner: str, what: str, value: object, example: str = "(0, 0, 1)") -> np.ndarray:
    """Return three numbers that are not all zero; their length does not matter, shape (3,)."""
    given = numbers(owner, what, value, 3, example)
    if not given.any():
        raise ModelError(
            f"{owner}: the {what} {tuple(given.tolist())} has no direction; give one, as in "
            f"{example}"
        )
    return given


def warn_of_degrees(owner: str, what: str, value: Number) -> None:
    """Warn of an angle of more than one turn, which was probably meant in degrees."""
    if not isinstance(value, ca.SX) and abs(value) > 2 * math.pi:
        warn_user(
            f"{owner}: {what} = {value:.9g} rad is {value / 2 / math.pi:.3g} turns; angles are in "
            f"rad: if degrees are meant, write math.radians({value:.9g})"
        )
