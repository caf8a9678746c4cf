"""Forces between journal and sleeve: a normal law with friction that sticks, or an oil film."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Model
from mbcore.contact.hertz import KelvinVoigt, LankaraniNikravesh, stiffness
from mbcore.contact.journal_bearing import BEYOND, film
from mbcore.contact.memory import Memory
from mbcore.contact.touching import BAND

from .motion import Motion
from .parameters import LUBRICATED, Contact, Parameters, Sizes

FORCE_BAND = 1e-9
"""Half width, N, of the hysteresis about the static limit, beyond which what sticks slides."""
SPEED_BAND = 1e-9
"""Half width, m/s, of the hysteresis about rest, at which sliding ends, and sticking goes on."""
FURTHEST = 0.5
"""Cosine of the angle by which a journal rolls along the sleeve before a new place is stored."""


@dataclass(frozen=True)
class Normal:
    """Normal force, N, positive where the parts push, and whether they touch."""

    depth: ca.SX
    force: ca.SX
    touches: ca.SX
    begun: Memory
    """Of the contacts so far."""


@dataclass(frozen=True)
class Forces:
    """Forces of journal and sleeve on each other, on inertial axes, N and N.m."""

    x: ca.SX
    y: ca.SX
    """On the sleeve; the journal feels the opposite."""
    sleeve_torque: ca.SX
    journal_torque: ca.SX
    normal: Normal
    tangential: ca.SX
    """Of friction on the sleeve, counter-clockwise."""
    sticks: ca.SX


@dataclass(frozen=True)
class Anchor:
    """Where the surfaces began to stick: discrete variables.

    Attributes
    ----------
    x, y : SX
        Unit vector to the journal as the sleeve sees it.
    turn : SX
        Angle of the journal relative to the sleeve, rad.
    elongation : SX
        Of the tangential spring, m.
    """

    x: ca.SX
    y: ca.SX
    turn: ca.SX
    elongation: ca.SX

    @classmethod
    def add(cls, model: Model) -> Anchor:
        """Add the variables."""
        told = (
            ("x", 1.0, "1", "direction, seen by the sleeve, where the journal began to stick"),
            ("y", 0.0, "1", "direction, seen by the sleeve, where the journal began to stick"),
            ("turn", 0.0, "rad", "angle of the journal in the sleeve where it began to stick"),
            ("elongation", 0.0, "m", "of the tangential spring where the journal began to stick"),
        )
        return cls(
            *(
                model.discretes.add(
                    f"anchor.{name}", start, unit=unit, description=text, visibility="local"
                )
                for name, start, unit, text in told
            )
        )

    def at(self, motion: Motion, elongation: ca.SX | float) -> dict[str, ca.SX | float]:
        """Return the assignments that store the present place."""
        x, y = _seen(motion)
        return {
            "anchor.x": x,
            "anchor.y": y,
            "anchor.turn": motion.journal_turn,
            "anchor.elongation": elongation,
        }

    def rolled(self, motion: Motion) -> tuple[ca.SX, ca.SX]:
        """Return by which angle the journal has rolled along the sleeve, rad, and its cosine."""
        x, y = _seen(motion)
        sine, cosine = self.x * y - self.y * x, self.x * x + self.y * y
        centred = ca.logic_and(ca.eq(sine, 0), ca.eq(cosine, 0))
        return ca.atan2(sine, ca.if_else(centred, 1, cosine)), cosine


def _seen(motion: Motion) -> tuple[ca.SX, ca.SX]:
    """Return the direction to the journal on the sleeve's axes."""
    x, y = motion.direction
    cosine, sine = ca.cos(motion.turn), ca.sin(motion.turn)
    return x * cosine + y * sine, y * cosine - x * sine


def add_forces(model: Model, motion: Motion, data: Parameters) -> Forces:
    """Let journal and sleeve act on each other by the law chosen."""
    normal = _touch(model, motion, data)
    tangential, sticks = _rub(model, motion, data, normal)
    along, across = motion.direction
    x, y = normal.force * along - tangential * across, normal.force * across + tangential * along
    journal_radius = data.sizes.journal_radius
    oil_x, oil_y, drag = _lubricate(model, motion, data)
    couple = motion.place[0] * oil_y - motion.place[1] * oil_x
    return Forces(
        x + oil_x,
        y + oil_y,
        tangential * (journal_radius + motion.eccentricity) + drag,
        couple - drag - tangential * journal_radius,
        normal,
        tangential,
        sticks,
    )


def _touch(model: Model, motion: Motion, data: Parameters) -> Normal:
    """Add the contact's event; return the normal force by the law chosen."""
    dry = data.law < LUBRICATED
    begun = Memory.add(model, "contact")
    touches = model.events.add("contact")
    depth = motion.eccentricity - data.sizes.clearance
    laws = _laws(data.sizes, data.contact)
    hertz, linear = (law(depth, motion.closing, begun.speed) for law in laws)
    force = touches * model.select(data.law, hertz, linear, 0)
    model.require(
        "contact.depth",
        ca.if_else(dry, data.sizes.clearance - depth, 1),
        "the parts overlap by more than the clearance at the start; change the start values",
        shown=depth,
        initial=True,
    )
    return Normal(depth, force, touches, begun)


def _laws(sizes: Sizes, contact: Contact) -> tuple[LankaraniNikravesh, KelvinVoigt]:
    spheres = stiffness(
        sizes.journal_radius, -sizes.sleeve_radius, contact.modulus, contact.poissons_ratio
    )
    return (
        LankaraniNikravesh(spheres, contact.restitution),
        KelvinVoigt(contact.stiffness, contact.damping),
    )


def _rub(model: Model, motion: Motion, data: Parameters, normal: Normal) -> tuple[ca.SX, ca.SX]:
    """Add the events of contact and friction; return the tangential force, N, and the mode.

    While the surfaces stick, a spring and a damper act between the places that met, up to the
    static limit. They slide where that is reached and the elongation still grows, and stick again
    where they move back.
    """
    friction, anchor = data.friction, Anchor.add(model)
    slides = model.events.add("slides")
    way = model.discretes.add(
        "slides.way",
        0.0,
        description="direction of sliding, 1 counter-clockwise",
        visibility="local",
    )
    sliding = motion.across + data.sizes.journal_radius * motion.spin
    angle, cosine = anchor.rolled(motion)
    elongation = (
        anchor.elongation
        + motion.eccentricity * angle
        + data.sizes.journal_radius * (motion.journal_turn - anchor.turn)
    )
    trial = friction.stiffness * elongation + friction.damping * sliding
    pressed = ca.fmax(normal.force, 0)
    limit, kinetic = friction.static * pressed, friction.kinetic * pressed
    held = ca.fmax(-limit, ca.fmin(trial, limit))
    rubs = ca.logic_and(normal.touches, friction.static > 0)
    # An event has one band: speeds are scaled such that theirs becomes that of forces.
    speed = FORCE_BAND / SPEED_BAND * sliding
    leaves = ca.fmin(ca.fabs(trial) - limit, speed * ca.sign(trial))
    model.events.add(
        "slides",
        ca.if_else(rubs, ca.if_else(slides, way * speed, leaves), -1),
        band=FORCE_BAND,
        rising={"slides.way": ca.sign(trial)},
        falling=anchor.at(motion, way * kinetic / friction.stiffness),
    )
    model.events.add(
        "rolls_on",
        ca.if_else(ca.logic_and(rubs, ca.logic_not(slides)), FURTHEST - cosine, -1),
        rising=anchor.at(motion, elongation),
    )
    begun = {**normal.begun.begun(model.time, motion.closing), **anchor.at(motion, 0.0)}
    dry = data.law < LUBRICATED
    model.events.add("contact", ca.if_else(dry, normal.depth, -1), band=BAND, rising=begun)
    force = ca.if_else(rubs, ca.if_else(slides, way * kinetic, held), 0)
    return force, ca.logic_and(rubs, ca.logic_not(slides))


def _lubricate(model: Model, motion: Motion, data: Parameters) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Return the film's force and drag on the sleeve where that law is chosen."""
    oil = film(
        motion.place,
        motion.rate,
        motion.spin,
        radius=data.sizes.journal_radius,
        clearance=data.sizes.clearance,
        length=data.sizes.length,
        viscosity=data.viscosity,
    )
    model.require(
        "film.eccentricity",
        model.select(data.law, 1, 1, oil.margin),
        BEYOND,
        shown=oil.eccentricity_ratio,
    )
    x, y, drag = (
        model.select(data.law, 0, 0, part) for part in (oil.force_x, oil.force_y, oil.moment)
    )
    return x, y, drag
