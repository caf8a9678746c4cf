"""Parameter sets as texts of CSV, JSON and TOML, which `mbcore.read_parameters` reads.

Used by `mbcore.fmi.parameter_file` alone; it stands apart because it knows three formats.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from mbcore.model.parameter_files.columns import COLUMNS


class Entry(NamedTuple):
    """The value of a variable.

    Attributes
    ----------
    name : str
        Of the variable.
    type, unit : str
        Of each value: ``"real"``, ``"integer"``, ``"boolean"``, ``"enumeration"``, and an SI unit.
    values : tuple of float, bool or str
        One, or those of an array row by row.
    shape : tuple of int
        Of the array, empty for one value.
    """

    name: str
    type: str
    unit: str
    values: tuple[float | bool | str, ...]
    shape: tuple[int, ...] = ()

    @property
    def has_unit(self) -> bool:
        """Whether its values have a unit other than that of numbers."""
        return self.type == "real" and self.unit != "1"


def _csv(entries: Iterable[Entry]) -> bytes:
    """Return lines of a name, a value and a unit."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(COLUMNS)
    for one in entries:
        value = one.values[0]
        said = json.dumps(value) if isinstance(value, bool) else value
        lines.writerow([one.name, said, one.unit if one.has_unit else ""])
    return text.getvalue().encode()


def _json(entries: Iterable[Entry]) -> bytes:
    """Return an object with a name in each line."""
    lines = [f"  {_quoted(one.name)}: {_quoted(_nested(one))}" for one in entries]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _toml(entries: Iterable[Entry]) -> bytes:
    """Return lines of a quoted name and a value; texts and lists are written as those of JSON."""
    return "".join(f"{_quoted(one.name)} = {_quoted(_nested(one))}\n" for one in entries).encode()


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _nested(entry: Entry) -> Any:
    """Return a value, with its unit as a text, or an array as lists of numbers in SI units."""
    if not entry.shape:
        value = entry.values[0]
        return f"{value!r} {entry.unit}" if entry.has_unit else value
    values: Sequence[Any] = entry.values
    for count in entry.shape[:0:-1]:
        values = [values[i : i + count] for i in range(0, len(values), count)]
    return values


WRITERS: dict[str, Callable[[Iterable[Entry]], bytes]] = {
    ".csv": _csv,
    ".json": _json,
    ".toml": _toml,
}
"""By the ends of files' names."""
