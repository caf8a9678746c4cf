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
"""Numbers from which on they are bytes, which compilers read in a seventh of the time."""
_ROW = 4088
"""Bytes in a text: a multiple of a number's, within the 4,095 that each compiler of C takes."""
_BYTES = [
    chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}"
    for byte in range(256)
]
"""In texts of C; a question mark might begin a trigraph."""
_BEFORE_BYTES = """#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the bytes of tables are little-endian; build for such a processor"
#endif
#if defined(__clang__) /* texts fill their arrays, so that none ends with a zero */
#if __has_warning("-Wunterminated-string-initialization")
#pragma clang diagnostic ignored "-Wunterminated-string-initialization"
#endif
#elif defined(__GNUC__) && __GNUC__ >= 15
#pragma GCC diagnostic ignored "-Wunterminated-string-initialization"
#endif
"""


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

    Both follow from the same operations as in C, so that rounding is the same there; the last end
    is in the last interval, where rounding puts it.
    """
    count = _PER_END * len(ends)
    scale = count / float(ends[-1] - ends[0])
    if not 0 < scale < np.inf:
        return 0.0, np.array([0, len(ends)])
    place = ((ends - ends[0]) * scale).astype(int)
    return scale, np.searchsorted(place, np.arange(place[-1] + 2), side="left")


def _defined(of: Lookup) -> str:
    if of.corners:  # its argument is the place already
        row, first = _numbers(f"{of.name}_row", of.rows)
        return f"{row}\nconst mb_lookup {of.name} = {{0, {first}, 0, 0, 1, 0.0}};\n"
    scale, before = intervals(of.ends)
    name = of.name
    (end, first_end), (row, first_row) = (
        _numbers(f"{name}_{what}", numbers)
        for what, numbers in (("end", of.ends), ("row", of.rows))
    )
    arrays = [end, row, _array("int", f"{name}_before", [*map(str, before.tolist())])]
    sizes = f"{len(of.ends)}, {of.rows.shape[1]}, {scale!r}"
    whole = f"{{{first_end}, {first_row}, {name}_before, {sizes}}}"
    return "\n".join([*arrays, f"const mb_lookup {name} = {whole};", ""])


def _numbers(name: str, numbers: np.ndarray) -> tuple[str, str]:
    """Return the definition of an array of numbers, and what is its address."""
    if numbers.size <= _LONG:
        return _array("double", name, [*map(repr, numbers.ravel().tolist())]), name
    data = np.ascontiguousarray(numbers, "<f8").tobytes()
    data += bytes(-len(data) % _ROW)
    rows = (data[i : i + _ROW] for i in range(0, len(data), _ROW))
    body = ",\n".join('"' + "".join([_BYTES[byte] for byte in row]) + '"' for row in rows)
    sizes = f"char bytes[{len(data) // _ROW}][{_ROW}]; double numbers[{len(data) // 8}];"
    return (
        f"{_BEFORE_BYTES}static const union {{ {sizes} }} {name} = {{{{\n{body}\n}}}};",
        f"{name}.numbers",
    )


def _array(kind: str, name: str, items: Sequence[str]) -> str:
    lines = (",".join(items[i : i + _PER_LINE]) for i in range(0, len(items), _PER_LINE))
    body = ",\n".join(lines)
    return f"static const {kind} {name}[] = {{\n{body}\n}};"
