"""Linearization by directional derivatives of the reduced equations, one for each column.

It serves laws that depend on constraint forces, whose change the unreduced equations do not give in
one solution of linear equations.

Used by `mbcore.linear.linearizer` alone; it stands apart because it needs none of what varies the
unreduced equations.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from mbcore.evaluation.evaluation import Evaluation
from mbcore.linear.slips.constraints import closed_at, held_at
from mbcore.linear.structural_zeros import ROUNDING
from mbcore.linear.term_sizes import is_felt
from mbcore.native.point import CompiledLinearization

DEPENDENT = 1e-9
"""Part of a held slip that the others leave, below which it follows from them."""


def linearize_by_changes(point: Evaluation, nominal: np.ndarray) -> CompiledLinearization:
    """Return what linearization in C gives, evaluated in Python.

    Parameters
    ----------
    point : Evaluation
        Where; its configuration is found.
    nominal : ndarray, shape (ns,)
        Natural sizes of the states.
    """
    ns, nu, columns = point.s.size, point.u.size, _columns(point)
    rate, output = np.empty((ns, ns + nu)), np.empty((len(point.equations.outputs), ns + nu))
    for k, place in enumerate(columns):
        point.variation[place] = 1.0
        changes = point.call("change").results
        rate[:, k], output[:, k] = changes[0][:, 0], changes[1][:, 0]
        point.variation[place] = 0.0
    matrix = rate[:, :ns]
    large = np.abs(matrix) > ROUNDING * np.abs(matrix).max(initial=0.0)
    return CompiledLinearization(
        rate, output, point.mass()[0], point.derivative().copy(), large & is_felt(matrix, nominal)
    )


def held_slips_by_changes(point: Evaluation, change: ca.Function) -> np.ndarray:
    """Return how the slips that are held change with the states, shape (nh, ns).

    ``change`` is that of `mbcore.equations.equations.Equations.slips_change_function`.
    """
    return independent(_by_states(point, change)[held_at(point.equations, point)])


def closed_gaps_by_changes(point: Evaluation, change: ca.Function) -> tuple[np.ndarray, np.ndarray]:
    """Return how gaps of closed contacts and their rates change with the states, (nc, ns) each.

    ``change`` is that of `mbcore.equations.equations.Equations.gaps_change_function`.
    """
    rows, closed = _by_states(point, change), closed_at(point.equations, point)
    gaps, rates = np.split(rows, 2)
    return gaps[closed], rates[closed]


def pushed_by_changes(point: Evaluation, change: ca.Function) -> np.ndarray:
    """Return accelerations by changes of constraint forces with states and inputs, (nd, ns + nu).

    ``change`` is that of `mbcore.equations.equations.Equations.pushes_change_function`.
    """
    return _by_places(point, change, _columns(point))


def _columns(point: Evaluation) -> list[int]:
    """Return the places of states and inputs in a variation of (s, t, u, p)."""
    ns, nu = point.s.size, point.u.size
    return [*range(ns), *range(ns + 1, ns + 1 + nu)]


def _by_states(point: Evaluation, change: ca.Function) -> np.ndarray:
    """Return changes by each of the states, shape (k, ns)."""
    return _by_places(point, change, range(point.s.size))


def _by_places(point: Evaluation, change: ca.Function, places: Sequence[int]) -> np.ndarray:
    rows = np.empty((change.size1_out(0), len(places)))
    for k, place in enumerate(places):
        point.variation[place] = 1.0
        here = [point.t, point.s, point.d, point.u, point.p, point.x, point.variation]
        rows[:, k] = np.array(change(*here)).ravel()
        point.variation[place] = 0.0
    return rows


def independent(rows: np.ndarray) -> np.ndarray:
    """Return the rows that do not follow from those before them, as sticking joints may."""
    chosen = rows[:0]
    for row in rows:
        more = np.vstack([chosen, row / (np.abs(row).max(initial=0.0) or 1.0)])
        if np.linalg.matrix_rank(more, tol=DEPENDENT) == len(more):
            chosen = more
    return chosen
