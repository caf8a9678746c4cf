"""Harmonics of a periodic solution that enter each other's equations.

Where coefficients come back after half a turn with the same or the opposite sign, even harmonics of
some unknowns go with odd ones of others, and most often half of them are zero; where they are
constant, each harmonic stands alone. The coefficients' own harmonics decide between both.

Used by `mbcore.small_vibrations.linear_balance` alone; it stands apart because it solves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbcore.small_vibrations.hill import balance_scales
from mbcore.small_vibrations.periodic_equations import PeriodicEquations

ROUNDING = 1e-12
"""Size of a harmonic that is rounding, in states of comparable size: of a coefficient in parts of
the largest in its row, of a force in parts of the largest on coupled unknowns."""


def coupled_harmonics(
    alike: Sequence[PeriodicEquations], m: int, solved_for: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return classes of harmonics 0 to m of some unknowns; others have no force and are zero.

    Parameters
    ----------
    alike : sequence of PeriodicEquations
        Equations for whose mixtures the classes hold.
    m : int
        The highest harmonic.
    solved_for : ndarray of int, shape (n,)
        The unknowns among y.

    Returns
    -------
    list of tuple of ndarray of int, shapes (k,), (k,)
        Orders, and indices in ``solved_for``.
    """
    scales = [balance_scales(e) for e in alike]
    felt = [_felt(e, of_e, solved_for) for e, of_e in zip(alike, scales, strict=True)]
    component, turn, g = _symmetry(np.any(felt, axis=0))
    orders = np.arange(m + 1)[:, None] - turn
    label = np.where(g > 0, orders % np.maximum(g, 1), np.abs(orders))
    label = np.where(g > 0, np.minimum(label, (g - label) % np.maximum(g, 1)), label)
    label = label + component * (label.max(initial=0) + 1)
    driven: set[int] = set()
    for e, of_e in zip(alike, scales, strict=True):
        force = np.abs(e.coefficients(e.r[:, solved_for], m)[m:]) / of_e[e.rows][solved_for]
        largest = np.zeros(solved_for.size)
        np.maximum.at(largest, component, force.max(axis=0, initial=0.0))
        driven |= set(label[force > ROUNDING * largest[component]].tolist())
    return [np.nonzero(label == one) for one in sorted(driven)]  # type: ignore[misc]


def _symmetry(felt: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what harmonics have in common by the felt harmonics of coefficients, (n,) each.

    Harmonics k of i and l of j enter each other's equations if they have the same component and
    k - turn_i = ±(l - turn_j) modulo g.

    Returns
    -------
    component, turn, g : ndarray of int, shapes (n,), (n,), (n,)
        g is 0 where coefficients are constant.
    """
    n = felt.shape[1]
    linked, first = np.asarray(felt.any(axis=0)), np.asarray(felt.argmax(axis=0))
    component, turn = np.full(n, -1), np.zeros(n, int)
    for start in range(n):
        if component[start] >= 0:
            continue
        component[start], members = start, [start]
        for i in members:
            for j in np.flatnonzero((linked[i] | linked[:, i]) & (component < 0)).tolist():
                component[j] = start
                turn[j] = turn[i] + (first[i, j] if linked[i, j] else first[j, i])
                members.append(j)
    order, row, column = np.nonzero(felt)
    common = np.zeros(n, int)
    for sign in (-1, 1):  # a real coefficient has the conjugate harmonic too
        np.gcd.at(common, component[row], np.abs(turn[row] - turn[column] + sign * order))
    return component, turn, common[component]


def _felt(equations: PeriodicEquations, scales: np.ndarray, solved_for: np.ndarray) -> np.ndarray:
    """Return which harmonics of rows' coefficients are more than rounding, (orders, n, n)."""
    rates, values = equations.places
    row = scales[equations.rows][:, None]
    P, Q = equations.harmonics
    by_rate, by_value = np.abs(P) * (scales[rates] / row), np.abs(Q) * (scales[values] / row)
    largest = np.maximum(
        by_value.max(axis=(0, 2), initial=0.0), by_rate.max(axis=(0, 2), initial=0.0)
    )
    bound = ROUNDING * largest[:, None]
    felt = by_value > bound
    felt[..., : equations.second] |= by_rate > bound
    return np.asarray(felt[:, solved_for[:, None], solved_for])
