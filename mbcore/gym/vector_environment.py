"""Many runs at once, of a model in vector lanes or of an FMU, as a vector environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from mbcore.equations.equations import Equations
from mbcore.gym.columns import Columns
from mbcore.gym.environment import changed, spaces
from mbcore.gym.fmu_fleet import FmuFleet
from mbcore.gym.lane_fleet import LaneFleet
from mbcore.gym.ranges import Draws
from mbcore.gym.task import Task
from mbcore.model import checks
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError


@explains_construction
class VectorEnvironment(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Environments of one task that step together, several in one vector of the processor.

    Those of an FMU step one after the other.

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
            raise ModelError(f"VectorEnvironment: {task!r} is not a Task; give a mbcore.gym.Task")
        self.num_envs = n = checks.whole("VectorEnvironment", "num_envs", num_envs, 1)
        self.task = task
        self.single_observation_space, self.single_action_space = spaces(task)
        self.observation_space = batch_space(self.single_observation_space, n)
        self.action_space = batch_space(self.single_action_space, n)
        self._fleet: LaneFleet | FmuFleet = (
            LaneFleet(task, n) if isinstance(task.model, Equations) else FmuFleet(task, n)
        )
        self._low, self._high = task.limits(task.observed)
        self._steps, self._over = np.zeros(n, int), np.ones(n, bool)
        self._random: list[np.random.Generator] = []

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
        return self._observations(self._fleet.values()), {}

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Hold an action in each for a step; errors as those of `Environment.step`."""
        if not self._random:
            raise ModelError("VectorEnvironment: no run has begun; call reset()")
        task, n = self.task, self.num_envs
        held, anew = task.acted(actions, n), self._over.copy()
        begun = self._steps * task.period
        self._steps += 1
        reasons = self._fleet.go_on(begun, self._steps * task.period, held, ~anew)
        if anew.any():
            self._begin(np.flatnonzero(anew), task.drawn)
        values = self._fleet.values()
        rewards = self._each("reward", values)
        reasons = self._ends(values, anew) | reasons
        terminated = np.zeros(n, bool)
        terminated[[*reasons]] = True
        truncated = ~terminated & ~anew & (self._steps >= task.steps)
        self._over = terminated | truncated
        rewards[anew] = 0.0
        return self._observations(values), rewards, terminated, truncated, self._info(reasons)

    def _info(self, reasons: Mapping[int, str]) -> dict[str, Any]:
        info: dict[str, Any] = {}
        for i, reason in reasons.items():
            info = self._add_info(info, {"ended_by": reason}, i)
        return info

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

    def _observations(self, values: Columns) -> np.ndarray:
        seen = np.stack([values[name] for name in self.task.observed], axis=1)
        return np.clip(seen, self._low, self._high)

    def _begin(self, which: np.ndarray, draws: Draws) -> None:
        """Begin runs of these numbers."""
        self._steps[which] = 0
        self._over[which] = False
        numbers = which.tolist()
        self._fleet.begin(numbers, [draws.draw(self._random[i]) for i in numbers])

    def close_extras(self, **kwargs: Any) -> None:
        """Free instances of an FMU."""
        self._fleet.close()
