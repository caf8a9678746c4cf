"""Dry friction on several velocities at once: where they vanish together, they are held.

The friction of a contact acts against the velocities s of one touching point, and where these come
to rest together, they stick: they are held at zero exactly while the forces that this takes are at
most those by the static coefficient. Discrete variables keep the direction e of sliding. Sliding
ends where s turns against it, and there e is either renewed, since s has turned and not stopped,
or the contact sticks. On the way through rest the friction goes on as before, so that the event
can be located on a smooth motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore.model.quantities import Slip
from mbcore.model.quantities.switched_constraints import Stopping
from mbcore.model.system import System

STOPPED = 1e-12
"""Speed against the direction of sliding, m/s, at which the contact has come to rest."""
DRAWN = 1e-9
"""Speed, m/s, at which a sticking contact that cannot hold slides."""
TURNED = 0.9
"""Cosine of the angle between the direction of sliding and the remembered one at which the latter
is renewed."""
STEADY = 1e-12
"""Speed, m/s, up to which the direction of sliding is that which is remembered, at high speeds."""
ONSET = 1e-6
"""The same at low speeds: below it, friction would turn any sideways speed at once, so that the
equations would be stiff without limit."""
ROLLING_ONSET = 1e-4
"""The same of what rolls. At the limit of its friction the direction in which it would slide turns
while the excess is small; a shorter one lets it stop and slide without end."""
LOW = 10
"""The largest low speed, in parts of the onset."""
RESTING = 1e-2
"""Speed, in parts of the onset, up to which a contact that turns back has come to rest."""
JOLTS = 1e3
"""Largest change of a rate where a contact comes to rest, in parts of its nominal value and of the
resting speed in m/s. A ball with a radius of a millimetre comes near it."""
AGAIN = 0.999
"""Length of a direction that was renewed at a low speed, in parts of the onset, which tells it from
that at which sliding began."""


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
    onset_speed : float
        Speed, m/s, below which the direction of sliding is that in which it began.
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
    onset_speed: float = ONSET


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
        resting = RESTING * limits.onset_speed * one.nominal
        stopping = Stopping(JOLTS * RESTING * limits.onset_speed, resting)
        one.slip.release().hold(
            sticks, nominal=one.nominal, limit=limit / one.scale, stopping=stopping
        )
    begun = ca.dot(e, e) == 0
    # Through rest the direction is that of before, so that nothing jumps ahead of the event.
    forwards = ca.if_else(ca.dot(s, e) < 0, -1, 1)
    friction = limits.sliding(forwards * s + ca.if_else(begun, STEADY, e)) + limits.viscous * s
    for one, force in zip(rubbing, ca.vertsplit(friction), strict=True):
        one.slip.law((1 - sticks) * force / one.scale)
    _add_stops(model, name, (s, e, sticks), remembered, static, limits.onset_speed)
    _add_slide(model, name, s, rubbing, remembered, limits)
    lost = sum((one.slip.force * one.slip.velocity for one in rubbing), ca.SX(0))
    return StickSlip(sticks, power_of(lost, sticks, length(s) <= DRAWN))


def _remember(model: System, name: str) -> ca.SX:
    return model.discretes.add(
        name, 0.0, visibility="local", description="direction of sliding; 0 before the start"
    )


def _directed(vector: ca.SX, size: ca.SX | float) -> ca.SX:
    """Return a direction of a size; that of the first axis for zero, which has none."""
    long = length(vector)
    first = ca.vertcat(1, ca.SX.zeros(vector.numel() - 1))
    return size * ca.if_else(long > 0, vector / ca.if_else(long > 0, long, 1), first)


def _add_stops(
    model: System,
    name: str,
    motion: tuple[ca.SX, ca.SX, ca.SX],
    remembered: Sequence[str],
    static: ca.SX,
    onset: float,
) -> None:
    """Add the events where sliding comes to rest, also at the start, and where it turns."""
    s, e, sticks = motion
    begun, speed, kept = ca.dot(e, e) == 0, length(s), length(e)
    along = ca.dot(s, e) / ca.if_else(begun, 1, kept)
    rests = ca.logic_and(ca.logic_not(begun), speed <= RESTING * onset)
    still = ca.logic_or(rests, ca.logic_and(begun, speed <= DRAWN))
    size = ca.if_else(speed > LOW * onset * (3 / 4), STEADY, AGAIN * onset)
    renewed = dict(zip(remembered, ca.vertsplit(_directed(s, size)), strict=True))
    kept_at_rest = {
        one: ca.if_else(rests, old, renewed[one])
        for one, old in zip(remembered, ca.vertsplit(e), strict=True)
    }
    # Where it can hold, a contact that slows down and turns would turn ever faster.
    dwindles = ca.fmin(speed * TURNED - along - STOPPED, RESTING * onset - speed)
    back = ca.fmax(-along - STOPPED, ca.if_else(kept < onset * (1 + AGAIN) / 2, dwindles, -1))
    model.events.add(
        f"{name}.stops",
        ca.if_else(static > 0, ca.if_else(begun, 1, ca.if_else(sticks, -1, back)), -1),
        rising={f"{name}.sticks": still, **kept_at_rest},
    )
    if len(remembered) == 1:
        return  # there is no other direction to turn to
    turned = ca.fmin(speed * TURNED - along, speed - RESTING * onset)
    high = kept < 2 * STEADY
    passed = ca.if_else(high, LOW * onset / 2 - speed, speed - LOW * onset)
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
    direction = _directed(ca.if_else(exceeds > 0, limits.onset(holding), s), limits.onset_speed)
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
