"""Lyapunov exponents against closed forms and published values."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from mbcore import Model, ModelError, compile_equations
from mbcore.vibration import lyapunov_exponents, periodic_solution
from tests.oscillators import slider, van_der_pol
from tests.periodic.test_saltation import LEAST, MOST, PERIOD, RESTITUTION, bounce, table_ball


def linear() -> Model:
    """Return x'' + 5 x' + 4 x = 0 beside z' = 0.5 z: exponents -1, -4 and 0.5."""
    model = slider("linear", lambda model, x, v: 5 * v + 4 * x, 0.3)
    z = model.state("z", start=1e-3)
    model.derivative("z", 0.5 * z)
    return model


@pytest.mark.heavy
def test_exponents_of_linear_equations_are_their_eigenvalues() -> None:
    found = lyapunov_exponents(linear().equations(), 30.0, settling=12.0)
    assert found.values == pytest.approx([0.5, -1.0, -4.0], abs=1e-7)
    assert found.divergence == pytest.approx(-4.5, abs=1e-9)
    assert found.error == pytest.approx(np.zeros(3), abs=1e-7)
    assert found.dimension == pytest.approx(1.5, abs=1e-7)


@pytest.mark.heavy
def test_exponents_of_damped_vibrations_are_their_decay() -> None:
    """x'' + 0.2 x' + x = 0: both decay with 0.1, and the phase is lost in the mean."""
    found = lyapunov_exponents(
        slider("damped", lambda model, x, v: 0.2 * v + x, 0.3).equations(), 100.0
    )
    assert found.values.sum() == pytest.approx(-0.2, abs=1e-8)
    assert found.values == pytest.approx([-0.1, -0.1], abs=3e-3)


@pytest.mark.heavy
def test_exponents_of_a_limit_cycle_are_those_of_its_multipliers() -> None:
    equations = van_der_pol().equations()
    cycle = periodic_solution(equations, 6.6, guess={"x": 2.0, "v": 0.0}, autonomous=True)
    start = {name: cycle.start[name] for name in ("x", "v")}
    found = lyapunov_exponents(equations, 10 * cycle.period, start, settling=4 * cycle.period)
    expected = np.log(np.abs(cycle.multipliers)) / cycle.period
    assert found.values == pytest.approx(expected, abs=1e-6)
    assert found.divergence == pytest.approx(found.values.sum(), abs=1e-8)


@pytest.mark.heavy
def test_exponents_go_through_impacts() -> None:
    """The multipliers of a complex pair have the modulus e², the determinant by hand."""
    acceleration = 0.5 * (LEAST + MOST)
    start, multipliers = bounce(acceleration)
    found = lyapunov_exponents(
        table_ball(acceleration).equations(), 60 * PERIOD, start, settling=20 * PERIOD
    )
    sizes = np.sort(np.log(np.abs(multipliers)) / PERIOD)[::-1]
    assert found.values.sum() == pytest.approx(2 * np.log(RESTITUTION) / PERIOD, rel=1e-8)
    assert found.divergence == pytest.approx(found.values.sum(), rel=1e-8)
    assert found.values == pytest.approx(sizes, rel=0.05)


def test_growth_that_comes_suddenly_loses_no_direction() -> None:
    """x' = a y and y' = a x, where a is 0 but for a while in which x + y grows by exp(18)."""
    model, growth, duration, width = Model("sudden"), 18.0, 30.0, 0.05
    x, y = model.state("x", start=1.0), model.state("y", start=0.0)
    rate = growth / (2 * width) / ca.cosh((model.time - 0.505 * duration) / width) ** 2
    model.derivative("x", rate * y)
    model.derivative("y", rate * x)
    found = lyapunov_exponents(model.equations(), duration, settling=0.0)
    assert found.values.sum() == pytest.approx(0.0, abs=1e-11)
    # the first directions lie across, which shortens the first one once
    assert found.values == pytest.approx([growth / duration, -growth / duration], abs=2 / duration)


@pytest.mark.heavy
def test_chaos_of_a_spring_that_hardens() -> None:
    """Y. Ueda's x'' + 0.05 x' + x³ = 7.5 cos t has 0.10 and -0.15, to two digits by many."""

    def force(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
        return 0.05 * v + x**3 - 7.5 * ca.cos(model.time)

    equations = slider("ueda", force, 2.5).equations()
    compile_equations(equations)
    found = lyapunov_exponents(equations, 8000.0)
    assert found.values.sum() == pytest.approx(-0.05, abs=1e-9)
    assert found.values[0] == pytest.approx(0.10, abs=0.01)
    assert found.error[0] < 0.01
    assert found.dimension == pytest.approx(1 + found.values[0] / -found.values[1])


@pytest.mark.heavy
def test_chaos_of_lorenz() -> None:
    """J. C. Sprott: Chaos and Time-Series Analysis (2003): 0.9056, 0, -14.5723."""
    model = Model("lorenz")
    x, y, z = model.state("x", start=1.0), model.state("y", start=1.0), model.state("z", start=20.0)
    model.derivative("x", 10 * (y - x))
    model.derivative("y", x * (28 - z) - y)
    model.derivative("z", x * y - 8 / 3 * z)
    equations = model.equations()
    compile_equations(equations)
    found = lyapunov_exponents(equations, 1000.0)
    assert found.values == pytest.approx([0.9056, 0.0, -14.5723], abs=0.015)
    assert found.divergence == pytest.approx(-41 / 3, abs=1e-9)
    assert found.dimension == pytest.approx(2.062, abs=2e-3)


@pytest.mark.parametrize("words", [{"duration": 0.0}, {"duration": 1.0, "settling": -1.0}])
def test_impossible_times_are_refused(words: dict[str, float]) -> None:
    with pytest.raises(ModelError, match=r"lyapunov_exponents of linear: .* s"):
        lyapunov_exponents(linear().equations(), **words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"duration": 1e-300}, "duration = 1e-300 s must be at least"),
        ({"duration": 1e300}, r"duration = 1e\+300 s must be at most"),
        ({"duration": 1.0, "settling": 1e20}, "duration = 1 s is lost in rounding"),
        ({"duration": 1e12}, "the fastest rate at the start is 4 1/s"),
    ],
)
def test_durations_that_cannot_be_followed_are_refused(
    words: dict[str, float], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        lyapunov_exponents(linear().equations(), **words)
