"""Friction in joints that cannot move is refused, whatever holds them."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from mbcore import Model, simulate
from mbcore.elements import (
    Ball,
    Bearing,
    Body,
    Coupling,
    DryFriction,
    Friction,
    GearPair,
    Hinge,
    PlanarHinge,
    PlanarWheel,
    RigidLink,
    RollingResistance,
    Slide,
)
from mbcore.elements.joints.joints import planar, prismatic, revolute, spherical
from mbcore.model.errors import ModelError
from mbcore.model.quantities import Deformation
from tests.elements.friction.judge import SliderCrank
from tests.elements.friction.test_slider_crank import equations_of

Made = tuple[Model, DryFriction, list[Deformation]]
PIN = {"radius": 0.1, "coefficient": 0.3}


def plane() -> tuple[Model, Body]:
    """A body in the plane."""
    model = Model("plane")
    point, angle = model.point("point", (0, 0)), model.angle("turned")
    return model, model.add(Body("body", point, angle, mass=1.0, inertia=0.1))


def space() -> tuple[Model, Body]:
    """A body in space."""
    model = Model("space")
    point, turned = model.point("point", (0, 0, 0)), model.rotation("turned")
    return model, model.add(Body("body", point, turned, mass=1.0, inertia=3 * (0.1,)))


def on_a_revolute_joint() -> Made:
    model, body = plane()
    joint = revolute("joint", model, body, at=(0, 0))
    return model, model.add(Friction("rubs", joint, **PIN)), [joint.angle]


def on_a_hinge_in_space() -> Made:
    model, body = space()
    joint = revolute("joint", model, body, at=(0, 0, 0), axis=(0, 0, 1))
    return model, model.add(Friction("rubs", joint.hinge, **PIN)), [joint.angle]


def on_a_bearing() -> Made:
    model, body = plane()
    pin, frame = model.point("pin", (0, 0), fixed=True), model.angle("frame", fixed=True)
    bearing = model.add(Bearing("bearing", pin, frame, body.reference, body.orientation))
    friction = model.add(Friction("rubs", bearing, **PIN))
    return model, friction, [bearing.deformations["rotation"]]


def on_a_guide() -> Made:
    model, body = plane()
    joint = prismatic("joint", model, body, axis=(1, 0))
    return model, model.add(Friction("rubs", joint, coefficient=0.3)), [joint.displacement]


def on_a_planar_joint() -> Made:
    model, body = space()
    joint = planar("joint", model, body, normal=(0, 0, 1))
    friction = model.add(Friction("rubs", joint, coefficient=0.3))
    return model, friction, [*joint.displacements, joint.angle]


def on_a_screw() -> Made:
    model, body = space()
    base = model.point("base", (0, 0, 0), fixed=True)
    slide = model.add(Slide("slide", base, model.ground, body.reference, axis=(0, 0, 1)))
    hinge = model.add(Hinge("hinge", model.ground, body.orientation, axis=(0, 0, 1)))
    along, angle = slide.deformations["displacement"], hinge.angle
    screw = model.add(Coupling("screw", along.value - 0.1 * angle.value, unit="m"))
    return model, model.add(Friction("rubs", screw, **PIN)), [along, angle]


MADE = (
    on_a_revolute_joint,
    on_a_hinge_in_space,
    on_a_bearing,
    on_a_guide,
    on_a_planar_joint,
    on_a_screw,
)


@pytest.mark.parametrize("make", MADE)
def test_rigid_joints_are_refused(make: Callable[[], Made]) -> None:
    model, _, motions = make()
    # The angle of a planar joint may stay free, as nothing rubs on it without a patch. What one
    # motion of a screw is, the other one is by its thread.
    rigid = motions if len(motions) == 1 else motions[:-1]
    for motion in rigid:
        motion.rigid()
    with pytest.raises(ModelError, match=r"friction rubs of .* can move: ") as found:
        model.equations(roles="auto")
    assert all(f"{motion.name} (rigid)" in str(found.value) for motion in rigid)


@pytest.mark.parametrize("make", MADE)
def test_one_motion_that_is_left_is_enough(make: Callable[[], Made]) -> None:
    model, _, motions = make()
    for motion in motions[1:] if make is not on_a_screw else ():
        motion.rigid()
    assert model.equations(roles="auto").dofs == 1


def test_a_spin_that_is_left_is_enough_for_a_patch() -> None:
    model, body = space()
    joint = planar("joint", model, body, normal=(0, 0, 1))
    model.add(Friction("rubs", joint, coefficient=0.3, patch=0.1))
    for displacement in joint.displacements:
        displacement.rigid()
    assert model.equations(roles="auto").dofs == 1


@pytest.mark.parametrize("drives", [lambda m: m.time, lambda m: m.parameter("turned", 0.0)])
def test_a_motion_that_is_prescribed_is_enough(drives: Callable[[Model], object]) -> None:
    model, _, (angle,) = on_a_revolute_joint()
    angle.prescribe(drives(model))
    assert model.equations(roles="auto").dofs == 0


def triangle(height: float) -> Model:
    """Two links on a base of 1 m, with friction in the pin at their apex."""
    model, apex = Model("triangle"), (0.4, height)
    top = model.point("apex", apex)
    turned = []
    for name, x in (("left", 0.0), ("right", 1.0)):
        base = model.point(f"{name} base", (x, 0.0), fixed=True)
        turned.append(model.angle(f"{name} angle"))
        length = model.parameter(f"{name} length", float(np.hypot(apex[0] - x, height)))
        lean = float(np.arctan2(height, apex[0] - x))
        offset = (length * np.cos(lean), length * np.sin(lean))
        model.add(RigidLink(f"{name} link", base, turned[-1], top, offset=offset))
        model.add(Body(f"{name} body", base, turned[-1], mass=1.0, inertia=0.1))
    model.add(Friction("rubs", model.add(PlanarHinge("pin", *turned)), at=top, **PIN))
    return model


@pytest.mark.parametrize("height", [1e-3, 0.5, 30.0])
def test_joints_of_a_triangle_are_refused(height: float) -> None:
    with pytest.raises(ModelError, match=r"hinge pin .* can move: left link.* hold it"):
        triangle(height).equations(roles="auto")


def test_gears_with_one_wheel_held_are_refused() -> None:
    model = Model("gears")
    shafts = [model.point(name, (x, 0), fixed=True) for name, x in (("p", 0), ("q", 1))]
    turned = [model.angle("p turned", fixed=True), model.angle("q turned")]
    model.add(Body("wheel", shafts[1], turned[1], mass=1.0, inertia=0.1))
    gears = model.add(GearPair("gears", shafts[0], turned[0], shafts[1], turned[1], ratio=1.0))
    model.add(Friction("rubs", gears, **PIN))
    with pytest.raises(ModelError, match=r"rubs of gear pair gears .*: gears.mesh \(rigid\) holds"):
        model.equations(roles="auto")


@pytest.mark.parametrize("held", [False, True])
def test_rolling_of_what_cannot_turn_is_refused(held: bool) -> None:
    model = Model("wheel")
    heading, spin = model.angle("heading", fixed=True), model.angle("spin", fixed=held)
    centre = model.point("centre", (0, 0))
    wheel = model.add(PlanarWheel("wheel", centre, heading, spin, radius=0.3))
    model.add(Body("rim", centre, spin, mass=1.0, inertia=0.1))
    model.add(RollingResistance("rubs", wheel, arm=0.01, load=10.0))
    if held:
        with pytest.raises(
            ModelError,
            match="resistance rubs acts where nothing can move: all parts that it joins are fixed",
        ):
            model.equations(roles="auto")
    else:
        model.equations(roles="auto")


def test_a_dead_centre_is_no_lock() -> None:
    assert equations_of(SliderCrank(), 0.0).dofs == 1


def _hinge(model: Model) -> None:
    point, other = model.point("pin", (1, 0), fixed=True), model.angle("other", fixed=True)
    held = model.add(Body("held", point, other, mass=1.0, inertia=0.1))
    hinge = model.add(PlanarHinge("hinge", model.angle("frame", fixed=True), other))
    model.add(Friction("rubs", hinge, at=point, of=held, **PIN))


def _gears(model: Model) -> None:
    shafts = [model.point(name, (x, 0), fixed=True) for name, x in (("p", 0), ("q", 1))]
    turned = [model.angle(f"{shaft.name} turned", fixed=True) for shaft in shafts]
    gears = GearPair("gears", shafts[0], turned[0], shafts[1], turned[1], ratio=1.0)
    model.add(Friction("rubs", model.add(gears), **PIN))


def _socket(model: Model) -> None:
    point, other = model.point("fixed", (0, 0, 0), fixed=True), model.rotation("other", fixed=True)
    held = model.add(Body("held", point, other, mass=1.0, inertia=3 * (0.1,)))
    model.add(Friction("rubs", spherical("joint", model, held, at=(0, 0, 0)), **PIN))


def _ball(model: Model) -> None:
    centre = model.point("centre", (0, 0, 1), fixed=True)
    contact, held = model.point("contact", (0, 0, 0)), model.rotation("held", fixed=True)
    ball = model.add(Ball("ball", centre, held, contact, radius=1.0))
    model.add(Friction("rubs", ball, coefficient=0.3))


def lift(model: Model, turned: ca.SX) -> ca.SX:
    """A cam with a dwell around the start, m."""
    return 0.02 * ca.fmax(ca.sin(turned - 1.2), 0) ** 3


def engaged(model: Model, turned: ca.SX) -> ca.SX:
    """A gearbox that is in neutral at its start values, m."""
    gear = model.enumeration("gear", ["neutral", "first"], value=1)
    return model.select(gear, 0.0, 0.1) * turned


@pytest.mark.parametrize("of", [lift, engaged])
def test_a_dwell_is_no_lock(of: Callable[[Model, ca.SX], ca.SX]) -> None:
    """A follower rests at the start, and moves when its cam has turned or a gear is chosen."""
    model, body = plane()
    shaft = revolute("shaft", model, body, at=(0, 0))
    shaft.angle.dof("angle", "rate", rate_start=1.0)
    follower, straight = model.point("follower", (1, 0)), model.angle("straight")
    moved = model.add(Body("follower", follower, straight, mass=1.0, inertia=0.1))
    guide = prismatic("guide", model, moved, axis=(1, 0))
    model.add(Coupling("lift", guide.displacement.value - of(model, shaft.angle.value)))
    friction = model.add(Friction("rubs", guide, coefficient=0.3, preload=1.0))
    model.output("power", friction.power, unit="W")
    model.output("speed", guide.displacement.rate, unit="m/s")
    chosen = {"parameters": {"gear": "first"}} if of is engaged else {}
    run = simulate(model.equations(), 2.0, rtol=1e-9, atol=1e-12, **chosen)
    # no weight acts along the guide's normal, so that the preload rubs alone
    assert run["power"] == pytest.approx(-np.abs(run["speed"]), abs=1e-9)
    assert run["speed"].max() > 0.01
