"""Rotations that are free: tops by their closed forms, the rolling disk, chains of bodies.

The torque-free top is Jacobi's elliptic functions, the heavy symmetric top its steady precession,
the disk the rows of `tests.fmu_src.test_rolling_disk`, derived by hand and accurate to 3e-8.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.special import ellipj, ellipk

from mbcore import (
    Body,
    Coupling,
    Hinge,
    Model,
    ModelError,
    Result,
    RigidLink,
    RoleError,
    SimulationError,
    SpatialBeam,
    Wheel,
    equilibrium,
    linearize,
    simulate,
    steady_motion,
    superpose,
)
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.rolling.rolling_disk import model as hinged_disk
from mbcore.model.nodes import rotations
from tests.fmu_src.test_rolling_disk import ENERGY, ROWS

INERTIA = (1.0, 2.0, 3.0)
NUDGE = 1e-2
"""Angular velocity, rad/s, beside that of 1 rad/s about the unstable middle axis."""
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
LOCKED = rotations.about((0, 1, 0), np.pi / 2)
"""An orientation in which yaw, pitch and roll are singular."""


def free_body(start: tuple[float, ...] = UPRIGHT, **options: Any) -> Model:
    model = Model("top")
    centre, ball = model.point("centre", (0, 0, 0), fixed=True), model.rotation("ball", start)
    model.add(Body("body", centre, ball, mass=1.0, inertia=INERTIA))
    ball.free(angular_velocity=(0.0, 1.0, NUDGE), **options)
    rates = ball.body_angular_velocity
    momentum = ball.matrix @ (ca.DM(INERTIA) * rates)
    for i, label in enumerate("xyz"):
        model.output(f"momentum_{label}", momentum[i])
        model.output(f"rate_{label}", rates[i])
    model.output("energy", model.kinetic_energy)
    return model


def turned(model: Model, turns: float, **options: Any) -> Result:
    return simulate(
        model.equations(), 2 * np.pi * turns, rtol=1e-12, atol=1e-14, progress=False, **options
    )


def jacobi(time: np.ndarray) -> np.ndarray:
    """Body rates of the torque-free top from (0, 1, NUDGE) on, shape (3, nt)."""
    one, two, three = INERTIA
    energy, square = two + three * NUDGE**2, two**2 + (three * NUDGE) ** 2  # 2T and L²
    high, low = energy * three - square, square - energy * one
    m = (two - one) * high / ((three - two) * low)
    tau = time * np.sqrt((three - two) * low / (one * two * three)) + ellipk(m)
    sn, cn, dn, _ = ellipj(tau, m)
    return np.array(
        [
            np.sqrt(high / (one * (three - one))) * cn,
            np.sqrt(high / (two * (three - two))) * sn,
            np.sqrt(low / (three * (three - one))) * dn,
        ]
    )


def assert_conserved(motion: Result, accuracy: float) -> None:
    momentum = np.array([motion[f"momentum_{label}"] for label in "xyz"])
    size = np.linalg.norm(momentum[:, 0])
    assert np.ptp(motion["energy"]) < accuracy * motion["energy"][0]
    assert np.ptp(momentum, axis=1).max() < accuracy * size


@pytest.mark.parametrize(
    "start", [UPRIGHT, pytest.param(LOCKED, marks=pytest.mark.heavy), (0.0, 0.0, 3.0, -4.0)]
)
def test_torque_free_top_tumbles_as_jacobi_says(start: tuple[float, ...]) -> None:
    # [Schwab2002] (B.14), (B.19)
    motion = turned(free_body(start), 5)
    rates = np.array([motion[f"rate_{label}"] for label in "xyz"])
    assert np.abs(rates - jacobi(motion.time)).max() < 1e-9
    assert rates[1].min() < -0.99  # it has turned over
    assert_conserved(motion, 1e-11)
    states = np.array([motion[f"ball.omega_{label}"] for label in "xyz"])
    assert states == pytest.approx(rates, abs=1e-14)


@pytest.mark.heavy
def test_a_thousand_turns_keep_energy_and_angular_momentum() -> None:
    """Five seconds of steps in Python, which C makes in tests of its own."""
    assert_conserved(turned(free_body(), 1000, samples=2001), 1e-9)


def test_axes_fixed_in_space_give_the_same_motion() -> None:
    body, space = turned(free_body(), 2), turned(free_body(axes="space"), 2)
    assert space["ball.omega_y"][0] == 1.0
    for name in ("momentum_x", "energy", "rate_x", "rate_y", "rate_z"):
        assert space.final(name) == pytest.approx(body.final(name), abs=1e-9)


@pytest.mark.heavy
def test_length_of_the_parameters_makes_no_difference() -> None:
    model = free_body((0.0, 0.0, 3.0, -4.0))
    start = {state.name: state.start for state in model.equations().states}
    assert [start[f"ball.e{i}"] for i in range(4)] == pytest.approx([0, 0, 0.6, -0.8])
    one = turned(model, 2)
    five = turned(model, 2, start={"ball.e2": 3.0, "ball.e3": -4.0})
    for name in ("rate_x", "momentum_y", "energy"):
        assert five.final(name) == pytest.approx(one.final(name), abs=1e-10)
    for motion, length in ((one, 1.0), (five, 5.0)):  # kept by the equations, not only by steps
        square = np.sum([motion[f"ball.e{i}"] ** 2 for i in range(4)], axis=0)
        assert square == pytest.approx(length**2, rel=1e-10)


SPIN, TILT = 20.0, 0.6
MASS, ARM, ACROSS, ALONG, GRAVITY = 1.2, 0.8, 1.0, 0.5, 9.81
ABOUT_TIP = ACROSS + MASS * ARM**2


def heavy_top(tilt: float, precession: float, spin: float, **options: Any) -> Model:
    """A symmetric top on its tip, with angular velocities about the vertical and its own axis."""
    model = Model("heavy top", gravity=(0, 0, -GRAVITY))
    start = rotations.about((0, 1, 0), tilt)
    tip, top = model.point("tip", (0, 0, 0), fixed=True), model.rotation("top", start)
    centre = model.point("centre", (ARM * np.sin(tilt), 0, ARM * np.cos(tilt)))
    model.add(RigidLink("arm", tip, top, centre, offset=(0, 0, ARM)))
    model.add(Body("body", centre, top, mass=MASS, inertia=(ACROSS, ACROSS, ALONG)))
    rate = (-precession * np.sin(tilt), 0.0, spin)
    if options.get("axes") == "space":
        rate = tuple(np.array(ca.DM(rotations.matrix(ca.DM(start))).full()) @ rate)
    top.free(angular_velocity=rate, **options)
    for i, label in enumerate("xyz"):
        model.output(f"axis_{label}", top.matrix[i, 2])
    model.output("energy", model.kinetic_energy + model.potential_energy)
    return model


@pytest.mark.heavy
def test_heavy_top_precesses_steadily() -> None:
    # A cos(tilt) p² - C s p + m g l = 0, about the tip; s about the top's own axis
    a, b, c = ABOUT_TIP * np.cos(TILT), ALONG * SPIN, MASS * GRAVITY * ARM
    precession = (b - np.sqrt(b**2 - 4 * a * c)) / (2 * a)
    equations = heavy_top(TILT, precession, SPIN).equations()
    assert equations.iterated == 0 and equations.conditioning_names == ()
    motion = simulate(equations, 2 * np.pi / precession, rtol=1e-12, atol=1e-13, progress=False)
    angle = precession * motion.time
    assert motion["axis_x"] == pytest.approx(np.sin(TILT) * np.cos(angle), abs=1e-10)
    assert motion["axis_y"] == pytest.approx(np.sin(TILT) * np.sin(angle), abs=1e-10)
    assert np.ptp(motion["axis_z"]) < 1e-10
    assert np.ptp(motion["energy"]) < 1e-10


def rolling_disk(auto: bool = False) -> Model:
    model = Model("disk", gravity=(0, 0, -1.0))
    centre, contact = model.point("centre", (0, 0, 1)), model.point("contact", (0, 0, 0))
    disk = model.rotation("disk")
    model.add(Body("body", centre, disk, mass=1.0, inertia=(0.25, 0.5, 0.25)))
    wheel = model.add(Wheel("wheel", centre, disk, contact, radius=1.0))
    if not auto:
        disk.free(angular_velocity=(-0.01, 0.4116, 0.0))
        contact.x.kinematic("contact.x")
        contact.y.kinematic("contact.y")
    model.output("lean", ca.asin(disk.turned((0, 1, 0))[2]))
    model.output("along", wheel.longitudinal_force)
    model.output("across", wheel.lateral_force)
    model.output("normal", wheel.normal_force)
    model.output("energy", model.kinetic_energy + model.potential_energy)
    return model


@pytest.mark.heavy
def test_disk_rolls_as_the_reference() -> None:
    equations = rolling_disk().equations()
    motion = simulate(equations, 87, rtol=1e-12, atol=1e-12, samples=88, progress=False)
    names = ("contact.x", "contact.y", "lean", "along", "across", "normal")
    for time, row in ROWS.items():
        found = [motion[name][time] for name in names]
        assert found == pytest.approx([*row[:3], *row[4:]], abs=1e-7)
    assert motion["energy"] == pytest.approx(ENERGY, abs=1e-8)
    assert np.ptp(motion["energy"]) < 1e-10


@pytest.mark.heavy
def test_tangent_and_linearization_are_derivatives() -> None:
    at = {"disk.e1": 0.1, "disk.e2": -0.3, "disk.e3": 0.2, "disk.omega_z": 0.5}
    equations = rolling_disk().equations()
    point = Evaluation(equations)
    point.start(at)
    exact, state = point.jacobian().copy(), point.s.copy()
    assert exact == pytest.approx(linearize(equations, at).state_matrix, abs=1e-11)
    for i in range(state.size):
        ends = []
        for step in (1e-6, -1e-6):
            point.s[:] = state
            point.s[i] += step
            point.configure()
            ends.append(point.derivative().copy())
        assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(exact[:, i], abs=1e-8)


@pytest.mark.parametrize(
    "speed",
    [0.3, pytest.param(0.5, marks=pytest.mark.heavy), pytest.param(0.8, marks=pytest.mark.heavy)],
)
def test_straight_rolling_has_the_eigenvalues_of_the_text(speed: float) -> None:
    equations = rolling_disk().equations()
    about = linearize(equations, {"disk.omega_x": 0.0, "disk.omega_y": speed})
    fast = np.emath.sqrt(0.8 * (1 - 3 * speed**2))
    found = about.eigenvalues()
    assert np.sort_complex(found) == pytest.approx(np.sort_complex([0, fast, -fast]), abs=1e-12)
    reasons = about.structural_zeros
    assert reasons["disk.e0"].startswith("length of the Euler parameters")
    assert reasons["disk.e3"].startswith("turn of disk about the axis z")
    assert len(found) + len(reasons) == len(equations.states)


@pytest.mark.parametrize("spin", [5.0, pytest.param(SPIN, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("axes", ["body", "space"])
def test_sleeping_top_is_linearized_on_the_axes_of_its_speeds(axes: str, spin: float) -> None:
    # A z'' - i C s z' - m g l z = 0 for z = x + i y of the axis, seen from space
    roots = np.roots([ABOUT_TIP, -1j * ALONG * spin, -MASS * GRAVITY * ARM])
    roots = roots - 1j * spin if axes == "body" else roots
    about = linearize(heavy_top(0.0, 0.0, spin, axes=axes).equations())
    found = about.eigenvalues()
    for root in (*roots, *roots.conj()):
        assert np.abs(found - root).min() < 1e-11 * spin
    assert len(found) == 4 and set(about.structural_zeros) == {"top.e0", "top.e3", "top.omega_z"}


def test_nutation_about_steady_precession() -> None:
    a, b, c = ABOUT_TIP * np.cos(TILT), ALONG * SPIN, MASS * GRAVITY * ARM
    precession = (b - np.sqrt(b**2 - 4 * a * c)) / (2 * a)
    about = linearize(heavy_top(TILT, precession, SPIN).equations())
    nutation = np.hypot(precession * np.sin(TILT), b / ABOUT_TIP - 2 * precession * np.cos(TILT))
    fastest = max(about.eigenvalues(), key=lambda value: value.imag)
    assert fastest == pytest.approx(1j * nutation, abs=1e-9)
    assert max(about.modes(), key=lambda mode: mode.frequency).frequency == pytest.approx(nutation)


@pytest.mark.heavy
def test_rolling_in_a_circle_has_the_eigenvalues_of_the_model_with_hinges() -> None:
    hinged = hinged_disk().equations()
    circle = steady_motion(
        hinged, {"disk.lean": 0.3, "disk.pitch_rate": 0.5}, guess={"disk.yaw_rate": -1.0}
    ).state
    expected = linearize(hinged, circle).eigenvalues()
    orientation = rotations.about((1, 0, 0), 0.3)
    matrix = np.array(ca.DM(rotations.matrix(ca.DM(orientation))).full())
    rate = matrix.T @ (0, 0, circle["disk.yaw_rate"]) + (0, 0.5, 0)
    start = {f"disk.e{i}": orientation[i] for i in range(4)}
    start |= {f"disk.omega_{label}": rate[i] for i, label in enumerate("xyz")}
    found = linearize(rolling_disk().equations(), start).eigenvalues()
    others = found[np.abs(found) > 1e-5]  # what is left are zeros by symmetry
    assert others == pytest.approx(expected, abs=1e-8)


@pytest.mark.heavy
def test_eigenvalues_of_tumbling_are_refused() -> None:
    about = linearize(free_body().equations(), {"ball.omega_x": 0.3})
    with pytest.raises(ModelError, match=r"motion of ball change along it.*say nothing"):
        about.eigenvalues()
    spinning = linearize(free_body().equations(), {"ball.omega_z": 0.0})
    one, two, three = INERTIA  # about the middle axis, as Euler's equations say
    growth = np.sqrt((three - two) * (two - one) / (one * three))
    assert spinning.eigenvalues()[0] == pytest.approx(growth, abs=1e-12)


@pytest.mark.heavy
def test_auto_frees_what_nothing_else_determines() -> None:
    equations = rolling_disk(auto=True).equations(roles="auto")
    assert "disk is a free rotation" in equations.chosen_roles[0]
    names = [state.name for state in equations.states]
    assert names[:3] == [f"disk.omega_{label}" for label in "xyz"]
    assert set(names[3:]) == {*(f"disk.e{i}" for i in range(4)), "contact.x", "contact.y"}
    model = Model("arm")  # a joint's angle is preferred, and a body on a joint is not free
    hand, forearm = model.rotation("hand"), model.rotation("forearm")
    model.add(Hinge("elbow", forearm, hand, axis=(0, 0, 1)))
    centre = model.point("centre", (0, 0, 0), fixed=True)
    for name, part in (("one", hand), ("two", forearm)):
        model.add(Body(name, centre, part, mass=1.0, inertia=INERTIA))
    arm = model.equations(roles="auto")
    assert "hand is a free rotation" in arm.chosen_roles[0]
    assert "elbow.angle is a degree of freedom" in arm.chosen_roles[1]


def test_impact_of_a_body_that_tumbles() -> None:
    model = Model("stick", gravity=(0, 0, -9.81))
    centre, body = model.point("centre", (0, 0, 2.0)), model.rotation("body", (0.9, 0.3, -0.2, 0.1))
    for label, coordinate in zip("xyz", centre.quantities, strict=True):
        coordinate.dof(label)
    body.free(angular_velocity=(1.0, -2.0, 0.5))
    model.add(Body("body", centre, body, mass=2.0, inertia=INERTIA))
    arm = body.turned((0.3, 0.1, -0.5))
    unilateral_contact(model, "floor", (centre.position + arm)[2], Impact(0.4))
    rate = (centre.velocity + ca.cross(body.angular_velocity, arm))[2]
    shown = ca.vertcat(body.angular_velocity, rate, (centre.position + arm)[2], arm)
    for i, part in enumerate(ca.vertsplit(ca.vertcat(shown, ca.vec(body.matrix)))):
        model.output(f"out_{i}", part)
    motion = simulate(model.equations(), 1.5, rtol=1e-11, atol=1e-12, progress=False)
    rows = np.array([motion[f"out_{i}"] for i in range(17)])
    first = int(np.flatnonzero(np.diff(motion["floor.impacts"]) > 0)[0])
    before, after = rows[:, first], rows[:, first + 1]
    matrix = before[8:].reshape(3, 3, order="F")
    lever = np.cross(before[5:8], (0, 0, 1.0))
    turn = np.linalg.solve(matrix @ np.diag(INERTIA) @ matrix.T, lever)
    impulse = -1.4 * before[3] / (1 / 2.0 + lever @ turn)
    assert after[:3] == pytest.approx(before[:3] + turn * impulse, abs=1e-10)
    assert after[3] == pytest.approx(-0.4 * before[3], abs=1e-10)
    closings = [time for time, name in motion.events if name == "floor.closed"]
    assert closings  # from there on the gap is kept closed, kinematic states following
    assert np.abs(rows[4, motion.time > closings[0]]).max() < 1e-11


def test_speed_about_an_axis_can_be_forbidden() -> None:
    # Suslov: I11 w1' = -w2 (I13 w1 + I23 w2), I22 w2' = w1 (I13 w1 + I23 w2), w3 = 0
    inertia = np.array([[1.0, 0.0, 0.2], [0.0, 2.0, -0.3], [0.2, -0.3, 2.5]])
    model = Model("suslov")
    centre, body = model.point("centre", (0, 0, 0), fixed=True), model.rotation("body", LOCKED)
    model.add(Body("body", centre, body, mass=1.0, inertia=inertia))
    body.free(angular_velocity=(0.7, -0.4, 0.0))
    assert body.freedom is not None
    about = body.freedom.spins[2].release().zero()
    body.freedom.spins[0].law(-model.input("moment", 0.0))
    model.output("moment_z", about.force)
    equations = model.equations()
    for moment in (0.0, 0.3):
        point = Evaluation(equations, inputs={"moment": moment})
        point.start()
        coupling = 0.2 * 0.7 + 0.3 * 0.4
        expected = [0.4 * coupling + moment, 0.7 * coupling / 2]
        assert point.derivative()[:2] == pytest.approx(expected, abs=1e-14)
        # of the support on the body: I13 w1' + I23 w2' + (I22 - I11) w1 w2
        needed = 0.2 * expected[0] - 0.3 * expected[1] - (2.0 - 1.0) * 0.7 * 0.4
        assert -point.output()[0] == pytest.approx(needed, abs=1e-14)


@pytest.mark.heavy
def test_flexible_beam_flies_freely() -> None:
    model = Model("beam")
    ends = [model.point(name, (x, 0, 0)) for name, x in (("a", 0.0), ("b", 1.0))]
    turns = [model.rotation(f"turn {name}") for name in "ab"]
    momentum = ca.SX(3, 1)
    for end, turn in zip(ends, turns, strict=True):
        for coordinate in end.quantities:
            coordinate.dof(rate_start=float(coordinate.name == "b.y"))
        turn.free(angular_velocity=(0.5, 0.3 if turn is turns[0] else -0.2, 2.0))
        model.add(Body(f"mass {end.name}", end, turn, mass=1.0, inertia=(0.1, 0.12, 0.1)))
        spin = turn.matrix @ (ca.DM((0.1, 0.12, 0.1)) * turn.body_angular_velocity)
        momentum += ca.cross(end.position, end.velocity) + spin
    stiffness = {"axial_stiffness": 1e3, "torsional_stiffness": 20.0}
    bending = {"bending_stiffness_y": 30.0, "bending_stiffness_z": 40.0}
    model.add(SpatialBeam("beam", ends[0], turns[0], ends[1], turns[1], **stiffness, **bending))
    model.output("energy", model.kinetic_energy + model.potential_energy)
    for i in range(3):
        model.output(f"momentum_{i}", momentum[i])
    equations = model.equations()
    assert equations.iterated == 0
    motion = simulate(equations, 1.0, rtol=1e-11, atol=1e-12, progress=False)
    assert np.ptp(motion["energy"]) < 1e-10
    assert max(np.ptp(motion[f"momentum_{i}"]) for i in range(3)) < 1e-12


def test_couplings_beside_a_body_that_tumbles() -> None:
    model = free_body((0.9, 0.3, -0.2, 0.1))
    one, two = model.point("one", (2.0, 0, 0)), model.point("two", (1.0, 0, 0))
    for name, point in (("one", one), ("two", two)):
        model.add(Body(f"mass {name}", point, mass=1.0))
        point.y.fix()
        point.z.fix()
    one.x.dof("x")
    model.add(Coupling("ratio", one.x.value - 2 * two.x.value))
    model.force(one, (3.0, 0, 0))
    point = Evaluation(model.equations())
    point.start({"ball.omega_x": 0.5, "ball.omega_z": -0.7})
    i, w = np.array(INERTIA), np.array([0.5, 1.0, -0.7])
    euler = -np.cross(w, i * w) / i
    assert point.derivative()[:4] == pytest.approx([3 / 1.25, *euler], abs=1e-13)


def test_statics_and_steady_motions_refuse_what_turns_freely() -> None:
    equations = rolling_disk().equations()
    with pytest.raises(ModelError, match=r"equilibrium.*disk\.omega_x.*generalized speeds"):
        equilibrium(equations)
    with pytest.raises(ModelError, match=r"steady_motion.*disk is a free rotation"):
        steady_motion(equations, {"disk.omega_y": 0.5})
    with pytest.raises(ModelError, match=r"superpose.*disk\.e0.*Euler parameters"):
        superpose(rolling_disk())


@pytest.mark.heavy
@pytest.mark.parametrize("count", [6, pytest.param(20, marks=pytest.mark.heavy)])
def test_chain_of_bodies_on_spherical_joints(count: int) -> None:
    model = Model("chain")
    joint = model.point("joint 0", (0, 0, 0))
    for label, coordinate in zip("xyz", joint.quantities, strict=True):
        coordinate.dof(f"joint.{label}")
    momentum, turning = ca.SX(3, 1), ca.SX(3, 1)
    for i in range(count):
        body = model.rotation(f"body {i}", LOCKED if i % 3 else UPRIGHT)
        matrix = np.array(ca.DM(rotations.matrix(ca.DM(body.start))).full())
        start = np.array(ca.DM(joint.start).full())[:, 0] + matrix @ [0, 0, 1.0]
        end = model.point(f"joint {i + 1}", tuple(start))
        model.add(RigidLink(f"link {i}", joint, body, end, offset=(0, 0, 1)))
        model.add(Body(f"mass {i}", end, body, mass=1.0, inertia=INERTIA))
        body.free(angular_velocity=(0.3 * (-1) ** i, 0.1 * i, 0.5))
        momentum += end.velocity
        spin = body.matrix @ (ca.DM(INERTIA) * body.body_angular_velocity)
        turning += ca.cross(end.position, end.velocity) + spin
        joint = end
    for i in range(3):
        model.output(f"momentum_{i}", momentum[i])
        model.output(f"turning_{i}", turning[i])
    model.output("energy", model.kinetic_energy)
    motion = simulate(model.equations(), 0.5, rtol=1e-10, atol=1e-12, progress=False)
    assert len(motion.columns) == 6 + count * 7 + 7
    for name in ("energy", *(f"{kind}_{i}" for kind in ("momentum", "turning") for i in range(3))):
        assert np.ptp(motion[name]) < 1e-8 * max(1.0, abs(motion[name][0]))


def test_mistakes_are_told_by_name() -> None:
    model = Model("m")
    ball, other = model.rotation("ball"), model.rotation("other")
    with pytest.raises(ModelError, match="rotation ball 2: axes is 'body' or 'space', got 'world'"):
        model.rotation("ball 2").free(axes="world")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="rotation ball: its angular velocity starts with three"):
        ball.free(angular_velocity=(1.0, 2.0))
    model = free_body()
    ball = model.nodes["ball"]
    with pytest.raises(RoleError, match="rotation ball is already free"):
        ball.free()  # type: ignore[attr-defined]
    with pytest.raises(RoleError, match=r"ball\.e1 is already a kinematic coordinate"):
        ball.quantities[1].kinematic("twice")
    with pytest.raises(SimulationError, match=r"ball\.e = 0 .*all zero, which is not an orie"):
        simulate(model.equations(), 1.0, start={"ball.e0": 0.0})
    ball.quantities[2].release().dof()
    with pytest.raises(RoleError, match=r"ball\.e2 is degree of freedom, but its rotation ball"):
        model.equations()
    spun = free_body()
    spun.nodes["ball"].freedom.spins[0].release()  # type: ignore[attr-defined]
    with pytest.raises(RoleError, match=r"coordinates \(3, of a free.*three\) as slips.*\(2\)"):
        spun.equations()
    other.e3.dof()
    with pytest.raises(RoleError, match=r"other\.e3 is a degree of freedom, so the rotation other"):
        other.free()
    with pytest.raises(ModelError, match=r"ball 3\.omega_x starts with 'rate'.*one name"):
        spin = model.rotation("ball 3").free().freedom.spins[0].release()  # type: ignore[union-attr]
        spin.dof("angle", "rate")  # type: ignore[arg-type]
