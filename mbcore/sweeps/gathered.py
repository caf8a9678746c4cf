"""The results of a sweep so far: one array for each quantity, and the errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from mbcore.model.errors import ModelError
from mbcore.sweeps.outcome import Labelled, Outcome, Outcomes
from mbcore.sweeps.points import OWNER, SAMPLE, Points, refuse_points_beyond_memory

if TYPE_CHECKING:
    import xarray

ERROR = "error"
NOT_REACHED = "not evaluated: the sweep was interrupted"


class Gathered:
    """Values at the points of a sweep, NaN where there are none yet.

    Attributes
    ----------
    arrays : dict of str to ndarray
        The points are the first dimension.
    layout : dict of str to Labelled
        By name, the first value received: dimensions, units, coordinates.
    done : ndarray of bool
        Which points were evaluated, also those that failed.
    errors, warnings : dict of int to str
        By point.
    """

    def __init__(self, points: Points) -> None:
        self.points = points
        self.arrays: dict[str, np.ndarray] = {}
        self.layout: dict[str, Labelled] = {}
        self.done = np.zeros(len(points), bool)
        self.errors: dict[int, str] = {}
        self.warnings: dict[int, str] = {}
        self._first = 0

    def add(self, outcomes: Iterable[Outcome | Outcomes]) -> None:
        """Add results of points.

        Raises
        ------
        ModelError
            If names or shapes are others than before, or a name is a parameter's.
        """
        for outcome in outcomes:
            if isinstance(outcome, Outcomes):
                self._add_many(outcome)
                continue
            if outcome.values:
                if not self.arrays:
                    self._begin(outcome)
                self._refuse_change(outcome)
                for name, part in outcome.values.items():
                    self._put(name, outcome.index, part.values)
            if outcome.error:
                self.errors[outcome.index] = outcome.error
            if outcome.warning:
                self.warnings[outcome.index] = outcome.warning
            self.done[outcome.index] = True

    def _add_many(self, found: Outcomes) -> None:
        if not self.arrays:
            self._begin(found.first)
        self._refuse_change(found.first)
        for name, part in found.values.items():
            self._put(name, found.indices, part.values)
        self.done[found.indices] = True

    def start(self, arrays: Mapping[str, np.ndarray], layout: Mapping[str, Labelled]) -> None:
        """Start with the arrays of an earlier sweep."""
        self.arrays, self.layout = dict(arrays), dict(layout)

    def dataset(self, units: Mapping[str, str], attributes: Mapping[str, Any]) -> xarray.Dataset:
        """Return all as a dataset with the dimensions of the points first."""
        import xarray  # slow to import, so it is imported only on demand

        points, shape = self.points, self.points.shape
        coordinates: dict[str, Any] = {
            name: (name if points.grid else SAMPLE, column, _unit(units.get(name, "")))
            for name, column in points.columns.items()
        }
        if not points.grid:
            coordinates[SAMPLE] = np.arange(len(points))
        data: dict[str, Any] = {}
        for name, array in self.arrays.items():
            first = self.layout[name]
            own = _dimensions(name, first)
            data[name] = (
                (*points.dimensions, *own),
                array.reshape(*shape, *array.shape[1:]),
                dict(first.attributes),
            )
            coordinates |= {d: (d, values) for d, values in first.coordinates.items()}
        data[ERROR] = (
            points.dimensions,
            self._messages().reshape(shape),
            {"long_name": "why there is no value, empty where there is"},
        )
        return xarray.Dataset(data, coords=coordinates, attrs=dict(attributes))

    def _messages(self) -> np.ndarray:
        found = np.full(len(self.points), "", dtype=object)
        found[~self.done] = NOT_REACHED
        for index, text in self.errors.items():
            found[index] = text
        return found

    def _begin(self, outcome: Outcome) -> None:
        """Allocate the arrays by the shapes of the first values."""
        taken = {*self.points.columns, ERROR, SAMPLE}
        for name, part in outcome.values.items():
            own = _dimensions(name, part)
            if len(own) != part.values.ndim or len(set(own)) != len(own):
                raise ModelError(
                    f"{OWNER}: {name} has the dimensions {', '.join(own) or 'none'} but the shape "
                    f"{part.values.shape}; give each dimension another name"
                )
            for clash in [n for n in (name, *own) if n in taken]:
                raise ModelError(
                    f"{OWNER}: the task returns {clash!r}, which is the name of "
                    f"{'a parameter' if clash in self.points.columns else 'what a sweep adds'}; "
                    "return it under another name"
                )
        size = sum(part.values.size * 16 for part in outcome.values.values())
        refuse_points_beyond_memory(self.points, size, " with all that the task returns")
        self._first, self.layout = outcome.index, dict(outcome.values)
        count = len(self.points)
        self.arrays = {
            name: np.full((count, *part.values.shape), np.nan, part.values.dtype)
            for name, part in outcome.values.items()
        }

    def _put(self, name: str, index: int | np.ndarray, values: np.ndarray) -> None:
        if np.iscomplexobj(values) and not np.iscomplexobj(self.arrays[name]):
            self.arrays[name] = self.arrays[name].astype(complex)
        self.arrays[name][index] = values

    def _refuse_change(self, outcome: Outcome) -> None:
        found = {name: part.values.shape for name, part in outcome.values.items()}
        begun = {name: array.shape[1:] for name, array in self.arrays.items()}
        if found == begun:
            return
        if found.keys() != begun.keys():
            apart = ", ".join(sorted(found.keys() ^ begun.keys()))
            what = f"{apart} at one of them only"
        else:
            name = next(n for n in found if found[n] != begun[n])
            what = f"{name} of shape {found[name]} here and {begun[name]} there"
        raise ModelError(
            f"{OWNER}: the task returns other things at {self.points.describe(outcome.index)} than "
            f"at {self.points.describe(self._first)}: {what}; return the same names and shapes at "
            "all points, filled up with NaN where there are fewer numbers"
        )


def _dimensions(name: str, part: Labelled) -> tuple[str, ...]:
    if part.dimensions is not None:
        return part.dimensions
    return tuple(f"{name}_{i}" for i in range(part.values.ndim))


def _unit(unit: str) -> dict[str, str]:
    return {"units": unit} if unit else {}
