"""Conversion of results to the data structures of pandas and xarray.

Used by `mbcore.results.result` alone; it stands apart because pandas and xarray are optional.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mbcore.model.errors import ModelError
from mbcore.model.variables import Array

if TYPE_CHECKING:
    import pandas
    import xarray

Columns = Mapping[str, np.ndarray]
Texts = Mapping[str, str]
BLOCK = 4096
"""Rows of a CSV file that are written at once."""


def to_pandas(
    name: str, time: np.ndarray, columns: Columns, units: Texts, descriptions: Texts
) -> pandas.DataFrame:
    """Return a data frame with the index ``time``, s.

    Its ``attrs`` hold ``name``, ``units`` and ``descriptions`` by column, and ``time_unit``. Where
    an event occurs, the index has its time twice.
    """
    import pandas  # takes half a second, so it is imported only on demand

    frame = pandas.DataFrame(dict(columns), index=pandas.Index(time, name="time"))
    frame.attrs.update(name=name, units=dict(units), descriptions=dict(descriptions), time_unit="s")
    return frame


def to_xarray(
    name: str,
    time: np.ndarray,
    columns: Columns,
    units: Texts,
    descriptions: Texts,
    arrays: Mapping[str, tuple[int, ...]],
) -> xarray.Dataset:
    """Return a dataset over the dimension ``time``, s, and those of arrays.

    Raises
    ------
    ModelError
        If a column is called ``time``, or a variable has the name of another one's dimension.
    """
    import xarray

    if "time" in columns:
        raise ModelError(f"{name}: the column 'time' and the dimension have one name; rename it")
    coordinates: dict[str, Any] = {
        "time": ("time", time, {"units": "s", "long_name": "time"}),
    }
    variables: dict[str, Any] = {}
    wholes = {one: of for of, shape in arrays.items() for one in Array(of, shape, "").elements}
    for column, values in columns.items():
        whole = wholes.get(column)
        if whole is None:
            variables[column] = ("time", values, _attributes(column, units, descriptions))
        elif whole not in variables:
            shape = arrays[whole]
            dimensions = _dimensions(whole, shape)
            elements = Array(whole, shape, "").elements
            stacked = np.stack([columns[one] for one in elements], axis=-1)
            attributes = _attributes(column, units, descriptions)
            if column not in descriptions:
                attributes["long_name"] = whole
            variables[whole] = (
                ("time", *dimensions),
                stacked.reshape(len(time), *shape),
                attributes,
            )
            coordinates |= {d: np.arange(1, n + 1) for d, n in zip(dimensions, shape, strict=True)}
    for taken in coordinates.keys() & variables.keys():
        raise ModelError(f"{name}: {taken!r} is a dimension and a variable; rename the variable")
    return xarray.Dataset(variables, coordinates, {"name": name})


def _dimensions(name: str, shape: tuple[int, ...]) -> tuple[str, ...]:
    """Return the names of an array's dimensions."""
    return (f"{name}_index",) if len(shape) == 1 else (f"{name}_row", f"{name}_column")


def column_rows(columns: Columns, units: Texts, descriptions: Texts) -> list[tuple[object, ...]]:
    """Return name, unit, first and last, least and largest value, and description of each."""
    return [
        (
            name,
            units.get(name, ""),
            *(values[[0, -1]] if values.size else ("", "")),
            *((values.min(), values.max()) if values.size else ("", "")),
            descriptions.get(name, ""),
        )
        for name, values in columns.items()
    ]


def csv_lines(columns: Sequence[np.ndarray]) -> Iterator[bytes]:
    """Yield lines of a CSV file, many in each; numbers have the digits that identify them."""
    for first in range(0, len(columns[0]), BLOCK):
        block = np.column_stack([values[first : first + BLOCK] for values in columns])
        yield _lines(block.astype(float, copy=False))


def _lines(block: np.ndarray) -> bytes:
    """Return the lines of some rows. Orjson takes an eighth of Python's time for the digits."""
    if importlib.util.find_spec("orjson") and np.isfinite(block).all():
        import orjson

        rows = orjson.dumps(block, option=orjson.OPT_SERIALIZE_NUMPY)
        return rows[2:-2].replace(b"],[", b"\r\n") + b"\r\n"
    line = ",".join(["%r"] * block.shape[1]) + "\r\n"  # JSON has no NaN and no infinity
    return (line * len(block) % tuple(block.ravel().tolist())).encode()


def interpolated(name: str, time: np.ndarray, columns: Columns, at: float) -> dict[str, float]:
    """Return the values of all columns at a time, linearly between rows.

    Raises
    ------
    ModelError
        If the time is outside of the rows.
    """
    if not (time.size and time[0] <= at <= time[-1]):
        span = f"from {time[0]:.9g} s to {time[-1]:.9g} s" if time.size else "empty"
        raise ModelError(f"{name}: t = {at:.9g} s is outside of the result, which is {span}")
    return {column: float(np.interp(at, time, values)) for column, values in columns.items()}


def _attributes(column: str, units: Texts, descriptions: Texts) -> dict[str, str]:
    return {"units": units.get(column, ""), "long_name": descriptions.get(column) or column}
