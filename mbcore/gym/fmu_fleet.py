"""The runs of a vector environment as instances of an FMU, one after the other.

It is a module apart from `mbcore.gym.vector_environment`, since that one also has those in lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbcore.gym.columns import Columns
from mbcore.gym.fmu_model import FmuModel
from mbcore.gym.fmu_run import FmuRun
from mbcore.gym.task import TIME, Task
from mbcore.model.errors import ModelError, SimulationError


class FmuFleet:
    """Runs of a task that step together; its methods are those of `mbcore.gym.lane_fleet`.

    Parameters
    ----------
    task : Task
        Of an FMU.
    count : int
        How many.

    Raises
    ------
    ModelError
        If a process may have one instance only.
    """

    def __init__(self, task: Task, count: int) -> None:
        assert isinstance(task.model, FmuModel)
        if task.model.only_once and count > 1:
            raise ModelError(
                f"VectorEnvironment: FMU {task.model.name} allows one instance in a process; take "
                "gymnasium.vector.AsyncVectorEnv of single environments"
            )
        self._task, self._runs = task, [FmuRun(task) for _ in range(count)]

    def begin(self, which: Sequence[int], drawn: Sequence[dict[str, dict[str, Any]]]) -> None:
        """Begin runs of these numbers with what was drawn for each."""
        for i, values in zip(which, drawn, strict=True):
            self._runs[i].begin(**values)

    def go_on(
        self, begun: np.ndarray, ends: np.ndarray, held: np.ndarray, running: np.ndarray
    ) -> dict[int, str]:
        """Let runs go on to times, s; return why some of those running cannot."""
        reasons: dict[int, str] = {}
        for i in np.flatnonzero(running).tolist():
            try:
                self._runs[i].go_on(float(ends[i]), held[i])
            except SimulationError as error:
                reasons[i] = str(error)
        return reasons

    def values(self) -> Columns:
        """Return all columns, with a value of each run."""
        each = [run.values() for run in self._runs]
        names = (*self._task.columns, TIME)
        return Columns(names, {}, lambda name: np.array([values[name] for values in each]))

    def close(self) -> None:
        """Free all instances."""
        for run in self._runs:
            run.close()
