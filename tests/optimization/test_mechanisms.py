"""Optima of three mechanisms against what is known without an optimizer."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy.optimize import brentq

from mbcore import Trial, Varied, optimize
from mbcore.fmus import bicycle, caster
from tests.conftest import equations_of
from tests.fmu_src.bicycle_formulas import DATA, canonical_matrices
from tests.optimization.models import dwelling

FOUR = ("bicycle.lean_rate", "bicycle.steer_rate", "bicycle.lean", "bicycle.steer")
TRAIL, TILT = "geometry.trail", "geometry.tilt"
SPEEDS, DECAY = (0.5, 1.0, 2.0), 0.02
"""Of the caster, m/s and 1/s."""
RIPPLE = 1e-3
"""By which the belt may move while it dwells, m."""


def stable_speeds(trial: Trial) -> Varied:
    """Return the width of the bicycle's range of self-stable speeds, m/s."""
    at = {"bicycle.lean_rate": 0.0}
    return trial.stable_range("bicycle.speed", (1, 12), FOUR, at=at, samples=15).width


def width_by_formulas(trail: float, tilt: float) -> float:
    """Return the same by [Meijaard2007] Appendix A, Routh's condition and a determinant."""
    m, c, k0, k2 = (
        canonical_matrices({**DATA, TRAIL: trail, TILT: tilt})[n] for n in ("M", "C1", "K0", "K2")
    )
    v, gravity = Polynomial([0, 1]), 9.81

    def product(i: int, j: int, k: int, n: int) -> list[Polynomial]:
        """Return the coefficients of (m λ² + c v λ + g k0 + v² k2)_ij (...)_kn by λ."""
        one, other = (
            [gravity * k0[a] + k2[a] * v**2, c[a] * v, Polynomial([m[a]])] for a in ((i, j), (k, n))
        )
        found = [Polynomial([0])] * 5
        for a, x in enumerate(one):
            for b, y in enumerate(other):
                found[a + b] = found[a + b] + x * y
        return found

    pairs = zip(product(0, 0, 1, 1), product(0, 1, 1, 0), strict=True)
    e, d, c1, b, a = (x - y for x, y in pairs)
    routh = b * c1 * d - a * d * d - b * b * e
    weave = [
        r.real
        for r in routh.roots()
        if abs(r.imag) < 1e-6 and r.real > 1e-3 and d(r.real) / b(r.real) > 0
    ]
    capsize = [r.real for r in e.roots() if abs(r.imag) < 1e-9 and r.real > max(weave, default=0)]
    return float(capsize[0] - max(weave)) if capsize and weave else np.nan


def test_formulas_give_the_published_range() -> None:
    assert width_by_formulas(0.08, np.pi / 10) == pytest.approx(6.02426201538837 - 4.29238253634111)


@pytest.mark.heavy
def test_bicycle_with_the_widest_self_stable_range() -> None:
    """[Meijaard2007] at all places of a grid around the optimum is narrower, and equal there."""
    over = {TRAIL: (0.02, 0.2), TILT: (0.1, 0.5)}
    found = optimize(equations_of(bicycle.model), stable_speeds, over=over, maximize=True)
    trail, tilt = found.values[TRAIL], found.values[TILT]
    assert found.active == (f"{TRAIL} at its largest value",)
    assert found.objective == pytest.approx(width_by_formulas(trail, tilt), rel=1e-9)
    tilts = np.linspace(0.2, 0.3, 41)
    forced = np.array([width_by_formulas(0.2, one) for one in tilts])
    assert abs(tilts[np.nanargmax(forced)] - tilt) < 1.3e-3
    near = tilt + 1e-4 * np.array([-1, 0, 1])
    left, there, right = (width_by_formulas(0.2, one) for one in near)
    assert there > max(left, right), "within 1e-4"
    assert width_by_formulas(0.199, tilt) < there


def dwell(trial: Trial) -> Varied:
    """Return half the angle of the crank for which the belt dwells."""
    return trial["crank.half"]


def ripple(trial: Trial) -> Varied:
    """Return how far the belt has gone since the middle of the dwell, m."""
    belt = trial.outputs(["belt"], times=np.linspace(0, 1, 101))["belt"]
    return belt[1:] - belt[0]


def test_longest_dwell_of_the_step_dwell_mechanism() -> None:
    """By hand: the belt goes back by ε where its speed R - cos ψ is zero, and forth by ε after."""
    found = optimize(
        dwelling(),
        dwell,
        over={"crank.half": (0.05, 1.2), "pulley.radius": (0.5, 1.2)},
        subject_to=[(ripple, -RIPPLE, RIPPLE)],
        maximize=True,
    )
    radius = brentq(lambda R: np.sqrt(1 - R * R) - R * np.arccos(R) - RIPPLE, 0.5, 1 - 1e-9)
    half = brentq(lambda w: radius * w - np.sin(w) - RIPPLE, np.arccos(radius), 2)
    assert found.values["pulley.radius"] == pytest.approx(radius, rel=1e-4)
    assert found.values["crank.half"] == pytest.approx(half, rel=1e-4)
    assert found.met
    assert found.active[-1] == f"ripple[99] = {RIPPLE:g}"


def dampings(trial: Trial) -> Varied:
    """Return what both dampers of the caster cost."""
    return trial["swivel.damping"] ** 2 + trial["strut.damping"] ** 2


def decays(trial: Trial) -> Varied:
    """Return real parts of all eigenvalues at three speeds, 1/s."""
    found = [
        trial.eigenvalues(
            ["strut.deflection_rate", "strut.deflection", "swivel.angle"],
            at={"swivel.angle": 0.0},
            inputs={"attachment.speed": speed},
        ).real
        for speed in SPEEDS
    ]
    return Varied(
        np.concatenate([one.value for one in found]),
        np.concatenate([one.gradient for one in found]),
    )


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
        over={"swivel.damping": (0, 1, 0.5), "strut.damping": (0, 1, 0.5)},
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
