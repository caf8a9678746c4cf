"""The bicycle in any motion: published accelerations, Newton and Euler, work, circles."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Equations, linearize, simulate, steady_motion
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import bicycle
from tests.conftest import equations_of
from tests.fmu_src import bicycle_formulas as published
from tests.fmu_src.bicycle_formulas import canonical_matrices, other_axes, rolling_mass
from tests.fmu_src.bicycle_kinematics import (
    PARTS,
    STENCIL,
    ground_forces,
    momentum,
    named,
    posture,
    wheel_headings,
)

STILL = {"bicycle.lean_rate": 0.0}


@pytest.fixture(scope="module")
def equations() -> Equations:
    return equations_of(bicycle.model)


def basu_mandal() -> dict[str, float]:
    """Return the state of [BasuMandal2007] Table 1 on the present axes.

    Its rear frame's angles: θ the heading to the left, ψ - π/2 the lean to the left, φ - π the
    pitch, nose down; wheels turn positively while they roll forward.
    """
    rate = published.RATE
    return {
        "bicycle.lean": np.pi / 2 - published.STATE["psi"],
        "bicycle.steer": published.STATE["psif"],
        "bicycle.lean_rate": -rate["psi"],
        "bicycle.steer_rate": rate["psif"],
        "bicycle.speed": 0.3 * rate["betar"],
    }


def test_published_accelerations(equations: Equations) -> None:
    point = Evaluation(equations)
    point.start(basu_mandal())
    found = named(equations.states, point.derivative())
    # along the flow: accelerations of the kinematic coordinates too
    second = named(equations.states, point.jacobian() @ point.derivative())
    shown = named(equations.outputs, point.output())
    rate, acceleration = published.RATE, published.ACCELERATION
    for ours, theirs in (
        (found["bicycle.lean_rate"], -acceleration["psi"]),
        (found["bicycle.steer_rate"], acceleration["psif"]),
        (found["bicycle.speed"] / 0.3, acceleration["betar"]),
        (found["bicycle.yaw"], rate["theta"]),
        (shown["bicycle.yaw_rate"], rate["theta"]),
        (second["bicycle.yaw"], acceleration["theta"]),
        (found["front_wheel.angle"], rate["betaf"]),
        (second["front_wheel.angle"], acceleration["betaf"]),
        (shown["bicycle.pitch"], published.STATE["phi"] - np.pi),
    ):
        assert ours == pytest.approx(theirs, abs=1e-12)


def test_published_motion_of_the_rear_centre(equations: Equations) -> None:
    # there x is backwards and y to the left, at the rear wheel's centre: r sin φ beside the contact
    point = Evaluation(equations)
    point.start(basu_mandal())
    first = named(equations.states, point.derivative())
    second = named(equations.states, point.jacobian() @ point.derivative())
    lean, rate = np.pi / 2 - published.STATE["psi"], -published.RATE["psi"]
    turn, turning = first["bicycle.yaw"], second["bicycle.yaw"]
    aside, side_rate = 0.3 * np.sin(lean), 0.3 * np.cos(lean) * rate
    side_acceleration = 0.3 * (np.cos(lean) * first["bicycle.lean_rate"] - np.sin(lean) * rate**2)
    # heading 0: the centre is at contact + aside * (sin ψ, -cos ψ)
    x_rate = first["bicycle.x"] + aside * turn
    y_rate = first["bicycle.y"] - side_rate
    assert (-x_rate, -y_rate) == pytest.approx(
        (published.RATE["x"], published.RATE["y"]), abs=1e-12
    )
    x = second["bicycle.x"] + 2 * side_rate * turn + aside * turning
    y = second["bicycle.y"] - side_acceleration + aside * turn**2
    assert (-x, -y) == pytest.approx(
        (published.ACCELERATION["x"], published.ACCELERATION["y"]), abs=1e-12
    )


@pytest.mark.heavy
def test_energy_stays_and_the_lost_lean_becomes_speed(equations: Equations) -> None:
    # [Meijaard2007] Fig. 4: pushed at 4.6 m/s; upright again, all of the push is speed
    speed, push = 4.6, 0.5
    run = simulate(
        equations, 40, start={"bicycle.speed": speed, "bicycle.lean_rate": push},
        rtol=1e-10, atol=1e-11, progress=False,
    )  # fmt: skip
    mass, inertia = rolling_mass(), canonical_matrices()["M"][0, 0]
    height = -canonical_matrices()["K0"][0, 0]  # mass times height, kg.m
    energy = mass * speed**2 / 2 + inertia * push**2 / 2 + 9.81 * height
    assert run["energy.total"] == pytest.approx(energy, abs=2e-8)
    assert run.final("bicycle.lean") == pytest.approx(0, abs=1e-5)
    reached = np.sqrt(speed**2 + inertia * push**2 / mass)
    assert run.final("bicycle.speed") == pytest.approx(reached, abs=1e-10)


def test_torques_do_work(equations: Equations) -> None:
    steer, lean, drive = 0.4, -3.0, 5.0
    run = simulate(
        equations, 1.0, inputs={"steer.torque": steer, "lean.torque": lean, "drive.torque": drive},
        rtol=1e-10, atol=1e-11, progress=False,
    )  # fmt: skip
    work = sum(
        torque * (run[name] - run[name][0])
        for torque, name in (
            (steer, "bicycle.steer"),
            (lean, "bicycle.lean"),
            (drive / 0.3, "bicycle.distance"),
        )
    )
    assert np.abs(work).max() > 10
    assert run["energy.total"] - run["energy.total"][0] == pytest.approx(work, abs=1e-7)


def test_mirrored_push_gives_the_mirrored_motion(equations: Equations) -> None:
    right, left = (
        simulate(equations, 2.0, start={"bicycle.lean_rate": rate}, rtol=1e-10, progress=False)
        for rate in (0.2, -0.2)
    )
    for name, sign in (
        ("bicycle.lean", -1), ("bicycle.steer", -1), ("bicycle.yaw", -1), ("bicycle.y", -1),
        ("bicycle.speed", 1), ("bicycle.x", 1), ("front.normal_force", 1),
    ):  # fmt: skip
        assert left.final(name) == pytest.approx(sign * right.final(name), abs=1e-9), name


def test_place_heading_and_turns_of_the_wheels_do_not_matter(equations: Equations) -> None:
    near, far = Evaluation(equations), Evaluation(equations)
    near.start(basu_mandal())
    moved = {"bicycle.distance": 1e3, "front_wheel.angle": -777.7, "bicycle.x": 500.0,
             "bicycle.y": -300.0, "bicycle.yaw": 7.0}  # fmt: skip
    far.start(basu_mandal() | moved)
    assert far.derivative()[:3] == pytest.approx(near.derivative()[:3], abs=1e-9)
    assert far.output()[:-1] == pytest.approx(near.output()[:-1], rel=1e-9)


@pytest.mark.parametrize("torques", [(0.0, 0.0, 0.0), (2.0, -30.0, 12.0)])
def test_forces_balance_momentum(equations: Equations, torques: tuple[float, float, float]) -> None:
    steer, lean, drive = torques
    inputs = {"steer.torque": steer, "lean.torque": lean, "drive.torque": drive}
    point = Evaluation(equations, None, inputs)
    point.start(basu_mandal() | {"bicycle.yaw": 0.7, "bicycle.x": 0.4, "bicycle.y": -0.3})
    states = point.s.copy()
    shown, flow = named(equations.outputs, point.output()), point.derivative().copy()
    step = 1e-3
    rate = sum(w * momentum(point, states + k * step * flow) for k, w in STENCIL) / step

    here = posture(point, states)
    headings = wheel_headings(here)
    force = ground_forces(shown, headings)
    weights = [[0, 0, -9.81 * published.DATA[f"{name}.mass"]] for name in PARTS]
    moment = np.cross(here.contacts, force).sum(0) + np.cross(here.centres, weights).sum(0)
    moment += lean * headings[0]
    # seven digits of forces up to 900 N
    assert force.sum(0) + np.sum(weights, axis=0) == pytest.approx(rate[0], abs=1e-4)
    assert moment == pytest.approx(rate[1], abs=1e-4)
    for name, (x, y, z) in zip(("rear", "front"), force, strict=True):
        assert shown[f"{name}.friction_ratio"] == pytest.approx(np.hypot(x, y) / z, rel=1e-9)


def test_loads_at_rest(equations: Equations) -> None:
    point = Evaluation(equations)
    point.start(STILL | {"bicycle.speed": 0.0})
    shown = named(equations.outputs, point.output())
    mass = {n: published.DATA[f"{n}.mass"] for n in PARTS}
    x = {"rear_wheel": 0.0, "rear_frame": 0.3, "front_frame": 0.9, "front_wheel": 1.02}
    front = 9.81 * sum(mass[n] * x[n] for n in PARTS) / 1.02
    assert shown["front.normal_force"] == pytest.approx(front, rel=1e-12)
    assert shown["rear.normal_force"] == pytest.approx(9.81 * 94 - front, rel=1e-12)


def test_linearization_at_a_lean_is_that_of_differences(equations: Equations) -> None:
    about = linearize(equations, basu_mandal(), unsteady=True)
    point = Evaluation(equations)
    point.start(basu_mandal())
    assert about.state_matrix == pytest.approx(point.jacobian(), abs=1e-8)


# Circles


@pytest.mark.parametrize("lean", [0.1, pytest.param(-0.3, marks=pytest.mark.heavy)])
def test_hands_free_circle(equations: Equations, lean: float) -> None:
    found = steady_motion(
        equations, {"bicycle.lean": lean},
        guess=STILL | {"bicycle.steer": -0.3 * lean, "bicycle.speed": 6.0},
    )  # fmt: skip
    speed, turn = found.state["bicycle.speed"], found.outputs["bicycle.yaw_rate"]
    assert np.sign(turn) == -np.sign(lean)
    point = Evaluation(equations)
    point.start(found.state)
    x_rate, y_rate = point.derivative()[-2:]
    assert y_rate == pytest.approx(0, abs=1e-12)
    here = posture(point, point.s.copy())
    masses = np.array([published.DATA[f"{name}.mass"] for name in PARTS])
    mass_centre = masses @ here.centres / masses.sum()
    turn_centre = np.array([0, x_rate / turn, 0])
    # the mass centre's acceleration points to the axis of the turn
    headings = wheel_headings(here)
    force = ground_forces(found.outputs, headings)
    expected = masses.sum() * turn**2 * (turn_centre - mass_centre)
    expected[2] = 9.81 * masses.sum()
    assert force.sum(0) == pytest.approx(expected, abs=1e-8)
    # both wheels roll across their radius
    for contact, heading in zip(here.contacts, headings, strict=True):
        assert (contact - turn_centre) @ heading == pytest.approx(0, abs=1e-10)

    run = simulate(
        equations, 2 * np.pi / abs(turn), start=found.state, rtol=1e-11, atol=1e-12, progress=False
    )  # fmt: skip
    place = np.column_stack([run["bicycle.x"], run["bicycle.y"]]) - turn_centre[:2]
    assert np.hypot(*place.T) == pytest.approx(abs(x_rate / turn), rel=1e-7)
    assert run.final("bicycle.yaw") == pytest.approx(np.sign(turn) * 2 * np.pi, abs=1e-7)
    assert run["bicycle.speed"] == pytest.approx(speed, rel=1e-8)
    assert np.ptp(run["energy.total"]) < 1e-7


def test_hands_free_circles_begin_at_the_capsize_speed(equations: Equations) -> None:
    leans, speeds = (0.01, 0.02), []
    for lean in leans:
        found = steady_motion(
            equations, {"bicycle.lean": lean},
            guess=STILL | {"bicycle.steer": -0.3 * lean, "bicycle.speed": 6.0},
        )  # fmt: skip
        speeds.append(found.state["bicycle.speed"])
    # speed is even in the lean: extrapolated to none
    begin = speeds[0] + (speeds[0] - speeds[1]) / 3
    assert begin == pytest.approx(published.CAPSIZE_SPEED, abs=1e-6)


@pytest.mark.parametrize("speed", [4.0, 8.0])
def test_slow_turn_needs_the_torque_of_the_linear_theory(
    equations: Equations, speed: float
) -> None:
    known = {name: other_axes(matrix) for name, matrix in canonical_matrices().items()}
    stiffness = 9.81 * known["K0"] + speed**2 * known["K2"]
    torque = 1e-4
    lean, steer = np.linalg.solve(stiffness, [0, torque])
    found = steady_motion(
        equations, {"bicycle.speed": speed}, guess=STILL, inputs={"steer.torque": torque}
    )
    assert found.state["bicycle.lean"] == pytest.approx(lean, rel=1e-5)
    assert found.state["bicycle.steer"] == pytest.approx(steer, rel=1e-5)
    # the wheels' lines meet in the centre: ψ' = v δ cos λ / w
    turn = speed * steer * np.cos(np.pi / 10) / 1.02
    assert found.outputs["bicycle.yaw_rate"] == pytest.approx(turn, rel=1e-5)
