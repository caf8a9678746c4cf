"""Instances that follow each other: their runs, and their outcomes.

Used by `mbcore.sweeps.simulate_many` alone; it stands apart because it knows of one portion only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mbcore.model.errors import CompilerError, SimulationError, warn_user
from mbcore.native.batch import Interrupted, Outcome, batch_of
from mbcore.native.signals import Function
from mbcore.sweeps.instances.inputs import following
from mbcore.sweeps.outcome import outcome
from mbcore.sweeps.simulations import Simulations

if TYPE_CHECKING:
    import xarray

OWNER = "simulate_many"
INSTANCE = "instance"
ERROR = "error"
NOT_REACHED = "not simulated: interrupted"


class Portion:
    """Instances that follow each other, and their outcomes so far.

    Parameters
    ----------
    task : Simulations
        Task for each of them.
    arrays : mapping of str to ndarray, shape (n,)
        Values that differ.
    own : mapping of str to sequence of callable
        Inputs that are another function of time for each.
    first : int
        Number of the first one.
    """

    def __init__(
        self,
        task: Simulations,
        arrays: Mapping[str, np.ndarray],
        own: Mapping[str, Sequence[Function]],
        first: int = 0,
    ) -> None:
        self._task, self._arrays, self._own, self.first = task, arrays, own, first
        self._lanes = task.lane_task()
        self._times = self._lanes.times
        self._rows = np.empty((0, len(self._times), len(self._lanes.names)))
        self._outcome = np.full(len(self), Outcome.LEFT_TO_HOST, np.uint8)
        self.errors: dict[int, str] = {}
        self.warnings: dict[int, str] = {}

    def __len__(self) -> int:
        return len(next(iter({**self._arrays, **self._own}.values())))

    @property
    def bytes_each(self) -> int:
        """Memory that the results of an instance take."""
        return 8 * len(self._times) * len(self._lanes.names)

    @property
    def ended(self) -> int:
        """Number of those that have values, or an error."""
        return int(np.count_nonzero(self._outcome == Outcome.DONE)) + len(self.errors)

    @property
    def reached(self) -> int:
        """Number of those up to the last one that has ended."""
        return 1 + max([-1, *np.flatnonzero(self._outcome == Outcome.DONE), *self.errors])

    def part(self, first: int, behind: int) -> Portion:
        """Return instances of these, from the ``first`` up to the one ``behind``."""
        arrays = {name: values[first:behind] for name, values in self._arrays.items()}
        own = {name: following(of, first, behind) for name, of in self._own.items()}
        return Portion(self._task, arrays, own, self.first + first)

    def run(self, threads: int, report: Callable[[int], object]) -> bool:
        """Run all; return whether the user has interrupted, after which some have not ended.

        Parameters
        ----------
        threads : int
            How many; as many as there are processors where it is 0.
        report : callable
            Called with the number of instances that have ended.
        """
        try:
            self._run_in_lanes(threads, report)
            self._run_others(report)
        except KeyboardInterrupt:
            return True
        return False

    def _run_in_lanes(self, threads: int, report: Callable[[int], object]) -> None:
        """Run those that meet no singular configuration and no violation."""
        if not self._lanes.fits([*self._arrays, *self._own]):
            return
        try:
            batch = batch_of(self._lanes.equations, compile_it=True)
        except CompilerError as error:
            if not self.first:
                warn_user(f"{OWNER}: {error}; instances are simulated one by one")
            return
        if batch is not None:
            if not self.first:
                self._lanes.compare_rates(self._arrays, self._own)
            try:
                found = self._lanes.run(batch, self._arrays, self._own, threads, report)
            except Interrupted as error:
                self._rows, self._outcome = error.rows, error.outcome
                raise
            self._rows, self._outcome = found

    def _run_others(self, report: Callable[[int], object]) -> None:
        """Simulate the others one by one."""
        self._begin()
        for k in np.flatnonzero(self._outcome == Outcome.LEFT_TO_HOST):
            index = int(k)
            point = {name: float(array[index]) for name, array in self._arrays.items()}
            own = {name: functions[index] for name, functions in self._own.items()}
            found = outcome(self._task.with_inputs(own), index, point)
            self._rows[index] = np.nan  # what its lane has left
            for place, part in enumerate(found.values.values()):
                self._rows[index, :, place] = part.values
            if found.error:
                self.errors[index] = found.error
            else:
                self._outcome[index] = Outcome.DONE
            if found.warning:
                self.warnings[index] = found.warning
            report(self.ended)

    def _begin(self) -> None:
        """Make rows where there are none."""
        if not len(self._rows):
            self._rows = np.full((len(self), *self._rows.shape[1:]), np.nan)

    def dataset(self) -> xarray.Dataset:
        """Return all as a dataset."""
        import xarray  # slow to import, so it is imported only on demand

        self._begin()
        q = self._task.equations
        records = [r for rs in (q.states, q.discretes, q.inputs, q.outputs) for r in rs]
        about = {r.name: {"units": r.unit, "long_name": r.description or r.name} for r in records}
        data: dict[str, Any] = {
            name: ((INSTANCE, "time"), self._rows[:, :, k], about[name])
            for k, name in enumerate(self._lanes.names)
        }
        messages = np.full(len(self), "", dtype=object)
        not_done = self._outcome != Outcome.DONE
        messages[not_done] = NOT_REACHED
        not_done[list(self.errors)] = False  # these hold what they reached in Python
        self._rows[not_done] = np.nan
        for index, text in self.errors.items():
            messages[index] = text
        data[ERROR] = (INSTANCE, messages, {"long_name": "why there are no values, else empty"})
        coordinates: dict[str, Any] = {"time": ("time", self._times, {"units": "s"})}
        coordinates[INSTANCE] = np.arange(self.first, self.first + len(self))
        units = self._task.units()
        states = {record.name for record in q.states}
        for name, array in self._arrays.items():
            shown = f"{name}.start" if name in states else name
            coordinates[shown] = (INSTANCE, array, {"units": units[name]})
        return xarray.Dataset(data, coordinates, {"name": q.name})


@dataclass
class Findings:
    """How many instances of all portions have ended, failed or warned, and the first of each.

    Attributes
    ----------
    total : int
        Number of instances that there are.
    ended, failed, warned : int
        How many.
    first_error, first_warning : tuple of int and str
        Number of an instance, and its message.
    """

    total: int
    ended: int = 0
    failed: int = 0
    warned: int = 0
    first_error: tuple[int, str] = field(default=(0, ""))
    first_warning: tuple[int, str] = field(default=(0, ""))

    def add(self, portion: Portion) -> None:
        """Add the outcomes of a portion; portions come in their order."""
        if portion.errors and not self.failed:
            self.first_error = _first(portion.first, portion.errors)
        if portion.warnings and not self.warned:
            self.first_warning = _first(portion.first, portion.warnings)
        self.ended += portion.ended
        self.failed += len(portion.errors)
        self.warned += len(portion.warnings)

    def tell_of_interrupt(self, more: str = "") -> None:
        """Warn that the user has interrupted."""
        warn_user(f"{OWNER}: interrupted; {self.ended} of {self.total} instances have ended{more}")

    def tell(self) -> None:
        """Warn of what failed, and of what warned.

        Raises
        ------
        SimulationError
            If all fail.
        """
        if self.failed:
            text = f"first {INSTANCE} {self.first_error[0]}: {self.first_error[1]}"
            if self.failed == self.total:
                raise SimulationError(f"{OWNER}: all {self.total} instances fail, {text}")
            warn_user(
                f"{OWNER}: {self.failed} of {self.total} instances have no values, see the "
                f"variable error; {text}"
            )
        if self.warned:
            warn_user(
                f"{OWNER}: {self.warned} of {self.total} instances warned, first "
                f"{INSTANCE} {self.first_warning[0]}: {self.first_warning[1]}"
            )


def _first(before: int, texts: Mapping[int, str]) -> tuple[int, str]:
    index = min(texts)
    return before + index, texts[index]
