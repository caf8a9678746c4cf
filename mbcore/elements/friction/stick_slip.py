"""Dry friction on several velocities at once: where they vanish together, they are held.

The friction of a contact acts against the velocities s of one touching point, and where these come
to rest together, they stick: they are held at zero exactly while the forces that this takes are at
most those by the static coefficient. Friction acts against w = s + e. Discrete variables keep e,
which is short and has the direction of w. So friction has its full size at rest too, and turns
with the force that drives the sliding. Where w has turned from e, e is renewed. Sliding ends where
the power of friction would become positive, w . s < 0. Behind rest friction goes on as before, so
that the event can be located on a smooth motion. If what sticks then cannot be held, it slides on
at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore.model.element import Element
from mbcore.model.quantities import Slip
from mbcore.model.quantities.switched_constraints import Stopping
from mbcore.model.system import System

STOPPED = 1e-12
"""Speed against the direction of sliding, m/s, at which the contact has come to rest."""
BEGUN = 1.1
"""Length of the remembered direction in parts of the onset where sliding has begun from rest, and
not been fast since."""
ROUNDED = 1e-9
"""Speed, m/s, at which such a sliding stops. It grows with the square of time, and is an error of
the integration of any direction for a while."""
DRAWN = 1e-9
"""Speed, m/s, at which a sticking contact that cannot hold slides."""
TURNED = 0.9
"""Cosine of the angle between the direction of friction and the remembered one at which the latter
is renewed."""
STEADY = 1e-12
"""Length of the remembered direction, m/s, at high speeds."""
ONSET = 1e-6
"""The same at low speeds: below it, friction would turn any sideways speed at once, so that the
equations would be stiff without limit. It is the error of the speed where sliding turns at the
limit of its friction."""
LOW = 10
"""The largest low speed, in parts of the onset."""
JOLT = 1e-3
"""Largest change of a rate where a contact comes to rest, in parts of its nominal value. A ball
with a radius of a millimetre comes near it."""


def usual_length(element: Element, arm: ca.SX) -> float:
    """Return an arm or radius with parameters at their start values, m, for natural sizes.

    It is 1 m where it is zero or depends on more than parameters.
    """
    model = element.model
    return (model.parameters.usual(arm) if isinstance(model, System) else None) or 1.0


@dataclass(frozen=True)
class Rubbing:
    """One of the velocities that rub.

    Attributes
    ----------
    slip : Slip
        A free slip.
    scale : SX
        What the slip is divided by to be a velocity of the touching point, m/s; its friction, N, is
        the slip force times this.
    nominal : float
        Natural size of the slip, in its own unit.
    """

    slip: Slip
    scale: ca.SX
    nominal: float

    @property
    def velocity(self) -> ca.SX:
        """Velocity of the touching point, m/s."""
        return self.slip.velocity / self.scale

    @property
    def force(self) -> ca.SX:
        """Friction against the velocity, N."""
        return self.slip.force * self.scale


@dataclass(frozen=True)
class Limits:
    """How friction on n velocities is limited, all of it in newtons.

    Attributes
    ----------
    sliding : callable
        Dry friction of a contact that slides in a direction, (n, 1) to (n, 1); the direction may
        have any length but zero.
    viscous : SX
        Friction besides, by velocity, N.s/m.
    excess : callable
        By how much forces (n, 1) that hold the contact exceed what it can take.
    largest : callable
        Largest that each of these n forces can be, n to (n, 1).
    onset : callable
        Direction (n, 1) in which a contact slides if such forces exceed it.
    """

    sliding: Callable[[ca.SX], ca.SX]
    viscous: ca.SX
    excess: Callable[[ca.SX], ca.SX]
    largest: Callable[[int], ca.SX]
    onset: Callable[[ca.SX], ca.SX]


@dataclass(frozen=True)
class StickSlip:
    """Friction that sticks and slides.

    Attributes
    ----------
    sticks : SX
        Discrete variable, 1 while it sticks.
    power : SX
        Power of the friction on the mechanism, W, never positive.
    """

    sticks: ca.SX
    power: ca.SX


def length(vector: ca.SX) -> ca.SX:
    """Return the length of a vector, with a derivative where it is zero."""
    if vector.numel() == 1:
        return ca.fabs(vector)
    return ca.sqrt(ca.dot(vector, vector) + 1e-200)


def power_of(lost: ca.SX, sticks: ca.SX, rests: ca.SX) -> ca.SX:
    """Return the power of friction on the mechanism, W, which is never positive.

    It is zero while friction sticks, and so are its derivatives.

    Where sliding comes to rest inside a step, the rest of the step goes on smoothly, as friction
    itself does; else the energy of the step would have a kink, before the event cuts it.

    Parameters
    ----------
    lost : SX
        Friction times velocity, W, negative where sliding has turned against its direction.
    sticks : SX
        Whether sliding is held at zero.
    rests : SX
        Whether there is no sliding but by drift and rounding.
    """
    return -ca.if_else(sticks, 0, ca.if_else(rests, ca.fmax(lost, 0), lost))


def stick_and_slide(
    model: System, name: str, rubbing: Sequence[Rubbing], limits: Limits, static: ca.SX
) -> StickSlip:
    """Let friction act on velocities, and add ``name.stops``, ``name.turns`` and ``name.slides``.

    Parameters
    ----------
    name : str
        What the events and the discrete variables begin with.
    static : SX
        Coefficient while it sticks; friction by zero never sticks.
    """
    sticks = model.discretes.add(
        f"{name}.sticks", 0, kind="boolean", description="whether the contact sticks"
    )
    remembered = [
        f"{name}.direction{i + 1 if len(rubbing) > 1 else ''}" for i in range(len(rubbing))
    ]
    e = ca.vertcat(*(_remember(model, one) for one in remembered))
    s = ca.vertcat(*(one.velocity for one in rubbing))
    largest = ca.vertsplit(limits.largest(len(rubbing)))
    for one, limit in zip(rubbing, largest, strict=True):
        one.slip.model = model
        stopping = Stopping(JOLT, ONSET * one.nominal)
        one.slip.release().hold(
            sticks, nominal=one.nominal, limit=limit / one.scale, stopping=stopping
        )
    begun = ca.dot(e, e) == 0
    towards = _towards(s, ca.if_else(begun, STEADY, e))
    friction = limits.sliding(towards) + limits.viscous * s
    for one, force in zip(rubbing, ca.vertsplit(friction), strict=True):
        one.slip.law((1 - sticks) * force / one.scale)
    _add_stops(model, name, (s, e, towards, sticks), remembered, static)
    _add_slide(model, name, s, rubbing, remembered, limits)
    lost = sum((one.slip.force * one.slip.velocity for one in rubbing), ca.SX(0))
    return StickSlip(sticks, power_of(lost, sticks, length(s) <= ONSET))


def _remember(model: System, name: str) -> ca.SX:
    return model.discretes.add(
        name, 0.0, visibility="local", description="direction of sliding; 0 before the start"
    )


def _directed(vector: ca.SX, size: ca.SX | float) -> ca.SX:
    """Return a direction of a size; that of the first axis for zero, which has none."""
    long = length(vector)
    first = ca.vertcat(1, ca.SX.zeros(vector.numel() - 1))
    return size * ca.if_else(long > 0, vector / ca.if_else(long > 0, long, 1), first)


def _towards(s: ca.SX, e: ca.SX) -> ca.SX:
    """Return the direction against which friction acts, of any length.

    Where sliding has passed through rest it is mirrored, so that friction goes on as before, and
    nothing jumps ahead of the event.
    """
    along = ca.dot(s, e) / ca.dot(e, e)
    return s + ca.if_else(along < -1 / 2, -2 * along, 1) * e


def _passes(s: ca.SX, e: ca.SX) -> ca.SX:
    """Return whether what moves against its remembered direction has passed rest beside it.

    A long step finds it there behind a quick turn. What is only late at rest has hardly any
    velocity across.
    """
    if s.numel() == 1:
        return ca.SX(0)
    squared = ca.dot(e, e)
    along = ca.dot(s, e) / ca.if_else(squared > 0, squared, 1)
    across = length(s - along * e)
    return ca.logic_and(across > LOW * ONSET, across > length(along * e) / 2)


def _add_stops(
    model: System,
    name: str,
    motion: tuple[ca.SX, ca.SX, ca.SX, ca.SX],
    remembered: Sequence[str],
    static: ca.SX,
) -> None:
    """Add the events where sliding comes to rest, also at the start, and where it turns."""
    s, e, towards, sticks = motion
    begun, speed, kept = ca.dot(e, e) == 0, length(s), length(e)
    passes = _passes(s, e)
    still = ca.if_else(begun, speed <= DRAWN, ca.logic_not(passes))
    size = ca.if_else(speed > LOW * ONSET * (3 / 4), STEADY, ca.fmax(kept, ONSET))
    direction = ca.if_else(begun, s, towards)
    renewed = dict(zip(remembered, ca.vertsplit(_directed(direction, size)), strict=True))
    onward = ca.if_else(begun, _directed(direction, size), _directed(s, size))
    first = {
        one: ca.if_else(ca.logic_or(begun, passes), new, old)
        for one, new, old in zip(remembered, ca.vertsplit(onward), ca.vertsplit(e), strict=True)
    }
    lately = kept > (1 + BEGUN) / 2 * ONSET
    back = -ca.dot(towards, s) / length(towards) - ca.if_else(lately, ROUNDED, STOPPED)
    model.events.add(
        f"{name}.stops",
        ca.if_else(static > 0, ca.if_else(begun, 1, ca.if_else(sticks, -1, back)), -1),
        rising={f"{name}.sticks": still, **first},
    )
    if len(remembered) == 1:
        return  # there is no other direction to turn to
    turned = TURNED - ca.dot(towards, e) / ca.if_else(begun, 1, length(towards) * kept)
    high = kept < 2 * STEADY
    passed = ca.if_else(high, LOW * ONSET / 2 - speed, speed - LOW * ONSET)
    slides = ca.logic_and(static > 0, ca.logic_not(ca.logic_or(begun, sticks)))
    model.events.add(
        f"{name}.turns", ca.if_else(slides, ca.fmax(turned, passed), -1), rising=renewed
    )


def _add_slide(
    model: System,
    name: str,
    s: ca.SX,
    rubbing: Sequence[Rubbing],
    remembered: Sequence[str],
    limits: Limits,
) -> None:
    """Add the event where what sticks begins to slide."""
    holding = ca.vertcat(*(one.force for one in rubbing))
    exceeds = limits.excess(holding)
    # A contact that sticks where others hold all that moves begins to slide when these do.
    holds = ca.SX(1)
    for one in rubbing:
        assert one.slip.held is not None
        holds = ca.logic_and(holds, one.slip.held.holds)
    drawn = ca.if_else(holds, -1, length(s) - DRAWN)
    direction = _directed(ca.if_else(exceeds > 0, limits.onset(holding), s), BEGUN * ONSET)
    first = rubbing[0].slip.held
    assert first is not None
    model.events.add(
        f"{name}.slides",
        ca.if_else(first.active, ca.fmax(exceeds, drawn), -1),
        rising={
            f"{name}.sticks": ca.SX(0),
            **dict(zip(remembered, ca.vertsplit(direction), strict=True)),
        },
    )
