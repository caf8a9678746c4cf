"""Rest of a contact that sticks: where its penetration hardly changes any more, it stays.

A contact by a law is an oscillator in the normal direction. While it sticks, rounding errors of
that oscillation would move it along the surface. Where the oscillation has all but died out, its
rate is held, too. Then all rates vanish exactly, until the load changes.

Used by `mbcore.contact.contact_friction` alone; it stands apart because it knows no friction.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from mbcore.model.quantities import Slip
from mbcore.model.quantities.unilateral import EPSILON
from mbcore.model.system import System

ROUNDED = 16
"""Rounding errors of the distance that the equilibrium depends on."""
STILL = 1e-11
"""Amplitude of a normal oscillation, in parts of the penetration, that counts as rest."""
DISTURBED = 8
"""Change of the load, in parts of what the largest such amplitude takes, that ends rest."""
PERIODS = 100
"""Time that passes between the end of rest and the next, over the inverse frequency."""
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
    model: System, name: str, closing: Slip, normal: Normal, sticks: ca.SX
) -> dict[str, float]:
    """Hold the slip ``closing``, the rate of the depth, at rest; return what contact forgets.

    Parameters
    ----------
    name : str
        What the events and the discrete variables begin with.
    sticks : SX
        Whether the contact sticks.
    """
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
    closing.model = model
    closing.release().hold(ca.logic_and(rests, sticks), limit=ca.SX(ca.inf))
    assert closing.held is not None
    closing.held = held = replace(closing.held, at_rest=True)
    mobility = held.mobility
    amplitude = ca.fmax(ROUNDED * EPSILON * normal.distance, STILL * normal.depth)
    needed = ca.fmax(normal.stiffness, 1e-200) * amplitude
    energy = normal.acceleration**2 / mobility**2 + normal.rate**2 * normal.stiffness / mobility
    wait = PERIODS / ca.sqrt(ca.fmax(normal.stiffness * mobility, 1e-200))
    later = model.time > disturbed + wait
    quiet = ca.logic_and(ca.logic_and(sticks, later), ca.logic_not(rests))
    model.events.add(
        f"{name}.settles",
        ca.if_else(quiet, ca.fmax(1 - energy / needed**2, -1), -1),
        rising={f"{name}.rests": 1},
    )
    excess = ca.fabs(closing.force) / (DISTURBED * needed) - 1
    excess = ca.if_else(held.active, excess, -1)
    model.events.add(
        f"{name}.stirs",
        ca.if_else(rests, ca.if_else(sticks, excess, 1), -1),
        rising={f"{name}.rests": 0, f"{name}.disturbed": model.time},
    )
    return {f"{name}.rests": 0}
