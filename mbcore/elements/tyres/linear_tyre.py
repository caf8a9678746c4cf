"""The linear tyre: forces in proportion to the slips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mbcore.elements.tyres.law import (
    TyreContact,
    TyreForces,
    TyreLaw,
    TyreRelaxation,
    road_friction,
)
from mbcore.model import checks
from mbcore.model.calls import explains_construction
from mbcore.model.variables import Number

STIFFNESSES: dict[str, dict[str, Any]] = {
    "cornering_stiffness": {"least": 0, "unit": "N/rad"},
    "camber_stiffness": {"least": 0, "unit": "N/rad"},
    "longitudinal_stiffness": {"least": 0, "unit": "N"},
}
"""Ranges and units of a law's stiffnesses."""
LENGTHS: dict[str, dict[str, Any]] = {
    f"{what}_relaxation": {"least": 0, "unit": "m"} for what in ("longitudinal", "lateral")
}
"""Ranges and units of its relaxation lengths."""


def positive_lengths(owner: str, along: Number, across: Number) -> tuple[Number, Number]:
    """Return the relaxation lengths, unless one of them is zero."""
    for what, value in zip(LENGTHS, (along, across), strict=True):
        checks.number(owner, what, value, above=0, unit="m")
    return along, across


@explains_construction
@dataclass(frozen=True)
class LinearTyre(TyreLaw):
    """Forces proportional to the slips, whatever the load; none in the air.

        F_x = C_κ κ,   F_y = -(C_α α + C_γ γ),   M_z = -t F_y

    Attributes
    ----------
    cornering_stiffness, camber_stiffness : number or expression
        C_α and C_γ, N/rad.
    longitudinal_stiffness : number or expression
        C_κ, N.
    trail : number or expression
        Pneumatic trail t, m; the lateral force acts so far behind the contact point.
    longitudinal_relaxation, lateral_relaxation : number or expression
        Relaxation lengths σ_κ and σ_α, m, positive where the tyre has relaxation.
    """

    cornering_stiffness: Number
    camber_stiffness: Number = 0.0
    longitudinal_stiffness: Number = 0.0
    trail: Number = 0.0
    longitudinal_relaxation: Number = 0.0
    lateral_relaxation: Number = 0.0

    def __post_init__(self) -> None:
        checks.fields("linear tyre", self, trail={"unit": "m"}, **STIFFNESSES, **LENGTHS)

    def forces(self, contact: TyreContact) -> TyreForces:
        """Return the linear forces."""
        lateral = -(
            self.cornering_stiffness * contact.slip_angle + self.camber_stiffness * contact.camber
        )
        longitudinal = self.longitudinal_stiffness * contact.slip_ratio
        return TyreForces(longitudinal, lateral, -contact.direction * self.trail * lateral)

    def on_road(self, friction: Number) -> LinearTyre:
        """Return the same law: its forces have no limit that a road could lower."""
        road_friction(self, friction)
        return self

    def relaxation(self, contact: TyreContact) -> TyreRelaxation:
        """Return the constant lengths; a force without peak has no end."""
        del contact
        return TyreRelaxation(
            positive_lengths("linear tyre", self.longitudinal_relaxation, self.lateral_relaxation)
        )
