"""The runs of a vector environment in lanes; what leaves them makes its steps by itself.

It is a module apart from `mbcore.gym.vector_environment`, since that one also has those of FMUs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbcore.evaluation.evaluation import Evaluation
from mbcore.gym.columns import Columns
from mbcore.gym.run import Run
from mbcore.gym.task import TIME, Task
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.native.batch import batch_of
from mbcore.native.lockstep import Lockstep
from mbcore.sweeps.instances.lanes import LaneTask


class LaneFleet:
    """Runs of a task that step together.

    Parameters
    ----------
    task : Task
        Of equations.
    count : int
        How many.

    Raises
    ------
    ModelError
        If the model or the method is not in lanes.
    CompilerError
        If the equations cannot be compiled.
    """

    def __init__(self, task: Task, count: int) -> None:
        self._task, q = task, task.own_equations
        states = [record.name for records in (q.states, q.discretes) for record in records]
        # Outputs cost as much as a stage of a step: others are kept where a function asks for one.
        self._kept = tuple(dict.fromkeys([*states, *task.read]))
        self.lanes, self._given = _lanes_of(task, count, self._kept)
        self._carried = len(states)
        first = {record.name: self._carried + i for i, record in enumerate(q.inputs)}
        self._acting = [first[name] for name in task.acting]
        behind = self._carried + len(q.inputs)
        self._places = {record.name: i for i, record in enumerate(q.states)}
        self._places |= {r.name: behind + i for i, r in enumerate(q.parameters)}
        self._drawn: list[dict[str, dict[str, Any]]] = [{} for _ in range(count)]
        self._times = np.zeros(count)
        self._alone: Run | None = None

    def begin(self, which: Sequence[int], drawn: Sequence[dict[str, dict[str, Any]]]) -> None:
        """Begin runs of these numbers with what was drawn for each.

        Raises
        ------
        SimulationError
            If one cannot begin.
        """
        lanes, numbers = self.lanes, np.array(which, int)
        lanes.start[numbers] = self._given
        for i, values_of in zip(which, drawn, strict=True):
            self._drawn[i] = values_of
            for values in values_of.values():
                for name, value in values.items():
                    if isinstance(value, float):
                        lanes.start[i, self._places[name]] = value
        lanes.begun[numbers] = self._times[numbers] = 0
        for i in numbers[~lanes.begin(numbers)].tolist():
            raise SimulationError(self._why_not(i))

    def go_on(
        self, begun: np.ndarray, ends: np.ndarray, held: np.ndarray, running: np.ndarray
    ) -> dict[int, str]:
        """Let runs go on from times to others, s; return why some of those running cannot.

        Parameters
        ----------
        held : ndarray, shape (n, actions)
            Values of the actions.
        running : ndarray, shape (n,)
            Which runs count.
        """
        lanes = self.lanes
        before = lanes.rows[:, : self._carried].copy()
        lanes.start[:, : self._carried] = before
        lanes.start[:, self._acting] = held
        lanes.begun[:] = begun
        left = np.flatnonzero(~lanes.go_on() & running)
        self._times = ends.copy()
        reasons: dict[int, str] = {}
        for i in left.tolist():
            if (reason := self._step_alone(i, before[i], held[i])) is not None:
                reasons[i] = reason
        return reasons

    def values(self) -> Columns:
        """Return all columns, with a value of each run."""
        found = dict(zip(self._kept, self.lanes.rows.T, strict=True))
        found[TIME] = self._times
        return Columns((*self._task.columns, TIME), found, self._keep)

    def close(self) -> None:
        """Lanes have nothing to free."""

    def _keep(self, name: str) -> np.ndarray:
        """Return a further column now, and keep it from now on."""
        lanes = self.lanes
        lanes.start[:, : self._carried] = lanes.rows[:, : self._carried]
        lanes.begun[:] = self._times
        self._kept = (*self._kept, name)
        lanes.keep_more([self._task.columns.index(kept) for kept in self._kept])
        return lanes.rows[:, -1]

    def _why_not(self, i: int) -> str:
        """Return why an instance cannot begin."""
        try:
            self._by_itself().begin(**self._drawn[i])
        except (ConfigurationError, SimulationError) as error:
            return str(error)
        return (
            f"VectorEnvironment: environment {i} cannot start in lanes at {self._drawn[i]}; use "
            "gymnasium.vector.SyncVectorEnv of single environments"
        )

    def _by_itself(self) -> Run:
        if self._alone is None:
            self._alone = Run(self._task)
        return self._alone

    def _step_alone(self, i: int, before: np.ndarray, held: np.ndarray) -> str | None:
        """Make a step of an instance that has left its lane; return why it cannot, if so."""
        run, lanes, q = self._by_itself(), self.lanes, self._task.own_equations
        reason, x = None, lanes.kept[i, : len(q.coordinate_names)]
        try:
            run.begin_at(lanes.begun[i], before, x, self._drawn[i]["parameters"])
            run.go_on(lanes.begun[i] + self._task.period, held)
        except (ConfigurationError, SimulationError) as error:
            reason = str(error)
            run.return_to_accepted()
        values = run.values()
        lanes.rows[i] = [values[name] for name in self._kept]
        x[:] = run.configuration()
        return reason


def _lanes_of(task: Task, count: int, kept: Sequence[str]) -> tuple[Lockstep, np.ndarray]:
    """Return the model of a task in lanes, and where all its instances begin."""
    q = task.own_equations
    options = {"method": "DOP853" if task.method == "auto" else task.method, "backend": "c"}
    options |= {"rtol": task.rtol, "atol": task.atol, "max_step": task.max_step}  # type: ignore[dict-item]
    lanes = LaneTask(q, task.period, {}, {}, {}, kept, None, options)
    if not lanes.fits([*task.start, *task.parameters]):
        raise ModelError(
            f"VectorEnvironment: {q.name} by {task.method} cannot run in lanes; use "
            "gymnasium.vector.SyncVectorEnv of single environments"
        )
    fixed = task.drawn.fixed
    first = Evaluation(q, fixed["parameters"], task.inputs)
    first.go_to_start(fixed["start"])
    given = first.common_values()
    batch = batch_of(q, compile_it=True)
    assert batch is not None
    return Lockstep(batch, q, given, count, lanes.control()), given
