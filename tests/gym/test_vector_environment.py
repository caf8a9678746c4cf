"""Environments in lanes, against single ones with the same seeds and actions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="the extra gym is not installed")

from mbcore import ModelError
from mbcore.gym import Environment, Task, VectorEnvironment
from tests.gym.tasks import ball_task, rod_task

COUNT = 11
"""Environments: no whole number of lanes."""


def both(task: Task, steps: int, size: float) -> tuple[np.ndarray, np.ndarray, VectorEnvironment]:
    """Return observations and rewards of all by lanes and one by one, until the end of any."""
    many, alone = VectorEnvironment(task, COUNT), [Environment(task) for _ in range(COUNT)]
    actions = np.random.default_rng(2).uniform(-size, size, (steps, COUNT, 1))
    found = [many.reset(seed=4)[0].ravel()]
    expected = [np.ravel([e.reset(seed=4 + i)[0] for i, e in enumerate(alone)])]
    for action in actions:
        seen, rewards, *_ = many.step(action)
        found.append(np.append(seen.ravel(), rewards))
        single = [e.step(a)[:2] for e, a in zip(alone, action, strict=True)]
        expected.append(np.append(np.ravel([s for s, _ in single]), [r for _, r in single]))
    return np.concatenate(found), np.concatenate(expected), many


@pytest.mark.heavy
def test_lanes_make_the_steps_of_single_environments() -> None:
    task = rod_task(start={"phi": (-0.5, 0.5)}, parameters={"length": (1.0, 3.0)})
    found, expected, many = both(task, 40, 20.0)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
    again = VectorEnvironment(task, COUNT)
    np.testing.assert_array_equal(again.reset(seed=4)[0], many.reset(seed=4)[0])


@pytest.mark.heavy
def test_instances_that_bounce_make_the_steps_of_single_environments() -> None:
    task = ball_task(start={"height": (0.5, 1.5)})
    found, expected, _ = both(task, 30, 1.0)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.heavy
def test_outputs_are_found_where_a_function_first_asks_for_them() -> None:
    """After two steps, in all environments, two of which have just begun anew."""

    def reward(values: Any) -> Any:
        late = np.max(values["time"]) > 0.05
        return values["cosine"] + values["torque"] if late else values["phi"]

    task = rod_task(start={"phi": (-0.5, 0.5)}, reward=reward)
    found, expected, many = both(task, 6, 20.0)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
    assert many._fleet.lanes.rows.shape == (COUNT, 5)  # with falls.active
    many._over[:2] = True  # begin anew with the next step
    seen, rewards, *_ = many.step(np.ones((COUNT, 1)))
    assert rewards[:2].tolist() == [0, 0]
    assert rewards[2:] == pytest.approx(1 - seen[2:, 0] ** 2 / 2 + 1, rel=1e-14)


@pytest.mark.heavy
def test_an_instance_that_leaves_its_lane_goes_on_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = rod_task()
    many, single = VectorEnvironment(task, 2), Environment(task)
    many.reset(seed=1)
    single.reset(seed=1)
    go_on = many._fleet.lanes.go_on

    def lost() -> np.ndarray:
        done = go_on()
        many._fleet.lanes.rows[0] = np.nan
        return done & [False, True]

    for step in range(6):
        monkeypatch.setattr(many._fleet.lanes, "go_on", lost if step in (2, 3) else go_on)
        seen = many.step(np.full((2, 1), 9.0))[0]
        expected = single.step(np.array([9.0]))[0]
        np.testing.assert_allclose(seen, [expected, expected], rtol=1e-10)


@pytest.mark.heavy
def test_those_that_have_ended_begin_anew_with_the_next_step() -> None:
    many = VectorEnvironment(rod_task(ends=["falls"], start={"phi": (0.1, 0.2)}), 2)
    many.reset(seed=1)
    actions = np.array([[50.0], [0.0]])
    for _ in range(50):
        seen, _, terminated, truncated, info = many.step(actions)
        if terminated.any():
            break
    assert terminated.tolist() == [True, False] and not truncated.any()
    assert info["ended_by"][0] == "falls" and info["_ended_by"].tolist() == [True, False]
    seen, rewards, terminated, truncated, info = many.step(actions)
    assert 0.1 <= seen[0, 0] <= 0.2 and seen[0, 1] == 0 and rewards[0] == 0 and rewards[1] != 0
    assert not (terminated | truncated).any() and not info
    for _ in range(50):
        *_, truncated, _ = many.step(np.zeros((2, 1)))
        if truncated.any():
            break
    assert truncated.tolist() == [False, True]


@pytest.mark.heavy
def test_a_violated_requirement_ends_one_and_is_named() -> None:
    task = rod_task(observation={"omega": (-100.0, 29.7)}, duration=20.0)
    many = VectorEnvironment(task, 3)
    many.reset(options={"start": {"omega": 29.9}})
    _, _, terminated, _, info = many.step(np.array([[0.0], [50.0], [-50.0]]))
    assert terminated.tolist() == [True, True, False]
    assert info["ended_by"][0].startswith("omega = 29.")
    assert "must not spin" in info["ended_by"][1]  # as alone, though omega leaves its range as well


@pytest.mark.heavy
def test_wrong_actions_and_functions_are_refused() -> None:
    many = VectorEnvironment(rod_task(), 2)
    with pytest.raises(ModelError, match="reset"):
        many.step(np.zeros((2, 1)))
    many.reset()
    with pytest.raises(ModelError, match="torque = nan"):
        many.step(np.array([[0.0], [np.nan]]))
    with pytest.raises(ModelError, match=r"shape \(2,\)"):
        many.step(np.zeros(2))
    branching = rod_task(reward=lambda values: 1.0 if values["phi"] > 0 else 0.0)
    refused = VectorEnvironment(branching, 2)
    refused.reset()
    with pytest.raises(ModelError, match=r"numpy\.where"):
        refused.step(np.zeros((2, 1)))


def test_a_reward_that_is_no_number_is_refused_with_its_environment_and_time() -> None:
    task = rod_task()
    seen = {"time": np.full(3, 0.02), "cosine": np.array([1.0, np.nan, 0.5])}
    with pytest.raises(ModelError, match=r"nan at t = 0\.02 s in environment 1: so is cosine"):
        task.evaluated("cosine", seen, "reward")
    with pytest.raises(ModelError, match=r"reward is inf at t = 0\.02 s; let its function"):
        task.evaluated(lambda values: np.inf, {"time": 0.02}, "reward")


def test_what_lanes_do_not_know_is_refused() -> None:
    with pytest.raises(ModelError, match="SyncVectorEnv"):
        VectorEnvironment(rod_task(method="Radau", max_step=np.inf, backend="python"), 2)
    with pytest.raises(ModelError, match="num_envs"):
        VectorEnvironment(rod_task(), 0)
    with pytest.raises(ModelError, match=r"mbcore\.gym\.Task"):
        VectorEnvironment("rod", 2)  # type: ignore[arg-type]
