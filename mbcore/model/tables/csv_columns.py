"""Columns of numbers, or a grid of them, from a CSV file, with the units that its header has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mbcore.model.errors import ModelError, warn_user
from mbcore.model.near_names import unknown
from mbcore.model.tables.text_table import NUMBER, TextTable, parted, read_text_table
from mbcore.model.units.text_units import unit_of
from mbcore.model.wording import formatted, listed


class Column(NamedTuple):
    """A column's name, its unit, empty where none is known, and its numbers."""

    name: str
    unit: str
    values: np.ndarray


class Grid(NamedTuple):
    """Numbers at the left, above, and between these, and their units, empty where unknown."""

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    units: tuple[str, str, str]


def read_columns(
    path: str | Path, wanted: tuple[str | None, str | None], units: tuple[str, ...] | None = None
) -> list[Column]:
    """Return two columns by their names; the first one rises.

    Parameters
    ----------
    path : path
        The file.
    wanted : (str or None, str or None)
        Names, with or without units; None for the columns of a file that has no others.
    units : (str, str), optional
        Units where headers have none, empty for those of the headers.

    Raises
    ------
    ModelError
        A column or its unit is unknown, a unit is not that of the header, a cell holds no finite
        number, or the first column does not rise; names file and line.
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
    for place, unit in zip(_places(read, wanted), units or ("", ""), strict=True):
        _refuse_bare_quotient(read.path, read.header[place])
        own, written = parted(read.header[place])
        chosen = _unit(path, read.header[place], own, (written, unit))
        values = [_number(read, own, n, row[place]) for n, row in rows]
        found.append(Column(own, chosen, np.array(values)))
    _refuse_order(read, found[0].name, found[0].values)
    if units is None:
        _tell_unknown_units(path, [(column.name, column.unit) for column in found], ("m", "N"))
    return found


def read_grid(path: str | Path, units: tuple[str, ...] | None = None) -> Grid:
    r"""Return a grid: y are in the first line from its second cell on, x begin the other lines.

    The first cell may name x, y and z with their units, parted by backslashes:
    ``speed [rpm] \ pedal [1] \ torque [N.m]``.

    Raises
    ------
    ModelError, OSError
        As `read_columns`.
    """
    read = _with_rows(path, "'x \\ y,0,0.5,1' over rows as '1000,0,12,20'")
    y = [_number(read, "y", 1, cell) for cell in read.header[1:]]
    rows = [(n, read.values(row, f"{path}, line {n}")) for n, row in read.rows]
    cells = [
        [_number(read, f"column {k + 1}", n, cell) for k, cell in enumerate(row)] for n, row in rows
    ]
    numbers = np.array(cells)
    _refuse_order(read, "x", numbers[:, 0])
    corner = [part.strip() for part in read.header[0].split("\\")][:3]
    corner += [""] * (3 - len(corner))
    chosen = []
    for cell, given in zip(corner, units or ("", "", ""), strict=True):
        _refuse_bare_quotient(read.path, cell)
        own, written = parted(cell)
        chosen.append(_unit(path, cell, own, (written, given)))
    if units is None:
        _tell_unknown_units(path, list(zip("xyz", chosen, strict=True)), ("rpm", "1", "N.m"))
    return Grid(numbers[:, 0], np.array(y), numbers[:, 1:], (chosen[0], chosen[1], chosen[2]))


def _tell_unknown_units(
    path: str | Path, found: list[tuple[str, str]], example: tuple[str, ...]
) -> None:
    """Warn of names without units; the units proposed are those known, else of the example."""
    unitless = [name for name, unit in found if not unit]
    if not unitless:
        return
    names = [name for name, _ in found]
    units = tuple(unit or other for (_, unit), other in zip(found, example, strict=True))
    headers = [f"{name} [{unit}]" for name, unit in zip(names, units, strict=True)]
    where = headers[names.index(unitless[0])] if len(found) == 2 else " \\ ".join(headers)
    warn_user(
        f"{path}: {listed(unitless)} without a unit: taken in SI units. Write units in the header, "
        f"as in '{where}', or give them, as in units={units!r}; units={('',) * len(found)!r} if "
        "this is meant"
    )


def _with_rows(path: str | Path, example: str) -> TextTable:
    read = read_text_table(path)
    if not read.rows:
        only = read.marks.line(read.header)
        has = f"one line alone, {only!r}" if read.header else "nothing in it"
        raise ModelError(f"{path} has {has}; give a header and rows, as in {example}")
    return read


def _places(read: TextTable, wanted: tuple[str | None, str | None]) -> tuple[int, int]:
    """Return the places of abscissae and ordinates."""
    header = read.header
    if len(header) < 2:
        line = read.marks.line(header)
        raise ModelError(f"{read.path}: {line!r} has one column; give abscissae and ordinates")
    if None in wanted and len(header) > 2:
        # The first column alone would often be a number of the row, or the time.
        raise ModelError(
            f"{read.path} has {len(header)} columns: {listed(header)}; name two of them, as in "
            f"from_csv({read.path.name!r}, {header[0]!r}, {header[1]!r})"
        )
    named = [None if name is None else _place(read, name) for name in wanted]
    x, y = named
    first = x if x is not None else 0 if y is None else 1 - y
    second = y if y is not None else 1 - first
    if first == second:
        raise ModelError(f"{read.path}: {header[first]!r} is asked for twice; name two columns")
    return first, second


def _place(read: TextTable, name: str) -> int:
    """Return the place of a column whose name, with or without its unit, is given."""
    if read.header.count(name) > 1:
        raise ModelError(f"{read.path}: two columns are headed {name!r}; rename one of them there")
    if name in read.header:
        return read.header.index(name)
    own, unit = parted(name)
    known = [parted(cell) for cell in read.header]
    found = [i for i, (other, _) in enumerate(known) if other in (own, name)]
    if not found:
        for cell in read.header:
            if cell.split()[:-1] == name.split():
                _refuse_bare_quotient(read.path, cell)
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


def _unit(path: str | Path, header: str, name: str, units: tuple[str, str]) -> str:
    """Return the unit of a column, given that of its header and that of the call."""
    written, given = units
    if not written:
        return given
    try:
        own = unit_of(f"{path}: header", header, written)
    except ModelError as error:
        raise ModelError(
            f"{error}; or append the unit, {header + ' [N]'!r}, '{name} [1]' for none"
        ) from None
    if given:
        other = unit_of(f"{path}: units", given, given)
        if (own.factor, own.exponents) != (other.factor, other.exponents):
            raise ModelError(
                f"{path}: units has {given!r} for the column {header!r}; the unit of the header "
                "counts: leave the other out, '' in its place, or correct the header"
            )
    return written


def _number(read: TextTable, name: str, line: int, cell: str) -> float:
    value = read.number(cell.strip())
    if not np.isfinite(value):
        raise ModelError(
            f"{read.path}, line {line}: {name} = {cell!r}; {read.remedy(cell.strip())}"
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
