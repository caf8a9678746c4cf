"""Switched constraints: a slip is zero while a condition holds, and free otherwise.

`mbcore.model.quantities.slips.Slip.hold` makes one;
`mbcore.equations.assembly.multipliers` solves for its force,
`mbcore.equations.unilateral.impulses` brings the rates back to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

import casadi as ca

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.interface.events import Events
from mbcore.model.variables import Number

SLIP_DRIFT = 1e-12
"""Drift of a constrained slip, in parts of its nominal value, beyond which the rates are projected;
the rounding error of the velocities in it is added."""

JOLT = 1e-6
"""Change of a rate, in parts of its nominal value, above which a constraint with a limit does not
stop a slip. Friction stops slips that have come to rest, and thereby changes nothing; where a slip
is zero because its joint passes a dead centre, only an impulse could stop the rates."""

FOLLOWING = 1e-9
"""Part of a held slip's mobility that the others leave, below which it follows from them and its
force may be zero."""

FOLLOWING_CONTACTS = 1e-13
"""Likewise, of surfaces that touch: they have no dead centre, but feet of one body on a plane slip
alike but for their depths, which differ by 1e-5 of their arms. It is above rounding errors."""


@dataclass(frozen=True)
class Stopping:
    """Slips that a constraint with a limit stops.

    Attributes
    ----------
    jolt : float
        Largest change of a rate by that, in parts of its nominal value.
    resting : float
        Largest slip that counts for this, m/s or rad/s. More of it, while it is held, is an error
        of the importer's integration in Model Exchange, and no sign of a dead centre.
    following : float
        Part of a slip's mobility that others leave, below which the slip follows from theirs.
    cone : str or None
        Name of the friction that limits the forces of several slips together, and whose forces
        others may share where they are not unique; None for a single slip.
    slides : SX or None
        Friction against two slips that such a cone limits, once they slide.
    """

    jolt: float = JOLT
    resting: float = math.inf
    following: float = FOLLOWING
    cone: str | None = None
    slides: ca.SX | None = None


class EventOwner(Protocol):
    """The part of its model that a slip needs; `mbcore.model.model.Model` offers it."""

    events: Events


@dataclass(frozen=True, eq=False)
class SwitchedConstraint:
    """A constraint on one slip that an event's mode switches on and off.

    Attributes
    ----------
    name : str
        Name of that event.
    active : SX
        That mode, 0 or 1.
    multiplier : SX
        The constraint force, along a positive slip; 0 while the constraint is off.
    nominal : float
        Natural size of the slip, m/s or rad/s, against which drift is small.
    limit : SX or None
        Largest force that the constraint can have, as of friction; None where there is no limit.
        Such a constraint need not be independent of the others: where it follows from those, these
        hold it, and its force is zero.
    loosens : SX
        Mode: 1 where the slip has just been released, and goes on from the force that held it.
    stopping : Stopping
        Which slips one with a limit stops.
    holds : SX
        Symbol for events: 1 where it can hold the slip, 0 where that follows from others or hardly
        moves.
    others : SX
        Symbol for events: number of other slips that are held.
    tolerable : SX
        Symbol for events: how large the slip can be by drift and rounding alone.
    mobility : SX
        Symbol for events: rate of the slip by a unit multiplier.
    shared : SX
        Symbol for events: what is added to the multiplier where forces that are not unique are
        shared so that none exceeds its cone; 0 without a cone.
    onset : SX
        Symbol for events: component of the direction in which two slips begin to slide if their
        friction then opposes their acceleration, of any length; 0 for others.
    at_rest : bool
        Whether it holds what rests already, so that linearization leaves it out.
    """

    name: str
    active: ca.SX
    multiplier: ca.SX
    nominal: float = 1.0
    limit: ca.SX | None = None
    loosens: ca.SX = field(default_factory=lambda: ca.SX(0))
    stopping: Stopping = Stopping()
    holds: ca.SX = field(default_factory=lambda: ca.SX.sym("holds"))
    others: ca.SX = field(default_factory=lambda: ca.SX.sym("others"))
    tolerable: ca.SX = field(default_factory=lambda: ca.SX.sym("tolerable"))
    mobility: ca.SX = field(default_factory=lambda: ca.SX.sym("mobility"))
    shared: ca.SX = field(default_factory=lambda: ca.SX.sym("shared"))
    onset: ca.SX = field(default_factory=lambda: ca.SX.sym("onset"))
    at_rest: bool = False


def add_switched_constraint(
    model: EventOwner | None,
    slip: str,
    when: Number,
    name: str | None,
    nominal: float,
    limit: ca.SX | None = None,
    loosens: Number = 0.0,
    stopping: Stopping = Stopping(),
) -> SwitchedConstraint:
    """Add the event that follows a condition, and return the constraint that it switches.

    Raises
    ------
    ModelError
        If the slip is in no model, the name is taken, the condition is not a scalar, or the nominal
        value not positive.
    """
    if model is None:
        raise ModelError(
            f"{slip} belongs to no element of a model, so no model can hold it; add its "
            "element first, or hold a Speed of the same velocity"
        )
    owner = f"hold on {slip}"
    condition = checks.expression(owner, "when", when, truth=True)
    loosens = checks.expression(owner, "loosens", loosens, truth=True)
    nominal = checks.real(owner, "nominal", nominal, above=0.0)
    name = f"{slip}.held" if name is None else checks.text(owner, name)
    if name in model.events:
        raise ModelError(f"{owner}: an event {name!r} exists already; give it another name")
    active = model.events.add(name, condition - 0.5, kind="held_slip")
    multiplier = ca.SX.sym(f"{slip}:multiplier")
    return SwitchedConstraint(name, active, multiplier, nominal, limit, loosens, stopping)
