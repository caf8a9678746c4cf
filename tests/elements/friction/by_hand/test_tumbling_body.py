"""A body in a ball joint that rubs, tumbling to rest, by Newton, Euler and Coulomb alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fmpy import simulate_fmu
from scipy.integrate import solve_ivp

from mbcore import Result, simulate
from mbcore.fmi import export
from tests.conftest import VERSIONS, Tools
from tests.elements.friction.test_ball_joint import GRAVITY, LENGTH, MASS, TURN, hanging

COEFFICIENT = 0.5
ARM = np.array([0, 0, -LENGTH])
INERTIA = np.diag([0.03, 0.05, 0.04]) + MASS * LENGTH**2 * np.diag([1, 1, 0])
SLOW = 1e-9
"""Angular velocity, rad/s, at which the judge ends."""


def down(e: np.ndarray) -> np.ndarray:
    """Gravity on axes of the body, from its Euler parameters."""
    w, x, y, z = e / np.linalg.norm(e)
    row = [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x**2 + y**2)]
    return -GRAVITY * np.array(row)


def accelerated(e: np.ndarray, rates: np.ndarray, radius: float) -> np.ndarray:
    """Angular acceleration: the moment μ r |R| is against ω, and R has a part of it in it."""
    gravity, axis = down(e), rates / np.linalg.norm(rates)
    moment = MASS * np.cross(ARM, gravity) - np.cross(rates, INERTIA @ rates)
    free, slowed = np.linalg.solve(INERTIA, np.array([moment, axis]).T).T
    centripetal = np.cross(rates, np.cross(rates, ARM))
    force = MASS * (np.cross(free, ARM) + centripetal - gravity)
    change = -MASS * np.cross(slowed, ARM)
    share = (COEFFICIENT * radius) ** 2
    a, b, c = 1 - share * change @ change, share * force @ change, share * force @ force
    return free - slowed * (b + np.sqrt(b**2 + a * c)) / a


def rest(radius: float, rates: tuple[float, ...], until: float = 30.0) -> tuple[float, np.ndarray]:
    """Return when and in which orientation the body comes to rest, or is at a time before."""

    def rate(_: float, state: np.ndarray) -> np.ndarray:
        e, omega = state[:4], state[4:]
        turning = np.r_[-e[1:] @ omega, e[0] * omega + np.cross(e[1:], omega)] / 2
        return np.r_[turning, accelerated(e, omega, radius)]

    def slow(_: float, state: np.ndarray) -> float:
        return np.linalg.norm(state[4:]) - SLOW

    slow.terminal = True  # type: ignore[attr-defined]
    done = solve_ivp(
        rate, (0, until), np.r_[TURN, rates], method="DOP853", rtol=1e-10, atol=1e-13, events=slow
    )
    return done.t[-1], done.y[:4, -1]


CASES = [(0.3, (2.0, 0.0, 3.0)), (0.1, (2.0, 0.0, 3.0)), (0.03, (2.0, -1.0, 3.0))]


def found(radius: float, rates: tuple[float, ...], until: float, backend: str) -> Result:
    """What the library finds."""
    start = dict(zip((f"body0.omega_{axis}" for axis in "xyz"), rates, strict=True))
    equations = hanging(1, radius).equations()
    return simulate(equations, until, start=start, backend=backend, rtol=1e-10, max_step=0.05)


def test_tumbling_body() -> None:
    """Surface speeds are below 0.11 m/s."""
    radius, rates = CASES[2]
    _, orientation = rest(radius, rates, 0.5)
    result = found(radius, rates, 0.5, "python")
    e = [result.final(f"body0.e{i}") for i in range(4)]
    np.testing.assert_allclose(e, orientation, atol=1e-8)


@pytest.mark.heavy
@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(("radius", "rates"), CASES)
def test_tumbling_body_comes_to_rest(
    radius: float, rates: tuple[float, ...], tmp_path: Path, tools: Tools
) -> None:
    """Direction and size of the friction change all the way, at surface speeds of 0.1 m/s too.

    One of the motions is Python's as well, which takes five seconds.
    """
    time, orientation = rest(radius, rates)
    names = [f"body0.e{i}" for i in range(4)]
    for backend in ("c", "python") if (radius, rates) == CASES[1] else ("c",):
        result = found(radius, rates, 15.0, backend)
        e = [result.final(name) for name in names]
        np.testing.assert_allclose(e, orientation, atol=1e-8, err_msg=backend)
        assert result.final("ball0.sticks") == 1
        assert result.events[-1][0] == pytest.approx(time, rel=1e-5)
    if (radius, rates) != CASES[1]:
        return
    start = dict(zip((f"body0.omega_{axis}" for axis in "xyz"), rates, strict=True))
    for fmu in export(hanging(1, radius).equations(), tmp_path, VERSIONS, tools=tools):
        rows = simulate_fmu(
            fmu,
            stop_time=4.0,
            output_interval=0.5,
            relative_tolerance=1e-10,
            start_values=start,
            output=names,
        )
        reached = [rows[name][-1] for name in names]
        np.testing.assert_allclose(reached, orientation, atol=1e-7, err_msg=str(fmu))
