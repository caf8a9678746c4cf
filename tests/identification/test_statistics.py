"""Statistics of a fit by hand: the test of white residuals, and how a robust loss widens errors."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from mbcore.identification.statistics import _robust_factor, whiteness


def test_residuals_that_alternate_are_not_white() -> None:
    """Of 20, r_1 = -19/20 and r_2 = 18/20; Q = 20·22 (r_1²/19 + r_2²/18), [LjungBox1978]."""
    found = whiteness([np.tile([1.0, -1.0], 10)])
    assert found.lags == 2
    assert found.correlations == pytest.approx([-0.95, 0.9], rel=1e-14)
    assert found.statistic == pytest.approx(440 * (0.95**2 / 19 + 0.9**2 / 18), rel=1e-14)
    assert found.probability == pytest.approx(np.exp(-found.statistic / 2), rel=1e-12)  # of χ²(2)
    assert not found.white


@pytest.mark.parametrize(
    ("loss", "influence", "slope"),
    [("huber", 1.0, 0.0), ("soft_l1", 2 / 5**0.5, 5**-1.5), ("cauchy", 0.4, -0.12)],
)
def test_a_robust_loss_widens_errors_by_its_influence(
    loss: str, influence: float, slope: float
) -> None:
    """E ψ²/(E ψ')² of the errors 0 and 2, in deviations: ψ = u ρ'(u²) is 0 and its slope 1 at 0."""
    problem = SimpleNamespace(options=SimpleNamespace(loss=loss), sensor_of=np.array([0, 0]))
    found = SimpleNamespace(
        at=SimpleNamespace(errors=np.array([0.0, 1.0])), deviations=np.array([0.5])
    )
    expected = (influence**2 / 2) / ((1 + slope) / 2) ** 2
    assert _robust_factor(problem, found) == pytest.approx(expected, rel=1e-14)  # type: ignore[arg-type]
