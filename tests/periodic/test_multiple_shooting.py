"""Shooting in segments against closed forms that a single shot cannot reach."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from mbcore.equations.equations import Equations
from mbcore.model.errors import ModelError
from mbcore.periodic.product_eigenvalues import product_eigenvalues
from mbcore.vibration import PeriodicOptions, periodic_solution
from tests.oscillators import slider, van_der_pol
from tests.periodic.test_saltation import LEAST, MOST, PERIOD, bounce, table_ball


def test_eigenvalues_of_a_product_are_kept_over_eighty_decades():
    rng = np.random.default_rng(4)
    sizes = np.array([1e2, 1.0, 1.0, 1e-2])
    bases = [np.linalg.qr(rng.normal(size=(4, 4)))[0] for _ in range(20)]
    turn = np.eye(4)
    turn[1:3, 1:3] = [[0.6, -0.8], [0.8, 0.6]]  # a pair on the unit circle in each factor
    factors = [
        bases[(k + 1) % 20] @ turn @ np.diag(sizes) @ np.linalg.inv(bases[k]) for k in range(20)
    ]
    found = product_eigenvalues(factors)
    pair = (0.6 + 0.8j) ** 20
    expected = np.array([1e40, pair, pair.conjugate(), 1e-40])
    order = np.lexsort((-found.imag * np.sign(pair.imag), -np.abs(found).round(3)))
    np.testing.assert_allclose(found[order], expected, rtol=1e-11)
    np.testing.assert_allclose(product_eigenvalues([np.diag([2.0, 3.0])]), [2.0, 3.0])


@pytest.fixture(scope="module")
def upright() -> Equations:
    """Return ẍ = 25 x + cos t."""
    return slider("upright", lambda model, x, v: -25 * x - ca.cos(model.time)).equations()


def test_a_motion_that_neighbours_leave_at_once_is_found(upright: Equations):
    # x = -cos t/26; neighbours leave and come with exp(±5 t)
    options = PeriodicOptions(segments=8)
    found = periodic_solution(upright, 2 * np.pi, options=options, backend="python")
    assert found.start["x"] == pytest.approx(-1 / 26, rel=1e-11)
    assert found["x"](2.0) == pytest.approx(-np.cos(2.0) / 26, abs=1e-11)
    expected = np.exp([10 * np.pi, -10 * np.pi])
    np.testing.assert_allclose(found.multipliers, expected, rtol=1e-9)
    # a solution is a guess for any number of segments
    few = PeriodicOptions(segments=7)
    again = periodic_solution(upright, 2 * np.pi, guess=found, options=few, backend="python")
    assert again.iterations <= 2


@pytest.mark.heavy
def test_the_second_multiplier_of_a_limit_cycle_is_that_of_liouville():
    options = PeriodicOptions(segments=12)
    equations = van_der_pol().equations()
    found = periodic_solution(equations, 6.6, autonomous=True, options=options, backend="python")
    times = np.linspace(0.0, found.period, 400, endpoint=False)
    trace = np.mean(1 - found["x"](times) ** 2) * found.period  # of a period: converges at once
    assert found.multipliers[1].real == pytest.approx(np.exp(trace), rel=1e-9)


@pytest.mark.parametrize("segments", [2, 7])
def test_a_ball_that_bounces_has_the_multipliers_by_hand(segments):
    # with 2 segments one would begin beside the impact, and is moved
    acceleration = 0.5 * (LEAST + MOST)
    start, expected = bounce(acceleration)
    near = {name: 1.001 * value + 1e-4 for name, value in start.items()}
    options = PeriodicOptions(segments=segments)
    equations = table_ball(acceleration).equations()
    found = periodic_solution(equations, PERIOD, guess=near, options=options)
    assert found.start == pytest.approx(start, abs=1e-10)
    values = np.sort_complex(found.multipliers)
    np.testing.assert_allclose(values, np.sort_complex(expected), atol=1e-9)


def test_mistaken_segments_are_named(upright: Equations):
    for given, said in ((0, "number of segments"), (2.5, "give a whole number")):
        with pytest.raises(ModelError, match=said):
            periodic_solution(upright, 1.0, options=PeriodicOptions(segments=given))  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="segments = 3 are for method"):
        options = PeriodicOptions(segments=3)
        periodic_solution(upright, 2 * np.pi, "harmonic_balance", options=options)
