"""A wheel on an arm that turns back while its contact sticks, against the balance of energy.

The arm turns about a point on a guide, and is seen from above. Where it is across the guide, the
wheel at its end rests for a moment, and then rolls backwards. There its two slips and its turning
depend on each other: if the turning were held, the arm could not turn on.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from mbcore import Body, Friction, Model, RigidLink, Slide, simulate
from mbcore.elements import PlanarWheel, RollingResistance

MASS, INERTIA, WHEEL, RADIUS, HEIGHT, LEAN = 1.1, 0.4, 0.07, 0.3, 0.5, 0.8
LOAD, ARM, COEFFICIENT = 40.0, 0.028, 0.8
ANGLE, RATE, UNTIL = -0.05, 1.4, 0.07


def model(angle: float, tunable: bool) -> Model:
    """The arm at an angle from across the guide; that of resistance may be a parameter."""
    model = Model("arm", gravity=(0, 0))
    bed, turned = model.angle("bed", fixed=True), model.angle("turned", angle)
    origin, pivot = model.point("origin", (0, 0), fixed=True), model.point("pivot", (0.2, 0))
    tip = (0.2 - HEIGHT * np.sin(angle), HEIGHT * np.cos(angle))
    centre, spin = model.point("centre", tip), model.angle("spin")
    guide = model.add(Slide("guide", origin, bed, pivot, axis=(1, 0)))
    guide.deformations["displacement"].dof("place", "speed")
    turned.quantities[0].dof("angle", "rate")
    spin.quantities[0].dof("turning", "spin")
    model.add(RigidLink("arm", pivot, turned, centre, offset=(0, HEIGHT)))
    model.add(Body("body", pivot, turned, mass=MASS, inertia=INERTIA))
    model.add(Body("rim", centre, spin, mass=0.0, inertia=WHEEL))
    wheel = model.add(PlanarWheel("wheel", centre, turned, spin, radius=RADIUS, direction=LEAN))
    model.add(Friction("skid", wheel, coefficient=COEFFICIENT, load=LOAD))
    arm = model.parameter("arm", ARM, unit="m") if tunable else ARM
    model.add(RollingResistance("roll", wheel, arm=arm, load=LOAD))
    return model


def pivot(angle: float) -> float:
    """Speed of the pivot by the rate of the arm, where the wheel does not slide sideways, m."""
    return HEIGHT * (np.cos(angle) - np.sin(angle) / np.tan(angle + LEAN))


def spin(angle: float) -> float:
    """Rate of the wheel by that of the arm, where it does not slide."""
    return -HEIGHT * np.sin(angle) / (RADIUS * np.sin(angle + LEAN))


def inertia(angle: float) -> float:
    """Twice the kinetic energy by the square of the arm's rate, kg.m2."""
    return MASS * pivot(angle) ** 2 + INERTIA + WHEEL * spin(angle) ** 2


def rate(first: float, last: float) -> float:
    """Size of the arm's rate by its angles: resistance takes its moment times the turning."""
    turned = abs(quad(lambda a: abs(spin(a)), first, last, points=[0], epsabs=1e-13)[0])
    return np.sqrt((inertia(first) * RATE**2 - 2 * ARM * LOAD * turned) / inertia(last))


@pytest.mark.parametrize("tunable", [False, pytest.param(True, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("way", [1, pytest.param(-1, marks=pytest.mark.heavy)])
def test_a_contact_that_sticks_lets_its_wheel_turn_back(way: int, tunable: bool) -> None:
    first = ANGLE * way
    start = {
        "angle": first,
        "rate": RATE * way,
        "speed": RATE * way * pivot(first),
        "spin": RATE * way * spin(first),
    }
    run = simulate(model(first, tunable).equations(), UNTIL, start=start, rtol=1e-11, atol=1e-13)
    assert run["skid.sticks"].min() == 1
    # For a moment it counts as sticking, without a force, until a direction is known.
    assert np.ptp(run.time[run["roll.sticks"] > 0]) < 1e-8
    last = run.final("angle")
    assert last * way > 0.03
    assert run.final("rate") * way == pytest.approx(rate(first, last), rel=1e-9)
    assert run.final("spin") == pytest.approx(run.final("rate") * spin(last), rel=1e-9)
