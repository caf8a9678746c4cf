"""Contact of a body with a surface by a law: the force of the law, friction, and their events.

Used by `mbcore.contact.clearance`, `mbcore.contact.plane_contact` and
`mbcore.contact.surface_contact`.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as replace_field

import casadi as ca

from mbcore.contact.compliant_friction import (
    CompliantFriction,
    Grip,
    Rolling,
    SwitchedFriction,
    grip,
)
from mbcore.contact.contact_arguments import check_law
from mbcore.contact.contact_friction import ContactFriction
from mbcore.contact.hertz import ContactLaw
from mbcore.contact.impact import Impact
from mbcore.contact.memory import Memory
from mbcore.contact.places import BearingPlace, Motion, Place
from mbcore.elements.friction.coulomb import CoulombFriction
from mbcore.elements.friction.dry_friction import FrictionLaw
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.expressions import replace
from mbcore.model.system import System
from mbcore.model.tables import derivatives
from mbcore.model.variables import Number

BAND = 1e-13
"""Half width, m, of the contact event's hysteresis."""


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
        check_law("switched law", self.law)
        if self.impact is not None and not isinstance(self.impact, Impact):
            raise ModelError(f"switched law: impact is {self.impact!r}; give an Impact")
        checks.expression("switched law", "enabled", self.enabled, truth=True)


@dataclass(frozen=True)
class Touch:
    """Forces where a body touches a surface by a law.

    Attributes
    ----------
    force, tangential : SX
        Normal force, and friction against the sliding velocities, N.
    in_contact, sticks : SX
        Modes.
    """

    force: ca.SX
    tangential: ca.SX
    in_contact: ca.SX
    sticks: ca.SX


AnyFriction = CoulombFriction | FrictionLaw | CompliantFriction | SwitchedFriction


def touch_by_law(
    model: System,
    place: Place,
    law: SwitchedLaw,
    friction: AnyFriction,
    begun: tuple[Memory, str],
    patch: Number | None = None,
) -> Touch:
    """Let a law act, with friction.

    ``begun`` has what records the beginnings of contact, and the name of their event; ``patch`` is
    the radius of the area that touches, m.
    """
    (memory, event), motion, name = begun, place.motion, place.joint.name
    on = ca.SX(law.enabled) > 0.5
    in_contact = model.events.add(event)
    force = in_contact * law.law(motion.depth, motion.rate, memory.speed)
    rising, falling = memory.begun(model.time, motion.rate), dict[str, Number]()
    sticks, acts = ca.SX(0), None
    if isinstance(friction, FrictionLaw):
        stiffness = in_contact * _stiffness(law.law, motion, memory)
        rubbing = ContactFriction(
            f"{name}.friction",
            place,
            friction,
            touches=in_contact,
            load=force,
            stiffness=stiffness,
            patch=patch,
        )
        model.add(rubbing)
        tangential, sticks = rubbing.force, rubbing.sticks
        rising, falling = {**rising, **rubbing.forgets}, rubbing.forgets
    elif isinstance(friction, CoulombFriction):
        acts = tangential = _smoothed(friction, motion, force)
    else:
        assert isinstance(place, BearingPlace)
        held = _hold_by_spring(model, place, friction, (force, in_contact))
        acts, sticks = held.force, held.sticks
        tangential, rising = acts, {**rising, **held.begun}
    place.act(force, acts)
    depth = ca.if_else(on, motion.depth, -1)
    model.events.add(event, depth, band=BAND, rising=rising, falling=falling)
    return Touch(force, tangential, in_contact, sticks)


def _smoothed(friction: CoulombFriction, motion: Motion, load: ca.SX) -> ca.SX:
    """Return smoothed friction under a load, N."""
    speed = ca.sqrt(ca.dot(motion.sliding, motion.sliding) + friction.speed**2)
    return friction.coefficient * ca.fmax(load, 0) * (motion.sliding / speed)


def _hold_by_spring(
    model: System,
    place: BearingPlace,
    friction: CompliantFriction | SwitchedFriction,
    normal: tuple[ca.SX, ca.SX],
) -> Grip:
    """Let a journal stick by a spring; where that is switched off, friction is smoothed."""
    motion, (force, touches) = place.motion, normal
    assert place.radius is not None
    turn = place.joint.rotation.value
    rolling = Rolling(place.direction, motion.distance, turn, place.radius, motion.sliding)
    prefix = f"{place.joint.name}."
    if isinstance(friction, CompliantFriction):
        return grip(model, prefix, rolling, friction, normal)
    on = ca.SX(friction.enabled) > 0.5
    held = grip(model, prefix, rolling, friction.law, (force, ca.logic_and(touches, on)))
    smoothed = _smoothed(friction.otherwise, motion, force)
    return replace_field(held, force=ca.if_else(on, held.force, smoothed))


def _stiffness(law: ContactLaw, motion: Motion, memory: Memory) -> ca.SX:
    """Return the slope of a law over the depth, N/m."""
    depth = ca.SX.sym("depth")
    slope = derivatives.gradient(ca.SX(law(depth, motion.rate, memory.speed)), depth)
    return replace(slope, depth, motion.depth)
