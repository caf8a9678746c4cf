"""The torque that steers a vehicle against the friction of its king pin."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Result, simulate
from mbcore.fmus import vehicle
from tests.conftest import equations_of

MASS, INERTIA, WHEELBASE, TO_MASS_CENTRE = 1200, 675, 2.5, 1.25
RUBS = {"steer.friction": 0.3, "steer.pin_radius": 0.04, "steer.preload": 5.0}


def weave(t: float) -> float:
    """Return the command of the front axle's angle, rad."""
    return 0.05 * np.sin(2 * t)


def steered(steering: int, **parameters: float) -> Result:
    """Return one second of the vehicle, weaving by its actuator, or speeding up on a curve."""
    inputs = {"steer.angle": weave, "drive.force": 500.0}
    return simulate(
        equations_of(vehicle.model),
        1.0,
        parameters={"steering": steering, **parameters},
        inputs=inputs,
        rtol=1e-10,
        atol=1e-12,
        samples=51,
    )


@pytest.mark.parametrize("steering", [1, 3])
def test_torque_by_newton_and_euler(steering: int) -> None:
    """The front axle's lateral force from the moments about B, [SchiehlenEismann] (34)."""
    motion = steered(steering, **RUBS)
    alpha, v = motion["front.steer_angle"], motion["chassis.speed"]
    T, about_rear = np.tan(alpha), INERTIA + MASS * TO_MASS_CENTRE**2
    inertia = about_rear * T / WHEELBASE**2
    if steering == 1:
        rate = (np.vectorize(weave)(motion.time) - motion["steer.actuator_angle"]) / 0.05
        faster = (500 - inertia * (1 + T**2) * rate * v) / (MASS + inertia * T)
    else:  # tan α = v/10 m/s, and its rate follows the acceleration
        faster = 500 / (MASS + 2 * inertia * T)
        rate = faster / 10 / (1 + T**2)
    turning = (faster * T + v * (1 + T**2) * rate) / WHEELBASE
    sideways = v**2 * T / WHEELBASE + TO_MASS_CENTRE * turning
    moment = INERTIA * turning + TO_MASS_CENTRE * MASS * sideways
    force = moment / (WHEELBASE * np.cos(alpha))
    expected = np.sign(rate) * (0.3 * 0.04 * np.abs(force) + 5.0)
    assert motion["steer.torque"][1:] == pytest.approx(expected[1:], rel=1e-7)


def test_friction_changes_the_torque_alone() -> None:
    rubbing, free = steered(1, **RUBS), steered(1)
    assert (free["steer.torque"] == 0).all()
    for name in ("chassis.x", "chassis.y", "chassis.yaw", "front.lateral_force"):
        assert (rubbing[name] == free[name]).all()
