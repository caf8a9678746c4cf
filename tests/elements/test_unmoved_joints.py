"""Friction in joints that cannot move is refused, whatever the kind of the joint."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mbcore import Model
from mbcore.elements import (
    Ball,
    Bearing,
    Body,
    Coupling,
    Friction,
    GearPair,
    Hinge,
    PlanarHinge,
    Slide,
)
from mbcore.elements.joints.joints import planar, prismatic, revolute, spherical
from mbcore.model.errors import ModelError
from mbcore.model.quantities import Deformation

Made = tuple[Model, Friction, list[Deformation]]
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
    for motion in motions:
        motion.rigid()
    with pytest.raises(ModelError, match=r"rubs: its joint cannot move, for .* rigid") as found:
        model.equations()
    assert all(motion.name in str(found.value) for motion in motions)


@pytest.mark.parametrize("make", MADE)
def test_one_motion_that_is_left_is_enough(make: Callable[[], Made]) -> None:
    _, friction, motions = make()
    for motion in motions[1:]:
        motion.rigid()
    friction.refuse_roles()


def test_joints_of_the_ground_are_refused() -> None:
    for add in (_hinge, _gears, _socket, _ball):
        model, _ = space() if add in (_socket, _ball) else plane()
        add(model)
        with pytest.raises(ModelError, match="rubs: its joint cannot move, for all that it joins"):
            model.equations()


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
