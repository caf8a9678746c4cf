"""The fluid film of a full journal bearing: force and drag, [Schwab2002] Appendix C.

Moes's closed forms of the impedance of a ruptured film, short and long bearing in series, as
expressions that are finite, continuous and differentiable in floating point wherever they are
evaluated.

Drag is not in the texts. With the film's thickness h = c - x cos(θ) - y sin(θ), the journal's
surface moves at r ω, and the flow between the sleeve (0) and the journal (h) is Couette's and
Poiseuille's together, so that the shear stresses on the sleeve and on the journal are
μ r ω / h -+ (h / 2) dp / (r dθ). Their moments are, each about its own centre,

    on the sleeve    r² l ∫ (μ r ω / h - h/(2 r) dp/dθ) dθ = M + C / 2,
    on the journal                                            -M + C / 2,

    M = 2π μ l r³ ω / (c √(1 - ε²)),    C = x F_y - y F_x,

for ∫ dθ / h = 2π / (c √(1 - ε²)), and by parts -∫ h p' dθ = ∫ p h' dθ, where h' = x sin(θ) -
y cos(θ): the pressure gives the couple C of the force F on the sleeve. The force on the journal,
-F at (x, y), has the moment -C about the sleeve's centre, so that the sum of all moments is zero.
M assumes that the film fills the gap all round; where it has ruptured, M is an upper bound. Terms
of the order c / r are neglected.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore.model import checks, summary
from mbcore.model.calls import explains_arguments, explains_construction
from mbcore.model.variables import Number

LIMIT = 0.9999
"""Eccentricity ratio up to which the film force is calculated; beyond it the force is constant."""
ROUNDING = 1e-9
"""Excess of the eccentricity ratio over `LIMIT` that is allowed, for a start exactly there."""
TINY = 1e-30
"""Speed, m/s, that smooths the squeeze velocity where it vanishes and has no direction: derivatives
at rest are finite, and above 1e-22 m/s no force changes by a bit."""
SMOOTHING = 1e-12
"""Radius, m, within which the eccentricity ratio is smoothed: a centred journal has no direction.
"""
BEYOND = (
    f"the film of Appendix C is calculated for eccentricities up to {LIMIT} of the clearance, "
    "where journal and sleeve all but touch; lower the load, give the bearing more viscosity or "
    "length, or less clearance, or start nearer the centre"
)
"""Message where the margin is not positive."""


@explains_construction
@dataclass(frozen=True, repr=False)
class Film(summary.SummarizedExpressions):
    """Force and drag of a film, as expressions.

    Attributes
    ----------
    force_x, force_y : SX
        Force on the sleeve, on the sleeve's axes, N; the journal feels the opposite.
    moment : SX
        Drag on the sleeve about its centre, N.m, positive along the journal's rotation.
    eccentricity_ratio : SX
        Distance of the centres over the clearance.
    margin : SX
        Positive up to `LIMIT`, negative further out; a requirement, with the message `BEYOND`.
    """

    force_x: ca.SX
    force_y: ca.SX
    moment: ca.SX
    eccentricity_ratio: ca.SX
    margin: ca.SX


@explains_arguments
def film(
    displacement: tuple[Number, Number],
    rate: tuple[Number, Number],
    speed: Number,
    *,
    radius: Number,
    clearance: Number,
    length: Number,
    viscosity: Number,
) -> Film:
    """Return force and drag of the film of a full journal bearing, [Schwab2002] (C.1) to (C.11).

    Beyond `LIMIT` the position is projected back to it along its radius, so that a trial step of an
    integrator finds finite forces; ``margin`` is negative there.

    Parameters
    ----------
    displacement, rate : tuple of two
        The journal's centre in the sleeve's frame, m, and its rate, m/s.
    speed : number or expression
        Angular velocity of the journal relative to the sleeve, rad/s.
    radius, clearance, length : number or expression
        Of the bearing, m; the clearance is radial.
    viscosity : number or expression
        Dynamic viscosity of the lubricant, Pa.s.

    Raises
    ------
    ModelError
        If a number is not finite or not positive where it must be.
    """
    r, c, l, mu = (  # noqa: E741
        checks.number("film", what, value, above=0, unit=unit)
        for what, value, unit in (
            ("radius", radius, "m"),
            ("clearance", clearance, "m"),
            ("length", length, "m"),
            ("viscosity", viscosity, "Pa.s"),
        )
    )
    omega = checks.number("film", "speed", speed, unit="rad/s")
    x, y = ca.vertsplit(checks.vector("film", "displacement", displacement, 2, unit="m"))
    rate = ca.vertsplit(checks.vector("film", "rate", rate, 2, unit="m/s"))
    eccentricity_ratio = ca.sqrt(x**2 + y**2 + SMOOTHING**2) / c
    taken_back = LIMIT / ca.sqrt(ca.fmax((x**2 + y**2) / c**2, LIMIT**2))
    x, y = x * taken_back, y * taken_back

    v_x = rate[0] + omega / 2 * y  # [Schwab2002] (C.1), (C.2)
    v_y = rate[1] - omega / 2 * x
    v_s = ca.sqrt(v_x**2 + v_y**2 + TINY**2)  # [Schwab2002] (C.3)
    cosine, sine = v_x / v_s, v_y / v_s
    xi = (cosine * x + sine * y) / c  # [Schwab2002] (C.4)
    eta = (cosine * y - sine * x) / c
    squared = (x**2 + y**2) / c**2  # [Schwab2002] (C.5)
    W_x, W_y = impedance(xi, eta, squared, l / (2 * r))
    strength = 2 * mu * l * (r / c) ** 3
    F_x = strength * (v_x * W_x - v_y * W_y)  # [Schwab2002] (C.11)
    F_y = strength * (v_y * W_x + v_x * W_y)
    shear = 2 * ca.pi * mu * l * r**3 * omega / (c * ca.sqrt(1 - squared))
    return Film(
        force_x=F_x,
        force_y=F_y,
        moment=shear + (x * F_y - y * F_x) / 2,
        eccentricity_ratio=eccentricity_ratio,
        margin=LIMIT + ROUNDING - eccentricity_ratio,
    )


def impedance(xi: Number, eta: Number, squared: Number, slenderness: Number) -> tuple[ca.SX, ca.SX]:
    """Return the impedance W_x, W_y of the bearing of finite length, [Schwab2002] (C.6) to (C.10).

    Parameters
    ----------
    xi, eta : number or expression
        The journal's displacement over the clearance, along the squeeze velocity and across.
    squared : number or expression
        Square of the eccentricity ratio, below 1.
    slenderness : number or expression
        Length over diameter, λ.
    """
    s = ca.sqrt(1 - squared)
    # The angles of [Schwab2002] (C.6) and (C.8) by their tangents: 1 - η² = s² + ξ² and
    # K_l² - η² - (1 + ε²/2)² ξ² = s² K_l², so both are exact where a cosine is near 1 or -1.
    G_s = (slenderness / (1 - squared)) ** 2  # [Schwab2002] (C.6)
    J_s = 2 / s * ca.atan2(s, -xi)
    W_sx = G_s * ((1 - squared + 3 * xi**2) * J_s + 6 * xi)  # [Schwab2002] (C.7)
    W_sy = G_s * (3 * xi * J_s + 4 + 2 * xi**2 / (s**2 + xi**2))  # over η

    a = 1 + squared / 2
    G_l = 3 / (2 * (1 - squared) * a)  # [Schwab2002] (C.8)
    K_l = ca.sqrt(a**2 - (1 + squared / 4) * eta**2)
    J_l = 2 / s * ca.atan2(s * K_l, -a * xi)
    W_lx = G_l * ((2 + squared - 3 * eta**2) * J_l + 4 * xi * K_l)  # [Schwab2002] (C.9)
    W_ly = G_l * (3 * xi * J_l + 4 * K_l)  # over η
    # [Schwab2002] (C.10). η is factored out of W_y, which would be 0/0 at η = 0.
    return W_sx * W_lx / (W_sx + W_lx), eta * (W_sy * W_ly / (W_sy + W_ly))
