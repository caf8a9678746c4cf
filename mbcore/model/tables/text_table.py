"""CSV files as loggers and spreadsheets write them: their text, separators, decimals and units.

Inputs over time and tables are read by it, which say what their columns have to be.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Container, Iterable
from pathlib import Path
from typing import NamedTuple

from mbcore.model.errors import ModelError, warn_user
from mbcore.model.near_names import near
from mbcore.model.wording import count

UNITS = (
    re.compile(r"(.*?)\s*\[\s*([^\]]*?)\s*\]"),
    re.compile(r"(.*?)\s*\(\s*([^()]*(?:\([^()]*\)[^()]*)?)\s*\)"),
    re.compile(r"(.*?)\s*/\s*(.+)"),
)
"""``force [N]``, ``force (N)`` and ``force / N``."""
NUMBER = re.compile(r"[+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?")
_SAVE = "save it as 'CSV UTF-8 (comma delimited)'"
_SEPARATOR = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)


class Marks(NamedTuple):
    """Separators of columns in a file, and of decimals in its numbers."""

    columns: str
    decimals: str

    @classmethod
    def of(cls, delimiter: str, rows: Iterable[list[str]]) -> Marks:
        """Return those of a file: decimals have commas where a number has, and no column."""
        commas = any("," in c and NUMBER.fullmatch(c.strip()) for row in rows for c in row)
        return cls(delimiter, "," if commas and delimiter != "," else ".")

    def line(self, cells: Iterable[str]) -> str:
        """Return a line of such a file."""
        return self.columns.join(cells)

    def mixed(self, cell: str) -> bool:
        """Return whether a number has the other mark of decimals than the file's numbers have."""
        return self.decimals == "," and "." in cell and bool(NUMBER.fullmatch(cell))


class TextTable(NamedTuple):
    """A file's header, empty where it has nothing, and its rows with the numbers of their lines."""

    path: Path
    marks: Marks
    header: list[str]
    rows: list[tuple[int, list[str]]]

    def values(self, row: list[str], place: str) -> list[str]:
        """Return a row's cells, one for each of the header's.

        Raises
        ------
        ModelError
            If there are more or fewer; ``place`` says where.
        """
        columns = len(self.header)
        while len(row) > columns and not row[-1].strip():
            row = row[:-1]
        if len(row) != columns:
            more = self.marks.columns == "," and len(row) > columns
            hint = "; decimals with commas need semicolons between columns"
            if not more:
                hint = f"; give {columns} values in each line"
            values = count(len(row), "value")
            raise ModelError(f"{place}: {values} for {count(columns, 'column')}{hint}")
        return row

    def number(self, cell: str) -> float:
        """Return the number in a cell, NaN where there is none."""
        comma = self.marks.columns == "," and "," in cell
        if NUMBER.fullmatch(cell) and not comma and not self.marks.mixed(cell):
            return float(cell.replace(",", "."))
        return float("nan")

    def remedy(self, cell: str) -> str:
        """Return what to write in place of a cell that holds no number."""
        if self.marks.mixed(cell):
            return (
                "decimals of other numbers in this file have commas; write them all with one mark"
            )
        return "give a finite number, as in 0.5"


def read_text_table(path: str | Path) -> TextTable:
    """Return the cells of a file of commas, semicolons or tabs.

    Raises
    ------
    ModelError
        There is no such file, or it is not text.
    OSError
        The file cannot be read.
    """
    file = Path(path)
    lines = _text(file).splitlines()
    said = _SEPARATOR.fullmatch(lines[0]) if lines else None
    head = next((line for line in lines[bool(said) :] if line.strip()), "")
    delimiter = said[1] if said else ";" if ";" in head else "\t" if "\t" in head else ","
    read = csv.reader(lines[bool(said) :], delimiter=delimiter)
    rows = [(n, row) for n, row in enumerate(read, 2 if said else 1) if any(map(str.strip, row))]
    marks = Marks.of(delimiter, (row for _, row in rows))
    header = [cell.strip() for cell in rows[0][1]] if rows else []
    while len(header) > 1 and not header[-1]:
        header.pop()
    return TextTable(file, marks, header, rows[1:])


def parted(cell: str, known: Container[str] = ()) -> tuple[str, str]:
    """Return a header's name and unit, empty where it has none.

    A name that is ``known`` may have brackets or a slash of its own.
    """
    if cell in known:
        return cell, ""
    matches = [match for pattern in UNITS if (match := pattern.fullmatch(cell))]
    found = [(match[1].strip(" /"), match[2].strip()) for match in matches]
    chosen = next((pair for pair in found if pair[0] in known), found[0] if found else (cell, ""))
    return chosen if chosen[0] or "" in known else (cell, "")


def _text(path: Path) -> str:
    if not path.is_file():
        here = near(path.name, [other.name for other in path.parent.glob("*.csv")])
        meant = [str(path.with_name(name)) for name in here]
        hint = f"; did you mean {' or '.join(meant)}?" if meant else "; give the path of a CSV file"
        raise ModelError(f"there is no file {path}{hint}")
    data = path.read_bytes()
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _decoded(path, data, "utf-16")
    if b"\0" in data:
        raise ModelError(f"{path} holds zero bytes, so it is not a table; {_SAVE}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = _decoded(path, data, "cp1252")
    lines = text.splitlines()
    n = next(n for n, line in enumerate(lines, 1) if not line.isascii())
    warn_user(f"{path} is not UTF-8: read as Windows-1252, as in line {n}, {lines[n - 1]!r}")
    return text


def _decoded(path: Path, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ModelError(f"{path} is not text in UTF-8 ({error}); {_SAVE}") from None
