"""The other curve through a branch point, by the algebraic bifurcation equation.

At a simple branch point the derivatives have two directions φ_1, φ_2 that they take to zero, and a
row ψ that takes them to zero. With a direction α φ_1 + β φ_2, both curves meet

    ψ F_yy[φ_1, φ_1] α² + 2 ψ F_yy[φ_1, φ_2] α β + ψ F_yy[φ_2, φ_2] β² = 0:

Keller, Lectures on numerical methods in bifurcation problems, Springer 1987, chapter 5.
"""

from __future__ import annotations

import numpy as np

from mbcore.continuation.arclength import Curve, LostError
from mbcore.continuation.crossings import Node

DIFFERENCE = 1e-4
"""Part of the curve's extent over which derivatives are differenced."""
RANK = 1e-4
"""Ratio of singular values from which on a branch point is not taken for a simple one."""


def other_direction(curve: Curve, node: Node) -> np.ndarray:
    """Return the change of (x, λ) along the other curve through a branch point, (n + 1,).

    The unknown that changes most grows along it.

    Raises
    ------
    LostError
        If there is none, or more than one.
    """
    curve.balance(node.y)
    sizes = curve.sizes
    _, D = curve.evaluate(node.y)
    left, singular, right = np.linalg.svd(D)
    if singular.size > 1 and singular[-2] < RANK * singular[0]:
        raise LostError("more than two curves meet there")
    null, row = right[-2:], left[:, -1]
    own = null @ (node.direction / sizes)
    if not np.linalg.norm(own) > 0:
        raise LostError("the direction of the curve is not known there")
    own /= np.linalg.norm(own)
    base = np.array([own, [-own[1], own[0]]]) @ null  # φ_1 along the curve
    form = np.zeros((2, 2))
    for i, along in enumerate(base):
        ahead, back = (
            curve.evaluate(node.y + sign * DIFFERENCE * along * sizes)[1] for sign in (1, -1)
        )
        form[i] = base @ ((row @ (ahead - back)) / (2 * DIFFERENCE))
    form = (form + form.T) / 2
    size = float(np.abs(form).max())
    values, vectors = np.linalg.eigh(form)
    if not size > 0 or values[0] * values[1] > -(1e-8 * size**2):
        raise LostError("no other curve crosses there")
    # directions in which the form vanishes, in the axes of its eigenvectors
    pair = [np.array([np.sqrt(values[1]), s * np.sqrt(-values[0])]) for s in (1, -1)]
    both = [vectors @ (part / np.linalg.norm(part)) for part in pair]
    parts = min(both, key=lambda part: abs(part[0]))
    found = np.asarray(parts @ base) * sizes
    largest = np.argmax(np.abs(found[:-1] / curve.family.scale))
    return found * (1.0 if found[largest] > 0 else -1.0)
