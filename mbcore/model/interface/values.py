"""Values that a user gives for parameters and inputs, checked by name and range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbcore.model import checks, near_names
from mbcore.model.arrays.elements import values_by_element
from mbcore.model.errors import ModelError
from mbcore.model.parameter_sets.parameter_set import ParameterSet, located
from mbcore.model.units.text_units import value_in
from mbcore.model.variables import Input, Parameter, Value, type_of


def checked_values(
    kind: str, records: Sequence[Parameter] | Sequence[Input], given: Mapping[str, Value] | None
) -> np.ndarray:
    """Return the values of parameters or inputs: those given, and start values for the others.

    A text is a value with its unit, or the name of an item of an enumeration. An input may be
    outside its range, see `mbcore.model.limits`.

    Raises
    ------
    ModelError
        If a name is unknown or given twice, a value is not finite, or a parameter's is outside its
        range.
    """
    values = {r.name: float(getattr(r, "value", getattr(r, "start", 0.0))) for r in records}
    by_name = {r.name: r for r in records}
    if given is not None and not isinstance(given, Mapping):
        first = next(iter(values), "k")
        raise ModelError(f"{kind}s = {given!r}; give values by name, as in {{{first!r}: 1.0}}")
    by: dict[str, str] = {}
    for asked, one_or_all in (given or {}).items():
        with located(given, asked):
            for name, value in values_by_element(f"{kind} {asked}", asked, one_or_all, values):
                if name not in values:
                    raise ModelError(near_names.unknown(kind, name, values))
                if name in by:
                    raise ModelError(
                        f"{kind} {name} is given twice, by {by[name]!r} and by {asked!r}; leave "
                        "one of them out"
                    )
                by[name] = asked
                record = by_name[name]
                if isinstance(given, ParameterSet):
                    items = [item.name for item in getattr(record, "items", ())]
                    given.check_type(kind, asked, type_of(record), items)
                values[name] = checked_value(kind, record, value)
    return np.array(list(values.values()))


def checked_value(kind: str, record: Parameter | Input, value: Value) -> float:
    """Return a value of a parameter or input as a number in its range.

    Raises
    ------
    ModelError
        It is of another type, not finite, or out of the range of a parameter or a choice.
    """
    name, items, type = record.name, record.items, type_of(record)
    bounded = isinstance(record, Parameter)
    low = record.minimum if bounded and record.minimum is not None else -np.inf
    high = record.maximum if bounded and record.maximum is not None else np.inf
    low, high = (1.0, float(len(items))) if items else (low, high)
    strict = getattr(record, "positive", False)
    if type == "boolean":
        return truth(f"{kind} {name}", value)
    if isinstance(value, str):
        value = _from_text(kind, record, value)
    if isinstance(value, int) and not isinstance(value, bool):
        value = checks.scalar(f"{kind} {name}", value)
    known = ", ".join(f"{i} for {item.name}" for i, item in enumerate(items, start=1))
    if not isinstance(value, (float, np.number)):
        raise ModelError(f"{kind} {name} = {value!r}: give {known or 'a number'}")
    if type != "real" and np.isfinite(value) and value != int(value):
        what = "an item's number" if items else "a whole number"
        raise ModelError(f"{kind} {name} = {value}: must be {what}")
    if items and value in range(1, len(items) + 1) and not items[int(value) - 1].available:
        raise ModelError(
            f"{kind} {name} = {items[int(value) - 1].name}: this item is not available yet"
        )
    if not np.isfinite(value) or not low <= value <= high or (strict and value <= 0):
        raise ModelError(
            f"{kind} {name} = {value}: must be a finite number{_range(low, high, strict)}"
            f"{f': {known}' if known else ''}"
        )
    return float(value)


def with_value(given: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Return values with another one for a name, within the array that has it where one does."""
    whole, _, place = name.rpartition("[")
    if name in given or whole not in given or not np.ndim(given[whole]):
        return {**given, name: value}
    values = np.array(given[whole], dtype=object)
    values[tuple(int(i) - 1 for i in place.removesuffix("]").split(","))] = value
    return {**given, whole: values.tolist()}


def truth(owner: str, value: object) -> float:
    """Return 1 for true and 0 for false.

    Raises
    ------
    ModelError
        It is neither.
    """
    said = value.strip().lower() if isinstance(value, str) else value
    if said in ("true", "false"):
        return float(said == "true")
    said = said.item() if isinstance(said, np.generic) else said
    if not isinstance(said, bool | int | float) or said not in (0, 1):
        raise ModelError(f"{owner} = {said!r}: give true or false")
    return float(said)


def _from_text(kind: str, record: Parameter | Input, text: str) -> float:
    """Return the value of a text: an item's number, or a number with its unit."""
    items = [item.name for item in getattr(record, "items", ())]
    if not items and type_of(record) == "integer":
        raise ModelError(f"{kind} {record.name} = {text!r}: give a whole number")
    if not items:
        return value_in(f"{kind} {record.name}", text, record.unit, record.display_unit)
    if text not in items:
        raise ModelError(f"{kind} {record.name} = {text!r}: give one of {', '.join(items)}")
    return items.index(text) + 1


def _range(low: float, high: float, strict: bool) -> str:
    """Return a range in words, with the ends that it has."""
    if strict:
        return " > 0" if high == np.inf else f" > 0 and at most {high:g}"
    if low == -np.inf:
        return "" if high == np.inf else f" of at most {high:g}"
    return f" of at least {low:g}" if high == np.inf else f" from {low:g} to {high:g}"
