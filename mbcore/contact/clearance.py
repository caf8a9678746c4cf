"""Contact between journal and sleeve of a bearing with radial clearance, [Schwab2002] 5.1, 5.2."""

from __future__ import annotations

import math
from dataclasses import dataclass

import casadi as ca

from mbcore.contact.hertz import ContactLaw
from mbcore.contact.impact import Impact, ImpactContact, unilateral_contact
from mbcore.contact.memory import Memory
from mbcore.elements.friction.coulomb import CoulombFriction, as_friction
from mbcore.elements.joints.bearing import Bearing
from mbcore.model import checks, summary
from mbcore.model.errors import ModelError, RoleError
from mbcore.model.quantities import Role
from mbcore.model.system import System
from mbcore.model.variables import Number

SMOOTHING = 1e-12
"""Radius, m, within which the eccentricity is smoothed: a centred journal has no direction."""
BAND = 1e-13
"""Half width, m, of the contact event's hysteresis."""
SIZE = 1e-3
"""Natural size, m, of a contact whose clearance is an expression."""


@dataclass(frozen=True)
class SwitchedLaw:
    """A contact law with a switch, for models in which a parameter chooses the law.

    Attributes
    ----------
    law : callable
        One of `mbcore.contact.hertz`, or any function of depth, rate and impact speed.
    enabled : number or expression
        0 switches the law off, and its event.
    impact : Impact, optional
        Impacts in addition to the law: enabled where the law is not.

    Raises
    ------
    ModelError
        If an attribute is of another kind.
    """

    law: ContactLaw
    enabled: Number = 1.0
    impact: Impact | None = None

    def __post_init__(self) -> None:
        if isinstance(self.law, type) or not callable(self.law):
            raise ModelError(f"switched law: law is {self.law!r}; give one, as in KelvinVoigt(1e6)")
        if self.impact is not None and not isinstance(self.impact, Impact):
            raise ModelError(f"switched law: impact is {self.impact!r}; give an Impact")
        checks.expression("switched law", "enabled", self.enabled)


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
    friction: CoulombFriction | Number = 0.0,
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

        F_t = μ max(F, 0) v/√(v² + v_f²),    v = (x ẏ - y ẋ)/r + R_j φ̇,

    Coulomb's law, smoothed: a sticking contact creeps. It acts on x and y, and with F_t R_j on the
    bearing's rotation φ (of the journal relative to the sleeve), such that it takes the power
    F_t v; the sleeve feels F_t (R_j + r) about its own centre. A rotation that is rigid or
    prescribed carries the moment itself.

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
    friction : CoulombFriction, number or expression
        μ and v_f; a number or an expression is μ.
    journal_radius : number or expression, optional
        R_j, m; needed with friction.
    event : str, optional
        Another name of the event.

    Raises
    ------
    ModelError
        If the bearing is not the model's, a number is out of its range, or friction lacks the
        journal's radius.
    RoleError
        If x or y is rigid or prescribed.
    """
    switched, impact = _chosen_law(model, bearing, law)
    friction = as_friction(friction, bearing.name)
    radius_gap, journal_radius = _checked(model, bearing, radius_gap, friction, journal_radius)
    name, bearing.play = bearing.name, (journal_radius, radius_gap)
    eccentricity, depth, rate, sliding = _motion(bearing, radius_gap, journal_radius)
    memory = Memory.add(model, name)
    force, tangential, in_contact = ca.SX(0), ca.SX(0), ca.SX(0)
    if switched is not None:
        event = event or f"{name}.contact"
        on = ca.SX(switched.enabled) > 0.5
        begun = memory.begun(model.time, rate)
        in_contact = model.events.add(event, ca.if_else(on, depth, -1), band=BAND, rising=begun)
        _require_no_overlap(model, name, on, depth, radius_gap)
        force = in_contact * switched.law(depth, rate, memory.speed)
        share = sliding / ca.sqrt(sliding**2 + friction.speed**2)
        tangential = friction.coefficient * ca.fmax(force, 0) * share
        _act(bearing, force, tangential, eccentricity, journal_radius)
    rigid: ImpactContact | None = None
    if impact is not None:
        rigid = unilateral_contact(
            model,
            name,
            -depth,
            impact,
            sliding=None if journal_radius is None else sliding,
            friction=friction,
            size=SIZE if isinstance(radius_gap, ca.SX) else float(radius_gap),
            memory=memory,
        )
        force = force + rigid.force
        tangential = tangential - rigid.friction_force
        in_contact = ca.logic_or(in_contact, rigid.closed)
    along, across = bearing.x.value / eccentricity, bearing.y.value / eccentricity
    return Clearance(
        eccentricity,
        ca.fmax(depth, 0),
        rate,
        in_contact,
        force,
        sliding,
        tangential,
        tangential * (0 if journal_radius is None else journal_radius),
        force * along - tangential * across,
        force * across + tangential * along,
        memory.impacts,
        memory.time,
        memory.speed,
        rigid,
    )


def _motion(
    bearing: Bearing, gap: Number, journal_radius: Number | None
) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
    """Return eccentricity and depth, m, their rate and the sliding speed, m/s."""
    x, y = bearing.x, bearing.y
    eccentricity = ca.sqrt(x.value**2 + y.value**2 + SMOOTHING**2)
    rate = (x.value * x.rate + y.value * y.rate) / eccentricity
    sliding = (x.value * y.rate - y.value * x.rate) / eccentricity
    if journal_radius is not None:
        sliding = sliding + journal_radius * bearing.rotation.rate
    return eccentricity, eccentricity - gap, rate, sliding


def _require_no_overlap(model: System, name: str, on: ca.SX, depth: ca.SX, gap: Number) -> None:
    """Refuse a start in which the parts overlap by more than the clearance."""
    model.requirements.add(
        f"{name}.penetration",
        ca.if_else(on, gap - depth, 1),
        "the parts overlap by more than the clearance at the start; change the start values",
        shown=depth,
        start=True,
    )


def _act(
    bearing: Bearing,
    force: ca.SX,
    tangential: ca.SX,
    eccentricity: ca.SX,
    journal_radius: Number | None,
) -> None:
    """Add normal and tangential force as laws of the bearing's deformations."""
    x, y, rotation = bearing.x, bearing.y, bearing.rotation
    along, across = x.value / eccentricity, y.value / eccentricity
    x.law(force * along - tangential * across)
    y.law(force * across + tangential * along)
    if journal_radius is not None and rotation.role not in (Role.RIGID, Role.PRESCRIBED):
        rotation.law(tangential * journal_radius)


def _chosen_law(
    model: System, bearing: Bearing, law: ContactLaw | Impact | SwitchedLaw
) -> tuple[SwitchedLaw | None, Impact | None]:
    """Refuse wrong kinds of model, bearing or law; return the law and the impacts."""
    if not isinstance(bearing, Bearing):
        raise ModelError(f"clearance: bearing is {bearing!r}; give a Bearing of the model")
    if not isinstance(model, System):
        raise ModelError(f"clearance of {bearing.name}: model is {model!r}; give a Model")
    if isinstance(law, Impact):
        return None, law
    if isinstance(law, SwitchedLaw):
        return law, law.impact
    if isinstance(law, type) or not callable(law):
        raise ModelError(
            f"clearance of {bearing.name}: law is {law!r}; give one, as in KelvinVoigt(1e6), or an "
            "Impact"
        )
    return SwitchedLaw(law), None


def _checked(
    model: System,
    bearing: Bearing,
    radius_gap: Number,
    friction: CoulombFriction,
    journal_radius: Number | None,
) -> tuple[Number, Number | None]:
    """Check all arguments before the model is changed; return the lengths, m."""
    name = bearing.name
    owner = f"clearance of {name}"
    radius_gap = checks.in_unit(owner, "radius gap", radius_gap, "m")
    journal_radius = checks.in_unit(owner, "journal radius", journal_radius, "m")
    if model.elements.get(name) is not bearing:
        raise ModelError(f"clearance: bearing {name} is not an element of model {model.name}")
    for q in (bearing.x, bearing.y):
        if q.role in (Role.RIGID, Role.PRESCRIBED):
            raise RoleError(
                f"{q.name} is {q.role.value}: a joint with clearance needs it free; "
                "call release() or dof() first"
            )
    for what, value in (
        ("radius gap", radius_gap),
        ("journal radius", 1.0 if journal_radius is None else journal_radius),
    ):
        number = checks.expression(owner, what, value)
        if number.is_constant() and not 0 < float(number) < math.inf:
            raise ModelError(f"{owner}: {what} = {value} must be greater than 0")
    if journal_radius is None and not friction.is_none:
        raise ModelError(f"{owner}: friction needs journal_radius")
    return radius_gap, journal_radius
