"""Periodic solutions by shooting: published amplitudes, limit cycles, and what is refused."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from mbcore import Model, superpose
from mbcore.equations.equations import Equations
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.vibration import (
    Flow,
    PeriodicOptions,
    Shooting,
    StepOptions,
    nominal_motion,
    periodic_solution,
)
from tests.oscillators import (
    NATURAL,
    duffing,
    duffing_by_hand,
    excited_pendulum,
    excited_pendulum_by_hand,
    slider,
    van_der_pol,
)


def integrated(rates: object, start: list[float], until: float) -> np.ndarray:
    run = solve_ivp(rates, (0, until), start, method="DOP853", rtol=1e-13, atol=1e-14)
    return np.array(run.y[:, -1])


# derived by hand from [Schwab2002] (4.18) and solved directly, without a multibody formalism
AMPLITUDES = {
    0.1: 0.002525361,
    0.2: 0.010422081,
    0.4: 0.051179019,
    0.5: 0.346440007,
    0.6: 0.150126151,
    0.8: 0.416730930,
}
HEAVY = pytest.mark.heavy


@pytest.mark.parametrize(
    "ratio", [pytest.param(r, marks=() if r == 0.5 else HEAVY) for r in AMPLITUDES]
)
def test_excited_pendulum_has_published_amplitudes(ratio: float) -> None:
    period = 2 * np.pi / (ratio * NATURAL)
    found = periodic_solution(excited_pendulum(ratio).equations(), period)
    assert found.amplitude("angle") == pytest.approx(AMPLITUDES[ratio], abs=1e-9)
    assert found.iterations <= 6
    assert found.residual <= 1e-10
    assert found.stable
    # Liouville: the trace of [Schwab2002] (4.18) is -2 ζ ω_0
    assert abs(np.prod(found.multipliers)) == pytest.approx(
        np.exp(-0.02 * NATURAL * period), rel=1e-9
    )
    # one period of the equation by hand, from the start that was found
    start = [found.start["rate"], found.start["angle"]]
    after = integrated(excited_pendulum_by_hand(ratio), start, period)
    assert after == pytest.approx(start, abs=1e-10)
    mass = found.start["angle"]
    assert found["bob.x"](0.0) == pytest.approx(np.sin(mass), abs=1e-12)


def test_derivative_of_the_flow_is_exact() -> None:
    ratio, start = 0.4, np.array([0.1, 0.2])
    period, step = 2 * np.pi / (ratio * NATURAL), 1e-5
    flow = Flow(excited_pendulum(ratio).equations(), vary="crank.speed")
    found = flow(start, period)
    rates = excited_pendulum_by_hand(ratio)
    assert found.state == pytest.approx(integrated(rates, list(start), period), abs=1e-11)
    for i in range(2):
        unit = step * np.eye(2)[i]
        ends = [integrated(rates, list(start + side * unit), period) for side in (1, -1)]
        assert found.derivative[:, i] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-8)
    ends = [
        integrated(excited_pendulum_by_hand(ratio + side * step / NATURAL), list(start), period)
        for side in (1, -1)
    ]
    by_speed = (ends[0] - ends[1]) / (2 * step)
    # [Schwab2002] (4.18) has ω in the damping as well, as the model has
    assert found.by_value == pytest.approx(by_speed, abs=1e-8)
    assert np.linalg.det(found.derivative) == pytest.approx(found.determinant, rel=1e-9)


@HEAVY
def test_van_der_pol_finds_its_period() -> None:
    found = periodic_solution(van_der_pol().equations(), 6.5, autonomous=True)
    # known to many digits from series and from independent integrations
    assert found.period == pytest.approx(6.6632868593231301896996820305, abs=1e-11)
    assert found.amplitude("x") == pytest.approx(2.00861986087484313650940188, abs=1e-11)
    assert found.residual <= 1e-10
    assert found.neutral == 1
    assert found.stable
    assert found.multipliers[0] == pytest.approx(1.0, abs=1e-9)
    # a limit cycle is odd: x(t + T/2) = -x(t)
    assert np.abs(found.harmonics("x")[::2]).max() < 1e-11


@HEAVY
def test_unstable_limit_cycle_is_found() -> None:
    # with time turned round, the limit cycle is the same and repels
    found = periodic_solution(
        van_der_pol(-1.0).equations(), 6.66, guess={"x": 2.0}, autonomous=True
    )
    assert found.period == pytest.approx(6.6632868593231301896996820305, abs=1e-10)
    assert not found.stable


@HEAVY
def test_duffing_has_three_solutions() -> None:
    speed = 1.6
    equations = duffing(speed=speed).equations()
    period, found = 2 * np.pi / speed, []
    for guess in ({"x": -0.2}, {"x": 0.9, "v": 1.9}, {"x": -0.9, "v": 1.6}):
        solution = periodic_solution(equations, period, guess=guess)
        start = [solution.start["v"], solution.start["x"]]
        after = integrated(duffing_by_hand(speed=speed), start, period)
        assert after == pytest.approx(start, abs=1e-9)
        found.append(solution)
    small, large, between = found
    assert small.amplitude("x") < between.amplitude("x") < large.amplitude("x")
    assert [s.stable for s in found] == [True, True, False]


def test_stiff_motion_has_its_closed_form() -> None:
    # x'' + c x' + c x = cos t with c = 1e6 (1/s, 1/s²): one decay of a second, one of a microsecond
    c = 1e6
    model = slider("stiff", lambda model, x, v: c * v + c * x - ca.cos(model.time))
    found = periodic_solution(model.equations(), 2 * np.pi)
    assert found.amplitude("x") == pytest.approx(abs(1 / (c - 1 + 1j * c)), rel=1e-8)
    slow = -2 * c / (c + np.sqrt(c**2 - 4 * c))
    assert found.multipliers[0] == pytest.approx(np.exp(2 * np.pi * slow), rel=1e-9)
    assert abs(found.multipliers[1]) < 1e-12


@HEAVY
def test_implicit_steps_have_the_same_exact_derivative() -> None:
    ratio, start = 0.4, np.array([0.1, 0.2])
    equations, period = excited_pendulum(ratio).equations(), 2 * np.pi / (ratio * NATURAL)
    ways = [
        Flow(equations, vary="crank.speed", steps=StepOptions(implicit=s))(start, period)
        for s in (False, True)
    ]
    for what in ("state", "derivative", "by_value"):
        explicit, implicit = (getattr(way, what) for way in ways)
        assert implicit == pytest.approx(explicit, abs=1e-10)
    assert np.linalg.det(ways[1].derivative) == pytest.approx(ways[1].determinant, rel=1e-10)


@HEAVY
def test_parameter_moves_the_period_too() -> None:
    shooting = Shooting(
        duffing().equations(), lambda speed: 2 * np.pi / speed, start={"x": 0.3}, vary="speed"
    )
    z, step = shooting.unknowns, 1e-5
    here = shooting.at(z, 1.2)
    sides = [shooting.at(z, 1.2 + side * step).residual for side in (1, -1)]
    assert here.by_value == pytest.approx((sides[0] - sides[1]) / (2 * step), abs=1e-8)


def test_what_is_not_periodic_is_refused() -> None:
    pendulum, cycle = excited_pendulum(0.4).equations(), van_der_pol().equations()
    period = 2 * np.pi / (0.4 * NATURAL)
    with pytest.raises(ModelError, match="period = -1 s must be greater than 0"):
        periodic_solution(pendulum, -1.0)
    with pytest.raises(SimulationError, match="the drive has another period"):
        periodic_solution(pendulum, 0.9 * period)
    with pytest.raises(ModelError, match="rate of rate depends on time"):
        periodic_solution(pendulum, period, autonomous=True)
    with pytest.raises(SimulationError, match="state of rest"):
        periodic_solution(cycle, 6.0, autonomous=True, guess={"x": 0.0})
    with pytest.raises(ModelError, match="method = 'magic'"):
        periodic_solution(cycle, 6.0, method="magic")
    with pytest.raises(ModelError, match="rtol = -1 must be greater than"):
        periodic_solution(cycle, 6.0, options=PeriodicOptions(rtol=-1))
    with pytest.raises(ModelError, match="no state 'y'"):
        periodic_solution(cycle, 6.0, guess={"y": 0.0})
    with pytest.raises(ModelError, match="'nu' is neither a parameter"):
        Shooting(cycle, 6.0, autonomous=True, vary="nu")


@pytest.mark.heavy
@pytest.mark.parametrize(
    "ratio", [pytest.param(r, marks=() if r == 0.4 else HEAVY) for r in AMPLITUDES]
)
def test_few_newton_steps_lead_from_the_linear_solution(ratio: float) -> None:
    equations, period = excited_pendulum(ratio).equations(), 2 * np.pi / (ratio * NATURAL)
    linear = nominal_motion(equations, period, samples=64).periodic(harmonics=16)
    found = periodic_solution(equations, period, guess=linear)
    assert found.iterations <= 6
    assert found.residual <= 1e-10
    assert found.amplitude("angle") == pytest.approx(AMPLITUDES[ratio], abs=1e-9)
    balanced = periodic_solution(equations, period, "harmonic_balance", guess=linear)
    assert balanced.amplitude("angle") == pytest.approx(AMPLITUDES[ratio], abs=1e-9)


@HEAVY
def test_small_motions_are_those_of_the_linear_equation() -> None:
    period = 2 * np.pi / (0.4 * NATURAL)
    found = periodic_solution(superpose(excited_pendulum(0.4)), period)
    # derived by hand from [Schwab2002] (4.19) and solved directly
    assert found.amplitude("angle") == pytest.approx(0.051200466, abs=1e-9)


def pushed() -> Equations:
    """Return x'' + 0.1 x' + x + x³ = u, an input."""

    def force(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
        return 0.1 * v + x + x**3 - model.input("push", unit="N")

    return slider("pushed", force).equations()


@HEAVY
def test_inputs_may_be_functions_of_time() -> None:
    equations, speed = pushed(), 1.2
    push = {"push": lambda t: 0.3 * np.cos(speed * t)}
    near = {"x": 0.9, "v": 0.5}
    found = periodic_solution(equations, 2 * np.pi / speed, guess=near, inputs=push)
    start = [found.start["v"], found.start["x"]]
    after = integrated(duffing_by_hand(0.3, speed), start, found.period)
    assert after == pytest.approx(start, abs=1e-10)
    with pytest.raises(SimulationError, match=r"rate of v is .* has another period"):
        periodic_solution(equations, 5.0, inputs=push)
    with pytest.raises(ModelError, match="'push' is neither a parameter nor an input that is con"):
        Shooting(equations, 2 * np.pi / speed, inputs=push, vary="push")


@HEAVY
def test_motion_settles_where_the_guess_is_far() -> None:
    # at the resonance Newton's method finds nothing from rest
    found = periodic_solution(duffing().equations(), 2 * np.pi / 1.2)
    start = [found.start["v"], found.start["x"]]
    after = integrated(duffing_by_hand(), start, found.period)
    assert after == pytest.approx(start, abs=1e-10)
    assert found.stable


def test_degree_of_freedom_without_mass_is_refused() -> None:
    model = Model("massless")
    point = model.point("point", (0, 0))
    point.y.fix()
    point.x.dof("x", "v").spring(1.0, 0.1)
    with pytest.raises(ConfigurationError, match="mass"):
        periodic_solution(model.equations(), 1.0)
