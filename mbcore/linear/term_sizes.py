"""Recognizes entries that are only rounding of cancelled terms, by the sizes of the terms."""

from __future__ import annotations

import numpy as np

from mbcore.linear.factors import DenseFactors
from mbcore.linear.structural_zeros import ROUNDING
from mbcore.linear.variation import Variation

LAST_DIGIT = 1e-14
"""Fraction of the largest change of a rate, for nominal changes of states, that is negligible."""


def summed(*products: tuple[np.ndarray, np.ndarray], added: np.ndarray) -> np.ndarray:
    """Return a sum of products, with zeros where only rounding is left of its terms."""
    total = sum((left @ right for left, right in products), start=added)
    size = sum((np.abs(left) @ np.abs(right) for left, right in products), start=np.abs(added))
    return np.where(np.abs(total) > ROUNDING * size, total, 0.0)


def is_felt(matrix: np.ndarray, nominal: np.ndarray) -> np.ndarray:
    """Return which entries change the rate of their row by more than its last digit.

    Parameters
    ----------
    matrix : ndarray, shape (n, ns)
    nominal : ndarray, shape (ns,)
        Nominal changes of the states.
    """
    change = np.abs(matrix) * nominal
    return change > LAST_DIGIT * change.max(axis=1, keepdims=True, initial=0.0)


def sizes_of_terms(
    V: Variation,
    varied: dict[str, np.ndarray],
    B: DenseFactors,
    applied: tuple[np.ndarray, np.ndarray] | None,
    counts: tuple[int, int, int],
) -> np.ndarray:
    """Return the sizes of the sums that derivatives of rates and slips come from, (k, ns + nu).

    Terms that cancel in the variations of velocities and accelerations count as well.

    Parameters
    ----------
    varied : dict of str to ndarray
        Variations of configuration, velocities and accelerations: ``x``, ``v`` and ``a``.
    applied : tuple of ndarray, or None
        M̄⁻¹ Hᵀ, which maps variations of the equations of motion to accelerations, and the same map
        for held slips.
    counts : tuple of int
        Numbers of degrees of freedom, of those that have values, and of kinematic coordinates.
    """
    x, v, a = (np.abs(varied[name]) for name in ("x", "v", "a"))

    def sums(row: str) -> np.ndarray:
        return np.abs(V.block(row, "x")) @ x + np.abs(V.by_state_and_inputs(row))

    in_v = sums("velocity")
    in_a = sums("acceleration") + np.abs(V.block("acceleration", "v")) @ v

    def size(row: str, applied: np.ndarray) -> np.ndarray:
        found = sums(row)
        found += np.abs(V.block(row, "v")) @ v + np.abs(V.block(row, "a")) @ a
        found = np.abs(applied) @ found
        for name, inner in (("v", in_v), ("a", in_a)):
            through = B.solve_transposed((applied @ V.block(row, name)).T).T
            found += np.abs(through) @ inner
        return found

    nd, nv, nk = counts
    others = V.residual("auxiliary").size
    qdd = np.zeros((nd, x.shape[1]))
    if applied is not None:
        qdd = size("motion", applied[0]) + size("slip rate", applied[1])
    rates = np.zeros((nv, x.shape[1]))  # ones and zeros, exactly
    slips = V.residual("slip").size
    units = {"kinematic": nk, "auxiliary": others, "slip": slips}
    return np.vstack([qdd, rates, *(size(row, np.eye(k)) for row, k in units.items())])
