"""Measured tables: CSV files, pandas, xarray and mappings as columns with units.

A missing sample is an empty cell or NaN, so that one table may hold sensors of different rates.
Used by `mbcore.identification.runs` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from mbcore.model.errors import ModelError
from mbcore.model.tables.text_table import TextTable, parted, read_text_table
from mbcore.model.units.text_units import factor_of
from mbcore.model.wording import listed

TIMES = ("time", "t", "")
"""Names of the time, in any case."""
MISSING = ("", "nan", "na", "n/a", "null", "none")
"""Cells without a sample, in any case."""


@dataclass(frozen=True)
class MeasuredTable:
    """Columns of a table as they were given.

    Attributes
    ----------
    owner : str
        What messages begin with: the file's name, or what the table is.
    time : ndarray, shape (n,)
        s.
    columns : dict of str to ndarray, each shape (n,)
        In their own units, NaN where there is no sample.
    units : dict of str to str
        Their units, empty where none is said.
    place : callable
        Says where a row is: ``"line 3"``.
    """

    owner: str
    time: np.ndarray
    columns: dict[str, np.ndarray]
    units: dict[str, str]
    place: Callable[[int], str]

    def in_unit(self, name: str, unit: str) -> np.ndarray:
        """Return a column in the unit of a variable.

        Raises
        ------
        ModelError
            The column's unit is of another quantity.
        """
        said = self.units[name]
        if not said:
            return self.columns[name]
        return self.columns[name] * factor_of(self.owner, f"{name} [{said}]", said, unit)


def measured_table(data: Any, known: Sequence[str], owner: str = "fit: data") -> MeasuredTable:
    """Return the columns of a table.

    Parameters
    ----------
    data : path, DataFrame, Dataset, DataArray or mapping
        A CSV file as `mbcore.read_inputs` reads it, whose first column is the time; a DataFrame
        with a column ``time`` or the time as its index; a Dataset with a coordinate ``time`` and
        units among its attributes; arrays by names, ``time`` among them. Headers may have units:
        ``"pendulum.angle [deg]"``.
    known : sequence of str
        Names of variables, which may have brackets of their own.
    owner : str
        What messages begin with.

    Raises
    ------
    ModelError
        It is no table, a cell is no number, times are missing, run backwards or repeat.
    """
    if isinstance(data, str | Path):
        found = _from_file(data, known)
    elif isinstance(data, pd.DataFrame):
        found = _from_frame(owner, data, known)
    elif isinstance(data, xr.Dataset | xr.DataArray):
        found = _from_dataset(owner, data, known)
    elif isinstance(data, Mapping):
        found = _from_mapping(owner, data, known)
    elif hasattr(data, "to_xarray"):
        found = _from_dataset(owner, data.to_xarray(), known)
    else:
        raise ModelError(
            f"{owner} is {type(data).__name__}; give the path of a CSV file, a pandas DataFrame, "
            "an xarray Dataset, or arrays by names with 'time' among them"
        )
    _check(found)
    return found


def _is_time(header: str) -> bool:
    return parted(header, TIMES)[0].lower() in TIMES


def _from_file(path: str | Path, known: Sequence[str]) -> MeasuredTable:
    read = read_text_table(path)
    if not read.rows:
        raise ModelError(f"{path} has no rows; give a header, 'time [s],angle [rad]', and samples")
    if not _is_time(read.header[0]):
        found = ", ".join(map(repr, read.header))
        raise ModelError(
            f"{path}: its columns are {found}; the first one must be the time, called time or t"
        )
    lines = [line for line, _ in read.rows]
    cells = np.array([_row(read, line, row) for line, row in read.rows])
    columns = dict(zip(read.header, cells.T, strict=True))
    if len(columns) < len(read.header):
        twice = next(name for name in read.header if read.header.count(name) > 1)
        raise ModelError(f"{path}: two columns are called {twice}; leave one out")
    return _sorted(str(path), columns, known, lambda row: f"line {lines[row]}")


def _row(read: TextTable, line: int, row: list[str]) -> list[float]:
    """Return a row's numbers, NaN where there is no sample.

    Raises
    ------
    ModelError
        Naming line and column of a cell that is no number.
    """
    place = f"{read.path}, line {line}"
    found = []
    for header, cell in zip(read.header, read.values(row, place), strict=True):
        text = cell.strip()
        value = read.number(text)
        if np.isnan(value) and text.lower() not in MISSING:
            remedy = read.remedy(text)
            raise ModelError(
                f"{place}: {header} = {cell!r}; {remedy}, or leave the cell empty where there is "
                "no sample"
            )
        found.append(value)
    return found


def _from_frame(owner: str, frame: pd.DataFrame, known: Sequence[str]) -> MeasuredTable:
    columns = {str(name): frame[name].to_numpy() for name in frame.columns}
    if len(columns) < frame.shape[1]:
        raise ModelError(f"{owner}: two columns of the DataFrame have one name; leave one out")
    if not any(map(_is_time, columns)):
        columns = {"time": _seconds(frame.index)} | columns
    units = {str(name): str(unit) for name, unit in frame.attrs.get("units", {}).items()}
    return _sorted(owner, columns, known, lambda row: f"row {row + 1}", units)


def _from_dataset(
    owner: str, data: xr.Dataset | xr.DataArray, known: Sequence[str]
) -> MeasuredTable:
    whole = data.to_dataset(name=data.name or "data") if isinstance(data, xr.DataArray) else data
    time = next((name for name in whole.coords if _is_time(str(name))), None)
    if time is None:
        raise ModelError(f"{owner}: the Dataset has no coordinate 'time'; name it so")
    columns = {"time": _seconds(pd.Index(whole[time].to_numpy()))}
    units = {"time": str(whole[time].attrs.get("units", ""))}
    for name, column in whole.data_vars.items():
        if column.dims == whole[time].dims:
            columns[str(name)] = column.to_numpy()
            units[str(name)] = str(column.attrs.get("units", ""))
    return _sorted(owner, columns, known, lambda row: f"row {row + 1}", units)


def _from_mapping(owner: str, data: Mapping[Any, Any], known: Sequence[str]) -> MeasuredTable:
    columns = {str(name): np.asarray(column) for name, column in data.items()}
    if not any(map(_is_time, columns)):
        raise ModelError(f"{owner}: there is {listed(columns) or 'nothing'}; add 'time', in s")
    return _sorted(owner, columns, known, lambda row: f"row {row + 1}")


def _seconds(index: pd.Index) -> np.ndarray:
    """Return the times of an index in s, of dates since the first one."""
    if isinstance(index, pd.DatetimeIndex):
        return np.asarray((index - index[0]).total_seconds())
    if isinstance(index, pd.TimedeltaIndex):
        return np.asarray(index.total_seconds())
    return index.to_numpy()


def _sorted(
    owner: str,
    columns: Mapping[str, np.ndarray],
    known: Sequence[str],
    place: Callable[[int], str],
    units: Mapping[str, str] = {},
) -> MeasuredTable:
    """Return columns by names without units, the time apart."""
    time = np.zeros(0)
    named: dict[str, np.ndarray] = {}
    said: dict[str, str] = {}
    for header, values in columns.items():
        of_time = _is_time(header)
        name, unit = parted(header, TIMES if of_time else known)
        unit = unit or units.get(header, "") or units.get(name, "")
        numbers = _numbers(owner, header, values, place)
        if numbers.shape != np.shape(next(iter(columns.values()))) or numbers.ndim != 1:
            raise ModelError(
                f"{owner}: {header} has the shape {numbers.shape}; give one number for each time"
            )
        if of_time:
            time = numbers * (factor_of(owner, header, unit, "s") if unit else 1.0)
        elif name in named:
            raise ModelError(f"{owner}: two columns are called {name}; leave one out")
        else:
            named[name], said[name] = numbers, unit
    return MeasuredTable(owner, time, named, said, place)


def _numbers(
    owner: str, header: str, values: np.ndarray, place: Callable[[int], str]
) -> np.ndarray:
    """Return a column as floats, NaN where there is no sample."""
    try:
        return np.asarray(values, float)
    except (TypeError, ValueError):
        pass
    found = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        if value is None or value is pd.NA or str(value).strip().lower() in MISSING:
            continue
        try:
            found[row] = float(value)
        except (TypeError, ValueError):
            raise ModelError(
                f"{owner}, {place(row)}: {header} = {str(value)!r}; give a number, or NaN where "
                "there is no sample"
            ) from None
    return found


def _check(table: MeasuredTable) -> None:
    """Refuse times that are missing, run backwards or repeat, and samples without end.

    Raises
    ------
    ModelError
        Naming row and column.
    """
    time = table.time
    if time.size < 2:
        raise ModelError(f"{table.owner}: the number of rows is {time.size}; give at least two")
    wrong = np.flatnonzero(~np.isfinite(time))
    if wrong.size:
        row = int(wrong[0])
        raise ModelError(
            f"{table.owner}, {table.place(row)}: time = {time[row]}; give each row one"
        )
    for name, column in table.columns.items():
        wrong = np.flatnonzero(np.isinf(column))
        if wrong.size:
            row = int(wrong[0])
            raise ModelError(
                f"{table.owner}, {table.place(row)}: {name} = {column[row]}; give a finite number, "
                "or leave it empty where there is no sample"
            )
    wrong = np.flatnonzero(np.diff(time) <= 0)
    if wrong.size:
        row = int(wrong[0]) + 1
        fault = "repeats" if time[row] == time[row - 1] else "runs backwards"
        raise ModelError(
            f"{table.owner}, {table.place(row)}: the time {fault}, from {time[row - 1]:.9g} s to "
            f"{time[row]:.9g} s; sort the rows by their time, one for each"
        )
