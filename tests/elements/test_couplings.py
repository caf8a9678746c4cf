"""Couplings: the force of a relation acts on all that is in it."""

from __future__ import annotations

from math import cos, pi, sin

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Body,
    Coupling,
    Hinge,
    Model,
    ModelError,
    ModelWarning,
    PlanarHinge,
    PlanarWheel,
    RigidLink,
    RoleError,
    Truss,
    equilibrium,
    linearize,
    simulate,
    superpose,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.quantities import Deformation, Role

G = 9.81
J1, J2, MASS, ARM = 1.3, 0.7, 0.8, 0.5


def at(model: Model, **state: float) -> dict[str, float]:
    """Outputs at a state, and ``rates`` of the first states."""
    point = Evaluation(model.equations())
    point.start(state)
    names = [output.name for output in point.equations.outputs]
    found = dict(zip(names, point.output().copy(), strict=True))
    rates = zip(point.equations.states, point.derivative(), strict=True)
    return found | {f"{s.name}'": r for s, r in rates}


def wheels(model: Model, *names: str, spatial: bool) -> list[Deformation]:
    """Wheels on axles of their own, with the inertias J1, J2, J2, and so on."""
    found = []
    for i, name in enumerate(names):
        J = J1 if i == 0 else J2
        if spatial:
            turned = model.rotation(name)
            axis = ((0, 1, 0), (1, 2, 2), (0, 0, 1))[i % 3]
            hinge = model.add(Hinge(f"hinge {name}", model.ground, turned, axis=axis))
            place = model.point(f"centre {name}", (0, 0, 0), fixed=True)
            model.add(Body(f"body {name}", place, turned, mass=1.0, inertia=(J, J, J)))
            found.append(hinge.angle)
        else:
            base, angle = model.angle(f"base {name}", fixed=True), model.angle(name)
            found.append(model.add(PlanarHinge(f"hinge {name}", base, angle)).angle)
            model.add(Body(f"body {name}", None, angle, inertia=J))
    return found


@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize("chosen", [0, pytest.param(1, marks=pytest.mark.heavy)])
def test_geared_wheels_both_ways_round(chosen: int, spatial: bool) -> None:
    """(J1 + J2 / r²) ä = T with b = -a / r, and the force is T - J1 ä; over many turns."""
    r, torque = 2.5, 0.9
    model = Model("gear")
    a, b = wheels(model, "a", "b", spatial=spatial)
    gear = model.add(Coupling("gear", a.value + r * b.value, unit="rad"))
    (a, b)[chosen].dof("turned")
    model.load(torque, a.rate)
    for name, shown in (("force", gear.stress), ("a", a.value), ("b", b.value)):
        model.output(name, shown)
    model.output("energy", model.kinetic_energy - torque * a.value)
    run = simulate(model.equations(), 25.0, samples=26, rtol=1e-11, atol=1e-11)
    acceleration = torque / (J1 + J2 / r**2)
    np.testing.assert_allclose(run["force"], torque - J1 * acceleration, rtol=1e-12)
    np.testing.assert_allclose(run["a"], acceleration * run.time**2 / 2, atol=1e-8)
    np.testing.assert_allclose(run["b"], -run["a"] / r, atol=1e-12)
    assert run.final("b") < -2 * pi * 12
    np.testing.assert_allclose(run["energy"], 0.0, atol=1e-8)


@pytest.mark.parametrize("spatial", [False, pytest.param(True, marks=pytest.mark.heavy)])
def test_a_cam_between_angles_that_wind(spatial: bool) -> None:
    """b = a + a² / 50 + sin(a) / 3: T = (J1 + J2 b'²) ȧ² / 2 stays, over eight turns of a."""
    model = Model("cam")
    a, b = wheels(model, "a", "b", spatial=spatial)
    a.dof("a", "speed", rate_start=2.0)
    model.add(Coupling("cam", b.value - a.value - a.value**2 / 50 - ca.sin(a.value) / 3))
    model.output("b", b.value)
    run = simulate(model.equations(), 40.0, samples=81, rtol=1e-11, atol=1e-11)

    def inertia(angle: np.ndarray) -> np.ndarray:
        return J1 + J2 * (1 + angle / 25 + np.cos(angle) / 3) ** 2

    turned = run["a"]
    assert turned[-1] > 8 * 2 * pi
    np.testing.assert_allclose(run["b"], turned + turned**2 / 50 + np.sin(turned) / 3, atol=1e-11)
    np.testing.assert_allclose(inertia(turned) * run["speed"] ** 2, 4 * inertia(0.0), rtol=1e-8)


@pytest.mark.parametrize("spatial", [False, True])
def test_differential(spatial: bool) -> None:
    """The cage turns by the mean of both sides: M = [[J2 + J1/4, J1/4], [J1/4, J2 + J1/4]]."""
    model = Model("differential")
    cage, left, right = wheels(model, "cage", "left", "right", spatial=spatial)
    drive = model.add(Coupling("differential", cage.value - (left.value + right.value) / 2))
    left.dof("left", "left.speed")
    right.dof("right", "right.speed")
    model.load(1.7, cage.rate)
    model.load(-0.4, right.rate)
    model.output("force", drive.stress)
    found = at(model, left=40.0, right=-3.0)
    M = np.array([[J2 + J1 / 4, J1 / 4], [J1 / 4, J2 + J1 / 4]])
    rates = np.linalg.solve(M, [0.85, 0.85 - 0.4])
    np.testing.assert_allclose([found["left.speed'"], found["right.speed'"]], rates, rtol=1e-12)
    assert found["force"] == pytest.approx(1.7 - J1 * rates.sum() / 2, rel=1e-12)


@pytest.mark.parametrize("chosen", ["angle", "slide", "rack"])
def test_screw_and_rack(chosen: str) -> None:
    """A nut on a screw, which drives a rack: three coordinates in a row, any of them free.

    With z = h φ and x = ρ φ the mass is J + m h² + m_x ρ², driven by -m g h.
    """
    h, rho, m, m_x = 0.05, 0.3, 2.0, 0.7
    model = Model("screw", gravity=(0, 0, -G))
    turned, fixed = model.rotation("turned"), model.point("o", (0, 0, 0), fixed=True)
    angle = model.add(Hinge("hinge", model.ground, turned, axis=(0, 0, 1))).angle
    nut = model.point("nut", (0, 0, 0))
    slide = model.add(RigidLink("slide", fixed, model.ground, nut)).z.release()
    rack = model.point("rack", (0, 0, 0))
    rack.y.fix()
    rack.z.fix()
    model.add(Body("screw", nut, turned, mass=m, inertia=(1.0, 1.0, J1)))
    model.add(Body("rack", rack, mass=m_x))
    thread = model.add(Coupling("thread", slide.value - h * angle.value))
    teeth = model.add(Coupling("teeth", rack.x.value - rho * angle.value))
    {"angle": angle, "slide": slide, "rack": rack.x}[chosen].dof("q")
    model.output("thread", thread.stress)
    model.output("teeth", teeth.stress)
    model.output("z", nut.position[2])
    ratio = {"angle": 1.0, "slide": h, "rack": rho}[chosen]
    found = at(model, q=30.0 * ratio)
    turning = -m * G * h / (J1 + m * h**2 + m_x * rho**2)
    assert found["q_rate'"] == pytest.approx(ratio * turning, rel=1e-12)
    assert found["thread"] == pytest.approx(-m * G - m * h * turning, rel=1e-12)
    assert found["teeth"] == pytest.approx(-m_x * rho * turning, rel=1e-12)
    assert found["z"] == pytest.approx(30 * h, rel=1e-14)


def test_ladder_on_a_wall() -> None:
    """A uniform ladder between floor and wall: φ̈ = -3 g cos φ / (2 l), N = m g + m ÿ."""
    length, m, phi, rate = 2.0, 3.0, 1.1, -0.4
    model = Model("ladder", gravity=(0, -G))
    centre, turned = model.point("centre", (cos(phi), sin(phi))), model.angle("phi", phi)
    model.add(Body("ladder", centre, turned, mass=m, inertia=m * length**2 / 12))
    half = length / 2
    # its foot at (l cos φ, 0), its top at (0, l sin φ)
    wall = model.add(Coupling("wall", centre.x.value - half * ca.cos(turned.value)))
    floor = model.add(Coupling("floor", centre.y.value - half * ca.sin(turned.angle.value)))
    turned.angle.dof("phi", start=phi)
    model.output("wall", -wall.stress)
    model.output("floor", -floor.stress)
    found = at(model, phi=phi, phi_rate=rate)
    turning = -3 * G * cos(phi) / (2 * length)
    x = -half * (sin(phi) * turning + cos(phi) * rate**2)
    y = half * (cos(phi) * turning - sin(phi) * rate**2)
    assert found["phi_rate'"] == pytest.approx(turning, rel=1e-12)
    assert found["wall"] == pytest.approx(m * x, rel=1e-12)
    assert found["floor"] == pytest.approx(m * (G + y), rel=1e-12)


def test_bead_on_a_parabola() -> None:
    """z = x² / 2: (1 + x²) ẍ + x ẋ² + g x = 0, with its energy."""
    model = Model("bead", gravity=(0, -G))
    bead = model.point("bead", (0.0, 0.0))
    model.add(Body("bead", bead, mass=MASS))
    model.add(Coupling("wire", bead.y.value - bead.x.value**2 / 2))
    bead.x.dof("x", "speed", start=1.5, rate_start=0.7)
    model.output("energy", model.kinetic_energy + model.potential_energy)
    found = at(model)
    assert found["speed'"] == pytest.approx(-1.5 * (0.49 + G) / (1 + 2.25), rel=1e-13)
    run = simulate(model.equations(), 5.0, rtol=1e-11, atol=1e-11)
    energy = MASS * (0.49 * (1 + 2.25) / 2 + G * 2.25 / 2)
    np.testing.assert_allclose(run["energy"], energy, rtol=1e-9)


def test_pendulum_whose_length_is_an_input() -> None:
    """θ̈ = -(2 l̇ θ̇ + g sin θ) / l and the string's force m (l θ̇² + g cos θ - l̈)."""
    model = Model("crane", gravity=(0, -G))
    second = model.input("winch.acceleration", 0.3)
    first = model.input("winch.speed", -0.2, rate=second)
    length = model.input("winch.length", 1.5, rate=first)
    theta, rate = 0.6, 0.8
    bob = model.point("bob", (1.5 * sin(theta), -1.5 * cos(theta)))
    model.add(Body("bob", bob, mass=MASS))
    string = model.add(Coupling("string", ca.sqrt(bob.x.value**2 + bob.position[1] ** 2) - length))
    bob.x.dof("x", start=1.5 * sin(theta))
    model.output("pull", string.stress)
    speed = -0.2 * sin(theta) + 1.5 * rate * cos(theta)
    found = at(model, x_rate=speed)
    turning = -(2 * -0.2 * rate + G * sin(theta)) / 1.5
    expected = (0.3 - 1.5 * rate**2) * sin(theta) + (2 * -0.2 * rate + 1.5 * turning) * cos(theta)
    assert found["x_rate'"] == pytest.approx(expected, rel=1e-12)
    assert found["pull"] == pytest.approx(MASS * (1.5 * rate**2 + G * cos(theta) - 0.3), rel=1e-12)


def test_a_rate_that_nobody_gives_is_refused_by_name() -> None:
    model = Model("crane", gravity=(0, -G))
    bob = model.point("bob", (0.0, -1.0))
    model.add(Body("bob", bob, mass=1.0))
    length = model.input("length", 1.0)
    model.add(Coupling("string", ca.norm_2(bob.position) - length))
    bob.x.dof("x")
    with pytest.raises(ModelError, match=r"rate of input length is needed.*string\.deviation"):
        model.equations()


@pytest.mark.parametrize("spatial", [False, pytest.param(True, marks=pytest.mark.heavy)])
def test_an_elastic_transmission(spatial: bool) -> None:
    """Two wheels and a spring on a + r b - phase: the linearized frequency and the rest position.

    J1 ä = -k (a + r b), J2 b̈ = -r k (a + r b): ω² = k (1 / J1 + r² / J2), and one mode at zero.
    """
    k, r, phase = 7.0, 2.0, 0.3
    model = Model("shaft")
    a, b = wheels(model, "a", "b", spatial=spatial)
    shaft = model.add(Coupling("shaft", a.value + r * b.value - phase))
    shaft.deviation.release().spring(k)
    a.dof("a")
    b.dof("b")
    model.output("moment", shaft.stress)
    equations = model.equations()
    found = linearize(equations, {"a": 50.3, "b": -25.0})
    stiffness = k * np.array([[1, r], [r, r**2]])
    np.testing.assert_allclose(found.M, np.diag([J1, J2]), atol=1e-14)
    np.testing.assert_allclose(found.K_d, stiffness, atol=1e-12)
    assert at(model, a=30.0, b=-14.0)["moment"] == pytest.approx(k * (30 - 28 - phase), rel=1e-12)
    energy = at(model, a=30.0, b=-14.0)
    assert energy["a_rate'"] == pytest.approx(-k * (2 - phase) / J1, rel=1e-12)


@pytest.mark.heavy
def test_linearized_and_at_rest_where_an_angle_has_turned_often() -> None:
    """A pendulum whose follower b = a + a² / 50 has a torsion spring, about a = 13 rad.

    With b' = 1 + a / 25: (J1 + J2 b'²) q̈ + (k b'² + (k b + T) / 25 + m g l cos a) q = 0.
    """
    k, torque, start = 0.4, -6.0, 13.0
    model = Model("cam", gravity=(0, 0, -G))
    a, b = wheels(model, "a", "b", spatial=True)
    with pytest.warns(ModelWarning, match="13 rad is 2.07 turns"):
        a.dof("a", "speed", start=start)
    model.add(Coupling("cam", b.value - a.value - a.value**2 / 50))
    b.law(k * b.value + torque)
    bob = model.point("bob", (0, 0, -ARM))
    model.add(RigidLink("arm", model.nodes["centre a"], model.nodes["a"], bob, offset=(0, 0, -ARM)))
    model.add(Body("bob", bob, mass=MASS))
    model.output("b", b.value)

    def moment(angle: float) -> float:
        follower = angle + angle**2 / 50
        return (k * follower + torque) * (1 + angle / 25) + MASS * G * ARM * sin(angle)

    equations = model.equations()
    found = linearize(equations, {"a": start}, motion="held")
    h, slope = 1e-4, 1 + start / 25
    difference = (moment(start + h) - moment(start - h)) / (2 * h)
    assert found.M[0, 0] == pytest.approx(J1 + MASS * ARM**2 + J2 * slope**2, rel=1e-12)
    assert found.K_d[0, 0] == pytest.approx(difference, rel=1e-7)
    assert found.f_d[0] == pytest.approx(moment(start), rel=1e-12)
    assert found.output_matrix[list(equations.outputs).index(equations.outputs[0]), 1] == (
        pytest.approx(slope, rel=1e-12)
    )
    run = simulate(equations, 1.0, start={"a": 14.8}, rtol=1e-11, atol=1e-11)
    assert run["b"].max() > 6 * pi > run["b"].min()
    turned, follower = run["a"], run["b"]
    inertia = J1 + MASS * ARM**2 + J2 * (1 + turned / 25) ** 2
    energy = inertia * run["speed"] ** 2 / 2 - MASS * G * ARM * np.cos(turned)
    energy += k * follower**2 / 2 + torque * follower
    np.testing.assert_allclose(energy, energy[0], rtol=1e-9)
    rest = equilibrium(equations, start={"a": 12.2})
    assert abs(moment(rest.states["a"])) < 1e-8
    assert rest.states["a"] == pytest.approx(12.476, abs=1e-3)


@pytest.mark.heavy
def test_superposed_on_a_prescribed_motion() -> None:
    """b = -a / r follows a = Ω t + small: with a spring on a - Ω t the frequency is exact.

    The equations are linear, so superposed ones have the same motion.
    """
    k, r, speed = 5.0, 2.0, 3.0
    model = Model("gear")
    a, b = wheels(model, "a", "b", spatial=False)
    base = model.angle("frame")
    model.add(PlanarHinge("drive", model.nodes["base a"], base)).angle.prescribe(speed * model.time)
    soft = model.add(PlanarHinge("soft", base, model.nodes["a"])).angle.dof("soft", "rate")
    soft.spring(k)
    model.add(Coupling("gear", a.value + r * b.value))
    model.output("b", b.value)
    start = {"soft": 0.01}
    runs = [
        simulate(e, 2.0, start=start, samples=21, rtol=1e-10, atol=1e-12)
        for e in (model.equations(), superpose(model))
    ]
    expected = 0.01 * np.cos(np.sqrt(k / (J1 + J2 / r**2)) * runs[0].time)
    for run in runs:
        np.testing.assert_allclose(run["soft"], expected, atol=1e-9)
        np.testing.assert_allclose(run["b"], -(speed * run.time + run["soft"]) / r, atol=1e-9)


@pytest.mark.heavy
def test_a_coupling_with_a_prescribed_wheel_and_one_of_couplings() -> None:
    """c = a + b with b prescribed, and d = the first coupling's own released value: d = 3 (a + c).

    Energy: J1 ä + J2 (ä + b̈) + 9 J2 (2 ä + b̈) 2 = T, power of the drive of b is J2 b̈ + force.
    """
    model = Model("planetary")
    a, b, c, d = wheels(model, "a", "b", "c", "d", spatial=True)
    a.dof("a", "speed")
    drive = 0.5 * model.time**2 + 40.0
    b.prescribe(drive)
    first = model.add(Coupling("first", c.value - a.value - b.value))
    loose = model.add(Coupling("loose", 3 * (a.value + c.value)))
    loose.deviation.release()
    second = model.add(Coupling("second", d.value - loose.deviation.value))
    model.load(0.9, a.rate)
    for name, shown in (("first", first.stress), ("second", second.stress), ("drive", b.stress)):
        model.output(name, shown)
    found = at(model, a=20.0)
    # J1 ä + J2 (ä + 1) + 6 J2 (6 ä + 3) = 0.9
    acceleration = (0.9 - J2 - 18 * J2) / (J1 + J2 + 36 * J2)
    d_acceleration = 6 * acceleration + 3
    force = -J2 * d_acceleration
    assert found["speed'"] == pytest.approx(acceleration, rel=1e-12)
    assert found["second"] == pytest.approx(force, rel=1e-12)
    on_c = 3 * force - J2 * (acceleration + 1)
    assert found["first"] == pytest.approx(on_c, rel=1e-12)
    assert found["drive"] == pytest.approx(on_c - J2, rel=1e-12)


@pytest.mark.parametrize(
    "chosen", ["crank", pytest.param("rocker", marks=pytest.mark.heavy), "wheel"]
)
def test_a_gear_in_a_loop(chosen: str) -> None:
    """A four-bar whose rocker turns a wheel by a coupling: energy, and power of the force."""
    model = Model("four-bar", gravity=(0, -G))
    o, c = model.point("o", fixed=True), model.point("c", (3, 0), fixed=True)
    one, three = model.angle("one", 1.0), model.angle("three", 1.3)
    a, b = (
        model.point("a", (cos(1.0), sin(1.0))),
        model.point("b", (3 + 2 * cos(1.3), 2 * sin(1.3))),
    )
    base, wheel = model.angle("base", fixed=True), model.angle("wheel")
    crank = model.add(PlanarHinge("crank", base, one)).angle
    rocker = model.add(PlanarHinge("rocker", base, three)).angle
    turned = model.add(PlanarHinge("wheel", base, wheel)).angle
    model.add(RigidLink("first", o, one, a, offset=(1, 0)))
    model.add(RigidLink("third", c, three, b, offset=(2, 0)))
    model.add(Truss("rod", a, b))
    for point in (a, b):
        model.add(Body(f"at {point.name}", point, mass=1.0))
    model.add(Body("wheel body", None, wheel, inertia=J1))
    gear = model.add(Coupling("gear", turned.value + 3 * rocker.value - ca.sin(rocker.value)))
    start = {"crank": 1.0, "rocker": 1.3, "wheel": sin(1.3) - 3.9}[chosen]
    {"crank": crank, "rocker": rocker, "wheel": turned}[chosen].dof(
        "q", start=start, rate_start=0.5
    )
    model.output("force", gear.stress)
    model.output("wheel.acceleration", wheel.acceleration)
    model.output("energy", model.kinetic_energy + model.potential_energy)
    run = simulate(model.equations(), 0.2, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(run["energy"], run["energy"][0], rtol=1e-9)
    np.testing.assert_allclose(run["force"], -J1 * run["wheel.acceleration"], atol=1e-10)


def test_a_coupling_of_kinematic_coordinates() -> None:
    """A skate that pulls at a string, which turns a wheel with its place across the ice.

    Along the skate, with s̈ = ẍ cos β + ÿ sin β = v̇ and ẏ = v sin β:
    (m + J sin² β) v̇ = -J v cos β sin β β̇.
    """
    model = Model("skate")
    centre, heading = model.point("centre"), model.angle("heading", 0.4)
    still = model.angle("still", fixed=True)
    edge = model.add(PlanarWheel("edge", centre, heading, still, radius=1.0))
    edge.longitudinal.release()
    model.add(Body("body", centre, heading, mass=MASS, inertia=1.0))
    (wheel,) = wheels(model, "wheel", spatial=False)
    string = model.add(Coupling("string", wheel.value - centre.y.value))
    heading.angle.dof("heading", start=0.4, rate_start=0.7)
    centre.x.dof("x", rate_start=0.3)
    centre.y.kinematic("y")
    model.output("force", string.stress)
    model.output("energy", model.kinetic_energy)
    model.output("turned", wheel.value)
    equations, v = model.equations(), 0.3 / cos(0.4)
    point = at(model)
    v_rate = -J1 * v * cos(0.4) * sin(0.4) * 0.7 / (MASS + J1 * sin(0.4) ** 2)
    assert point["force"] == pytest.approx(
        -J1 * (v_rate * sin(0.4) + v * cos(0.4) * 0.7), rel=1e-12
    )
    run = simulate(equations, 1.0, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(run["energy"], run["energy"][0], rtol=1e-9)
    np.testing.assert_allclose(run["turned"], run["y"], atol=1e-12)


@pytest.mark.heavy
def test_coordinates_change_where_a_cam_has_its_dead_centres() -> None:
    """b = 3 sin a + a / 10 is a coordinate while it moves; (J1 + J2 b'²) ȧ² stays over turns of a.

    The rate of b vanishes twice in each turn, where b can be no coordinate.
    """
    model = Model("cam")
    a, b = wheels(model, "a", "b", spatial=True)
    model.add(Coupling("cam", b.value - 3 * ca.sin(a.value) - a.value / 10))
    b.dof("b", "b.rate", rate_start=6.2, or_else=[a])
    model.output("turned", a.value)
    model.output("speed", a.rate)
    run = simulate(model.equations(), 12.0, samples=61, rtol=1e-11, atol=1e-11)
    slope = 3 * np.cos(run["turned"]) + 0.1
    assert run["turned"][-1] > 2 * 2 * pi
    assert np.all(np.diff(run["turned"]) > 0)
    np.testing.assert_allclose(run["b"], 3 * np.sin(run["turned"]) + run["turned"] / 10, atol=1e-9)
    np.testing.assert_allclose(
        (J1 + J2 * slope**2) * run["speed"] ** 2, 4 * (J1 + J2 * 3.1**2), rtol=1e-7
    )


@pytest.mark.heavy
def test_cost_grows_with_the_number_of_gears() -> None:
    counts = []
    for n in (3, 6, 12):
        model = Model("row")
        row = wheels(model, *(f"w{i}" for i in range(n)), spatial=True)
        row[0].dof("turned")
        for i in range(n - 1):
            model.add(Coupling(f"gear {i}", row[i].value + 1.1 * row[i + 1].value))
        functions = model.equations().functions
        counts.append(
            [functions[name].n_instructions() for name in ("newton", "derivative", "tangent")]
        )
    small, middle, large = np.array(counts)
    np.testing.assert_allclose((large - middle) / 6, (middle - small) / 3, rtol=0.02)


def test_what_a_coupling_cannot_hold_is_refused_by_name() -> None:
    model = Model("gear")
    a, b = wheels(model, "a", "b", spatial=False)
    clicks = model.discrete("clicks")
    stranger = Model("other").angle("stranger").angle
    for expression, message in (
        (a.value + b.rate, "contains the velocity hinge b.angle:rate.*RollingCoupling"),
        (a.value + clicks, "holds clicks.*events"),
        (a.value + b.stress, "holds hinge b.angle:force.*forces belong in laws"),
        (a.value + stranger.value, "holds stranger.angle:value"),
        (model.time, "contains no moving quantity of this model"),
        (ca.vertcat(a.value, b.value), "one coupling for each"),
    ):
        with pytest.raises(ModelError, match=message):
            model.add(Coupling("gear", expression))
    assert "gear" not in [e for e in model.elements if model.elements[e].deformations]


def test_a_motion_of_a_degree_of_freedom_is_no_coupling() -> None:
    """A servo's force never acts back: it is refused, unless that is what is meant."""
    model = Model("gear")
    a, b = wheels(model, "a", "b", spatial=False)
    a.dof("a")
    copied = model.state("copied", 3 * a.rate)
    b.prescribe(copied)
    with pytest.raises(RoleError, match=r"hinge b\.angle.*the integral copied of.*Coupling"):
        model.equations()
    model.derivative("copied", 3 * a.rate - copied)  # as a controller's state
    model.equations()
    b.prescribe(-a.value / 2)
    with pytest.raises(RoleError, match=r"hinge b\.angle.*value of hinge a\.angle.*Coupling"):
        model.equations()
    b.prescribe(-a.value / 2, servo=True)
    model.load(0.9, a.rate)
    assert at(model)["a_rate'"] == pytest.approx(0.9 / J1, rel=1e-12)


@pytest.mark.parametrize("count", [2, pytest.param(10, marks=pytest.mark.heavy)])
def test_gears_find_their_roles_by_themselves(count: int) -> None:
    """Wheels in a row, b = -a / r each: T = (J1 + J2 (1/r² + 1/r⁴ + ...)) ä drives the first."""
    r, torque = 1.5, 0.9
    model = Model("gears")
    angles = wheels(model, *(f"w{i}" for i in range(count)), spatial=True)
    for i in range(1, count):
        model.add(Coupling(f"gear {i}", angles[i - 1].value + r * angles[i].value, unit="rad"))
    model.load(torque, angles[0].rate)
    equations = model.equations(roles="auto")
    assert [q.role for q in angles] == [Role.DEPENDENT] * count
    assert equations.dofs == 1
    state = next(i for i, q in enumerate(angles) if f"{q.name} is a" in equations.chosen_roles[0])
    point = Evaluation(equations)
    point.start()
    inertia = J1 + J2 * sum(r ** (-2 * i) for i in range(1, count))
    expected = torque / inertia * (-1 / r) ** state
    assert point.derivative()[0] == pytest.approx(expected, rel=1e-12)


def test_a_rack_on_a_spatial_hinge_finds_its_roles_by_itself() -> None:
    """x = ρ φ: (J1 + m ρ²) φ̈ = T, whichever of both is the degree of freedom."""
    rho, m, torque = 0.3, 2.0, 0.7
    model = Model("rack")
    (angle,) = wheels(model, "pinion", spatial=True)
    fixed, rack = model.point("o", (0, 0, 0), fixed=True), model.point("rack", (0, 0, 0))
    slide = model.add(RigidLink("slide", fixed, model.ground, rack)).x.release()
    model.add(Body("rack", rack, mass=m))
    teeth = model.add(Coupling("teeth", slide.value - rho * angle.value))
    model.load(torque, angle.rate)
    model.output("force", teeth.stress)
    point = Evaluation(model.equations(roles="auto"))
    point.start()
    assert point.output()[0] == pytest.approx(-m * rho * torque / (J1 + m * rho**2), rel=1e-12)
