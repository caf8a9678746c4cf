"""A run of an FMU that goes on step by step; used by `mbcore.gym.environment` and vectors of these.

It has the methods of `mbcore.gym.run.Run`. A run begins by the FMU's state where values are those
of the run before, else by the FMU's reset, else by another instance.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from mbcore.fmi.running.cosimulation import CoSimulation
from mbcore.fmi.running.instance import Saved
from mbcore.gym.columns import Columns
from mbcore.gym.fmu_model import FmuModel
from mbcore.gym.task import OWNER, TIME, Task
from mbcore.model import checks
from mbcore.model.errors import SimulationError


class FmuRun:
    """A run that is begun again and again.

    Parameters
    ----------
    task : Task
        Whose model is an FMU.
    """

    def __init__(self, task: Task) -> None:
        assert isinstance(task.model, FmuModel)
        self._task, self._model = task, task.model
        self._units = {
            record.name: record.unit
            for records in (self._model.inputs, self._model.parameters, self._model.states)
            for record in records
        }
        self._instance: CoSimulation | None = None
        self._free: Callable[[], object] = lambda: None
        self._begun: dict[str, Any] = {}
        self._saved: Saved | None = None
        self._read = task.read
        self._values: dict[str, float] = {}

    def begin(self, start: dict[str, Any], parameters: dict[str, Any]) -> None:
        """Begin at start values, with parameters.

        Raises
        ------
        ModelError
            If a value is impossible.
        SimulationError
            If the FMU cannot start there.
        """
        values = {**self._task.inputs, **parameters, **start}
        given = {name: self._number(name, value) for name, value in values.items()}
        if not (self._saved is not None and given == self._begun and self._restored()):
            self._forget()
            if not self._restarted(given):
                self.close()
                self._instance = self._model.instance(given)
                self._free = weakref.finalize(self, self._instance.free)
            self._begun = given
            if self._model.restores:
                assert self._instance is not None
                self._saved = self._instance.saved()
        self._note()

    def go_on(self, end: float, held: np.ndarray) -> None:
        """Go on to a time, s, with these values of the actions.

        Raises
        ------
        SimulationError
            Where the FMU cannot go on.
        """
        assert self._instance is not None
        self._instance.set(dict(zip(self._task.acting, held.tolist(), strict=True)))
        self._instance.advance(end)
        self._note()

    def return_to_accepted(self) -> None:
        """Keep the values of the last step that was good."""

    def values(self) -> Columns:
        """Return all columns at the present point, and the time, s."""
        return Columns((*self._task.columns, TIME), self._values, self._find)

    def close(self) -> None:
        """Free the FMU."""
        self._free()
        self._instance = self._saved = None

    def _number(self, name: str, value: Any) -> Any:
        if isinstance(value, str):
            return checks.real(OWNER, name, value, unit=self._units[name])
        return value

    def _restored(self) -> bool:
        assert self._instance is not None and self._saved is not None
        try:
            self._instance.restore(self._saved)
        except SimulationError:
            self._saved = None
            return False
        return True

    def _forget(self) -> None:
        if self._saved is not None and self._instance is not None:
            self._instance.forget(self._saved)
        self._saved = None

    def _restarted(self, given: dict[str, Any]) -> bool:
        """Whether the instance has begun anew; many FMUs do not by their reset."""
        if self._instance is None:
            return False
        try:
            self._instance.restart(given)
        except SimulationError:
            return False
        return True

    def _note(self) -> None:
        assert self._instance is not None
        self._values = dict(zip(self._read, self._instance.get(self._read), strict=True))
        self._values[TIME] = self._instance.time

    def _find(self, name: str) -> float:
        """Return a further column now, and read it from now on."""
        assert self._instance is not None
        self._read = (*self._read, name)
        return self._instance.get([name])[0]
