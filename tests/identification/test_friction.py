"""Dry friction and damping of an arm's joints, in a motion that sticks and slips."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mbcore import Run, fit
from mbcore.drivers.equations_driver import EquationsDriver
from tests.identification import models

TIMES = np.linspace(0.0, 10.0, 1001)
NOISE = {"shoulder.angle": 2e-3, "elbow.angle": 2e-2}
START = dict.fromkeys(NOISE, 0.0)
TORQUES = {
    "shoulder.torque": lambda t: 2.5 * math.sin(1.3 * t) + 1.5 * math.sin(3.7 * t),
    "elbow.torque": lambda t: 1.2 * math.sin(2.1 * t + 0.4) + 0.5 * math.sin(5.1 * t),
}


@pytest.fixture(scope="module")
def driver() -> EquationsDriver:
    return EquationsDriver(models.arm().equations(), backend="c")


@pytest.fixture(scope="module")
def run(driver: EquationsDriver) -> Run:
    course = driver.simulate(TIMES, inputs=TORQUES, tolerance=1e-10)
    assert len(course.events) > 100
    random = np.random.default_rng(4)
    data = {
        name: course.states[:, driver.states.index(name)] + random.normal(0, noise, TIMES.size)
        for name, noise in NOISE.items()
    }
    return Run({"time": TIMES} | data, start=START, inputs=TORQUES)


@pytest.mark.heavy
@pytest.mark.parametrize("start", [0.0, 1e-8])
def test_friction_is_found_from_nothing(driver: EquationsDriver, run: Run, start: float) -> None:
    names = [name for name in driver.parameters if name.endswith("friction")]
    result = fit(driver, run, {name: (0.0, 5.0, start) for name in names})
    for name, (low, high) in result.intervals(0.999).items():
        assert low < driver.start(name) < high


@pytest.mark.heavy
def test_five_parameters_from_half_of_their_values(driver: EquationsDriver, run: Run) -> None:
    """Two dampings, two dry frictions and a mass, with sensors of which one is ten times better."""
    starts = {name: 0.5 * driver.start(name) for name in driver.parameters}
    result = fit(driver, run, {name: (0.0, 5.0, start) for name, start in starts.items()})
    assert result.evaluations <= 9
    for name, (low, high) in result.intervals(0.999).items():
        assert low < driver.start(name) < high
    for name, noise in NOISE.items():
        assert result.sensors[name].deviation == pytest.approx(noise, rel=0.1)
        assert result.sensors[name].whiteness.white
