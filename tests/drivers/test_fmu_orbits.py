"""Periodic motions of foreign FMUs, and of ours, by their binaries alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import mbcore
from mbcore import ModelError, SimulationError
from mbcore.fmi import export
from mbcore.vibration import PeriodicOptions, periodic_solution
from tests.built import hastily
from tests.drivers.foreign import foreign
from tests.oscillators import NATURAL, excited_pendulum


def van_der_pol(t: float, y: np.ndarray) -> list[float]:
    """Rates of the oscillator with mu = 1, and the trace of its Jacobian."""
    x, v = y[:2]
    return [v, (1 - x * x) * v - x, 1 - x * x]


@pytest.mark.heavy  # a process each
@pytest.mark.parametrize("version", [2, 3])
def test_the_limit_cycle_of_van_der_pol(version):
    def after(x: float) -> tuple[float, float, float]:
        """Return the next maximum, when it comes, and the integral of the trace, in Python."""

        def top(t: float, y: np.ndarray) -> float:
            return y[1]

        top.direction, top.terminal = -1, 2  # type: ignore[attr-defined]
        run = solve_ivp(
            van_der_pol, (0, 20), [x, 0.0, 0.0], "DOP853", events=top, rtol=1e-13, atol=1e-14
        )
        at = run.t_events[0][-1]
        return run.y_events[0][-1][0], at, run.y_events[0][-1][2]

    begin = brentq(lambda x: after(x)[0] - x, 1.9, 2.1, xtol=1e-15)
    _, period, trace = after(begin)
    with mbcore.driver(foreign("VANDERPOL", version)) as fmu:
        found = periodic_solution(fmu, 6.5, autonomous=True)
    assert found.period == pytest.approx(period, rel=1e-11)
    # one multiplier is 1, and their product is by Liouville's formula
    assert found.multipliers.real == pytest.approx([1.0, np.exp(trace)], rel=1e-8)
    assert found.stable


@pytest.mark.heavy  # a process
def test_the_verdict_does_not_depend_on_the_tolerance():
    with mbcore.driver(foreign("DRIVEN")) as fmu:  # x'' + 0.2 x' + x = 0.5 cos 2t
        for tolerance in (1e-6, 1e-8, 1e-11):
            options = PeriodicOptions(rtol=tolerance, atol=tolerance)
            found = periodic_solution(fmu, np.pi, options=options)
            assert found.stable
            size = np.exp(-0.1 * np.pi)
            np.testing.assert_allclose(np.abs(found.multipliers), size, rtol=10 * tolerance)
        assert found.start["x"] == pytest.approx((0.5 / (-3 + 0.4j)).real, abs=1e-10)
        with pytest.raises(SimulationError, match="the drive has another period"):
            periodic_solution(fmu, 3.0)
        with pytest.raises(ModelError, match="depends on time"):
            periodic_solution(fmu, np.pi, autonomous=True)


@pytest.mark.heavy  # an export and a process
def test_an_orbit_of_our_fmu_is_that_of_its_equations(tmp_path: Path):
    equations = excited_pendulum(1.5).equations()
    period = 2 * np.pi / (1.5 * NATURAL)
    own = periodic_solution(equations, period)
    with hastily():
        (file,) = export(equations, tmp_path, fmi="3.0")
    with mbcore.driver(file) as fmu:
        found = periodic_solution(fmu, period)
    assert {name: found.start[name] for name in own.start} == pytest.approx(own.start, abs=1e-9)
    order = np.argsort(own.multipliers)
    theirs = found.multipliers[np.argsort(found.multipliers)]
    np.testing.assert_allclose(theirs, own.multipliers[order], atol=1e-8)
    assert found.stable == own.stable
    times = np.linspace(0, period, 7)
    np.testing.assert_allclose(found["bob.x"](times), own["bob.x"](times), atol=1e-8)
