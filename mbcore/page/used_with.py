"""Inputs that act only where an enumeration has a value, checked and told to the page.

Used by `mbcore.page.write` alone, of whose settings it alone knows enumerations.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from mbcore.codegen.rows import Table
from mbcore.page.known import refuse_unknown


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
        refuse_unknown("used_with names", name, inputs, "an input")
        refuse_unknown("used_with names", enumeration, lists, "an enumeration that the model uses")
        refuse_unknown("used_with names", value, lists[enumeration], f"one of {enumeration}")
        number = lists[enumeration].index(value) + 1
        found[name] = {"list": enumeration, "number": number, "value": value}
    return found
