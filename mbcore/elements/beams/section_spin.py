r"""Spin of the sections of a beam about their normals, between its ends.

With R(s, t) the orientations of the sections, R' = R κ̂ and Ṙ = R ω̂ on their own axes, equal mixed
derivatives give ω' = κ̇ + ω × κ. So where twist is uniform, the spin between the ends is

    ω_x(ξ) = (1 - ξ) ω_xᵖ + ξ ω_x^q + b(ξ),    b' = g - ∫ g dξ,    g = l_0 (ω_y κ_z - ω_z κ_y).

b is of second order in the bending, and all that bending does to the spin of interior sections. In
the kinetic energy ½ ρI_p l_0 ∫ ω_x² dξ of a shaft that spins with Ω it makes the gyroscopic matrix
consistent. By the slopes θ of the line on axes that turn with the shaft, ω_x is to second order

    Ω (1 - θ²/2) + (θ_z θ̇_y - θ_y θ̇_z)/2.

Without b the slopes at the ends count alone, by the trapezoidal rule. The consistent matrix is that
of [NelsonMcVaugh1976].

[NelsonMcVaugh1976]: H. D. Nelson, J. M. McVaugh, The dynamics of rotor-bearing systems using finite
elements, J. Engineering for Industry 98 (1976) 593-600.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import casadi as ca
import numpy as np
from numpy.polynomial import Polynomial

from mbcore.model.errors import ModelError
from mbcore.model.variables import Number

SectionSpin = Literal["linear", "consistent"]


def refuse_unknown_spin(name: str, spin: str) -> None:
    """Raise a ModelError unless ``spin`` is one of the two."""
    if spin not in ("linear", "consistent"):
        raise ModelError(f'beam {name}: spin is "linear" or "consistent", got {spin!r}')


def _squares() -> np.ndarray:
    """∫ h hᵀ dξ of 1 - ξ, ξ, and b for g = 1, ξ, ξ², ξ³; shape (6, 6)."""
    xi = Polynomial([0, 1])
    shapes = [1 - xi, xi]
    for k in range(4):
        total = (xi**k).integ()
        shapes.append(total - total(1) * xi)
    return np.array([[float((a * b).integ()(1)) for b in shapes] for a in shapes])


SQUARES = _squares()

SPINS = ca.DM(SQUARES[:2, :2])
"""∫ ω_x² dξ of spins at p and at q without bending, shape (2, 2)."""

BENDING = ca.DM(SQUARES * (1 - np.pad(np.ones((2, 2)), (0, 4))))
"""Contribution of bending, of both spins and of b for g = 1, ξ, ξ², ξ³, shape (6, 6)."""


def bending_spins(
    rates: Sequence[Sequence[ca.SX]],
    turned: Sequence[Sequence[ca.SX]],
    shear_factors: Sequence[Number],
) -> list[ca.SX]:
    """Return g_0 to g_3 of g(ξ) = Σ g_k ξᵏ, rad/s.

    Parameters
    ----------
    rates : two of three of SX
        About y and z: ω of the chord, of end p and of end q, rad/s.
    turned : two of two of SX
        About y and z: rotations of end p and of end q relative to the chord, rad.
    shear_factors : two of number or expression
        Φ of the bending about y and about z.
    """
    lines = [section_rates(r, f) for r, f in zip(rates, shear_factors, strict=True)]
    still = ca.SX(0)
    bends = [
        section_rates((still, *ends), f)[1:] for ends, f in zip(turned, shear_factors, strict=True)
    ]
    curvatures = [(first, 2 * second) for first, second in bends]  # l_0 κ
    g = [ca.SX(0)] * 4
    for sign, line, curvature in ((1, lines[0], curvatures[1]), (-1, lines[1], curvatures[0])):
        for i, a in enumerate(line):
            for j, b in enumerate(curvature):
                g[i + j] = g[i + j] + sign * a * b
    return g


def section_rates(rates: Sequence[ca.SX], shear_factor: Number) -> list[ca.SX]:
    """Return c_0, c_1, c_2 of φ̇(ξ) = Σ c_k ξᵏ, as the sections turn in the static solution.

    ``rates`` are those of the chord, of end p and of end q; likewise rotations of small size.
    """
    chord, p, q = rates
    f = ca.SX(shear_factor)
    first = 6 * chord - (4 + f) * p + (f - 2) * q
    return [p, first / (1 + f), 3 * (p + q - 2 * chord) / (1 + f)]
