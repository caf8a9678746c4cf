"""Contact of a ball, a cylinder or a block with a plane, by a law, in the plane of motion."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore.contact.contact_arguments import (
    check_bearing,
    check_force_law,
    chosen_friction,
    positive_length,
)
from mbcore.contact.hertz import ContactLaw
from mbcore.contact.memory import Memory
from mbcore.contact.places import BearingPlace
from mbcore.contact.surfaces import Plane
from mbcore.contact.touching import SwitchedLaw, touch_by_law
from mbcore.elements.friction.coulomb import CoulombFriction
from mbcore.elements.friction.dry_friction import FrictionLaw
from mbcore.elements.joints.bearing import Bearing
from mbcore.model import summary
from mbcore.model.system import System
from mbcore.model.variables import Number

__all__ = ["PlaneContact", "plane_contact"]


@dataclass(frozen=True, eq=False, repr=False)
class PlaneContact(summary.SummarizedExpressions):
    """Expressions of a body's contact with a plane; forces are those on the plane.

    Attributes
    ----------
    penetration, penetration_rate : SX
        Depth of the local deformation, m, zero where nothing touches; and the velocity into the
        plane, m/s.
    in_contact, sticks : SX
        1 while in contact, and while the body sticks or rolls, else 0; the latter is 0 with
        smoothed friction.
    force : SX
        Normal force, N, positive where the body pushes.
    sliding_speed : SX
        Speed of the body's surface past the plane's, along the plane's x axis, m/s.
    friction_force : SX
        Tangential force, N, positive along a positive sliding speed.
    impacts, impact_time, impact_speed : SX
        Number of contacts so far; time, s, and approach speed, m/s, at the beginning of the latest.
    """

    penetration: ca.SX
    penetration_rate: ca.SX
    in_contact: ca.SX
    force: ca.SX
    sliding_speed: ca.SX
    friction_force: ca.SX
    sticks: ca.SX
    impacts: ca.SX
    impact_time: ca.SX
    impact_speed: ca.SX


def plane_contact(
    model: System,
    bearing: Bearing,
    radius: Number,
    law: ContactLaw,
    *,
    friction: FrictionLaw | CoulombFriction | Number = 0.0,
) -> PlaneContact:
    r"""Add contact between a body and a plane, by a law with friction that sticks.

    The bearing's journal is the body's centre, at (x, y) on the axes of its sleeve, which are those
    of the plane: it lies at y = 0 along x, with its outside towards y. The surface of the body is R
    below its centre: a ball or cylinder rolls, and a body whose rotation is fixed slides as a
    block. While δ = R - y > 0, the normal force is F = ``law(δ, δ̇, δ̇⁻)``, [Schwab2002] (5.1).

    Friction opposes the sliding of the body's surface past the plane,

        v = ẋ + R φ̇.

    There is none in flight. While the body slides, it is μ F against v. Where v comes to rest the
    contact sticks: v is held at zero exactly while that takes at most μ_s F. Where what sticks has
    stopped vibrating, it rests: the penetration is held, too, until the load changes, so that a
    block inside the friction cone stays at the same bits. All this begins and ends at events of the
    friction ``NAME.friction``, with the bearing's name; contact itself at ``NAME.contact``. A
    `CoulombFriction` is smoothed, and creeps.

    Adds the discrete variables ``NAME.impacts``, ``NAME.impact_time`` and ``NAME.impact_speed``.

    Parameters
    ----------
    model : Model
        The model of the bearing.
    bearing : Bearing
        A bearing whose x and y are neither rigid nor prescribed. Its sleeve may move.
    radius : number or expression
        R, m.
    law : callable
        One of `mbcore.contact.hertz`, or any function of depth, rate and impact speed.
    friction : FrictionLaw, number, expression or CoulombFriction
        μ and μ_s of friction that sticks; a number or an expression is both. Or μ and speed of
        smoothed friction.

    Raises
    ------
    ModelError
        If the bearing is not the model's, the law is an `Impact` or no law, or a number is out of
        its range.
    RoleError
        If x or y is rigid or prescribed.
    """
    radius = _checked(model, bearing, radius, law)
    rubs = chosen_friction(bearing.name, friction)
    place = BearingPlace(bearing, Plane(ca.SX(radius)), radius)
    motion, memory = place.motion, Memory.add(model, bearing.name)
    begun = (memory, f"{bearing.name}.contact")
    touch = touch_by_law(model, place, SwitchedLaw(law), rubs, begun)
    model.requirements.add(
        f"{bearing.name}.penetration",
        radius - motion.depth,
        "the body's centre starts on the plane or behind it; start it one radius above",
        shown=motion.depth,
        start=True,
    )
    return PlaneContact(
        ca.fmax(motion.depth, 0),
        motion.rate,
        touch.in_contact,
        touch.force,
        motion.sliding,
        touch.tangential,
        touch.sticks,
        memory.impacts,
        memory.time,
        memory.speed,
    )


def _checked(model: System, bearing: Bearing, radius: Number, law: ContactLaw) -> Number:
    """Check all arguments before the model is changed; return the radius, m."""
    owner = check_bearing("plane contact", model, bearing, "a body that may leave a plane")
    check_force_law(owner, law)
    return positive_length(owner, "radius", radius)
