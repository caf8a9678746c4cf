"""What `Model.reaction` refuses, and that its message names the thing and the remedy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mbcore import (
    Body,
    Coupling,
    Hinge,
    Model,
    ModelError,
    PlanarHinge,
    PlanarWheel,
    Slide,
    prismatic,
    revolute,
    spherical,
)
from mbcore.elements.joints.joint_records import Revolute


def pendulum(name: str = "pendulum") -> tuple[Model, Revolute, Body]:
    model = Model(name)
    body = model.add(Body("body", model.point("centre", (1, 0)), model.angle("turned"), mass=1))
    joint = revolute("pin", model, body, at=(0, 0))
    joint.angle.dof("angle", "rate")
    return model, joint, body


Asked = Callable[[Model, Revolute, Body], object]
ASKED: dict[str, tuple[Asked, str]] = {
    "no joint": (lambda m, j, b: m.reaction(3), "3 joins no two sides; give a joint"),
    "a body": (
        lambda m, j, b: m.reaction(b),
        "body body joins no two sides; give a joint",
    ),
    "of another model": (
        lambda m, j, b: m.reaction(pendulum("other")[1]),
        "reaction of hinge pin: it is not of model pendulum; give a joint of this model",
    ),
    "a name": (
        lambda m, j, b: m.reaction("pin"),
        "'pin' is a name; give the joint itself, as returned by revolute(...)",
    ),
    "axes of another model": (
        lambda m, j, b: m.reaction(j, axes=pendulum("other")[2]),
        r"axes: <angle .*turned> is not a node of this model, pendulum",
    ),
    "a side that is none": (
        lambda m, j, b: m.reaction(j, on=m.point("away", (2, 2))),
        "on is away, which is none of its sides; give one that has planar ground or turned",
    ),
    "the other model's ground": (
        lambda m, j, b: m.reaction(j, on=Model("other")),
        "on is other, which is none of its sides",
    ),
    "an orientation as place": (lambda m, j, b: m.reaction(j, at=b.orientation), "give a point"),
    "a place in space": (lambda m, j, b: m.reaction(j, at=(0, 0, 1)), "2 components are needed"),
    "a point in space": (
        lambda m, j, b: m.reaction(j, at=m.point("high", (0, 0, 1))),
        "at is <point high>, which is not in the plane",
    ),
    "a place that is no number": (
        lambda m, j, b: m.reaction(j, at=(0, float("nan"))),
        r"at\[1\] = nan",
    ),
    "axes of a point": (
        lambda m, j, b: m.reaction(j, axes=j.point),
        "axes is <point pin>; give",
    ),
    "axes in space": (lambda m, j, b: m.reaction(j, axes=np.eye(3)), r"the shape \(3, 3\); give"),
    "skew axes": (
        lambda m, j, b: m.reaction(j, axes=[[1, 1], [0, 1]]),
        r"axes = .* is not a rotation; give .* matrix of perpendicular unit vectors as its columns",
    ),
    "left-handed axes": (lambda m, j, b: m.reaction(j, axes=[[0, 1], [1, 0]]), "left-handed"),
    "on at a node": (lambda m, j, b: m.reaction(j.point, on=b), "on is for joints"),
    "two points": (
        lambda m, j, b: m.reaction((j.point, b.reference)),
        "reaction at pin, centre: give one node, or a point with an orientation",
    ),
    "an element elsewhere": (
        lambda m, j, b: m.reaction(b.reference, of=j.hinge),
        "hinge pin does not touch it; give one that does, of",
    ),
    "of of an orientation": (
        lambda m, j, b: m.reaction(b.orientation, of=b.orientation),
        "give the elements that pull at turned",
    ),
    "a place without a force": (
        lambda m, j, b: m.reaction(b.orientation, of=j.hinge, at=j.point),
        "there is no force; leave it out",
    ),
    "the force of an orientation": (
        lambda m, j, b: m.reaction(b.orientation, of=j.hinge).force,
        "it has a moment and no force, because it joins only orientations; give the point as well",
    ),
    "of at a slide": (
        lambda m, j, b: m.reaction(_slide(m), of=b),
        "of is for joints at a point of both bodies; leave it out",
    ),
    "the ground under a wheel": (
        lambda m, j, b: m.reaction(
            m.add(PlanarWheel("wheel", b.reference, b.orientation, m.angle("spin"), radius=1)), on=m
        ),
        "the ground has no node there; take the opposite of the force on the other side",
    ),
    "a coupling": (
        lambda m, j, b: m.reaction(m.add(Coupling("mesh", j.angle.value, unit="rad"))),
        "coupling mesh joins no two sides",
    ),
}


def _slide(model: Model) -> Slide:
    base = model.point("base", (0, 0), fixed=True)
    frame = model.angle("frame", fixed=True)
    return model.add(Slide("slide", base, frame, model.nodes["centre"], axis=(1, 0)))


@pytest.mark.parametrize("case", ASKED)
def test_a_mistake_is_named_with_its_remedy(case: str) -> None:
    ask, message = ASKED[case]
    with pytest.raises(ModelError, match=message):
        ask(*pendulum())


def test_a_joint_that_has_been_taken_out_is_refused_before_and_after() -> None:
    model, joint, body = pendulum()
    body.model.output("moment", model.reaction(joint).moment, unit="N.m")
    free = model.elements.pop("pin")
    with pytest.raises(ModelError, match="hinge pin is no longer in the model; ask for the react"):
        model.reaction(joint)
    body.orientation.angle.dof("turned", "spin")
    with pytest.raises(ModelError, match="hinge pin is no longer in the model; ask for the react"):
        model.equations()
    assert free is joint.hinge


def test_a_node_that_nothing_supports_is_refused_with_the_equations() -> None:
    model, _, body = pendulum()
    model.output("none", model.reaction(body.reference).force[0], unit="N")
    with pytest.raises(
        ModelError, match="reaction at centre: nothing supports it, because none of"
    ):
        model.equations()
    space = Model("space")
    turned = space.rotation("turned")
    space.add(Body("body", space.point("centre", (0, 0, 0), fixed=True), turned, inertia=(1, 1, 1)))
    turned.free()
    space.output("none", space.reaction(turned).moment[0], unit="N.m")
    with pytest.raises(ModelError, match="reaction at turned: it is not fixed, so no support"):
        space.equations()


def test_what_is_of_both_sides_or_of_several_points_asks_for_more() -> None:
    model = Model("two points")
    p, q = model.rotation("p"), model.rotation("q")
    first, second = model.point("first", (0, 0, 0)), model.point("second", (0, 0, 1))
    for name, point, turned in (
        ("a", first, p),
        ("b", second, p),
        ("c", first, q),
        ("d", second, q),
    ):
        model.add(Body(name, point, turned, mass=1))
    hinge = model.add(Hinge("hinge", p, q, axis=(0, 0, 1)))
    with pytest.raises(ModelError, match="both bodies share the points first, second; give the"):
        model.reaction(hinge)
    assert model.reaction(hinge, at=first).force.shape == (3, 1)
    alone = Model("alone")
    hinge = alone.add(PlanarHinge("hinge", alone.angle("frame", fixed=True), alone.angle("turned")))
    reaction = alone.reaction(hinge)
    assert reaction.moment.shape == (1, 1)
    with pytest.raises(ModelError, match="at=point for a hinge"):
        _ = reaction.force


def test_the_same_reaction_is_made_once() -> None:
    model, joint, _ = pendulum()
    first, second = model.reaction(joint), model.reaction(joint)
    assert (first.force - second.force).is_zero() and (first.moment - second.moment).is_zero()
    assert len(model.reactions) == 2
    assert repr(first) == "<reaction of hinge pin>"
    with pytest.raises(AttributeError, match="did you mean 'force'"):
        _ = first.forces  # type: ignore[attr-defined]


def test_joints_of_all_names_have_sides() -> None:
    model = Model("joints")
    one, other = (
        model.add(Body(n, model.point(f"{n}.point", place), model.rotation(f"{n}.turned"), mass=1))
        for n, place in (("one", (0, 0, 0)), ("other", (1, 0, 0)))
    )
    joints = [
        spherical("ball", one, other, at=(0.5, 0, 0)),
        prismatic("guide", one, other, axis=(0, 0, 1)),
    ]
    for joint in joints:
        for body in (one, other):
            reaction = model.reaction(joint, on=body)
            assert reaction.force.shape == reaction.moment.shape == (3, 1)
