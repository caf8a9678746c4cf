"""Types of variables that users give: truth values, whole numbers, choices among items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, get_args

import casadi as ca
import numpy as np

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.units.text_units import is_value, plain_number
from mbcore.model.units.units import Units
from mbcore.model.variables import Input, Item, Kind, Number, Parameter, type_of
from mbcore.model.wording import count

LARGEST_INTEGER = 2**31 - 1
"""Integers of FMI 2 have 32 bits, and so have all of ours."""


def kind_of(owner: str, value: object, asked: Kind | None, unit: str) -> Kind:
    """Return the type of a variable from its start value, or as it is asked for.

    Raises
    ------
    ModelError
        The value is of another type, or a unit goes with one that has none.
    """
    truth = isinstance(value, bool | np.bool_)
    if asked is not None:
        checks.choice(owner, "kind", asked, get_args(Kind))
    kind: Kind = asked or ("boolean" if truth else "real")
    if truth != (kind == "boolean"):
        remedy = "give True or False" if kind == "boolean" else "give a number"
        raise ModelError(f"{owner} = {value!r}, of the kind {kind}; {remedy}")
    if kind != "real" and unit != "1":
        remedy = f"one that is {kind} has no unit: leave it out"
        if asked is None:
            remedy += ", or give a number"
        raise ModelError(f"{owner} = {value!r}: unit = {unit!r}; {remedy}")
    if isinstance(value, str) and not (is_value(value) or plain_number(owner, value) is not None):
        raise ModelError(
            f"{owner} = {value!r} is a text, but variables are numbers; for a choice among texts "
            f"use model.enumeration(name, ({value!r}, ...)), for a quantity a number with its unit"
        )
    return kind


def start_of(owner: str, value: Any, kind: Kind, units: Units) -> float:
    """Return a start value as a number in the variable's unit.

    Raises
    ------
    ModelError
        It is of another type or unit.
    """
    if kind == "boolean":
        return float(value)
    number = checks.scalar(owner, value, units.si, units.display)
    if kind == "integer" and not float(number).is_integer():
        raise ModelError(f"{owner} = {value!r}, of the kind integer; give a whole number")
    if kind == "integer" and abs(number) > LARGEST_INTEGER:
        raise ModelError(
            f"{owner} = {value!r}: integers have 32 bits, in FMUs too; give one from "
            f"-{LARGEST_INTEGER} to {LARGEST_INTEGER}, or a real number by leaving kind out"
        )
    return number


def refuse_other_kind(owner: str, value: float, kind: Kind, items: int) -> None:
    """Refuse a constant that is no value of its kind, or no number of an item.

    Raises
    ------
    ModelError
        It says which values there are.
    """
    if items and value not in range(1, items + 1):
        raise ModelError(f"{owner} = {value:g} is not the number of an item; give 1 to {items}")
    if kind == "boolean" and value not in (0, 1):
        raise ModelError(f"{owner} = {value:g}, of the kind boolean; give 0 or 1, or a comparison")
    if kind == "integer" and not value.is_integer():
        raise ModelError(f"{owner} = {value:g}, of the kind integer; give a whole number")


def items_of(owner: str, items: object) -> tuple[Item, ...]:
    """Return the items of a choice.

    Raises
    ------
    ModelError
        There are none, something is not a name, or two have the same.
    """
    if (
        not isinstance(items, list | tuple)
        or not items
        or not all(isinstance(i, Item | str) for i in items)
    ):
        raise ModelError(f"{owner}: items = {items!r}; give names, as in ['a', 'b']")
    records = tuple(i if isinstance(i, Item) else Item(i) for i in items)
    names = [record.name for record in records]
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f"{owner}: two items are called {name!r}; names must differ")
    return records


def chosen(owner: str, items: Sequence[Item], start: object) -> float:
    """Return the number of the item with which a choice starts.

    Raises
    ------
    ModelError
        No item is called so.
    """
    if isinstance(start, str):
        names = [item.name for item in items]
        if start not in names:
            raise ModelError(f"{owner} = {start!r}: give one of {', '.join(names)}")
        return float(names.index(start) + 1)
    return checks.scalar(owner, start)


def select(known: Iterable[Parameter | Input], choice: Number, values: tuple[Number, ...]) -> ca.SX:
    """Return the one of the values with the number ``choice``, counted from 1.

    Parameters
    ----------
    known : iterable of Parameter or Input
        All of the model, among which the choice may be.
    choice : SX or float
    values : tuple of SX or float

    Raises
    ------
    ModelError
        There is no value, there are more or fewer than items, or the choice is Boolean or a
        constant that is no value's number.
    """
    if not values:
        raise ModelError("select: there is nothing to choose from; give one choice or more")
    number = checks.expression("select", "number", choice)
    for record in known:
        if ca.is_equal(record.symbol, number):
            _check_record(record, len(values))
    if number.is_constant() and float(number) not in range(1, len(values) + 1):
        raise ModelError(
            f"select: number = {float(number):g} with {count(len(values), 'value')}; give the "
            "symbol of an enumeration, or a number counted from 1"
        )
    given = [
        checks.expression("select", f"choice {i}", c, truth=True)
        for i, c in enumerate(values, start=1)
    ]
    result = given[-1]
    for i in range(len(given) - 1, 0, -1):
        result = ca.if_else(ca.eq(number, i), given[i - 1], result)
    return result


def _check_record(record: Parameter | Input, values: int) -> None:
    if type_of(record) == "boolean":
        raise ModelError(
            f"select: {record.name} is true or false and has no items; use "
            "casadi.if_else(symbol, value_if_true, value_if_false)"
        )
    if record.items and len(record.items) != values:
        names = ", ".join(item.name for item in record.items)
        raise ModelError(
            f"select: {count(values, 'value')} for the {count(len(record.items), 'item')} of "
            f"{record.name}, {names}; give one for each item"
        )
