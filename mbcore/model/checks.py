"""Checks of user input, in one place: an error names the thing, its value and the remedy.

Elements and models call them where values come in. ``owner`` begins each message (``"wheel w"``)
and ``what`` names the argument. An expression is allowed wherever a number is; if it depends on
parameters, a `Check` stores its condition until `refuse_at_start` can evaluate it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from operator import is_
from typing import Any

import casadi as ca
import numpy as np

from mbcore.model.arrays.elements import values_by_element
from mbcore.model.errors import ModelError, warn_user
from mbcore.model.expressions import dense, symbolic
from mbcore.model.parameter_sets.parameter_set import ParameterSet, located
from mbcore.model.ranges import NOT_A_NUMBER, Range, holds_nan
from mbcore.model.units.text_units import value_in
from mbcore.model.variables import Number, type_of
from mbcore.model.wording import MOST_OF_EXPRESSION, article, shortened


@dataclass(frozen=True)
class Check:
    """A condition on an expression of parameters; ``refuse`` gets its value in its own shape.

    If it is a ``range``, parameters that are set later must meet it as well.
    """

    expression: ca.SX
    refuse: Callable[[np.ndarray], None]
    range: Range | None = None


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
    given = value if isinstance(value, float) else _scalar(owner, what, value)
    if isinstance(given, ca.SX) and not given.is_constant():
        return given
    Range(owner, what, above, least, below, most, unit).refuse(float(given))
    return float(given)


def real(owner: str, what: str, value: object, **ends: Any) -> float:
    """Return a finite number in its range, as `number`; expressions are refused as well."""
    if not (isinstance(value, str) and ends.get("unit")):
        given = _alone(owner, what, value)
        if not given.is_constant():
            raise ModelError(f"{owner}: {what} is the expression {_short(given)}; give a number")
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

    A text with a unit is taken where ``unit`` says what the number is in.
    """
    if isinstance(value, str) and unit:
        return value_in(owner, value, unit, display)
    if isinstance(value, Real) and not isinstance(value, bool):
        return _float(owner, value)
    given = _alone(owner, "value", value)
    if not given.is_constant():
        raise ModelError(f"{owner}: {_short(given)} is an expression; give a number")
    return float(given)


def _alone(owner: str, what: str, value: object) -> ca.SX:
    """Return one number, or a scalar expression where only numbers are taken, to be refused.

    Raises
    ------
    ModelError
        If it is something else; expressions are not proposed.
    """
    _refuse_handle(owner, what, value)
    if isinstance(value, Real) and not isinstance(value, bool):
        return ca.SX(_float(f"{owner}: {what}", value))
    try:
        given = matrix(owner, what, value)
    except ModelError:
        given = None
    if given is None or isinstance(value, bool | np.bool_):
        raise ModelError(f"{owner}: {what} = {_short(value)}; give a number")
    if given.numel() != 1:
        raise ModelError(f"{owner}: {what} has {given.numel()} components; give one number")
    return dense(given)


def _float(owner: str, value: Any) -> float:
    """Return a number as a float; ``owner`` says what it is of.

    Raises
    ------
    ModelError
        If it is too large for a float.
    """
    try:
        return float(value)
    except OverflowError:
        # Only an int can be too large for a float, and printing all its digits would take long.
        size = math.log10(abs(int(value)))
        raise ModelError(
            f"{owner} is about {'-' * (value < 0)}1e{size:.0f}, too large for a number; the limit "
            "is 1.8e308"
        ) from None


def names(owner: str, what: str, given: object, example: str = "x") -> tuple[str, ...]:
    """Return names that are given as a list.

    Raises
    ------
    ModelError
        If it is anything else, a single text too.
    """
    argument = f"{owner}: {what} = {_short(given)}" if owner else f"{what} = {_short(given)}"
    if isinstance(given, str):
        raise ModelError(f"{argument}; give a list, [{given!r}]")
    if not isinstance(given, Iterable) or isinstance(given, ca.SX | ca.DM | ca.MX):
        raise ModelError(f"{argument}; give a list of names, as in [{example!r}]")
    found = tuple(given)
    for name in found:
        if not isinstance(name, str):
            raise ModelError(
                f"{argument}: {_short(name)} is no name; give texts, as in [{example!r}]"
            )
    return found


def values(owner: str, given: object, records: Sequence[Any] = ()) -> dict[str, float]:
    """Return numbers by name, NaN and infinity included, from a mapping; empty for None.

    Texts with units are taken for those of ``records``, which have a name and a unit, and arrays
    for those that are elements of one.

    Raises
    ------
    ModelError
        If it is no mapping of names to numbers; ``owner`` says what they are of.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise ModelError(f"{owner}: {_short(given)}; give values by name, as in {{'x': 0.1}}")
    if not given:
        return {}
    by_name = {record.name: record for record in records}
    found: dict[str, float] = {}
    for asked, one_or_all in given.items():
        with located(given, asked):
            each = values_by_element(f"{owner} {asked}", asked, one_or_all, by_name)
            for name, value in each:
                record = by_name.get(name)
                if isinstance(given, ParameterSet) and record is not None:
                    given.check_type(owner, asked, type_of(record))
                if name in found:
                    raise ModelError(
                        f"{owner} {name} is given twice, once within an array; leave one out"
                    )
                units = () if record is None else (record.unit, record.display_unit)
                found[name] = scalar(f"{owner} {name}", value, *units)
    return found


def in_unit(owner: str, what: str, value: Any, unit: str) -> Any:
    """Return texts with their units as numbers in ``unit``, in sequences too; all else itself.

    Without a ``unit`` texts are returned as they are.

    Raises
    ------
    ModelError
        If a text has another unit, or none.
    """
    if not unit:
        return value
    if isinstance(value, str):
        return value_in(f"{owner}: {what}", value, unit)
    if isinstance(value, list | tuple):
        parts = [in_unit(owner, f"{what}[{i}]", part, unit) for i, part in enumerate(value)]
        return value if all(map(is_, value, parts)) else parts
    return value


def expression(owner: str, what: str, value: object, unit: str = "") -> ca.SX:
    """Return a scalar expression or number as an SX; a text with its unit where one is given.

    Raises
    ------
    ModelError
        If it is a vector, a handle, a text or anything else, or holds NaN.
    """
    given = _scalar(owner, what, in_unit(owner, what, value, unit))
    if given.is_constant() and math.isnan(float(given)):
        raise ModelError(f"{owner}: {what} = nan {NOT_A_NUMBER}")
    return given


def _scalar(owner: str, what: str, value: object) -> ca.SX:
    given = matrix(owner, what, value)
    if given.numel() != 1:
        raise ModelError(
            f"{owner}: {what} has {given.numel()} components; give one number or scalar "
            "expression at a time"
        )
    return dense(given)


def fields(owner: str, record: Any, **ends: dict[str, Any]) -> None:
    """Refuse a dataclass whose values are no numbers or expressions; ranges and units by field.

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


def matrix(owner: str, what: str, value: object, unit: str = "") -> ca.SX:
    """Return numbers and expressions in any shape, rows as sequences of a sequence, as an SX.

    Texts with their units are taken where a ``unit`` is given.

    Raises
    ------
    ModelError
        If it is anything else, or holds NaN.
    """
    if isinstance(value, bool | np.bool_ | Real):
        return ca.SX(_float(f"{owner}: {what}", value))
    _refuse_handle(owner, what, value)
    value = in_unit(owner, what, value, unit)
    try:
        if isinstance(value, str | bytes | None):
            raise TypeError
        if isinstance(value, ca.SX):
            given = value
        elif isinstance(value, list | tuple):
            rows = [ca.horzcat(*row) if isinstance(row, list | tuple) else row for row in value]
            given = symbolic(ca.vertcat(*rows))
        else:
            given = ca.SX(value)
    except (TypeError, ValueError, NotImplementedError, RuntimeError, OverflowError):
        raise ModelError(
            f"{owner}: {what} = {_short(value)}; give a number, or an expression of the model's "
            "symbols (casadi.SX)"
        ) from None
    if holds_nan(given):
        raise ModelError(f"{owner}: {what} = {_short(given)} {NOT_A_NUMBER}")
    return given


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
        If it is no sequence, has another number of components, or a component is no finite number
        or scalar expression.
    """
    allowed = (sizes,) if isinstance(sizes, int) else tuple(sizes)
    asked = f"{' or '.join(map(str, allowed))} components" + (f", as in {example}" * bool(example))
    if isinstance(value, ca.SX | ca.DM | ca.MX | np.ndarray):
        flat = matrix(owner, what, value)
        parts: list[object] = ca.vertsplit(ca.vec(ca.densify(flat))) if flat.numel() else []
        if min(flat.shape) > 1:
            raise ModelError(f"{owner}: {what} has the shape {flat.shape}; give {asked}")
    elif isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        _refuse_handle(owner, what, value)
        raise ModelError(f"{owner}: {what} = {value!r}: {asked} are needed; give a sequence")
    else:
        parts = list(value)
    if len(parts) not in allowed:
        raise ModelError(f"{owner}: {what} = {_short(value)}: {asked} are needed, got {len(parts)}")
    column = [number(owner, f"{what}[{i}]", part, unit=unit) for i, part in enumerate(parts)]
    return dense(ca.vertcat(*map(symbolic, column)))


def numbers(owner: str, what: str, value: object, size: int, example: str = "") -> np.ndarray:
    """Return finite numbers, shape (size,); expressions are refused."""
    column = vector(owner, what, value, size, example)
    if not column.is_constant():
        raise ModelError(
            f"{owner}: {what} holds the expression {_short(column)}; give {size} numbers"
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


def choice(owner: str, what: str, value: object, items: Sequence[str]) -> str:
    """Return a text that is one of ``items``."""
    if not isinstance(value, str) or value not in items:
        listed = ", ".join(f'"{item}"' for item in items)
        raise ModelError(f"{owner}: {what} = {value!r} is unknown; give one of {listed}")
    return value


def text(kind: str, value: object) -> str:
    """Return a name, a text without spaces around it."""
    if not isinstance(value, str) or not value or value != value.strip():
        raise ModelError(f"{article(kind)} needs a name without spaces around it, got {value!r}")
    if not value.isprintable():
        raise ModelError(
            f"the name {value!r} of {article(kind)} has a character that cannot be printed"
        )
    return value


def refuse_at_start(checks: Sequence[Check], symbols: ca.SX, values: Sequence[float]) -> None:
    """Make the checks at the start values of the parameters that they depend on.

    Parameters
    ----------
    checks : sequence of Check
        Those that depend on anything but ``symbols`` are skipped.
    symbols : SX
        The parameters.
    values : sequence of float
        Their start values.

    Raises
    ------
    ModelError
        What a check says.
    """
    known = {symbol.element_hash() for symbol in ca.symvar(symbols)}
    found = [c for c in checks if all(s.element_hash() in known for s in ca.symvar(c.expression))]
    if not found:
        return
    # One function for all checks, because making functions is what takes time.
    evaluate = ca.Function("checks", [symbols], [ca.densify(c.expression) for c in found])
    for check, value in zip(found, evaluate.call([ca.DM(list(values))]), strict=True):
        try:
            check.refuse(np.array(value.full()))
        except ModelError as error:
            raise ModelError(f"{error} (parameters at their start values)") from None


def warn_of_degrees(owner: str, what: str, value: Number) -> None:
    """Warn of an angle of more than one turn, which was probably meant in degrees."""
    if not isinstance(value, ca.SX) and abs(value) > 2 * math.pi:
        warn_user(
            f"{owner}: {what} = {value:.9g} rad is {value / 2 / math.pi:.3g} turns; angles are in "
            f"rad: if degrees are meant, write math.radians({value:.9g})"
        )


def _refuse_handle(owner: str, what: str, value: object) -> None:
    """Refuse a node, deformation or slip in the place of an expression of it."""
    # Nodes and quantities cannot be imported here: their rooms import this module.
    name = getattr(value, "name", None)
    if callable(value) and hasattr(value, "beyond"):  # a table, whose room imports this module
        raise ModelError(f"{owner}: {what} is {value!r}; call it with an expression, table(x)")
    for attribute in ("position", "value", "velocity"):
        if isinstance(name, str) and isinstance(getattr(value, attribute, None), ca.SX):
            remedy = f"write {name}.{attribute}"
            if attribute == "position":
                remedy += f", or {name}.x.value for a component"
            raise ModelError(f"{owner}: {what} is {value!r}, no expression; {remedy}")


def _short(value: object) -> str:
    text = str(value) if isinstance(value, ca.SX | ca.DM) else repr(value)
    return shortened(text, MOST_OF_EXPRESSION)
