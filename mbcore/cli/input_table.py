"""A table of inputs over time from a CSV file, linear between its rows."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mbcore.cli.wrong_call import refusing_calls
from mbcore.model.errors import ModelError
from mbcore.model.near_names import near, unknown
from mbcore.model.units.text_units import value_in
from mbcore.model.units.units import Unit
from mbcore.model.wording import listed

_HEAD = re.compile(r"\s*(.*?)\s*(?:\[\s*([^\]]*?)\s*\])?\s*")


@dataclass(frozen=True)
class InputTable:
    """Inputs over time; constant before the first row and after the last one.

    Attributes
    ----------
    time : ndarray, shape (n,)
        s; equal times are a jump.
    values : mapping of str to ndarray, each shape (n,)
        In the inputs' own units.
    """

    time: np.ndarray
    values: dict[str, np.ndarray]

    def signals(self) -> dict[str, Callable[[float], float]]:
        """Return a function of time for each input."""
        return {name: self._signal(column) for name, column in self.values.items()}

    def _signal(self, column: np.ndarray) -> Callable[[float], float]:
        return lambda t: float(np.interp(t, self.time, column))

    @property
    def jumps(self) -> list[float]:
        """Times at which a value jumps, s."""
        return [float(t) for t in np.unique(self.time[1:][np.diff(self.time) == 0])]

    def as_array(self) -> np.ndarray:
        """Return a structured array, as FMPy takes it; its first field is the time."""
        fields = {"time": self.time, **self.values}
        made = np.empty(self.time.size, dtype=[(name, float) for name in fields])
        for name, column in fields.items():
            made[name] = column
        return made


def read_input_table(
    path: str, inputs: Mapping[str, str | Unit], others: Iterable[str] = ()
) -> InputTable:
    """Read a CSV file whose first column is the time and whose others are inputs.

    The header holds names, with units in brackets where they are not the inputs' own:
    ``time [ms], steer.angle [deg]``. Two rows of one time make a jump.

    Parameters
    ----------
    path : str
        The file.
    inputs : mapping of str to str or Unit
        Units of the inputs that there are.
    others : iterable of str
        Names of other variables, whose columns are ignored, so that the file of a run can be read.

    Raises
    ------
    ModelError
        There is no such file, an input is unknown, a unit measures another quantity, a cell holds
        no finite number, or the times do not rise; names file and line.
    OSError
        The file cannot be read.
    """
    text = _text(Path(path))
    lines = text.splitlines()
    head = lines[0] if lines else ""
    delimiter = ";" if ";" in head else "\t" if "\t" in head else ","
    rows = [row for row in enumerate(csv.reader(lines, delimiter=delimiter), 1) if any(row[1])]
    if len(rows) < 2:
        raise ModelError(f"{path}: a header and one row at least are needed: time, NAME, ...")
    names, factors = _read_head(path, rows[0][1], inputs, set(others) - set(inputs))
    numbers = np.array([_read_row(f"{path}, line {n}", row, names) for n, row in rows[1:]])
    numbers = numbers * np.array(factors)
    time = numbers[:, 0]
    falls = np.flatnonzero(np.diff(time) < 0)
    if falls.size:
        n = rows[int(falls[0]) + 2][0]
        raise ModelError(f"{path}, line {n}: the time goes back; sort the rows by their time")
    return InputTable(time, {name: numbers[:, i] for i, name in enumerate(names) if name in inputs})


@refusing_calls()
def refuse_both(constants: Iterable[str], table: InputTable) -> None:
    """Refuse inputs that have a constant value and a column in the table.

    Raises
    ------
    WrongCallError
        Naming them.
    """
    both = [name for name in constants if name in table.values]
    if both:
        raise ModelError(f"{listed(both)}: given by --set and by --inputs; leave it to one of them")


def _text(path: Path) -> str:
    if not path.is_file():
        here = near(path.name, [other.name for other in path.parent.glob("*.csv")])
        meant = [str(path.with_name(name)) for name in here]
        hint = f"; did you mean {' or '.join(meant)}?" if meant else "; give one as --inputs"
        raise ModelError(f"there is no file {path}{hint}")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError(f"{path} is no text in UTF-8 ({error}); save it as CSV in UTF-8") from None


def _read_head(
    path: str, head: list[str], inputs: Mapping[str, str | Unit], others: set[str]
) -> tuple[list[str], list[float]]:
    """Return names and the factors of their units."""
    names: list[str] = []
    factors: list[float] = []
    for i, cell in enumerate(head):
        match = _HEAD.fullmatch(cell)
        name, unit = (match[1], match[2]) if match else (cell, None)
        if i == 0 and name != "time":
            raise ModelError(f"{path}: the first column is {name!r}; it must be time")
        if i and name not in inputs and name not in others:
            raise ModelError(f"{path}: {unknown('input', name, inputs)}")
        if name in names:
            raise ModelError(f"{path}: two columns are called {name}; leave one out")
        own = inputs.get(name) if i else "s"
        names.append(name)
        factors.append(value_in(f"{path}: {name}", f"1 {unit}", own) if unit and own else 1.0)
    if not set(names) & set(inputs):
        raise ModelError(f"{path} holds no input; there is {', '.join(inputs) or 'none'}")
    return names, factors


def _read_row(place: str, row: list[str], names: list[str]) -> list[float]:
    if len(row) != len(names):
        raise ModelError(f"{place}: {len(row)} values for {len(names)} columns")
    found = []
    for name, cell in zip(names, row, strict=True):
        try:
            value = float(cell)
        except ValueError:
            value = np.nan
        if not np.isfinite(value):
            raise ModelError(f"{place}: {name} = {cell!r}; give a finite number with a point")
        found.append(value)
    return found
