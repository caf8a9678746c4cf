"""Jacobians that Radau's steps keep, beside SciPy's steps, which make a new one more often."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import Radau

from mbcore.integrators.implicit_steps import RadauSteps


@cache
def laplacian(n: int) -> np.ndarray:
    """Return diffusion between n points inside of (0, 1), with zeros at both ends."""
    between = np.ones(n - 1)
    return (n + 1) ** 2 / 50 * (np.diag(between, 1) + np.diag(between, -1) - 2 * np.eye(n))


def brusselator(method: type[Radau], n: int, tolerance: float) -> tuple[float, np.ndarray]:
    """Integrate the Brusselator; return the work in evaluations, and where it ends.

    [Hairer and Wanner: Solving Ordinary Differential Equations II, section IV.1]. A column of the
    Jacobian costs three evaluations, as in `mbcore.integrators.work`.
    """
    ends = np.zeros(n)
    ends[[0, -1]] = (n + 1) ** 2 / 50

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        u, v = y[:n], y[n:]
        reaction = u * u * v
        return np.concatenate(
            [
                1 + reaction - 4 * u + laplacian(n) @ u + ends,
                3 * u - reaction + laplacian(n) @ v + 3 * ends,
            ]
        )

    def jacobian(_: float, y: np.ndarray) -> np.ndarray:
        u, v = y[:n], y[n:]
        return np.block(
            [
                [laplacian(n) + np.diag(2 * u * v - 4), np.diag(u * u)],
                [np.diag(3 - 2 * u * v), laplacian(n) - np.diag(u * u)],
            ]
        )

    place = np.arange(1, n + 1) / (n + 1)
    start = np.concatenate([1 + np.sin(2 * np.pi * place), np.full(n, 3.0)])
    options: dict[str, Any] = {"rtol": tolerance, "atol": tolerance / 100, "jac": jacobian}
    solver = method(rates, 0.0, start, 10.0, **options)
    while solver.status == "running":
        solver.step()
    return solver.nfev + 3.0 * solver.y.size * solver.njev, solver.y


@pytest.mark.parametrize(("n", "tolerance", "part"), [(20, 1e-4, 0.5), (10, 1e-7, 0.75)])
def test_kept_jacobians_take_less_work_than_those_of_scipy(
    n: int, tolerance: float, part: float
) -> None:
    """Loose steps outlive few Jacobians; in tight ones Newton's method hardly needs new ones."""
    work, there = brusselator(RadauSteps, n, tolerance)
    usual, wanted = brusselator(Radau, n, tolerance)
    assert work < part * usual
    assert there == pytest.approx(wanted, rel=10 * tolerance)
