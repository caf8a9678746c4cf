"""Steady motions whose inputs are found, and how many conditions a family takes."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import (
    Equations,
    ModelError,
    SimulationError,
    SteadyMotion,
    simulate,
    steady_motion,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import bicycle, rolling_disk, vehicle
from tests.conftest import equations_of
from tests.equilibria.test_steady import pitch_rate
from tests.fmu_src import bicycle_formulas as published
from tests.fmu_src.bicycle_formulas import canonical_matrices, other_axes
from tests.fmu_src.bicycle_kinematics import ground_forces, inertia, posture, wheel_headings

STILL = {"bicycle.lean_rate": 0.0}
TILT = published.DATA["geometry.tilt"]


@pytest.fixture(scope="module")
def riding() -> Equations:
    return equations_of(bicycle.model)


@pytest.fixture(scope="module")
def disk() -> Equations:
    return equations_of(rolling_disk.model)


@pytest.fixture(scope="module")
def car() -> Equations:
    return equations_of(vehicle.model)


def steering_moment(equations: Equations, found: SteadyMotion) -> float:
    """Torque on the fork about its axis, by the moments on fork and front wheel about that axis.

    In a steady turn all turns about one vertical axis: a mass centre at r from it accelerates by
    -turn² r, and a moment of momentum L that turns with the bicycle changes by turn × L. The forces
    of the ground are those of the outputs, which are held to the balance of the whole bicycle.
    """
    point, turn = Evaluation(equations, inputs=found.inputs), found.outputs["bicycle.yaw_rate"]
    point.start(found.state)
    rates = dict(zip([s.name for s in equations.states], point.derivative(), strict=True))
    here, d = posture(point, point.s.copy()), published.DATA
    z, masses = np.array([0, 0, 1.0]), [d["front_frame.mass"], d["front_wheel.mass"]]
    centre = np.array([0, rates["bicycle.x"] / turn, 0])
    frame, spin = here.turned[1], rates["front_wheel.angle"] * here.turned[3][:, 1]
    forces = ground_forces(found.outputs, wheel_headings(here))
    everything = np.array([d[f"{n}.mass"] for n in ("rear_wheel", "rear_frame")] + masses)
    accelerations = -(turn**2) * (here.centres - centre) * [1, 1, 0]
    weight = 9.81 * z
    whole = everything @ (accelerations + weight)
    assert forces.sum(0) == pytest.approx(whole, abs=1e-8)

    pierced = here.centres[0] + frame @ [d["geometry.wheelbase"] + d["geometry.trail"], 0, -0.3]
    axis = frame @ [-np.sin(TILT), 0, np.cos(TILT)]
    moment = -np.cross(here.contacts[1] - pierced, forces[1])
    for i, name, extra in ((2, "front_frame", 0 * z), (3, "front_wheel", spin)):
        R = here.turned[i]
        momentum = R @ inertia(name) @ R.T @ (turn * z + extra)
        moment += everything[i] * np.cross(here.centres[i] - pierced, accelerations[i] + weight)
        moment += np.cross(turn * z, momentum)
    return float(axis @ moment)


@pytest.mark.parametrize(
    ("speed", "steer"), [pytest.param(3.0, 0.2, marks=pytest.mark.heavy), (5.0, 0.15), (8.0, -0.1)]
)
def test_bicycle_turns_with_the_torque_of_its_moments(
    riding: Equations, speed: float, steer: float
) -> None:
    conditions = {"bicycle.speed": speed, "bicycle.steer": steer}
    found = steady_motion(riding, conditions, find=["steer.torque"], guess=STILL)
    assert found.dimensions == 2
    assert found.inputs["lean.torque"] == found.inputs["drive.torque"] == 0.0
    expected = steering_moment(riding, found)
    assert found.inputs["steer.torque"] == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("speed", [3.0, 5.0, 8.0])
def test_small_turns_need_the_torque_of_the_published_matrices(
    riding: Equations, speed: float
) -> None:
    known = {name: other_axes(matrix) for name, matrix in canonical_matrices().items()}
    (a, b), (c, d) = 9.81 * known["K0"] + speed**2 * known["K2"]
    steer = 1e-4
    found = steady_motion(
        riding,
        {"bicycle.speed": speed, "bicycle.steer": steer},
        find=["steer.torque"],
        guess=STILL,
    )
    lean = -b / a * steer  # no moment about the line of contacts
    assert found.state["bicycle.lean"] == pytest.approx(lean, rel=1e-6)
    assert found.inputs["steer.torque"] == pytest.approx(c * lean + d * steer, rel=1e-6)


def test_bicycle_stays_in_the_turn_that_was_trimmed(riding: Equations) -> None:
    found = steady_motion(
        riding,
        {"bicycle.speed": 5.0, "bicycle.yaw_rate": 0.4},
        find=["steer.torque"],
        guess=STILL | {"bicycle.steer": 0.05},
    )
    assert found.outputs["bicycle.yaw_rate"] == pytest.approx(0.4, abs=1e-9)
    run = simulate(riding, 1.0, start=found.state, inputs=found.inputs, progress=False)
    assert np.ptp(run["bicycle.lean"]) < 1e-6
    assert np.ptp(run["bicycle.speed"]) < 1e-7


def test_disk_circles_without_torques(disk: Equations) -> None:
    """By the moments on the disk, written down in `pitch_rate`; a third torque has no place."""
    lean, yaw_rate = 0.3, -0.7
    found = steady_motion(
        disk,
        {"disk.lean": lean, "disk.yaw_rate": yaw_rate},
        find=["axle.torque", "yaw.torque"],
        guess={"disk.pitch_rate": 1.0},
        inputs={"axle.torque": 0.1, "yaw.torque": -0.2},
    )
    assert found.dimensions == 2
    assert found.state["disk.pitch_rate"] == pytest.approx(
        pitch_rate(1, 1, 1, lean, yaw_rate), rel=1e-10
    )
    assert [found.inputs[n] for n in ("axle.torque", "yaw.torque")] == pytest.approx(
        [0, 0], abs=1e-9
    )


def test_steer_angle_of_a_vehicle_on_a_circle(car: Equations) -> None:
    """a = v² tan α / l to the left, so 2 m/s2 at 6 m/s need tan α = 2 · 2.5 / 36."""
    found = steady_motion(
        car,
        {"chassis.speed": 6.0, "chassis.acceleration_y": 2.0},
        find=["steer.angle"],
        parameters={"steering": 1},
    )
    assert np.tan(found.inputs["steer.angle"]) == pytest.approx(2 * 2.5 / 36, rel=1e-9)
    assert found.state["steer.actuator_angle"] == found.inputs["steer.angle"]
    # ideal rolling takes no power on a circle
    found = steady_motion(
        car,
        {"chassis.speed": 6.0},
        find=["drive.force"],
        inputs={"steer.angle": 0.3, "drive.force": 500.0},
    )
    assert found.inputs["drive.force"] == pytest.approx(0.0, abs=1e-6)


# How many conditions


def test_one_condition_too_many_is_counted_and_named(riding: Equations) -> None:
    with pytest.raises(SimulationError) as refused:
        steady_motion(
            riding,
            {"bicycle.speed": 5.0, "bicycle.steer": 0.15, "bicycle.lean": -0.3},
            find=["steer.torque"],
            guess=STILL,
        )
    said = str(refused.value)
    assert "takes 2 conditions and 3 are given" in said
    assert "1 of these is superfluous" in said
    for name in ("bicycle.speed", "bicycle.steer", "bicycle.lean"):
        assert name in said.split("others:")[1].split(";")[0]
    assert "lean.torque" in said.split("let find name")[1]


def test_surplus_that_agrees_is_taken(riding: Equations) -> None:
    straight = {"bicycle.speed": 5.0, "bicycle.steer": 0.0, "bicycle.lean": 0.0}
    found = steady_motion(riding, straight, guess=STILL)
    assert found.residual < 1e-9 and found.dimensions == 1


def test_too_few_conditions_are_counted(riding: Equations) -> None:
    with pytest.raises(SimulationError) as refused:
        steady_motion(riding, {"bicycle.speed": 5.0}, find=["steer.torque"], guess=STILL)
    said = str(refused.value)
    assert "takes 2 conditions and 1 is given" in said
    assert "leave 1 of these open" in said
    for name in ("bicycle.lean", "bicycle.steer", "steer.torque"):
        assert name in said


def test_what_is_no_input_cannot_be_found(riding: Equations) -> None:
    with pytest.raises(ModelError, match=r"no input 'steer\.torq'; did you mean 'steer\.torque'"):
        steady_motion(riding, find=["steer.torq"])
    with pytest.raises(ModelError, match=r"give a list, \['steer\.torque'\]"):
        steady_motion(riding, find="steer.torque")
    with pytest.raises(ModelError, match="more than once"):
        steady_motion(riding, find=["steer.torque", "steer.torque"])
