"""Singular configurations inside steps: the equations in Python and the FMU in C see the same.

Both follow the measures of the blocks, seek the minimum of one that becomes small, and name the
block and the time; where a closed form tells the time, it is the reference of both.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ellipk

from mbcore import Model, ModelWarning, simulate
from mbcore.evaluation.singularities import LimitReachedError, SingularityError
from mbcore.fmi import export
from mbcore.fmus import rolling_disk
from tests import singular_models
from tests.conftest import DISCARD, OK, Archive, Instance, Tools, equations_of

FmuOf = Callable[[Callable[[], Model]], Archive]

TOLERANCE = 1e-9


def by_height() -> Model:
    """Return a pendulum by its height, which turns back at the lowest point."""
    return singular_models.pendulum("y")


def by_places() -> Model:
    return singular_models.double_pendulum(by_angles=False)


def by_rocker() -> Model:
    """Return a crank-rocker, whose rocker turns back at its dead point."""
    return singular_models.four_bar((0.3, 1.0, 0.8, 0.9), by_rocker=True, rate=0.5)


def by_slider() -> Model:
    return singular_models.slider_crank(by_slider=True)


def nearly_flat() -> Model:
    """Return an all but flat parallelogram: its crank is 2 % shorter than its rocker."""
    return singular_models.four_bar((0.49, 1.0, 0.5, 1.0), by_rocker=False, rate=8.0)


def falling_time(lean: float) -> float:
    """Return the time in which a disk of radius 1 and gravity 1 tips over about its edge, s."""

    def slowness(root: float) -> float:  # lean = start + root², without the pole at rest
        at = lean + root**2
        return 2 * root / math.sqrt(2 * (math.cos(lean) - math.cos(at)) / 1.25)

    return quad(slowness, 1e-9, math.sqrt(math.pi / 2 - lean))[0]


@dataclass(frozen=True)
class Case:
    """A start, and the time at which the motion ends where a closed form tells it, s."""

    make: Callable[[], Model]
    start: dict[str, float] = field(default_factory=dict)
    time: float | None = None


QUARTER = 1 / math.sqrt(singular_models.GRAVITY)
FAST = {"a pendulum from the horizontal": Case(by_height, {}, QUARTER * ellipk(0.5))}
HEAVY = {
    "a pendulum from below": Case(by_height, {"q": -0.5}, QUARTER * ellipk(0.25)),
    "a pendulum from above": Case(by_height, {"q": 0.5}, QUARTER * ellipk(0.75)),
    "a double pendulum": Case(by_places),
    "a rocker at its dead point": Case(by_rocker),
    "a fast rocker": Case(by_rocker, {"rate": 4.0}),
    "a disk that falls flat": Case(
        rolling_disk.model,
        {"disk.lean": 0.7, "disk.lean_rate": 0.0, "disk.pitch_rate": 0.0},
        falling_time(0.7),
    ),
}


@pytest.fixture(scope="module")
def fmu_of(tmp_path_factory: pytest.TempPathFactory, tools: Tools) -> FmuOf:
    @cache
    def made(make: Callable[[], Model]) -> Archive:
        folder = tmp_path_factory.mktemp("singular")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)  # reference results end, as they should
            [path] = export(equations_of(make), folder, "3.0", tools=tools)
        return Archive.of(path)

    return made


@pytest.mark.parametrize(
    "case",
    [*FAST.values(), *(pytest.param(case, marks=pytest.mark.heavy) for case in HEAVY.values())],
    ids=[*FAST, *HEAVY],
)
def test_both_end_at_the_same_time(case: Case, fmu_of: FmuOf) -> None:
    with pytest.raises((SingularityError, LimitReachedError)) as refused:
        simulate(
            equations_of(case.make), 5.0, start=case.start, rtol=TOLERANCE, atol=TOLERANCE,
            singular="stop",
        )  # fmt: skip
    with Instance(fmu_of(case.make)) as fmu:
        assert fmu.initialize(case.start, tolerance=TOLERANCE) == OK
        while fmu.step(5.0 - fmu.time) == OK and fmu.time < 5.0:
            pass
        said = fmu.said
    here, there = str(refused.value), re.search(r"at t = ([\d.e+-]+) s", said)
    assert there is not None, said
    times = refused.value.time, float(there[1])
    assert times[1] == pytest.approx(times[0], abs=2e-5)
    if case.time is not None:
        assert times == pytest.approx((case.time, case.time), abs=2e-5)
    blamed = re.search(r"there (.*?)( beside the degree of freedom .*?)? do(es)? not", here)
    assert blamed is None or blamed[1] in said


@pytest.mark.heavy
def test_python_passes_what_the_fmu_refuses(fmu_of: FmuOf) -> None:
    """Where rod and crank lie on each other: only Python learns the branch beyond."""
    run = simulate(equations_of(by_slider), 0.3, rtol=TOLERANCE, atol=TOLERANCE)
    [(since, what)] = run.switches
    assert what == "through a singular configuration"
    with Instance(fmu_of(by_slider)) as fmu:
        assert fmu.initialize(tolerance=TOLERANCE) == OK
        assert fmu.step(0.3) == DISCARD
        there = re.search(r"at t = ([\d.e+-]+) s", fmu.said)
    assert there is not None
    place = float(np.interp(float(there[1]), run.time, run["x"]))
    assert place == pytest.approx(0.0, abs=0.02)  # x = 0 is the singular place; 6 m/s there
    assert since == pytest.approx(float(there[1]), abs=0.01)


@pytest.mark.heavy
def test_both_go_through_where_a_mechanism_is_nearly_singular(fmu_of: FmuOf) -> None:
    run = simulate(equations_of(nearly_flat), 1.0, rtol=TOLERANCE, atol=TOLERANCE)
    assert abs(run.final("angle")) > 2 * math.pi  # past both nearly flat positions
    with Instance(fmu_of(nearly_flat)) as fmu:
        assert fmu.initialize(tolerance=TOLERANCE) == OK
        fmu.run(1.0, step=0.1)
        found = [fmu.get(name) for name in ("angle", "rate", "C.X", "C.Y")]
    expected = [run.final(name) for name in ("angle", "rate", "C.X", "C.Y")]
    assert found == pytest.approx(expected, abs=1e-6)
