"""Parameters of the clearance joint: sizes, normal laws, friction, lubricant."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Item, Model
from mbcore.contact.compliant_friction import CompliantFriction

from ..shared import fixed_length

HERTZ, LINEAR, LUBRICATED = 1, 2, 3
"""Numbers of the laws."""


@dataclass(frozen=True)
class Sizes:
    """Radial clearance, radius of the journal and length of the bearing, m."""

    clearance: ca.SX
    journal_radius: ca.SX
    length: ca.SX

    @property
    def sleeve_radius(self) -> ca.SX:
        """Radius of the sleeve, m."""
        return self.journal_radius + self.clearance


@dataclass(frozen=True)
class Contact:
    """Of the normal laws, SI units."""

    modulus: ca.SX
    poissons_ratio: ca.SX
    restitution: ca.SX
    stiffness: ca.SX
    damping: ca.SX


@dataclass(frozen=True)
class Parameters:
    """All parameters."""

    sizes: Sizes
    law: ca.SX
    """Number of the law chosen."""
    contact: Contact
    friction: CompliantFriction
    viscosity: ca.SX


def add_parameters(model: Model) -> Parameters:
    """Add the parameters."""
    sizes = Sizes(
        fixed_length(
            model,
            "clearance.radius",
            0.5e-3,
            "radial clearance: radius of the sleeve less that of the journal",
        ),
        fixed_length(model, "journal.radius", 9.5e-3, "radius of the journal"),
        fixed_length(model, "journal.length", 20e-3, "length of the bearing, for lubricated"),
    )
    law = model.enumeration(
        "law",
        [
            Item("hertz", "Hertzian contact with hysteresis, (5.2) to (5.10)"),
            Item("linear", "spring and damper while in contact, as 4.4.5, not clipped"),
            Item("lubricated", "oil film, Appendix C"),
        ],
        description="law of the normal force",
    )
    viscosity = model.parameter(
        "film.viscosity",
        0.1,
        unit="Pa.s",
        positive=True,
        description="dynamic viscosity of the lubricant, for lubricated",
    )
    return Parameters(sizes, law, _add_contact(model), _add_friction(model), viscosity)


def _add_contact(model: Model) -> Contact:
    return Contact(
        model.parameter(
            "contact.youngs_modulus",
            2.06e11,
            unit="Pa",
            positive=True,
            description="of both parts, for hertz",
        ),
        model.parameter(
            "contact.poissons_ratio",
            0.3,
            minimum=0.0,
            maximum=0.5,
            description="of both parts, for hertz",
        ),
        model.parameter(
            "contact.restitution",
            0.95,
            minimum=0.0,
            maximum=1.0,
            description="coefficient of restitution e of (5.10), for hertz",
        ),
        model.parameter(
            "contact.stiffness", 1e8, unit="N/m", minimum=0.0, description="for linear"
        ),
        model.parameter(
            "contact.damping", 0.0, unit="N.s/m", minimum=0.0, description="for linear"
        ),
    )


def _add_friction(model: Model) -> CompliantFriction:
    kinetic = model.parameter(
        "friction.coefficient",
        0.0,
        minimum=0.0,
        description="Coulomb's coefficient while the surfaces slide",
    )
    static = model.parameter(
        "friction.static",
        0.0,
        minimum=0.0,
        description="coefficient up to which they stick; 0: that of sliding",
    )
    model.require(
        "friction.static",
        ca.if_else(ca.eq(static, 0), 1, ca.if_else(static < kinetic, -1, 1)),
        "must not be below friction.coefficient; 0 stands for friction.coefficient",
        shown=static,
        initial=True,
    )
    stiffness = model.parameter(
        "friction.stiffness",
        1e7,
        unit="N/m",
        positive=True,
        description="along the surface, while they stick",
    )
    damping = model.parameter(
        "friction.damping",
        100.0,
        unit="N.s/m",
        minimum=0.0,
        description="along the surface, while they stick",
    )
    return CompliantFriction(kinetic, stiffness, damping, static)
