"""Inputs that act only where an enumeration has a value, checked and told to the page.

Used by `mbcore.page.write` alone, of whose settings it alone knows enumerations.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from mbcore.codegen.rows import Table
from mbcore.model.errors import ModelError


def used_with(
    conditions: Mapping[str, tuple[str, str]], rows: Table, unused: Collection[str] = ()
) -> dict[str, dict[str, Any]]:
    """Return by input the enumeration, the number of its item from 1, and the item's name.

    Parameters
    ----------
    unused : collection of str
        Variables that nothing uses, which pages leave out.

    Raises
    ------
    ModelError
        A name is not that of an input, of an enumeration that is used, or of one of its items.
    """
    inputs = {row.name for row in rows.of("input")}
    used = [row for row in rows.rows if row.items and row.name not in unused]
    lists = {row.name: [item.name for item in row.items] for row in used}
    found = {}
    for name, (enumeration, value) in conditions.items():
        _check(name, inputs, "an input")
        _check(enumeration, lists, "an enumeration that the model uses")
        _check(value, lists[enumeration], f"one of {enumeration}")
        number = lists[enumeration].index(value) + 1
        found[name] = {"list": enumeration, "number": number, "value": value}
    return found


def _check(name: str, known: Any, role: str) -> None:
    if name not in known:
        some = ", ".join(sorted(known)[:20]) or "none"
        raise ModelError(f"page: used_with names {name!r}, which is not {role}; there are {some}")
