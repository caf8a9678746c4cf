"""A wheel that a force pulls loose obliquely, against Coulomb's law on a free wheel.

Its two slips have different effective masses: the wheel turns along its heading, and its whole mass
moves across. So it slides in another direction than the friction had that held it.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from mbcore import Body, Friction, Model, simulate
from mbcore.elements import PlanarWheel

MASS, INERTIA, RADIUS, LIMIT = 2.0, 0.07, 0.3, 12.0
PULL, FREQUENCY, UNTIL = 30.0, 3.0, 0.5
ROUNDED = 1e-9
"""Slip up to which the friction by hand is less than its limit, m/s."""
ROLLING = MASS + INERTIA / RADIUS**2


def model(towards: float) -> Model:
    """The wheel, pulled in a direction against its heading, rad."""
    made = Model("pulled", gravity=(0, 0))
    centre, heading, spin = made.point("c", (0, 0)), made.angle("h", fixed=True), made.angle("s")
    made.add(Body("body", centre, spin, mass=MASS, inertia=INERTIA))
    centre.x.dof("x", "v")
    centre.y.dof("y", "w")
    spin.quantities[0].dof("turned", "spin")
    wheel = made.add(PlanarWheel("wheel", centre, heading, spin, radius=RADIUS))
    made.add(Friction("skid", wheel, coefficient=0.3, load=LIMIT / 0.3))
    force = PULL * ca.sin(FREQUENCY * made.time)
    made.force(centre, (force * np.cos(towards), force * np.sin(towards)))
    return made


def loose(towards: float) -> float:
    """Return the time at which the friction is at its limit, s."""
    along = np.cos(towards) * (1 - MASS / ROLLING)
    return np.arcsin(LIMIT / np.hypot(along, np.sin(towards)) / PULL) / FREQUENCY


def sliding(time: float, s: np.ndarray, towards: float) -> list[float]:
    """Return the accelerations of the free wheel: along, across, and of its slip along."""
    slip = np.array([s[2], s[1]])
    rubs = -LIMIT * slip / np.sqrt(slip @ slip + ROUNDED**2)
    pull = PULL * np.sin(FREQUENCY * time) * np.array([np.cos(towards), np.sin(towards)])
    along, across = (pull + rubs) / MASS
    return [along, across, along + rubs[0] * RADIUS**2 / INERTIA]


@pytest.mark.parametrize("towards", [0.8, pytest.param(1.2, marks=pytest.mark.heavy)])
def test_a_wheel_that_is_pulled_loose_slides(towards: float) -> None:
    begin = loose(towards)
    rolled = PULL * np.cos(towards) / ROLLING * (1 - np.cos(FREQUENCY * begin)) / FREQUENCY
    solver = {"method": "Radau", "rtol": 1e-10, "atol": 1e-13}
    by_hand = solve_ivp(
        lambda t, s: sliding(t, s, towards), (begin, UNTIL), [rolled, 0.0, 0.0], **solver
    )
    run = simulate(model(towards).equations(), UNTIL, rtol=1e-9, atol=1e-12, backend="python")
    times = [time for time, name in run.events if name == "skid.slides"]
    assert times[0] == pytest.approx(begin, rel=1e-9)
    assert len(run.events) < 100
    found = [run.final("v"), run.final("w")]
    assert found == pytest.approx(by_hand.y[:2, -1], abs=1e-6)
