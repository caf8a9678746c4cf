"""Columns of numbers, or a grid of them, from a CSV file, with the units that its header has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mbcore.model.errors import ModelError
from mbcore.model.near_names import unknown
from mbcore.model.tables.text_table import NUMBER, UNITS, TextTable, read_text_table
from mbcore.model.units.units import parse
from mbcore.model.wording import formatted


class Column(NamedTuple):
    """A column's name, its unit, empty where the header has none, and its numbers."""

    name: str
    unit: str
    values: np.ndarray


class Grid(NamedTuple):
    """Numbers at the left, above, and between these."""

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray


def read_columns(path: str | Path, wanted: Sequence[str | None]) -> list[Column]:
    """Return columns by their names, None being the one at this place; the first one rises.

    Raises
    ------
    ModelError
        A column or its unit is unknown, a cell holds no finite number, or the first column does not
        rise; names file and line.
    OSError
        The file cannot be read.
    """
    example = "'travel [mm],force [N]' over rows as '0.5,120'"
    read = _with_rows(path, example)
    if all(NUMBER.fullmatch(cell) for cell in read.header):
        line = read.marks.line(read.header)
        raise ModelError(
            f"{path}: its first line, {line!r}, holds numbers alone; begin with a header, as in "
            f"{example}"
        )
    found = []
    rows = [(n, read.values(row, f"{path}, line {n}")) for n, row in read.rows]
    for i, name in enumerate(wanted):
        place = _place(read, name, i)
        _refuse_bare_quotient(read.path, read.header[place])
        own, unit = _parted(read.header[place])
        _refuse_unit(path, read.header[place], own, unit)
        values = [_number(read, own, n, row[place]) for n, row in rows]
        found.append(Column(own, unit, np.array(values)))
    _refuse_order(read, found[0].name, found[0].values)
    return found


def read_grid(path: str | Path) -> Grid:
    """Return a grid: y are in the first line from its second cell on, x begin the other lines.

    Raises
    ------
    ModelError, OSError
        As `read_columns`.
    """
    read = _with_rows(path, "'x \\\\ y,0,0.5,1' over rows as '1000,0,12,20'")
    y = [_number(read, "y", 1, cell) for cell in read.header[1:]]
    rows = [(n, read.values(row, f"{path}, line {n}")) for n, row in read.rows]
    cells = [
        [_number(read, f"column {k + 1}", n, cell) for k, cell in enumerate(row)] for n, row in rows
    ]
    numbers = np.array(cells)
    _refuse_order(read, "x", numbers[:, 0])
    return Grid(numbers[:, 0], np.array(y), numbers[:, 1:])


def _with_rows(path: str | Path, example: str) -> TextTable:
    read = read_text_table(path)
    if not read.rows:
        only = read.marks.line(read.header)
        has = f"one line alone, {only!r}" if read.header else "nothing in it"
        raise ModelError(f"{path} has {has}; give a header and rows, as in {example}")
    return read


def _place(read: TextTable, name: str | None, place: int) -> int:
    """Return the place of a column whose name, with or without its unit, is given."""
    if name is None:
        if place < len(read.header):
            return place
        line = read.marks.line(read.header)
        raise ModelError(f"{read.path}: {line!r} has one column; give abscissae and ordinates")
    if name in read.header:
        return read.header.index(name)
    own, unit = _parted(name)
    known = [_parted(cell) for cell in read.header]
    found = [i for i, (other, _) in enumerate(known) if other in (own, name)]
    if not found:
        raise ModelError(f"{read.path}: {unknown('column', name, read.header)}")
    if len(found) > 1:
        raise ModelError(f"{read.path}: two columns are called {own}; give the whole header of one")
    if unit and known[found[0]][1] != unit:
        raise ModelError(
            f"{read.path}: column {name!r} is {read.header[found[0]]!r} there; give it as it is in "
            "the file, whose unit counts"
        )
    return found[0]


def _refuse_bare_quotient(path: Path, cell: str) -> None:
    """Refuse a header such as ``speed km/h``, whose slash would part the unit."""
    *before, last = cell.split() or [""]
    if before and "/" in last[1:] and not re.search(r"[\[(]", cell):
        inside = f"{' '.join(before)} [{last}]"
        raise ModelError(f"{path}: header {cell!r}: write its unit in brackets, {inside!r}")


def _parted(cell: str) -> tuple[str, str]:
    """Return a header's name and unit."""
    match = next((m for pattern in UNITS if (m := pattern.fullmatch(cell))), None)
    name = match[1].strip(" /") if match else ""
    return (name, match[2].strip()) if match and name else (cell, "")


def _refuse_unit(path: str | Path, header: str, name: str, unit: str) -> None:
    if not unit:
        return
    try:
        parse(unit, f"the unit in {header!r}")
    except ModelError as error:
        raise ModelError(
            f"{path}: {error}; or write the unit behind, {header + ' [N]'!r}, '{name} [1]' for none"
        ) from None


def _number(read: TextTable, name: str, line: int, cell: str) -> float:
    value = read.number(cell.strip())
    if not np.isfinite(value):
        raise ModelError(
            f"{read.path}, line {line}: {name} = {cell!r}; give a finite number, as in 0.5"
        )
    return value


def _refuse_order(read: TextTable, name: str, x: np.ndarray) -> None:
    wrong = np.flatnonzero(np.diff(x) <= 0)
    if wrong.size:
        i = int(wrong[0])
        does = "is repeated" if x[i] == x[i + 1] else "falls"
        raise ModelError(
            f"{read.path}, line {read.rows[i + 1][0]}: {name} = {formatted(x[i + 1])} {does} after "
            f"{formatted(x[i])}; sort the lines by {name}, each value once"
        )
