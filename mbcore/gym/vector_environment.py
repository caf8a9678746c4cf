"""Many runs of a model at once, in vector lanes, as a vector environment of Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from mbcore.evaluation.evaluation import Evaluation
from mbcore.gym.columns import Columns
from mbcore.gym.environment import changed, spaces
from mbcore.gym.ranges import Draws
from mbcore.gym.run import Run
from mbcore.gym.task import TIME, Task
from mbcore.model import checks
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.native.batch import batch_of
from mbcore.native.lockstep import Lockstep
from mbcore.sweeps.instances.lanes import LaneTask


class VectorEnvironment(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Environments of one task that step together, several in one vector of the processor.

    Each is an `Environment` whose seed is its number more than the given one. Functions of the task
    are called once for all, with arrays of shape (n,). One that has ended begins anew with the next
    step, whose action counts for nothing. Where a lane cannot go on, as at a singular
    configuration, its instance makes the step by itself.

    Parameters
    ----------
    task : Task
        What is observed and done. Its method is one that `mbcore.simulate_many` has in lanes,
        DOP853 where it is ``"auto"``.
    num_envs : int
        How many.

    Raises
    ------
    ModelError
        If the model or the method is not in lanes.
    CompilerError
        If the equations cannot be compiled.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(self, task: Task, num_envs: int) -> None:
        if not isinstance(task, Task):
            raise ModelError(f"VectorEnvironment: {task!r} is no task; give a mbcore.gym.Task")
        self.num_envs = n = checks.whole("VectorEnvironment", "num_envs", num_envs, 1)
        self.task = task
        self.single_observation_space, self.single_action_space = spaces(task)
        self.observation_space = batch_space(self.single_observation_space, n)
        self.action_space = batch_space(self.single_action_space, n)
        self._lanes, self._given = lanes_of(task, n)
        q = task.equations
        self._carried = len(q.states) + len(q.discretes)
        first = {record.name: self._carried + i for i, record in enumerate(q.inputs)}
        self._acting = [first[name] for name in task.acting]
        behind = self._carried + len(q.inputs)
        self._places = {record.name: i for i, record in enumerate(q.states)}
        self._places |= {r.name: behind + i for i, r in enumerate(q.parameters)}
        self._kept = kept_of(task)
        self._observed = [self._kept.index(name) for name in task.observed]
        self._low, self._high = task.limits(task.observed)
        self._steps, self._over = np.zeros(n, int), np.ones(n, bool)
        self._random: list[np.random.Generator] = []
        self._drawn: list[dict[str, dict[str, Any]]] = [{} for _ in range(n)]
        self._alone: Run | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin all runs; errors as those of `Environment.reset`.

        Parameters
        ----------
        seed : int, optional
            Of the first environment; each further one has the next number.
        options : mapping, optional
            Other values or ranges of ``start`` and ``parameters``, for the first run of each.
        """
        super().reset(seed=seed)
        if seed is not None or not self._random:
            first = self.np_random_seed if seed is None else seed
            self._random = [seeding.np_random(first + i)[0] for i in range(self.num_envs)]
        self._begin(np.arange(self.num_envs), changed(self.task, options))
        return self._observations(), {}

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Hold an action in each for a step; errors as those of `Environment.step`."""
        if not self._random:
            raise ModelError("VectorEnvironment: no run has begun; call reset()")
        task, lanes, n = self.task, self._lanes, self.num_envs
        held, anew = task.acted(actions, n), self._over.copy()
        lanes.start[:, : self._carried] = before = lanes.rows[:, : self._carried].copy()
        lanes.start[:, self._acting] = held
        lanes.begun[:] = self._steps * task.period
        left = np.flatnonzero(~(lanes.go_on() | anew))
        self._steps += 1
        reasons: dict[int, str] = {}
        for i in left.tolist():
            if (reason := self._step_alone(i, before[i], held[i])) is not None:
                reasons[i] = reason
        if anew.any():
            self._begin(np.flatnonzero(anew), task.drawn)
        values = self._values()
        rewards = self._each("reward", values)
        reasons |= self._ends(values, anew)
        terminated = np.zeros(n, bool)
        terminated[[*reasons]] = True
        truncated = ~terminated & ~anew & (self._steps >= task.steps)
        self._over = terminated | truncated
        rewards[anew] = 0.0
        return self._observations(), rewards, terminated, truncated, self._info(reasons)

    def _info(self, reasons: Mapping[int, str]) -> dict[str, Any]:
        info: dict[str, Any] = {}
        for i, reason in reasons.items():
            info = self._add_info(info, {"ended_by": reason}, i)
        return info

    def _values(self) -> Columns:
        found = dict(zip(self._kept, self._lanes.rows.T, strict=True))
        found[TIME] = self._steps * self.task.period
        return Columns((*self.task.columns, TIME), found, self._keep)

    def _keep(self, name: str) -> np.ndarray:
        """Return a further column now, and keep it from now on."""
        lanes = self._lanes
        lanes.start[:, : self._carried] = lanes.rows[:, : self._carried]
        lanes.begun[:] = self._steps * self.task.period
        self._kept = (*self._kept, name)
        lanes.keep_more([self.task.columns.index(kept) for kept in self._kept])
        return lanes.rows[:, -1]

    def _each(self, what: Any, values: Columns) -> np.ndarray:
        """Return the reward, or the end, of each."""
        rule = self.task.reward if what == "reward" else self.task.terminated
        assert rule is not None
        try:
            found = np.asarray(self.task.evaluated(rule, values, what), float)
            return np.broadcast_to(found, self.num_envs).copy()
        except ValueError as error:
            raise ModelError(
                f"{what}: {error}; its function is given arrays with a value for each environment: "
                "let it use numpy.where in place of if"
            ) from error

    def _ends(self, values: Columns, anew: np.ndarray) -> dict[int, str]:
        """Return why runs end at the end of a step, by their numbers."""
        found: dict[int, str] = {}
        for name, (low, high) in self.task.observed.items():
            seen = values[name]
            for i in np.flatnonzero(~anew & ~((seen >= low) & (seen <= high))).tolist():
                found.setdefault(i, f"{name} = {seen[i]:.6g}, beyond {low:g} to {high:g}")
        rule = self.task.terminated
        if rule is not None:
            name = rule if isinstance(rule, str) else "terminated"
            over = self._each("terminated", values) != 0
            found |= dict.fromkeys(np.flatnonzero(over & ~anew).tolist(), name)
        for name in reversed(self.task.ends):
            active = values[f"{name}.active"] > 0.5
            found |= dict.fromkeys(np.flatnonzero(active & ~anew).tolist(), name)
        return found

    def _observations(self) -> np.ndarray:
        return np.clip(self._lanes.rows[:, self._observed], self._low, self._high)

    def _begin(self, which: np.ndarray, draws: Draws) -> None:
        """Begin runs of these numbers."""
        lanes = self._lanes
        lanes.start[which] = self._given
        for i in which.tolist():
            self._drawn[i] = draws.draw(self._random[i])
            for values in self._drawn[i].values():
                for name, value in values.items():
                    if isinstance(value, float):
                        lanes.start[i, self._places[name]] = value
        lanes.begun[which] = self._steps[which] = 0
        self._over[which] = False
        for i in which[~lanes.begin(which)].tolist():
            raise SimulationError(self._why_not(i))

    def _why_not(self, i: int) -> str:
        """Return why an instance cannot begin."""
        try:
            self._by_itself().begin(**self._drawn[i])
        except (ConfigurationError, SimulationError) as error:
            return str(error)
        return (
            f"VectorEnvironment: environment {i} cannot begin in lanes at {self._drawn[i]}; take "
            "gymnasium.vector.SyncVectorEnv of single environments"
        )

    def _by_itself(self) -> Run:
        if self._alone is None:
            self._alone = Run(self.task)
        return self._alone

    def _step_alone(self, i: int, before: np.ndarray, held: np.ndarray) -> str | None:
        """Make a step of an instance that has left its lane; return why it cannot, if so."""
        run, lanes, q = self._by_itself(), self._lanes, self.task.equations
        reason, x = None, lanes.kept[i, : len(q.coordinate_names)]
        try:
            run.begin_at(lanes.begun[i], before, x, self._drawn[i]["parameters"])
            run.go_on(lanes.begun[i] + self.task.period, held)
        except (ConfigurationError, SimulationError) as error:
            reason = str(error)
            run.return_to_accepted()
        values = run.values()
        lanes.rows[i] = [values[name] for name in self._kept]
        x[:] = run.configuration()
        return reason


def kept_of(task: Task) -> tuple[str, ...]:
    """Return the columns that a task reads for sure, behind states and discrete variables.

    Outputs cost as much as a stage of a step, so others are kept where a function asks for one.
    """
    q = task.equations
    carried = [record.name for record in (*q.states, *q.discretes)]
    rules = [rule for rule in (task.reward, task.terminated) if isinstance(rule, str)]
    ends = [f"{name}.active" for name in task.ends]
    return tuple(dict.fromkeys([*carried, *task.observed, *rules, *ends]))


def lanes_of(task: Task, count: int) -> tuple[Lockstep, np.ndarray]:
    """Return the model of a task in lanes, and where all its instances begin.

    Raises
    ------
    ModelError
        If the model or the method is not in lanes.
    CompilerError
        If the equations cannot be compiled.
    """
    q = task.equations
    options = {"method": "DOP853" if task.method == "auto" else task.method, "backend": "c"}
    options |= {"rtol": task.rtol, "atol": task.atol, "max_step": task.max_step}  # type: ignore[dict-item]
    lanes = LaneTask(q, task.period, {}, {}, {}, kept_of(task), None, options)
    if not lanes.fits([*task.start, *task.parameters]):
        raise ModelError(
            f"VectorEnvironment: {q.name} by {task.method} is not in lanes; take "
            "gymnasium.vector.SyncVectorEnv of single environments"
        )
    fixed = task.drawn.fixed
    first = Evaluation(q, fixed["parameters"], task.inputs)
    first.go_to_start(fixed["start"])
    given = first.common_values()
    batch = batch_of(q, compile_it=True)
    assert batch is not None
    return Lockstep(batch, q, given, count, lanes.control()), given
