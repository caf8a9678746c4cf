"""Forces of redundant held slips, shared so that friction exceeds no cone.

Where more slips stick than can move, their forces are not unique: what the slips' mobilities take
to zero may be added to them, and no acceleration changes. A distribution with forces outside of
their cones says nothing then, unless there is none inside.

Used by `mbcore.equations.unilateral.switched_constraints` alone; it stands apart because it knows
nothing of motions, only of forces and cones.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from mbcore.model.expressions import any_of, column, where

POWERS = tuple(1.5**k for k in range(14))
"""Powers of the squared ratios whose sum is minimized, one Newton step each. From one to the next
the minimum moves so little that full steps reach it; with the last, the largest ratio is within one
per cent of the least possible one."""
INSIDE = 1 - 1e-12
"""Squared ratio of a force to its limit up to which it is inside of the cone, less rounding."""
FLOOR = 1e-9
"""Least weight of a cone, in parts of that with the largest ratio: the others stay determined."""
INDEPENDENT = 1e-12
"""Part of a pivot that remains above rounding."""
WITHOUT_EFFECT = 1e-6
"""Part of a direction's unit force that other constraints may take, as rounding."""
TINY = 1e-200
"""Added to what may be zero, before it divides."""

Cones = Sequence[Sequence[int]]
"""Places of the forces that a cone limits together."""


def shares(forces: ca.SX, directions: ca.SX, limits: ca.SX, cones: Cones) -> ca.SX:
    r"""Return what to add to forces so that all are in their cones, zero where nothing is found.

    With the ratios r of the forces in cones to their limits, Newton's method minimizes Σ r^2p for
    growing p, which tends to the least largest ratio. The first forces inside all cones are taken.

    Parameters
    ----------
    forces, limits : SX, shape (n, 1)
        N, and largest values of single ones; those in no cone stay.
    directions : SX, shape (n, n)
        Columns that may be added without effect on motions; zeros for those that may not.
    cones : sequence of sequence of int
        Ellipsoids whose half axes are the limits.
    """
    some = [i for cone in cones for i in cone]
    others = [i for i in range(forces.numel()) if i not in some]
    scale = 1 / ca.fmax(limits[some], TINY)
    touched = ca.sum1(ca.fabs(directions[others, some])) if others else ca.SX.zeros(1, len(some))
    usable = ca.diag((touched <= WITHOUT_EFFECT).T)
    by = ca.diag(scale) @ directions[some, some] @ usable
    start = scale * forces[some]
    places = np.split(np.arange(len(some)), np.cumsum([len(cone) for cone in cones])[:-1])
    sizes = _squares(start, places)
    exceeds, found = ca.logic_not(ca.mmax(sizes) <= INSIDE), ca.SX(0)
    ratios, chosen = start, start
    for power in POWERS:
        ratios = ratios + by @ _step(ratios, by, places, power)
        inside = ca.mmax(_squares(ratios, places)) <= INSIDE
        chosen = ca.if_else(ca.logic_and(inside, ca.logic_not(found)), ratios, chosen)
        found = ca.logic_or(found, inside)
    shared = ca.SX.zeros(forces.numel())
    shared[some] = where(any_of(ca.vertcat(exceeds)), (chosen - start) / scale)
    return shared


def _squares(ratios: ca.SX, places: Sequence[np.ndarray]) -> ca.SX:
    return column(ca.sumsqr(ratios[own.tolist()]) for own in places)


def _step(ratios: ca.SX, by: ca.SX, places: Sequence[np.ndarray], power: float) -> ca.SX:
    """Return Newton's step to the minimum of the sum of the ratios to twice the power, (n, 1)."""
    squares = _squares(ratios, places)
    parts = squares / ca.fmax(ca.mmax(squares), TINY)
    slope, bend = ca.SX.zeros(ratios.numel()), ca.SX(ratios.numel(), ratios.numel())
    for k, own in enumerate(map(np.ndarray.tolist, places)):
        weight = parts[k] ** (power - 1) if power > 1 else ca.SX(1)
        along = ratios[own] @ ratios[own].T / ca.fmax(squares[k], TINY)
        slope[own] = weight * ratios[own]
        bend[own, own] = (weight + FLOOR) * ca.SX.eye(len(own)) + weight * 2 * (power - 1) * along
    return -_solved(by.T @ (bend @ by), by.T @ slope)


def _solved(matrix: ca.SX, right: ca.SX) -> ca.SX:
    """Return the solution of a symmetric system, zero where a row follows from those before."""
    n = right.numel()
    lower, pivots, inverse = ca.SX.eye(n), list[ca.SX](), list[ca.SX]()
    rows = ca.vertsplit(right)
    for k in range(n):
        for j in range(k):
            rest = matrix[k, j]
            for i in range(j):
                rest = rest - lower[k, i] * pivots[i] * lower[j, i]
            lower[k, j] = rest * inverse[j]
        pivot = matrix[k, k]
        for i in range(k):
            pivot = pivot - lower[k, i] ** 2 * pivots[i]
            rows[k] = rows[k] - lower[k, i] * rows[i]
        good = pivot > INDEPENDENT * matrix[k, k] + TINY
        pivots.append(ca.if_else(good, pivot, 0))
        inverse.append(ca.if_else(good, 1 / ca.if_else(good, pivot, 1), 0))
    rows = [row * part for row, part in zip(rows, inverse, strict=True)]
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            rows[i] = rows[i] - lower[j, i] * rows[j]
    return ca.vertcat(*rows)
