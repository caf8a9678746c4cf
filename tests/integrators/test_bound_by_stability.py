"""A warning where steps of the user's explicit method were bound by stability, and else none."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from mbcore import Body, Model, ModelWarning, simulate
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.integrators.table import method_named
from mbcore.simulation import bound_by_stability
from mbcore.simulation.bound_by_stability import LatePace, _fastest_rate, _longest_stable
from tests.integrators.test_automatic import decayed, root, row

BOUND = "bound by stability"


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let short runs be judged, as else those of thousands of steps."""
    monkeypatch.setattr(bound_by_stability, "MANY", 100)


def oscillator() -> Equations:
    """Return a mass on a spring without damping: ω = 100 rad/s, amplitude 0.1 m."""
    model = Model("oscillator")
    point = model.point("mass")
    point.y.fix()
    point.x.dof("x", start=0.1).spring(1e4)
    model.add(Body("body", point, mass=1))
    return model.equations()


def silent(equations: Equations, until: float, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return simulate(equations, until, **options)


def test_an_explicit_method_on_a_stiff_model_warns_once(few: None) -> None:
    """Its steps are 6 over the rate of 2e5 1/s; what they give is as without the warning."""
    equations = row((2.0, 2e5))
    options: dict[str, Any] = {"method": "DOP853", "backend": "python", "samples": 2}
    said = rf'{BOUND}.* 2e\+05 1/s.*leave method out, or give "Radau"'
    with pytest.warns(ModelWarning, match=said) as told:
        run = simulate(equations, 0.005, **options)
    assert len(told) == 1 and run.steps == ((0.0, "DOP853"),)
    assert run.final("x0") == pytest.approx(decayed(2.0, 0.005), abs=1e-9)
    again = silent(equations, 0.005, **options)
    assert np.array_equal(run["x0"], again["x0"])
    assert run.statistics == again.statistics


@pytest.mark.heavy
@pytest.mark.parametrize("method", ["DOP853", "RK45"])
def test_runs_in_c_warn_too(method: str) -> None:
    equations = row()
    with pytest.warns(ModelWarning, match=f"steps of {method} are {BOUND}"):
        run = simulate(equations, 3.0, method=method, backend="c", samples=2)
    assert run.statistics["steps in C"] > 3 * 2e4 / 7
    silent(equations, 3.0, backend="c", samples=2)


@pytest.mark.parametrize(("method", "until"), [("DOP853", 1.5), ("RK45", 0.1)])
def test_an_oscillation_that_is_followed_does_not_warn(
    few: None, method: str, until: float
) -> None:
    run = silent(oscillator(), until, method=method, backend="python", samples=2)
    assert run.statistics["steps"] > 100
    assert run.final("x") == pytest.approx(0.1 * np.cos(100 * until), abs=1e-6)


def test_short_runs_and_those_without_a_jacobian_do_not_warn(few: None) -> None:
    silent(row(), 0.01, method="DOP853", backend="python")
    run = silent(root(), 0.025, method="DOP853", backend="python", samples=2)
    assert run.statistics["steps"] > 100


def test_inputs_behind_the_end_are_not_told_of(few: None) -> None:
    """An input that leaves its range just behind the end."""
    model = Model("pushed")
    point = model.point("mass")
    point.y.fix()
    point.x.dof("x").spring(4 * 2e4, 4 + 2e4)
    model.add(Body("body", point, mass=1))
    push = model.input("push", unit="N", minimum=-1, maximum=0.05)
    model.load(push, point.x.rate)
    with pytest.warns(ModelWarning) as told:
        simulate(
            model.equations(), 0.05, method="DOP853", backend="python", inputs={"push": lambda t: t}
        )
    assert [BOUND in str(one.message) for one in told] == [True]


def test_the_fastest_rate_is_that_of_the_fastest_part() -> None:
    """Decay by 2e4 1/s, and an oscillation of 100 rad/s."""
    for equations, rate in (row(), 2e4), (oscillator(), 100):
        evaluation = Evaluation(equations)
        evaluation.start()
        assert _fastest_rate(MovingPoint(evaluation, {})) == pytest.approx(rate, rel=0.01)


@pytest.mark.parametrize(("method", "published"), [("RK45", 3.3), ("DOP853", 6.1)])
def test_the_longest_stable_step(method: str, published: float) -> None:
    """E. Hairer's dopri5.f and dop853.f ask for these when they look for stiffness."""
    assert _longest_stable(method_named(method).tableau) == pytest.approx(published, rel=0.05)


def test_the_pace_is_that_of_the_later_half() -> None:
    """Of 1000 steps, 250 are of 0.1 s; half to three quarters of them count."""
    pace = LatePace()
    for n in range(1, 1001):
        pace.note(0.1 * min(n, 250) + 0.001 * max(n - 250, 0), n)
    assert pace.length(25 + 0.75, 1000) == pytest.approx(0.001)
