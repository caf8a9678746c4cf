"""Equations against closed forms: holonomic, rheonomic, laws of the state, reactions, contact."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Bearing,
    Body,
    ConfigurationError,
    Friction,
    Hinge,
    Item,
    Model,
    ModelError,
    PlanarBeam,
    PlanarHinge,
    RigidLink,
    SimulationError,
    Slide,
    Truss,
    assemble,
    equilibrium,
    simulate,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.contact.rattling import ideal
from mbcore.fmus import caster, clearance_joint
from tests.conftest import equations_of


def pendulum(length: float = 1.5, mass: float = 2.0) -> Model:
    model = Model("pendulum", gravity=(0, -9.81))
    top, bob = model.point("top", fixed=True), model.point("bob", (0, -length))
    arm, end = model.angle("arm", -np.pi / 2), model.angle("end", -np.pi / 2)
    model.add(PlanarBeam("rod", top, arm, bob, end))
    model.add(Body("bob", bob, mass=mass))
    arm.angle.dof("angle", "rate", -np.pi / 2)
    model.output("support.x", top.x.reaction, unit="N")
    model.output("support.y", top.y.reaction, unit="N")
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    return model


def test_pendulum_against_the_complete_elliptic_integral() -> None:
    # [Schwab2002] (A.110)
    from scipy.special import ellipk

    length, amplitude = 1.5, 2.0
    period = 4 * np.sqrt(length / 9.81) * ellipk(np.sin(amplitude / 2) ** 2)
    start = {"angle": amplitude - np.pi / 2, "rate": 0.0}
    run = simulate(pendulum(length).equations(), period, start=start, rtol=1e-12, atol=1e-13)
    assert run.final("angle") == pytest.approx(start["angle"], abs=1e-9)
    assert np.ptp(run["energy"]) < 1e-9


def test_pendulum_support_carries_weight_and_centripetal_force() -> None:
    # [Schwab2002] (A.15)
    length, mass, rate = 1.5, 2.0, 3.0
    evaluation = Evaluation(pendulum(length, mass).equations())
    evaluation.start({"rate": rate})
    support_x, support_y, _ = evaluation.output()
    assert support_x == pytest.approx(0, abs=1e-12)
    assert support_y == pytest.approx(mass * (9.81 + rate**2 * length), rel=1e-13)


def test_rheonomic_torque_of_a_driven_arm() -> None:
    # [Schwab2002] (A.108)
    model = Model("driven arm")
    top, bob = model.point("top", fixed=True), model.point("bob", (1, 0))
    arm, end = model.angle("arm"), model.angle("end")
    model.add(PlanarBeam("rod", top, arm, bob, end))
    model.add(Body("bob", bob, mass=3.0))
    arm.angle.prescribe(ca.sin(2 * model.time))
    model.output("torque", -arm.angle.stress, unit="N.m")
    evaluation = Evaluation(model.equations())
    evaluation.start()
    evaluation.t[0] = 0.4
    evaluation.configure()
    # M = m l² d²/dt² sin 2t
    assert evaluation.output()[0] == pytest.approx(-3.0 * 4 * np.sin(0.8), rel=1e-12)


def test_law_of_the_state_gives_the_unsymmetric_mass_of_equation_40() -> None:
    # [SchiehlenEismann] (40)
    from mbcore.fmus.vehicle import model

    evaluation = Evaluation(model().equations(), {"steering": 3})
    evaluation.start({"chassis.speed": 8.0})
    mass, _ = evaluation.mass()
    # m + 2 (I + m l_H²) v²/(v_L² l²); without the acceleration on the left it would be 1461 kg
    expected = 1200 + 2 * (675 + 1200 * 1.25**2) * 64 / (100 * 6.25)
    assert mass[0, 0] == pytest.approx(expected, rel=1e-12)
    assert expected == pytest.approx(1722.24)


def test_spinning_top_precesses_steadily() -> None:
    # Fast top on a frictionless gimbal: cyclic yaw, exact steady precession from
    # (C s Ω + (C - A) Ω² cos θ) = m g h  with spin s about the axis, tilt θ.
    A, C, m, g, h, tilt, precession = 0.6, 0.2, 1.3, 9.81, 0.4, 0.7, 1.1
    spin = (m * g * h + (A - C) * precession**2 * np.cos(tilt)) / (C * precession)
    model = Model("top", gravity=(0, 0, -g))
    frames = [model.rotation(n) for n in ("yaw", "nod", "body")]
    hinges = [
        model.add(Hinge(f"hinge {n}", p, q, axis=axis))
        for n, p, q, axis in (
            ("yaw", model.ground, frames[0], (0, 0, 1)),
            ("nod", frames[0], frames[1], (1, 0, 0)),
            ("spin", frames[1], frames[2], (0, 0, 1)),
        )
    ]
    for hinge, name in zip(hinges, ("yaw", "nod", "spin"), strict=True):
        hinge.angle.dof(name)
    origin = model.point("pivot", (0, 0, 0), fixed=True)
    inertia = (A - m * h**2, A - m * h**2, C)
    model.add(Body("top", origin, frames[2], mass=m, inertia=inertia, offset=(0, 0, h)))
    start = {"nod": tilt, "yaw_rate": precession, "spin_rate": spin}
    run = simulate(model.equations(), 3.0, start=start, rtol=1e-11, atol=1e-12)
    assert np.ptp(run["nod"]) < 1e-9
    assert run.final("yaw") == pytest.approx(3.0 * precession, abs=1e-9)


def test_swivel_wheel_nonlinear_transient() -> None:
    # derived by hand, l φ' = u' cos φ - v sin φ; integrated at 1e-12
    run = simulate(
        equations_of(caster.model), 20, start={"swivel.angle": 0.5}, samples=[0, 10, 20],
        rtol=1e-11, atol=1e-13,
    )  # fmt: skip
    assert run["strut.deflection"][1:] == pytest.approx([0.2293354120, -0.1325766963], abs=2e-10)
    assert run["swivel.angle"][1:] == pytest.approx([0.1652572713, 0.1396081655], abs=2e-10)


def test_caster_forces_balance() -> None:
    evaluation = Evaluation(
        equations_of(caster.model),
        {"strut.damping": 0.2, "swivel.damping": 0.1},
        {"attachment.speed": 2.0, "attachment.acceleration": 0.3, "swivel.torque": 0.4},
    )
    evaluation.start({"swivel.angle": 0.6, "strut.deflection": 0.1, "strut.deflection_rate": 0.3})
    names = [o.name for o in evaluation.equations.outputs]
    value = dict(zip(names, evaluation.output(), strict=True))
    # Newton for the whole gear, with accelerations differentiated by hand
    m, trail, a, phi, u, du = 1.0, 1.0, 0.2, 0.6, 0.1, 0.3
    rate = (du * np.cos(phi) - 2.0 * np.sin(phi)) / trail
    assert value["swivel.rate"] == pytest.approx(rate, rel=1e-12)
    ddu = evaluation.derivative()[0]
    dd_phi = (ddu * np.cos(phi) - du * np.sin(phi) * rate - 0.3 * np.sin(phi)
              - 2.0 * np.cos(phi) * rate) / trail  # fmt: skip
    b = trail - a
    ax = 0.3 + b * (np.sin(phi) * dd_phi + np.cos(phi) * rate**2)
    ay = ddu - b * (np.cos(phi) * dd_phi - np.sin(phi) * rate**2)
    lateral = value["wheel.lateral_force"]
    force_x = -np.sin(phi) * lateral - m * ax
    force_y = np.cos(phi) * lateral - m * ay
    assert value["attachment.force_x"] == pytest.approx(force_x, rel=1e-10)
    assert value["attachment.force_y"] == pytest.approx(force_y, rel=1e-10)
    assert value["attachment.force_y"] == pytest.approx(0.3 * u + 0.2 * du, rel=1e-12)


@pytest.mark.heavy
def test_first_five_contacts_of_the_rattling_slider() -> None:
    # reference: derived by hand, K = 65.8e9 exactly (Young's modulus scaled from 6.578265e10)
    stiffness = (
        4 / (3 * np.pi * 2 * (1 - 0.09) / (np.pi * 2.06e11)) * np.sqrt(9.5e-3 * 10e-3 / 0.5e-3)
    )
    run = simulate(
        equations_of(clearance_joint.model), 1.33e-3, rtol=1e-12, atol=1e-12,
        parameters={"joint.youngs_modulus": 2.06e11 * 65.8e9 / stiffness},
    )  # fmt: skip
    times = [2.272853257e-4, 6.427004277e-4, 7.423578078e-4, 9.790350989e-4, 1.265149270e-3]
    speeds = [4.38580344, 2.58133415, 1.89146987, 1.32438845, 2.77663279]
    begun = np.flatnonzero(np.diff(run["joint.impacts"]) > 0) + 1
    begun = begun[:5]
    assert run["joint.impact_time"][begun] == pytest.approx(times, abs=1e-9)
    assert run["joint.impact_speed"][begun] == pytest.approx(speeds, abs=1e-7)
    assert run.events[1][0] == pytest.approx(2.812462402e-4, abs=1e-9)


@pytest.mark.usefixtures("hasty")
def test_slider_crank_without_clearance() -> None:
    """Extremes are read off so many rows that C makes them."""
    turn = 2 * np.pi / 523.6
    run = simulate(ideal().equations(), turn, samples=20001, rtol=1e-11, backend="c")
    assert abs(run["slider.acceleration"]).max() == pytest.approx(19419.5, abs=0.05)
    # Extremes of the closed form: kinetic energy T(theta) at constant speed, torque dT/dtheta.
    # (28.4112 m/s and 120.870 N.m are read at whole degrees: within 4e-5 of the extremes.)
    theta = np.linspace(0, 2 * np.pi, 100001)
    energy, speed = closed_form_energy(theta)
    torque = np.gradient(energy, theta)[1:-1]
    assert run["slider.velocity"].max() == pytest.approx(speed.max(), rel=1e-7)
    assert run["crank.torque"].max() == pytest.approx(torque.max(), rel=1e-6)
    assert run["crank.torque"].min() == pytest.approx(torque.min(), rel=1e-6)
    degrees = closed_form_energy(np.radians(np.arange(360.0)))[1]
    assert degrees.max() == pytest.approx(28.4112, abs=5e-5)


def closed_form_energy(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Kinetic energy and slider velocity of the ideal slider-crank of 5.4."""
    r, rod, omega, mass = 0.05, 0.12, 523.6, 0.145
    sine = -r * np.sin(theta) / rod
    cosine = np.sqrt(1 - sine**2)
    rate = -r * np.cos(theta) * omega / (rod * cosine)
    slider = -omega * r * np.sin(theta) - rod * sine * rate
    middle_x = -omega * r * np.sin(theta) - rod / 2 * sine * rate
    middle_y = omega * r * np.cos(theta) + rod / 2 * cosine * rate
    square = slider**2 + middle_x**2 + middle_y**2 + rod**2 / 12 * rate**2
    return mass * square / 2, slider


def test_assembly_from_inconsistent_start_coordinates() -> None:
    # [Schwab2002] (A.98)
    model = Model("triangle")
    a = model.point("a", fixed=True)
    b, c = model.point("b", (1.7, 0.4)), model.point("c", (0.3, 2.9))
    b.y.fix(0.0)
    for name, p, q, rest in (("ab", a, b, 2.0), ("bc", b, c, 1.5), ("ca", c, a, 1.5)):
        model.add(Truss(name, p, q, rest_length=rest))
    found = assemble(model.equations())
    assert found.coordinates["b.x"] == pytest.approx(2.0, abs=1e-13)
    assert found.coordinates["c.x"] == pytest.approx(1.0, abs=1e-13)
    assert found.coordinates["c.y"] == pytest.approx(np.sqrt(1.5**2 - 1), abs=1e-13)


def test_what_cannot_be_assembled_is_named() -> None:
    model = Model("triangle")
    a, b = model.point("a", fixed=True), model.point("b", (3.2, 0), fixed=True)
    c = model.point("c", (1.5, 1))
    model.add(Truss("left", a, c, rest_length=1.0))
    model.add(Truss("right", b, c, rest_length=1.0))
    with pytest.raises(ConfigurationError, match=r"(left|right)\.elongation"):
        assemble(model.equations())


def test_equilibrium_of_two_springs() -> None:
    model = Model("hanging mass", gravity=(0, -10.0))
    left = model.point("left", (-1, 0), fixed=True)
    right = model.point("right", (1, 0), fixed=True)
    bob = model.point("bob", (0.1, -0.5))
    for name, p in (("left spring", left), ("right spring", right)):
        spring = model.add(Truss(name, p, bob, rest_length=1.0))
        spring.elongation.release().spring(100.0)
    model.add(Body("bob", bob, mass=3.0))
    bob.x.dof("x", start=0.1)
    bob.y.dof("y", start=-0.5)
    found = equilibrium(model.equations())
    y = -found.states["y"]
    assert found.states["x"] == pytest.approx(0, abs=1e-9)
    # 2 k (L - 1) y / L = m g
    length = np.hypot(1, y)
    assert 2 * 100 * (length - 1) * y / length == pytest.approx(30.0, rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"parameters": {"wheel.mass": -1.0}}, "wheel.mass = -1.0.*> 0"),
        ({"parameters": {"wheel.mas": 1.0}}, "no parameter 'wheel.mas'"),
        ({"start": {"swivel.angle": np.nan}}, "swivel.angle = nan"),
        ({"inputs": {"swivel.torque": np.inf}}, "swivel.torque = inf"),
        ({"inputs": {"torque": 1.0}}, "no input 'torque'"),
        ({"method": "Euler"}, "no method 'Euler'"),
    ],
)
def test_bad_input_is_named(arguments: dict, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        simulate(equations_of(caster.model), 1.0, **arguments)


def test_input_that_becomes_nan_is_named_with_its_time() -> None:
    with pytest.raises(SimulationError, match=r"swivel\.torque is nan at t = "):
        simulate(
            equations_of(caster.model), 1.0,
            inputs={"swivel.torque": lambda t: np.nan if t > 0.5 else 0.0},
        )  # fmt: skip


def test_steering_at_ninety_degrees_is_refused() -> None:
    from mbcore.fmus.vehicle import model

    inputs = {"steer.angle": np.pi / 2, "steer.rate": 0.0}
    with pytest.raises(SimulationError, match=r"front\.steer_angle = 1\.57079633 .*90 degrees"):
        simulate(model().equations(), 1.0, parameters={"steering": 2}, inputs=inputs)


def test_unavailable_item_is_refused_by_name() -> None:
    model = Model("ball")
    choice = model.enumeration("law", ["one", Item("other", available=False)])
    ball = model.point("ball")
    model.add(Body("mass", ball, mass=choice))
    ball.x.dof("x", "v")
    ball.y.fix()
    with pytest.raises(ModelError, match=r"law = other.*not available"):
        simulate(model.equations(), 1e-4, parameters={"law": 2})


@pytest.mark.parametrize(
    "make",
    [pytest.param(clearance_joint.model, marks=pytest.mark.heavy), lambda: slider_crank(1.0)],
)
def test_configuration_depends_on_the_point_alone(make: Callable[[], Model]) -> None:
    """200 random pairs: bit for bit the same from near, after a trial far away, and from there."""
    # [Schwab2002] (A.98)
    evaluation = Evaluation(make().equations())
    evaluation.start()
    angle = [record.name for record in evaluation.equations.states].index(
        "turn" if make is not clearance_joint.model else "crank.angle"
    )
    random = np.random.default_rng(3)

    def at(turned: float) -> bytes:
        evaluation.s[angle] = turned
        evaluation.configure()
        return evaluation.derivative().tobytes() + evaluation.x.tobytes()

    for near, far in random.uniform((-0.2, -30.0), (0.2, 30.0), (200, 2)) + [[1.0, 0.0]]:
        at(near + 0.1)
        evaluation.accept()
        first = at(near)
        at(far)
        assert at(near) == first
        at(far)
        evaluation.accept()
        assert at(near) == first


def test_spring_at_a_prescribed_bearing_has_the_closed_form_frequency() -> None:
    model = Model("oscillator")
    sleeve, guide = model.point("sleeve", fixed=True), model.angle("guide", fixed=True)
    journal, turn = model.point("journal"), model.angle("turn", fixed=True)
    joint = model.add(Bearing("joint", sleeve, guide, journal, turn))
    model.add(Body("mass", journal, mass=2.0))
    joint.x.dof("x", start=0.1).spring(50.0)
    run = simulate(model.equations(), 2.0, rtol=1e-11, atol=1e-13)
    assert run.final("x") == pytest.approx(0.1 * np.cos(5.0 * 2.0), abs=1e-9)


def test_model_without_any_node_is_its_auxiliary_states() -> None:
    model = Model("lag")
    command = model.input("command", 1.0)
    state = model.state("state")
    model.derivative("state", command - state)
    run = simulate(model.equations(), 1.0, rtol=1e-11, atol=1e-13)
    assert run.final("state") == pytest.approx(1 - np.exp(-1.0), abs=1e-10)


def test_load_on_the_rate_of_a_hinge_turns_it() -> None:
    model = Model("flywheel")
    wheel, centre = model.rotation("wheel"), model.point("centre", (0, 0, 0), fixed=True)
    hinge = model.add(Hinge("hinge", model.ground, wheel, axis=(0, 0, 1)))
    hinge.angle.dof("angle")
    model.add(Body("wheel", centre, wheel, mass=1.0, inertia=(1.0, 1.0, 2.0)))
    model.load(3.0, hinge.angle.rate)
    evaluation = Evaluation(model.equations())
    evaluation.start()
    assert evaluation.derivative()[0] == pytest.approx(1.5, rel=1e-13)


def test_load_without_a_velocity_is_refused() -> None:
    model = pendulum()
    model.load(1.0, model.nodes["bob"].coordinates[0])
    with pytest.raises(ModelError, match="holds no velocity"):
        model.equations()


def slider_crank(size: float) -> Model:
    """Return a slider-crank whose rod is as long as the size, its crank 0.4 of it."""
    crank_length, rod_length = 0.4 * size, size
    model = Model("slider-crank")
    axis, turn = model.point("axis", fixed=True), model.angle("turn")
    pin, tilt = model.point("pin", (crank_length, 0)), model.angle("tilt")
    slider = model.point("slider", (crank_length + rod_length, 0))
    slider.y.fix()
    for name, p, angle, q in (("crank", axis, turn, pin), ("rod", pin, tilt, slider)):
        model.add(RigidLink(name, p, angle, q))
    model.add(Body("slider", slider, mass=1.0))
    model.add(Body("wheel", None, turn, inertia=size**2))
    turn.angle.dof("turn", "speed", rate_start=1.0)
    model.output("x", slider.position[0])
    return model


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1.0, 1e6])
def test_size_does_not_matter(size: float) -> None:
    crank_length, rod_length = 0.4 * size, size
    evaluation = Evaluation(slider_crank(size).equations())
    evaluation.start()
    for theta in np.linspace(0, 6.2, 63):
        evaluation.s[1] = theta
        evaluation.configure()
        evaluation.accept()
        arm = crank_length * np.sin(theta)
        x = crank_length * np.cos(theta) + np.sqrt(rod_length**2 - arm**2)
        assert evaluation.output()[0] == pytest.approx(x, rel=4e-15)


def test_contact_within_one_step_is_found() -> None:
    # unit oscillator from rest at speed 1 against a stop at 0.999: the contact is a twentieth of a
    # radian long, much shorter than the steps of an explicit method of order 8
    model = Model("grazing")
    mass = model.point("mass")
    mass.y.fix()
    model.add(Body("mass", mass, mass=1.0))
    x = mass.x.dof("x", "v", rate_start=1.0).spring(1.0)
    count = model.discrete("count", kind="integer")
    model.discrete("time", -1.0)
    rising = {"count": count + 1, "time": model.time}
    model.event("stop", x.value - 0.999, rising=rising)
    run = simulate(model.equations(), 20.0, rtol=1e-9, atol=1e-12)
    assert run.final("count") == 3
    assert run.final("time") == pytest.approx(np.arcsin(0.999) + 4 * np.pi, abs=1e-6)


def test_equilibrium_of_a_falling_mass_is_refused() -> None:
    model = Model("falling", gravity=(0, -9.81))
    mass = model.point("mass")
    mass.x.fix()
    model.add(Body("mass", mass, mass=1e-9))
    mass.y.dof("y")
    with pytest.raises(SimulationError, match="no equilibrium"):
        equilibrium(model.equations())


def test_value_of_a_rigid_deformation_is_where_it_is_kept() -> None:
    model = Model("bent")
    arm = model.angle("arm")
    hinge = model.add(PlanarHinge("hinge", model.angle("frame", fixed=True), arm))
    hinge.angle.rigid(0.3)
    model.add(Body("disk", None, arm, inertia=1.0))
    model.output("bend", hinge.angle.value)
    model.output("turn", arm.value)
    evaluation = Evaluation(model.equations())
    evaluation.start()
    assert evaluation.output() == pytest.approx([0.3, 0.3], abs=1e-15)


def test_motion_whose_rate_changes_itself_nonlinearly_is_refused() -> None:
    model = Model("loop of rates")
    place = model.point("place")
    place.y.fix()
    state = model.state("z", start=1.0)
    place.x.prescribe(state)
    model.derivative("z", place.x.rate**2 + 0.5 * place.x.rate + 1)
    with pytest.raises(ModelError, match=r"place\.x depend on velocities .* not linearly"):
        model.equations()


def test_motion_whose_rate_changes_itself_linearly_is_solved() -> None:
    model = Model("loop of rates")
    place = model.point("place")
    place.y.fix()
    state = model.state("z", start=1.0)
    place.x.prescribe(state)
    model.derivative("z", 0.5 * place.x.rate + 1)  # v = v/2 + 1
    evaluation = Evaluation(model.equations())
    evaluation.start()
    assert evaluation.derivative() == pytest.approx([2.0], abs=1e-14)


def test_law_on_an_angle_that_follows_is_refused_beyond_a_turn() -> None:
    """The second hinge's angle is the first one's, known up to two turns; its spring is not."""
    model = Model("two hinges")
    turned = model.rotation("turned")
    first = model.add(Hinge("first", model.ground, turned, axis=(0, 0, 1)))
    second = model.add(Hinge("second", model.ground, turned, axis=(0, 0, 1)))
    first.angle.dof("angle", "rate", rate_start=2.0)
    second.bending_y.release()
    second.bending_z.release()
    second.angle.release().law(0.0 * second.angle.value)
    model.add(Body("disk", None, turned, inertia=(1.0, 1.0, 1.0)))
    equations = model.equations()
    run = simulate(equations, 3.0, max_step=0.02, progress=False)
    assert run.final("angle") == pytest.approx(6.0, abs=1e-9)
    with pytest.raises(
        SimulationError, match=r"second\.angle.*at t = 3\.1[0-2].*jump beyond a turn; make it"
    ):
        simulate(equations, 3.2, max_step=0.02, progress=False)
    with pytest.raises(
        SimulationError, match=r"second\.angle.*at t = 3\.1[0-2].*jump beyond a turn; make it"
    ):
        simulate(equations, 3.2, start={"rate": -2.0}, max_step=0.02, progress=False)


def pointed(extra: float) -> Model:
    """A mass that rubs on its guide, and a pointer of another mass that follows its speed."""
    model = Model("pointer")
    frame, origin = model.angle("frame", fixed=True), model.point("origin", (0, 0), fixed=True)
    place, pointer = model.point("place"), model.point("pointer")
    guide = model.add(Slide("guide", origin, frame, place, axis=(1, 0)))
    guide.displacement.dof("x", "v")
    model.add(Body("mass", place, mass=2.0))
    model.force(place, (1.0, -5.0))
    model.add(Friction("rubbing", guide, coefficient=0.4))
    arm = model.add(RigidLink("arm", place, frame, pointer))
    follows = model.state("follows")
    model.derivative("follows", (guide.displacement.rate - follows) / 0.1)
    arm.y.release().prescribe(follows, servo=True)
    if extra:
        model.add(Body("pointer mass", pointer, mass=extra))
    model.output("pointer.acceleration", pointer.y.acceleration)
    return model


@pytest.mark.parametrize("speed", [0.0, 3.0])
def test_a_massless_part_may_follow_a_speed_by_a_lag(speed: float) -> None:
    """Its acceleration is that of the lag: T z̈ = v̇ - ż with T ż = v - z."""
    point = Evaluation(pointed(0.0).equations())
    point.start({"v": speed, "follows": 0.7})
    expected = (1.0 - 0.4 * 5.0) / 2.0 if speed else 0.0  # it sticks at rest
    assert point.derivative()[0] == pytest.approx(expected, rel=1e-14)
    rate = (speed - 0.7) / 0.1
    assert point.output() == pytest.approx([(expected - rate) / 0.1], rel=1e-13)


def test_a_mass_that_follows_a_speed_is_refused_beside_friction() -> None:
    with pytest.raises(ModelError, match=r"arm\.y.*rubbing\.sliding.*follow with a lag"):
        pointed(1.0).equations()


def test_four_freedoms_with_a_servo_have_the_unsymmetric_solution() -> None:
    """A servo moves m_s on the first of four masses by s = Σ c x, and holds it in virtual motion.

    (m + m_s) ẍ₁ + m_s Σ c ẍ = f₁ and m ẍ = f for the others, which do not feel the servo.
    """
    m, extra, forces, c = 2.0, 1.5, (1.0, -3.0, 0.5, 2.0), (0.4, -0.7, 1.3, 0.2)
    model = Model("servo")
    masses = [model.point(f"p{i}") for i in range(4)]
    for i, place in enumerate(masses):
        place.y.fix()
        model.add(Body(f"mass {i}", place, mass=m))
        place.x.dof(f"x{i}")
        model.force(place, (forces[i], 0.0))
    slider = model.point("slider")
    slide = model.add(RigidLink("slide", masses[0], model.angle("level", fixed=True), slider))
    target = sum(k * place.x.value for k, place in zip(c, masses, strict=True))
    slide.x.release().prescribe(target, servo=True)
    model.add(Body("servo mass", slider, mass=extra))
    evaluation = Evaluation(model.equations())
    evaluation.start({f"x{i}": 0.1 * i for i in range(4)})
    others = [force / m for force in forces[1:]]
    first = forces[0] - extra * sum(k * a for k, a in zip(c[1:], others, strict=True))
    expected = [first / (m + extra * (1 + c[0])), *others]
    assert evaluation.derivative()[:4] == pytest.approx(expected, rel=1e-12)
