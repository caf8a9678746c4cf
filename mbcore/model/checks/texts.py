"""Texts that users give: a name, names in a list, one of several words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import casadi as ca

from mbcore.model.checks.expressions import short
from mbcore.model.errors import ModelError
from mbcore.model.wording import article


def text(kind: str, value: object) -> str:
    """Return a name, a text without spaces around it."""
    if not isinstance(value, str) or not value or value != value.strip():
        raise ModelError(f"{article(kind)} needs a name without spaces around it, got {value!r}")
    if not value.isprintable():
        raise ModelError(
            f"the name {value!r} of {article(kind)} has a character that cannot be printed"
        )
    return value


def names(owner: str, what: str, given: object, example: str = "x") -> tuple[str, ...]:
    """Return names that are given as a list.

    Raises
    ------
    ModelError
        If it is anything else, a single text too.
    """
    argument = f"{owner}: {what} = {short(given)}" if owner else f"{what} = {short(given)}"
    if isinstance(given, str):
        raise ModelError(f"{argument}; give a list, [{given!r}]")
    if not isinstance(given, Iterable) or isinstance(given, ca.SX | ca.DM | ca.MX):
        raise ModelError(f"{argument}; give a list of names, as in [{example!r}]")
    found = tuple(given)
    for name in found:
        if not isinstance(name, str):
            raise ModelError(
                f"{argument}: {short(name)} is not a name; give texts, as in [{example!r}]"
            )
    return found


def choice(owner: str, what: str, value: object, items: Sequence[str]) -> str:
    """Return a text that is one of ``items``."""
    if not isinstance(value, str) or value not in items:
        listed = ", ".join(f'"{item}"' for item in items)
        raise ModelError(f"{owner}: {what} = {value!r} is unknown; give one of {listed}")
    return value
