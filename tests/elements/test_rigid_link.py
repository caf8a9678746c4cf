"""Rigid links and points of a body against closed forms of mechanisms, forces derived by hand."""

from collections.abc import Callable, Mapping

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Turn
from scipy.special import ellipk

from mbcore import Body, Element, Hinge, Model, ModelError, RigidLink, simulate
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.nodes import rotations
from mbcore.model.nodes.nodes import Angle, Point, Rotation

G = 9.81
TILT = np.array(rotations.about((1, 2, -1), 0.7))
TURN = Turn.from_quat(TILT, scalar_first=True).as_matrix()


def show_stresses(model: Model, link: Element) -> None:
    for axis, strain in link.deformations.items():
        model.output(f"stress.{axis}", strain.stress, unit="N")


def outputs(
    model: Model,
    start: Mapping[str, float] | None = None,
    time: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Return the outputs at a state and a time."""
    evaluation = Evaluation(model.equations(), parameters)
    evaluation.start(start)
    evaluation.t[0] = time
    evaluation.configure()
    names = [record.name for record in evaluation.equations.outputs]
    return dict(zip(names, evaluation.output(), strict=True))


# Pendulums


def planar_pendulum(length: float, mass: float) -> Model:
    model = Model("pendulum", gravity=(0, -G))
    top, arm = model.point("top", fixed=True), model.angle("arm", -np.pi / 2)
    bob = model.point("bob", (0, -length))
    link = model.add(RigidLink("rod", top, arm, bob))
    model.add(Body("bob", bob, mass=mass))
    arm.angle.dof("angle", "rate")
    model.output("support.x", top.x.reaction, unit="N")
    model.output("support.y", top.y.reaction, unit="N")
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    show_stresses(model, link)
    return model


def test_planar_pendulum_against_the_complete_elliptic_integral() -> None:
    length, amplitude = 1.5, 2.0
    period = 4 * np.sqrt(length / G) * ellipk(np.sin(amplitude / 2) ** 2)
    start = {"angle": amplitude - np.pi / 2, "rate": 0.0}
    equations = planar_pendulum(length, 2.0).equations()
    run = simulate(equations, period, start=start, rtol=1e-12, atol=1e-13)
    assert run.final("angle") == pytest.approx(start["angle"], abs=1e-9)
    assert np.ptp(run["energy"]) < 1e-9


@pytest.mark.parametrize("angle", [-np.pi / 2, 0.3, 2.0, 7.0])
def test_planar_pendulum_has_the_tension_of_its_rod(angle: float) -> None:
    length, mass, rate = 1.5, 2.0, 3.0
    found = outputs(planar_pendulum(length, mass), {"angle": angle, "rate": rate})
    tension = mass * (rate**2 * length - G * np.sin(angle))
    assert found["stress.x"] == pytest.approx(tension, rel=1e-12)
    assert found["stress.y"] == pytest.approx(0, abs=1e-11)
    assert found["support.x"] == pytest.approx(-tension * np.cos(angle), abs=1e-11)
    assert found["support.y"] == pytest.approx(-tension * np.sin(angle), abs=1e-11)


def tilted_pendulum(tilt: float, length: float, along: float, mass: float) -> Model:
    """Mach's pendulum: about an axis that leans by ``tilt`` out of the horizontal plane."""
    model = Model("tilted pendulum", gravity=(0, 0, -G))
    top, arm = model.point("top", (0, 0, 0), fixed=True), model.rotation("arm")
    axis = np.array([np.cos(tilt), 0, np.sin(tilt)])
    lowest = np.array([np.sin(tilt), 0, -np.cos(tilt)])
    hinge = model.add(Hinge("axis", model.ground, arm, axis=tuple(axis)))
    bob = model.point("bob", tuple(length * lowest + along * axis))
    link = model.add(RigidLink("rod", top, arm, bob))
    model.add(Body("bob", bob, mass=mass))
    hinge.angle.dof("angle", "rate")
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    show_stresses(model, link)
    return model


def test_spatial_pendulum_about_a_tilted_axis_against_the_complete_elliptic_integral() -> None:
    tilt, length, amplitude = 0.6, 1.5, 2.0
    period = 4 * np.sqrt(length / (G * np.cos(tilt))) * ellipk(np.sin(amplitude / 2) ** 2)
    equations = tilted_pendulum(tilt, length, 0.8, 2.0).equations()
    run = simulate(equations, period, start={"angle": amplitude}, rtol=1e-12, atol=1e-13)
    assert run.final("angle") == pytest.approx(amplitude, abs=1e-9)
    assert np.ptp(run["energy"]) < 1e-9


def test_spatial_pendulum_carries_weight_and_inertia_on_axes_of_the_body() -> None:
    tilt, length, along, mass, angle, rate = 0.6, 1.5, 0.8, 2.0, 0.9, 3.0
    model = tilted_pendulum(tilt, length, along, mass)
    found = outputs(model, {"angle": angle, "rate": rate})
    axis = np.array([np.cos(tilt), 0, np.sin(tilt)])
    turn = Turn.from_rotvec(angle * axis).as_matrix()
    arm = turn @ (length * np.array([np.sin(tilt), 0, -np.cos(tilt)]) + along * axis)
    # d²φ/dt² = -(g cos β / l) sin φ, and the acceleration of a rotation about a fixed axis
    turning = -G * np.cos(tilt) / length * np.sin(angle)
    swing = rate * np.cross(axis, arm)
    acceleration = turning * np.cross(axis, arm) + rate * np.cross(axis, swing)
    pull = -mass * (acceleration + [0, 0, G])  # of the bob at the rod
    stress = [found[f"stress.{axis}"] for axis in "xyz"]
    assert np.allclose(stress, turn.T @ pull, rtol=1e-12, atol=1e-11)


def test_conical_pendulum_goes_round_steadily() -> None:
    length, mass, lean = 1.2, 0.7, 0.8
    model = Model("conical pendulum", gravity=(0, 0, -G))
    yaw, arm = model.rotation("yaw"), model.rotation("arm")
    model.add(Hinge("yaw", model.ground, yaw, axis=(0, 0, 1))).angle.dof("yaw")
    model.add(Hinge("lean", yaw, arm, axis=(1, 0, 0))).angle.dof("lean")
    top = model.point("top", (0, 0, 0), fixed=True)
    bob = model.add(Body("rod", top, arm)).point("bob", (0, 0, -length))
    model.add(Body("bob", bob, mass=mass))
    show_stresses(model, model.elements["rod.bob"])
    rate = np.sqrt(G / (length * np.cos(lean)))
    start = {"lean": lean, "yaw_rate": rate}
    run = simulate(model.equations(), 2.0, start=start, rtol=1e-11, atol=1e-12)
    assert np.ptp(run["lean"]) < 1e-9
    assert run.final("yaw") == pytest.approx(2 * rate, abs=1e-9)
    # a bob that hangs along -z pulls along -z
    assert run["stress.z"] == pytest.approx(-mass * G / np.cos(lean), rel=1e-8)
    assert np.abs([run["stress.x"], run["stress.y"]]).max() < 1e-7


def test_compound_pendulum_hangs_from_a_point_of_its_body() -> None:
    mass, inertia, height, amplitude = 3.0, 0.2, 0.4, 1.1
    model = Model("compound pendulum", gravity=(0, -G))
    centre, angle = model.point("centre", (0.3, -height)), model.angle("angle")
    plate = model.add(Body("plate", centre, angle, mass=mass, inertia=inertia))
    pivot = plate.point("pivot", (0, height))
    pivot.x.fix(0.3)
    pivot.y.fix(0.0)
    angle.angle.dof("angle", "rate")
    length = (inertia + mass * height**2) / (mass * height)
    period = 4 * np.sqrt(length / G) * ellipk(np.sin(amplitude / 2) ** 2)
    start = {"angle": amplitude}
    run = simulate(model.equations(), period, start=start, rtol=1e-12, atol=1e-13)
    assert run.final("angle") == pytest.approx(amplitude, abs=1e-9)


# Slider-crank


@pytest.mark.parametrize("theta", [0.0, 1.0, 2.5, 4.0, 6.0])
def test_offset_slider_crank_against_its_closed_form(theta: float) -> None:
    """Place, speed and acceleration of the slider, force of the rod, torque on the crank."""
    radius, length, offset, mass, speed = 0.3, 1.0, 0.1, 2.0, 3.0
    reach = np.sqrt(length**2 - offset**2)
    model = Model("slider-crank")
    axis, crank = model.point("axis", fixed=True), model.angle("crank")
    pin, rod = model.point("pin", (radius, 0)), model.angle("rod")
    slider = model.point("slider", (radius + reach, offset))
    slider.y.fix()
    model.add(RigidLink("arm", axis, crank, pin))
    link = model.add(RigidLink("rod", pin, rod, slider))
    model.add(Body("slider", slider, mass=mass))
    crank.angle.prescribe(speed * model.time)
    model.output("x", slider.position[0], unit="m")
    model.output("v", slider.velocity[0], unit="m/s")
    model.output("a", slider.acceleration[0], unit="m/s2")
    model.output("torque", -crank.angle.stress, unit="N.m")
    model.output("guide", slider.y.reaction, unit="N")
    show_stresses(model, link)
    found = outputs(model, time=theta / speed)

    across, rise = radius * np.sin(theta) - offset, radius * np.cos(theta)
    along = np.sqrt(length**2 - across**2)
    first = -radius * np.sin(theta) - across * rise / along  # dx/dθ
    second = -rise - (rise**2 - across * radius * np.sin(theta)) / along
    second -= (across * rise) ** 2 / along**3
    acceleration = second * speed**2
    tension = -mass * acceleration * length / along
    assert found["x"] == pytest.approx(rise + along, rel=1e-13)
    assert found["v"] == pytest.approx(first * speed, abs=1e-12)
    assert found["a"] == pytest.approx(acceleration, rel=1e-11)
    assert found["torque"] == pytest.approx(mass * acceleration * first, abs=1e-11)
    assert found["guide"] == pytest.approx(-tension * across / length, abs=1e-11)
    # the rod's frame starts turned by nothing, so that the rod lies across its axes
    assert found["stress.x"] == pytest.approx(tension * reach / length, rel=1e-11)
    assert found["stress.y"] == pytest.approx(tension * offset / length, rel=1e-11)


# Links with other roles


def turning_rod(rate: float) -> tuple[Model, RigidLink]:
    """A bead beside a rod that turns at a constant rate."""
    model = Model("turning rod")
    hub, turn = model.point("hub", fixed=True), model.angle("turn")
    bead = model.point("bead", (0.5, 0.2))
    link = model.add(RigidLink("rod", hub, turn, bead))
    model.add(Body("bead", bead, mass=2.0))
    turn.angle.prescribe(rate * model.time)
    show_stresses(model, link)
    return model, link


def test_link_with_a_degree_of_freedom_is_a_prismatic_joint() -> None:
    rate = 1.7
    model, link = turning_rod(rate)
    link.x.dof("s", "s_rate")
    run = simulate(model.equations(), 1.5, rtol=1e-12, atol=1e-13, samples=16)
    angle = rate * run.time
    assert np.allclose(run["s"], 0.5 * np.cosh(angle) - 0.5, rtol=1e-9, atol=1e-10)
    # across the rod: Coriolis' and centripetal acceleration
    across = 2 * rate * 0.5 * rate * np.sinh(angle) - rate**2 * 0.2
    assert np.allclose(run["stress.y"], -2.0 * across, rtol=1e-8, atol=1e-9)
    assert np.abs(run["stress.x"]).max() < 1e-13


def test_prescribed_link_is_a_slider() -> None:
    rate, time = 1.7, 0.4
    model, link = turning_rod(rate)
    link.x.prescribe(0.1 * ca.sin(5 * model.time))
    found = outputs(model, time=time)
    place, speed = 0.5 + 0.1 * np.sin(5 * time), 0.5 * np.cos(5 * time)
    acceleration = -2.5 * np.sin(5 * time)
    along = acceleration - rate**2 * place
    across = 2 * rate * speed - rate**2 * 0.2
    assert found["stress.x"] == pytest.approx(-2.0 * along, rel=1e-11)
    assert found["stress.y"] == pytest.approx(-2.0 * across, rel=1e-11)


def test_released_link_may_carry_a_spring() -> None:
    model = Model("oscillator")
    origin, frame = model.point("origin", fixed=True), model.angle("frame", fixed=True)
    mass = model.point("mass", (1.0, 0))
    link = model.add(RigidLink("guide", origin, frame, mass))
    link.x.release().spring(8.0)
    model.add(Body("mass", mass, mass=2.0))
    mass.x.dof("x", "v", start=1.3)
    run = simulate(model.equations(), 1.0, rtol=1e-12, atol=1e-13)
    assert run.final("x") == pytest.approx(1 + 0.3 * np.cos(2.0), abs=1e-10)


def test_lift_on_a_carousel() -> None:
    rate, radius, mass, stiffness = 2.0, 1.5, 3.0, 75.0
    model = Model("carousel", gravity=(0, 0, -G))
    hub, turn = model.point("hub", (0, 0, 0), fixed=True), model.rotation("turn")
    model.add(Hinge("axis", model.ground, turn, axis=(0, 0, 1))).angle.prescribe(rate * model.time)
    cabin = model.point("cabin", (radius, 0, 0))
    link = model.add(RigidLink("tower", hub, turn, cabin))
    link.z.dof("height").spring(stiffness)
    model.add(Body("cabin", cabin, mass=mass))
    show_stresses(model, link)
    run = simulate(model.equations(), 1.5, rtol=1e-12, atol=1e-13, samples=16)
    fall = mass * G / stiffness * (np.cos(5.0 * run.time) - 1)
    assert np.allclose(run["height"], fall, rtol=0, atol=1e-10)
    assert run["stress.x"] == pytest.approx(mass * rate**2 * radius, rel=1e-9)
    assert np.abs(run["stress.y"]).max() < 1e-9
    assert np.allclose(run["stress.z"], stiffness * fall, rtol=0, atol=1e-8)


# Where points start


def test_points_of_a_body_start_where_its_start_puts_them() -> None:
    plane = Model("plane")
    plate = plane.add(Body("plate", plane.point("p", (1, 2)), plane.angle("a", 0.5)))
    corner = plate.point("corner", (0.3, -0.4))
    x, y = 0.3 * np.cos(0.5) + 0.4 * np.sin(0.5), 0.3 * np.sin(0.5) - 0.4 * np.cos(0.5)
    assert np.array(ca.DM(corner.start)).ravel() == pytest.approx([1 + x, 2 + y])
    assert plane.nodes["corner"] is corner
    assert isinstance(plane.elements["plate.corner"], RigidLink)


@pytest.mark.parametrize("norm", [1.0, 0.5])
def test_euler_parameters_of_any_norm_give_the_start(norm: float) -> None:
    space = Model("space")
    place, turn = space.point("p", (1, 2, 3)), space.rotation("e", tuple(norm * TILT))
    corner = space.add(Body("block", place, turn)).point("corner", np.array([0.3, -0.4, 0.6]))
    start = np.array(ca.DM(corner.start)).ravel()
    assert start == pytest.approx([1, 2, 3] + TURN @ [0.3, -0.4, 0.6])
    link = RigidLink("other", place, turn, corner)
    assert np.array(ca.DM(link.offset)).ravel() == pytest.approx([0.3, -0.4, 0.6])


def test_offset_may_be_a_parameter() -> None:
    model = Model("pendulum", gravity=(0, -G))
    length = model.parameter("length", 1.5, unit="m", positive=True, tunable=False)
    top, arm = model.point("top", fixed=True), model.angle("arm", -np.pi / 2)
    bob = model.add(Body("rod", top, arm)).point("bob", (length, 0))
    model.add(Body("bob", bob, mass=2.0))
    arm.angle.dof("angle", "rate")
    model.output("y", bob.position[1], unit="m")
    show_stresses(model, model.elements["rod.bob"])
    found = outputs(model, {"angle": -np.pi / 2, "rate": 3.0}, parameters={"length": 0.7})
    assert found["y"] == pytest.approx(-0.7, rel=1e-14)
    assert found["stress.x"] == pytest.approx(2 * (G + 3.0**2 * 0.7), rel=1e-13)


# Errors


def planar(offset: object) -> Element:
    nodes = Point("p", (0, 0)), Angle("a"), Point("q", (1, 0))
    return RigidLink("rod", *nodes, offset=offset)  # type: ignore[arg-type]


P, A, Q = Point("p", (0, 0)), Angle("a"), Point("q", (1, 0))
S, E = Point("s", (0, 0, 0)), Rotation("e")
MISTAKES: dict[str, Callable[[], Element]] = {
    r"p is planar, e is spatial, q is planar; .* an angle, or": lambda: RigidLink("rod", P, E, Q),
    r"s is spatial, e is spatial, q is planar; give two points": lambda: RigidLink("rod", S, E, Q),
    r"p and q are both p; give two points": lambda: RigidLink("rod", P, A, P),
    r"orientation is <point p>; give an angle": lambda: RigidLink("rod", P, P, Q),  # type: ignore[arg-type]
    r"p is <angle a>; give a point": lambda: RigidLink("rod", A, A, Q),  # type: ignore[arg-type]
    r"offset is \(1, 0, 0\); give 2 numbers .* in the plane": lambda: planar((1, 0, 0)),
    r"offset is 1.0; give 2 numbers": lambda: planar(1.0),
    r"offset is ab; give 2 numbers": lambda: planar("ab"),
    r"offset along y is nan; give a finite number": lambda: planar((1, np.nan)),
    r"offset is \[1, 2\]; give 3 numbers .* in space": lambda: RigidLink(
        "rod", S, E, Point("t", (0, 0, 1)), offset=[1, 2]
    ),
}


@pytest.mark.parametrize("message", MISTAKES)
def test_impossible_links_are_refused_by_name(message: str) -> None:
    with pytest.raises(ModelError, match=f"^rigid link rod: .*{message}"):
        MISTAKES[message]()


def test_offset_that_starts_nowhere_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match="rigid link rod: its offset along x is inf"):
        RigidLink("rod", P, A, Point("far", (np.inf, 0)))


def test_points_without_a_rigid_body_are_refused_by_name() -> None:
    model = Model("bodies")
    place, angle = model.point("p"), model.angle("a")
    with pytest.raises(ModelError, match=r"body flywheel: point tip .* no point; give"):
        model.add(Body("flywheel", None, angle, inertia=1)).point("tip", (1, 0))
    with pytest.raises(ModelError, match=r"body grain: point tip .* no orientation; give"):
        model.add(Body("grain", place, mass=1)).point("tip", (1, 0))
    with pytest.raises(ModelError, match=r"body rod: point tip .* call Model.add first"):
        Body("rod", place, angle).point("tip", (1, 0))
    rod = model.add(Body("rod", place, angle))
    with pytest.raises(ModelError, match=r"point tip of body rod: its offset is \(1,\); give 2"):
        rod.point("tip", (1,))
    assert "tip" not in model.nodes
    rod.point("tip", (1, 0))
    with pytest.raises(ModelError, match="point 'tip' exists already"):
        rod.point("tip", (2, 0))


def test_offset_of_a_mass_centre_has_as_many_components_as_axes() -> None:
    with pytest.raises(ModelError, match=r"body block: its offset is \(1, 2, 3\); give 2"):
        Body("block", P, A, mass=1, offset=(1, 2, 3))
