"""Dry friction on velocities: where they vanish together, they are held.

Friction acts against the velocities s of one touching point, or on the one rate of a joint. Where
these come to rest together, they stick: they are held at zero exactly while the forces that this
takes are at most those by the static coefficient.

The direction of sliding d, a unit vector, is remembered in discrete variables; that of a single
velocity is its sign. Sliding ends where the power of friction would become positive. Behind rest
friction goes on as before, so that the event can be located on a smooth motion. If what sticks then
cannot be held, it slides on at once. Where parts meet, all this is decided by the velocities that
the last impact of the instant leaves: another may turn the sliding at once.

Several velocities may turn while they slide. So friction acts against w = s + e there, where e is
short and has the direction d. It has its full size at rest too, and turns with the force that
drives the sliding. Where w has turned from d, d is renewed. The length of e follows from the
phase of the sliding, a discrete variable of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore.elements.friction.releases import AT_REST, Releases, add_releases, remember_releases
from mbcore.elements.friction.rubbing import Limits, Rubbing, length
from mbcore.model.expressions import total
from mbcore.model.quantities.switched_constraints import (
    FOLLOWING,
    FOLLOWING_CONTACTS,
    Stopping,
    SwitchedConstraint,
)
from mbcore.model.system import System
from mbcore.model.variables import Number

STOPPED = 1e-12
"""Speed against the direction of sliding, in natural sizes, at which the contact has come to
rest."""
ROUNDED = 1e-9
"""Speed, m/s, at which sliding in several directions stops that has begun from rest and not been
fast since. It grows with the square of time, and is an error of the integration of any direction
for a while."""
DRAWN = 1e-9
"""Speed, in natural sizes, below which there is no sliding but by drift and rounding."""
TURNED = 0.9
"""Cosine of the angle between the direction of friction and the remembered one at which the latter
is renewed."""
STEADY = 1e-12
"""Length of e, m/s, at high speeds."""
ONSET = 1e-6
"""The same at low speeds: below it, friction would turn any sideways speed at once, so that the
equations would be stiff without limit. It is the error of the speed where sliding turns at the
limit of its friction."""
LOOSE = 1.1 * ONSET
"""The same where sliding has begun from rest, and not been fast since."""
LOW = 10
"""The largest low speed, in parts of the onset."""
JOLT = 1e-3
"""Largest change of a rate where several velocities come to rest, in parts of its nominal value. A
ball with a radius of a millimetre comes near it."""
FAST, SLOW, FROM_REST = 1, 2, 3
"""Phases of sliding in several directions; 0 before there is any."""


@dataclass(frozen=True)
class StickSlip:
    """Friction that sticks and slides.

    Attributes
    ----------
    sticks : SX
        Discrete variable, 1 while it sticks.
    power : SX
        Power of the friction on the mechanism, W, never positive.
    forgets : dict of str to number
        What an event sets where the surfaces part or meet, so that friction begins anew.
    """

    sticks: ca.SX
    power: ca.SX
    forgets: dict[str, Number]


@dataclass(frozen=True)
class _Sliding:
    """The sliding velocities, and the memory of events.

    Attributes
    ----------
    name : str
        First part of the names of events and discrete variables.
    velocity : SX
        s, (n, 1).
    natural : float
        Natural size of s.
    sticks, direction : SX
        Discrete variables; the direction is 0 before there is any.
    names : tuple of str
        Those of the direction's discrete variables.
    phase : SX or None
        Discrete variable; None for a single velocity.
    """

    name: str
    velocity: ca.SX
    natural: float
    sticks: ca.SX
    direction: ca.SX
    names: tuple[str, ...]
    phase: ca.SX | None

    @property
    def new(self) -> ca.SX:
        """Whether there has been no sliding yet."""
        return self.direction == 0 if self.phase is None else self.phase == 0

    @property
    def moves(self) -> ca.SX:
        """Whether there is more sliding than drift and rounding make."""
        return length(self.velocity) > DRAWN * self.natural

    @property
    def e(self) -> ca.SX:
        """Speed that is added to the velocities, m/s."""
        assert self.phase is not None
        slow = ca.if_else(self.phase == FROM_REST, LOOSE, ONSET)
        return ca.if_else(self.phase == FAST, STEADY, slow) * self.direction

    @property
    def towards(self) -> ca.SX:
        """The direction against which friction acts, of any length."""
        if self.phase is None:
            return self.direction
        return _towards(self.velocity, ca.if_else(self.new, STEADY, self.e))

    def set_to(self, direction: ca.SX, phase: ca.SX | int) -> dict[str, ca.SX]:
        """Return the assignments of an event."""
        parts = dict(zip(self.names, ca.vertsplit(direction), strict=True))
        return parts if self.phase is None else {**parts, f"{self.name}.phase": ca.SX(phase)}


def stick_and_slide(
    model: System, name: str, rubbing: Sequence[Rubbing], limits: Limits
) -> StickSlip:
    """Let friction act on velocities, and add the events at which it sticks, slides and turns.

    Parameters
    ----------
    name : str
        First part of the names of events and discrete variables.
    rubbing : sequence of Rubbing
        Velocities that stick and slide together.
    """
    one = _remember(model, name, rubbing)
    releases = None
    if one.phase is None and rubbing[0].acceleration is not None:
        releases = remember_releases(model, name)
    held = _hold(model, one, rubbing, limits, releases)
    coefficient = limits.coefficient
    if releases is not None:
        coefficient = ca.if_else(releases.loosens, limits.static, coefficient)
    dry = limits.sliding(one.towards, coefficient)
    if one.phase is not None:
        dry = ca.if_else(one.new, 0, dry)
    friction = dry + limits.viscous * one.velocity
    for r, force in zip(rubbing, ca.vertsplit(friction), strict=True):
        # Until an event has held the slip, friction goes on: what others do depends on it.
        r.slip.law((1 - held[0].active) * force / r.scale)
    _add_stop(model, one, limits)
    _add_turn(model, one, limits)
    _add_start(model, one, rubbing, held, limits, releases)
    if releases is not None:
        stuck = one.sticks
        if limits.touches is not None:
            stuck = ca.logic_or(stuck, ca.logic_not(limits.touches))
        add_releases(model, name, rubbing[0], (stuck, one.direction), releases)
    lost = total(r.slip.force * r.slip.velocity for r in rubbing)
    slow = DRAWN * one.natural if one.phase is None else ONSET
    power = _power(lost, held[0].active, length(one.velocity) <= slow)
    return StickSlip(one.sticks, power, _forgotten(one, releases))


def _remember(model: System, name: str, rubbing: Sequence[Rubbing]) -> _Sliding:
    """Add the discrete variables."""
    add, n = model.discretes.add, len(rubbing)
    sticks = add(f"{name}.sticks", 0, kind="boolean", description="whether it sticks")
    s, natural = ca.vertcat(*(r.velocity for r in rubbing)), rubbing[0].natural
    if n == 1:
        direction = add(
            f"{name}.direction",
            0,
            kind="integer",
            description="sense of sliding, or of the sliding before it sticks; 0 before it slides",
            visibility="local",
        )
        return _Sliding(name, s, natural, sticks, direction, (f"{name}.direction",), None)
    names = tuple(f"{name}.direction{i + 1}" for i in range(n))
    said = "direction of sliding, or of the sliding before it sticks; 0 before it slides"
    parts = [add(one, 0.0, visibility="local", description=said) for one in names]
    phase = add(
        f"{name}.phase",
        0,
        kind="integer",
        description="0 before it slides, then 1 fast, 2 slow, 3 slow since it has come loose",
        visibility="local",
    )
    return _Sliding(name, s, natural, sticks, ca.vertcat(*parts), names, phase)


def _forgotten(one: _Sliding, releases: Releases | None) -> dict[str, Number]:
    """Return what lets friction begin as before it has moved."""
    nothing: dict[str, Number] = {f"{one.name}.sticks": 0, **dict.fromkeys(one.names, 0)}
    if one.phase is not None:
        nothing[f"{one.name}.phase"] = 0
    return nothing if releases is None else {**nothing, **releases.forgotten(one.name)}


def _hold(
    model: System,
    one: _Sliding,
    rubbing: Sequence[Rubbing],
    limits: Limits,
    releases: Releases | None,
) -> list[SwitchedConstraint]:
    """Hold the slips while they stick."""
    held = []
    largest = ca.vertsplit(limits.largest(len(rubbing)))
    sticks = one.sticks
    if limits.touches is not None:
        sticks = ca.logic_and(sticks, limits.touches)
    following = FOLLOWING if limits.touches is None else FOLLOWING_CONTACTS
    for r, limit in zip(rubbing, largest, strict=True):
        stopping = Stopping(following=following)
        if one.phase is not None:
            # A joint's load depends on the forces that hold it, that of surfaces by a law does not.
            cone, slides = None, None
            if limits.touches is not None:
                cone, slides = one.name, limits.of_two(len(rubbing))
            stopping = Stopping(JOLT, ONSET * r.nominal, following, cone, slides)
        elif limits.touches is not None:
            # Surfaces have no dead centre: a slip while they stick is an error of the integration.
            stopping = Stopping(JOLT, ONSET * r.nominal, following)
        r.slip.model = model
        r.slip.release().hold(
            sticks,
            nominal=r.nominal,
            limit=limit / r.scale,
            loosens=0.0 if releases is None else releases.loosens,
            stopping=stopping,
        )
        assert r.slip.held is not None
        held.append(r.slip.held)
    return held


def _directed(vector: ca.SX) -> ca.SX:
    """Return a direction; that of the first axis for zero, which has none."""
    if vector.numel() == 1:
        return ca.if_else(vector < 0, -1, 1)
    long = length(vector)
    first = ca.vertcat(1, ca.SX.zeros(vector.numel() - 1))
    return ca.if_else(long > 0, vector / ca.if_else(long > 0, long, 1), first)


def _towards(s: ca.SX, e: ca.SX) -> ca.SX:
    """Return the direction against which friction acts, of any length.

    Where sliding has passed through rest it is mirrored, so that friction goes on as before, and
    nothing jumps ahead of the event.
    """
    along = ca.dot(s, e) / ca.dot(e, e)
    return s + ca.if_else(along < -1 / 2, -2 * along, 1) * e


def _passes(s: ca.SX, e: ca.SX) -> ca.SX:
    """Return whether what moves against its remembered direction has passed rest beside it.

    A long step finds it there behind a quick turn. A slip that only comes to rest late has hardly
    any velocity across.
    """
    squared = ca.dot(e, e)
    along = ca.dot(s, e) / ca.if_else(squared > 0, squared, 1)
    across = length(s - along * e)
    return ca.logic_and(across > LOW * ONSET, across > length(along * e) / 2)


def _phase_at(one: _Sliding) -> ca.SX:
    """Return the phase of sliding that turns or goes on."""
    fast = length(one.velocity) > LOW * ONSET * (3 / 4)
    assert one.phase is not None
    return ca.if_else(fast, FAST, ca.if_else(one.phase == FROM_REST, FROM_REST, SLOW))


def _add_stop(model: System, one: _Sliding, limits: Limits) -> None:
    """Let it stick where it has come to rest, also at the start."""
    s, new = one.velocity, one.new
    if one.phase is None:
        back = -one.direction * s - STOPPED
        sets = one.set_to(ca.if_else(ca.logic_and(new, one.moves), _directed(s), one.direction), 0)
        still = ca.logic_not(ca.logic_and(new, one.moves))
    else:
        towards, passes = one.towards, _passes(s, one.e)
        least = ca.if_else(one.phase == FROM_REST, ROUNDED, STOPPED)
        back = -ca.dot(towards, s) / length(towards) - least
        goes_on = ca.if_else(new, one.moves, passes)
        direction = ca.if_else(goes_on, _directed(s), one.direction)
        sets = one.set_to(direction, ca.if_else(goes_on, _phase_at(one), one.phase))
        still = ca.logic_not(goes_on)
    stops = ca.if_else(new, 1, ca.if_else(one.sticks, -1, back))
    model.events.add(
        f"{one.name}.stops",
        ca.if_else(limits.grips, stops, -1),
        rising={f"{one.name}.sticks": still, **sets},
    )
    model.events.wait_for_impacts(f"{one.name}.stops")


def _add_turn(model: System, one: _Sliding, limits: Limits) -> None:
    """Renew the direction where it has turned, and where the sliding becomes fast or slow."""
    if one.phase is None:
        return
    speed, towards = length(one.velocity), one.towards
    turned = TURNED - ca.dot(towards, one.direction) / length(towards)
    slower, faster = LOW * ONSET / 2 - speed, speed - LOW * ONSET
    passed = ca.if_else(one.phase == FAST, slower, faster)
    slides = ca.logic_and(limits.grips, ca.logic_not(ca.logic_or(one.new, one.sticks)))
    model.events.add(
        f"{one.name}.turns",
        ca.if_else(slides, ca.fmax(turned, passed), -1),
        rising=one.set_to(_directed(towards), _phase_at(one)),
    )
    model.events.wait_for_impacts(f"{one.name}.turns")


def _add_start(
    model: System,
    one: _Sliding,
    rubbing: Sequence[Rubbing],
    held: Sequence[SwitchedConstraint],
    limits: Limits,
    releases: Releases | None,
) -> None:
    """Let it slide where it cannot be held, the way it is drawn."""
    forces = [r.force for r in rubbing]
    if one.phase is not None and limits.touches is not None:
        pairs = zip(rubbing, held, strict=True)
        forces = [(r.slip.force - constraint.shared) * r.scale for r, constraint in pairs]
    holding = ca.vertcat(*forces)
    exceeds = limits.excess(holding)
    # What sticks where others hold all that moves begins to slide when these do.
    holds, drawn = ca.SX(1), ca.SX(-1)
    for r, constraint in zip(rubbing, held, strict=True):
        holds = ca.logic_and(holds, constraint.holds)
        drawn = ca.fmax(drawn, ca.fabs(r.slip.velocity) - constraint.tolerable)
    way, acceleration = one.velocity, rubbing[0].acceleration
    if releases is not None and limits.touches is not None:
        # Contacts that are hardly apart count as one. One that has come loose and back at this
        # time slides at once if this moves it; later on, vibrations would loosen it for ever.
        assert acceleration is not None
        begins = model.time <= releases.released
        pulled = ca.if_else(begins, ca.fabs(acceleration) - AT_REST * one.natural, -1)
        way = ca.if_else(drawn > 0, way, acceleration)
        drawn = ca.fmax(drawn, pulled)
    drawn = ca.if_else(holds, -1, drawn)
    onset = limits.onset(holding)
    if held[0].stopping.slides is not None:
        onset = ca.vertcat(*(constraint.onset for constraint in held))
    direction = _directed(ca.if_else(exceeds > 0, onset, way))
    model.events.add(
        f"{one.name}.slides",
        ca.if_else(held[0].active, ca.fmax(exceeds, drawn), -1),
        rising={
            f"{one.name}.sticks": ca.SX(0),
            **one.set_to(direction, FROM_REST),
            **({} if releases is None else releases.begun(model, one.name, one.moves)),
        },
    )
    model.events.wait_for_impacts(f"{one.name}.slides")


def _power(lost: ca.SX, sticks: ca.SX, rests: ca.SX) -> ca.SX:
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
