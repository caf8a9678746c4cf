"""Examples for control engineers, who have nothing but the FMUs: their numbers, with bounds.

The references stand here once more: published, by hand, or what statistics expect of a fixed seed.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from mbcore.examples.controllers import fmu_adjoints, fmu_kalman_filter, fmu_lqr
from mbcore.examples.dynamics import Dynamics
from tests.conftest import Archives


@pytest.fixture(scope="module")
def caster(archives: Archives) -> Path:
    return archives["caster", "3.0"].path


@pytest.fixture(scope="module")
def regulated(archives: Archives) -> fmu_lqr.Record:
    return fmu_lqr.run({name: archives[name, "3.0"].path for name in ("caster", "bicycle")})


@pytest.fixture(scope="module")
def filtered(caster: Path) -> fmu_kalman_filter.Record:
    return fmu_kalman_filter.run(caster)


@pytest.fixture(scope="module")
def estimated(caster: Path) -> fmu_adjoints.Record:
    return fmu_adjoints.run(caster)


@pytest.fixture
def fit(caster: Path) -> Iterator[fmu_adjoints.Fit]:
    with Dynamics(caster, {}) as dynamics:
        yield fmu_adjoints.Fit(dynamics, fmu_adjoints.measure(caster))


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Meijaard, Papadopoulos, Ruina and Schwab (2007), section 5 and Table 2
        ("bicycle: weave speed (m/s)", 4.29238253634111),
        ("bicycle: capsize speed (m/s)", 6.02426201538837),
        ("bicycle: weave, real", 1.70675605663975),
        ("bicycle: weave, imaginary", 2.31582447384325),
        ("bicycle: capsize", -2.63366137253667),
        ("bicycle: castering", -10.35101467245920),
        # Routh's criterion: c l / (m (r² - a (l - a)))
        ("caster: critical speed (m/s)", 0.05 / (0.21 - 0.2 * 0.8)),
    ],
)
def test_stability_from_directional_derivatives(
    regulated: fmu_lqr.Record, name: str, expected: float
) -> None:
    assert regulated.numbers[name] == pytest.approx(expected, abs=1e-11)


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(ImportError, match=r"control: pip install '\.\[control\]'"):
        runpy.run_path(str(fmu_lqr.__file__))


@pytest.mark.heavy
def test_regulators_stabilize_what_is_unstable(regulated: fmu_lqr.Record) -> None:
    # 0.25 λ³ + (0.6 + 0.05) λ² + 0.3 λ + 0.9 by hand, at 3 m/s
    expected = fmu_lqr.sorted_roots(np.roots([0.25, 0.65, 0.3, 0.9]))
    np.testing.assert_allclose(regulated.caster.regulator.eigenvalues, expected, atol=1e-12)
    for case in (regulated.caster, regulated.bicycle):
        assert case.regulator.eigenvalues.real.max() > 0.02
        assert case.regulator.regulated.real.max() < -1
        assert np.abs(case.states(case.far)[-1]).max() < 1e-4
    bare = regulated.bicycle.bare
    assert bare.time[-1] < 2
    assert abs(bare["bicycle.lean"][-1]) > 0.6
    shimmy = np.abs(regulated.caster.bare["swivel.angle"])
    assert shimmy[-600:].max() > 2 * shimmy[1000:1600].max()


@pytest.mark.heavy
def test_closed_loops_cost_what_the_riccati_equation_says(regulated: fmu_lqr.Record) -> None:
    for case in (regulated.caster, regulated.bicycle):
        # what the nonlinear FMU adds is of third order in the start, 1e-5 to 1e-4
        assert case.cost_ratio == pytest.approx(1.0, abs=1e-8)
        assert case.apart < 1e-8


@pytest.mark.heavy
def test_filter_is_consistent(filtered: fmu_kalman_filter.Record) -> None:
    samples = 20 * 400
    low, high = chi2.interval(0.99, 2 * samples)
    assert low / samples < filtered.nis < high / samples
    low, high = (bound / 20 for bound in chi2.interval(0.99, 3 * 20))
    inside = (filtered.nees > low) & (filtered.nees < high)
    assert inside.mean() > 0.95
    assert filtered.nees.mean() == pytest.approx(3.0, abs=0.4)
    assert abs(filtered.correlation) < 3 / np.sqrt(2 * samples)
    # the test tells a filter that believes in half the noise
    assert filtered.overconfident.nis.mean() > 4


@pytest.mark.heavy
def test_filter_sees_what_is_not_measured(filtered: fmu_kalman_filter.Record) -> None:
    for run in filtered.runs:
        late = run.true[200:, 2] - run.estimate[200:, 2]
        assert np.sqrt(np.mean(late**2)) < 0.03
    assert np.abs(filtered.runs[0].true[:, 2]).max() > 0.3


@pytest.mark.heavy
def test_looking_ahead_leaves_no_trace(filtered: fmu_kalman_filter.Record) -> None:
    first = filtered.runs[0]
    assert first.resumed
    # the truth goes elsewhere, for its torque is not known, but not far
    apart = np.abs(first.ahead[:, 2] - first.true[200:300, 2])
    assert 0.001 < apart.max() < 0.2


def test_adjoint_and_directional_derivatives_give_one_gradient(fit: fmu_adjoints.Fit) -> None:
    theta = 0.9 * fmu_adjoints.TRUE + 0.02
    _, gradient = fit.gradient(theta)
    rows = fit.sensitivities(theta)
    expected = np.einsum("kot,ko->t", rows, fit.residuals(fit.motion(theta)))
    np.testing.assert_allclose(gradient, expected, rtol=1e-10, atol=1e-10 * abs(expected).max())


@pytest.mark.heavy
def test_gradient_by_adjoints_meets_differences(estimated: fmu_adjoints.Record) -> None:
    adjoint, differences = estimated.gradients
    np.testing.assert_allclose(adjoint, differences, rtol=1e-7)


@pytest.mark.heavy
def test_estimates_are_within_their_error_bars(estimated: fmu_adjoints.Record) -> None:
    # mass, stiffness, two dampers, and the start; what made the measurements
    true = np.array([1.3, 0.45, 0.06, 0.08, 0.0, 0.1, 0.2])
    apart = (estimated.estimate - true) / estimated.error_bars
    assert np.abs(apart).max() < 3
    assert estimated.error_bars[0] < 0.01
    low, high = chi2.interval(0.99, true.size)
    assert low < estimated.distance < high
    left = estimated.measured.size - true.size
    low, high = chi2.interval(0.99, left)
    assert low < estimated.chi_squared < high


@pytest.mark.heavy
def test_figures_of_control_are_written(
    regulated: fmu_lqr.Record,
    filtered: fmu_kalman_filter.Record,
    estimated: fmu_adjoints.Record,
    tmp_path: Path,
) -> None:
    fmu_lqr.draw(regulated, tmp_path)
    fmu_kalman_filter.draw(filtered, tmp_path)
    fmu_adjoints.draw(estimated, tmp_path)
    names = {path.stem for path in tmp_path.iterdir()}
    assert names == {"fmu_lqr", "fmu_kalman_filter", "fmu_adjoints"}
