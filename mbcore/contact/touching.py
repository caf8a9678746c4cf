"""Contact of a body with a surface by a law: the force of the law, friction, and their events.

Used by `mbcore.contact.clearance` and `mbcore.contact.plane_contact`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from mbcore.contact.contact_friction import ContactFriction
from mbcore.contact.hertz import ContactLaw
from mbcore.contact.impact import Impact
from mbcore.contact.memory import Memory
from mbcore.contact.surfaces import Surface
from mbcore.elements.friction.coulomb import CoulombFriction
from mbcore.elements.friction.dry_friction import FrictionLaw
from mbcore.elements.joints.bearing import Bearing
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.expressions import replace
from mbcore.model.quantities import Role
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
        if isinstance(self.law, type) or not callable(self.law):
            raise ModelError(f"switched law: law is {self.law!r}; give one, as in KelvinVoigt(1e6)")
        if self.impact is not None and not isinstance(self.impact, Impact):
            raise ModelError(f"switched law: impact is {self.impact!r}; give an Impact")
        checks.expression("switched law", "enabled", self.enabled)


@dataclass(frozen=True)
class Motion:
    """Motion of a body past a surface.

    Attributes
    ----------
    distance, depth : SX
        m.
    rate, sliding : SX
        Of the depth, and of the body's surface past the other, m/s.
    direction : pair of SX
        Into the surface, a unit vector on its axes.
    """

    distance: ca.SX
    depth: ca.SX
    rate: ca.SX
    sliding: ca.SX
    direction: tuple[ca.SX, ca.SX]


@dataclass(frozen=True)
class Place:
    """Where parts touch: the bearing, its surface, and the radius of what slides there, m."""

    bearing: Bearing
    surface: Surface
    radius: Number | None

    @cached_property
    def motion(self) -> Motion:
        """Motion of the body past the surface."""
        x, y = self.bearing.x, self.bearing.y
        at = (x.value, y.value)
        sliding, rate = self.surface.rates(at, (x.rate, y.rate))
        if self.radius is not None:
            sliding = sliding + self.radius * self.bearing.rotation.rate
        return Motion(*self.surface.depth(at), rate, sliding, self.surface.into(at))


def touch_by_law(
    model: System,
    place: Place,
    law: SwitchedLaw,
    friction: CoulombFriction | FrictionLaw,
    begun: tuple[Memory, str],
) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
    """Let a law act; return normal and tangential force, N, and the modes of contact and stick.

    ``begun`` has what records the beginnings of contact, and the name of their event.
    """
    (memory, event), motion, bearing = begun, place.motion, place.bearing
    on = ca.SX(law.enabled) > 0.5
    in_contact = model.events.add(event)
    force = in_contact * law.law(motion.depth, motion.rate, memory.speed)
    rising, falling = memory.begun(model.time, motion.rate), dict[str, Number]()
    sticks = ca.SX(0)
    if isinstance(friction, FrictionLaw):
        assert place.radius is not None
        rubbing = ContactFriction(
            f"{bearing.name}.friction",
            bearing,
            friction,
            surface=place.surface,
            radius=place.radius,
            touches=in_contact,
            load=force,
            stiffness=in_contact * _stiffness(law.law, motion, memory),
        )
        model.add(rubbing)
        tangential, sticks = rubbing.force, rubbing.sticks
        rising, falling = {**rising, **rubbing.forgets}, rubbing.forgets
        _act(bearing, force, ca.SX(0), place)
    else:
        share = motion.sliding / ca.sqrt(motion.sliding**2 + friction.speed**2)
        tangential = friction.coefficient * ca.fmax(force, 0) * share
        _act(bearing, force, tangential, place)
    depth = ca.if_else(on, motion.depth, -1)
    model.events.add(event, depth, band=BAND, rising=rising, falling=falling)
    return force, tangential, in_contact, sticks


def _stiffness(law: ContactLaw, motion: Motion, memory: Memory) -> ca.SX:
    """Return the slope of a law over the depth, N/m."""
    depth = ca.SX.sym("depth")
    slope = derivatives.gradient(ca.SX(law(depth, motion.rate, memory.speed)), depth)
    return replace(slope, depth, motion.depth)


def _act(bearing: Bearing, force: ca.SX, tangential: ca.SX, place: Place) -> None:
    """Add normal force and smoothed friction as laws of the bearing's deformations."""
    x, y, rotation = bearing.x, bearing.y, bearing.rotation
    along, across = place.motion.direction
    x.law(force * along - tangential * across)
    y.law(force * across + tangential * along)
    if place.radius is not None and rotation.role not in (Role.RIGID, Role.PRESCRIBED):
        rotation.law(tangential * place.radius)
