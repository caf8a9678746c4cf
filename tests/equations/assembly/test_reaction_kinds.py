"""Reactions of beams, wheels, couplings and frictions, in loops and through singular positions."""

from __future__ import annotations

from itertools import pairwise

import casadi as ca
import numpy as np
import pytest
from scipy import integrate

from mbcore import (
    Body,
    Coupling,
    Friction,
    Hinge,
    Model,
    PlanarBeam,
    PlanarHinge,
    RoleError,
    RollingCoupling,
    Slide,
    SpatialBeam,
    Wheel,
    linearize,
    prismatic,
    revolute,
    simulate,
    spherical,
    universal,
)
from mbcore.elements.joints.joint_records import Revolute
from mbcore.evaluation.evaluation import Evaluation
from tests.equations.assembly.test_reactions import GRAVITY, arm, evaluated, links, show, vector

LOAD = 0.3
"""On the tip of a beam, so small that it bends little, N."""
BEAM = {"axial_stiffness": 1e7, "bending_stiffness": 1e3}


def test_a_loaded_cantilever_is_held_by_its_clamp() -> None:
    """Statics of a beam with a load and a couple at its free end, and how it pulls at the load."""
    model = Model("cantilever")
    root, clamp = model.point("root", (0, 0), fixed=True), model.angle("clamp", fixed=True)
    tip, turned = model.point("tip", (1.5, 0)), model.angle("turned")
    beam = model.add(PlanarBeam("beam", root, clamp, tip, turned, **BEAM))
    for q in beam.deformations.values():
        q.dof(q.name, f"{q.name}.rate")
    model.add(Body("mass", tip, turned, mass=1, inertia=0.1))
    model.force(tip, (0, -2.0))
    model.moment(turned, 0.5)
    show(model, "clamp", model.reaction((root, clamp)))
    show(model, "beam", model.reaction(beam, on=root))
    show(model, "tip", model.reaction((tip, turned), of=beam, at=root))
    model.output("x", tip.position[0], unit="m")
    run = simulate(model.equations(), until=1e-3, samples=3)
    # While it bends the clamp still balances the beam, which has no mass.
    for k in range(3):
        found = {name: run[name][k] for name in run}
        for i in range(2):
            assert found[f"beam.force[{i}]"] == pytest.approx(-found[f"clamp.force[{i}]"], abs=1e-9)
            assert found[f"tip.force[{i}]"] == pytest.approx(found[f"clamp.force[{i}]"], abs=1e-9)
        assert found["tip.moment[0]"] == pytest.approx(found["clamp.moment[0]"], abs=1e-9)


def bent(load: float) -> dict[str, float]:
    """Return the root's reactions of a beam in space at rest under its weight and a tip load."""
    model = Model("bent", gravity=(0, 0, -GRAVITY))
    root = model.point("root", (0, 0, 0), fixed=True)
    tip, turned = model.point("tip", (2, 0, 0)), model.rotation("turned")
    beam = model.add(
        SpatialBeam("beam", root, model.ground, tip, turned, mass_per_length=3, polar_inertia=0.01)
    )
    assert all(q.role.value == "rigid" for q in beam.deformations.values())
    model.force(tip, (0, 0, -load))
    show(model, "clamp", model.reaction((root, model.ground)))
    show(model, "tip", model.reaction((root, model.ground), at=tip))
    return evaluated(model)


def test_a_beam_in_space_is_held_against_weight_and_load() -> None:
    found, weight, load = bent(5.0), 3 * 2 * GRAVITY, 5.0
    assert vector(found, "clamp.force") == pytest.approx([0, 0, weight + load], rel=1e-12)
    assert vector(found, "clamp.moment") == pytest.approx(
        [0, -(weight * 1 + load * 2), 0], rel=1e-12
    )
    assert vector(found, "tip.moment") == pytest.approx([0, weight * 1, 0], rel=1e-12)


def test_a_rotating_beam_pulls_at_its_hub_by_its_centrifugal_force() -> None:
    """A rigid rod with 4 rad/s and 6 rad/s2: m Ω² L/2 along, m α L/2 across, m L² α/3 about it."""
    model = Model("hub")
    root, hub = model.point("root", (0, 0), fixed=True), model.angle("hub")
    tip, turned = model.point("tip", (1.2, 0)), model.angle("turned")
    beam = model.add(PlanarBeam("beam", root, hub, tip, turned, mass_per_length=2.5))
    hinge = model.add(PlanarHinge("drive", model.angle("frame", fixed=True), hub))
    hinge.angle.prescribe(4 * model.time + 3 * model.time**2)
    show(model, "hub", model.reaction(root, axes=hub), moment=False)
    show(model, "drive", model.reaction(hinge))
    model.output("pulls", model.reaction(beam, on=hub).moment, unit="N.m")
    found, mass = evaluated(model), 2.5 * 1.2
    force = [-mass * 4**2 * 0.6, mass * 6 * 0.6]
    assert vector(found, "hub.force", 2) == pytest.approx(force, rel=1e-12)
    assert vector(found, "drive.force", 2) == pytest.approx(force, rel=1e-12)
    assert found["drive.moment[0]"] == pytest.approx(mass * 1.2**2 / 3 * 6, rel=1e-12)
    assert found["pulls"] == pytest.approx(-mass * 1.2**2 / 3 * 6, rel=1e-12)


def test_an_elastic_beam_in_motion_passes_on_what_its_mass_needs() -> None:
    """The whole momentum's rate of a vibrating beam with mass is the root's force and the load."""
    model = Model("vibrating")
    root, clamp = model.point("root", (0, 0), fixed=True), model.angle("clamp", fixed=True)
    nodes = [(root, clamp)]
    for i in range(1, 3):
        nodes.append((model.point(f"p{i}", (0.5 * i, 0)), model.angle(f"a{i}")))
        beam = PlanarBeam(f"beam {i}", *nodes[-2], *nodes[-1], mass_per_length=2, **BEAM)
        model.add(beam).elongation.rigid()
        for q in (beam.bending_p, beam.bending_q):
            q.dof(q.name, f"{q.name}.rate")
    model.force(nodes[-1][0], (0, -LOAD))
    show(model, "root", model.reaction((root, clamp)))
    # Hermite's cubics give the momentum ∫ρ v ds of a beam, ρ (l (v_p + v_q)/2 + l² (ω_p - ω_q)/12),
    # and its moment about the root by ∫ρ x v ds.
    momentum, swing, rho, size = ca.SX(0), ca.SX(0), 2.0, 0.5
    for k, (p, q) in enumerate(pairwise(nodes)):
        (v_p, w_p), (v_q, w_q) = ((end[0].velocity[1], end[1].rate) for end in (p, q))
        part = rho * (size * (v_p + v_q) / 2 + size**2 * (w_p - w_q) / 12)
        momentum += part
        own = 3 * v_p / 20 + 7 * v_q / 20 + size * (w_p / 30 - w_q / 20)
        swing += k * size * part + rho * size**2 * own
    model.output("momentum", momentum)
    model.output("swing", swing)
    run = simulate(model.equations(), until=0.02, samples=1001, rtol=1e-10, atol=1e-14)
    for forces, sums in (
        (run["root.force[1]"] - LOAD, run["momentum"]),
        (run["root.moment[0]"] - 1.0 * LOAD, run["swing"]),
    ):
        impulse = integrate.cumulative_simpson(forces, x=run.time, initial=0)
        assert np.ptp(sums) > 1e-3
        assert impulse == pytest.approx(sums, abs=1e-4 * np.ptp(sums))


def rolling(tilt: float) -> tuple[Model, Wheel]:
    """A disk that leans and rolls, as in the tests of wheels."""
    model = Model("disk", gravity=(0, 0, -GRAVITY))
    yawed, leaned, body = (model.rotation(name) for name in ("yawed", "leaned", "body"))
    centre, contact = model.point("centre", (0, 0, 0.3)), model.point("contact", (0, 0, 0))
    hinges = [
        model.add(Hinge("yaw", model.ground, yawed, axis=(0, 0, 1))),
        model.add(Hinge("lean", yawed, leaned, axis=(1, 0, 0))),
        model.add(Hinge("pitch", leaned, body, axis=(0, 1, 0))),
    ]
    starts = ((0.4, 0.6), (tilt, -0.3), (0.0, 5.0))
    for hinge, (start, rate) in zip(hinges, starts, strict=True):
        hinge.angle.dof(hinge.name, f"{hinge.name}.rate", start=start, rate_start=rate)
    wheel = model.add(Wheel("wheel", centre, body, contact, radius=0.3))
    model.add(Body("mass", centre, body, mass=2, inertia=(0.045, 0.09, 0.045)))
    contact.x.kinematic("x")
    contact.y.kinematic("y")
    return model, wheel


def test_the_ground_pushes_a_rolling_disk_where_it_touches() -> None:
    """The force is the mass times the centre's acceleration, less weight, of a later motion."""
    model, wheel = rolling(0.2)
    ground = model.reaction(wheel)
    show(model, "ground", ground)
    for i in range(3):
        model.output(f"a[{i}]", wheel.centre.acceleration[i], unit="m/s2")
    model.output("normal", wheel.normal_force, unit="N")
    run = simulate(model.equations(), until=0.5, samples=4)
    for k in range(4):
        found = {name: run[name][k] for name in run}
        force = 2 * (vector(found, "a") + [0, 0, GRAVITY])
        assert vector(found, "ground.force") == pytest.approx(force, rel=1e-10)
        assert found["normal"] == pytest.approx(force[2], rel=1e-10)
        # It touches in a point, and its spin is free: no moment.
        assert vector(found, "ground.moment") == pytest.approx(np.zeros(3), abs=1e-10)


def test_gears_friction_and_springs_belong_to_their_joints() -> None:
    """The moment in a joint is all that acts between both sides: it turns the one body alone."""
    model = Model("gears")
    frame = model.angle("frame", fixed=True)
    hinges = []
    for i, inertia in enumerate((0.2, 0.05)):
        turned, centre = model.angle(f"turned {i}"), model.point(f"centre {i}", (i, 0), fixed=True)
        model.add(Body(f"gear {i}", centre, turned, mass=1, inertia=inertia))
        hinges.append(model.add(PlanarHinge(f"hinge {i}", frame, turned)))
    driving, driven = hinges
    driving.angle.dof("angle", "rate", rate_start=2.0).law(0.3 * driving.angle.rate)
    model.load(1.5, driving.angle.rate)
    model.add(Coupling("mesh", driving.angle.value + 2 * driven.angle.value, unit="rad"))
    model.add(RollingCoupling("brake", driven.angle.rate, unit="rad/s")).slip.release().law(0.1)
    model.add(Friction("rub", driven, radius=0.1, coefficient=0.2, preload=0.02))
    for i, hinge in enumerate(hinges):
        model.output(f"moment {i}", model.reaction(hinge).moment, unit="N.m")
        model.output(f"turning {i}", hinge.q.acceleration, unit="rad/s2")
    found = evaluated(model)
    assert abs(found["turning 0"]) > 0.1
    assert found["moment 0"] == pytest.approx(0.2 * found["turning 0"], rel=1e-12)
    assert found["moment 1"] == pytest.approx(0.05 * found["turning 1"], rel=1e-12)


def test_friction_of_a_ball_is_its_whole_moment() -> None:
    model = Model("ball")
    centre, turned = model.point("centre", (0, 0, 0)), model.rotation("turned")
    body = model.add(Body("body", centre, turned, mass=2, inertia=(0.1, 0.2, 0.3)))
    turned.free(angular_velocity=(0.3, 0.0, 2.0), axes="space")
    socket = spherical("socket", model, body, at=(0, 0, 0))
    model.force(centre, (0, 0, -50.0))
    link = model.elements["socket.p"]
    model.add(Friction("rub", socket, radius=0.01, coefficient=0.2, of=link))
    show(model, "ball", model.reaction(socket))
    found = evaluated(model)
    spin = np.array([0.3, 0, 2.0])
    assert vector(found, "ball.force") == pytest.approx([0, 0, 50], rel=1e-12)
    friction = -0.2 * 0.01 * 50 * spin / np.linalg.norm(spin)
    assert vector(found, "ball.moment") == pytest.approx(friction, rel=1e-12)


def test_a_universal_joint_turns_its_moment_between_the_shafts() -> None:
    """Hooke's joint at rest, bent by β: T_q = T_p cos β in the worst position, and no net force."""
    bend, torque = 0.5, 3.0
    model = Model("hooke")
    p, q = model.rotation("p"), model.rotation("q")
    origin = model.point("origin", (0, 0, 0), fixed=True)
    first, second = (model.add(Body(n, origin, r)) for n, r in (("first", p), ("second", q)))
    along = (np.cos(bend), np.sin(bend), 0)
    held = model.add(Hinge("held", model.ground, p, axis=(1, 0, 0)))
    held.angle.rigid()
    model.add(Hinge("out", model.ground, q, axis=along)).angle.release()
    joint = universal("joint", first, second, at=(0, 0, 0), axes=((0, 0, 1), (0, 1, 0)))
    model.moment(q, tuple(torque * a for a in along))
    show(model, "joint", model.reaction(joint), moment=True)
    show(model, "other", model.reaction(joint, on=first))
    found = evaluated(model)
    moment = vector(found, "joint.moment")
    # The cross carries a moment across both of its pins only.
    assert moment[1:] == pytest.approx(np.zeros(2), abs=1e-12)
    assert moment @ along == pytest.approx(-torque, rel=1e-12)
    assert vector(found, "other.moment") == pytest.approx(-moment, rel=1e-12)
    assert vector(found, "other.force") == pytest.approx(np.zeros(3), abs=1e-12)


def test_loads_at_the_pin_itself_are_on_its_own_body() -> None:
    """A load on the own point of a body is this body's; on a point of both it is of neither."""
    for shared in (False, True):
        model = Model("bars")
        frame = model.angle("frame", fixed=True)
        place = model.point("hung", (0, 0), fixed=True)
        lower = model.add(Body("lower", model.point("low", (0, -1)), model.angle("b"), mass=1))
        upper = model.add(Body("upper", place, model.angle("a"), mass=1))
        model.add(PlanarHinge("top", frame, upper.orientation)).angle.rigid()
        at = (0, -0.5) if shared else (0, -1)
        joint = revolute("pin", upper, lower, at=at)
        joint.angle.rigid()
        model.force(joint.point, (4.0, 0.0))
        show(model, "lower", model.reaction(joint))
        show(model, "upper", model.reaction(joint, on=upper))
        found = evaluated(model)
        assert vector(found, "upper.force", 2) == pytest.approx([4.0, 0], abs=1e-12)
        assert vector(found, "lower.force", 2) == pytest.approx(
            [0 if shared else -4.0, 0], abs=1e-12
        )


def test_slides_bearings_and_trusses_pull_at_both_ends() -> None:
    model = Model("slide", gravity=(0, -GRAVITY))
    frame = model.angle("frame", 0.3, fixed=True)
    base, block = model.point("base", (0, 0), fixed=True), model.point("block", (2, 0.5))
    model.add(Body("mass", block, mass=3))
    slide = model.add(Slide("slide", base, frame, block, axis=(1, 0)))
    slide.displacement.rigid()
    show(model, "block", model.reaction(slide))
    show(model, "base", model.reaction(slide, on=base))
    show(model, "about", model.reaction(slide, on=base, at=base))
    found = evaluated(model)
    assert vector(found, "block.force", 2) == pytest.approx([0, 3 * GRAVITY], abs=1e-12)
    assert vector(found, "base.force", 2) == pytest.approx([0, -3 * GRAVITY], abs=1e-12)
    assert found["base.moment[0]"] == pytest.approx(0, abs=1e-12)
    assert found["about.moment[0]"] == pytest.approx(-2 * 3 * GRAVITY, rel=1e-12)


def door(count: int) -> Model:
    """A door of 10 kg and 1 m on upright hinges, the first at the origin."""
    model = Model("door", gravity=(0, 0, -GRAVITY))
    turned, centre = model.rotation("turned"), model.point("centre", (0.5, 0, 0.5))
    leaf = model.add(Body("leaf", centre, turned, mass=10, inertia=(1, 2, 1)))
    for i in range(count):
        joint = revolute(f"hinge {i}", model, leaf, at=(0, 0, float(i)), axis=(0, 0, 1))
        if i == 0:
            joint.angle.dof("angle", "rate", rate_start=1.0)
        show(model, f"{i}", model.reaction(joint))
    return model


def test_forces_that_redundant_hinges_share_are_refused_by_name() -> None:
    assert vector(evaluated(door(1)), "0.force") == pytest.approx([-5, 0, 10 * GRAVITY], rel=1e-12)
    with pytest.raises(RoleError, match=r"output 0\.force\[0\] depends on forces that are not uni"):
        door(2).equations(roles="auto")


def four_bar() -> tuple[Model, Revolute]:
    """A parallelogram in space, with parallel axes: redundant by three."""
    model = Model("four-bar", gravity=(0, 0, -GRAVITY))
    names = (("left", (0, 0, 0.25)), ("coupler", (0.5, 0, 0.5)), ("right", (1, 0, 0.25)))
    left, coupler, right = (
        model.add(
            Body(
                name,
                model.point(f"{name}.point", place),
                model.rotation(f"{name}.turned"),
                mass=2,
                inertia=(0.01, 0.01, 0.01),
            )
        )
        for name, place in names
    )
    y = (0, 1, 0)
    drive = revolute("A", model, left, at=(0, 0, 0), axis=y)
    joint = revolute("B", left, coupler, at=(0, 0, 0.5), axis=y)
    revolute("C", coupler, right, at=(1, 0, 0.5), axis=y)
    revolute("D", right, model, at=(1, 0, 0), axis=y)
    drive.angle.dof("angle", "rate", rate_start=1.5)
    return model, joint


def test_of_a_planar_loop_in_space_the_forces_in_its_plane_are_known() -> None:
    model, joint = four_bar()
    force = model.reaction(joint).force
    for i in (0, 2):
        model.output(f"force[{i}]", force[i], unit="N")
    point = Evaluation(model.equations(roles="auto"))
    point.start({})
    names = [output.name for output in point.equations.outputs]
    found = dict(zip(names, point.output(), strict=True))
    # By hand: upright bars, rate ω, no acceleration of the angle; the coupler moves on a circle of
    # 0.5 m, so its weight less m ω² r is shared by both ends.
    assert found["force[2]"] == pytest.approx((2 * GRAVITY - 2 * 1.5**2 * 0.5) / 2, rel=1e-10)
    model.output("force[1]", force[1], unit="N")
    with pytest.raises(RoleError, match=r"output force\[1\] depends on forces that are not unique"):
        model.equations(roles="auto")


def test_linearization_differentiates_reactions() -> None:
    """Against central differences of the outputs by states, in space with rotations."""
    parts = links(2)
    model, joints = arm(parts)
    for i, joint in enumerate(joints):
        joint.angle.release()
        joint.angle.dof(f"q{i}", f"v{i}", start=0.3 * i, rate_start=0.4).law(
            -model.input(f"T{i}", unit="N.m")
        )
    show(model, "pin", model.reaction(joints[1], axes=model.elements["body 0"]))
    show(model, "ground", model.reaction(joints[0], on=model))
    equations = model.equations()
    found = linearize(equations, unsteady=True)
    point = Evaluation(equations)
    states = [state.name for state in equations.states]
    start = {state.name: state.start for state in equations.states}
    names = [output.name for output in equations.outputs]
    rows = [i for i, n in enumerate(names) if n.startswith(("pin", "ground"))]
    assert len(rows) == 12
    for k, state in enumerate(states):
        values = []
        for sign in (1, -1):
            point.renew()
            point.start({**start, state: start[state] + sign * 1e-5})
            values.append(np.array(point.output()))
        slope = (values[0] - values[1]) / 2e-5
        assert found.output_matrix[rows, k] == pytest.approx(slope[rows], rel=1e-6, abs=1e-6)


def test_a_reaction_goes_smoothly_through_the_dead_centres() -> None:
    """The slider-crank with equal bars is singular at 90°; this one passes dead centres twice."""
    model = Model("dead centres")
    crank = model.add(Body("crank", model.point("c", (0.1, 0)), model.angle("a"), mass=1))
    rod = model.add(Body("rod", model.point("r", (0.35, 0)), model.angle("b"), mass=1))
    slider = model.add(Body("slider", model.point("s", (0.5, 0)), model.angle("t"), mass=2))
    main = revolute("main", model, crank, at=(0, 0))
    revolute("pin", crank, rod, at=(0.2, 0))
    wrist = revolute("wrist", rod, slider, at=(0.5, 0))
    prismatic("guide", model, slider, axis=(1, 0))
    main.angle.prescribe(10 * model.time)
    show(model, "wrist", model.reaction(wrist), moment=False)
    run = simulate(model.equations(), until=np.pi / 5, samples=201)
    r, rod_length, w, turn = 0.2, 0.3, 10.0, 10 * run.time
    root = np.sqrt(rod_length**2 - (r * np.sin(turn)) ** 2)
    # x'' of the slider by hand, from x = r cos φ + √(l² - r² sin²φ)
    first = -(r**2) * np.sin(turn) * np.cos(turn) / root
    second = -(r**2) * np.cos(2 * turn) / root - first**2 / root
    acceleration = w**2 * (-r * np.cos(turn) + second)
    assert run["wrist.force[0]"] == pytest.approx(2 * acceleration, rel=1e-7, abs=1e-7)
