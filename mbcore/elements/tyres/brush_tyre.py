"""The brush tyre: bristles that stick, then slide."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import casadi as ca

from mbcore.elements.tyres.law import (
    TyreContact,
    TyreForces,
    TyreLaw,
    TyreRelaxation,
    road_friction,
)
from mbcore.elements.tyres.linear_tyre import LENGTHS, STIFFNESSES, LinearTyre, positive_lengths
from mbcore.model import checks
from mbcore.model.calls import explains_construction
from mbcore.model.variables import Number

LEAST_FRICTION = 1e-9
"""Greatest force on a road without friction, N: linear forces are divided by it."""


@explains_construction
@dataclass(frozen=True)
class BrushTyre(TyreLaw):
    """Linear for small slips, and never above Coulomb's μ F: bristles under a parabolic pressure.

    With F_1 the vector of the linear forces and a = |F_1| / (μ F), the force is F_1 f(a)/a with
    f = a - a²/3 + a³/27 up to a = 3, where all bristles slide, and f = 1 beyond. The moment is
    -t F_1y (1 - a/3)³: the trail vanishes with the adhesion (Fiala; Pacejka, Tyre and Vehicle
    Dynamics, 3.2).

    Attributes
    ----------
    friction : number or expression
        Coefficient of friction μ.
    cornering_stiffness, camber_stiffness, longitudinal_stiffness, trail : number or expression
        As in `LinearTyre`, for small slips.
    longitudinal_relaxation, lateral_relaxation : number or expression
        As in `LinearTyre`.
    """

    friction: Number
    cornering_stiffness: Number
    camber_stiffness: Number = 0.0
    longitudinal_stiffness: Number = 0.0
    trail: Number = 0.0
    longitudinal_relaxation: Number = 0.0
    lateral_relaxation: Number = 0.0

    def __post_init__(self) -> None:
        checks.fields(
            "brush tyre",
            self,
            friction={"least": 0},
            trail={"unit": "m"},
            **STIFFNESSES,
            **LENGTHS,
        )

    def forces(self, contact: TyreContact) -> TyreForces:
        """Return the saturating forces."""
        linear = LinearTyre(
            self.cornering_stiffness, self.camber_stiffness, self.longitudinal_stiffness, self.trail
        ).forces(contact)
        limit = self._greatest(contact)
        square = (linear.longitudinal / limit) ** 2 + (linear.lateral / limit) ** 2
        sliding = ca.sqrt(square + 1e-30)  # has a derivative without slip
        share = ca.if_else(sliding < 3, 1 - sliding / 3 + sliding**2 / 27, 1 / sliding)
        adhesion = ca.fmax(1 - sliding / 3, 0) ** 3
        return TyreForces(
            share * linear.longitudinal,
            share * linear.lateral,
            adhesion * linear.aligning_moment,
        )

    def on_road(self, friction: Number) -> BrushTyre:
        """Return the tyre with a friction scaled by the road; its stiffness is its own."""
        return replace(self, friction=self.friction * road_friction(self, friction))

    def _greatest(self, contact: TyreContact) -> ca.SX:
        """Return μ F, N."""
        limit = self.friction * contact.load
        return ca.if_else(limit < LEAST_FRICTION, LEAST_FRICTION, limit)  # fmax would hide NaN

    def relaxation(self, contact: TyreContact) -> TyreRelaxation:
        """Return the constant lengths, and the slips at which all bristles slide, a = 3."""
        sliding = 3 * self._greatest(contact)
        stiffnesses = (self.longitudinal_stiffness, self.cornering_stiffness)
        along, across = (
            math.inf if isinstance(c, float) and c == 0 else sliding / c for c in stiffnesses
        )
        return TyreRelaxation(
            positive_lengths("brush tyre", self.longitudinal_relaxation, self.lateral_relaxation),
            peaks=(along, across),
        )
