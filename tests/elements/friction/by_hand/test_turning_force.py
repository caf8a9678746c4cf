"""Friction at its limit while the force that it holds turns, against Coulomb's law by itself.

A block, or a ball that is pulled at its centre, is driven by a force f(t) μ N at its touching
point. Its slip s has there

    ds/dt = k μ g (f - s/|s|),    k = 1 of the block, 7/2 of a solid ball,

while it slides, and starts to slide along f where |f| = 1. A judge integrates this alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from mbcore import Model, planar, simulate
from mbcore.elements import Ball, Body, Friction
from tests.elements.friction.test_rolling import turned, wobbling

GRAVITY, MASS, COEFFICIENT, RADIUS = 9.81, 2.0, 0.3, 0.05
WEIGHT = MASS * GRAVITY
STARTING = 1e-11
"""Speed, m/s, at which the judge starts and ends; there the direction follows the force at once."""

Pull = Callable[[Any], tuple[Any, Any]]


def turning(excess: float, rate: float) -> Pull:
    """A force of constant size that turns."""
    return lambda t: ((1 + excess) * ca.cos(rate * t), (1 + excess) * ca.sin(rate * t))


def passing(excess: float, rate: float) -> Pull:
    """A constant force with one that turns: it exceeds the limit where both point the same way."""
    half = 0.5 + excess
    return lambda t: (0.5 + half * ca.cos(rate * t), half * ca.sin(rate * t))


def pulled(pull: Pull, rolls: bool) -> Model:
    """A block on a plane, or a ball."""
    model = Model("pulled", gravity=(0, 0, -GRAVITY))
    limit = COEFFICIENT * WEIGHT
    centre = model.point("centre", (0, 0, RADIUS))
    if rolls:
        contact, rotation = model.point("contact", (0, 0, 0)), turned(model, (0, 0, 0))
        inertia = 0.4 * MASS * RADIUS**2
        model.add(Body("mass", centre, rotation, mass=MASS, inertia=(inertia,) * 3))
        ball = model.add(Ball("ball", centre, rotation, contact, radius=RADIUS))
        contact.x.dof("x", "v.x")
        contact.y.dof("y", "v.y")
        model.add(Friction("road", ball, coefficient=COEFFICIENT))
        slip, limit = (ball.rolling_x.velocity, ball.rolling_y.velocity), 3.5 * limit
    else:
        body = Body("mass", centre, model.rotation("turned"), mass=MASS, inertia=(1, 1, 1))
        joint = planar("plane", model, model.add(body), normal=(0, 0, 1))
        for axis, displacement in zip("xy", joint.displacements, strict=True):
            displacement.dof(axis, f"v.{axis}")
        joint.angle.rigid()
        model.add(Friction("road", joint, coefficient=COEFFICIENT))
        slip = (centre.velocity[0], centre.velocity[1])
    forces = [limit * part for part in pull(ca.SX(model.time))]
    model.force(centre, (*forces, 0))
    for axis, velocity in zip("xy", slip, strict=True):
        model.output(f"slip.{axis}", velocity)
    return model


def judged(pull: Pull, rolls: bool, times: np.ndarray) -> np.ndarray:
    """Return the slip at times, shape (n, 2), of what starts at the limit or slides on from it."""
    strength = (3.5 if rolls else 1.0) * COEFFICIENT * GRAVITY

    def rate(t: float, s: np.ndarray) -> np.ndarray:
        return strength * (np.array(pull(t)) - s / np.hypot(*s))

    def rests(t: float, s: np.ndarray) -> float:
        return float(np.hypot(*s) - STARTING / 2)

    rests.terminal = True  # type: ignore[attr-defined]
    first = STARTING * np.array(pull(times[0])) / np.hypot(*pull(times[0]))
    span = (times[0], times[-1])
    run = solve_ivp(
        rate, span, first, "Radau", rtol=1e-10, atol=1e-14, events=rests, dense_output=True
    )
    return np.where(times <= run.t[-1], run.sol(np.minimum(times, run.t[-1])), 0.0).T


def compare(pull: Pull, rolls: bool, until: float, backend: str) -> tuple[float, Counter[str]]:
    """Return the largest error of the slip, m/s, and how often each event came."""
    run = simulate(pulled(pull, rolls).equations(), until, samples=101, backend=backend)
    times, places = np.unique(run.time, return_index=True)
    slip = np.array([run["slip.x"], run["slip.y"]]).T[places]
    error = np.abs(slip - judged(pull, rolls, times)).max()
    return float(error), Counter(name for _, name in run.events)


def test_a_force_that_turns_fast_just_above_the_limit() -> None:
    """The block neither stops nor stays behind: it follows at some 1e-5 m/s."""
    error, events = compare(turning(1e-5, 100.0), False, 0.002, "python")
    assert error < 1e-6
    assert events["road.stops"] == events["road.slides"] == 0
    assert events["road.turns"] < 5


@pytest.mark.heavy
@pytest.mark.parametrize("rolls", [False, True])
@pytest.mark.parametrize(
    ("pull", "until", "turns"),
    [
        (turning(1e-5, 1.0), 2.0, 10),
        (turning(1e-3, 10.0), 2.0, 100),
        (turning(1e-5, 100.0), 0.2, 100),
        (passing(1e-5, 1.0), 2.0, 2),
        (passing(1e-3, 1.0), 2.0, 10),
        (passing(0.1, 1.0), 2.0, 10),
    ],
)
def test_forces_at_the_limit(pull: Pull, until: float, turns: int, rolls: bool) -> None:
    error, events = compare(pull, rolls, until, "c")
    assert error < 1e-5
    assert events["road.turns"] <= turns
    assert events["road.stops"] <= 2
    assert events["road.slides"] <= 2


@pytest.mark.heavy
@pytest.mark.parametrize("missing", [1e-6, 1e-5, 1e-4, 1e-3])
def test_disk_at_the_limit_of_its_friction(missing: float) -> None:
    """It needs 0.5216184 N/N when it rolls; where that lacks it slides, but few times."""
    equations = wobbling(0.5216184 * (1 - missing)).equations()
    run = simulate(equations, 30.0, rtol=1e-10, atol=1e-12, samples=3001, backend="c")
    names = Counter(name for _, name in run.events)
    assert names["road.slides"] <= 4
    assert run["ratio"].max() < 0.5216184 * (1 - missing) * (1 + 1e-9) or not names
    work = np.trapezoid(run["road.power"], run.time)
    assert run.final("energy") - run["energy"][0] == pytest.approx(work, abs=1e-7)
    assert run["road.power"].max() <= 0
