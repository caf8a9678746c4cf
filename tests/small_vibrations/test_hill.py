"""Characteristic exponents: Hill's determinant beside the monodromy matrix and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import mathieu_a, mathieu_b

from mbcore import ModelError, ModelWarning, linearize
from mbcore.equations.equations import Equations
from mbcore.examples.vibration import drive_shaft_model
from mbcore.small_vibrations.monodromy import apart
from mbcore.small_vibrations.periodic_equations import PeriodicEquations
from mbcore.small_vibrations.stability import exponents_of
from mbcore.vibration import crossing_kind, nominal_motion, stability_boundary
from tests.conftest import equations_of
from tests.small_vibrations.models import (
    DAMPING,
    ECCENTRICITY,
    NATURAL,
    RADIUS,
    excited_pendulum,
    mathieu,
    swivel_wheel,
)


@pytest.fixture(scope="module")
def pendulum() -> Equations:
    return excited_pendulum().equations()


def at_ratio(pendulum: Equations, ratio: float) -> PeriodicEquations:
    speed = ratio * NATURAL
    return nominal_motion(pendulum, 2 * np.pi / speed, 16, {"omega": speed}).small_motions


BOUNDARIES = {
    (0.91, 0.93): (0.918657959, "fold_or_transcritical"),
    (1.01, 1.03): (1.023319037, "fold_or_transcritical"),
    (1.34, 1.37): (1.359057020, "flip"),
}
"""Between which ω/ω_0 what is lost or found, by the monodromy matrix of [Schwab2002] (4.19)."""


@pytest.mark.parametrize("method", [pytest.param("monodromy", marks=pytest.mark.heavy), "hill"])
def test_stability_boundaries_of_the_excited_pendulum(pendulum: Equations, method: str) -> None:
    for between, (value, kind) in BOUNDARIES.items():
        found = stability_boundary(
            lambda ratio: at_ratio(pendulum, ratio),
            between,
            method=method,  # type: ignore[arg-type]
            harmonics=7,
        )
        assert found.value == pytest.approx(value, abs=1e-9)
        assert found.kind == kind
        assert abs(found.multiplier) == pytest.approx(1.0, abs=1e-7)


def test_averaged_equations_miss_a_parametric_resonance(pendulum: Equations) -> None:
    """Of [Schwab2002] (4.19) the mean is λ² + 2 D ω_0 λ + ω_0², stable at any speed."""
    about = at_ratio(pendulum, 0.97)
    root = np.sqrt(DAMPING**2 - 1 + 0j)
    expected = NATURAL * (-DAMPING + np.array([-root, root]))
    assert exponents_of(about, "averaged") == pytest.approx(expected, rel=1e-10)
    assert exponents_of(about, "hill", 7)[0].real > 0 > exponents_of(about, "averaged")[0].real


def test_averaged_equations_of_the_drive_shaft() -> None:
    """What the docstring of `exponents` warns of: numbers worked out beforehand."""
    speed = 0.66 * 766.0
    shaft = equations_of(drive_shaft_model.mechanism)
    about = nominal_motion(shaft, 2 * np.pi / speed, 64, {"input.speed": speed})
    assert about.exponents("averaged")[0].real == pytest.approx(-2.63, abs=0.005)
    assert about.exponents("hill")[0].real == pytest.approx(9.50, abs=0.005)


def by_hand(ratio: float, m: int) -> np.ndarray:
    """Return all images of the exponents of [Schwab2002] (4.19).

    They are the eigenvalues of [Schwab2002] (4.15) with the matrices of [Schwab2002] (4.16).
    """
    ω, orders = ratio * NATURAL, np.arange(-m, m + 1)
    one, p = np.eye(2 * m + 1), 2 * DAMPING * NATURAL
    beside = np.eye(2 * m + 1, k=1) + np.eye(2 * m + 1, k=-1)
    Q = NATURAL**2 * one + (1 + ECCENTRICITY) * RADIUS * ω**2 / 2 * beside
    V = p * one + 2j * ω * np.diag(orders)
    W = Q - ω**2 * np.diag(orders**2) + 1j * ω * p * np.diag(orders)
    return np.linalg.eigvals(np.block([[0 * one, one], [-W, -V]]))


@pytest.mark.heavy
def test_two_harmonics_with_least_imaginary_parts(pendulum: Equations) -> None:
    """The text's choice for its Figure 4.4: the first two boundaries are near the exact ones."""

    def largest(ratio: float) -> float:
        found = exponents_of(at_ratio(pendulum, ratio), "hill", 2, choose="least_imaginary")
        return float(found[0].real)

    for between, value in (((0.9, 0.95), 0.9185552), ((0.95, 1.1), 1.0231785)):
        assert brentq(largest, *between, xtol=1e-10) == pytest.approx(value, abs=1e-7)
    # Near the flip four exponents have the same |Im|: two families with two images each.
    flip = brentq(largest, 1.35, 1.37, xtol=1e-10)
    values = by_hand(flip, 2)
    nearest = values[np.argsort(np.abs(values.imag))[:4]]
    assert nearest.real.max() == pytest.approx(0.0, abs=1e-8)
    assert np.ptp(np.abs(nearest.imag)) == pytest.approx(0.0, abs=1e-9)


def test_exponents_are_among_those_of_the_determinant_by_hand(pendulum: Equations) -> None:
    # [Schwab2002] (4.14), (4.15), (4.16)
    for ratio in (0.5, 0.97, 1.37):
        found = exponents_of(at_ratio(pendulum, ratio), "hill", 6)
        every = by_hand(ratio, 6)
        assert np.abs(found[:, None] - every).min(axis=1) == pytest.approx(0.0, abs=1e-10)


def test_damping_alone_below_the_first_boundary(pendulum: Equations) -> None:
    """Below 0.9 the largest real part is -ζ ω_0."""
    for ratio in (0.2, 0.6, 0.85):
        for method in ("hill", "monodromy"):
            found = exponents_of(at_ratio(pendulum, ratio), method, 7)  # type: ignore[arg-type]
            assert found.real == pytest.approx(-DAMPING * NATURAL, abs=1e-9)


@pytest.mark.parametrize("method", [pytest.param("hill", marks=pytest.mark.heavy), "monodromy"])
def test_characteristic_values_of_mathieu(method: str) -> None:
    """y'' + (a - 2 q cos 2t) y = 0 has multipliers 1 at a_0, b_2, a_2, and -1 at the odd ones."""
    equations, q = mathieu().equations(), 3.0
    values = [float(mathieu_a(0, q))]
    for order in (1, 2, 3):
        values += [float(mathieu_b(order, q)), float(mathieu_a(order, q))]
    halves = [1, -1, -1, 1, 1, -1, -1]

    def excess(a: float, sign: int) -> float:
        nominal = nominal_motion(equations, np.pi, 24, {"a": a, "q": q})
        found = nominal.exponents(method, 11)  # type: ignore[arg-type]
        return float(sign * np.exp(found * np.pi).sum().real - 2)

    for value, sign in zip(values, halves, strict=True):
        found = brentq(excess, value - 0.01, value + 0.007, args=(sign,), xtol=1e-11)
        assert found == pytest.approx(value, abs=1e-9)


def stiff(speed: float, modes: int = 6, waves: float = 3e3) -> PeriodicEquations:
    """Return equations with modes from slow to fast, and decay of very different rates."""
    random = np.random.default_rng(3)
    frequencies = np.geomspace(480.0, 15000.0, modes)
    turned = np.linalg.qr(random.standard_normal((modes, modes)))[0]
    stiffness = turned * frequencies**2 @ turned.T
    gyration, first, second = random.standard_normal((3, modes, modes))
    t = 2 * np.pi * np.arange(32) / 32
    P = np.array(
        [2.6e-5 * stiffness + speed * (0.5 + 0.1 * np.cos(x)) * (gyration - gyration.T) for x in t]
    )
    Q = np.array(
        [stiffness + waves * first * np.cos(x) + 0.1 * speed**2 * second * np.sin(2 * x) for x in t]
    )
    return PeriodicEquations("stiff", 2 * np.pi / speed, P, Q, np.zeros((32, modes)))


@pytest.mark.parametrize("speed", [60.0, 1500.0])
def test_hill_and_monodromy_agree_and_keep_the_trace(speed: float) -> None:
    """Liouville: the multipliers' product is exp of the trace's integral.

    At the low speed they differ by hundreds of powers of ten.
    """
    # [Schwab2002] (4.5), (4.8), (4.15)
    equations = stiff(speed)
    hill, integrated = (exponents_of(equations, m) for m in ("hill", "monodromy"))  # type: ignore[arg-type]
    assert apart(hill, integrated, speed) < 1e-6 * speed
    trace = -np.trace(equations.P, axis1=1, axis2=2).mean()
    for found in (hill, integrated):
        assert (found.real.sum() - trace) * equations.period == pytest.approx(0.0, abs=1e-9)


def test_a_steady_motion_has_its_eigenvalues() -> None:
    """Of a wheel with a kinematic coordinate, which shimmies."""
    equations = swivel_wheel().equations()
    wanted = linearize(equations, unsteady=True).eigenvalues(zeros=True)
    nominal = nominal_motion(equations, 0.7, 16)
    assert nominal.exponents(harmonics=3) == pytest.approx(wanted, abs=1e-9)
    assert apart(nominal.exponents("monodromy"), wanted, 2 * np.pi / 0.7) < 1e-9


def test_kinematic_coordinates_with_changing_coefficients() -> None:
    nominal = nominal_motion(swivel_wheel().equations(), np.pi, 48, {"surge": 0.4})
    assert np.ptp(nominal.B[:, 0, 1]) > 1.0  # how fast the heading follows changes with the speed
    hill, integrated = nominal.exponents(harmonics=16), nominal.exponents("monodromy")
    assert apart(hill, integrated, 2.0) < 2e-6
    A = nominal.small_motions.state_matrices
    trace = np.trace(A, axis1=1, axis2=2).mean()
    assert (integrated.real.sum() - trace) * np.pi == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("waves", [3e3, 2e5])
def test_only_as_many_as_needed(waves: float) -> None:
    """Also where periodic coefficients are nearly as large as the mean ones of the slowest mode."""
    equations = stiff(400.0, waves=waves)
    every, few = exponents_of(equations), exponents_of(equations, count=4)
    assert few.real == pytest.approx(every[:4].real, abs=1e-6)
    assert apart(few, every[:4], 400.0) < 1e-9 * 400.0


def test_kinds_of_crossings() -> None:
    assert crossing_kind(1.0) == "fold_or_transcritical"
    assert crossing_kind(-1.0 + 1e-9j) == "flip"
    assert crossing_kind(np.exp(1j)) == "neimark_sacker"
    with pytest.raises(ModelError, match="multiplier 0 has no angle"):
        crossing_kind(0)


def test_too_few_harmonics_are_told(pendulum: Equations) -> None:
    with pytest.warns(ModelWarning, match=r"with 2 harmonics, eigenvectors .* ask for more harm"):
        exponents_of(at_ratio(pendulum, 1.0), "hill", 2)


def test_wrong_arguments_are_refused(pendulum: Equations) -> None:
    equations = at_ratio(pendulum, 0.5)
    with pytest.raises(ModelError, match="method = 'floquet' is unknown"):
        exponents_of(equations, "floquet")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"16 samples determine 7 harmonics, not 8"):
        exponents_of(equations, "hill", 8)
    with pytest.raises(ModelError, match="count = 3; give a number from 1 to 2"):
        exponents_of(equations, "hill", 7, count=3)
    with pytest.raises(ModelError, match=r"is stable at 0.5 and at 0.6 .* one value on each side"):
        stability_boundary(lambda ratio: at_ratio(pendulum, ratio), (0.5, 0.6))
