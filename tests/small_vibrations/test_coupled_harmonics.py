"""Classes of harmonics, and solutions that are known because the forces are made for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from mbcore.small_vibrations.coupled_harmonics import coupled_harmonics
from mbcore.small_vibrations.linear_balance import balance
from mbcore.small_vibrations.periodic_equations import PeriodicEquations

HARMONICS, SAMPLES, ω = 5, 32, 1.3
ANGLE = 2 * np.pi / SAMPLES * np.arange(SAMPLES)
EVERY = range(HARMONICS + 1)
SIGNS = np.array([1, -1, 1])
"""Of three unknowns after half a turn."""


def series(random: np.random.Generator, orders: Sequence[int], *shape: int) -> np.ndarray:
    """Return coefficients of orders 0 to m, those that are not given zero."""
    found = np.zeros((HARMONICS + 1, *shape), complex)
    found[list(orders)] = random.standard_normal((len(orders), *shape))
    found[list(orders)] += 1j * random.standard_normal((len(orders), *shape))
    found[0] = found[0].real
    return found


def values(c: np.ndarray) -> np.ndarray:
    """Return the sum of c_l exp(i l φ) and its conjugates for l > 0, at the samples."""
    turns = np.exp(1j * np.multiply.outer(ANGLE, np.arange(len(c))))
    return np.asarray(2 * np.tensordot(turns, c, 1).real - c[0].real)


def made(kind: str, orders: Sequence[int] = EVERY) -> tuple[PeriodicEquations, np.ndarray]:
    """Return equations with forces that make the second result their solution."""
    random = np.random.default_rng(3)
    c = series(random, orders, 3)
    even, odd = (0.2 * series(random, k, 2, 3, 3) for k in ([0, 2], [1]))
    alike = SIGNS[:, None] == SIGNS
    coefficients = {
        "none": even + odd,
        "half": np.where(alike, even, odd),
        "third": 0.2 * series(random, [0, 3], 2, 3, 3),
        "constant": 0.2 * series(random, [0], 2, 3, 3),
        "apart": even * np.eye(3),
    }[kind]
    if kind == "half":
        c[1::2, SIGNS > 0] = 0.0
        c[0::2, SIGNS < 0] = 0.0
    P, Q = np.moveaxis(values(coefficients), 1, 0)
    Q = Q + np.diag([4.0, 30.0, 7.0])
    turning = 1j * ω * np.arange(HARMONICS + 1)[:, None]
    y, rate, second = (values(turning**power * c) for power in (0, 1, 2))
    r = second + np.einsum("nij,nj->ni", P, rate) + np.einsum("nij,nj->ni", Q, y)
    return PeriodicEquations(kind, 2 * np.pi / ω, P, Q, r), c


@pytest.mark.parametrize(
    ("kind", "count"),
    [("none", 1), ("half", 1), ("third", 2), ("constant", 6), ("apart", 6)],
)
def test_known_solutions(kind: str, count: int) -> None:
    """After a third of a turn: orders 0 and 3; 1, 2, 4 and 5, of which one is less than zero."""
    equations, c = made(kind)
    assert len(coupled_harmonics([equations], HARMONICS, np.arange(3))) == count
    assert balance(equations, HARMONICS).coefficients == pytest.approx(c, abs=1e-12)


def test_classes_without_force_are_zero() -> None:
    equations, c = made("constant", [2])
    [(orders, places)] = coupled_harmonics([equations], HARMONICS, np.arange(3))
    assert orders.tolist() == [2, 2, 2]
    assert places.tolist() == [0, 1, 2]
    assert balance(equations, HARMONICS).coefficients == pytest.approx(c, abs=1e-13)


def test_a_small_force_on_a_part_that_stands_alone_is_felt() -> None:
    """Units of unknowns do not matter either."""
    equations, c = made("apart")
    sizes = np.array([1e-18, 1.0, 1e9])
    scaled = PeriodicEquations(
        "apart",
        equations.period,
        equations.P * sizes[:, None] / sizes,
        equations.Q * sizes[:, None] / sizes,
        equations.r * sizes,
    )
    found = balance(scaled, HARMONICS).coefficients / sizes
    assert found == pytest.approx(c, abs=1e-12)
