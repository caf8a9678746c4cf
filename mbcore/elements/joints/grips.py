"""What friction in a joint acts on: the joint's rate, and its normal forces with their arms.

Used by `mbcore.elements.joints.friction` alone; it stands apart because it holds what differs from
joint to joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from mbcore.elements.joints.bearing import Bearing
from mbcore.elements.joints.coupling import Coupling
from mbcore.elements.joints.gear import GearPair
from mbcore.elements.joints.hinge import Hinge, PlanarHinge
from mbcore.elements.joints.joints import Prismatic, Revolute, Spherical
from mbcore.elements.joints.slide import Slide
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.expressions import depends, total
from mbcore.model.nodes.nodes import Angle, Point, Rotation
from mbcore.model.parts.reactions import is_fixed
from mbcore.model.quantities import Deformation
from mbcore.model.system import System

PARTS: dict[type, tuple[tuple[str, Any], ...]] = {
    Revolute: (("point", Point), ("hinge", Hinge | PlanarHinge)),
    Prismatic: (("slide", Slide), ("hinge", Hinge | PlanarHinge)),
    Spherical: (("point", Point), ("p", Angle | Rotation), ("q", Angle | Rotation)),
}
"""What joints by their names consist of, as the functions that add them say."""
NOTHING = 1e-200
"""Square of a force, N², that gives the length of a force of zero a derivative."""


@dataclass(frozen=True)
class Grip:
    """The sliding of a joint.

    Attributes
    ----------
    rate : SX
        The joint's rate over nodal velocities, in ``unit``.
    load : SX
        Sum of the normal forces, N; of coupled gears the coupling's force.
    lever : SX
        Sum of the normal forces times their arms, N.m; in a slide, and of coupled gears, ``load``.
    acceleration : SX
        Symbol of the rate's rate.
    """

    rate: ca.SX
    unit: str
    load: ca.SX
    lever: ca.SX
    acceleration: ca.SX


def grip_of(friction: Any, model: System) -> Grip:
    """Return the grip of a `mbcore.elements.joints.friction.Friction` of a model.

    Raises
    ------
    ModelError
        If the joint is of another kind, or an argument is missing or does not belong to it.
    """
    joint = friction.joint
    _refuse_handmade(friction)
    parts = [p for p in (joint, *vars(joint).values()) if isinstance(p, Element)]
    strange = [p for p in parts if p.model is not model]
    if strange:
        raise ModelError(
            f"{friction.title}: {strange[0].title} is not of model {model.name}; add it first, or "
            "give a joint of this model"
        )
    if isinstance(joint, Revolute | PlanarHinge | Hinge):
        return _of_hinge(friction, model)
    if isinstance(joint, Bearing):
        return _of_bearing(friction, model)
    if isinstance(joint, Slide | Prismatic):
        return _of_slide(friction, model)
    if isinstance(joint, Coupling):
        return _of_coupling(friction, model)
    if isinstance(joint, GearPair):
        return _of_gear_pair(friction, model)
    raise ModelError(
        f"{friction.title}: {joint!r} is no joint that friction is known for; give a hinge, a "
        "revolute, spherical or prismatic joint, a bearing, a slide, a gear pair, or the coupling "
        "of a screw or of gears"
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


def length(vector: ca.SX) -> ca.SX:
    """Return the length of a force, with a derivative where it is zero."""
    return ca.sqrt(ca.dot(vector, vector) + NOTHING)


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
        _refuse(friction, ("span", "collar"), "hinges in space")
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


@dataclass(frozen=True)
class Socket:
    """The sliding of a ball in its socket.

    Attributes
    ----------
    turning : SX
        Angular velocity of the ball in the socket, rad/s, on inertial axes, shape (3, 1).
    load : SX
        Size of the force between both, N.
    """

    turning: ca.SX
    load: ca.SX


def socket_of(friction: Any, model: System) -> Socket:
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
    _refuse(friction, ("at",), "hinges")
    _refuse(friction, ("span", "collar"), "hinges in space")
    p, q, point = joint.p, joint.q, joint.point
    _refuse_handmade(friction)
    if not isinstance(p, Rotation) or not isinstance(q, Rotation):
        raise ModelError(
            f"{friction.title}: in the plane the spherical joint at {point.name} has one axis; "
            "give a revolute joint"
        )
    model.nodes.refuse_strange(friction.title, point)
    force = _pin_force(friction, model, point, (p, q))
    return Socket(q.angular_velocity - p.angular_velocity, length(force))


def _pin_force(
    friction: Any, model: System, point: Point, sides: tuple[Angle | Rotation, Angle | Rotation]
) -> ca.SX:
    """Return the force between two sides at a point, N, up to its sign."""
    if friction.of is not None:
        return model.reactions.at(point, friction.of)
    p, q = sides
    return model.reactions.between(point, q, p, friction.title)


def _of_bearing(friction: Any, model: System) -> Grip:
    joint = friction.joint
    if friction.radius is None:
        raise ModelError(f"{friction.title}: a bearing needs the radius of its journal, m")
    _refuse(friction, ("span", "collar"), "hinges in space")
    _refuse(friction, ("at", "of"), "hinges")
    force = model.reactions.at(joint.journal, joint)
    turn, size = joint.deformations["rotation"], length(force)
    return Grip(model.rate_of(turn), "rad/s", size, friction.radius * size, turn.acceleration)


def _refuse(friction: Any, names: Sequence[str], what: str) -> None:
    """Refuse arguments that belong to other joints."""
    for name in names:
        if getattr(friction, name) is not None:
            raise ModelError(f"{friction.title}: {name} is for {what}; leave it out")


def _of_slide(friction: Any, model: System) -> Grip:
    joint = friction.joint
    slide = joint.slide if isinstance(joint, Prismatic) else joint
    _refuse(friction, ("collar", "at", "of"), "hinges")
    if friction.fit != "snug":
        raise ModelError(f"{friction.title}: fit is for hinges; leave it out")
    load = total(map(length, _guide_loads(friction, slide)))
    along = slide.deformations["displacement"]
    return Grip(model.rate_of(along), "m/s", load, load, along.acceleration)


def _of_coupling(friction: Any, model: System) -> Grip:
    coupling, symbols = friction.joint, model.symbols
    _refuse(friction, ("at", "of", "collar", "span"), "hinges")
    if friction.fit != "snug":
        raise ModelError(f"{friction.title}: fit is for hinges; leave it out")
    tied = sorted(symbols.values_in(coupling.expression), key=lambda q: q.unit)
    units = "".join(q.unit for q in tied)
    if units not in ("mrad", "radrad") or symbols.places_in(coupling.expression):
        names = ", ".join(q.name for q in tied) or "no deformation"
        raise ModelError(
            f"{friction.title}: coupling {coupling.name} ties {names}; a screw ties one "
            "displacement of a slide and one angle of a hinge, and gears two such angles"
        )
    values = ca.vertcat(*(q.value for q in tied))
    slopes = ca.jacobian(coupling.expression, values)
    if depends(slopes, values):
        raise ModelError(
            f"{friction.title}: the lead or ratio of coupling {coupling.name} changes on the way; "
            "friction is known for constant ones"
        )
    grip = _of_screw if units == "mrad" else _of_gears
    return grip(friction, model, tied, ca.horzsplit(slopes))


def _of_screw(
    friction: Any, model: System, tied: Sequence[Deformation], slopes: Sequence[ca.SX]
) -> Grip:
    """Return the grip of a square thread.

    With the angle λ of its lead, the axial force N cos λ of the normal force is that of the
    coupling, and friction acts along the helix, on r φ' cos λ + z' sin λ.
    """
    if friction.radius is None:
        raise ModelError(f"{friction.title}: a screw needs the mean radius of its thread, m")
    along, turn = tied
    by_z, by_angle = slopes
    lead = -by_angle / by_z
    slant = ca.sqrt(friction.radius**2 + lead**2)
    cosine, sine = friction.radius / slant, lead / slant
    rate = friction.radius * cosine * model.rate_of(turn) + sine * model.rate_of(along)
    load = length(by_z * friction.joint.stress) / cosine
    faster = friction.radius * cosine * turn.acceleration + sine * along.acceleration
    return Grip(rate, "m/s", load, load, faster)


def _of_gears(
    friction: Any, model: System, tied: Sequence[Deformation], slopes: Sequence[ca.SX]
) -> Grip:
    """Return the grip of gears by their efficiency.

    What turns the mesh from one side and resists it on the other, Φ_a a' = -Φ_b b', is resisted
    on both sides by the same share of the coupling's force.
    """
    _refuse(friction, ("radius",), "hinges, screws and gear pairs")
    coupling = friction.joint
    if coupling.unit not in ("rad", "m"):
        raise ModelError(
            f"{friction.title}: coupling {coupling.name} of gears is in {coupling.unit}; write it "
            "in rad or m"
        )
    a, b = tied
    by_a, by_b = slopes
    rate = by_a * model.rate_of(a) - by_b * model.rate_of(b)
    faster = by_a * a.acceleration - by_b * b.acceleration
    load = length(coupling.stress)
    return Grip(rate, f"{coupling.unit}/s", load, load, faster)


def _of_gear_pair(friction: Any, model: System) -> Grip:
    """Return the grip of teeth, which slide over each other away from the pitch point."""
    _refuse(friction, ("at", "of", "collar", "span"), "hinges")
    if friction.fit != "snug":
        raise ModelError(f"{friction.title}: fit is for hinges; leave it out")
    if friction.radius is None:
        raise ModelError(
            f"{friction.title}: a gear pair needs the mean distance of its contact from the pitch "
            "point as radius, m"
        )
    gears = friction.joint
    load = length(gears.deformations["mesh"].stress)
    rate = gears.q_angle.rate - gears.p_angle.rate
    faster = gears.q_angle.acceleration - gears.p_angle.acceleration
    return Grip(rate, "rad/s", load, friction.radius * load, faster)


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
        _refuse(friction, ("radius",), "hinges, and guides in space")
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
