"""What friction in a joint acts on: the joint's rate, and its normal forces with their arms.

Used by `mbcore.elements.friction.friction` alone; it stands apart because it holds what differs
from joint to joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca

from mbcore.elements.friction.joint_sliding import Face, Grip, length, refuse
from mbcore.elements.friction.transmissions import coupling_grip, teeth_grip
from mbcore.elements.joints.bearing import Bearing
from mbcore.elements.joints.coupling import Coupling
from mbcore.elements.joints.gear import GearPair
from mbcore.elements.joints.hinge import Hinge, PlanarHinge
from mbcore.elements.joints.joints import Planar, Prismatic, Revolute, Spherical
from mbcore.elements.joints.slide import Slide
from mbcore.model.element import Element, SlipRate
from mbcore.model.errors import ModelError
from mbcore.model.expressions import total
from mbcore.model.nodes.nodes import Angle, Point, Rotation
from mbcore.model.parts.reactions import is_fixed, touched
from mbcore.model.system import System

PARTS: dict[type, tuple[tuple[str, Any], ...]] = {
    Revolute: (("point", Point), ("hinge", Hinge | PlanarHinge)),
    Prismatic: (("slide", Slide), ("hinge", Hinge | PlanarHinge)),
    Planar: (("slide", Slide), ("hinge", Hinge)),
    Spherical: (("point", Point), ("p", Angle | Rotation), ("q", Angle | Rotation)),
}
"""What joints by their names consist of, as the functions that add them say."""


def grip_of(friction: Any, model: System) -> Grip:
    """Return the grip of a `mbcore.elements.friction.friction.Friction` of a model.

    Raises
    ------
    ModelError
        If the joint is of another kind, or an argument is missing or does not belong to it.
    """
    joint = friction.joint
    _refuse_handmade(friction)
    _refuse_strange(friction, model)
    if isinstance(joint, Revolute | PlanarHinge | Hinge):
        return _of_hinge(friction, model)
    if isinstance(joint, Bearing):
        return _of_bearing(friction, model)
    if isinstance(joint, Slide | Prismatic):
        return _of_slide(friction, model)
    if isinstance(joint, Coupling):
        return coupling_grip(friction, model)
    if isinstance(joint, GearPair):
        return teeth_grip(friction)
    raise ModelError(
        f"{friction.title}: {joint!r} is no joint that friction is known for; give a hinge, a "
        "revolute, spherical, prismatic or planar joint, a bearing, a slide, a gear pair, or the "
        "coupling of a screw or of gears"
    )


def _refuse_handmade(friction: Any) -> None:
    """Refuse a joint of parts that no function has added."""
    joint = friction.joint
    for what, kind in PARTS.get(type(joint), ()):
        part = getattr(joint, what)
        if not isinstance(part, kind):
            name = type(joint).__name__
            raise ModelError(
                f"{friction.title}: its joint is a {name} whose {what} is {part!r}; give what "
                f"{name.lower()}(NAME, p, q, ...) returns, which adds the joint of two bodies"
            )


def _refuse_strange(friction: Any, model: System) -> None:
    """Refuse a joint of another model, or of none."""
    joint = friction.joint
    parts = [p for p in (joint, *getattr(joint, "__dict__", {}).values()) if isinstance(p, Element)]
    strange = [p for p in parts if p.model is not model]
    if strange:
        raise ModelError(
            f"{friction.title}: {strange[0].title} is not of model {model.name}; add it first, or "
            "give a joint of this model"
        )


def _of_hinge(friction: Any, model: System) -> Grip:
    joint = friction.joint
    hinge = joint.hinge if isinstance(joint, Revolute) else joint
    if friction.radius is None:
        raise ModelError(f"{friction.title}: a hinge needs the radius of its pin, m")
    if friction.at is not None:
        model.nodes.refuse_strange(friction.title, friction.at)
    own = joint.point if isinstance(joint, Revolute) else None
    point = friction.at or own or _shared_point(friction.title, hinge, model)
    force = _pin_force(friction, model, point, (hinge.p, hinge.q))
    angle = hinge.deformations["angle"]
    rate = model.rate_of(angle)
    if isinstance(hinge, PlanarHinge):
        refuse(friction, ("span", "collar"), "hinges in space")
        size = length(force)
        return Grip(rate, "rad/s", size, friction.radius * size, angle.acceleration)
    axis, y, z = hinge.axes()
    radial, axial = force - axis * ca.dot(axis, force), ca.dot(axis, force)
    loads = [radial]
    if friction.span is not None:
        bending = (hinge.deformations[name].stress for name in ("bending_y", "bending_z"))
        about_y, about_z = bending
        couple = (about_y * z - about_z * y) / friction.span
        loads = [radial / 2 + couple, radial / 2 - couple]
    load = total(map(length, loads))
    lever = friction.radius * load
    if friction.collar is not None:
        lever += friction.collar * length(axial)
    return Grip(rate, "rad/s", load, lever, angle.acceleration)


def face_of(friction: Any, model: System) -> Face:
    """Return the sliding of a spherical or planar joint.

    Raises
    ------
    ModelError
        If a part of the joint is not of the model, or an argument is missing or does not belong to
        it.
    """
    _refuse_handmade(friction)
    refuse(friction, ("at",), "hinges")
    refuse(friction, ("span", "collar"), "hinges in space")
    if isinstance(friction.joint, Planar):
        return _of_plane(friction, model)
    return _of_ball(friction, model)


def _of_plane(friction: Any, model: System) -> Face:
    joint = friction.joint
    refuse(friction, ("radius", "of"), "hinges")
    if friction.fit != "snug":
        raise ModelError(f"{friction.title}: fit is for hinges; leave it out")
    _refuse_strange(friction, model)
    arms = [ca.SX(1), ca.SX(1)]
    rates = {
        f"sliding_{axis}": SlipRate(model.rate_of(along), "m/s", zero=False)
        for axis, along in zip("xy", joint.displacements, strict=True)
    }
    if friction.patch is not None:
        rates["spin"] = SlipRate(model.rate_of(joint.angle), "rad/s", zero=False)
        arms.append(ca.SX(friction.patch))
    return Face(rates, tuple(arms), length(joint.slide.deformations["displacement"].stress))


def _of_ball(friction: Any, model: System) -> Face:
    """Return the sliding of the ball of a spherical joint.

    Raises
    ------
    ModelError
        If the joint is one in the plane, its point is not of the model, or an argument is missing
        or does not belong to it.
    """
    joint = friction.joint
    if friction.radius is None:
        raise ModelError(f"{friction.title}: a spherical joint needs the radius of its ball, m")
    p, q, point = joint.p, joint.q, joint.point
    if not isinstance(p, Rotation) or not isinstance(q, Rotation):
        raise ModelError(
            f"{friction.title}: in the plane the spherical joint at {point.name} has one axis; "
            "give a revolute joint"
        )
    model.nodes.refuse_strange(friction.title, point)
    force = _pin_force(friction, model, point, (p, q))
    turning = ca.vertsplit(q.angular_velocity - p.angular_velocity)
    rates = {
        f"sliding_{axis}": SlipRate(rate, "rad/s", zero=False)
        for axis, rate in zip("xyz", turning, strict=True)
    }
    return Face(rates, 3 * (ca.SX(friction.radius),), length(force))


def _pin_force(
    friction: Any, model: System, point: Point, sides: tuple[Angle | Rotation, Angle | Rotation]
) -> ca.SX:
    """Return the force between two sides at a point, N, up to its sign."""
    if friction.of is not None:
        return model.reactions.at(point, _one_side(friction.of, point), friction.title)
    p, q = sides
    return model.reactions.between(point, q, p, friction.title)


def _one_side(of: Any, point: Point) -> Any:
    """Return what is on one side of a pin, with the elements at its point in place of joints."""
    if isinstance(of, Angle | Rotation):
        return of
    chosen = []
    for part in of if isinstance(of, list | tuple) else [of]:
        joined = [getattr(part, name) for name, _ in PARTS.get(type(part), ())]
        here = [e for e in joined if isinstance(e, Element) and point in touched(e)]
        chosen += here or [part]
    return chosen


def _of_bearing(friction: Any, model: System) -> Grip:
    joint = friction.joint
    if friction.radius is None:
        raise ModelError(f"{friction.title}: a bearing needs the radius of its journal, m")
    refuse(friction, ("span", "collar"), "hinges in space")
    refuse(friction, ("at", "of"), "hinges")
    force = model.reactions.at(joint.journal, joint)
    turn, size = joint.deformations["rotation"], length(force)
    return Grip(model.rate_of(turn), "rad/s", size, friction.radius * size, turn.acceleration)


def _of_slide(friction: Any, model: System) -> Grip:
    joint = friction.joint
    slide = joint.slide if isinstance(joint, Prismatic) else joint
    refuse(friction, ("collar", "at", "of"), "hinges")
    if friction.fit != "snug":
        raise ModelError(f"{friction.title}: fit is for hinges; leave it out")
    load = total(map(length, _guide_loads(friction, slide)))
    along = slide.deformations["displacement"]
    return Grip(model.rate_of(along), "m/s", load, load, along.acceleration)


def _guide_loads(friction: Any, slide: Slide) -> list[ca.SX]:
    """Return the normal forces of a guide, on its axes: at its ends, and those of its width."""
    names = [name for name in slide.deformations if name.startswith("sideways")]
    normal = ca.vertcat(*(slide.deformations[name].stress for name in names))
    sizes = [name for name in ("span", "radius") if getattr(friction, name) is not None]
    if not sizes:
        return [normal]
    if not isinstance(friction.joint, Prismatic):
        raise ModelError(
            f"{friction.title}: {sizes[0]} is a size of a guide that keeps its slider from "
            "turning; give the prismatic joint, whose hinge takes that moment"
        )
    hinge = friction.joint.hinge
    moment = couple = ca.vertcat(*(q.stress for q in hinge.deformations.values()))
    if isinstance(hinge, PlanarHinge):
        refuse(friction, ("radius",), "hinges, and guides in space")
    else:
        about = slide.frame.T @ hinge.frame @ moment
        moment, couple = about[0], ca.vertcat(about[2], -about[1])
    loads = [normal]
    if friction.span is not None:
        loads = [normal / 2 + couple / friction.span, normal / 2 - couple / friction.span]
    return loads if friction.radius is None else [*loads, moment / friction.radius]


def _shared_point(title: str, hinge: Hinge | PlanarHinge, model: System) -> Point:
    """Return the one point at which elements of both orientations meet."""
    p, q = hinge.p, hinge.q
    touching = [element.nodes() for element in model.elements.values()]
    of_p, of_q = (_points(nodes for nodes in touching if end in nodes) for end in (p, q))
    found = [x for x in of_q if x in of_p]
    for end, others in ((p, of_q), (q, of_p)):
        if is_fixed(end):
            found += [x for x in others if is_fixed(x) and x not in found]
    if len(found) != 1:
        names = ", ".join(point.name for point in found) or "none"
        raise ModelError(
            f"{title}: the points that both sides of hinge {hinge.name} share are {names}; give "
            "the centre of the pin as at="
        )
    return found[0]


def _points(touching: Any) -> Sequence[Point]:
    found: dict[str, Point] = {}
    for nodes in touching:
        found |= {node.name: node for node in nodes if isinstance(node, Point)}
    return list(found.values())
