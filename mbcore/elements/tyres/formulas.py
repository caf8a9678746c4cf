"""The Magic Formula: forces and moments of a tyre as formulas of its coefficients.

[Pacejka2012] Tire and Vehicle Dynamics, 3rd edition, appendix 4.3.2, equations (4.E1) to (4.E78),
and 4.75 to 4.108 for turn slip. Where its printing departs from the solver that files are fitted
for, [Besselink2010] An improved Magic Formula/Swift tyre model that can handle inflation pressure
changes, Vehicle System Dynamics 48 (S1), 337-352, (A1) to (A60), holds. MF 5.2 is the same with
fewer coefficients, but for `camber_shift`, `force_at_trail`, `overturning_moment` and
`rolling_resistance`.

Here are equations alone; `mbcore.elements.tyres.magic_formula` has the tyre itself, its file, its
side and its ranges. Signs are those of the W axes of TYDEX (ISO 8855): forward, left,
up, forces of the road on the tyre. Coefficients have the names that they have in files.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import casadi as ca
import numpy as np

from mbcore.elements.tyres.conditions import Conditions, Factors, Lateral, without_camber

EPSILON = 1e-6
"""ε_x, ε_y, ε_K, N and N/rad: keep quotients finite where a tyre has no friction or stiffness."""
LEAST_FRICTION = 1e-6
"""Factor of the friction at which the slope of the trail ends to grow: it is over that factor, and
without friction there is no force that has a trail."""


def sign(x: ca.SX) -> ca.SX:
    """Return 1 or -1; 1 at zero, so that derivatives there are those of one branch."""
    return ca.if_else(x < 0, -1, 1)


def bent(slope: ca.SX, curvature: ca.SX, x: ca.SX) -> ca.SX:
    """Return B x - E (B x - arctan B x), with a curvature of at most one."""
    return slope * x - ca.fmin(curvature, 1) * (slope * x - ca.atan(slope * x))


def nonzero(x: ca.SX) -> ca.SX:
    """Return x moved away from zero by ε."""
    return x + EPSILON * sign(x)


class MagicFormulas:
    """The equations for one set of coefficients at given conditions.

    Parameters
    ----------
    coefficients : mapping of str to number or expression
        With the names of files.
    version : {52, 61, 62}
        Of the formula.
    at : Conditions
        Arguments.
    """

    def __init__(self, coefficients: dict[str, Any], version: int, at: Conditions) -> None:
        c = self.c = SimpleNamespace(**coefficients)
        self.version, self.at = version, at
        self.radius = c.UNLOADED_RADIUS
        self.nominal_load = c.FNOMIN * c.LFZO  # (4.E1)
        self.dfz = (at.load - self.nominal_load) / self.nominal_load  # (4.E2a)
        self.dpi = (at.pressure - c.NOMPRES) / c.NOMPRES  # (4.E2b)

    def spin(self) -> ca.SX:
        """Return φ, the turn slip and what camber adds to it, 1/m: Pacejka 4.76."""
        assert self.at.turn_slip is not None
        reduced = 1 - self._camber_reduction()
        turning = (1 + self.at.slip_ratio) * ca.sin(self.at.camber) / self.radius
        return self.at.turn_slip + reduced * turning

    def _camber_reduction(self) -> ca.SX:
        return self.c.PECP1 * (1 + self.c.PECP2 * self.dfz)  # Pacejka 4.90

    # Pure slip

    def longitudinal(self, factors: Factors) -> tuple[ca.SX, ca.SX]:
        """Return the force F_x0 and the slip stiffness K_xκ at pure longitudinal slip."""
        c, at, dfz = self.c, self.at, self.dfz
        shape = c.PCX1 * c.LCX  # (4.E11)
        peak = self.longitudinal_friction() * at.load * factors.zeta_1  # (4.E12)
        stiffness = self.slip_stiffness()
        slip = at.slip_ratio + (c.PHX1 + c.PHX2 * dfz) * c.LHX  # (4.E10), (4.E17)
        shift = at.load * (c.PVX1 + c.PVX2 * dfz) * c.LVX * c.LMUX * factors.zeta_1  # (4.E18)
        curvature = self.longitudinal_curvature() * (1 - c.PEX4 * sign(slip))  # (4.E14)
        slope = stiffness / nonzero(shape * peak)  # (4.E16)
        force = peak * ca.sin(shape * ca.atan(bent(slope, curvature, slip))) + shift  # (4.E9)
        return force, stiffness

    def longitudinal_friction(self) -> ca.SX:
        """Return μ_x: (4.E13)."""
        c, dpi = self.c, self.dpi
        friction = (c.PDX1 + c.PDX2 * self.dfz) * (1 + c.PPX3 * dpi + c.PPX4 * dpi**2)
        return friction * (1 - c.PDX3 * (c.LGAX * self.at.camber) ** 2) * c.LMUX

    def slip_stiffness(self) -> ca.SX:
        """Return K_xκ, N: (4.E15)."""
        c, dfz, dpi = self.c, self.dfz, self.dpi
        stiffness = self.at.load * (c.PKX1 + c.PKX2 * dfz) * ca.exp(c.PKX3 * dfz)
        return stiffness * (1 + c.PPX1 * dpi + c.PPX2 * dpi**2) * c.LKX

    def longitudinal_curvature(self) -> ca.SX:
        """Return E_x without its change of side: of (4.E14)."""
        c, dfz = self.c, self.dfz
        return (c.PEX1 + c.PEX2 * dfz + c.PEX3 * dfz**2) * c.LEX

    def lateral_friction(self) -> ca.SX:
        """Return μ_y: (4.E23)."""
        c, dpi = self.c, self.dpi
        friction = (c.PDY1 + c.PDY2 * self.dfz) * (1 + c.PPY3 * dpi + c.PPY4 * dpi**2)
        return friction * (1 - c.PDY3 * (c.LGAY * self.at.camber) ** 2) * c.LMUY

    def lateral_curvature(self) -> ca.SX:
        """Return E_y without camber and its change of side: of (4.E24)."""
        return (self.c.PEY1 + self.c.PEY2 * self.dfz) * self.c.LEY

    def cornering_stiffness(self, camber: ca.SX) -> ca.SX:
        """Return K_yα without the reduction by spin, N/rad: (4.E25)."""
        c, dpi = self.c, self.dpi
        most = c.PKY1 * self.nominal_load * (1 + c.PPY1 * dpi) * (1 - c.PKY3 * ca.fabs(camber))
        at_peak = (c.PKY2 + c.PKY5 * camber**2) * (1 + c.PPY2 * dpi)
        return most * ca.sin(c.PKY4 * ca.atan(self.at.load / self.nominal_load / at_peak)) * c.LKY

    def camber_stiffness(self) -> ca.SX:
        """Return K_yγ0, N/rad: (4.E30), in MF 5.2 that of its equation manual."""
        c, load = self.c, self.at.load
        if self.version == 52:
            return c.PHY3 * self.cornering_stiffness(ca.SX(0)) + load * (c.PVY3 + c.PVY4 * self.dfz)
        return load * (c.PKY6 + c.PKY7 * self.dfz) * (1 + c.PPY5 * self.dpi) * c.LKYC

    def camber_shift(self, stiffness: ca.SX, of_force: ca.SX, factors: Factors) -> ca.SX:
        """Return the part of S_Hy that camber and spin make: of (4.E27)."""
        camber = self.c.LGAY * self.at.camber
        if self.version == 52:
            moved = self.c.PHY3 * camber
        else:
            moved = (self.camber_stiffness() * camber - of_force) / nonzero(stiffness)
        return moved * factors.zeta_0 + factors.zeta_4 - 1

    def force_of_camber(self, factors: Factors) -> ca.SX:
        """Return S_Vyγ, N: (4.E28)."""
        c = self.c
        shift = self.at.load * (c.PVY3 + c.PVY4 * self.dfz) * c.LGAY * self.at.camber
        return shift * c.LKYC * c.LMUY * factors.zeta_2

    def lateral(self, factors: Factors) -> Lateral:
        """Return the force F_y0 at pure side slip, and what goes with it."""
        c, at, dfz = self.c, self.at, self.dfz
        camber = c.LGAY * at.camber
        stiffness = self.cornering_stiffness(camber) * factors.zeta_3
        of_camber = self.force_of_camber(factors)
        shift_h = (c.PHY1 + c.PHY2 * dfz) * c.LHY
        shift_h += self.camber_shift(stiffness, of_camber, factors)  # (4.E27)
        shift_v = at.load * (c.PVY1 + c.PVY2 * dfz) * c.LVY * c.LMUY * factors.zeta_2
        shift_v += of_camber  # (4.E29)
        slip = at.slip_angle + shift_h  # (4.E20)
        shape = c.PCY1 * c.LCY  # (4.E21)
        friction = self.lateral_friction()
        peak = friction * at.load * factors.zeta_2  # (4.E22)
        curvature = self.lateral_curvature()
        curvature *= 1 + c.PEY5 * camber**2 - (c.PEY3 + c.PEY4 * camber) * sign(slip)  # (4.E24)
        slope = stiffness / nonzero(shape * peak)  # (4.E26)
        force = peak * ca.sin(shape * ca.atan(bent(slope, curvature, slip))) + shift_v  # (4.E19)
        return Lateral(force, friction, stiffness, shift_h, shift_v, slope * shape)

    # Combined slip

    def longitudinal_reduction(self) -> ca.SX:
        """Return G_xα, by which side slip reduces F_x: (4.E51) to (4.E57)."""
        c, at = self.c, self.at
        slope = (c.RBX1 + c.RBX3 * at.camber**2) * _cosine(c.RBX2 * at.slip_ratio) * c.LXAL
        curvature = c.REX1 + c.REX2 * self.dfz
        return _share(c.RCX1, slope, curvature, at.slip_angle, c.RHX1)

    def lateral_reduction(self) -> ca.SX:
        """Return G_yκ, by which longitudinal slip reduces F_y: (4.E59) to (4.E65)."""
        c, at, dfz = self.c, self.at, self.dfz
        slope = (c.RBY1 + c.RBY4 * at.camber**2) * c.LYKA
        slope *= _cosine(c.RBY2 * (at.slip_angle - c.RBY3))
        curvature, shift = c.REY1 + c.REY2 * dfz, c.RHY1 + c.RHY2 * dfz
        return _share(c.RCY1, slope, curvature, at.slip_ratio, shift)

    def ply_steer(self, friction: ca.SX, factors: Factors) -> ca.SX:
        """Return S_Vyκ, the side force that longitudinal slip makes, N: (4.E66), (4.E67)."""
        c, at = self.c, self.at
        most = friction * at.load * (c.RVY1 + c.RVY2 * self.dfz + c.RVY3 * at.camber)
        most *= _cosine(c.RVY4 * at.slip_angle) * factors.zeta_2
        return most * ca.sin(c.RVY5 * ca.atan(c.RVY6 * at.slip_ratio)) * c.LVYKA

    # Moments

    def overturning_moment(self, lateral: ca.SX) -> ca.SX:
        """Return M_x, N.m: (4.E69) with the terms that MF 6.2 adds."""
        c, at = self.c, self.at
        camber, force, load = at.camber, lateral / c.FNOMIN, at.load / c.FNOMIN
        rest = -c.QSX2 * camber * (1 + c.PPMX1 * self.dpi) + c.QSX3 * force
        rest += (
            c.QSX4
            * ca.cos(c.QSX5 * ca.atan((c.QSX6 * load) ** 2))
            * ca.sin(c.QSX7 * camber + c.QSX8 * ca.atan(c.QSX9 * force))
        )
        rest += c.QSX10 * ca.atan(c.QSX11 * load) * camber
        if self.version == 52:
            return self.radius * at.load * (c.QSX1 * c.LVMX + rest * c.LMX)  # PAC2002
        arm = c.QSX1 * c.LVMX + rest - c.QSX12 * camber * ca.fabs(camber)
        of_force = lateral * (c.QSX13 + c.QSX14 * ca.fabs(camber))
        return self.radius * c.LMX * (at.load * arm + of_force)

    def rolling_resistance(self, longitudinal: ca.SX) -> ca.SX:
        """Return M_y, N.m, negative where the tyre rolls forwards: (A48), of (4.E70)."""
        c, at = self.c, self.at
        speed = at.speed / c.LONGVL
        arm = c.QSY1 + c.QSY2 * longitudinal / c.FNOMIN + c.QSY3 * ca.fabs(speed)
        arm += c.QSY4 * speed**4
        if self.version == 52:
            return -at.direction * self.radius * at.load * arm * c.LMY
        load = at.load / c.FNOMIN
        arm += (c.QSY5 + c.QSY6 * load) * at.camber**2
        grown = load**c.QSY7 * (at.pressure / c.NOMPRES) ** c.QSY8
        return -at.direction * self.radius * c.FNOMIN * arm * grown * c.LMY

    def trail(self, slip: ca.SX, equivalent: ca.SX, factors: Factors) -> ca.SX:
        """Return the pneumatic trail t, m: (4.E73).

        ``slip`` is α_t, by which the curvature goes also at combined slip, and ``equivalent`` is
        α_t,eq.
        """
        c, at, dfz = self.c, self.at, self.dfz
        camber = c.LGAZ * at.camber
        slope = c.QBZ1 + c.QBZ2 * dfz + c.QBZ3 * dfz**2
        slope *= (
            (1 + c.QBZ4 * camber + c.QBZ5 * ca.fabs(camber)) * c.LKY / self._friction_factor()
        )  # (A58)
        peak = self._peak_trail() * (1 + c.QDZ3 * camber + c.QDZ4 * camber**2) * factors.zeta_5
        curvature = c.QEZ1 + c.QEZ2 * dfz + c.QEZ3 * dfz**2
        bend = 2 / np.pi * ca.atan(slope * c.QCZ1 * slip)
        curvature *= 1 + (c.QEZ4 + c.QEZ5 * camber) * bend  # (4.E44)
        at_slip = ca.cos(c.QCZ1 * ca.atan(bent(slope, curvature, equivalent)))
        return peak * at_slip * self._heading()

    def force_at_trail(self, pure: Lateral) -> ca.SX:
        """Return the force at pure slip that the trail is the arm of, N: of (4.E74).

        It has no camber and no spin but in MF 5.2, whose equation manual has F_y - S_Vyκ.
        """
        if self.version == 52:
            return pure.force
        upright = MagicFormulas(vars(self.c), self.version, without_camber(self.at))
        return upright.lateral(Factors()).force

    def _peak_trail(self) -> ca.SX:
        """Return D_t0 without the sign of the speed, m: (4.E42), (A60)."""
        c = self.c
        peak = (c.QDZ1 + c.QDZ2 * self.dfz) * (1 - c.PPZ1 * self.dpi) * c.LTR
        return peak * self.at.load * self.radius / self.nominal_load

    def _friction_factor(self) -> ca.SX:
        """Return λ_μy where something is divided by it."""
        return ca.fmax(self.c.LMUY, LEAST_FRICTION)

    def _heading(self) -> ca.SX:
        """Return cos α', by which the trail vanishes as a tyre moves sideways: (4.E6)."""
        return self.at.direction * ca.cos(self.at.slip_angle)

    def residual_moment(self, slip: ca.SX, pure: Lateral, factors: Factors) -> ca.SX:
        """Return M_zr at an equivalent slip α_r, N.m: (4.E75)."""
        c, dfz = self.c, self.dfz
        camber = c.LGAZ * self.at.camber
        offset = (c.QDZ6 + c.QDZ7 * dfz) * c.LRES * factors.zeta_2
        offset += self._residual_by_camber() * camber * c.LKZC * factors.zeta_0
        peak = self.at.load * self.radius * offset * c.LMUY * self._heading()
        peak += factors.zeta_8 - 1  # (4.E47)
        by_stiffness = c.QBZ9 * c.LKY / self._friction_factor()
        slope = (by_stiffness + c.QBZ10 * pure.slope_times_shape) * factors.zeta_6
        return peak * _cosine(slope * slip, factors.zeta_7)

    def _residual_by_camber(self) -> ca.SX:
        c, dfz = self.c, self.dfz
        linear = (c.QDZ8 + c.QDZ9 * dfz) * (1 + c.PPZ2 * self.dpi)
        return linear + (c.QDZ10 + c.QDZ11 * dfz) * ca.fabs(c.LGAZ * self.at.camber)

    def aligning_moment(
        self, forces: tuple[ca.SX, ca.SX], stiffness: ca.SX, pure: Lateral, factors: Factors
    ) -> ca.SX:
        """Return M_z at combined slip, N.m: (4.E71) to (4.E78), equivalent slips (A54), (A55).

        ``forces`` are F_x and F_y, ``stiffness`` is K_xκ, ``pure`` the side force at pure slip.
        """
        c, at, dfz = self.c, self.at, self.dfz
        camber = c.LGAZ * at.camber
        ratio = stiffness / nonzero(pure.stiffness) * at.slip_ratio
        trailing = at.slip_angle + c.QHZ1 + c.QHZ2 * dfz + (c.QHZ3 + c.QHZ4 * dfz) * camber
        residual = at.slip_angle + pure.shift_h + pure.shift_v / nonzero(pure.stiffness)  # (4.E37)
        across = self.force_at_trail(pure) * self.lateral_reduction()  # (4.E74)
        arm = c.SSZ1 + c.SSZ2 * forces[1] / c.FNOMIN + (c.SSZ3 + c.SSZ4 * dfz) * at.camber
        return (
            -self.trail(trailing, _equivalent(trailing, ratio), factors) * across
            + self.residual_moment(_equivalent(residual, ratio), pure, factors)
            + self.radius * arm * c.LS * forces[0]  # (A56)
        )

    # Turn slip

    def factors(self) -> Factors:
        """Return ζ_0 to ζ_8: Pacejka 4.77 to 4.108."""
        if self.at.turn_slip is None:
            return Factors()
        c, at, dfz, R0 = self.c, self.at, self.dfz, self.radius
        spin = R0 * self.spin()
        slope = c.PDXP1 * (1 + c.PDXP2 * dfz) * _cosine(c.PDXP3 * at.slip_ratio)  # Pacejka 4.106
        across = c.PDYP1 * (1 + c.PDYP2 * dfz)
        across *= _cosine(c.PDYP3 * ca.tan(at.slip_angle))  # Pacejka 4.78
        amount = ca.fabs(spin)
        root = ca.if_else(amount > 0, ca.sqrt(ca.if_else(amount > 0, amount, 1)), 0)
        first = Factors(
            zeta_0=0.0,  # Pacejka 4.83
            zeta_1=_cosine(slope * spin),  # Pacejka 4.105
            zeta_2=_cosine(across * (amount + c.PDYP4 * root)),  # Pacejka 4.77
            zeta_3=_cosine(c.PKYP1 * spin**2),  # Pacejka 4.79
            zeta_5=_cosine(c.QDTP1 * spin),  # Pacejka 4.91
            zeta_6=_cosine(c.QBRP1 * spin),  # Pacejka 4.102
        )
        zeta_7, drilling = self._drilling(first)
        return Factors(
            **{
                **vars(first),
                "zeta_4": 1 + self._spin_shift(spin, first),
                "zeta_7": zeta_7,
                "zeta_8": 1 + drilling,  # Pacejka 4.96
            }
        )

    def _spin_shift(self, spin: ca.SX, factors: Factors) -> ca.SX:
        """Return ζ_4 - 1, the slip angle that spin adds: Pacejka 4.80 to 4.89."""
        c, stiffness = self.c, self.cornering_stiffness(self.c.LGAY * self.at.camber)
        straight = self.cornering_stiffness(ca.SX(0)) * factors.zeta_3
        of_spin = self.camber_stiffness() / (1 - self._camber_reduction())  # Pacejka 4.89
        most = c.PHYP2 + c.PHYP3 * self.dfz  # Pacejka 4.86
        slope = of_spin / nonzero(c.PHYP1 * most * nonzero(straight))  # Pacejka 4.88
        shift = most * ca.sin(c.PHYP1 * ca.atan(bent(slope, ca.SX(c.PHYP4), spin)))  # Pacejka 4.80
        of_force = self.force_of_camber(factors) / nonzero(stiffness * factors.zeta_3)
        return shift - of_force  # Pacejka 4.84

    def _drilling(self, factors: Factors) -> tuple[ca.SX, ca.SX]:
        """Return ζ_7 and the peak D_rφ of the moment that spin makes: Pacejka 4.94 to 4.103."""
        c, at = self.c, self.at
        assert at.turn_slip is not None
        spin = self.radius * self.spin()
        friction = ca.fabs(self.lateral(factors).friction)
        most = c.QCRP1 * friction * self.radius * at.load
        most *= ca.sqrt(at.load / self.nominal_load) * c.LMP  # Pacejka 4.95
        peak = most / ca.sin(np.pi / 2 * c.QDRP1)  # Pacejka 4.94
        of_camber = (
            at.load * self.radius * self._residual_by_camber() * c.LKZC * c.LMUY
        )  # Pacejka 4.99
        slope = of_camber / (1 - self._camber_reduction()) / nonzero(c.QDRP1 * peak)
        found = peak * ca.sin(c.QDRP1 * ca.atan(bent(slope, ca.SX(c.QDRP2), spin)))
        amount = ca.fabs(self.radius * at.turn_slip)
        at_right_angle = most * 2 / np.pi * ca.atan(c.QCRP2 * amount) * self.lateral_reduction()
        share = at_right_angle / (ca.fabs(found) + EPSILON)  # Pacejka 4.97, 4.103
        return 2 / np.pi * ca.acos(ca.fmin(ca.fmax(share, -1), 1)), found


def _share(shape: Any, slope: ca.SX, curvature: ca.SX, slip: ca.SX, shift: ca.SX) -> ca.SX:
    """Return the cosine curve of slip + shift, one without slip."""

    def cosine(x: ca.SX) -> ca.SX:
        return ca.cos(shape * ca.atan(bent(slope, curvature, x)))

    return cosine(slip + shift) / cosine(ca.SX(shift))


def _cosine(x: ca.SX, multiple: Any = 1.0) -> ca.SX:
    """Return the cosine of a multiple of arctan x.

    That of arctan x itself is 1/√(1 + x²), which costs less, and four formulas of a wheel have it.
    """
    if isinstance(multiple, float) and multiple == 1:
        return 1 / ca.sqrt(1 + x**2)
    return ca.cos(multiple * ca.atan(x))


def _equivalent(slip: ca.SX, ratio: ca.SX) -> ca.SX:
    """Return the slip angle that stands for both slips: (A54).

    Without longitudinal slip it is the slip angle itself, and so are its derivatives.
    """
    square = ca.tan(slip) ** 2 + ratio**2
    both = ca.if_else(square > 0, square, 1)
    return ca.if_else(ratio == 0, slip, ca.atan(ca.sqrt(both)) * sign(slip))
