"""Optima of three mechanisms against what is known without an optimizer."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from mbcore import optimize
from mbcore.examples.bicycles.bicycle_canonical import TILT, TRAIL, width
from mbcore.examples.bicycles.bicycle_widest_range import stable_speeds
from mbcore.fmus import bicycle, caster
from tests.conftest import equations_of
from tests.optimization.models import (
    DAMPERS,
    DECAY,
    DWELL,
    RIPPLE,
    SPEEDS,
    dampings,
    decays,
    dwell,
    dwelling,
    ripple,
)


def test_formulas_give_the_published_range() -> None:
    assert width(0.08, np.pi / 10) == pytest.approx(6.02426201538837 - 4.29238253634111)


@pytest.mark.heavy
def test_bicycle_with_the_widest_self_stable_range() -> None:
    """[Meijaard2007] at all places of a grid around the optimum is narrower, and equal there."""
    over = {TRAIL: (0.02, 0.2), TILT: (0.1, 0.5)}
    found = optimize(equations_of(bicycle.model), stable_speeds, over=over, maximize=True)
    trail, tilt = found.values[TRAIL], found.values[TILT]
    assert found.active == (f"{TRAIL} at its largest value",)
    assert found.objective == pytest.approx(width(trail, tilt), rel=1e-9)
    tilts = np.linspace(0.2, 0.3, 41)
    forced = np.array([width(0.2, one) for one in tilts])
    assert abs(tilts[np.nanargmax(forced)] - tilt) < 1.3e-3
    near = tilt + 1e-4 * np.array([-1, 0, 1])
    left, there, right = (width(0.2, one) for one in near)
    assert there > max(left, right), "within 1e-4"
    assert width(0.199, tilt) < there


def test_longest_dwell_of_the_step_dwell_mechanism() -> None:
    """By hand: the belt goes back by ε where its speed R - cos ψ is zero, and forth by ε after."""
    found = optimize(
        dwelling(),
        dwell,
        over=DWELL,
        subject_to=[(ripple, -RIPPLE, RIPPLE)],
        maximize=True,
    )
    radius = brentq(lambda R: np.sqrt(1 - R * R) - R * np.arccos(R) - RIPPLE, 0.5, 1 - 1e-9)
    half = brentq(lambda w: radius * w - np.sin(w) - RIPPLE, np.arccos(radius), 2)
    assert found.values["pulley.radius"] == pytest.approx(radius, rel=1e-4)
    assert found.values["crank.half"] == pytest.approx(half, rel=1e-4)
    assert found.met
    assert found.active[-1] == f"ripple[99] = {RIPPLE:g}"


def growth_by_hand(strut: float, swivel: float, speed: float) -> float:
    """Return the largest real part by the characteristic polynomial; m = l = 1, a = 0.2, k = 0.3.

    With the wheel's condition u = (l λ + v) q, φ = λ q, virtual work gives
    λ³ m (a² + r²)/l + λ² (m v a + d + c l²)/l + λ (c v + k l) + k v = 0.
    """
    powers = [0.04 + 0.21, 0.2 * speed + swivel + strut, strut * speed + 0.3, 0.3 * speed]
    return float(np.roots(powers).real.max())


def least_swivel_damping(strut: float) -> float:
    """Return the least damping of the swivel with which all speeds decay, by hand."""

    def growth(swivel: float) -> float:
        return max(growth_by_hand(strut, swivel, speed) for speed in SPEEDS) + DECAY

    return float(brentq(growth, 0.0, 1.0, xtol=1e-13)) if growth(0.0) > 0 else 0.0


def test_caster_that_does_not_shimmy_with_the_least_dampers() -> None:
    """The characteristic polynomial by hand, by brute force over the strut's damping."""
    found = optimize(
        equations_of(caster.model),
        dampings,
        over=DAMPERS,
        subject_to=[(decays, -np.inf, -DECAY)],
    )
    middle, width = 0.1, 0.1
    for _ in range(8):
        struts = middle + np.linspace(-width, width, 11)
        forced = [strut**2 + least_swivel_damping(strut) ** 2 for strut in struts]
        middle, width = struts[int(np.argmin(forced))], width / 5
    assert found.met
    assert found.objective == pytest.approx(min(forced), rel=1e-4)
    assert found.values["strut.damping"] == pytest.approx(middle, rel=1e-4)
    assert all(one.startswith("decays") for one in found.active)
