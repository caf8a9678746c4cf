"""The points of a sweep: a grid over several parameters, or samples of all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbcore.host.memory import refuse_beyond_memory
from mbcore.model.errors import ModelError
from mbcore.sweeps.samples import drawn

OWNER = "sweep"
SAMPLE = "sample"
"""Name of the dimension of samples."""
RESERVED = ("error", SAMPLE)
"""Names that the dataset of a sweep uses itself."""
BOOKKEEPING = 200
"""Smallest number of bytes for a point, with its bookkeeping."""

Point = dict[str, float]
"""Values by name."""


@dataclass(frozen=True)
class Points:
    """Values of the parameters at all points, never written out one by one.

    Attributes
    ----------
    columns : mapping of str to ndarray, each of one dimension
        The values: along an axis of the grid, or at all samples.
    grid : bool
        Whether all combinations are points, or the columns form the points row by row.
    """

    columns: dict[str, np.ndarray]
    grid: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of points along each dimension."""
        lengths = tuple(len(column) for column in self.columns.values())
        return lengths if self.grid else lengths[:1]

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Names of the dimensions."""
        return tuple(self.columns) if self.grid else (SAMPLE,)

    def __len__(self) -> int:
        count = 1
        for length in self.shape:
            count *= length
        return count

    def __getitem__(self, index: int) -> Point:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.at([index])[0]

    def at(self, indices: Sequence[int] | np.ndarray) -> list[Point]:
        """Return the points of these indices, at once, since one after the other takes long."""
        given = np.asarray(indices, int)
        places = np.unravel_index(given, self.shape) if self.grid else [given] * len(self.columns)
        pairs = zip(self.columns.values(), places, strict=True)
        values = zip(*(column[place].tolist() for column, place in pairs), strict=True)
        return [dict(zip(self.columns, row, strict=True)) for row in values]

    def describe(self, index: int) -> str:
        """Return a point in words."""
        return ", ".join(f"{name} = {value:.9g}" for name, value in self[index].items())

    def same_as(self, other: Points) -> bool:
        """Return whether names, values and their order are the same."""
        pairs = zip(self.columns.items(), other.columns.items(), strict=False)
        return (
            self.grid == other.grid
            and len(self.columns) == len(other.columns)
            and all(a[0] == b[0] and np.array_equal(a[1], b[1]) for a, b in pairs)
        )


def points_of(
    parameters: Mapping[str, Any],
    samples: int | None,
    seed: int | None,
    design: str,
) -> Points:
    """Return the points that a user asks for.

    Raises
    ------
    ModelError
        If there are none, a name clashes, values are not finite numbers in one row or of another
        number than the samples, or there are more points than the memory holds.
    """
    if not isinstance(parameters, Mapping):
        raise ModelError(
            f"{OWNER}: parameters = {parameters!r}; give values by name, as in "
            "{'speed': np.linspace(1, 10, 50)}"
        )
    if not parameters:
        raise ModelError(f"{OWNER}: no parameters; give at least one, with its values")
    for name in parameters:
        if not isinstance(name, str) or not name or name in RESERVED:
            raise ModelError(
                f"{OWNER}: a parameter is called {name!r}; names are texts, and "
                f"{' and '.join(RESERVED)} are names of the dataset"
            )
    if samples is None:
        columns = {name: _values(name, values) for name, values in parameters.items()}
    else:
        _check_count(samples)
        columns = {
            name: column if column is not None else _together(name, parameters[name], samples)
            for name, column in drawn(parameters, samples, seed, design).items()
        }
    points = Points(columns, grid=samples is None)
    refuse_points_beyond_memory(points, BOOKKEEPING, "")
    return points


def refuse_points_beyond_memory(points: Points, each: int, what: str) -> None:
    """Refuse points that take more bytes than half of this machine's memory.

    Parameters
    ----------
    points : Points
    each : int
        Bytes for one point.
    what : str
        Remark about them, empty for none.

    Raises
    ------
    ModelError
        With the number of points and bytes.
    """
    shape = " x ".join(map(str, points.shape))
    refuse_beyond_memory(
        f"{OWNER}: {shape} = {len(points)} points{what}",
        len(points) * each,
        "take fewer values, samples=..., or less from each point",
    )


def _check_count(samples: object) -> None:
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or samples < 1:
        raise ModelError(f"{OWNER}: samples = {samples!r}; give their number, as in 500")


def _values(name: str, given: Any) -> np.ndarray:
    """Return finite numbers in one row, whole ones as such."""
    if callable(getattr(given, "ppf", None)) or callable(getattr(given, "icdf", None)):
        raise ModelError(f"{OWNER}: {name} is a distribution; say how many samples=... to draw")
    try:
        values = np.asarray(given)
    except (TypeError, ValueError):
        values = np.asarray(given, object)
    if values.ndim == 0 and values.dtype.kind in "iuf":
        raise ModelError(f"{OWNER}: {name} = {given!r} is one value; give a list, as in [{given}]")
    if values.ndim != 1 or values.dtype.kind not in "iufb":
        shape = f", of shape {values.shape}" if values.ndim != 1 else ""
        raise ModelError(
            f"{OWNER}: {name} = {_short(given)}{shape}; give numbers in one row, as in [0.1, 0.2]"
        )
    if not values.size:
        raise ModelError(f"{OWNER}: {name} has no values; give at least one")
    wrong = np.flatnonzero(~np.isfinite(values))
    if wrong.size:
        raise ModelError(f"{OWNER}: {name}[{wrong[0]}] = {values[wrong[0]]} is not a finite number")
    return values.copy()


def _together(name: str, given: Any, samples: int) -> np.ndarray:
    values = _values(name, given)
    if len(values) != samples:
        raise ModelError(
            f"{OWNER}: {name} has {len(values)} values, but samples = {samples}; give one for each "
            "sample, or a distribution of scipy.stats"
        )
    return values


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
