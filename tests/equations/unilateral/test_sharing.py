"""Forces that are not unique, shared inside their cones."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from mbcore.equations.unilateral.sharing import shares


def in_a_row(load: float, limits: np.ndarray) -> np.ndarray:
    """Return forces of feet in a row that share a load along it, first all on the first one.

    Each foot has a force along the row, which may move to any other, and one across it.
    """
    n = len(limits)
    forces, directions = np.zeros(2 * n), np.zeros((2 * n, 2 * n))
    forces[0], forces[1::2] = load, 0.3 * limits
    for k in range(1, n):
        directions[[0, 2 * k], 2 * k] = -1.0, 1.0
    cones = [(2 * k, 2 * k + 1) for k in range(n)]
    by = shares(ca.DM(forces), ca.DM(directions), ca.DM(np.repeat(limits, 2)), cones)
    return (forces + np.array(ca.evalf(by)).ravel()).reshape(n, 2)


LIMITS = np.array([3.0, 1.0, 2.0, 0.5])
MOST = np.sqrt(1 - 0.3**2) * LIMITS.sum()
"""The load that all feet hold together: Pythagoras in each cone."""


@pytest.mark.parametrize("part", [0.6, 0.99])
def test_a_load_that_all_feet_hold_together_is_shared(part: float) -> None:
    found = in_a_row(part * MOST, LIMITS)
    assert found[:, 0].sum() == pytest.approx(part * MOST, rel=1e-12)
    assert found[:, 1] == pytest.approx(0.3 * LIMITS, rel=1e-12)
    assert (np.linalg.norm(found, axis=1) <= LIMITS).all()


@pytest.mark.parametrize("load", [0.5, 1.001 * MOST])
def test_forces_inside_or_without_a_way_inside_stay(load: float) -> None:
    found = in_a_row(load, LIMITS)
    assert found[:, 0] == pytest.approx([load, 0, 0, 0], abs=0)
