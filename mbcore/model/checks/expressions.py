"""Expressions that users give, or numbers in their place: one, a matrix or a vector."""

from __future__ import annotations

import math
from numbers import Real
from operator import is_
from typing import Any

import casadi as ca
import numpy as np

from mbcore.model.checks.ranges import NOT_A_NUMBER, holds_nan
from mbcore.model.errors import ModelError
from mbcore.model.expressions import dense, symbolic
from mbcore.model.units.text_units import value_in
from mbcore.model.wording import MOST_OF_EXPRESSION, shortened


def expression(
    owner: str, what: str, value: object, unit: str = "", *, truth: bool = False
) -> ca.SX:
    """Return a scalar expression or number as an SX; a text with its unit where one is given.

    True and False are taken where ``truth`` says so: for conditions.

    Raises
    ------
    ModelError
        If it is a vector, a handle, a text or anything else, or holds NaN.
    """
    if isinstance(value, bool | np.bool_) and not truth:
        raise ModelError(f"{owner}: {what} = {value!r}; give a number or an expression")
    given = one_expression(owner, what, in_unit(owner, what, value, unit))
    if given.is_constant() and math.isnan(float(given)):
        raise ModelError(f"{owner}: {what} = nan {NOT_A_NUMBER}")
    return given


def one_expression(owner: str, what: str, value: object) -> ca.SX:
    """Return a scalar expression or number as an SX, NaN included."""
    given = matrix(owner, what, value)
    if given.numel() != 1:
        raise ModelError(
            f"{owner}: {what} = {short(value)} has {given.numel()} components; give one number or "
            "scalar expression"
        )
    return dense(given)


def matrix(owner: str, what: str, value: object, unit: str = "") -> ca.SX:
    """Return numbers and expressions in any shape, rows as sequences of a sequence, as an SX.

    Texts with their units are taken where a ``unit`` is given.

    Raises
    ------
    ModelError
        If it is anything else, or holds NaN.
    """
    if isinstance(value, bool | np.bool_ | Real):
        return ca.SX(as_float(f"{owner}: {what}", value))
    refuse_handle(owner, what, value)
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
            f"{owner}: {what} = {short(value)}; give a number, or an expression of the model's "
            "symbols (casadi.SX)"
        ) from None
    if holds_nan(given):
        raise ModelError(f"{owner}: {what} = {short(given)} {NOT_A_NUMBER}")
    return given


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


def as_float(owner: str, value: Any) -> float:
    """Return a number as a float; messages begin with ``owner``.

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


def refuse_handle(owner: str, what: str, value: object) -> None:
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


def short(value: object) -> str:
    """Return a given value as text for a message."""
    text = str(value) if isinstance(value, ca.SX | ca.DM) else repr(value)
    return shortened(text, MOST_OF_EXPRESSION)
