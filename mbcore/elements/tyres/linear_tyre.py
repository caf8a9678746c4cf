"""The linear tyre: forces in proportion to the slips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mbcore.elements.tyres.law import TyreContact, TyreForces, TyreLaw
from mbcore.model import checks
from mbcore.model.variables import Number

STIFFNESSES: dict[str, dict[str, Any]] = {
    f"{what}_stiffness": {"least": 0} for what in ("cornering", "camber", "longitudinal")
}
"""Ranges of a law's stiffnesses."""


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
    """

    cornering_stiffness: Number
    camber_stiffness: Number = 0.0
    longitudinal_stiffness: Number = 0.0
    trail: Number = 0.0

    def __post_init__(self) -> None:
        checks.fields("linear tyre", self, **STIFFNESSES)

    def forces(self, contact: TyreContact) -> TyreForces:
        """Return the linear forces."""
        lateral = -(
            self.cornering_stiffness * contact.slip_angle + self.camber_stiffness * contact.camber
        )
        longitudinal = self.longitudinal_stiffness * contact.slip_ratio
        return TyreForces(longitudinal, lateral, -contact.direction * self.trail * lateral)
