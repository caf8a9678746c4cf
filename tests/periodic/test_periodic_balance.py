"""Harmonic balance of the full equations: it agrees with shooting, and knows when it fails."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from mbcore import Model, ModelWarning
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.model.errors import ModelError, SimulationError
from mbcore.vibration import PeriodicOptions, periodic_solution
from tests.oscillators import NATURAL, duffing, excited_pendulum, slider, van_der_pol

METHOD = "harmonic_balance"


@pytest.mark.heavy
def test_excited_pendulum_agrees_with_shooting() -> None:
    ratio = 0.5
    period = 2 * np.pi / (ratio * NATURAL)
    equations = excited_pendulum(ratio).equations()
    found = periodic_solution(equations, period, METHOD)
    # derived by hand from [Schwab2002] (4.18) and solved directly
    assert found.amplitude("angle") == pytest.approx(0.346440007, abs=1e-9)
    assert found.residual < 1e-10
    shot = periodic_solution(equations, period, guess=found)
    assert shot.iterations <= 1
    assert found.multipliers == pytest.approx(shot.multipliers, abs=1e-9)
    times = np.linspace(0, 2 * period, 17)
    for name in ("angle", "rate", "bob.x"):
        assert found[name](times) == pytest.approx(shot[name](times), abs=1e-9)


@pytest.mark.heavy
def test_van_der_pol_finds_its_period() -> None:
    found = periodic_solution(van_der_pol().equations(), 6.5, METHOD, autonomous=True)
    # known to many digits from series and from independent integrations
    assert found.period == pytest.approx(6.6632868593231301896996820305, abs=1e-12)
    assert found.amplitude("x") == pytest.approx(2.00861986087484313650940188, abs=1e-12)
    assert found.residual < 1e-10
    assert found.stable


@pytest.mark.heavy
def test_duffing_agrees_with_shooting_where_it_is_unstable() -> None:
    speed = 1.6
    equations = duffing(speed=speed).equations()
    guess = {"x": -0.9, "v": 1.6}
    found = periodic_solution(equations, 2 * np.pi / speed, METHOD, guess=guess)
    shot = periodic_solution(equations, 2 * np.pi / speed, guess=guess)
    assert not found.stable
    assert found.harmonics("x")[:8] == pytest.approx(shot.harmonics("x")[:8], abs=1e-10)
    # the third harmonic follows the first by x³ alone, the second is none
    assert abs(found.harmonics("x")[2]) < 1e-12


@pytest.mark.heavy
def test_angle_that_winds_is_balanced() -> None:
    # the pendulum goes round with its crank, as fast and the same way
    ratio = 2.5
    period = 2 * np.pi / (ratio * NATURAL)
    equations = excited_pendulum(ratio).equations()
    guess = {"angle": 0.0, "rate": ratio * NATURAL}
    shot = periodic_solution(equations, period, guess=guess)
    found = periodic_solution(equations, period, METHOD, guess=guess)
    assert found["angle"](period) - found["angle"](0.0) == pytest.approx(2 * np.pi)
    assert found["angle"](0.3) == pytest.approx(float(shot["angle"](0.3)), abs=1e-9)
    assert found.multipliers == pytest.approx(shot.multipliers, abs=1e-8)


@pytest.mark.heavy
def test_too_few_harmonics_are_told() -> None:
    equations = van_der_pol().equations()
    with pytest.warns(ModelWarning, match="highest of 12 harmonics still has"):
        periodic_solution(
            equations, 6.66, METHOD, autonomous=True, options=PeriodicOptions(harmonics=12)
        )
    with pytest.raises(SimulationError, match="give more harmonics"):
        periodic_solution(
            equations, 6.66, METHOD, autonomous=True, options=PeriodicOptions(harmonics=4)
        )
    with pytest.raises(ModelError, match="number of harmonics = 0"):
        periodic_solution(
            equations, 6.66, METHOD, autonomous=True, options=PeriodicOptions(harmonics=0)
        )


def test_what_has_no_harmonics_is_refused() -> None:
    def force(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
        return x + 0.1 * v - ca.cos(2.8 * model.time)

    model = slider("oscillator", force, 0.3)
    unilateral_contact(model, "wall", model.nodes["point"].x.value, Impact(0.8))
    with pytest.raises(SimulationError, match=r"wall.impact occurs at t = .* smooth motions"):
        periodic_solution(model.equations(), 2 * np.pi / 2.8, METHOD)
    cycle = van_der_pol().equations()
    with pytest.raises(SimulationError, match="state at rest"):
        periodic_solution(cycle, 6.0, METHOD, guess={"x": 1e-3, "v": 0.0}, autonomous=True)


@pytest.mark.heavy
def test_unlike_nominal_values_cost_no_steps() -> None:
    """A state of 1e-3 beside its rate of 1: Newton's derivatives stay exact."""

    def force(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
        return x + 0.4 * v + 2e5 * x**3 - 1e-3 * ca.cos(1.2 * model.time)

    model = slider("small", force, nominal=1e-3)
    found = periodic_solution(
        model.equations(), 2 * np.pi / 1.2, METHOD, options=PeriodicOptions(harmonics=9)
    )
    assert found.iterations <= 8
    assert found.residual < 1e-3


def test_what_goes_on_is_balanced_whatever_its_nominal_value() -> None:
    """Pulled along a road of waves; the pull's power is the damper's."""
    pull, drag, wave = 2.0, 0.4, 1.5

    def force(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
        return drag * v + 0.3 * ca.sin(2 * np.pi * x / wave) - pull

    equations = slider("waves", force, nominal=10.0).equations()
    found = periodic_solution(
        equations,
        0.3,
        METHOD,
        guess={"v": 5.0},
        autonomous=True,
        options=PeriodicOptions(harmonics=10, advance={"x": wave}),
    )
    speeds = found.harmonics("v")
    mean_square = abs(speeds[0]) ** 2 + 2 * np.sum(np.abs(speeds[1:]) ** 2)
    assert drag * mean_square * found.period == pytest.approx(pull * wave, rel=1e-8)
    assert found["x"](found.period) - found["x"](0.0) == pytest.approx(wave)
    assert found.iterations <= 8
