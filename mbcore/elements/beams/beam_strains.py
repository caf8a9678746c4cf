r"""Strains of a stretching beam: as in the texts, or such that it tends to Reissner's.

The bending deformations ε_p, ε_q of the texts are the stretched chord |r| times the rotations of
the ends, so elements that become shorter tend to a beam with the energy per unstrained length

    EA ε²/2 + EI κ² (1 + ε)²/2,

κ the rotation per unstrained length: its section becomes stiffer in bending where it is stretched.
In [Reissner1972] it is EA ε²/2 + EI κ²/2 + k G A γ²/2, with r' = (1 + ε) e_x + γ e_y along and
across the section's normal. With s = ε_p + ε_q and d = ε_p - ε_q, the law of a beam element has the
energy EI (s² + 3 d²/(1 + Φ))/(2 l_0³): s is what bends it to an arc of a circle, d is its shear,
d_s = d Φ/(1 + Φ), and what is left of the bending in a finite element, d_b = d/(1 + Φ). Where the
section is sheared by γ = -d_s/2 l_0, the chord has the length l_n = √(|r|² - d_s²/4) along its
normal, and s is l_n times the rotation. So s l_0/l_n takes the place of s; d stays; and l_n that of
|r| in the elongation, which to second order is l_n - l_0 + s²/24 l_0 + d_b²/40 l_0 for the arc.

[Reissner1972]: E. Reissner, On one-dimensional finite-strain beam theory: the plane problem,
J. Appl. Math. Phys. (ZAMP) 23 (1972) 795-804.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import casadi as ca

from mbcore.model.errors import ModelError
from mbcore.model.variables import Number

Theory = Literal["besseling", "reissner"]


def refuse_unknown_theory(name: str, theory: str) -> None:
    """Raise a ModelError unless ``theory`` is one of the two."""
    if theory not in ("besseling", "reissner"):
        raise ModelError(f'beam {name}: theory is "besseling" or "reissner", got {theory!r}')


def reissner_strains(
    r: ca.SX,
    pairs: Sequence[tuple[ca.SX, ca.SX]],
    rest_length: Number,
    shear_factors: Sequence[Number],
    arc: bool,
) -> tuple[ca.SX, list[tuple[ca.SX, ca.SX]]]:
    """Return elongation and bending deformations such that short elements tend to Reissner's beam.

    Parameters
    ----------
    r : SX
        From end to end, shape (2, 1) or (3, 1), m.
    pairs : sequence of (SX, SX)
        Bending deformations of the texts at both ends, m; a pair for each plane.
    rest_length : number or expression
        l_0, m.
    shear_factors : sequence of number or expression
        Φ of each plane.
    arc : bool
        Whether the elastic line is elongated, or its chord.
    """
    square, excess = ca.dot(r, r), ca.SX(0)
    for (p, q), factor in zip(pairs, shear_factors, strict=True):
        square -= ((p - q) * factor / (1 + factor)) ** 2 / 4
    normal = ca.sqrt(square)
    bent = []
    for (p, q), factor in zip(pairs, shear_factors, strict=True):
        common, difference = (p + q) * rest_length / normal, p - q
        bent.append(((common + difference) / 2, (common - difference) / 2))
        if arc:
            line = common**2 / 24 + (difference / (1 + factor)) ** 2 / 40
            excess += line / rest_length
    return normal - rest_length + excess, bent
