"""Rest of a contact that sticks: where its penetration hardly changes any more, it stays.

A contact by a law is an oscillator in the normal direction. While it sticks, rounding errors of
that oscillation would move it along the surface. Where the oscillation has all but died out, its
rate is held, too. Then all rates vanish exactly, until the load changes.

A contact that has come to rest with others on the same body may be held at the limit of its
friction. It does not stick then, but it rests: its friction stays, and its penetration is held.

The four numbers of this rule are chosen, not derived; each has a reason below. Only their order
matters: rounding errors stay below ``STILL``, ``STILL`` stays below the accuracy of forces, 1e-9,
and what begins rest stays below what ends it.

Used by `mbcore.contact.contact_friction` alone; it stands apart because it knows no friction.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from mbcore.model.quantities import Slip
from mbcore.model.quantities.unilateral import EPSILON
from mbcore.model.system import System

ROUNDED = 16
"""Rounding errors of the distance in the smallest amplitude that counts. The place of equilibrium
depends on the distance through some ten operations, so that an oscillation below it is noise, which
never dies out: less than this, and a soft contact with a small penetration would not rest."""
STILL = 1e-11
"""Amplitude of a normal oscillation, in parts of the penetration, that counts as rest. It is the
largest error of the normal force at rest, too, in parts of it (3/2 of that by Hertz's exponent). A
larger one would show in forces; a smaller one takes longer to be reached, by one time constant for
each e, and is nearer to the noise of the force, some 1e-14 of it."""
DISTURBED = 8
"""Change of the load, in parts of what the largest such amplitude takes, that ends rest. It must be
greater than 1, which what is held may take at once, and greater than 2 where a neighbour on the
same body, at one end of its own oscillation, comes to rest at the other. The remainder is for
several neighbours."""
PERIODS = 100
"""Time that passes between the end of rest and the next, over the inverse frequency: some sixteen
periods of the normal oscillation. Where a load grows slowly, each moment looks like rest, and each
rest ends at once; so there is one pair of events in this time at most."""
LONG_AGO = -1e30
"""A time, s, before all others."""


@dataclass(frozen=True)
class Normal:
    """The normal direction of a contact.

    Attributes
    ----------
    distance, depth : SX
        m.
    rate, acceleration : SX
        Of the depth, m/s and m/s2.
    stiffness : SX
        Slope of the law over the depth, N/m.
    """

    distance: ca.SX
    depth: ca.SX
    rate: ca.SX
    acceleration: ca.SX
    stiffness: ca.SX


def let_rest(
    model: System,
    name: str,
    closing: Slip,
    normal: Normal,
    still: tuple[ca.SX, ca.SX],
    slow: ca.SX,
) -> dict[str, float]:
    """Hold the slip ``closing``, the rate of the depth, at rest; return what contact forgets.

    Parameters
    ----------
    name : str
        What the events and the discrete variables begin with.
    still : pair of SX
        Whether the contact sticks, and whether it is at rest at the limit of its friction, and does
        not begin to slide.
    slow : SX
        Speed of sliding, over what rounding errors can make it. Sliding that fades out with another
        contact that comes to rest never reverses, so it never sticks; below 1 it rests at the
        limit of its friction.
    """
    sticks, stands = still
    rests = model.discretes.add(
        f"{name}.rests", 0, kind="boolean", description="whether it sticks and does not vibrate"
    )
    disturbed = model.discretes.add(
        f"{name}.disturbed",
        LONG_AGO,
        unit="s",
        description="when it rested last; -1e30 before",
        visibility="local",
    )
    at_limit = model.discretes.add(
        f"{name}.rests_at_limit",
        0,
        kind="boolean",
        description="whether it rests, or rested last, at the limit of its friction",
        visibility="local",
    )
    closing.model = model
    holds = ca.logic_or(sticks, at_limit)
    closing.release().hold(ca.logic_and(rests, holds), limit=ca.SX(ca.inf))
    assert closing.held is not None
    closing.held = held = replace(closing.held, at_rest=True)
    mobility = held.mobility
    amplitude = ca.fmax(ROUNDED * EPSILON * normal.distance, STILL * normal.depth)
    needed = ca.fmax(normal.stiffness, 1e-200) * amplitude
    energy = normal.acceleration**2 / mobility**2 + normal.rate**2 * normal.stiffness / mobility
    wait = PERIODS / ca.sqrt(ca.fmax(normal.stiffness * mobility, 1e-200))
    later = model.time > disturbed + wait
    quiet = ca.logic_and(ca.logic_and(ca.logic_or(sticks, stands), later), ca.logic_not(rests))
    model.events.add(
        f"{name}.settles",
        ca.if_else(quiet, ca.fmax(1 - energy / needed**2, -1), -1),
        rising={f"{name}.rests": 1, f"{name}.rests_at_limit": ca.logic_not(sticks)},
    )
    excess = ca.fabs(closing.force) / (DISTURBED * needed) - 1
    excess = ca.if_else(held.active, excess, -1)
    excess = ca.if_else(sticks, excess, ca.fmax(excess, slow - 1))
    model.events.add(
        f"{name}.stirs",
        ca.if_else(rests, ca.if_else(holds, excess, 1), -1),
        rising={f"{name}.rests": 0, f"{name}.disturbed": model.time},
    )
    return {f"{name}.rests": 0, f"{name}.rests_at_limit": 0}
