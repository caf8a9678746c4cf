"""A block that drops flat onto two feet: both impacts come at one instant, and then it slides."""

from __future__ import annotations

from functools import cache
from math import cos, sin

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Equations, FrictionLaw, Model, Result, simulate
from mbcore.contact import Impact, unilateral_contact
from mbcore.host.backend import Backend

GRAVITY, MU, MASS, INERTIA = 9.81, 0.3, 2.0, 0.05
HALF, HEIGHT = 0.2, 0.15
HEAVY = pytest.mark.heavy


@cache
def block(slope: float = 0.0) -> Equations:
    """A block on a plane that falls towards x."""
    model = Model("block", gravity=(GRAVITY * sin(slope), -GRAVITY * cos(slope)))
    centre, turn = model.point("centre", (0, HEIGHT)), model.angle("turn")
    model.add(Body("body", centre, turn, mass=MASS, inertia=INERTIA))
    centre.x.dof("x", "vx")
    centre.y.dof("y", "vy", HEIGHT)
    turn.angle.dof("angle", "spin")
    for name, side in (("left", -1), ("right", 1)):
        arm = turn.matrix @ ca.DM([side * HALF, -HEIGHT])
        sliding = centre.x.rate - turn.angle.rate * arm[1]
        gap = centre.y.value + arm[1]
        foot = unilateral_contact(
            model, name, gap, Impact(0.0), sliding=sliding, friction=FrictionLaw(MU)
        )
        model.output(f"{name}_power", foot.friction_force * sliding)
    return model.equations()


def drop(slope: float, height: float, speed: float, backend: Backend = "python") -> Result:
    start = {"y": HEIGHT + height, "vx": speed}
    return simulate(block(slope), 0.05, start=start, backend=backend, samples=11)


def one_impact(mobility: np.ndarray, normal: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Return rates after one foot's impact without restitution, by Routh's process."""
    along = np.array([1.0, 0.0, HEIGHT])
    slip, side = along @ rates, np.sign(along @ rates)
    push = mobility @ (normal - MU * side * along)  # by a unit of normal impulse
    impulse = -(normal @ rates) / (normal @ push)
    if side * (along @ push) < 0:
        impulse = min(impulse, -slip / (along @ push))
    rates = rates + push * impulse
    drawn, mobile = along @ mobility @ normal, along @ mobility @ along
    sticks = abs(drawn) <= MU * mobile
    part = -drawn / mobile if sticks else -MU * np.sign(drawn)
    push = mobility @ (normal + part * along)
    return rates - push * (normal @ rates) / (normal @ push)


def slides_off(slope: float, height: float, speed: float) -> tuple[float, float, float]:
    """Return time and place of both impacts, and the speed that they leave, by hand.

    The left foot meets first; it stays on the floor while the right one meets.
    """
    falls = np.sqrt(2 * height / (GRAVITY * cos(slope)))
    rates = np.array([speed + GRAVITY * sin(slope) * falls, -GRAVITY * cos(slope) * falls, 0.0])
    place = speed * falls + GRAVITY * sin(slope) * falls**2 / 2
    free = np.diag([1 / MASS, 1 / MASS, 1 / INERTIA])
    left, right = np.array([0.0, 1.0, -HALF]), np.array([0.0, 1.0, HALF])
    rates = one_impact(free, left, rates)
    by_left = free @ left
    rates = one_impact(free - np.outer(by_left, by_left) / (left @ by_left), right, rates)
    assert abs(rates[1]) + abs(rates[2]) < 1e-14
    return falls, place, rates[0]


@pytest.mark.parametrize(
    ("slope", "backend"),
    [
        (0.0, "c"),
        pytest.param(0.0, "python", marks=HEAVY),
        pytest.param(0.2, "python", marks=HEAVY),
    ],
)
def test_block_that_drops_flat_slides_until_friction_stops_it(
    slope: float, backend: Backend
) -> None:
    """It stops within v/a and v²/(2 a), with a = g (μ cos θ - sin θ) downhill."""
    height, speed = 1e-4, 6e-3
    falls, place, left = slides_off(slope, height, speed)
    braked = GRAVITY * (MU * cos(slope) - np.sign(left) * sin(slope))
    run = drop(slope, height, speed, backend)
    held = {name: time for time, name in run.events if name.endswith(".held")}
    assert held == pytest.approx(
        dict.fromkeys(
            ("left.sliding.slip.held", "right.sliding.slip.held"), falls + abs(left) / braked
        ),
        rel=1e-9,
    )
    assert run.final("x") == pytest.approx(place + left * abs(left) / (2 * braked), rel=1e-8)
    assert run.final("vx") == pytest.approx(0, abs=1e-15)


def test_friction_of_flat_drops_never_drives() -> None:
    """Nor does it where a foot opens again, or both impacts stop the block."""
    rng = np.random.default_rng(53)
    for _ in range(20):
        run = drop(0.0, 10 ** rng.uniform(-5, -3), rng.uniform(-0.05, 0.05), "c")
        for name in ("left_power", "right_power"):
            assert run[name].max() <= 1e-10
        assert run.final("vx") == pytest.approx(0, abs=1e-12)
