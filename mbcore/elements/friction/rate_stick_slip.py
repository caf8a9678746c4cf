"""Dry friction on one rate that other frictions act on: sliding each way, and sticking exactly.

It has the moves of `mbcore.elements.friction.stick_slip`, with a sense in the place of a direction.
Besides it tells what happens where several joints of a mechanism begin to slide at one time: a
joint may come back to rest, or be drawn the other way, and its static friction lasts until it
moves.

Used by `mbcore.elements.friction.friction` alone; it stands apart because it tells more than the
other one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from mbcore.elements.friction.stick_slip import DRAWN, STOPPED, StickSlip, power_of
from mbcore.model.quantities import Slip
from mbcore.model.system import System

RETURNS = 3
"""How often a joint may begin to slide and come back to rest at one time, before the direction of
the force that held it counts as wrong."""


@dataclass(frozen=True)
class RateMotion:
    """The rate on which friction acts.

    Attributes
    ----------
    slip : Slip
        A free slip that is the rate, m/s or rad/s.
    acceleration : SX
        Symbol of the rate's rate.
    size : float
        Natural size of the rate.
    """

    slip: Slip
    acceleration: ca.SX
    size: float


@dataclass(frozen=True)
class Resistance:
    """Friction against a rate, N or N.m.

    Attributes
    ----------
    dry : callable
        Dry friction by a coefficient, at least 0.
    coefficient, static : SX
        Coefficient while it slides, and while it sticks.
    viscous : SX
        Friction besides, by the rate.
    grips : SX
        Whether it can stick.
    """

    dry: Callable[[ca.SX], ca.SX]
    coefficient: ca.SX
    static: ca.SX
    viscous: ca.SX
    grips: ca.SX


@dataclass(frozen=True)
class _Modes:
    """What events change: whether it sticks, which way it slides, and since when."""

    sticks: ca.SX
    direction: ca.SX
    released: ca.SX
    returned: ca.SX
    loosens: ca.SX


def stick_and_slide_at_a_rate(
    model: System, name: str, motion: RateMotion, resistance: Resistance
) -> StickSlip:
    """Let friction act on a rate, and add ``name.stops``, ``slides``, ``moves`` and ``returns``.

    Parameters
    ----------
    name : str
        What the events and the discrete variables begin with.
    """
    slip = motion.slip
    slip.model = model
    modes = _add_modes(model, name)
    limit = resistance.dry(resistance.static)
    slip.hold(modes.sticks, nominal=motion.size, limit=limit, loosens=modes.loosens)
    coefficient = ca.if_else(modes.loosens, resistance.static, resistance.coefficient)
    sliding = modes.direction * resistance.dry(coefficient)
    assert slip.held is not None
    # Until an event has held the slip, friction goes on: what others do depends on it.
    slip.law((1 - slip.held.active) * (sliding + resistance.viscous * slip.velocity))
    _add_stop(model, name, slip, modes, resistance)
    _add_start(model, name, motion, modes, resistance)
    _add_corrections(model, name, motion, modes)
    slow = ca.fabs(slip.velocity) <= DRAWN * motion.size
    lost = ca.fabs(slip.force) * modes.direction * slip.velocity
    return StickSlip(modes.sticks, power_of(lost, slip.held.active, slow))


def _add_modes(model: System, name: str) -> _Modes:
    sticks = model.discretes.add(
        f"{name}.sticks", 0, kind="boolean", description="whether the joint sticks"
    )
    direction = model.discretes.add(
        f"{name}.direction",
        0,
        kind="integer",
        description="sense of sliding, or of the sliding before it sticks; 0 before it slides",
        visibility="local",
    )
    released = model.discretes.add(
        f"{name}.released",
        -1.0,
        unit="s",
        description="when it began to slide last; -1 before",
        visibility="local",
    )
    returned = model.discretes.add(
        f"{name}.returned",
        0,
        kind="integer",
        description="how often it has come back to rest since, at the same time",
        visibility="local",
    )
    loosens = model.discretes.add(
        f"{name}.loosens",
        0,
        kind="boolean",
        description="whether it has begun to slide, but others still hold it",
        visibility="local",
    )
    return _Modes(sticks, direction, released, returned, loosens)


def _add_stop(model: System, name: str, slip: Slip, modes: _Modes, resistance: Resistance) -> None:
    """Let it stick where its rate has come to zero, and at the start where that is zero."""
    begun = modes.direction == 0
    backwards = -modes.direction * slip.velocity - STOPPED
    stops = ca.if_else(begun, 1, ca.if_else(modes.sticks, -1, backwards))
    moving = ca.logic_and(begun, ca.fabs(slip.velocity) > STOPPED)
    first = ca.if_else(slip.velocity < 0, -1, 1)
    model.events.add(
        f"{name}.stops",
        ca.if_else(resistance.grips, stops, -1),
        rising={
            f"{name}.sticks": 1 - moving,
            f"{name}.direction": ca.if_else(moving, first, modes.direction),
        },
    )


def _add_start(
    model: System, name: str, motion: RateMotion, modes: _Modes, resistance: Resistance
) -> None:
    """Let it slide where it cannot be held, the way it is drawn."""
    slip = motion.slip
    assert slip.held is not None
    exceeds = ca.fabs(slip.force) - resistance.dry(resistance.static)
    # A joint that sticks where others hold all that moves begins to slide when these do.
    drawn = ca.if_else(slip.held.holds, -1, ca.fabs(slip.velocity) - slip.held.tolerable)
    onwards = ca.if_else(exceeds > 0, slip.force, slip.velocity)
    again = model.time <= modes.released
    model.events.add(
        f"{name}.slides",
        ca.if_else(slip.held.active, ca.fmax(exceeds, drawn), -1),
        rising={
            f"{name}.sticks": ca.SX(0),
            f"{name}.direction": ca.if_else(onwards < 0, -1, 1),
            f"{name}.released": model.time,
            f"{name}.loosens": ca.SX(1),
            f"{name}.returned": ca.if_else(again, modes.returned, 0),
        },
    )


def _add_corrections(model: System, name: str, motion: RateMotion, modes: _Modes) -> None:
    """Let what has begun to slide move on, come back to rest, or slide the other way."""
    slip, size = motion.slip, DRAWN * motion.size
    assert slip.held is not None
    again = model.time <= modes.released
    against = -modes.direction * motion.acceleration - size
    free = ca.logic_not(ca.logic_or(modes.sticks, slip.held.active))
    just = ca.logic_and(free, again)
    # Static friction lasts until the joint moves, which others may keep it from.
    moves = ca.fmax(modes.direction * motion.acceleration - size, 0.5 - slip.held.others)
    model.events.add(
        f"{name}.moves",
        ca.if_else(ca.logic_and(free, modes.loosens), moves, -1),
        rising={f"{name}.loosens": ca.SX(0)},
    )
    # Others that begin to slide at the same time may leave it at rest.
    often = modes.returned >= RETURNS
    model.events.add(
        f"{name}.returns",
        ca.if_else(ca.logic_and(just, ca.logic_not(often)), against, -1),
        rising={
            f"{name}.sticks": ca.SX(1),
            f"{name}.returned": modes.returned + 1,
        },
    )
    # Near a dead centre the force that held it need not tell which way it is drawn.
    model.events.add(
        f"{name}.turns",
        ca.if_else(ca.logic_and(just, often), against, -1),
        rising={
            f"{name}.direction": -modes.direction,
            f"{name}.returned": ca.SX(0),
        },
    )
