"""Tables of inputs over time from CSV files, as loggers and spreadsheets write them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mbcore.equations.equations import Equations, checked_equations
from mbcore.evaluation.input_table import InputTable, wrong_times
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError, warn_user
from mbcore.model.near_names import unknown
from mbcore.model.tables.text_table import NUMBER, TextTable, parted, read_text_table
from mbcore.model.units.text_units import factor_of
from mbcore.model.units.units import Unit
from mbcore.model.variables import Input, type_of
from mbcore.model.wording import listed

OWNER = "read_inputs"


class _Times:
    """Names of the time, in any case."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in ("time", "t", "")


_TIMES = _Times()
MOST = 3
"""Inputs in an example at most."""
_TRUTH = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0}


class Column(NamedTuple):
    """Contents that a column may have.

    Attributes
    ----------
    unit : str or Unit
        Of its input.
    kind : {"real", "held", "whole", "truth"}
        Kind of its values; all but real ones are held from row to row.
    items : mapping of str to int
        Names that stand for whole numbers.
    """

    unit: str | Unit = "1"
    kind: str = "real"
    items: Mapping[str, int] = {}


def column_of(record: Input) -> Column:
    """Return the contents that a column of an input may have."""
    kinds = {"real": "real", "boolean": "truth"}
    items = {item.name: number for number, item in enumerate(record.items, start=1)}
    return Column(record.unit, kinds.get(type_of(record), "whole"), items)


@explains_arguments
def read_inputs(path: str | Path, equations: Equations) -> InputTable:
    """Read inputs over time from a CSV file, whose first column is the time.

    Names of inputs head the columns, with units where these are not the inputs' own:
    ``time [ms], steer.angle [deg]``; ``(deg)`` and ``/ deg`` are read, too. Two rows of one time
    are a jump. Columns of other variables of the model are told and not used.

    Parameters
    ----------
    path : path
        The file, of commas, semicolons or tabs; decimals may have commas unless these separate.
        It is UTF-8, UTF-16 with its byte order mark, or Windows-1252, which a warning tells.
    equations : Equations
        Whose inputs they are.

    Raises
    ------
    ModelError
        There is no such file, an input is unknown, a unit measures another quantity, a cell holds
        no finite number, or the times do not rise; names file and line.
    OSError
        The file cannot be read.
    """
    checked_equations(OWNER, equations)
    q = equations
    others = [record.name for rs in (q.states, q.outputs, q.discretes) for record in rs]
    return read_table(path, {record.name: column_of(record) for record in q.inputs}, others)


def read_table(
    path: str | Path, columns: Mapping[str, Column], others: Iterable[str] = ()
) -> InputTable:
    """Read a CSV file as `read_inputs` does.

    Parameters
    ----------
    path : path
        The file.
    columns : mapping of str to Column
        The inputs that there are.
    others : iterable of str
        Names of other variables, whose columns are told and not used.

    Raises
    ------
    ModelError, OSError
        As `read_inputs`.
    """
    read = read_text_table(path)
    if not read.rows:
        only = read.marks.line(read.header)
        has = f"one line alone, {only!r}" if read.header else "nothing in it"
        raise ModelError(
            f"{path} has {has}; give a header and at least one row, as in {_example(read, columns)}"
        )
    _refuse_head(read, columns)
    names, factors = _read_head(path, read.header, columns, set(others) - set(columns))
    unused = [name for name in names[1:] if name not in columns]
    if unused:
        warn_user(f"{path}: {listed(unused)}: calculated, no input; not used")
    known = [columns.get(name, Column()) for name in names]
    table = np.array(
        [_read_row(read, f"{path}, line {n}", row, names, known) for n, row in read.rows]
    )
    table = table * np.array(factors)
    for place, wrong in wrong_times(table[:, 0]):
        raise ModelError(f"{path}, line {read.rows[place][0]}: {wrong}")
    chosen = {name: table[:, i] for i, name in enumerate(names) if i and name in columns}
    return InputTable(table[:, 0], chosen, [n for n in chosen if columns[n].kind != "real"])


def _example(read: TextTable, columns: Mapping[str, Column]) -> str:
    """Return a header and a row that could be the file's: of its inputs, or of the first.

    Units that the file gives stay where they suit.
    """
    cells = read.header
    called = [cell for cell in cells if _is_time(cell)]
    units = [parted(cell, _TIMES)[1] for cell in called or cells[:1]]
    time = next((unit for unit in units if _suits(unit, "s")), "s")
    inputs = {}
    for cell in cells:
        name, unit = parted(cell, columns)
        if name in columns:
            own = columns[name].unit
            inputs[name] = cell if _suits(unit, own) else _headed(name, own)
    if not inputs:
        inputs = {name: _headed(name, columns[name].unit) for name in list(columns)[:MOST]}
    row = [f"0{read.marks.decimals}5", *("0" for _ in inputs)]
    header = read.marks.line([f"time [{time}]", *inputs.values()])
    return f"{header!r} over rows as {read.marks.line(row)!r}"


def _refuse_head(read: TextTable, columns: Mapping[str, Column]) -> None:
    """Refuse a first line that is not a header, or whose first column is not the time."""
    cells = read.header
    if not cells[0] or _is_time(cells[0]):
        return
    if all(NUMBER.fullmatch(cell) for cell in cells):
        wrong = (
            f"its first line, {read.marks.line(cells)!r}, holds numbers alone; begin with a header"
        )
    else:
        found = ", ".join(map(repr, cells))
        way = ", so move that" if any(map(_is_time, cells)) else ", called time or t"
        wrong = f"its columns are {found}; the first one must be the time{way}"
    raise ModelError(f"{read.path}: {wrong}, as in {_example(read, columns)}")


def _is_time(cell: str) -> bool:
    """Return whether a header is that of the time."""
    return bool(cell) and parted(cell, _TIMES)[0] in _TIMES


def _suits(unit: str, own: str | Unit) -> bool:
    """Return whether a quantity of the unit ``own`` may have a unit."""
    try:
        return bool(unit and factor_of(OWNER, unit, unit, own))
    except ModelError:
        return False


def _headed(name: str, unit: str | Unit) -> str:
    """Return the header of an input in its own unit."""
    symbol = unit.name if isinstance(unit, Unit) else unit
    return name if symbol in ("", "1") else f"{name} [{symbol}]"


def _read_head(
    path: str | Path, cells: list[str], columns: Mapping[str, Column], others: set[str]
) -> tuple[list[str], list[float]]:
    """Return names and the factors of their units."""
    names: list[str] = []
    factors: list[float] = []
    for i, cell in enumerate(cells):
        known: Container[str] = [*columns, *others] if i else _TIMES
        name, unit = parted(cell, known)
        if i and name not in columns and name not in others:
            raise ModelError(f"{path}: {unknown('input', name, columns)}")
        name = name if i else "time"
        if name in names:
            raise ModelError(f"{path}: two columns are called {name}; leave one out")
        names.append(name)
        own = columns[name].unit if i and name in columns else "s" if i == 0 else None
        factors.append(factor_of(str(path), cell, unit, own) if unit and own else 1.0)
    if not set(names[1:]) & set(columns):
        raise ModelError(f"{path} holds no input; there is {', '.join(columns) or 'none'}")
    return names, factors


def _read_row(
    read: TextTable, place: str, row: list[str], names: list[str], columns: list[Column]
) -> list[float]:
    """Return a row's numbers.

    Raises
    ------
    ModelError
        Naming the cell.
    """
    row = read.values(row, place)
    return [
        _number(read, f"{place}: {name} = {cell!r}", cell.strip(), column)
        for name, cell, column in zip(names, row, columns, strict=True)
    ]


def _number(read: TextTable, owner: str, cell: str, column: Column) -> float:
    if cell in column.items:
        return float(column.items[cell])
    if column.kind == "truth" and cell.lower() in _TRUTH:
        return _TRUTH[cell.lower()]
    if column.kind == "truth":
        raise ModelError(f"{owner}; give true or false")
    value = read.number(cell)
    if column.kind == "whole" and not value.is_integer():
        names = ", ".join(column.items)
        raise ModelError(f"{owner}; give {f'one of {names}' if names else 'a whole number'}")
    if not np.isfinite(value):
        raise ModelError(f"{owner}; {read.remedy(cell)}")
    return value
