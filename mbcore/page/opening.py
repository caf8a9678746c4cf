"""Values with which a page opens, as the link that says the same.

Used by `mbcore.page.write` alone, of whose settings it alone knows variables and their items.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import quote

from mbcore.codegen.rows import Row, Table
from mbcore.model.errors import ModelError
from mbcore.page.known import refuse_unknown


def opening(values: Mapping[str, float | str], rows: Table, unused: Collection[str] = ()) -> str:
    """Return the end of an address that chooses values, empty without any.

    Parameters
    ----------
    values : mapping of str to float or str
        By name, in their units; items of enumerations by name.
    rows : Table
        The component's.
    unused : collection of str
        Variables that nothing uses, which pages leave out.

    Raises
    ------
    ModelError
        A name is not that of a variable that can be set, or a value is none of it.
    """
    known = {r.name: r for r in rows.rows if r.start is not None and r.name not in unused}
    parts = []
    for name, value in values.items():
        refuse_unknown("opening sets", name, known, "a variable with a slider")
        parts.append(f"{quote(name, safe='')}={_number(known[name], value)}")
    return "#" + "&".join(parts) if parts else ""


def _number(row: Row, value: float | str) -> float:
    if not isinstance(value, str):
        return value
    if not row.items:
        raise ModelError(f"page: opening sets {row.name!r} to {value!r}; give a number")
    names = [item.name for item in row.items]
    refuse_unknown(f"opening sets {row.name} to", value, names, f"one of {row.name}")
    return names.index(value) + 1
