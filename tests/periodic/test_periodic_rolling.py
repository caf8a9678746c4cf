"""Periodic motions of non-holonomic systems: places and headings go on, and nothing feels them."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from mbcore import Body, Model, PlanarKnifeEdge
from mbcore.model.errors import ModelError
from mbcore.vibration import PeriodicSolution, periodic_solution

MASS, INERTIA, AHEAD, DRAG, TURNING_DRAG = 2.0, 0.3, 0.4, 0.5, 0.2
SPEED, TORQUE = 3.0, 1.5
PERIOD = 2 * np.pi / SPEED


def sleigh(bias: float) -> Model:
    """Return Chaplygin's sleigh with drag, driven by a torque about a bias."""
    model = Model("sleigh")
    tip, heading = model.point("tip", (0, 0)), model.angle("heading")
    model.add(Body("sleigh", tip, heading, mass=MASS, inertia=INERTIA, offset=(AHEAD, 0)))
    blade = model.add(PlanarKnifeEdge("blade", tip, heading))
    torque = TORQUE * (bias + ca.cos(SPEED * model.time))
    heading.angle.dof("psi", "psi_rate").law(TURNING_DRAG * heading.angle.rate - torque)
    blade.longitudinal.dof("speed", 0.5).law(DRAG * blade.longitudinal.velocity)
    tip.x.kinematic("x")
    tip.y.kinematic("y")
    model.output("side", blade.lateral.force, unit="N")
    return model


def by_hand(bias: float, start: PeriodicSolution) -> np.ndarray:
    """Return (v, ω, ψ, x, y) after a period: m v̇ = m a ω² - c v, J ω̇ = -m a v ω - d ω + M."""
    inertia = INERTIA + MASS * AHEAD**2

    def rates(t: float, y: np.ndarray) -> list[float]:
        v, w, psi = y[:3]
        torque = TORQUE * (bias + np.cos(SPEED * t))
        spin = (torque - MASS * AHEAD * v * w - TURNING_DRAG * w) / inertia
        return [AHEAD * w**2 - DRAG / MASS * v, spin, w, v * np.cos(psi), v * np.sin(psi)]

    names = ("speed", "psi_rate", "psi", "x", "y")
    first = [start.start[name] for name in names]
    run = solve_ivp(rates, (0, PERIOD), first, method="DOP853", rtol=1e-13, atol=1e-14)
    return np.array(run.y[:, -1])


@pytest.mark.heavy
def test_sleigh_goes_on_by_the_same_way_in_each_period() -> None:
    found = periodic_solution(sleigh(0.0).equations(), PERIOD)
    after = by_hand(0.0, found)
    assert after[:2] == pytest.approx([found.start["speed"], found.start["psi_rate"]], abs=1e-10)
    assert found.neutral == 3  # heading and place
    assert found.stable
    ones = np.abs(found.multipliers - 1) < 1e-12
    assert np.count_nonzero(ones) == 3
    # the heading comes back, for the torque turns round after half a period
    assert after[2] == pytest.approx(found.start["psi"], abs=1e-10)
    assert found["psi"].advance == pytest.approx(0.0, abs=1e-9)
    for name, end in (("x", after[3]), ("y", after[4])):
        rise = found[name](PERIOD) - found[name](0.0)
        assert rise == pytest.approx(end - found.start[name], abs=1e-9)
        assert found[name](2.3 * PERIOD) == pytest.approx(2 * rise + found[name](0.3 * PERIOD))
    assert found["side"](1.2 * PERIOD) == pytest.approx(float(found["side"](0.2 * PERIOD)))


@pytest.mark.heavy
def test_sleigh_that_turns_on_has_no_constant_way() -> None:
    found = periodic_solution(sleigh(0.4).equations(), PERIOD)
    after = by_hand(0.4, found)
    assert after[:2] == pytest.approx([found.start["speed"], found.start["psi_rate"]], abs=1e-10)
    assert found["psi"](PERIOD) == pytest.approx(after[2], abs=1e-9)
    assert found["x"](PERIOD) == pytest.approx(after[3], abs=1e-9)
    assert found["psi"](3 * PERIOD) == pytest.approx(3 * after[2] - 2 * found.start["psi"])
    with pytest.raises(ModelError, match="goes on in another direction"):
        found["x"](1.5 * PERIOD)
