"""The Calspan tyre, the law of the Iltis vehicle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca

from mbcore.elements.tyres.law import TyreContact, TyreForces, TyreLaw
from mbcore.model import checks
from mbcore.model.calls import explains_construction
from mbcore.model.variables import Number

UNITS = {"A0": "N", "A2": "N", "A4": "N", "B1": "1/N", "B4": "1/N2", "AF1": "m/N", "AF2": "m/N"}
"""Units of the coefficients that are not plain numbers."""


@explains_construction
@dataclass(frozen=True)
class CalspanTyre(TyreLaw):
    """The Calspan model of lateral force and aligning moment, by default the Iltis vehicle's tyre.

    IAVSD benchmark "Bombardier Iltis" (Vehicle System Dynamics 22, supplement, 1993), with load F:

        μ = (B1 F + B3 + B4 F²) S_N
        ā = -C_α (α + α_γ) / (μ F),   C_α = A0 + A1 F (1 - F/A2),   C_α α_γ = A3 F (1 - F/A4) γ
        F_y = μ F (ā - ā|ā|/3 + ā³/27), or ± μ F where |ā| > 3
        M_z = (A_F1 F + A_F2 |F_y|) F_y

    Above the load Ω A2 both stiffnesses are constant. Longitudinal slip and the dependence on
    speed, B2, are left out. With the sign of AF2 as given the trail shrinks with the force; one
    published source prints the other sign.

    Attributes
    ----------
    A0, A2, A4 : number or expression
        N.
    A1, A3, B3, Omega, SN : number or expression
        Dimensionless.
    B1, B4 : number or expression
        1/N and 1/N2.
    AF1, AF2 : number or expression
        m/N.
    """

    A0: Number = 2625.0
    A1: Number = 14.47
    A2: Number = 12930.0
    A3: Number = 2.29
    A4: Number = 18175.0
    Omega: Number = 1.0
    B1: Number = -0.464e-4
    B3: Number = 1.216
    B4: Number = 2.18e-11
    SN: Number = 1.0274
    AF1: Number = -0.171e-4
    AF2: Number = 0.171e-4

    def __post_init__(self) -> None:
        ends: dict[str, dict[str, Any]] = {name: {"unit": unit} for name, unit in UNITS.items()}
        for name in ("A2", "A4"):
            ends[name]["above"] = 0
        checks.fields("Calspan tyre", self, **ends)

    def forces(self, contact: TyreContact) -> TyreForces:
        """Return lateral force and aligning moment."""
        F = contact.load
        mu = (self.B1 * F + self.B3 + self.B4 * F**2) * self.SN
        felt = ca.fmin(F, self.Omega * self.A2)
        cornering = self.A0 + self.A1 * felt * (1 - felt / self.A2)
        camber = self.A3 * felt * (1 - felt / self.A4)
        a = -(cornering * contact.slip_angle + camber * contact.camber) / (mu * F)
        cubic = a - a * ca.fabs(a) / 3 + a**3 / 27
        lateral = mu * F * ca.if_else(ca.fabs(a) < 3, cubic, ca.sign(a))
        trail = -(self.AF1 * F + self.AF2 * ca.fabs(lateral))
        return TyreForces(ca.SX(0), lateral, -contact.direction * trail * lateral)
