"""A body on one foot comes loose from rest: friction opposes the slip's acceleration at once.

The foot is at r = (0.3, 0.1, -0.2) m from the centre of 2 kg with the moments of inertia (0.03,
0.05, 0.04) kg.m2. By unit forces along x and y its slip accelerates by

    D = [1/m + h²/Jy + b²/Jz, -a b/Jz; -a b/Jz, 1/m + h²/Jx + a²/Jz],   r = (a, b, -h),

and by N upwards by N (a h/Jy, b h/Jx). The push at the centre is that with which the slip
accelerates by f e: P/m = f e + μ N D e - N (a h/Jy, b h/Jx), for f = 2 m/s2 and e = (0.6, 0.8).
"""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Ball, Body, Equations, FrictionLaw, Model, RigidLink, simulate
from mbcore.contact import KelvinVoigt
from mbcore.contact.surface_contact import surface_contact
from mbcore.evaluation.evaluation import Evaluation

MASS, INERTIA, (A, B, H) = 2.0, (0.03, 0.05, 0.04), (0.3, 0.1, 0.2)
STIFFNESS, DEPTH, RADIUS = 1e5, 1e-4, 0.02
PRESSED = STIFFNESS * DEPTH
E, F, MU = np.array([0.6, 0.8]), 2.0, 0.5
MOBILITY = np.array(
    [
        [1 / MASS + H**2 / INERTIA[1] + B**2 / INERTIA[2], -A * B / INERTIA[2]],
        [-A * B / INERTIA[2], 1 / MASS + H**2 / INERTIA[0] + A**2 / INERTIA[2]],
    ]
)
LIFTED = PRESSED * np.array([A * H / INERTIA[1], B * H / INERTIA[0]])
PUSH = MASS * (F * E + MU * PRESSED * MOBILITY @ E - LIFTED)


def on_one_foot(law: FrictionLaw = FrictionLaw(MU)) -> Equations:  # noqa: B008
    """A free body on a ball that is pressed in by a law."""
    model = Model("on one foot", gravity=(0, 0, -9.81))
    centre = model.point("centre", (0, 0, H))
    rotation = model.rotation("rotation")
    foot = model.point("foot", (A, B, RADIUS - DEPTH))
    touch = model.point("touch", (A, B, 0))
    model.add(RigidLink("leg", centre, rotation, foot))
    model.add(Body("body", centre, rotation, mass=MASS, inertia=INERTIA))
    for axis in "xyz":
        getattr(centre, axis).dof(axis, f"v{axis}")
    rotation.free("turn")
    ball = model.add(Ball("ball", foot, rotation, touch, radius=RADIUS))
    ball.normal.release()
    surface_contact(model, ball, KelvinVoigt(STIFFNESS, 0.0), friction=law)
    model.force(centre, (*PUSH, 0.0))
    return model.equations()


EXPECTED = (PUSH - MU * PRESSED * E) / MASS


def test_the_force_that_holds_has_another_direction() -> None:
    """By 4.6 degrees, so that the others see a difference."""
    holding = np.linalg.solve(MOBILITY, LIFTED + PUSH / MASS)
    assert np.linalg.norm(holding) > MU * PRESSED
    assert E @ holding / np.linalg.norm(holding) < 0.997


@pytest.mark.parametrize("static", [None, 0.52])
def test_friction_opposes_the_acceleration_of_the_slip(static: float | None) -> None:
    point = Evaluation(on_one_foot(FrictionLaw(MU, static=static)))
    point.start({})
    names = [state.name for state in point.equations.states]
    found = dict(zip(names, map(float, point.derivative()), strict=True))
    assert [found["vx"], found["vy"]] == pytest.approx(EXPECTED, rel=1e-12)


@pytest.mark.heavy
def test_c_takes_the_same_direction() -> None:
    run = simulate(on_one_foot(), 1e-6, samples=2, backend="c", rtol=1e-10, atol=1e-16)
    assert [run.final("vx"), run.final("vy")] == pytest.approx(1e-6 * EXPECTED, rel=1e-5)
