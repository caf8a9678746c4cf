"""The vehicle whose axles slide where rolling would take more than the road gives."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Equations, Result, compile_equations, simulate
from mbcore.fmus import vehicle, vehicle_grip
from tests.conftest import equations_of

TIGHT = {"rtol": 1e-9, "atol": 1e-11, "max_step": 0.1}
ROAD = 0.2
"""Friction of the road, just less than what rolling would take."""
ROLLING = {"steer.actuator_angle": np.arctan(10 / 100), "chassis.yaw_rate": 10 * 0.1 / 2.5}
"""A start that rolls, at 10 m/s with the angle of the speed law by 100 m/s."""
LOAD = 1200 * 9.81 / 2
"""Static load of either axle, N."""


def weave(t: float) -> float:
    """Return the command of the front axle's angle, rad."""
    return 0.05 * np.sin(2 * t)


def driven(equations: Equations, duration: float, **parameters: float) -> Result:
    """Return the weaving vehicle, braked by 500 N."""
    inputs = {"steer.angle": weave, "brake.force": 500.0}
    return simulate(equations, duration, parameters=parameters, inputs=inputs, **TIGHT)


@pytest.fixture(scope="module")
def sliding() -> Equations:
    return vehicle.model(slides=True).equations()


def test_it_rolls_where_the_road_gives_enough(sliding: Equations) -> None:
    rolls = driven(sliding, 1.0, **{"friction.limit": 1.0})
    ideal = driven(equations_of(vehicle.model), 1.0)
    assert not rolls.events
    for name in ("chassis.x", "chassis.y", "chassis.yaw", "chassis.speed", "front.lateral_force"):
        assert rolls.final(name) == pytest.approx(ideal.final(name), rel=1e-8, abs=1e-9)
    assert np.abs(rolls["rear.slip_velocity"]).max() < 1e-12


def test_it_slides_where_rolling_would_take_more(sliding: Equations) -> None:
    """Beyond, the lateral force is the road's friction, and the brake goes on as before."""
    slides = driven(sliding, 1.0, **{"friction.limit": ROAD})
    names = [name for _, name in slides.events]
    assert "front.friction.slides" in names and "front.friction.stops" in names
    away = slides["front.sliding"] > 0.5
    assert np.abs(slides["front.lateral_force"][away]) == pytest.approx(ROAD * LOAD, rel=1e-12)
    assert np.abs(slides["front.friction_ratio"]).max() <= ROAD * (1 + 1e-9)
    assert np.abs(slides["front.slip_velocity"][away]).max() > 1e-3
    assert np.abs(slides["front.slip_velocity"][~away]).max() < 1e-9
    begins = next(t for t, name in slides.events if name == "front.friction.slides")
    ideal = driven(equations_of(vehicle.model), 1.0)
    reaches = ideal.time[np.argmax(ideal["front.friction_ratio"] > ROAD)]
    assert begins == pytest.approx(reaches, abs=2 * float(np.diff(ideal.time).max()))


def test_it_stops_and_stands_on_a_slope(sliding: Equations) -> None:
    """Straight ahead it stops after m v²/(2 F); the brake then holds F, and a side force μ m g."""
    inputs = {"brake.force": 6000.0}
    stops = simulate(sliding, 3.0, inputs=inputs, **TIGHT)
    assert stops.final("chassis.x") == pytest.approx(1200 * 10**2 / (2 * 6000), rel=1e-9)
    assert stops.final("chassis.speed") == 0.0
    start = {"chassis.speed": 0.0}
    force = {"load.force_x": 5999.0, "load.force_y": 0.99 * 0.9 * 1200 * 9.81}
    parameters = {"friction.limit": 0.9}
    stands = simulate(
        sliding, 10.0, start=start, parameters=parameters, inputs=inputs | force, max_step=1
    )
    assert np.ptp(stands["chassis.x"]) == np.ptp(stands["chassis.y"]) == 0.0


def test_the_speed_law_by_the_actuator_tends_to_that_at_once(sliding: Equations) -> None:
    """While it rolls, the motion by (40) of Schiehlen and Eismann is the limit, with order one."""
    parameters = {"steering": 3, "steer.reference_speed": 100.0, "friction.limit": 2.0}
    inputs = {"drive.force": 3000.0}
    at_once = simulate(
        equations_of(vehicle.model), 1.0, parameters=parameters, inputs=inputs, **TIGHT
    )
    distances = []
    for lag in (0.02, 0.01):
        given = parameters | {"steer.time_constant": lag}
        rolls = simulate(sliding, 1.0, start=ROLLING, parameters=given, inputs=inputs, **TIGHT)
        assert not rolls.events
        names = ("chassis.yaw", "chassis.speed", "front.steer_angle")
        distances.append([rolls.final(name) - at_once.final(name) for name in names])
    ratio = np.divide(*distances)
    assert ratio == pytest.approx(2, abs=0.05)


def test_an_axle_that_follows_the_speed_slides(sliding: Equations) -> None:
    """Its force is the road's friction then, until it rolls and comes to rest straight ahead."""
    parameters = {"steering": 3, "steer.reference_speed": 100.0, "friction.limit": ROAD}
    inputs = {"brake.force": 2000.0}
    slides = simulate(sliding, 6.0, start=ROLLING, parameters=parameters, inputs=inputs, **TIGHT)
    away = slides["front.sliding"] > 0.5
    assert away[1] and not away[-1]
    force = np.abs(slides["front.lateral_force"])
    assert force[away] == pytest.approx(ROAD * LOAD, rel=1e-9)
    assert force[~away].max() <= ROAD * LOAD * (1 + 1e-9)
    assert slides.final("chassis.speed") == 0.0


@pytest.mark.heavy
def test_regularized_contacts_tend_to_it_with_order_one(sliding: Equations) -> None:
    exact = driven(sliding, 2.0, **{"friction.limit": ROAD})
    grip = equations_of(vehicle_grip.model)
    compile_equations(grip)
    compliances, distances = np.array([1e-4, 1e-5, 1e-6]), []
    for compliance in compliances:
        found = simulate(
            grip, 2.0, parameters={"contact.compliance": compliance},
            inputs={
                "steer.angle": weave, "brake.force": 500.0,
                "front.friction": ROAD, "rear.friction": ROAD,
            },
            method="rosenbrock", **TIGHT,
        )  # fmt: skip
        names = ("chassis.x", "chassis.y", "chassis.yaw", "chassis.speed")
        distances.append(max(abs(found.final(name) - exact.final(name)) for name in names))
    assert np.polyfit(np.log(compliances), np.log(distances), 1)[0] == pytest.approx(1, abs=0.05)
