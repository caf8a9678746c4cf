"""Held slips: constraints on velocities that are there while a condition holds.

`mbcore.model.quantities.slips.Slip.hold` makes one;
`mbcore.equations.assembly.multipliers` solves for its force,
`mbcore.equations.unilateral.impulses` brings the rates back to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import casadi as ca

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.interface.events import Events
from mbcore.model.variables import Number

SLIP_DRIFT = 1e-12
"""Slip, in parts of its nominal value, that a held one may have before the rates are projected;
what rounding makes of the velocities in it is added."""


class EventOwner(Protocol):
    """What a slip needs of its model; `mbcore.equations.model.Model` offers it."""

    events: Events


@dataclass(frozen=True, eq=False)
class Hold:
    """That a slip is zero while a condition holds, in the symbols of a model.

    Attributes
    ----------
    name : str
        That of the event whose mode says whether the slip is held.
    active : SX
        That mode, 0 or 1.
    multiplier : SX
        The force that holds it, along a positive slip; 0 while it is not held.
    nominal : float
        Natural size of the slip, m/s or rad/s, against which drift is small.
    """

    name: str
    active: ca.SX
    multiplier: ca.SX
    nominal: float = 1.0


def add_hold(
    model: EventOwner | None, slip: str, when: Number, name: str | None, nominal: float
) -> Hold:
    """Add the event that follows a condition, and return the hold of a slip.

    Raises
    ------
    ModelError
        If the slip is in no model, the name is taken, the condition is no scalar, or the nominal
        value not positive.
    """
    if model is None:
        raise ModelError(
            f"{slip} belongs to no element of a model, so nothing says when it is held; add its "
            "element first, or hold a Speed that says the same velocity"
        )
    owner = f"hold on {slip}"
    condition = checks.expression(owner, "when", when)
    nominal = checks.real(owner, "nominal", nominal, above=0.0)
    name = f"{slip}.held" if name is None else checks.text(owner, name)
    if name in model.events:
        raise ModelError(f"{owner}: an event {name!r} exists already; give it another name")
    active = model.events.add(name, condition - 0.5, kind="holding")
    return Hold(name, active, ca.SX.sym(f"{slip}:multiplier"), nominal)
