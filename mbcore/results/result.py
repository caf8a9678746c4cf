"""Results of a simulation: labelled arrays that can be looked at and saved."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mbcore.drawing.projection.camera import View
from mbcore.host.backend import Evaluator
from mbcore.host.files import file_path, writing
from mbcore.model import checks, near_names, summary, wording
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.model.taken import taken
from mbcore.model.variables import Array, Value
from mbcore.results.drawn import Moving
from mbcore.results.motion import Motion
from mbcore.results.plotting import Column, plot_columns
from mbcore.results.tables import column_rows, csv_lines, interpolated, to_pandas, to_xarray

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

_OF_ARCHIVES = ("time", "units", "file", "allow_pickle")
"""Names that no column of a NumPy archive may have: its own entries and arguments of savez."""
SAME_TIME = 1e-6
"""Difference of two times, relative to the run, below which they are the same."""


@dataclass(frozen=True, repr=False, eq=False)
class Result(summary.Summarized, Mapping[str, np.ndarray]):
    """Time histories by name, a read-only mapping: ``run["x"]``, ``"x" in run``, ``run.items()``.

    At an event there are two rows: before it and after it. An array is read as a whole,
    ``run["y"]`` with the shape (nt, ...), or by element, ``run["y[1]"]``; columns are its elements.

    Attributes
    ----------
    name : str
        Name of the model.
    time : ndarray, shape (nt,)
        s.
    columns : mapping of str to ndarray, each shape (nt,)
        States, inputs, discrete variables and outputs.
    units : mapping of str to str
        Unit of each column.
    events : tuple of (float, str)
        Time and name of each event, when it becomes active and when it ends; an impact is named
        once.
    statistics : mapping of str to number
        Steps, steps made in C, evaluations of the right-hand side, largest residual of the
        position problem.
    steps : tuple of (float, str)
        Times, s, from which methods made the steps, and their names.
    switches : tuple of (float, str)
        Times at which the run changed its coordinates, or crossed a singular configuration of the
        mechanism itself.
    descriptions : mapping of str to str
        One line for each column that has one.
    motion : Motion or None
        Configurations at the same rows, for pictures.
    backend : {"python", "c"} or None
        Backend that evaluated the equations: C if it did so at any point; None where it was an FMU.
    arrays : mapping of str to tuple of int
        Shapes of the arrays whose elements are columns.
    """

    name: str
    time: np.ndarray
    columns: Mapping[str, np.ndarray]
    units: dict[str, str]
    events: tuple[tuple[float, str], ...] = ()
    statistics: dict[str, float] = field(default_factory=dict)
    switches: tuple[tuple[float, str], ...] = ()
    descriptions: dict[str, str] = field(default_factory=dict)
    motion: Motion | None = None
    backend: Evaluator | None = None
    steps: tuple[tuple[float, str], ...] = ()
    arrays: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    _elsewhere: ClassVar[dict[str, str]] = {
        "savefig": "save a figure: run.plot('x').savefig('x.png'), run.draw(1.0).savefig(...)",
        "show": "figures are shown by matplotlib.pyplot.show(), or by run.plot('x') in a notebook",
    }

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            found = [c for c in vars(self).get("columns", ()) if c.replace(".", "_") == name]
            if not found:
                return super().__getattr__(name)
            hint = f"a result is read by name: run[{found[0]!r}]"
            return near_names.missing_attribute(self, name, hint, sought=True)

    __eq__ = object.__eq__  # arrays compare element by element, which has no truth value
    __hash__ = object.__hash__

    def __getitem__(self, name: str) -> np.ndarray:
        if not isinstance(name, str):
            first = next(iter(self.columns), "x")
            raise KeyError(f"no result {name!r}; give a name, then a row, as in run[{first!r}][0]")
        if name in self.arrays and name not in self.columns:
            shape = self.arrays[name]
            stacked = np.stack([self.columns[one] for one in self._elements(name)], axis=-1)
            return stacked.reshape(len(self.time), *shape)
        if name not in self.columns:
            hint = "; the time is run.time" if name == "time" else ""
            if not hint and self.motion is not None:
                hint = f"; add others by model.output({name!r}, expression)"
            known = [*self.arrays, *self.columns]
            raise KeyError(near_names.unknown("result", name, known) + hint)
        return self.columns[name]

    def _elements(self, name: str) -> tuple[str, ...]:
        """Return the columns of a name: itself, or the elements of an array."""
        if name in self.columns or name not in self.arrays:
            return (name,)
        return Array(name, self.arrays[name], "").elements

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def _title(self) -> str:
        return f"result of {self.name}"

    def _facts(self) -> list[str]:
        span = f" from {self.time[0]:g} s to {self.time[-1]:g} s" if len(self.time) else ""
        happened = f"{len(self.events)} event" + "s" * (len(self.events) != 1)
        return [
            wording.count(len(self.time), "row") + span,
            wording.listed(self.columns),
            happened if self.events else "",
        ]

    def _tables(self) -> list[summary.Table]:
        head = ("name", "unit", "first", "last", "least", "largest", "description")
        events = [(f"{time:.6g}", name) for time, name in self.events]
        return [
            summary.Table(
                "columns", head, column_rows(self.columns, self.units, self.descriptions)
            ),
            summary.Table("events", ("time / s", "name"), events),
        ]

    @explains_arguments
    def at(self, time: float) -> dict[str, float]:
        """Return all values at a time, linearly between rows; at an event those after it.

        Parameters
        ----------
        time : float
            Within the result, s.

        Raises
        ------
        ModelError
            If the time is not a number, or is outside the run.
        """
        t = checks.real(f"{self.name}: at", "time", time, unit="s")
        return interpolated(self.name, self.time, self.columns, t)

    @explains_arguments
    def between(self, begin: float, end: float) -> Result:
        """Return the part of the result from ``begin`` to ``end``, both included, s.

        Raises
        ------
        ModelError
            If there is no row between them.
        """
        first, last = (
            checks.real(f"{self.name}: between", what, t, unit="s")
            for what, t in (("begin", begin), ("end", end))
        )
        within = (self.time >= first) & (self.time <= last)
        if not within.any():
            raise ModelError(f"{self.name}: there is no row from t = {first:g} s to {last:g} s")
        return replace(
            self,
            time=self.time[within],
            columns={name: values[within] for name, values in self.columns.items()},
            events=tuple(e for e in self.events if first <= e[0] <= last),
            switches=tuple(e for e in self.switches if first <= e[0] <= last),
            motion=None if self.motion is None else self.motion.rows(within),
        )

    @explains_arguments
    def final(self, name: str) -> float:
        """Return the last value of the column ``name``.

        Raises
        ------
        ModelError
            If it is an array.
        """
        last = self[name][-1]
        if np.ndim(last):
            raise ModelError(f"{self.name}: {name} is an array; write run[{name!r}][-1]")
        return float(last)

    def plot(self, *names: str, against: str | None = None) -> Figure:
        """Draw columns, one axes each unit; return the figure.

        Parameters
        ----------
        names : str
            Columns, or arrays for all of their elements; all by default.
        against : str, optional
            Column over which they are drawn, in place of time.

        Raises
        ------
        KeyError
            If there is no column of a name.
        """
        chosen = [one for name in names or self.columns for one in self._elements(name)]
        columns = [self._column(name) for name in chosen]
        over = None if against is None else self._column(against)
        return plot_columns(self.name, self.time, columns, over)

    @explains_arguments
    def draw(
        self,
        time: Value | None = None,
        *,
        view: View = None,
        axes: bool = True,
        names: bool = False,
        trail: bool = True,
    ) -> Figure:
        """Draw the system at a time, with its forces and the trails of points.

        Parameters
        ----------
        time : float or str, optional
            Within the result, s; its end where absent. Between rows, configurations are solved for.
        view, axes, names
            As in ``Model.draw``.
        trail : bool
            Whether paths up to then are drawn.

        Returns
        -------
        Figure
            Not shown and not saved; call ``figure.savefig``.

        Raises
        ------
        ModelError
            If the time is outside, the model has no shapes, or the result no configurations.
        """
        return self._moving.draw(time, view=view, axes=axes, names=names, trail=trail)

    play = taken("_moving", Moving.play)
    animate = taken("_moving", Moving.animate)

    @property
    def _moving(self) -> Moving:
        return Moving(self.name, self.motion, "simulate the model here, without store")

    def _column(self, name: str) -> Column:
        values = self[name]
        return Column(name, self.units[name], values)

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with the index ``time``, and ``attrs`` with name and units."""
        return to_pandas(self.name, self.time, self.columns, self.units, self.descriptions)

    def to_xarray(self) -> xarray.Dataset:
        """Return a dataset over ``time``, each variable with ``units`` and ``long_name``.

        An array is one variable, with the dimension ``NAME_index``, or ``NAME_row`` and
        ``NAME_column``, counted from 1.
        """
        return to_xarray(
            self.name, self.time, self.columns, self.units, self.descriptions, self.arrays
        )

    @explains_arguments
    def to_csv(self, path: str | Path) -> Path:
        """Write all columns to a CSV file at ``path``; its header holds names and units.

        Raises
        ------
        ModelError
            If there cannot be such a file.
        """
        owner = f"{self.name}: to_csv"
        target = file_path(owner, path)
        head = io.StringIO()
        csv.writer(head).writerow(["time [s]", *(f"{n} [{self.units[n]}]" for n in self.columns)])
        with writing(owner, target), target.open("wb") as stream:
            stream.write(head.getvalue().encode())
            stream.writelines(csv_lines([self.time, *self.columns.values()]))
        return target

    @explains_arguments
    def to_npz(self, path: str | Path) -> Path:
        """Write all columns to a NumPy archive at ``path``, with ``time`` and ``units``.

        Raises
        ------
        ModelError
            If there cannot be such a file, or a column has a name that an archive needs itself.
        """
        owner = f"{self.name}: to_npz"
        for name in _OF_ARCHIVES:
            if name in self.columns:
                raise ModelError(
                    f"{owner}: there is a column {name!r}, a name that an archive reserves; "
                    "rename that variable, or use to_csv"
                )
        target = file_path(owner, path)
        units: Any = np.array([f"{n}={u}" for n, u in self.units.items()])
        with writing(owner, target):
            np.savez(target, time=self.time, units=units, **self.columns)  # type: ignore[arg-type]
        return target if target.suffix == ".npz" else target.with_name(target.name + ".npz")

    @explains_arguments
    def table(self, names: Sequence[str], times: Sequence[float]) -> np.ndarray:
        """Return values at times that the result contains, shape (len(times), len(names)).

        Raises
        ------
        KeyError
            If there is no column of a name.
        ModelError
            If a time is outside of the result, or not in it.
        """
        names = checks.names("table", "names", names)
        if isinstance(times, str) or not isinstance(times, Iterable) or not np.ndim(times):
            raise ModelError(f"table: times = {times!r}; give a list, [{times!r}]")
        rows = [self._row(checks.scalar("table: a time", t)) for t in times]
        return np.column_stack([self[n][rows] for n in names])

    def _row(self, time: float) -> int:
        """Number of the row of a time."""
        row = int(np.argmin(np.abs(self.time - time)))
        if not abs(self.time[row] - time) <= SAME_TIME * max(1.0, float(self.time[-1])):
            raise ModelError(
                f"{self.name}: there is no result at t = {time:.9g} s; the nearest is at "
                f"{self.time[row]:.9g} s, the last at {self.time[-1]:.9g} s: simulate with "
                f"samples=[..., {time:.9g}, ...]"
            )
        return row
