"""An environment, against `simulate` with the same held inputs and Gymnasium's own checker."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="the extra gym is not installed")

from gymnasium.utils.env_checker import check_env

from mbcore import InputTable, ModelError, simulate
from mbcore.gym import Environment, Task
from tests.gym.tasks import ball_task, rod_task


def held(task: Task, actions: np.ndarray) -> InputTable:
    """Return actions as inputs that are held for a step each."""
    times = task.period * np.arange(len(actions) + 1)
    rows = np.vstack([actions, actions[-1:]])
    columns = {name: rows[:, k] for k, name in enumerate(task.acting)}
    return InputTable(times, columns, holds=[*columns])


def observed(environment: Environment, actions: np.ndarray) -> np.ndarray:
    """Return what follows the actions, from a reset with the seed 5."""
    environment.reset(seed=5)
    return np.array([environment.step(action)[0] for action in actions])


@pytest.mark.parametrize(
    ("task", "size"), [(rod_task(), 20.0), (ball_task(), 1.0)], ids=["rod", "ball that bounces"]
)
def test_a_run_is_that_of_simulate_with_held_inputs(task: Task, size: float) -> None:
    actions = np.random.default_rng(1).uniform(-size, size, (task.steps, 1))
    found = observed(Environment(task), actions)
    options: dict[str, Any] = {"method": task.method, "max_step": task.max_step}
    times = task.period * np.arange(1, task.steps + 1)
    run = simulate(
        task.equations, float(times[-1]), inputs=held(task, actions), samples=times, **options
    )
    expected = np.column_stack([run[name] for name in task.observed])
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("task", [rod_task(unit_actions=True), ball_task()], ids=["rod", "ball"])
def test_the_checker_has_nothing_to_say(task: Task) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(Environment(task))


def test_an_energy_balance_closes_over_a_run() -> None:
    """The work of a constant torque M is M φ, that of the weight m g l/2 (cos φ - 1)."""
    environment = Environment(rod_task(method="DOP853", duration=0.4))
    environment.reset()
    for _ in range(20):
        (angle, rate), *_ = environment.step(np.array([12.0]))
    kinetic = 3.0 * 2.0**2 / 3 * rate**2 / 2
    weight = 3.0 * 9.81 * (np.cos(angle) - 1)
    np.testing.assert_allclose(kinetic, 12.0 * angle + weight, rtol=1e-8)


def test_an_event_ends_a_run_and_is_named() -> None:
    environment = Environment(rod_task(ends=["falls"]))
    environment.reset()
    for _ in range(50):
        seen, _, terminated, truncated, info = environment.step(np.array([50.0]))
        if terminated or truncated:
            break
    assert terminated and not truncated and info == {"ended_by": "falls"} and seen[0] > 1.0
    with pytest.raises(ModelError, match="reset"):
        environment.step(np.array([0.0]))


def test_a_violated_requirement_ends_a_run_and_is_named() -> None:
    environment = Environment(rod_task(observation={"omega": (-100.0, 100.0)}, duration=20.0))
    environment.reset(options={"start": {"omega": 29.9}})
    _, _, terminated, _, info = environment.step(np.array([50.0]))
    assert terminated and "must not spin" in info["ended_by"]


def test_a_run_ends_where_an_observation_leaves_its_range() -> None:
    environment = Environment(rod_task(observation={"phi": (-0.1, 0.1)}))
    environment.reset(options={"start": {"omega": 4.0}})
    for _ in range(5):
        seen, _, terminated, _, info = environment.step(np.array([0.0]))
        assert seen in environment.observation_space
        if terminated:
            break
    assert terminated and info["ended_by"].startswith("phi = ") and seen[0] == 0.1


def test_a_function_ends_a_run_and_duration_truncates() -> None:
    task = rod_task(terminated=lambda values: values["time"] > 0.05, reward=lambda v: v["torque"])
    environment = Environment(task)
    environment.reset()
    ends = [environment.step(np.array([2.0]))[1:4] for _ in range(3)]
    assert ends == [(2.0, False, False), (2.0, False, False), (2.0, True, False)]
    short = Environment(rod_task(duration=0.04))
    short.reset()
    assert [short.step(np.array([0.0]))[2:4] for _ in range(2)] == [(False, False), (False, True)]


def test_seeds_draw_the_same_and_other_starts_and_parameters() -> None:
    task = rod_task(start={"phi": ("-10 deg", "10 deg")}, parameters={"length": (1.0, 3.0)})
    first, second = Environment(task), Environment(task)
    starts = [first.reset(seed=3)[0][0], first.reset()[0][0], second.reset(seed=3)[0][0]]
    assert starts[0] == starts[2] != starts[1] and abs(starts[0]) < np.radians(10)
    torque = np.array([1.0])
    first.reset(seed=3)
    np.testing.assert_array_equal(first.step(torque)[0], second.step(torque)[0])
    one, other = (
        Environment(rod_task()).reset(options={"start": {"phi": 0.3}, "parameters": given})[0]
        for given in ({}, {"length": "1.5 m"})
    )
    assert one[0] == other[0] == 0.3


def test_unit_actions_span_the_ranges() -> None:
    plain, unit = Environment(rod_task()), Environment(rod_task(unit_actions=True))
    for environment in (plain, unit):
        environment.reset()
    np.testing.assert_allclose(
        plain.step(np.array([-25.0]))[0], unit.step(np.array([-0.5]))[0], rtol=1e-14
    )


def test_a_picture_has_three_colours() -> None:
    environment = Environment(rod_task(), render_mode="rgb_array")
    environment.reset()
    first = environment.render()
    for _ in range(10):
        environment.step(np.array([50.0]))
    second = environment.render()
    assert first is not None and second is not None and first.dtype == np.uint8
    assert first.shape[2] == 3 and first.std() > 0
    assert first.shape != second.shape or (first != second).any()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"observation": {"phy": (-1, 1)}}, "no column 'phy'.*phi"),
        ({"observation": ["phi"]}, "no range of phi.*rad"),
        ({"observation": []}, "observation is empty"),
        ({"action": {"torqe": (-1, 1)}}, "torqe.*torque"),
        ({"action": {"torque": (1, -1)}}, "the smaller"),
        ({"action": {"torque": (-1, np.inf)}}, "finite"),
        ({"reward": "cosin"}, "cosin.*cosine"),
        ({"ends": ["fals"]}, "fals.*falls"),
        ({"start": {"ph": (-1, 1)}}, "no state 'ph'.*phi"),
        ({"parameters": {"length": (-1, 1)}}, "beyond the model's range"),
        ({"step": 0}, "step"),
        ({"step": 2.0}, "shorter than step"),
        ({"inputs": {"torque": 1.0}}, "leave one out"),
        ({"inputs": {"torqe": 1.0}}, "no input 'torqe'.*torque"),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, dict) else "",
)
def test_wrong_tasks_are_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        rod_task(**wrong)


def test_wrong_actions_and_functions_are_refused() -> None:
    environment = Environment(rod_task())
    environment.reset()
    for action, words in (
        ([np.nan], "torque = nan"),
        ([51.0], "from -50 to 50.*ClipAction"),
        ([1.0, 2.0], r"shape \(2,\)"),
    ):
        with pytest.raises(ModelError, match=words):
            environment.step(np.array(action))
    with pytest.raises(ModelError, match=r"strt.*start"):
        environment.reset(options={"strt": {}})
    with pytest.raises(ModelError, match=r"no column 'phy'.*phi"):
        misspelt = Environment(rod_task(reward=lambda values: values["phy"]))
        misspelt.reset()
        misspelt.step(np.array([0.0]))
    with pytest.raises(ModelError, match="reward is nan"):
        undefined = Environment(rod_task(reward=lambda values: np.nan))
        undefined.reset()
        undefined.step(np.array([0.0]))
    with pytest.raises(ModelError, match="impact"):
        ball_task(ends=[next(e.name for e in ball_task().equations.events if e.kind == "impact")])


def test_without_gymnasium_the_line_to_install_it_is_told() -> None:
    """In a process of its own, where Gymnasium cannot be imported."""
    code = "import sys; sys.modules['gymnasium'] = None; import mbcore; import mbcore.gym"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'mbcore-multibody[gym]'" in run.stderr
