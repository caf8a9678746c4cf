"""Smooth tables beside splines of exact fractions, which share no code with them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mbcore import ModelError, Table, Table2D
from tests.model.tables.exact_splines import exact, exact_values

CLOSE = 1e-15
"""Rounding, in parts of the largest value on lines of a grid and between them."""
X = np.array([-2.0, -1.9, -1.89, -0.3, 0.1, 2.0])
"""Abscissae of which two are near each other: there a spline overshoots most."""
Y = np.array([0.0, 0.7, 0.71, 1.1, 3.0])
Z = np.random.default_rng(2).standard_normal((len(X), len(Y)))


def error(found: np.ndarray, wanted: list[Fraction]) -> float:
    differences = (abs(Fraction(float(a)) - b) for a, b in zip(found, wanted, strict=True))
    return float(max(differences) / max(map(abs, wanted)))


@pytest.mark.parametrize("turns", [False, True])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_a_smooth_curve_is_that_of_fractions(order: int, turns: bool) -> None:
    y = np.append(Z[:-1, 0], Z[0, 0]) if turns else Z[:, 0]
    at = np.concatenate([X[:-1], np.linspace(X[0], X[-1], 40)[:-1]])
    table = Table(X, y, interpolation="smooth", periodic=turns)
    wanted = exact_values(exact(X), [[a] for a in exact(y)], exact(at), order, turns)
    assert error(table.derivative(at, order), [a for [a] in wanted]) < 4 * CLOSE


@pytest.mark.parametrize(
    "orders", [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)], ids=lambda orders: str(orders)
)
def test_a_smooth_surface_is_that_of_fractions(orders: tuple[int, int]) -> None:
    x = np.concatenate([X, np.linspace(X[0], X[-1], 9)])
    y = np.concatenate([Y, np.linspace(Y[0], Y[-1], 8)])
    heights = [exact(row) for row in Z]
    along_x = exact_values(exact(X), heights, exact(x), orders[0])
    along_y = exact_values(
        exact(Y), list(map(list, zip(*along_x, strict=True))), exact(y), orders[1]
    )
    wanted = [along_y[j][i] for i in range(len(x)) for j in range(len(y))]
    a, b = (of.ravel() for of in np.meshgrid(x, y, indexing="ij"))
    found = Table2D(X, Y, Z, interpolation="smooth").derivative(a, b, *orders)
    assert error(found, wanted) < CLOSE


@pytest.mark.parametrize("interpolation", ["linear", "smooth"])
def test_abscissae_too_near_for_doubles_are_refused(interpolation: Any) -> None:
    near, y = np.array([1, 2, 3, 4]) * 1e-310, np.array([0.0, 1.0, 3.0, 2.0])
    says = r"{0}\[0\] = 1e-310 and {0}\[1\] = 2e-310 are too near each other, .*; give points"
    for kind in (interpolation, "monotone"):
        with pytest.raises(ModelError, match=f"^table 'steep': {says.format('x')}"):
            Table(near, y, interpolation=kind, name="steep")
    for what, axes in (("x", (near, np.arange(4))), ("y", (np.arange(4), near))):
        with pytest.raises(ModelError, match=says.format(what)):
            Table2D(*axes, np.outer(y, y + 1), interpolation=interpolation)


def test_abscissae_too_far_apart_for_cubes_are_refused() -> None:
    far, y = 1e300 * np.arange(4.0), [0.0, 1.0, 3.0, 2.0]
    for interpolation in ("monotone", "smooth"):
        with pytest.raises(
            ModelError, match=r"x\[0\] = 0.0 and x\[1\] = 1e\+300 are too far apart"
        ):
            Table(far, y, interpolation=interpolation)  # type: ignore[arg-type]
    assert Table(far, y)([0, 1e300, 2.5e300]).tolist() == [0, 1, 2.5]
