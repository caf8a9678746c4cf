"""The bicycle against the literature, closed forms and the laws of Newton and Euler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import bicycle_formulas as published
import numpy as np
import pytest
from bicycle_formulas import canonical_matrices, other_axes, rolling_mass
from scipy.optimize import brentq

from fmu_src import bicycle
from mbcore import (
    Equations,
    Linearization,
    Linearizer,
    SimulationError,
    linearize,
    simulate,
    steady_motion,
)
from mbcore.evaluation.evaluation import Evaluation

STILL = {"bicycle.lean_rate": 0.0}
LATERAL = [0, 1]
"""Lean and steer among the degrees of freedom."""
MODES = [0, 1, 3, 4]
"""Their rates and values among the states."""


@pytest.fixture(scope="module")
def equations() -> Equations:
    return bicycle.model().equations()


@pytest.fixture(scope="module")
def linearizer(equations: Equations) -> Linearizer:
    return Linearizer(equations)


def straight(linearizer: Linearizer, speed: float, **options: Mapping[str, float]) -> Linearization:
    """Linearize about straight upright riding."""
    return linearizer.at(STILL | {"bicycle.speed": speed}, **options)


def eigenvalues(about: Linearization) -> np.ndarray:
    """Eigenvalues of lean and steer."""
    return np.linalg.eigvals(about.state_matrix[np.ix_(MODES, MODES)])


def nearest(found: np.ndarray, wanted: complex) -> complex:
    return complex(found[np.argmin(np.abs(found - wanted))])


def named(records: tuple, values: np.ndarray) -> dict[str, float]:
    return {record.name: float(value) for record, value in zip(records, values, strict=True)}


# Straight riding


def test_parameters_are_those_of_table_1(equations: Equations) -> None:
    assert {p.name: p.value for p in equations.parameters} == published.DATA


def test_closed_form_gives_the_published_matrices() -> None:
    for name, matrix in canonical_matrices().items():
        assert matrix == pytest.approx(np.array(published.PUBLISHED[name]), rel=2e-14), name


def assert_matrices(about: Linearization, data: Mapping[str, float], v: float) -> None:
    """Compare with M, v C1 and g K0 + v² K2, in parts of the largest element of each."""
    known = {name: other_axes(matrix) for name, matrix in canonical_matrices(data).items()}
    g = data["gravity"]
    for found, expected in (
        (about.M, known["M"]),
        (about.C, v * known["C1"]),
        (about.K_d, g * known["K0"] + v**2 * known["K2"]),
    ):
        scale = np.abs(expected).max() + 1e-3
        np.testing.assert_allclose(found[:2, :2], expected, rtol=1e-10, atol=1e-13 * scale)
        # speed is not coupled to lean and steer
        np.testing.assert_allclose(found[2, :2], 0, atol=1e-12 * scale)
        np.testing.assert_allclose(found[:2, 2], 0, atol=1e-12 * scale)
    assert about.M[2, 2] == pytest.approx(rolling_mass(data), rel=1e-12)
    assert about.f_d == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("speed", [0.0, 0.5, 3.0, 4.6, 5.0, 10.0, -2.0])
def test_matrices_of_the_benchmark(linearizer: Linearizer, speed: float) -> None:
    assert_matrices(straight(linearizer, speed), published.DATA, speed)


def other_bicycle(seed: int) -> dict[str, float]:
    """Data of no particular bicycle, with masses where they may be and odd steering geometry."""
    random = np.random.default_rng(seed)
    data = {name: value * random.uniform(0.6, 1.6) for name, value in published.DATA.items()}
    data["geometry.trail"] = random.uniform(-0.1, 0.2)
    data["geometry.tilt"] = random.uniform(-0.2, 0.6)
    for frame in ("rear_frame", "front_frame"):
        limit = np.sqrt(data[f"{frame}.inertia_xx"] * data[f"{frame}.inertia_zz"])
        data[f"{frame}.inertia_xz"] = random.uniform(-0.9, 0.9) * limit
    return data


@pytest.mark.parametrize("seed", range(6))
def test_matrices_of_other_bicycles(linearizer: Linearizer, seed: int) -> None:
    data, speed = other_bicycle(seed), 1.5 + seed
    assert_matrices(straight(linearizer, speed, parameters=data), data, speed)


def test_two_point_masses_on_massless_wheels(linearizer: Linearizer) -> None:
    # a skate with the front contact ahead of the steering axis
    skate = dict.fromkeys((n for n in published.DATA if "inertia" in n or "mass" in n), 0.0) | {
        "gravity": 9.81,
        "geometry.wheelbase": 1.0,
        "geometry.trail": -0.004,
        "geometry.tilt": 0.1,
        "rear_wheel.radius": 0.1,
        "front_wheel.radius": 0.1,
        "rear_frame.x": 0.5,
        "rear_frame.z": 0.4,
        "rear_frame.mass": 10.0,
        "front_frame.x": 1.02,
        "front_frame.z": 0.2,
        "front_frame.mass": 1.0,
    }
    assert_matrices(straight(linearizer, 3.0, parameters=skate), skate, 3.0)


@pytest.mark.parametrize("speed", published.CAPSIZE_AND_CASTERING)
def test_eigenvalues_of_table_2(linearizer: Linearizer, speed: int) -> None:
    found = eigenvalues(straight(linearizer, speed))
    wanted: list[complex] = [*published.CAPSIZE_AND_CASTERING[speed]]
    if speed == 0:
        wanted += [-value for value in wanted]
    else:
        weave = complex(*published.WEAVE[speed])
        wanted += [weave, weave.conjugate()]
    for value in wanted:
        assert nearest(found, value) == pytest.approx(value, abs=2e-12)


def test_weave_and_capsize_speed(linearizer: Linearizer) -> None:
    def growth(speed: float) -> float:
        return float(eigenvalues(straight(linearizer, speed)).real.max())

    assert brentq(growth, 4.2, 4.4, xtol=1e-14) == pytest.approx(published.WEAVE_SPEED, abs=1e-12)
    assert brentq(growth, 5.9, 6.1, xtol=1e-14) == pytest.approx(published.CAPSIZE_SPEED, abs=1e-11)


def test_cyclic_coordinates_have_no_influence(linearizer: Linearizer) -> None:
    about = straight(linearizer, 5.0)
    assert set(about.expected_zeros()) == {
        "bicycle.distance", "bicycle.yaw", "bicycle.x", "bicycle.y", "front_wheel.angle",
    }  # fmt: skip


def test_torques_push_where_their_names_say(linearizer: Linearizer) -> None:
    about = straight(linearizer, 5.0)
    inverse = np.linalg.inv(other_axes(canonical_matrices()["M"]))
    columns = {
        "lean.torque": [*inverse[:, 0], 0.0],
        "steer.torque": [*inverse[:, 1], 0.0],
        "drive.torque": [0.0, 0.0, 1 / 0.3 / rolling_mass()],
    }
    inputs = [i.name for i in about.equations.inputs]
    for name, column in columns.items():
        found = about.input_matrix[:3, inputs.index(name)]
        assert found == pytest.approx(column, rel=1e-11, abs=1e-14), name


# Any motion


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


# Newton and Euler, with the kinematics written down once more


class Posture(NamedTuple):
    """Mass centres (4, 3), orientations (4, 3, 3) and contact points (2, 3)."""

    centres: np.ndarray
    turned: np.ndarray
    contacts: np.ndarray


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation matrix by Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def upwards(axle: np.ndarray) -> np.ndarray:
    """Unit vector from the lowest point of a wheel to its centre."""
    up = np.array([0, 0, 1]) - axle[2] * axle
    return up / np.linalg.norm(up)


def posture(point: Evaluation, states: np.ndarray) -> Posture:
    """Return where everything is: rear wheel, rear frame, front frame, front wheel."""
    q = named(point.equations.states, states)
    point.s[:] = states
    point.configure()
    pitch = named(point.equations.outputs, point.output())["bicycle.pitch"]
    d, (x, y, z) = published.DATA, np.eye(3)
    w, c, tilt = (d[f"geometry.{name}"] for name in ("wheelbase", "trail", "tilt"))
    r_R, r_F = d["rear_wheel.radius"], d["front_wheel.radius"]
    frame = about(z, q["bicycle.yaw"]) @ about(x, q["bicycle.lean"]) @ about(y, pitch)
    axis = np.array([-np.sin(tilt), 0, np.cos(tilt)])
    fork = frame @ about(axis, q["bicycle.steer"])
    rear = frame @ about(y, q["bicycle.distance"] / r_R)
    front = fork @ about(y, q["front_wheel.angle"])
    contact = np.array([q["bicycle.x"], q["bicycle.y"], 0])
    rear_centre = contact + r_R * upwards(frame[:, 1])
    pierced = rear_centre + frame @ [w + c, 0, -r_R]  # where the axis meets the ground, upright
    front_centre = pierced + fork @ [-c, 0, r_F]
    place = {n: np.array([d[f"{n}.x"], 0, d[f"{n}.z"]]) for n in ("rear_frame", "front_frame")}
    return Posture(
        np.array([
            rear_centre,
            rear_centre + frame @ (place["rear_frame"] - [0, 0, r_R]),
            pierced + fork @ (place["front_frame"] - [w + c, 0, 0]),
            front_centre,
        ]),
        np.array([rear, frame, fork, front]),
        np.array([contact, front_centre - r_F * upwards(fork[:, 1])]),
    )  # fmt: skip


def inertia(name: str) -> np.ndarray:
    d = published.DATA
    xx, yy = d[f"{name}.inertia_xx"], d[f"{name}.inertia_yy"]
    xz, zz = d.get(f"{name}.inertia_xz", 0.0), d.get(f"{name}.inertia_zz", xx)
    return np.array([[xx, 0, xz], [0, yy, 0], [xz, 0, zz]])


PARTS = ("rear_wheel", "rear_frame", "front_frame", "front_wheel")
STENCIL = ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12))
"""Offsets and weights of a derivative of fourth order."""


def momentum(point: Evaluation, states: np.ndarray, step: float = 1e-3) -> np.ndarray:
    """Return momentum and moment of momentum about the origin, shape (2, 3)."""
    point.s[:] = states
    point.configure()
    flow = point.derivative().copy()
    moved = [(posture(point, states + k * step * flow), weight) for k, weight in STENCIL]
    velocity = sum(weight * found.centres for found, weight in moved) / step
    turning = sum(weight * found.turned for found, weight in moved) / step
    here = posture(point, states)
    total = np.zeros((2, 3))
    for i, name in enumerate(PARTS):
        mass, R = published.DATA[f"{name}.mass"], here.turned[i]
        spin = turning[i] @ R.T
        omega = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        total[0] += mass * velocity[i]
        total[1] += mass * np.cross(here.centres[i], velocity[i]) + R @ inertia(name) @ R.T @ omega
    return total


def ground_forces(shown: Mapping[str, float], headings: np.ndarray) -> np.ndarray:
    """Return the forces on both wheels on inertial axes, shape (2, 3)."""
    forces = []
    for name, along in zip(("rear", "front"), headings, strict=True):
        left = np.array([-along[1], along[0], 0])
        forces.append(
            shown[f"{name}.longitudinal_force"] * along
            + shown[f"{name}.lateral_force"] * left
            + [0, 0, shown[f"{name}.normal_force"]]
        )
    return np.array(forces)


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
    axles = (here.turned[1][:, 1], here.turned[2][:, 1])
    headings = np.array([np.cross(axle, [0, 0, 1]) for axle in axles])
    headings /= np.linalg.norm(headings, axis=1)[:, None]
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


# Circles


@pytest.mark.parametrize("lean", [0.1, -0.3])
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
    axles = (here.turned[1][:, 1], here.turned[2][:, 1])
    headings = np.array([np.cross(axle, [0, 0, 1]) for axle in axles])
    headings /= np.linalg.norm(headings, axis=1)[:, None]
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


# What is refused


@pytest.mark.parametrize(
    ("start", "parameters", "said"),
    [
        ({"bicycle.lean": 1.5}, {}, r"bicycle\.lean = 1\.5.*falls on its side"),
        ({"bicycle.steer": 1.7}, {}, r"bicycle\.steer = 1\.7.*across the rear one"),
        ({}, {"rear_frame.inertia_xz": 5.1}, r"rear_frame\.inertia_xz = 5\.1.*no body has"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    equations: Equations, start: dict[str, float], parameters: dict[str, float], said: str
) -> None:
    with pytest.raises(SimulationError, match=said):
        Evaluation(equations, parameters).start(start)


def test_unstable_bicycle_falls_on_its_side(equations: Equations) -> None:
    with pytest.raises(SimulationError, match=r"bicycle\.lean = .*falls on its side"):
        simulate(equations, 10, start={"bicycle.speed": 2.0}, rtol=1e-6, progress=False)


def test_linearization_at_a_lean_is_that_of_differences(equations: Equations) -> None:
    about = linearize(equations, basu_mandal())
    point = Evaluation(equations)
    point.start(basu_mandal())
    assert about.state_matrix == pytest.approx(point.jacobian(), abs=1e-8)
