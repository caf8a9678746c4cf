"""Periodic solutions over a parameter, against series, harmonic balance and direct shooting."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, fsolve, minimize_scalar

from mbcore import Equations, Model, ModelError, SimulationError
from mbcore.vibration import (
    Branch,
    BranchEvent,
    Equilibria,
    Periodic,
    Steps,
    continuation,
    periodic_solution,
)
from tests.oscillators import NATURAL, duffing, excited_pendulum, slider

QUICK = Steps(longest=0.3)
ROUGH = {"rtol": 1e-9, "atol": 1e-11}


def self_excited() -> Equations:
    """x'' - (μ - x²) x' + x = 0: with x = √μ y, van der Pol's equation for y."""

    def force(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
        return x - (model.parameter("mu", 0.1) - x**2) * v

    return slider("self_excited", force).equations()


@pytest.fixture(scope="module")
def oscillator() -> Equations:
    return self_excited()


@pytest.fixture(scope="module")
def hopf(oscillator: Equations) -> BranchEvent:
    found = continuation(Equilibria(oscillator), "mu", (-0.5, 1.0), steps=Steps(longest=0.2))
    [event] = found.events
    assert (event.kind, event.value) == ("hopf", pytest.approx(0, abs=1e-10))
    assert event.exponent == pytest.approx(1j, abs=1e-9)
    return event


def check_limit_cycles(found: Branch) -> None:
    """Compare with amplitude 2 + μ²/96 and period 2π (1 + μ²/16 - 5 μ⁴/3072) of van der Pol."""
    mu = found.data["parameter"].values
    assert np.all(mu > 0) and np.all(np.diff(mu) > 0)
    exact = np.sqrt(mu) * (2 + mu**2 / 96 - 1033 * mu**4 / 552960)
    assert found.amplitude("x").values == pytest.approx(exact, rel=1e-4 * mu.max() ** 5, abs=1e-6)
    period = 2 * np.pi * (1 + mu**2 / 16 - 5 * mu**4 / 3072)
    assert found.data["period"].values == pytest.approx(period, rel=1e-3 * mu.max() ** 6 + 1e-8)
    # the phase is left out; the other exponent is the mean of μ - x², which is about -μ
    assert found.data["exponents"].values[:, 0] == pytest.approx(-mu, rel=0.02)
    assert found.data["stable"].values.all() and found.events == []


@pytest.mark.heavy
def test_limit_cycles_begin_at_a_hopf_bifurcation(oscillator: Equations, hopf: BranchEvent) -> None:
    found = continuation(
        Periodic(oscillator, start=hopf, rtol=1e-9), "mu", (-1.0, 1.0), steps=Steps(points=5)
    )
    assert found.ended == "5 points" and found.data["parameter"].values[-1] < 0.05
    check_limit_cycles(found)
    last = found.solution(-1)
    assert last.residual < 1e-9 and last.stable
    assert last.amplitude("x") == found.amplitude("x").values[-1]
    assert last.amplitude("x") == found.columns.amplitude("x")[-1]
    assert found.harmonics("x").shape == (5, 9)
    assert abs(found.harmonics("x").values[-1, 1]) == pytest.approx(
        last.amplitude("x") / 2, rel=1e-3
    )
    assert found.amplitude("x").attrs == {"units": "m", "long_name": "x"}
    assert {"period", "multipliers", "amplitudes", "harmonics"} <= set(found.data.data_vars)
    figure = found.plot("x", show=["amplitude", "harmonics", "exponents"])
    assert figure.axes[0].get_ylabel() == "amplitude of x (m)"
    assert figure.axes[1].get_yscale() == "log"


@pytest.mark.heavy
def test_limit_cycles_far_from_the_bifurcation(oscillator: Equations, hopf: BranchEvent) -> None:
    found = continuation(Periodic(oscillator, start=hopf, **ROUGH), "mu", (-0.5, 0.5), steps=QUICK)
    assert found.ended == "value 0.5 reached"
    check_limit_cycles(found)


def frequency(ψ: float, strength: float = 0.3, highest: int = 15) -> float:
    """Angular frequency at which x'' + x'/10 + x + x³ = F cos(τ + ψ) has x = a cos τ + ... .

    Harmonic balance with the odd harmonics; unknown are the frequency, a and the higher harmonics.
    """
    k = np.arange(1, highest + 1, 2)
    τ = 2 * np.pi * np.arange(128) / 128
    cos, sin = np.cos(np.outer(τ, k)), np.sin(np.outer(τ, k))

    def residual(z: np.ndarray) -> np.ndarray:
        w, c, s = z[0], z[1 : 1 + k.size], np.r_[0, z[1 + k.size :]]
        x, v = cos @ c + sin @ s, cos @ (k * s) - sin @ (k * c)
        left = -(w**2) * (cos @ (k**2 * c) + sin @ (k**2 * s)) + w * v / 10 + x + x**3
        left -= strength * np.cos(τ + ψ)
        return np.r_[cos.T @ left, sin.T @ left] / 64

    # of one harmonic: ω a / 10 = F sin ψ, (1 + 3/4 a² - ω²) a = F cos ψ
    side = 10 * strength * np.sin(ψ)
    a = brentq(lambda a: (1 + 0.75 * a**2 - (side / a) ** 2) * a - strength * np.cos(ψ), 1e-3, 9)
    begin = np.r_[side / a, a, np.zeros(2 * k.size - 2)]
    found = fsolve(residual, begin, xtol=1e-13)
    assert np.abs(residual(found)).max() < 1e-12
    return float(found[0])


@pytest.mark.heavy
@pytest.mark.usefixtures("evaluated_in_c")
def test_folds_of_duffings_response() -> None:
    equations = duffing().equations()
    found = continuation(
        Periodic(equations, period=lambda w: 2 * np.pi / w, start={"x": 1.0}, **ROUGH),
        "speed",
        (1.2, 1.9),
        steps=QUICK,
    )
    options = {"method": "bounded", "options": {"xatol": 1e-7}}
    low = minimize_scalar(frequency, bounds=(2.6, 3.1), **options)
    high = minimize_scalar(lambda ψ: -frequency(ψ), bounds=(1.2, 2.2), **options)
    assert [(e.kind, e.value) for e in found.events] == [
        ("fold", pytest.approx(-high.fun, abs=1e-8)),
        ("fold", pytest.approx(low.fun, abs=1e-8)),
    ]
    stable, index = found.data["stable"].values, [e.index for e in found.events]
    assert stable[: index[0]].all() and stable[index[1] + 1 :].all()
    assert not stable[index[0] + 1 : index[1]].any()
    # where three motions coexist, each is found again from the branch's own point
    speed = found.data["parameter"].values
    middle = index[0] + 1 + int(np.argmin(np.abs(speed[index[0] + 1 : index[1]] - 1.5)))
    again = periodic_solution(
        equations,
        2 * np.pi / speed[middle],
        guess=found.solution(middle),
        parameters={"speed": speed[middle]},
    )
    assert again.amplitude("x") == pytest.approx(found.amplitude("x").values[middle], rel=1e-7)
    assert not again.stable


def pendulum_after(ratio: float, start: np.ndarray, periods: int = 1) -> tuple:
    """Return (rate, angle) after periods of [Schwab2002] (4.18), and their derivative."""
    w, damping, e, rho = ratio * NATURAL, 0.01, 0.5, 0.5

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        v, angle = y[:2]
        pull = np.sin(angle - w * t) + e * np.sin(angle + w * t)
        slope = np.cos(angle - w * t) + e * np.cos(angle + w * t)
        stiffness = NATURAL**2 * np.cos(angle) + rho * w**2 * slope
        d = y[2:].reshape(2, 2)
        damped = 2 * damping * NATURAL
        force = damped * (v + w) + NATURAL**2 * np.sin(angle) + rho * w**2 * pull
        return np.r_[-force, v, -damped * d[0] - stiffness * d[1], d[0]]

    y = np.r_[start, 1, 0, 0, 1]
    run = solve_ivp(rates, (0, periods * 2 * np.pi / w), y, method="DOP853", rtol=1e-12, atol=1e-14)
    return run.y[:2, -1], run.y[2:, -1].reshape(2, 2)


def pendulum_orbit(ratio: float, start: list[float]) -> tuple[np.ndarray, np.ndarray]:
    y = np.array(start)
    for _ in range(12):
        after, matrix = pendulum_after(ratio, y)
        y = y + np.linalg.solve(matrix - np.eye(2), y - after)
    return y, matrix


@pytest.mark.heavy
@pytest.mark.usefixtures("evaluated_in_c")
def test_flip_of_the_excited_pendulum_and_its_doubled_motion() -> None:
    """Not linearized: the flip of [Schwab2002] (4.19), 1.359057, comes earlier here."""
    begin = [-3.5, -0.0595]

    def test(ratio: float) -> float:
        return float(np.linalg.det(pendulum_orbit(ratio, begin)[1] + np.eye(2)))

    ratio = brentq(test, 1.15, 1.18, xtol=1e-12)
    found = continuation(
        Periodic(
            excited_pendulum(1.13).equations(),
            period=lambda speed: 2 * np.pi / speed,
            start={"rate": -3.47, "angle": -0.0589},
            **ROUGH,
        ),
        "crank.speed",
        (1.13 * NATURAL, 1.2 * NATURAL),
        steps=QUICK,
    )
    [event] = found.events
    assert (event.kind, event.value / NATURAL) == ("flip", pytest.approx(ratio, abs=1e-8))
    multipliers = found.data["multipliers"].values[event.index]
    assert np.abs(multipliers + 1).min() < 1e-7
    doubled = found.switch(event)
    speed = doubled.data["parameter"].values
    assert doubled.data["period"].values == pytest.approx(4 * np.pi / speed, rel=1e-12)
    assert doubled.events[0].index == 0 and doubled.events[0].kind == "branch"
    last = doubled.solution(-1)
    start = np.array([last.start["rate"], last.start["angle"]])
    at = speed[-1] / NATURAL
    after = pendulum_after(at, start, 2)[0]
    assert after == pytest.approx(start, abs=1e-7)
    assert np.abs(pendulum_after(at, start)[0] - start).max() > 0.01  # but not after one


@pytest.mark.heavy
def test_entrainment_is_lost_by_a_pair_of_multipliers() -> None:
    """x'' - (μ - x²) x' + x = F cos ωt: the product of both multipliers is exp ∫ (μ - x²) dt.

    A pair crosses the unit circle where the mean of x² is μ, whatever the motion.
    """

    def force(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
        load = model.parameter("strength", 0.7, unit="N") * ca.cos(1.3 * model.time)
        return x - (0.2 - x**2) * v - load

    found = continuation(
        Periodic(
            slider("entrained", force).equations(),
            period=2 * np.pi / 1.3,
            start={"x": -0.9},
            harmonics=12,
            rtol=1e-10,
        ),
        "strength",
        (0.7, 0.3),
        steps=Steps(longest=0.2),
    )
    [event] = found.events
    assert event.kind == "neimark_sacker" and event.exponent.imag > 0.01
    sizes = np.abs(found.harmonics("x").values[event.index]) ** 2
    assert sizes[0] + 2 * sizes[1:].sum() == pytest.approx(0.2, abs=1e-9)
    assert np.abs(found.data["multipliers"].values[event.index]) == pytest.approx(1, abs=1e-8)
    strength = found.data["parameter"].values
    regular = found.data["event"].values == ""
    assert (found.data["stable"].values == (strength > event.value))[regular].all()
    with pytest.raises(ModelError, match="not periodic"):
        found.switch(event)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "need their period"),
        ({"period": -1.0}, "period = -1"),
        ({"period": lambda mu: 6.28, "autonomous": True}, "a period that is a function"),
        ({"period": 6.28, "autonomous": True, "parameter": "nu"}, "'nu' is neither"),
        ({"period": 6.28, "harmonics": -1}, "harmonics = -1"),
        ({"period": 6.28, "harmonics": 2.5}, "give a whole number"),
        ({"period": 6.28, "rtol": -1.0}, "rtol = -1"),
        ({"period": 6.28, "between": (0.2, 0.2)}, "has no length"),
    ],
)
def test_mistaken_arguments(
    oscillator: Equations, arguments: dict[str, object], message: str
) -> None:
    given: dict = {"parameter": "mu", "between": (0.1, 0.2)} | arguments
    parameter, between = given.pop("parameter"), given.pop("between")
    with pytest.raises(ModelError, match=message):
        continuation(Periodic(oscillator, **given), parameter, between)


def test_events_that_fit_no_orbits(oscillator: Equations, hopf: BranchEvent) -> None:
    with pytest.raises(ModelError, match="outside the range"):
        continuation(Periodic(oscillator, start=hopf), "mu", (0.1, 0.2))
    with pytest.raises(ModelError, match="of equilibria does not start from"):
        continuation(Equilibria(oscillator, start=hopf), "mu", (0.1, 0.2))


def test_no_orbit_at_the_start() -> None:
    with pytest.raises(SimulationError, match=r"no periodic solution at speed = 1\.2"):
        continuation(Periodic(duffing().equations(), period=6.0), "speed", (1.2, 1.5))
