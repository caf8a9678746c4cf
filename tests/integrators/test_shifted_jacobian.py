"""Solutions of Radau's linear systems, beside those of the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore.integrators.shifted_jacobian import Factors, MultipleOfIdentity
from mbcore.integrators.states import NOTHING_KNOWN, States

STATES = States(rates=4, values=3)
"""Of nine: a generalized speed without a value, and two auxiliary states."""


def jacobian(entry: float = 1.0) -> np.ndarray:
    """Return random rates; those of values are their rates times a number."""
    J = np.random.default_rng(3).normal(size=(9, 9))
    J[4:7] = 0.0
    J[4:7, :3] = entry * np.eye(3)
    return J


@pytest.mark.parametrize("factor", [3.7, 3.7 - 1.2j])
@pytest.mark.parametrize(
    ("J", "states", "unknowns"),
    [
        (jacobian(), STATES, 6),
        (jacobian(), NOTHING_KNOWN, 9),
        (jacobian(0.5), STATES, 9),
        (jacobian()[:, [1, 0, *range(2, 9)]], STATES, 9),  # values have the rates of others
    ],
)
def test_solution_is_that_of_the_whole_matrix(
    factor: complex, J: np.ndarray, states: States, unknowns: int
) -> None:
    """Of LAPACK's solution of all equations at once."""
    right = np.arange(9.0) - 2 + (1j * np.ones(9) if isinstance(factor, complex) else 0)
    matrix = np.float64(2.0) * MultipleOfIdentity(factor / 2, states) - J
    assert 9 - matrix.values() == unknowns
    wanted = np.linalg.solve(factor * np.eye(9) - J, right)
    assert Factors(matrix).solve(right) == pytest.approx(wanted, rel=1e-12, abs=1e-13)
