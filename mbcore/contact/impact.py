"""Contact by impulses with restitution, and as a constraint while it lasts, [Schwab2002] 5.3."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore.contact.directions import refuse_oblique
from mbcore.contact.hertz import check_number, maximum_force
from mbcore.contact.impact_friction import ImpactFriction
from mbcore.contact.memory import LatestImpact, Memory, numbered
from mbcore.elements.friction.coulomb import CoulombFriction, as_friction
from mbcore.elements.friction.dry_friction import FrictionLaw
from mbcore.model import checks, summary
from mbcore.model.calls import explains_arguments, explains_construction
from mbcore.model.errors import ModelError
from mbcore.model.nodes.nodes import Point
from mbcore.model.quantities.unilateral import Unilateral
from mbcore.model.speed import Speed
from mbcore.model.system import System, is_system
from mbcore.model.variables import Number
from mbcore.model.wording import shortened

TINY = 1e-12
"""Excess over a range that a parameter may have by rounding."""
AT_REST = 1e-9
"""Overlap at the start, in sizes of the contact, that counts as a gap of zero."""


@explains_construction
@dataclass(frozen=True)
class Impact:
    """Parameters of impacts between two rigid parts.

        ġ⁺ = -e ġ⁻

    for the rate of the gap without friction.

    Attributes
    ----------
    restitution : number or expression
        Poisson's coefficient e, 0 to 1; without friction it is Newton's too, [Schwab2002] (5.16).
    settling_time : number or expression
        The parts stay in contact when the rest of a sequence of impacts would take less than this
        time, s, by [Schwab2002] (5.26): they come to rest at most this much too early. Where e is
        near 1, bounces lower than 2e-14 of the contact's size end earlier still. In Model Exchange
        the importer's solver decides how exactly.
    stiffness : number or expression, optional
        K of F = K δⁿ, N/mⁿ, only to estimate the largest force of an impact, [Schwab2002] (5.33).
    exponent : float
        n.
    enabled : number or expression
        0 switches the contact off.

    Raises
    ------
    ModelError
        If a number is out of its range.
    """

    restitution: Number
    settling_time: Number = 1e-6
    stiffness: Number | None = None
    exponent: float = 1.5
    enabled: Number = 1.0

    def __post_init__(self) -> None:
        checks.fields_in_units("impact", self, restitution="1", settling_time="s")
        check_number("coefficient of restitution", self.restitution, least=0.0, most=1.0)
        check_number("settling time", self.settling_time, above=0.0)
        if self.stiffness is not None:
            check_number("contact stiffness", self.stiffness, above=0.0)
        check_number("exponent of the contact", self.exponent, least=1.0)
        checks.expression("impact", "enabled", self.enabled, truth=True)


@dataclass(frozen=True, repr=False)
class ImpactContact(summary.SummarizedExpressions):
    """Expressions of a contact between rigid parts.

    Attributes
    ----------
    gap : SX
        Distance of the parts, m.
    closed : SX
        1 in permanent contact, else 0.
    force, friction_force : SX
        While closed, N: pushing the gap open, and along a positive sliding velocity; of shape
        (2, 1) with two of these.
    memory : Memory
        Number, time and approach speed of impacts.
    impulse, tangential_impulse : SX
        Of the latest impact, N.s, the second likewise.
    largest_force : SX
        Estimate for the latest impact, N, [Schwab2002] (5.33); 0 without a stiffness.
    energy_loss : SX
        Lost in all impacts so far, J, also by others that an impact of this contact relieves and
        closes.
    switches : SX
        How often permanent contact has begun or ended.
    flight, height : SX
        Expected duration, s, [Schwab2002] (5.25), and height, m, of the flight from the latest
        impact on that changes it, be it of another contact.
    sticks : SX
        1 while the parts stick, else 0; always 0 with smoothed friction.
    """

    gap: ca.SX
    closed: ca.SX
    force: ca.SX
    friction_force: ca.SX
    memory: Memory
    impulse: ca.SX
    tangential_impulse: ca.SX
    largest_force: ca.SX
    energy_loss: ca.SX
    switches: ca.SX
    flight: ca.SX
    height: ca.SX
    sticks: ca.SX


@explains_arguments
def unilateral_contact(
    model: System,
    name: str,
    gap: ca.SX,
    law: Impact,
    *,
    sliding: ca.SX | None = None,
    friction: FrictionLaw | CoulombFriction | Number = 0.0,
    size: float = 1.0,
    memory: Memory | None = None,
) -> ImpactContact:
    """Keep a gap from becoming negative, by impulses and by a constraint that can only push.

    Adds the events ``NAME.impact``, at which rates of the degrees of freedom jump by
    [Schwab2002] (5.20), and ``NAME.closed``, permanent contact, with the force of
    [Schwab2002] (5.27), which ends where this force vanishes. Adds discrete variables: those of
    `Memory`, ``NAME.impulse``, ``NAME.tangential_impulse``, ``NAME.largest_force``,
    ``NAME.energy_loss``, ``NAME.switches``; with two sliding velocities the tangential impulses
    are ``NAME.tangential_impulse1`` and ``NAME.tangential_impulse2``.

    Friction during an impact is Coulomb's, with sticking, sliding and reversal, by Routh's process
    with Poisson's restitution, which makes no energy. In space the sliding turns meanwhile, as in
    Keller, J. Appl. Mech. 53 (1986) 1-4; that of a ball does not turn. In permanent contact a
    `FrictionLaw` sticks and slides as in joints, by the events of the friction ``NAME.friction``;
    a `CoulombFriction` is smoothed at its speed.

    Parameters
    ----------
    model : Model
        The model of the contact.
    name : str
        What its events and variables begin with.
    gap : SX
        Distance, m, an expression of values of deformations, nodes' positions, inputs (that have
        a rate and its rate) and time; negative would be penetration.
    law : Impact
        Restitution and what belongs to it.
    sliding : SX, optional
        Tangential velocity, m/s, linear in rates and velocities; needed with friction. In space
        there are two, (2, 1), along unit vectors at right angles.
    friction : FrictionLaw, CoulombFriction, number or expression
        Coefficients of friction that sticks in permanent contact, with μ in impacts; or coefficient
        and speed of smoothed friction. A number or an expression is the latter's coefficient.
    size : float
        Natural length of the contact, m; lengths far smaller count as zero.
    memory : Memory, optional
        Shared with another law of the same contact.

    Raises
    ------
    ModelError
        If the name is taken, a number is out of its range, friction lacks ``sliding``, or its
        directions are not at right angles.
    """
    sticking = friction if isinstance(friction, FrictionLaw) else None
    smoothed = as_friction(friction if sticking is None else sticking.coefficient, name)
    rubs = sticking is not None or not smoothed.is_none
    sliding = _checked(model, name, gap, law, sliding, rubs, size)
    _require_range(model, f"{name}.restitution", law.restitution, 1.0)
    _require_range(model, f"{name}.friction", smoothed.coefficient, None)
    memory = Memory.add(model, name) if memory is None else memory
    directions = 1 if sliding is None else int(sliding.numel())
    latest = LatestImpact.add(model, name, directions)
    closed = model.events.add(f"{name}.closed")
    record = Unilateral(
        name,
        ca.SX(gap),
        sliding,
        law.restitution,
        smoothed.coefficient,
        smoothed.speed if sticking is None else None,
        law.settling_time,
        float(size),
        law.enabled,
        closed,
        latest.flight,
        latest.height,
    )
    model.contacts[name] = record
    pressing = ca.if_else(closed > 0.5, record.force, -1)
    tangential, falling = record.friction_force, dict[str, Number]()
    sticks = ca.SX(0)
    if sticking is not None:
        rubbing = _let_stick(model, record, sticking)
        tangential, falling, sticks = -rubbing.force, rubbing.forgets, rubbing.sticks
    model.events.add(record.closed_event, pressing, kind="closed_contact", falling=falling)
    _let_meet(model, record, law, memory, latest)
    return ImpactContact(
        record.gap,
        closed,
        record.force,
        tangential,
        memory,
        latest.impulse,
        latest.tangential_impulse,
        latest.largest_force,
        latest.energy_loss,
        latest.switches,
        latest.flight,
        latest.height,
        sticks,
    )


def _let_stick(model: System, contact: Unilateral, law: FrictionLaw) -> ImpactFriction:
    """Add friction that sticks while the parts stay in contact."""
    assert contact.sliding is not None
    names = numbered(f"{contact.name}.sliding", contact.directions)
    sliding = [Speed(name, contact.sliding[j]) for j, name in enumerate(names)]
    for speed in sliding:
        model.add(speed)
    friction = ImpactFriction(
        f"{contact.name}.friction", sliding, law, closed=contact.closed, load=contact.force
    )
    model.add(friction)
    return friction


def _checked(
    model: System,
    name: str,
    gap: ca.SX,
    law: Impact,
    sliding: ca.SX | None,
    rubs: bool,
    size: float,
) -> ca.SX | None:
    """Check all arguments before the model is changed; return the sliding velocity."""
    checks.text("contact", name)
    if not is_system(model):
        raise ModelError(f"contact {name}: model is {model!r}; give a Model")
    if sliding is not None:
        sliding = _checked_sliding(model, f"contact {name}", sliding)
    if not isinstance(law, Impact):
        raise ModelError(f"contact {name}: its law is {law!r}; give an Impact(restitution)")
    if not isinstance(gap, ca.SX):
        raise ModelError(
            f"contact {name}: its gap is {gap!r}; give an expression, such as point.y.value - 0.1"
        )
    check_number(f"size of {name}", size, above=0.0)
    if name in model.contacts:
        raise ModelError(f"contact {name!r} exists already; names must differ")
    if sliding is None and rubs:
        raise ModelError(f"contact {name}: friction needs the sliding velocity; give sliding=...")
    if gap.numel() != 1:
        raise ModelError(f"contact {name}: its gap has {gap.numel()} components; give a distance")
    checks.expression(f"contact {name}", "gap", gap)
    if sliding is not None:
        refuse_oblique(model, f"contact {name}", gap, sliding)
    return sliding


def _checked_sliding(model: System, owner: str, sliding: ca.SX) -> ca.SX:
    """Return one sliding velocity, or two of a model in space, in a column."""
    sliding = checks.matrix(owner, "sliding", sliding)
    in_space = any(isinstance(node, Point) and not node.planar for node in model.nodes.values())
    if sliding.shape != (1, 1) and not (in_space and sliding.shape == (2, 1)):
        ways = "two in a column, along directions at right angles" if in_space else "one"
        raise ModelError(
            f"{owner}: sliding = {shortened(str(sliding), 60)} has {sliding.numel()} components "
            f"(shape {sliding.shape}); give the velocity along the surface, in "
            f"{'space' if in_space else 'the plane'} {ways}"
        )
    return ca.vertcat(*(checks.expression(owner, "sliding", one) for one in ca.vertsplit(sliding)))


def _let_meet(
    model: System, contact: Unilateral, law: Impact, memory: Memory, latest: LatestImpact
) -> None:
    """Add the event at which the parts meet, and refuse parts that overlap at the start."""
    name = contact.name
    open_ = ca.logic_and(ca.SX(law.enabled) > 0.5, contact.closed < 0.5)
    estimate = ca.SX(0)
    if law.stiffness is not None:
        compression = contact.effective_mass * contact.approach
        estimate = ca.SX(
            maximum_force(compression, contact.effective_mass, law.stiffness, law.exponent)
        )
    model.events.add(
        contact.meeting_event,
        ca.if_else(open_, -contact.gap - contact.rounding, -1),
        band=contact.band,
        kind="impact",
        rising={**memory.begun(model.time, contact.approach), **latest.met(contact, estimate)},
        expected=f"{name}.flight",
        height=f"{name}.flight_height",
    )
    model.requirements.add(
        f"{name}.gap",
        ca.if_else(open_, contact.gap + AT_REST * contact.size + 10 * contact.rounding, 1),
        "the parts overlap at the start; change the start values",
        shown=contact.gap,
        start=True,
    )


def _require_range(model: System, name: str, value: Number, most: float | None) -> None:
    """Require that an expression is from 0 to ``most``; numbers have been checked."""
    if not isinstance(value, ca.SX):
        return
    known = ca.vertcat(*(p.symbol for p in model.parameters.values()))
    free = ca.symvar(value)
    constant = all(known.numel() and ca.depends_on(known, symbol) for symbol in free)
    inside = value + TINY if most is None else ca.fmin(value + TINY, most + TINY - value)
    range_ = "at least 0" if most is None else f"from 0 to {most:g}"
    model.requirements.add(name, inside, f"must be {range_}", shown=value, initial=constant)
