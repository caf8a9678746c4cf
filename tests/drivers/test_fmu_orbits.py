"""Periodic motions of foreign FMUs, and of ours, by their binaries alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import mbcore
from mbcore import ModelError, SimulationError
from mbcore.fmi import export
from mbcore.vibration import (
    Periodic,
    PeriodicOptions,
    Steps,
    continuation,
    periodic_solution,
    small_vibrations,
)
from tests.built import hastily
from tests.drivers.foreign import foreign
from tests.oscillators import NATURAL, excited_pendulum
from tests.periodic.test_saltation import LEAST, MOST, PERIOD, bounce, table_ball


@cache
def cycle(mu: float) -> tuple[float, float]:
    """Return period and second multiplier of van der Pol's limit cycle, found in Python alone."""

    def rates(t: float, y: np.ndarray) -> list[float]:
        x, v = y[:2]
        return [v, mu * (1 - x * x) * v - x, mu * (1 - x * x)]  # the last one is the trace

    def top(t: float, y: np.ndarray) -> float:
        return y[1]

    top.direction, top.terminal = -1, 2  # type: ignore[attr-defined]

    def after(x: float) -> tuple[float, float, float]:
        """Return the next maximum, when it comes, and the integral of the trace."""
        begin = [x, 0.0, 0.0]
        run = solve_ivp(rates, (0, 20), begin, "DOP853", events=top, rtol=1e-13, atol=1e-14)
        x, _, trace = run.y_events[0][-1]
        return x, run.t_events[0][-1], trace

    begin = brentq(lambda x: after(x)[0] - x, 1.9, 2.1, xtol=1e-15)
    _, period, trace = after(begin)
    return period, np.exp(trace)  # by Liouville's formula: the first multiplier is 1


@pytest.mark.heavy  # a process each
@pytest.mark.parametrize("version", [2, 3])
def test_the_limit_cycle_of_van_der_pol(version):
    period, multiplier = cycle(1.0)
    with mbcore.driver(foreign("VANDERPOL", version)) as fmu:
        found = periodic_solution(fmu, 6.5, autonomous=True)
        parts = PeriodicOptions(segments=9)
        parted = periodic_solution(fmu, 6.5, autonomous=True, options=parts)
    for one in (found, parted):
        assert one.period == pytest.approx(period, rel=1e-11)
        assert one.multipliers.real == pytest.approx([1.0, multiplier], rel=1e-8)
        assert one.stable


@pytest.mark.heavy  # a process
def test_the_verdict_depends_neither_on_the_tolerance_nor_on_segments():
    with mbcore.driver(foreign("DRIVEN")) as fmu:  # x'' + 0.2 x' + x = 0.5 cos 2t
        for tolerance, segments in ((1e-6, 1), (1e-6, 50), (1e-11, 20), (1e-11, 1)):
            options = PeriodicOptions(rtol=tolerance, atol=tolerance, segments=segments)
            found = periodic_solution(fmu, np.pi, options=options)
            assert found.stable
            size = np.exp(-0.1 * np.pi)
            np.testing.assert_allclose(np.abs(found.multipliers), size, rtol=10 * tolerance)
        for t in (0.0, 1.0):
            expected = (0.5 / (-3 + 0.4j) * np.exp(2j * t)).real
            assert found["x"](t) == pytest.approx(expected, abs=1e-10)
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


@pytest.mark.heavy  # a process
def test_a_branch_of_limit_cycles_over_a_parameter_without_derivatives():
    with mbcore.driver(foreign("VANDERPOL")) as fmu:
        family = Periodic(fmu, 6.6, autonomous=True)
        branch = continuation(family, "mu", (1.0, 1.05), steps=Steps(longest=0.1), progress=False)
        with pytest.raises(ModelError, match="'muu' is neither a parameter nor an input"):
            continuation(family, "muu", (1.0, 1.05), progress=False)
    period, multiplier = cycle(1.05)
    last = branch.solution(-1)
    assert last.parameters["mu"] == pytest.approx(1.05)
    assert last.period == pytest.approx(period, rel=1e-9)
    assert abs(last.multipliers[-1]) == pytest.approx(multiplier, rel=1e-6)


@pytest.mark.heavy  # an export and a process
def test_a_ball_bounces_on_a_shaken_table_as_by_hand(tmp_path: Path):
    acceleration = 0.5 * (LEAST + MOST)
    start, multipliers = bounce(acceleration)
    with hastily():
        (file,) = export(table_ball(acceleration).equations(), tmp_path, fmi="3.0")
    with mbcore.driver(file) as fmu:
        near = {name: 1.001 * value + 1e-4 for name, value in start.items()}
        for segments in (4, 1):
            options = PeriodicOptions(segments=segments)
            found = periodic_solution(fmu, PERIOD, guess=near, options=options)
            assert found.start == pytest.approx(start, abs=1e-9)
            # changes at impacts come by differences of the FMU's own update
            values, expected = (np.sort_complex(m) for m in (found.multipliers, multipliers))
            np.testing.assert_allclose(values, expected, atol=1e-9)
            assert found.stable
        with pytest.raises(ModelError, match="where derivatives jump"):
            small_vibrations(fmu, PERIOD, start=found)
