"""Exponents of many equations by Floquet's transform, beside published values and Hill's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.special import mathieu_a, mathieu_b

from mbcore import ModelError
from mbcore.examples.vibration.drive_shaft_half_turn import over_half_a_turn
from mbcore.examples.vibration.drive_shaft_model import BENDING_FREQUENCY, mechanism
from mbcore.small_vibrations import floquet
from mbcore.small_vibrations.monodromy import apart
from mbcore.small_vibrations.periodic_equations import PeriodicEquations
from mbcore.small_vibrations.stability import exponents_of
from mbcore.vibration import exponents_along, nominal_range

STRENGTH = 3.0


def mathieu(a: float, damping: float = 0.0, samples: int = 24) -> PeriodicEquations:
    """Return y'' + 2 c y' + (a + c² - 2 q cos 2t) y = 0: exponents of c = 0 less c."""
    t = np.pi * np.arange(samples) / samples
    Q = (a + damping**2 - 2 * STRENGTH * np.cos(2 * t))[:, None, None]
    P, r = np.full_like(Q, 2 * damping), np.zeros((samples, 1))
    return PeriodicEquations("Mathieu", np.pi, P, Q, r)


def traces(values: Sequence[float], damping: float) -> np.ndarray:
    """Return the traces of the monodromy matrices without damping."""
    found = exponents_along([mathieu(a, damping) for a in values])
    return np.exp((found + damping) * np.pi).sum(axis=1)


@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_mathieus_characteristic_values(damping: float) -> None:
    """Multipliers are 1 twice at a_0, b_2, a_2, and -1 twice at the odd ones."""
    ends = [(float(mathieu_a(0, STRENGTH)), 2)]
    for order in (1, 2, 3):
        sign = 2 * (-1) ** order
        ends += [
            (float(mathieu_b(order, STRENGTH)), sign),
            (float(mathieu_a(order, STRENGTH)), sign),
        ]
    found = traces([a for a, _ in ends], damping)
    assert found == pytest.approx([sign for _, sign in ends], abs=1e-9)


@pytest.mark.heavy
def test_zones_of_mathieu_are_crossed() -> None:
    """From a_0 to b_1 and from a_1 to b_2 motions are bounded, between these they grow."""
    known = [mathieu_a(0, STRENGTH)]
    for order in (1, 2, 3):
        known += [mathieu_b(order, STRENGTH), mathieu_a(order, STRENGTH)]
    values = np.linspace(-5.0, 10.0, 151)
    growth = exponents_along([mathieu(a) for a in values])[:, 0].real
    zone = np.searchsorted(np.array(known, float), values)  # even: between two ends of growth
    assert (growth[zone % 2 == 0] > 1e-3).all()
    assert np.abs(growth[zone % 2 == 1]).max() < 1e-7


def varied(count: int, modes: int = 3) -> list[PeriodicEquations]:
    """Return coupled modes at speeds from 1.6 down to 0.7, with resonances of sums among them."""
    random = np.random.default_rng(5)
    C, D, S = random.standard_normal((3, modes, modes))
    K = np.diag([1.0, 1.7, 2.9]) ** 2
    t = 2 * np.pi * np.arange(16)[:, None, None] / 16
    P = 0.02 * np.eye(modes) + 0.1 * (C - C.T) + 0.05 * D * np.sin(t)
    Q = K + 0.3 * (S + S.T) * np.cos(t)
    r = np.zeros((16, modes))
    return [
        PeriodicEquations("varied", 2 * np.pi / ω, P, Q, r) for ω in np.linspace(1.6, 0.7, count)
    ]


def test_the_way_does_not_matter() -> None:
    """Nor does the order in which equations are given."""
    family = varied(13)
    every = exponents_along(family)
    assert (exponents_along(family[::-1])[::-1] == every).all()
    others = [exponents_along(family[first::3]) for first in range(3)]
    for i, e in enumerate(family):
        assert apart(every[i], others[i % 3][i // 3], e.frequency) < 1e-10
        alone = exponents_along([e])[0]
        assert apart(every[i], alone, e.frequency) < 1e-10


def test_exponents_are_those_of_hill_and_of_liouville() -> None:
    """Liouville: their sum is the mean trace, modulo i ω."""
    family = varied(7)
    for e, found in zip(family, exponents_along(family), strict=True):
        hill = exponents_of(e, "monodromy")
        assert apart(found, hill, e.frequency) < 1e-7
        mean = np.trace(e.state_matrices, axis1=1, axis2=2).mean()
        assert found.real.sum() == pytest.approx(mean, abs=1e-12)


def turning(damping: float, ω: float = 1.3) -> PeriodicEquations:
    """Return p'' + C p' + K p = 0 for y, with p = S(t) y and S'' = -ω² S."""
    C, K = np.diag([damping, 0.1]), np.diag([4.0, 9.0])
    angle = 2 * np.pi / 16 * np.arange(16)[:, None, None]
    one, quarter = np.eye(2), np.array([[0.0, -1.0], [1.0, 0.0]])
    S = np.cos(angle) * one - np.sin(angle) * quarter
    back, rate = S.transpose(0, 2, 1), ω * (-np.sin(angle) * one - np.cos(angle) * quarter)
    P, Q = back @ (2 * rate + C @ S), back @ (-(ω**2) * S + C @ rate + K @ S)
    return PeriodicEquations("turning", 2 * np.pi / ω, P, Q, np.zeros((16, 2)))


@pytest.mark.parametrize("count", [4, pytest.param(24, marks=pytest.mark.heavy)])
def test_a_pair_becomes_two_real_exponents(count: int) -> None:
    """Closed form: λ² + d λ + 4 = 0, critical at d = 4, and λ² + 0.1 λ + 9 = 0."""
    dampings = np.linspace(1.05, 7.95, count)
    for d, found in zip(dampings, exponents_along([turning(d) for d in dampings]), strict=True):
        wanted = np.concatenate([np.roots([1.0, d, 4.0]), np.roots([1.0, 0.1, 9.0])])
        assert apart(found, wanted, 1.3) < 1e-10


def test_equations_that_are_all_alike() -> None:
    """Between them is no step, so that nothing points to the next one."""
    found = exponents_along([turning(1.0)] * 4)
    assert (np.abs(found - found[0]) < 1e-12).all()


@pytest.mark.heavy
def test_drive_shaft_at_100_speeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside Hill's determinant with the harmonics that the samples determine.

    At the lowest speed one of the determinant's eigenvalues has the condition number 1.6e5, whose
    rounding is 1e-10 of it; the sum of exponents has no such error. The determinant, a tenth of a
    second at a speed, is taken at every fifth; the sum tells of a wrong exponent at all.
    """
    speeds = np.linspace(0.02, 1.0, 100) * BENDING_FREQUENCY
    motions = nominal_range(
        mechanism().equations(), "input.speed", (speeds[0], speeds[-1]), samples=80
    )
    family = [over_half_a_turn(motions.at(speed)) for speed in speeds]
    monkeypatch.delattr(floquet, "hill_exponents")  # Newton's method arrives at all of them
    found = exponents_along(family)
    for k, (e, values) in enumerate(zip(family, found, strict=True)):
        size = np.abs(values).max()
        mean = np.trace(e.state_matrices, axis1=1, axis2=2).mean()
        assert values.real.sum() == pytest.approx(mean, abs=1e-13 * size)
        if k % 5:
            continue
        harmonics = 12 if e.frequency > 400 else 19
        hill = exponents_of(e, "hill", harmonics)
        rounding = 2e-10 if e is family[0] else 1e-10
        assert apart(values, hill, e.frequency) < rounding * np.abs(hill).max()
        assert values[0].real == pytest.approx(hill[0].real, abs=1e-10 * np.abs(hill).max())


def test_wrong_equations_are_refused() -> None:
    assert exponents_along([]).shape == (0, 0)
    with pytest.raises(
        ModelError, match="varied has 6 states, Mathieu has 2; give equations of one"
    ):
        exponents_along([mathieu(1.0), varied(1)[0]])
    with pytest.raises(ModelError, match="Mathieu: a coefficient is not a finite number"):
        exponents_along([mathieu(np.nan)])
