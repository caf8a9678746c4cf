"""Forces between journal and sleeve: a normal law with friction that sticks, or an oil film."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Model
from mbcore.contact.compliant_friction import Grip, Rolling, grip
from mbcore.contact.hertz import KelvinVoigt, LankaraniNikravesh, stiffness
from mbcore.contact.journal_bearing import BEYOND, film
from mbcore.contact.memory import Memory
from mbcore.contact.touching import BAND

from .motion import Motion
from .parameters import LUBRICATED, Contact, Parameters, Sizes


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


def add_forces(model: Model, motion: Motion, data: Parameters) -> Forces:
    """Let journal and sleeve act on each other by the law chosen."""
    normal = _touch(model, motion, data)
    friction = _rub(model, motion, data, normal)
    tangential = friction.force
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
        friction.sticks,
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


def _rub(model: Model, motion: Motion, data: Parameters, normal: Normal) -> Grip:
    """Add friction, and the event of contact."""
    rolling = Rolling(
        motion.seen,
        motion.eccentricity,
        motion.journal_turn,
        data.sizes.journal_radius,
        motion.across + data.sizes.journal_radius * motion.spin,
    )
    found = grip(model, "", rolling, data.friction, (normal.force, normal.touches))
    begun = {**normal.begun.begun(model.time, motion.closing), **found.begun}
    dry = data.law < LUBRICATED
    model.events.add("contact", ca.if_else(dry, normal.depth, -1), band=BAND, rising=begun)
    return found


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
