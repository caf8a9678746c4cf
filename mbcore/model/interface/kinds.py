"""Types of variables that users give: truth values, whole numbers, choices among items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.units.text_units import is_value, plain_number
from mbcore.model.units.units import Units
from mbcore.model.variables import Item, Kind, Value

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
        raise ModelError(f"{owner}: unit = {unit!r}; one that is {kind} has no unit: leave it out")
    if isinstance(value, str) and not (is_value(value) or plain_number(owner, value) is not None):
        raise ModelError(
            f"{owner} = {value!r} is a text, but variables are numbers; for a choice among texts "
            f"use model.enumeration(name, ({value!r}, ...)), for a quantity a number with its unit"
        )
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim):
        raise ModelError(
            f"{owner} = {value!r} is a vector, but variables are scalars; give each element a "
            "name, as in 'x[1]'"
        )
    return kind


def start_of(owner: str, value: Value, kind: Kind, units: Units) -> float:
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


def items_of(owner: str, items: object) -> tuple[Item, ...]:
    """Return the items of a choice.

    Raises
    ------
    ModelError
        There are none, or something is no name.
    """
    if (
        not isinstance(items, list | tuple)
        or not items
        or not all(isinstance(i, Item | str) for i in items)
    ):
        raise ModelError(f"{owner}: items = {items!r}; give names, as in ['a', 'b']")
    return tuple(i if isinstance(i, Item) else Item(i) for i in items)


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
