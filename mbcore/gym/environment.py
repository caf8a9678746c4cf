"""One run after the other of a model, as an environment of Gymnasium."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.spaces import Box

from mbcore.equations.equations import Equations
from mbcore.gym.fmu_model import FmuModel
from mbcore.gym.fmu_run import FmuRun
from mbcore.gym.ranges import Draws, draws_of
from mbcore.gym.run import Run
from mbcore.gym.task import OWNER, Task
from mbcore.model import near_names
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError

OPTIONS = ("start", "parameters")
PICTURE = "rgb_array"


@explains_construction
class Environment(gymnasium.Env[np.ndarray, np.ndarray]):
    """A model or an FMU in which an agent acts, one run at a time.

    A run of a model goes on by `mbcore.simulate`'s integrators, with its events and errors; that of
    an FMU by the FMU, in one communication step for each step. It ends where the
    task says so, where an observation leaves its range, and where the model cannot go on, as at a
    violated requirement; ``info["ended_by"]`` says which. Observations are
    clipped to the space; a NaN stays NaN.

    Parameters
    ----------
    task : Task
        What is observed and done.
    render_mode : {"rgb_array"}, optional
        Whether `render` returns pictures.

    Raises
    ------
    ModelError
        If a mode is unknown, or an FMU is to be drawn.
    """

    metadata: dict[str, Any] = {"render_modes": [PICTURE], "render_fps": 30}  # noqa: RUF012

    def __init__(self, task: Task, render_mode: str | None = None) -> None:
        if not isinstance(task, Task):
            raise ModelError(f"Environment: {task!r} is not a Task; give a mbcore.gym.Task")
        self.task, self.render_mode = task, render_mode
        modes = [] if isinstance(task.model, FmuModel) else [PICTURE]  # no shapes in FMUs
        rate = max(1, round(1 / task.period))
        self.metadata = {**self.metadata, "render_modes": modes, "render_fps": rate}
        if render_mode not in (None, *modes):
            remedy = f"give {PICTURE!r} or None" if modes else "an FMU has no picture; leave it out"
            raise ModelError(f"Environment: render_mode = {render_mode!r}; {remedy}")
        self.observation_space, self.action_space = spaces(task)
        name = re.sub(r"\W", "_", task.model.name)
        self.spec = EnvSpec(f"mbcore/{name}-v0", entry_point=Environment, kwargs={"task": task})
        self._run: Run | FmuRun = Run(task) if isinstance(task.model, Equations) else FmuRun(task)
        self._steps = 0
        self._going = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a run at values that the seed draws from their ranges.

        Parameters
        ----------
        seed : int, optional
            Of the random numbers from here on.
        options : mapping, optional
            Other values or ranges of ``start`` and ``parameters``, for this run.

        Raises
        ------
        ModelError
            If an option or a name is unknown or a value impossible.
        ConfigurationError, SimulationError
            If the model cannot start there.
        """
        super().reset(seed=seed)
        draws = changed(self.task, options)
        self._run.begin(**draws.draw(self.np_random))
        self._steps, self._going = 0, True
        return self._observation(self._run.values()), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Hold an action for a step; return observation, reward, terminated, truncated and info.

        Raises
        ------
        ModelError
            If an action is no number or outside of its range, or the run has ended.
        """
        if not self._going:
            raise ModelError("Environment: the run has ended, or not begun; call reset()")
        task = self.task
        held, ended = task.acted(action), None
        self._steps += 1
        try:
            self._run.go_on(self._steps * task.period, held)
        except (ConfigurationError, SimulationError) as error:
            ended = str(error)
            self._run.return_to_accepted()
        values = self._run.values()
        ended = ended or end_of(task, values)
        reward = float(task.evaluated(task.reward, values, "reward"))
        truncated = ended is None and self._steps >= task.steps
        self._going = not (ended or truncated)
        info: dict[str, Any] = {"ended_by": ended} if ended else {}
        return self._observation(values), reward, ended is not None, truncated, info

    def render(self) -> np.ndarray | None:
        """Return the model's picture now, shape (height, width, 3); None without a render mode.

        Raises
        ------
        ModelError
            If nothing of the model has a shape, or no run has begun.
        """
        if self.render_mode is None:
            return None
        assert isinstance(self._run, Run)
        return self._run.picture()

    def close(self) -> None:
        """Free an FMU."""
        if isinstance(self._run, FmuRun):
            self._run.close()
            self._going = False

    def _observation(self, values: Mapping[str, float]) -> np.ndarray:
        seen = np.array([values[name] for name in self.task.observed])
        return np.clip(seen, self.observation_space.low, self.observation_space.high)


def spaces(task: Task) -> tuple[Box, Box]:
    """Return the spaces of observations and actions."""
    low, high = task.limits(task.acting)
    if task.unit_actions:
        low, high = -np.ones_like(low), np.ones_like(high)
    return Box(*task.limits(task.observed), dtype=np.float64), Box(low, high, dtype=np.float64)


def changed(task: Task, options: dict[str, Any] | None) -> Draws:
    """Return what is drawn at a reset with options.

    Raises
    ------
    ModelError
        If an option is unknown, or a value impossible.
    """
    if not options:
        return task.drawn
    for name in options:
        if name not in OPTIONS:
            raise ModelError(f"{OWNER}: {near_names.unknown('option of reset', name, OPTIONS)}")
    given = {kind: {**getattr(task, kind), **options.get(kind, {})} for kind in OPTIONS}
    return draws_of(task.model, **given)


def end_of(task: Task, values: Mapping[str, float]) -> str | None:
    """Return why a run ends at the end of a step; None if it does not."""
    for name in task.ends:
        if values[f"{name}.active"] > 0.5:
            return name
    rule = task.terminated
    if rule is not None and bool(task.evaluated(rule, values, "terminated")):
        return rule if isinstance(rule, str) else "terminated"
    for name, (low, high) in task.observed.items():
        if not low <= values[name] <= high:
            return f"{name} = {values[name]:.6g}, beyond {low:g} to {high:g}"
    return None
