"""The vehicles' brake and the validity of their motion, by closed forms.

Straight ahead a constant force stops the mass m after m v²/(2F). A steady turn at the speed v and
the angle α needs the lateral forces m v² tan α (l - l_H)/l² at the rear and
m v² tan α l_H/(l² cos α) at the front, by the balance of moments about C and of forces across; over
the static loads these are v² tan α/(g l) and v² tan α/(g l cos α). It needs no driving force, for
all constraints are ideal.
"""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Equations, Result, simulate
from mbcore.fmus import vehicle, vehicle_grip
from mbcore.fmus.single_track.dry_friction import BAND
from tests.conftest import OK, OpenFmu, equations_of

MASS, BASE, GRAVITY = 1200.0, 2.5, 9.81
FORCE = 6000.0
TIGHT = {"rtol": 1e-9, "atol": 1e-9, "progress": False}


@pytest.fixture(
    scope="module",
    params=[vehicle, pytest.param(vehicle_grip, marks=pytest.mark.heavy)],
    ids=["vehicle", "vehicle_grip"],
)
def equations(request: pytest.FixtureRequest) -> Equations:
    return equations_of(request.param.model)


def run(equations: Equations, until: float, speed: float = 0.0, **inputs: object) -> Result:
    given = {name.replace("__", "."): value for name, value in inputs.items()}
    return simulate(equations, until, start={"chassis.speed": speed}, inputs=given, **TIGHT)


@pytest.mark.parametrize("speed", [10.0, -10.0, 0.02])
def test_the_vehicle_stops_after_the_distance_of_a_constant_force(
    equations: Equations, speed: float
) -> None:
    motion = run(equations, 3.0, speed, brake__force=FORCE)
    distance = np.sign(speed) * MASS * speed**2 / (2 * FORCE)
    assert motion.final("chassis.x") == pytest.approx(distance, rel=1e-9, abs=1e-9)
    assert abs(motion.final("chassis.speed")) < 1e-8
    [(time, _)] = motion.events
    assert time == pytest.approx(MASS * abs(speed) / FORCE, abs=1e-8)


def test_it_holds_on_a_slope_until_that_is_too_steep(equations: Equations) -> None:
    """A load that grows by 4 kN a second exceeds 6 kN at 1.5 s; m v is the impulse from there."""
    motion = run(equations, 3.0, brake__force=FORCE, load__force_x=lambda t: -4000.0 * t)
    held = motion.time < 1.5
    assert np.abs(motion["chassis.speed"][held]).max() < 1e-8
    assert np.abs(motion["chassis.x"][held]).max() < 1e-8
    impulse = -4000.0 * (3.0**2 - 1.5**2) / 2 + FORCE * 1.5
    assert motion.final("chassis.speed") == pytest.approx(impulse / MASS, rel=1e-6)


def test_braking_in_a_turn_only_takes_energy_and_never_drives_backwards(
    equations: Equations,
) -> None:
    motion = run(equations, 8.0, 10.0, brake__force=3000.0, steer__angle=0.3)
    energy = motion["energy.kinetic"]
    if "contact.stiffness" in {p.name for p in equations.parameters}:  # c/(2 eps) z², [Deppler] (3)
        for axle in ("front", "rear"):
            energy = energy + 1000.0 / 2e-3 * motion[f"{axle}.contact.deflection"] ** 2
    assert np.diff(energy).max() < 1e-9 * energy[0]
    assert motion["brake.power"].max() < 1.1 * 3000.0 * BAND
    assert motion["chassis.speed"].min() > -1e-8
    assert energy[-1] < 1e-9 * energy[0]


def test_on_a_slope_across_a_stopped_vehicle_that_is_steered_stays(equations: Equations) -> None:
    angle = lambda t: 0.4 * np.sin(5 * t)  # noqa: E731
    motion = run(equations, 2.0, brake__force=FORCE, load__force_x=3000.0, steer__angle=angle)
    assert np.abs(motion["chassis.speed"]).max() < 1e-7


@pytest.mark.parametrize(("share", "valid"), [(0.999, 1.0), (1.001, 0.0)])
def test_validity_trips_at_the_speed_of_a_steady_turn(share: float, valid: float) -> None:
    equations, angle, limit = equations_of(vehicle.model), 0.1, 0.7
    speed = share * np.sqrt(limit * GRAVITY * BASE * np.cos(angle) / np.tan(angle))
    motion = simulate(
        equations,
        1.0,
        start={"chassis.speed": speed},
        inputs={"steer.angle": angle},
        parameters={"steering": 2, "friction.limit": limit},
        **TIGHT,
    )
    assert motion.final("chassis.speed") == pytest.approx(speed, rel=1e-9)
    assert motion["front.friction_ratio"] == pytest.approx(limit * share**2, rel=1e-9)
    assert motion["rear.friction_ratio"] == pytest.approx(
        limit * share**2 * np.cos(angle), rel=1e-9
    )
    assert set(motion["valid"]) == {valid}


def test_what_was_not_valid_once_stays_so(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("vehicle")
    assert fmu.initialize({"steering": 2, "steer.angle": 0.1, "chassis.speed": 14.0}) == OK
    assert fmu.get("valid")
    assert fmu.set({"steer.angle": 0.2}) == OK
    fmu.run(0.1, step=0.01)
    assert fmu.set({"steer.angle": 0.0}) == OK
    fmu.run(0.2, step=0.01)
    assert fmu.get("front.friction_ratio") < 0.1
    assert not fmu.get("valid")


def test_the_fmu_stops_holds_and_goes_on(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("vehicle")
    assert fmu.initialize({"brake.force": FORCE, "load.force_x": -FORCE / 2}) == OK
    fmu.run(2.0, step=0.1)
    # against the slope, too: F + F/2
    assert fmu.get("chassis.x") == pytest.approx(MASS * 100 / (3 * FORCE), rel=1e-6)
    assert abs(fmu.get("chassis.speed")) < 1e-6
    assert fmu.set({"brake.force": -1.0}) == OK  # as none
    fmu.run(3.0, step=0.1)
    assert fmu.get("chassis.speed") == pytest.approx(-FORCE / 2 / MASS, rel=1e-6)
