r"""Small motions of the drive shaft on axes that do not turn with it, and what it carries.

The strains turn with the shaft, and after half a turn they have the other sign. On axes that turn
back by the angle of the input,

    ε_y = p_y cos ωt - p_z sin ωt,    ε_z = p_y sin ωt + p_z cos ωt,

the equations come back after half a turn. With S the matrix of this, ε = S p, (4.3) becomes

    p̈ + S⁻¹ (P S + 2 Ṡ) ṗ + S⁻¹ (Q S + P Ṡ + S̈) p = S⁻¹ r.

Real parts of exponents stay; those of bending move by i ω. High harmonics of the coefficients are
smaller on these axes, so that few of them tell the exponents.
"""

from __future__ import annotations

import numpy as np

from mbcore.small_vibrations.stability import exponents_of
from mbcore.vibration import NominalMotion, PeriodicEquations

FASTEST = 766.0
"""ω_b, rad/s: more harmonics count at lower speeds."""
MOST = 18
"""Harmonics of half a turn."""


def over_half_a_turn(nominal: NominalMotion) -> PeriodicEquations:
    """Return the equations of the small motions on axes that do not turn with the shaft."""
    turning = nominal.small_motions
    angle = 2 * np.pi / turning.samples * np.arange(turning.samples)[:, None, None]
    names = turning.names
    quarter = np.zeros((len(names), len(names)))
    for i, name in enumerate(names):
        if "bending_y" in name:
            j = names.index(name.replace("bending_y", "bending_z"))
            quarter[i, j], quarter[j, i] = -1.0, 1.0
    bent = -quarter @ quarter
    ω = turning.frequency
    S = np.eye(len(names)) - bent + np.cos(angle) * bent + np.sin(angle) * quarter
    S_1 = ω * (np.cos(angle) * quarter - np.sin(angle) * bent)
    S_2 = -(ω**2) * (np.cos(angle) * bent + np.sin(angle) * quarter)
    back, half = S.transpose(0, 2, 1), turning.samples // 2
    P, Q = turning.P, turning.Q
    return PeriodicEquations(
        name=turning.name,
        period=turning.period / 2,
        P=(back @ (P @ S + 2 * S_1))[:half],
        Q=(back @ (Q @ S + P @ S_1 + S_2))[:half],
        r=(back @ turning.r[..., None])[:half, :, 0],
        names=names,
    )


def exponents(nominal: NominalMotion) -> np.ndarray:
    """Return the exponents by Hill's determinant over half a turn, the least stable one first."""
    return exponents_of(over_half_a_turn(nominal), "hill", harmonics(nominal.period))


def harmonics(period: float) -> int:
    """Return how many harmonics of half a turn tell the exponents to some 1e-8."""
    return min(MOST, int(np.ceil(5 + 0.3 * FASTEST * period / (2 * np.pi))))


def carried(slow: NominalMotion, length: float) -> dict[str, np.ndarray]:
    """Return ω'/ω, and the moments |M_t| and |M_b| that f^d is, by the numbers of their equations.

    Over a turn, shape (n,) each, N.m, of an element's length; with the speed go forces of inertia.
    A strain is a rotation times the length.
    """
    turning = slow.held_outputs["shaft.speed"] / slow.parameters["input.speed"]
    bending = [slow.forces[f"shaft_0.bending_{axis}_p"] for axis in "yz"]
    return {
        "4.21": turning,
        "4.22": np.abs(slow.forces["shaft_0.torsion"]) * length,
        "4.23": np.hypot(*bending) * length,
    }
