"""A block on a plane: what sets it free while all rests, and what turns quickly beside rest."""

from __future__ import annotations

from collections.abc import Callable
from math import asin, cos, pi
from typing import Any, Literal

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from mbcore import Model, planar, simulate
from mbcore.elements import Body, Friction

GRAVITY = 10.0
BACKENDS = [pytest.param("python", marks=pytest.mark.heavy), "c"]
Backend = Literal["python", "c"]


def block(coefficient: float, force: Callable[[Any, Any], tuple[Any, Any]]) -> Model:
    """A block of 1 kg on a plane under a force of time and place, along x and y."""
    model = Model("block", gravity=(0, 0, -GRAVITY))
    centre = model.point("centre", (0, 0, 0))
    body = model.add(Body("mass", centre, model.rotation("turned"), mass=1.0, inertia=(1, 1, 1)))
    joint = planar("plane", model, body, normal=(0, 0, 1))
    for along, name in zip(joint.displacements, "xy", strict=True):
        along.dof(name, f"v{name}")
    joint.angle.rigid()
    friction = model.add(Friction("road", joint, coefficient=coefficient))
    model.force(centre, (*force(model.time, (centre.x.value, centre.y.value)), 0))
    model.output("sticks", friction.sticks)
    return model


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_force_by_time_alone_sets_free_what_rests(backend: Backend) -> None:
    """It slides from 3/2 sin t = 1 on, and rests where 3/2 (cos t_0 - cos t) = t - t_0."""
    coefficient = 0.3
    model = block(coefficient, lambda t, _: (1.5 * coefficient * GRAVITY * ca.sin(t), 0))
    run = simulate(model.equations(), 10.0, backend=backend)
    begin = asin(1 / 1.5)
    end = brentq(lambda t: 1.5 * (cos(begin) - cos(t)) - (t - begin), 2.0, 3.8, xtol=1e-14)
    slid = run.time[np.flatnonzero(np.diff(run["sticks"]) < 0)]
    held = run.time[np.flatnonzero(np.diff(run["sticks"]) > 0)][-3:]
    np.testing.assert_allclose(slid[-3:], begin + pi * np.arange(3), atol=1e-6)
    np.testing.assert_allclose(held, end + pi * np.arange(3), atol=1e-6)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_quick_turn_beside_rest_is_not_held(backend: Backend) -> None:
    """On springs in two directions it swings nearly along x; friction is hardly felt."""
    stiffness, coefficient, start = 100.0, 1e-4, {"x": 1.0, "vy": 0.03}
    model = block(coefficient, lambda _, place: (-stiffness * place[0], -stiffness * place[1]))
    run = simulate(
        model.equations(), 2.0, start=start, rtol=1e-6, atol=1e-8, backend=backend, samples=51
    )

    def rates(_: float, z: np.ndarray) -> np.ndarray:
        rub = coefficient * GRAVITY / np.hypot(z[2], z[3])
        return np.array([*z[2:], *(-stiffness * z[:2] - rub * z[2:])])

    alone = solve_ivp(rates, (0, 2.0), [1.0, 0, 0, 0.03], "Radau", run.time, rtol=1e-10, atol=1e-12)
    assert not run["sticks"][1:].any()
    for name, expected in zip(("x", "y", "vx", "vy"), alone.y, strict=True):
        np.testing.assert_allclose(run[name], expected, atol=2e-3)
