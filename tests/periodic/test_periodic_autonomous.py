"""Motions whose period is unknown: a rotor that a motor turns, and a family of all energies."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from mbcore import Body, Model, PlanarHinge, RigidLink
from mbcore.model.errors import ModelError
from mbcore.vibration import PeriodicOptions, periodic_solution
from tests.oscillators import GRAVITY, slider

METHODS = ("shooting", "harmonic_balance")


def unbalanced_rotor() -> Model:
    """Return φ'' = M - c φ' - g sin φ: an arm that a torque turns against gravity."""
    model = Model("rotor", gravity=(0, -GRAVITY))
    frame, arm = model.angle("frame", fixed=True), model.angle("arm")
    pivot, bob = model.point("pivot", (0, 0)), model.point("bob", (0, -1))
    pivot.x.fix()
    pivot.y.fix()
    hinge = model.add(PlanarHinge("hinge", frame, arm))
    hinge.angle.dof("angle", "rate", rate_start=10.0)
    hinge.angle.law(0.5 * hinge.angle.rate - 5.0)
    model.add(RigidLink("rod", pivot, arm, bob))
    model.add(Body("mass", bob, mass=1.0))
    model.output("height", bob.position[1], unit="m")
    return model


@pytest.mark.heavy
def test_rotor_comes_round_once_in_a_period() -> None:
    equations = unbalanced_rotor().equations()
    found = periodic_solution(equations, 0.65, autonomous=True)
    start = [found.start["rate"], found.start["angle"]]
    run = solve_ivp(
        lambda t, y: [5.0 - 0.5 * y[0] - GRAVITY * np.sin(y[1]), y[0]],
        (0, found.period),
        start,
        method="DOP853",
        rtol=1e-13,
        atol=1e-13,
    )
    assert run.y[:, -1] == pytest.approx([start[0], start[1] + 2 * np.pi], abs=1e-11)
    # the phase is neutral, so by Liouville the other multiplier is exp(-c T)
    assert found.neutral == 1
    assert found.multipliers == pytest.approx([1.0, np.exp(-0.5 * found.period)], abs=1e-10)
    # power of the torque and of the damper balance: M 2π = c ∫ φ'² dt
    rates = found.harmonics("rate")
    mean_square = abs(rates[0]) ** 2 + 2 * np.sum(np.abs(rates[1:]) ** 2)
    assert 0.5 * mean_square * found.period == pytest.approx(5.0 * 2 * np.pi, rel=1e-11)
    # the angle goes on, its height does not
    later = found.period * 3.25
    assert found["angle"](later) == pytest.approx(
        float(found["angle"](found.period / 4)) + 6 * np.pi, abs=1e-10
    )
    assert found["height"](later) == pytest.approx(-np.cos(found["angle"](later)), abs=1e-9)


@pytest.mark.heavy
@pytest.mark.parametrize("method", METHODS)
def test_place_may_advance_by_a_wavelength(method: str) -> None:
    # x'' = F - c x' - k sin(2π x/λ): pulled along a road whose waves come every λ
    pull, drag, depth, wave = 2.0, 0.4, 3.0, 1.5

    def force(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
        return drag * v + depth * ca.sin(2 * np.pi * x / wave) - pull

    equations = slider("waves", force).equations()
    found = periodic_solution(
        equations,
        0.3,
        method,
        guess={"v": 5.0},
        autonomous=True,
        options=PeriodicOptions(advance={"x": wave}),
    )
    start = [found.start["v"], found.start["x"]]
    run = solve_ivp(
        lambda t, y: [pull - drag * y[0] - depth * np.sin(2 * np.pi * y[1] / wave), y[0]],
        (0, found.period),
        start,
        method="DOP853",
        rtol=1e-13,
        atol=1e-13,
    )
    assert run.y[:, -1] == pytest.approx([start[0], start[1] + wave], abs=1e-10)
    speeds = found.harmonics("v")
    mean_square = abs(speeds[0]) ** 2 + 2 * np.sum(np.abs(speeds[1:]) ** 2)
    assert drag * mean_square * found.period == pytest.approx(pull * wave, rel=1e-10)
    with pytest.raises(ModelError, match="no state 'y'"):
        periodic_solution(
            equations, 0.3, method, autonomous=True, options=PeriodicOptions(advance={"y": wave})
        )


@pytest.mark.heavy
def test_balance_of_the_rotor_has_the_same_period() -> None:
    equations = unbalanced_rotor().equations()
    shot, balanced = (periodic_solution(equations, 0.65, m, autonomous=True) for m in METHODS)
    assert balanced.period == pytest.approx(shot.period, abs=1e-12)
    assert balanced.multipliers == pytest.approx(shot.multipliers, abs=1e-10)


@pytest.mark.heavy
@pytest.mark.parametrize("method", METHODS)
def test_one_of_all_energies_is_found(method: str) -> None:
    # x'' + x + x³ = 0 has the period 4 K(m)/√(1 + A²), m = A²/(2 (1 + A²)), at the amplitude A
    equations = slider("hard_spring", lambda model, x, v: x + x**3, 1.0).equations()
    found = periodic_solution(equations, 4.7, method, autonomous=True)
    square = found.amplitude("x") ** 2
    exact = 4 * ellipk(square / (2 * (1 + square))) / np.sqrt(1 + square)
    assert 0.5 < found.amplitude("x") < 1.5
    assert found.period == pytest.approx(exact, abs=1e-10)
    # phase and energy are neutral
    assert found.neutral == 2
    assert found.iterations <= 6
    assert found.residual <= 1e-10
