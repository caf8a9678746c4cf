"""The cubic line of a slender beam: its length, stiffness, inertia and picture.

Common parts of beams in the plane and in space.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from mbcore.model.nodes.nodes import Point
from mbcore.model.quantities import Deformation
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.shapes import COLOURS, tube
from mbcore.model.statements import Inertia
from mbcore.model.variables import Number

HERMITE = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]])
HERMITE = HERMITE / 420
"""∫ h hᵀ dξ of the cubics of (x_p, l_0 e_xᵖ, x_q, l_0 e_x^q), shape (4, 4)."""

MOMENT = np.array([1 / 2, 1 / 12, 1 / 2, -1 / 12])
"""∫ h dξ of the same cubics, shape (4,)."""

DRAWN = 9
"""Number of points of the line in pictures."""


def arc_excess(bending_p: ca.SX, bending_q: ca.SX, rest_length: Number) -> ca.SX:
    """Return the excess length of a bent line over its chord, to second order, m."""
    square = 2 * bending_p**2 + bending_p * bending_q + 2 * bending_q**2
    return square / (30 * rest_length)


def chord_of_arc(
    arc: ca.SX, rest_length: Number, planes: Sequence[tuple[ca.SX, ca.SX, ca.SX]]
) -> ca.SX:
    """Return the chord ξ of a line of the length ``arc`` that is bent at its far end alone, m.

    It solves ξ + `arc_excess` = arc with the far bending ξ s + δ, exact where the near one, ε, and
    δ are 0 and right to first order in them.

    Parameters
    ----------
    planes : sequence of (SX, SX, SX)
        Of each plane ε at the near end, m, the sine s of the far end's rotation relative to it, and
        what the bending at the near end adds to that of the far one, δ, m.
    """
    slope, square = ca.SX(1), ca.SX(0)
    for bending, sine, added in planes:
        slope += sine * (bending + 4 * added) / (30 * rest_length)
        square += sine**2 / (15 * rest_length)
    return 2 * arc / (slope + ca.sqrt(slope**2 + 4 * square * arc))


def stretch(
    elongation: Deformation, stiffness: Number | None, length: Number, damping: Number
) -> None:
    """Add the law of a beam's elongation, unless it is rigid.

    Parameters
    ----------
    elongation : Deformation
        Of the line.
    stiffness : number or expression, optional
        EA, N.
    length, damping : number or expression
        l_0, m, and β, s, of Kelvin and Voigt: the damping is proportional to the stiffness.
    """
    if stiffness is not None:
        elongation.spring(stiffness / length, damping * (stiffness / length))


def bend(
    pair: Sequence[Deformation], stiffness: Number, shear_factor: Number, damping: Number
) -> None:
    """Add the bending law of a beam to its two deformations in one plane.

    Parameters
    ----------
    pair : two of Deformation
        Bending at p and at q.
    stiffness : number or expression
        EI / l_0³, N/m.
    shear_factor, damping : number or expression
        Φ and β, s.
    """
    factor = stiffness / (1 + shear_factor)
    near, far = factor * (4 + shear_factor), factor * (shear_factor - 2)
    for one, other in (pair, pair[::-1]):
        elastic = near * one.value + far * other.value
        one.law(elastic + damping * (near * one.rate + far * other.rate))
        one.elastic_energy += elastic * one.value / 2


def line_inertia(
    mass: Number, v_p: ca.SX, v_q: ca.SX, arms: Sequence[ca.SX]
) -> tuple[Inertia, list[ca.SX]]:
    """Return the inertia of a cubic line, and the neglected part.

    e_x·e_x = 1 is left to no one to find: what each end's direction has with itself is a part of
    its own, T = ½ Σ m_i |l_0 ė_x|².

    Parameters
    ----------
    mass : number or expression
        ρA l_0, kg.
    v_p, v_q : SX
        Velocities of the ends, m/s.
    arms : sequence of SX
        l_0 ė_x of both ends, or of both in one where they turn alike, m/s.

    Returns
    -------
    line : Inertia
        Without the parts of each arm with itself.
    own : list of SX
        m_i of these, kg.
    """
    shared = len(arms) == 1
    shapes = np.eye(4)[[0, 1, 2, 1] if shared else [0, 1, 2, 3]][:, : 3 if shared else 4]
    matrix = shapes.T @ HERMITE @ shapes
    places = [1] if shared else [1, 3]
    own = [mass * ca.SX(matrix[i, i]) for i in places]
    matrix[places, places] = 0
    velocities = ca.vertcat(v_p, arms[0], v_q, *arms[1:])
    return Inertia(velocities, mass * ca.kron(ca.DM(matrix), ca.DM.eye(v_p.numel()))), own


def line_mean(*vectors: ca.SX) -> ca.SX:
    """Return ∫ r dξ of the cubic with (x_p, l_0 e_xᵖ, x_q, l_0 e_x^q), m."""
    return ca.horzcat(*vectors) @ ca.DM(MOMENT)


def section_matrix(shear_factor: Number) -> ca.SX:
    """Return the matrix of ∫ φ̇² dξ for the rates of the chord, of end p and of end q, (3, 3).

    The sections turn as in the static solution: by the slope of the cubic line, less the shear.
    """
    f = ca.SX(shear_factor)
    chord, cross = ca.SX(36), 15 * f - 3
    near, far = 4 + 5 * f + 10 * f**2, 5 * f**2 - 5 * f - 1
    rows = ((chord, cross, cross), (cross, near, far), (cross, far, near))
    return ca.vertcat(*(ca.horzcat(*row) for row in rows)) / (30 * (1 + f) ** 2)


def cubic_tube(p: Point, e_x_p: ca.SX, q: Point, e_x_q: ca.SX, rest_length: Number) -> Shape:
    """Return the cubic line of a beam with the directions of its axis at the ends."""
    ends = ca.horzcat(p.position, rest_length * e_x_p, q.position, rest_length * e_x_q)
    places = []
    for part in np.linspace(0, 1, DRAWN):
        a, b = part**2, part**3
        places.append(ends @ ca.DM([1 - 3 * a + 2 * b, part - 2 * a + b, 3 * a - 2 * b, b - a]))
    return tube(places, colour=COLOURS["beam"])
