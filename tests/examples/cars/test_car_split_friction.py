"""Braking on split friction: limits of UN Regulation 13-H, adhesion, and kinematics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mbcore.examples.cars import car_split_friction
from mbcore.examples.cars.car_split_friction import STEP, AntiLock, Braking
from tests.conftest import Archives


@pytest.fixture(scope="module")
def fmu(archives: Archives) -> Path:
    """The car, FMI 3.0."""
    return archives["car", "3.0"].path


def test_braking_rate_is_deceleration_over_g() -> None:
    """A car that slows down by 4 m/s2 from 25 m/s stands after 25²/8 m."""
    time = np.arange(0, 6.75 + STEP / 2, STEP)
    speed = 25.0 - 4.0 * np.maximum(time - 0.5, 0)
    braking = Braking(time, {"body.speed": speed, "body.side_speed": 0 * speed})
    assert braking.rate == pytest.approx(4.0 / 9.81, rel=1e-3)
    assert braking.path[-1] == pytest.approx(625 / 8, rel=1e-6)


def test_system_releases_wheels_that_lock_and_selects_the_lower_rear_torque() -> None:
    control, demand = AntiLock(), np.full(4, 1000.0)
    free = 20.0 / car_split_friction.ROLLING
    torques = control.brake(demand, np.array([free, 0.0, free, 0.5 * free]), 20.0)
    assert torques[0] == 1000.0 and torques[1] < 1000.0
    assert torques[2] == torques[3] < 1000.0
    assert control.brake(demand, np.zeros(4), 1.0) == pytest.approx(demand)


@pytest.mark.heavy
def test_car_stops_as_the_regulation_asks_with_anti_lock(fmu: Path, tmp_path: Path) -> None:
    record = car_split_friction.run(fmu)
    high, low = record.adhesion
    # by the file: 1.11 - 0.085 (F/4200 - 1) at the mean of the loads, which it is linear in
    assert high == pytest.approx(1.139, abs=2e-3) and low == pytest.approx(0.3 * high)
    held, alone = record.controlled, record.locked
    assert max(low, 0.75 * (4 * low + high) / 5) < held.rate < (high + low) / 2
    assert held.turned < 15  # less than 120 degrees of the steering wheel are needed, too
    assert np.degrees(np.abs(held["steer"])).max() * 16 < 120
    assert alone.turned > 90
    assert held.path[-1] < alone.path[-1]
    for braking in (held, alone):  # no distance is shorter than full use of both sides allows
        assert braking.path[-1] > 25.0**2 / (high + low) / 9.81
    car_split_friction.draw(record, tmp_path)
    (picture,) = tmp_path.glob("*.png")
    assert picture.stat().st_size > 10_000
