"""Contact between journal and sleeve of a bearing with radial clearance, [Schwab2002] 5.1, 5.2."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore.contact.compliant_friction import CompliantFriction, SwitchedFriction
from mbcore.contact.contact_arguments import (
    check_bearing,
    check_law,
    chosen_friction,
    positive_length,
)
from mbcore.contact.hertz import ContactLaw
from mbcore.contact.impact import Impact, ImpactContact, unilateral_contact
from mbcore.contact.memory import Memory
from mbcore.contact.places import BearingPlace
from mbcore.contact.surfaces import SMOOTHING, Sleeve
from mbcore.contact.touching import AnyFriction, SwitchedLaw, touch_by_law
from mbcore.elements.friction.coulomb import CoulombFriction, as_friction
from mbcore.elements.friction.dry_friction import FrictionLaw
from mbcore.elements.joints.bearing import Bearing
from mbcore.model import summary
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError
from mbcore.model.system import System
from mbcore.model.variables import Number

__all__ = ["SMOOTHING", "Clearance", "SwitchedLaw", "clearance"]
SIZE = 1e-3
"""Natural size, m, of a contact whose clearance is an expression."""


@explains_construction
@dataclass(frozen=True, eq=False, repr=False)
class Clearance(summary.SummarizedExpressions):
    """Expressions of a contact in a bearing; forces and moment are those on the sleeve.

    Attributes
    ----------
    eccentricity : SX
        Distance of the centres, m, smooth at zero.
    penetration : SX
        Depth of the local deformation, m; zero where nothing touches.
    penetration_rate : SX
        Rate of the eccentricity, m/s.
    in_contact : SX
        1 while in contact, else 0.
    force : SX
        Normal force, N, positive where the journal pushes.
    sliding_speed : SX
        Speed of the journal's surface past the sleeve's, counter-clockwise, m/s.
    friction_force : SX
        Tangential force, N, positive along a positive sliding speed.
    friction_moment : SX
        Moment about the journal's centre, N.m.
    force_x, force_y : SX
        Normal and tangential force together on the sleeve's axes, N.
    sticks : SX
        1 while the journal rolls along the sleeve, else 0; 0 with smoothed friction.
    impacts, impact_time, impact_speed : SX
        Number of contacts so far; time, s, and approach speed, m/s, at the beginning of the latest.
    rigid : ImpactContact or None
        Expressions of a contact by impacts; None for a law.
    """

    eccentricity: ca.SX
    penetration: ca.SX
    penetration_rate: ca.SX
    in_contact: ca.SX
    force: ca.SX
    sliding_speed: ca.SX
    friction_force: ca.SX
    friction_moment: ca.SX
    force_x: ca.SX
    force_y: ca.SX
    sticks: ca.SX
    impacts: ca.SX
    impact_time: ca.SX
    impact_speed: ca.SX
    rigid: ImpactContact | None = None


def clearance(
    model: System,
    bearing: Bearing,
    radius_gap: Number,
    law: ContactLaw | Impact | SwitchedLaw,
    *,
    friction: AnyFriction | Number = 0.0,
    journal_radius: Number | None = None,
    event: str | None = None,
) -> Clearance:
    r"""Add contact between journal and sleeve of a bearing at the eccentricity ``radius_gap``.

    Adds an event, by default ``NAME.contact`` with the bearing's name; the discrete variables
    ``NAME.impacts``, ``NAME.impact_time`` and ``NAME.impact_speed`` that store how a contact
    began; and laws on the deformations x and y. While the eccentricity r exceeds the gap c, the
    normal force is ``law(δ, δ̇, δ̇⁻)`` with δ = r - c, [Schwab2002] (5.1). A simulation that starts
    in contact takes the present approach speed for δ̇⁻.

    With an `Impact` the parts are rigid: what `unilateral_contact` adds takes the place of the
    event and of the law, for the gap c - r, and the force is that of permanent contact.

    Friction opposes the sliding of the journal's surface (radius R_j) past the sleeve's,

        v = (x ẏ - y ẋ)/r + R_j φ̇,    F_t = μ max(F, 0) sign v.

    Where v comes to rest the contact sticks: the journal rolls along the sleeve, and v is held at
    zero exactly while the force that this takes is at most μ_s F. Where what sticks has stopped
    vibrating, it rests: the penetration is held, too, until the load changes. All this begins and
    ends at events of the friction ``NAME.friction``. A `CoulombFriction` is smoothed, and has none:

        F_t = μ max(F, 0) v/√(v² + v_f²),

    so that what would stick creeps. A `CompliantFriction` sticks by a spring and a damper, in the
    plane: s = s₀ + r α + R_j φ, with the angle α by which the journal has rolled along the sleeve
    since contact began; the modes change at the events ``NAME.slides`` and ``NAME.rolls_on``. Where
    the depth changes while α is large, s is off by α times the change.

    The friction acts on x and y, and with F_t R_j on the bearing's
    rotation φ (of the journal relative to the sleeve), such that it takes the power F_t v; the
    sleeve feels F_t (R_j + r) about its own centre. A rotation that is rigid or prescribed carries
    the moment itself.

    Pictures show sleeve and journal, with a clearance enlarged to 0.35 of the journal's radius.

    Parameters
    ----------
    model : Model
        The model of the bearing.
    bearing : Bearing
        A bearing whose x and y are neither rigid nor prescribed.
    radius_gap : number or expression
        Radial clearance c, m: the sleeve's radius less the journal's.
    law : callable, Impact or SwitchedLaw
        One of `mbcore.contact.hertz`, or any function of depth, rate and impact speed; or impacts;
        or a law that can be switched off, with impacts in its place.
    friction : FrictionLaw, number, expression, CoulombFriction or CompliantFriction
        μ and μ_s of friction that sticks; a number or an expression is both. Or μ and v_f of
        smoothed friction. For impacts, a number is the μ of smoothed friction, which acts while the
        parts stay in contact. Or friction that sticks by a spring; with a `SwitchedFriction`, a
        parameter chooses between that and smoothed friction.
    journal_radius : number or expression, optional
        R_j, m; needed with friction.
    event : str, optional
        Another name of the event.

    Raises
    ------
    ModelError
        If the bearing is not the model's, a number is out of its range, friction lacks the
        journal's radius, a law that can be switched to impacts is given friction that sticks, or
        impacts are given friction that sticks by a spring.
    RoleError
        If x or y is rigid or prescribed.
    """
    owner = check_bearing("clearance", model, bearing, "a joint with clearance")
    switched, impact = _chosen_law(owner, law)
    rubs = _chosen_friction(bearing.name, friction, switched, impact)
    radius_gap = positive_length(owner, "radius gap", radius_gap)
    journal_radius = _checked_radius(owner, journal_radius, rubs)
    name = bearing.name
    bearing.add_play(journal_radius, radius_gap)
    place = BearingPlace(bearing, Sleeve(ca.SX(radius_gap)), journal_radius)
    motion = place.motion
    memory = Memory.add(model, name)
    force, tangential, in_contact, sticks = ca.SX(0), ca.SX(0), ca.SX(0), ca.SX(0)
    if switched is not None:
        touch = touch_by_law(model, place, switched, rubs, (memory, event or f"{name}.contact"))
        force, tangential = touch.force, touch.tangential
        in_contact, sticks = touch.in_contact, touch.sticks
        _require_no_overlap(model, name, ca.SX(switched.enabled) > 0.5, motion.depth, radius_gap)
    rigid: ImpactContact | None = None
    if impact is not None:
        rigid = _rigid_contact(model, place, impact, rubs, radius_gap, memory)
        force = force + rigid.force
        tangential = tangential - rigid.friction_force
        sticks = ca.logic_or(sticks, rigid.sticks)
        in_contact = ca.logic_or(in_contact, rigid.closed)
    along, across = place.direction
    return Clearance(
        motion.distance,
        ca.fmax(motion.depth, 0),
        motion.rate,
        in_contact,
        force,
        motion.sliding,
        tangential,
        tangential * (0 if journal_radius is None else journal_radius),
        force * along - tangential * across,
        force * across + tangential * along,
        sticks,
        memory.impacts,
        memory.time,
        memory.speed,
        rigid,
    )


def _rigid_contact(
    model: System,
    place: BearingPlace,
    impact: Impact,
    friction: AnyFriction,
    gap: Number,
    memory: Memory,
) -> ImpactContact:
    """Return the contact of rigid surfaces, whose sticking is a slip in velocities of nodes."""
    sliding = None if place.radius is None else place.motion.sliding
    if isinstance(friction, SwitchedFriction):
        friction = friction.otherwise
    assert not isinstance(friction, CompliantFriction)
    if isinstance(friction, FrictionLaw):
        sliding = place.slip_rates(model)["sliding"].expression
    return unilateral_contact(
        model,
        place.joint.name,
        -place.motion.depth,
        impact,
        sliding=sliding,
        friction=friction,
        size=SIZE if isinstance(gap, ca.SX) else float(gap),
        memory=memory,
    )


def _chosen_friction(
    name: str,
    friction: AnyFriction | Number,
    switched: SwitchedLaw | None,
    impact: Impact | None,
) -> AnyFriction:
    """Return friction that is smoothed, or sticks; a number means the former for impacts."""
    if isinstance(friction, CoulombFriction | SwitchedFriction):
        return friction
    if isinstance(friction, CompliantFriction):
        if impact is not None:
            raise ModelError(
                f"clearance of {name}: friction is a CompliantFriction, which needs the force of a "
                "law; give impacts FrictionLaw(coefficient), or SwitchedFriction(...) where a "
                "parameter chooses between a law and impacts"
            )
        return friction
    if isinstance(friction, FrictionLaw):
        if switched is not None and impact is not None:
            raise ModelError(
                f"clearance of {name}: friction is a FrictionLaw, which sticks, and a parameter "
                "chooses between a law and impacts, which stick in ways of their own; give "
                "CoulombFriction(coefficient, speed), or a law or impacts alone"
            )
        return friction
    return chosen_friction(name, friction) if impact is None else as_friction(friction, name)


def _require_no_overlap(model: System, name: str, on: ca.SX, depth: ca.SX, gap: Number) -> None:
    """Refuse a start in which the parts overlap by more than the clearance."""
    model.requirements.add(
        f"{name}.penetration",
        ca.if_else(on, gap - depth, 1),
        "the parts overlap by more than the clearance at the start; change the start values",
        shown=depth,
        start=True,
    )


def _chosen_law(
    owner: str, law: ContactLaw | Impact | SwitchedLaw
) -> tuple[SwitchedLaw | None, Impact | None]:
    """Return the law and the impacts."""
    if isinstance(law, Impact):
        return None, law
    if isinstance(law, SwitchedLaw):
        return law, law.impact
    return SwitchedLaw(check_law(owner, law, ", or an Impact")), None


def _checked_radius(owner: str, radius: Number | None, friction: AnyFriction) -> Number | None:
    """Return the journal's radius, m, without which there is no friction."""
    if radius is not None:
        return positive_length(owner, "journal radius", radius)
    if not (isinstance(friction, CoulombFriction) and friction.is_none):
        raise ModelError(f"{owner}: friction needs journal_radius")
    return None
