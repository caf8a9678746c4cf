"""Environments around an FMU, against those around its equations."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="the extra gym is not installed")

from gymnasium.utils.env_checker import check_env

from mbcore import ModelError
from mbcore.fmi import export
from mbcore.gym import Environment, Task, VectorEnvironment
from tests.built import Tools
from tests.gym.tasks import made, rod, rod_task

SOLVER = {"method": "auto", "max_step": np.inf}


@pytest.fixture(scope="module")
def fmus(tmp_path_factory: pytest.TempPathFactory, tools: Tools) -> dict[str, Path]:
    paths = export(made(rod), tmp_path_factory.mktemp("rod"), tools=tools)
    return dict(zip(("2.0", "3.0"), paths, strict=True))


def fmu_task(path: Path, **others: Any) -> Task:
    given = {"start": {"phi": (-0.1, 0.1)}, "parameters": {"length": (1.0, 3.0)}, **SOLVER}
    return rod_task(**{**given, **others}, equations=path)


@pytest.mark.heavy
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_an_fmu_makes_the_steps_of_its_equations(fmus: dict[str, Path], version: str) -> None:
    """Two runs, of which the second one begins by a reset."""
    task = fmu_task(fmus[version], ends=["falls"], reward=lambda values: values["cosine"])
    own = fmu_task(made(rod), ends=["falls"])  # type: ignore[arg-type]
    ours, other = Environment(task), Environment(own)
    actions = np.random.default_rng(1).uniform(-20, 20, (40, 1))
    for seed in (5, 6):
        found, expected = ours.reset(seed=seed)[0], other.reset(seed=seed)[0]
        for action in actions:
            np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)
            found, reward, ended, *_ = ours.step(action)
            expected, its, over, *_ = other.step(action)
            assert reward == pytest.approx(its, abs=1e-8)
            assert ended == over
            if over:
                break
    ours.close()


@pytest.mark.heavy
@pytest.mark.parametrize("drawn", [True, False])
def test_the_checker_has_nothing_to_say(fmus: dict[str, Path], drawn: bool) -> None:
    others = {} if drawn else {"start": {"phi": "5 deg"}, "parameters": {}}
    environment = Environment(fmu_task(fmus["2.0"], unit_actions=True, **others))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(environment)
    if not drawn:
        first = environment.reset()[0]
        assert first[0] == pytest.approx(np.pi / 36)
        environment.step(np.ones(1))
        saved = environment._run._saved  # type: ignore[union-attr]
        assert environment.reset()[0].tolist() == first.tolist()
        assert saved is environment._run._saved is not None  # type: ignore[union-attr]
    environment.close()


@pytest.mark.heavy
def test_many_instances_make_the_steps_of_single_ones(fmus: dict[str, Path]) -> None:
    task = fmu_task(fmus["3.0"], duration=0.1, reward=lambda values: -(values["phi"] ** 2))
    many, single = VectorEnvironment(task, 3), Environment(task)
    seen, _ = many.reset(seed=3)
    expected, _ = single.reset(seed=4)
    for k in range(7):  # the sixth step begins anew
        assert seen[1].tolist() == expected.tolist()
        seen, rewards, terminated, truncated, _ = many.step(np.full((3, 1), 9.0))
        if k == 5:
            expected, reward = single.reset()[0], 0.0
        else:
            expected, reward, *_ = single.step(np.array([9.0]))
        assert rewards[1] == reward
        assert truncated.tolist() == [k == 4] * 3 and not terminated.any()
    many.close()
    single.close()


@pytest.mark.heavy
def test_a_run_ends_where_the_fmu_does(fmus: dict[str, Path]) -> None:
    """Its requirement is violated; the last good values stay."""
    seen = {"phi": (-30.0, 30.0), "omega": (-100.0, 100.0)}
    environment = Environment(fmu_task(fmus["2.0"], observation=seen, parameters={}))
    before, _ = environment.reset(options={"start": {"omega": 29.9}})
    after, reward, terminated, truncated, info = environment.step(np.array([50.0]))
    assert terminated and not truncated
    assert "must not spin" in info["ended_by"]
    assert after.tolist() == before.tolist() and np.isfinite(reward)
    fresh, _ = environment.reset()
    assert abs(fresh[0]) < 0.1
    environment.close()


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"method": "DOP853"}, "method is of mbcore's own integrators"),
        ({"observation": {"phy": (-1, 1)}}, "observation: no column 'phy'"),
        ({"action": {"phi": (-1, 1)}}, "action: no column 'phi'"),
        ({"action": ["torque"]}, "has no range of torque"),
        ({"ends": ["fall"]}, "no event 'fall'"),
        ({"start": {"cosine": 0.5}}, "no state 'cosine'"),
        ({"parameters": {"solver.method": (0, 3)}}, "solver.method is a whole number"),
        ({"parameters": {"length": (2, 1)}}, "the first one the smaller"),
    ],
)
def test_wrong_tasks_of_fmus_are_refused(
    fmus: dict[str, Path], others: dict[str, Any], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        fmu_task(fmus["2.0"], **others)


def test_files_that_are_no_fmu_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "cart.fmu"
    with pytest.raises(ModelError, match=r"there is no FMU .*cart\.fmu"):
        fmu_task(file)
    file.write_text("no archive")
    with pytest.raises(ModelError, match="cannot be read as an FMU"):
        fmu_task(file)
