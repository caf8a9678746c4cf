"""Lookups of a program as data in C; see ``mb_lookup.h``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbcore.model.tables.lookup import Lookup

HEADER = '#include "mb_lookup.h"'
_PER_END = 2
"""Intervals for each end."""
_PER_LINE = 8
_LONG = 10_000
"""Numbers from which on they are hexadecimal, which compilers read in two thirds of the time."""


def declarations(lookups: Sequence[Lookup]) -> str:
    """Return what functions in another text need; an empty text without lookups."""
    if not lookups:
        return ""
    return "\n".join([HEADER, *(f"extern const mb_lookup {of.name};" for of in lookups), ""])


def definitions(lookups: Sequence[Lookup]) -> str:
    """Return the data of lookups, with names that other texts know."""
    return "\n".join([declarations(lookups), *map(_defined, lookups)]) if lookups else ""


def intervals(ends: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the scale of equal intervals, and how many ends are before each of them.

    Both follow from the same operations as in C, so that rounding is the same there.
    """
    count = _PER_END * len(ends)
    scale = count / float(ends[-1] - ends[0])
    if not 0 < scale < np.inf:
        return 0.0, np.array([0, len(ends)])
    place = np.minimum(((ends - ends[0]) * scale).astype(int), count - 1)
    return scale, np.searchsorted(place, np.arange(count + 1), side="left")


def _defined(of: Lookup) -> str:
    if of.corners:  # its argument is the place already
        row = _numbers(f"{of.name}_row", of.rows)
        return f"{row}\nconst mb_lookup {of.name} = {{0, {of.name}_row, 0, 0, 1, 0, 0.0}};\n"
    scale, before = intervals(of.ends)
    name = of.name
    arrays = [
        _numbers(f"{name}_end", of.ends),
        _numbers(f"{name}_row", of.rows),
        _array("int", f"{name}_before", [*map(str, before.tolist())]),
    ]
    sizes = f"{len(of.ends)}, {of.rows.shape[1]}, {len(before) - 1}, {scale!r}"
    whole = f"{{{name}_end, {name}_row, {name}_before, {sizes}}}"
    return "\n".join([*arrays, f"const mb_lookup {name} = {whole};", ""])


def _numbers(name: str, numbers: np.ndarray) -> str:
    written = float.hex if numbers.size > _LONG else repr
    return _array("double", name, [*map(written, numbers.ravel().tolist())])


def _array(kind: str, name: str, items: Sequence[str]) -> str:
    lines = (",".join(items[i : i + _PER_LINE]) for i in range(0, len(items), _PER_LINE))
    body = ",\n".join(lines)
    return f"static const {kind} {name}[] = {{\n{body}\n}};"
