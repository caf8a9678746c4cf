"""Parameters of a slider joint with clearance: bearing, contact laws, friction, lubricant."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Item, Model
from mbcore.contact import CompliantFriction, CoulombFriction, SwitchedFriction

from ..shared import fixed_length

SMOOTHED = 1
"""Number of the friction that does not stick."""


@dataclass(frozen=True)
class Bearing:
    """Geometry of journal and sleeve, m."""

    journal_radius: ca.SX
    radius: ca.SX
    """Of the sleeve."""
    width: ca.SX

    @property
    def clearance(self) -> ca.SX:
        """Radial clearance, m."""
        return self.radius - self.journal_radius


@dataclass(frozen=True)
class Material:
    """Of journal and sleeve, and of the oil between them; SI units."""

    modulus: ca.SX
    poissons_ratio: ca.SX
    restitution: ca.SX
    viscosity: ca.SX


@dataclass(frozen=True)
class Contact:
    """Parameters of the contact laws beside the material; SI units."""

    stiffness: ca.SX
    damping: ca.SX
    friction: SwitchedFriction
    settling_time: ca.SX


@dataclass(frozen=True)
class Parameters:
    """All parameters of the joint."""

    bearing: Bearing
    material: Material
    law: ca.SX
    """Number of the law chosen."""
    contact: Contact
    drag: ca.SX
    """How much of the oil film's drag acts on the rod."""


def add_parameters(crank: Model) -> Parameters:
    """Add the parameters of the joint."""
    bearing = _add_bearing(crank)
    material = _add_material(crank)
    law = crank.enumeration(
        "joint.law",
        [
            Item("hertz", "Hertzian contact with hysteresis, (5.2) to (5.10)"),
            Item("linear", "spring and damper while in contact, as 4.4.5, not clipped"),
            Item("impact", "impulses with restitution and permanent contact, 5.3"),
            Item("lubricated", "oil film, Appendix C"),
        ],
        description="contact law of the joint",
    )
    contact = _add_contact(crank)
    drag = crank.parameter(
        "joint.drag",
        0.0,
        minimum=0.0,
        maximum=1.0,
        description="how much of the oil film's drag acts on the rod: 0 as in 5.4.4, 1 all of it",
    )
    return Parameters(bearing, material, law, contact, drag)


def _add_bearing(crank: Model) -> Bearing:
    """Add radii and width of the bearing."""
    journal_radius = fixed_length(crank, "joint.journal_radius", 9.5e-3, "radius of the journal")
    radius = fixed_length(
        crank, "joint.bearing_radius", 10e-3, "radius of the sleeve, larger than the journal's"
    )
    width = fixed_length(
        crank, "joint.width", 20e-3, "width of the bearing, for the law lubricated"
    )
    bearing = Bearing(journal_radius, radius, width)
    crank.require(
        "joint.bearing_radius",
        bearing.clearance,
        "must be larger than the journal's radius",
        shown=radius,
        initial=True,
    )
    return bearing


def _add_material(crank: Model) -> Material:
    modulus = crank.parameter(
        "joint.youngs_modulus", 2.06e11, unit="Pa", positive=True, description="of both parts"
    )
    poissons_ratio = crank.parameter(
        "joint.poissons_ratio", 0.3, minimum=0.0, maximum=0.5, description="of both parts"
    )
    restitution = crank.parameter(
        "joint.restitution",
        0.95,
        minimum=0.0,
        maximum=1.0,
        description="coefficient of restitution e, of (5.10) and of impacts",
    )
    viscosity = crank.parameter(
        "joint.viscosity", 0.1, unit="Pa.s", positive=True, description="for the law lubricated"
    )
    return Material(modulus, poissons_ratio, restitution, viscosity)


def _add_contact(crank: Model) -> Contact:
    stiffness = crank.parameter(
        "joint.stiffness", 1e8, unit="N/m", minimum=0.0, description="of the law linear"
    )
    damping = crank.parameter(
        "joint.damping", 0.0, unit="N.s/m", minimum=0.0, description="of the law linear"
    )
    settling_time = crank.parameter(
        "joint.settling_time",
        1e-5,
        unit="s",
        positive=True,
        description="of the law impact: impacts that would be over sooner count as over, (5.26)",
    )
    return Contact(stiffness, damping, _add_friction(crank), settling_time)


def _add_friction(crank: Model) -> SwitchedFriction:
    kinetic = crank.parameter(
        "joint.friction",
        0.0,
        minimum=0.0,
        description="Coulomb's coefficient of friction of the laws hertz, linear and impact",
    )
    speed = crank.parameter(
        "joint.friction_speed",
        1e-2,
        unit="m/s",
        positive=True,
        description="sliding speed at which friction has reached 71 % of Coulomb's, for smoothed",
    )
    law = crank.enumeration(
        "joint.friction_law",
        [
            Item("smoothed", "zero at rest, so that what would stick creeps"),
            Item("compliant", "sticks by a spring and a damper, not for impact"),
        ],
        description="friction of the laws hertz and linear",
    )
    static = crank.parameter(
        "joint.static_friction",
        0.0,
        minimum=0.0,
        description="coefficient up to which they stick, for compliant; 0: that of sliding",
    )
    crank.require(
        "joint.static_friction",
        ca.if_else(ca.eq(static, 0), 1, ca.if_else(static < kinetic, -1, 1)),
        "must not be below joint.friction; 0 stands for joint.friction",
        shown=static,
        initial=True,
    )
    stiffness = crank.parameter(
        "joint.friction_stiffness",
        1e7,
        unit="N/m",
        positive=True,
        description="along the surface, while they stick, for compliant",
    )
    damping = crank.parameter(
        "joint.friction_damping",
        100.0,
        unit="N.s/m",
        minimum=0.0,
        description="along the surface, while they stick, for compliant",
    )
    return SwitchedFriction(
        CompliantFriction(kinetic, stiffness, damping, static),
        law > SMOOTHED,
        CoulombFriction(kinetic, speed),
    )
