"""The Magic Formula a second time, in NumPy from the published equations, as judge of the library.

It was written without a view of the library's. Equations are of [Pacejka2012], 4.3.2 and 4.3.3,
as (4.E9) and (4.80); of [Besselink2010], as (A60), where the solver that files are fitted for
departs from the book; and of the equation manual of MF-Tyre 5.2. The axes are ISO W. The tyre
rolls forwards, friction does not fall with speed (LMUV = 0, A_μ = 1), and arguments are not held
in ranges.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy import arccos, arctan, cos, pi, sin, sqrt, tan
from numpy.typing import NDArray

Array = NDArray[np.float64]
SMALL = 1e-6


class Coefficients:
    """Coefficients as attributes; those not given are 1 for scaling factors, 2 for PKY4, else 0."""

    def __init__(self, values: Mapping[str, float]) -> None:
        self._values = dict(values)

    def __getattr__(self, name: str) -> float:
        return self._values.get(name, 2.0 if name == "PKY4" else float(name.startswith("L")))


@dataclass(frozen=True)
class Points:
    """Arguments as arrays of equal length, in SI units.

    `turn_slip` is None where it does not count.
    """

    c: Coefficients
    version: int
    load: Array
    slip_ratio: Array
    slip_angle: Array
    camber: Array
    pressure: Array
    speed: Array
    turn_slip: Array | None = None

    @cached_property
    def nominal(self) -> float:
        """F'_z0 (4.E1)."""
        return self.c.LFZO * self.c.FNOMIN

    @cached_property
    def dfz(self) -> Array:
        """Of the load (4.E2a)."""
        return self.load / self.nominal - 1

    @cached_property
    def dpi(self) -> Array:
        """Of the pressure (4.E2b), which does not count in 5.2."""
        return 0 * self.load if self.version == 52 else self.pressure / self.c.NOMPRES - 1

    @cached_property
    def reduction(self) -> Array:
        """ε_γ (4.90)."""
        return self.c.PECP1 * (1 + self.c.PECP2 * self.dfz)

    @cached_property
    def spin(self) -> Array:
        """R_0 φ (4.76) with z up and a free radius for the effective one; 0 without turn slip."""
        if self.turn_slip is None:
            return 0 * self.load
        rolling = (1 + self.slip_ratio) * sin(self.camber)
        return self.c.UNLOADED_RADIUS * self.turn_slip + (1 - self.reduction) * rolling

    @cached_property
    def zeta2(self) -> Array:
        """Loss of the peak lateral force by spin (4.77), (4.78)."""
        c, s = self.c, abs(self.spin)
        slope = c.PDYP1 * (1 + c.PDYP2 * self.dfz) * falling(c.PDYP3 * tan(self.slip_angle))
        return falling(slope * (s + c.PDYP4 * sqrt(s)))

    def upright(self) -> Points:
        """Return the same without camber and spin."""
        return replace(self, camber=0 * self.camber, turn_slip=None)


class Lateral(NamedTuple):
    """Lateral force at pure slip, with what the moments need of it."""

    force: Array
    stiffness: Array
    friction: Array
    slope: Array
    shift: Array


def falling(x: Array) -> Array:
    return cos(arctan(x))


def angle(b: Array, e: Array | float, x: Array | float) -> Array:
    """Return the argument of the formula's sine or cosine over C, with E at most 1."""
    return arctan(b * x - np.minimum(e, 1.0) * (b * x - arctan(b * x)))


def sign(x: Array) -> Array:
    return np.where(x < 0, -1.0, 1.0)


def off_zero(x: Array) -> Array:
    return x + SMALL * sign(x)


def pure_longitudinal(p: Points) -> tuple[Array, Array]:
    """Return F_x0 (4.E9) and K_xκ (4.E15)."""
    c, dfz, dpi, camber = p.c, p.dfz, p.dpi, p.c.LGAX * p.camber
    zeta1 = falling(c.PDXP1 * (1 + c.PDXP2 * dfz) * falling(c.PDXP3 * p.slip_ratio) * p.spin)
    friction = (c.PDX1 + c.PDX2 * dfz) * (1 + c.PPX3 * dpi + c.PPX4 * dpi**2)
    peak = friction * (1 - c.PDX3 * camber**2) * c.LMUX * p.load * zeta1
    stiffness = p.load * (c.PKX1 + c.PKX2 * dfz) * np.exp(c.PKX3 * dfz) * c.LKX
    stiffness = stiffness * (1 + c.PPX1 * dpi + c.PPX2 * dpi**2)
    shape = c.PCX1 * c.LCX
    slip = p.slip_ratio + (c.PHX1 + c.PHX2 * dfz) * c.LHX
    curvature = (c.PEX1 + c.PEX2 * dfz + c.PEX3 * dfz**2) * (1 - c.PEX4 * sign(slip)) * c.LEX
    shift = p.load * (c.PVX1 + c.PVX2 * dfz) * c.LVX * c.LMUX * zeta1
    slope = stiffness / off_zero(shape * peak)
    return peak * sin(shape * angle(slope, curvature, slip)) + shift, stiffness


def cornering_stiffness(p: Points, camber: Array) -> Array:
    """Return K_yα (4.E25)."""
    c = p.c
    load = (c.PKY2 + c.PKY5 * camber**2) * (1 + c.PPY2 * p.dpi) * p.nominal
    peak = c.PKY1 * p.nominal * (1 + c.PPY1 * p.dpi) * (1 - c.PKY3 * abs(camber)) * c.LKY
    return peak * sin(c.PKY4 * arctan(p.load / load)) * falling(c.PKYP1 * p.spin**2)


def camber_stiffness(p: Points) -> Array:
    """Return K_yγ0 (4.E30); in 5.2, that of its shifts."""
    c = p.c
    if p.version == 52:
        upright = replace(p, turn_slip=None)
        shifts = p.load * (c.PVY3 + c.PVY4 * p.dfz)
        return c.PHY3 * cornering_stiffness(upright, 0 * p.camber) + shifts
    return p.load * (c.PKY6 + c.PKY7 * p.dfz) * (1 + c.PPY5 * p.dpi) * c.LKYC


def spin_shift(p: Points) -> Array:
    """Return S_Hyφ (4.80) with (4.85) to (4.89)."""
    c, peak = p.c, p.c.PHYP2 + p.c.PHYP3 * p.dfz
    upright = off_zero(cornering_stiffness(p, 0 * p.camber))
    slope = camber_stiffness(p) / (1 - p.reduction) / off_zero(c.PHYP1 * peak * upright)
    return peak * sin(c.PHYP1 * angle(slope, c.PHYP4, p.spin))


def pure_lateral(p: Points) -> Lateral:
    """Return F_y0 (4.E19) and what belongs to it."""
    c, dfz, dpi, camber = p.c, p.dfz, p.dpi, p.c.LGAY * p.camber
    stiffness = cornering_stiffness(p, camber)
    tilt = p.load * (c.PVY3 + c.PVY4 * dfz) * camber * c.LKYC * c.LMUY * p.zeta2
    across = (c.PHY1 + c.PHY2 * dfz) * c.LHY
    if p.turn_slip is not None:
        across = across + spin_shift(p) - tilt / off_zero(stiffness)
    elif p.version == 52:
        across = across + c.PHY3 * camber
    else:
        across = across + (camber_stiffness(p) * camber - tilt) / off_zero(stiffness)
    up = p.load * (c.PVY1 + c.PVY2 * dfz) * c.LVY * c.LMUY * p.zeta2 + tilt
    friction = (c.PDY1 + c.PDY2 * dfz) * (1 + c.PPY3 * dpi + c.PPY4 * dpi**2)
    friction = friction * (1 - c.PDY3 * camber**2) * c.LMUY
    peak, shape, slip = friction * p.load * p.zeta2, c.PCY1 * c.LCY, p.slip_angle + across
    curvature = 1 + c.PEY5 * camber**2 - (c.PEY3 + c.PEY4 * camber) * sign(slip)
    curvature = (c.PEY1 + c.PEY2 * dfz) * curvature * c.LEY
    slope = stiffness / off_zero(shape * peak)
    force = peak * sin(shape * angle(slope, curvature, slip)) + up
    return Lateral(force, stiffness, friction, slope * shape, across + up / off_zero(stiffness))


def longitudinal_weight(p: Points) -> Array:
    """Return G_xα (4.E51)."""
    c, e = p.c, p.c.REX1 + p.c.REX2 * p.dfz
    slope = (c.RBX1 + c.RBX3 * p.camber**2) * falling(c.RBX2 * p.slip_ratio) * c.LXAL
    there = cos(c.RCX1 * angle(slope, e, p.slip_angle + c.RHX1))
    return there / cos(c.RCX1 * angle(slope, e, c.RHX1))


def lateral_weight(p: Points) -> Array:
    """Return G_yκ (4.E59)."""
    c, e, shift = p.c, p.c.REY1 + p.c.REY2 * p.dfz, p.c.RHY1 + p.c.RHY2 * p.dfz
    slope = (c.RBY1 + c.RBY4 * p.camber**2) * falling(c.RBY2 * (p.slip_angle - c.RBY3)) * c.LYKA
    there = cos(c.RCY1 * angle(slope, e, p.slip_ratio + shift))
    return there / cos(c.RCY1 * angle(slope, e, shift))


def longitudinal(p: Points) -> Array:
    """Return F_x (4.E50)."""
    return longitudinal_weight(p) * pure_longitudinal(p)[0]


def slip_ratio_force(p: Points, friction: Array) -> Array:
    """Return S_Vyκ (4.E66)."""
    c = p.c
    peak = friction * p.load * (c.RVY1 + c.RVY2 * p.dfz + c.RVY3 * p.camber) * p.zeta2
    return (
        peak
        * falling(c.RVY4 * p.slip_angle)
        * sin(c.RVY5 * arctan(c.RVY6 * p.slip_ratio))
        * c.LVYKA
    )


def lateral(p: Points) -> Array:
    """Return F_y (4.E58)."""
    pure = pure_lateral(p)
    return lateral_weight(p) * pure.force + slip_ratio_force(p, pure.friction)


def equivalent(p: Points, slip: Array, ratio: Array) -> Array:
    """Return α_t,eq or α_r,eq (A54), (A55)."""
    return sign(slip) * arctan(sqrt(tan(slip) ** 2 + (ratio * p.slip_ratio) ** 2))


def trail(p: Points, ratio: Array) -> Array:
    """Return t (4.E73) with (A58) to (A60)."""
    c, dfz, camber = p.c, p.dfz, p.c.LGAZ * p.camber
    slip = p.slip_angle + c.QHZ1 + c.QHZ2 * dfz + (c.QHZ3 + c.QHZ4 * dfz) * camber
    slope = (c.QBZ1 + c.QBZ2 * dfz + c.QBZ3 * dfz**2) * c.LKY / c.LMUY
    slope = slope * (1 + c.QBZ4 * camber + c.QBZ5 * abs(camber))
    peak = p.load * (c.QDZ1 + c.QDZ2 * dfz) * (1 - c.PPZ1 * p.dpi) * c.LTR
    peak = peak * (1 + c.QDZ3 * camber + c.QDZ4 * camber**2) * c.UNLOADED_RADIUS / p.nominal
    side = 1 + (c.QEZ4 + c.QEZ5 * camber) * 2 / pi * arctan(slope * c.QCZ1 * slip)
    curvature = (c.QEZ1 + c.QEZ2 * dfz + c.QEZ3 * dfz**2) * side
    bend = cos(c.QCZ1 * angle(slope, curvature, equivalent(p, slip, ratio)))
    return peak * falling(c.QDTP1 * p.spin) * bend * cos(p.slip_angle)


def lean(p: Points) -> Array:
    """Return what camber is multiplied by in the residual moment (4.E47)."""
    c, camber = p.c, p.c.LGAZ * p.camber
    upright = (c.QDZ8 + c.QDZ9 * p.dfz) * (1 + c.PPZ2 * p.dpi)
    return upright + (c.QDZ10 + c.QDZ11 * p.dfz) * abs(camber)


def spin_moment(p: Points, friction: Array) -> tuple[Array, Array]:
    """Return D_rφ (4.93) and the shape ζ7 (4.104) of the residual moment.

    K_zγ0 (4.99) is taken as the slope of (4.E47) by camber, with its pressure and friction.
    """
    c, radius = p.c, p.c.UNLOADED_RADIUS
    most = c.QCRP1 * abs(friction) * radius * p.load * sqrt(p.load / p.nominal) * c.LMP
    peak = most / sin(pi / 2 * c.QDRP1)
    stiffness = p.load * radius * lean(p) * c.LKZC * c.LMUY
    slope = stiffness / off_zero(c.QDRP1 * peak) / (1 - p.reduction)
    moment = peak * sin(c.QDRP1 * angle(slope, c.QDRP2, p.spin))
    turn = np.zeros_like(p.load) if p.turn_slip is None else p.turn_slip
    across = most * 2 / pi * arctan(c.QCRP2 * radius * abs(turn)) * lateral_weight(p)
    return moment, 2 / pi * arccos(np.minimum(across / abs(off_zero(moment)), 1.0))


def residual_moment(p: Points, pure: Lateral, ratio: Array) -> Array:
    """Return M_zr (4.E75)."""
    c, dfz, camber = p.c, p.dfz, p.c.LGAZ * p.camber
    peak = (c.QDZ6 + c.QDZ7 * dfz) * c.LRES * p.zeta2
    shape, extra = np.ones_like(p.load), np.zeros_like(p.load)
    if p.turn_slip is None:
        peak = peak + lean(p) * camber * c.LKZC
    else:
        extra, shape = spin_moment(p, pure.friction)
    peak = p.load * c.UNLOADED_RADIUS * peak * c.LMUY * cos(p.slip_angle) + extra
    slope = (c.QBZ9 * c.LKY / c.LMUY + c.QBZ10 * pure.slope) * falling(c.QBRP1 * p.spin)
    return peak * cos(shape * arctan(slope * equivalent(p, p.slip_angle + pure.shift, ratio)))


def aligning(p: Points) -> Array:
    """Return M_z (4.E71), with s (A56) and F'_y (4.E74), of which G_yκ is that with camber.

    F'_y of 5.2 is F_y - S_Vyκ, so that it has camber and spin.
    """
    c, pure = p.c, pure_lateral(p)
    ratio = pure_longitudinal(p)[1] / off_zero(pure.stiffness)
    by_camber = (c.SSZ3 + c.SSZ4 * p.dfz) * p.camber
    arm = c.UNLOADED_RADIUS * (c.SSZ1 + c.SSZ2 * lateral(p) / c.FNOMIN + by_camber) * c.LS
    bare = pure if p.version == 52 else pure_lateral(p.upright())
    side = lateral_weight(p) * bare.force
    return -trail(p, ratio) * side + residual_moment(p, pure, ratio) + arm * longitudinal(p)


def overturning(p: Points) -> Array:
    """Return M_x (49) of the report of [Besselink2010].

    5.2 has the first three terms, of which LMX of PAC2002 does not scale QSX1.
    """
    c, load, camber = p.c, p.load / p.c.FNOMIN, p.camber
    side = lateral(p) / c.FNOMIN
    shift = c.QSX1 * c.LVMX / (c.LMX if p.version == 52 else 1.0)
    first = shift - c.QSX2 * camber * (1 + c.PPMX1 * p.dpi) + c.QSX3 * side
    wave = sin(c.QSX7 * camber + c.QSX8 * arctan(c.QSX9 * side))
    mixed = c.QSX4 * cos(c.QSX5 * arctan((c.QSX6 * load) ** 2)) * wave
    lean = c.QSX10 * arctan(c.QSX11 * load) * camber - c.QSX12 * camber * abs(camber)
    added = side * c.FNOMIN * (c.QSX13 + c.QSX14 * abs(camber))
    return c.UNLOADED_RADIUS * c.LMX * (p.load * (first + mixed + lean) + added)


def rolling_resistance(p: Points) -> Array:
    """Return M_y (A48); that of 5.2 is in proportion to the load."""
    c, load, speed = p.c, p.load / p.c.FNOMIN, abs(p.speed / p.c.LONGVL)
    drag = c.QSY1 + c.QSY2 * longitudinal(p) / c.FNOMIN + c.QSY3 * speed + c.QSY4 * speed**4
    if p.version == 52:
        return -c.UNLOADED_RADIUS * p.load * drag * c.LMY
    drag = drag + (c.QSY5 + c.QSY6 * load) * p.camber**2
    drag = drag * load**c.QSY7 * (p.pressure / c.NOMPRES) ** c.QSY8
    return -c.UNLOADED_RADIUS * c.FNOMIN * drag * c.LMY


def forces(p: Points) -> Array:
    """Return F_x, F_y, M_z, M_x and M_y, N and N.m, as rows."""
    return np.array(
        [longitudinal(p), lateral(p), aligning(p), overturning(p), rolling_resistance(p)]
    )
