"""Relaxation of the Magic Formula: what its transient slip takes from a file.

Only `mbcore.elements.tyres.magic_formula` uses this; the forces' own formulas go without it.

Relaxation lengths of MF 5.2 are those of PAC2002, from PTX and PTY. At the scaled nominal load both
are in proportion to LFZO. From MF 6.1 on they are slip stiffness over carcass stiffness,
[Besselink2010] 3. Where a file has only the other of both, that is taken, and where it has none,
the free radius. A short length makes equations stiff, so none is below a tenth of the free radius,
as it would be in the air.

PTX4 and PTY3, "low speed damping" without unit, are taken as damping ratios, along and across, of a
mass that gives the nominal load, on the tyre at rest.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np

from mbcore.elements.tyres.coefficients import given
from mbcore.elements.tyres.formulas import MagicFormulas, nonzero
from mbcore.elements.tyres.law import TyreRelaxation
from mbcore.model.errors import warn_user
from mbcore.model.variables import Number

SHORTEST = 0.1
"""Relaxation length, in free radii."""
DAMPING = 0.1
"""Damping ratio where a file has none, or zero."""
GRAVITY = 9.81
"""Turns the nominal load into a mass, m/s2."""
LEAST_SLIP = 1e-3
"""Of the greatest force, as on a road without friction."""
NO_PEAK = 1e6
"""Slip of the greatest force of a tyre that has none."""
SHARPEST = 1.01
"""Shape factor below which a force has practically no peak."""
STEEPEST = 1.5
"""Slip angle, rad, of the greatest force."""
SOFTEST = 0.1
"""Carcass stiffness, in parts of that at the nominal load."""
STEPS = 2
"""Of Newton's method to the slip of the peak, which is found to 1e-3 of itself with curvatures down
to -12, and much closer with usual ones."""


def relaxation_of(formulas: MagicFormulas) -> TyreRelaxation:
    """Return how deflections follow the slips, at the load and camber of ``formulas``."""
    c = formulas.c
    nominal = MagicFormulas(vars(c), formulas.version, replace(formulas.at, load=ca.SX(c.FNOMIN)))
    along, across = _peaks(formulas)
    slip, angle = nominal.slip_stiffness(), nominal.cornering_stiffness(ca.SX(0))
    time_along = _time(c.PTX4, c.FNOMIN, _along(nominal) / nonzero(slip))
    time_across = _time(c.PTY3, c.FNOMIN, _across(nominal) / nonzero(angle))
    if not given(c.PKX1):  # measured without a force along the wheel
        along, time_along = ca.SX(NO_PEAK), time_across
    return TyreRelaxation(
        lengths=(_along(formulas), _across(formulas)),
        peaks=(along, across),
        times=(time_along, time_across),
        low_speed=c.VXLOW,
    )


def warn_of_missing(coefficients: dict[str, Number]) -> None:
    """Say which relaxation length is the free radius for want of coefficients."""
    for name, carcass in (("PTX1", "LONGITUDINAL_STIFFNESS"), ("PTY1", "LATERAL_STIFFNESS")):
        if not (given(coefficients[name]) or given(coefficients[carcass])):
            warn_user(
                f"Magic Formula: its file has neither {name} nor {carcass}, so that the relaxation "
                f"length is the free radius, {coefficients['UNLOADED_RADIUS']} m; add one of them"
            )


def _time(ratio: float, load: Number, compliance: ca.SX) -> ca.SX:
    """Return the retardation time of a damping ratio: τ = 2 D √(m/c)."""
    return 2 * (ratio or DAMPING) * ca.sqrt(load / GRAVITY * ca.fabs(compliance))


def _along(formulas: MagicFormulas) -> ca.SX:
    """Return σ_κ, m."""
    c, dfz = formulas.c, formulas.dfz
    length = c.UNLOADED_RADIUS
    if _by_load(c.PTX1, c.LONGITUDINAL_STIFFNESS, formulas.version):
        length = formulas.at.load / c.FNOMIN * c.UNLOADED_RADIUS * c.LSGKP
        length *= (c.PTX1 + c.PTX2 * dfz) * ca.exp(c.PTX3 * dfz)  # PAC2002
    elif given(c.LONGITUDINAL_STIFFNESS):
        rising = 1 + c.PCFX1 * dfz + c.PCFX2 * dfz**2 + c.PCFX3 * formulas.dpi
        length = formulas.slip_stiffness() / c.LONGITUDINAL_STIFFNESS / ca.fmax(rising, SOFTEST)
    return ca.fmax(length, SHORTEST * c.UNLOADED_RADIUS)


def _across(formulas: MagicFormulas) -> ca.SX:
    """Return σ_α, m."""
    c, dfz = formulas.c, formulas.dfz
    length = c.UNLOADED_RADIUS
    if _by_load(c.PTY1, c.LATERAL_STIFFNESS, formulas.version):
        bent = ca.sin(2 * ca.atan(formulas.at.load / (c.PTY2 * formulas.nominal_load)))
        length = c.PTY1 * bent * c.UNLOADED_RADIUS * c.LFZO * c.LSGAL
        length *= 1 - c.PKY3 * ca.fabs(c.LGAY * formulas.at.camber)  # PAC2002
    elif given(c.LATERAL_STIFFNESS):
        rising = 1 + c.PCFY1 * dfz + c.PCFY2 * dfz**2 + c.PCFY3 * formulas.dpi
        length = (
            ca.fabs(formulas.cornering_stiffness(ca.SX(0)))
            / c.LATERAL_STIFFNESS
            / ca.fmax(rising, SOFTEST)
        )
    return ca.fmax(length, SHORTEST * c.UNLOADED_RADIUS)


def _by_load(coefficient: Number, carcass: Number, version: int) -> bool:
    return given(coefficient) and (version == 52 or not given(carcass))


def _peaks(formulas: MagicFormulas) -> tuple[ca.SX, ca.SX]:
    """Return the slips κ and tan α of the greatest force, without shifts."""
    c, load = formulas.c, formulas.at.load
    slip = formulas.longitudinal_friction() * load / nonzero(formulas.slip_stiffness())
    angle = formulas.lateral_friction() * load / nonzero(formulas.cornering_stiffness(ca.SX(0)))
    along = _peak(c.PCX1 * c.LCX, ca.fabs(slip), formulas.longitudinal_curvature())
    across = _peak(c.PCY1 * c.LCY, ca.fabs(angle), formulas.lateral_curvature())
    return along, ca.tan(ca.fmin(across, STEEPEST))


def _peak(shape: Number, slip: ca.SX, curvature: ca.SX) -> ca.SX:
    """Return the slip x at which B x - E (B x - arctan B x) = tan(π/2 C).

    ``slip`` is D/(B C D), at which a linear force would be the greatest.
    """
    shape, curvature = ca.fmax(shape, SHARPEST), ca.fmin(curvature, 1)
    target = ca.tan(np.pi / 2 / shape)

    def near(x: ca.SX) -> ca.SX:  # with x³/(3 + x²) for x - arctan x
        return target / (1 - curvature * x * x / (3 + x * x))

    # the first is below the peak and the second beyond it, or the other way round
    x = (near(target) + near(near(target))) / 2
    for _ in range(STEPS):
        missing = target - x + curvature * (x - ca.atan(x))
        x += missing / (1 - curvature + curvature / (1 + x**2))
    return ca.fmax(x * shape * slip, LEAST_SLIP)
