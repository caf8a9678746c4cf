"""Small motions superposed on rolling, [Schwab2002] 2.4.2: a wheel on a circle, a caster."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from mbcore import (
    Body,
    Equations,
    Hinge,
    Model,
    ModelError,
    SimulationError,
    Wheel,
    simulate,
    superpose,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.linear.linearizer import linearizer_of
from tests.small_vibrations.models import swivel_wheel

MASS, RADIUS, SPIN, TURN = 2.0, 0.3, 6.0, 0.8
"""kg, m, rad/s, rad/s."""


def wheel_on_a_circle() -> Model:
    """A disk led along a circle, which leans and steers against springs."""
    model = Model("wheel on a circle", gravity=(0, 0, -9.81))
    names = ("yawed", "steered", "leaned", "body")
    yawed, steered, leaned, body = (model.rotation(name) for name in names)
    centre, contact = model.point("centre", (0, 0, RADIUS)), model.point("contact", (0, 0, 0))
    yaw = model.add(Hinge("yaw", model.ground, yawed, axis=(0, 0, 1))).angle
    steer = model.add(Hinge("steer", yawed, steered, axis=(0, 0, 1))).angle
    lean = model.add(Hinge("lean", steered, leaned, axis=(1, 0, 0))).angle
    pitch = model.add(Hinge("pitch", leaned, body, axis=(0, 1, 0))).angle
    wheel = model.add(Wheel("wheel", centre, body, contact, radius=RADIUS))
    own = MASS * RADIUS**2 / 4
    model.add(Body("disk", centre, body, mass=MASS, inertia=(own, 2 * own, own)))
    yaw.prescribe(TURN * model.time)
    pitch.prescribe(SPIN * model.time)
    lean.dof("lean", "lean_rate").spring(20.0)
    steer.dof("steer", "steer_rate").spring(5.0)
    lean.law(-model.parameter("moment", 0.0, unit="N.m"))
    contact.x.kinematic("x")
    contact.y.kinematic("y")
    model.output("side", wheel.lateral_force, unit="N")
    model.output("normal", wheel.normal_force, unit="N")
    return model


MODELS: dict[str, Callable[[], Model]] = {"caster": swivel_wheel, "wheel": wheel_on_a_circle}
AT = {"caster": {"heading": 0.3}, "wheel": {"x": 0.5, "y": -0.2}}
HOLDING = 1.5 * MASS * RADIUS**2 * SPIN * TURN
"""(I + m r^2) ω Ω about the contact, I = m r^2/2 about the axle: it keeps the wheel upright."""


@cache
def made(name: str) -> tuple[Equations, Equations]:
    return MODELS[name]().equations(), superpose(MODELS[name]())


CASES = ["caster", pytest.param("wheel", marks=pytest.mark.heavy)]


@pytest.mark.parametrize("name", CASES)
def test_matrices_are_those_of_the_linearization(name: str) -> None:
    # [Schwab2002] (2.40), (2.41)
    full, superposed = made(name)
    nominal, small = Evaluation(full), Evaluation(superposed)
    nominal.start(AT[name])
    small.start(AT[name] | {f"{state}.nominal": value for state, value in AT[name].items()})
    about = linearizer_of(full).at_point(nominal, "held")
    mass, force = small.mass()
    assert mass == pytest.approx(about.M, rel=1e-12)
    assert force == pytest.approx(-about.f_d, rel=1e-9, abs=1e-9)
    ns = len(full.states)
    scale = np.abs(about.state_matrix).max(axis=1, keepdims=True)
    assert np.all(np.abs(small.jacobian()[:ns, :ns] - about.state_matrix) <= 1e-9 * scale + 1e-12)


@pytest.mark.heavy
def test_wheel_goes_along_its_circle_and_is_held_upright() -> None:
    """Of radius r ω/Ω, by its nominal coordinates, and by the others where it does not lean."""
    run = simulate(
        made("wheel")[1],
        2.0,
        parameters={"moment": -HOLDING},
        rtol=1e-11,
        atol=1e-12,
        samples=21,
        progress=False,
    )
    assert np.abs(run["lean"]).max() < 1e-12
    circle = RADIUS * SPIN / TURN
    for suffix in ("", ".nominal"):
        expected = circle * np.sin(TURN * run.time), circle * (1 - np.cos(TURN * run.time))
        assert run[f"x{suffix}"] == pytest.approx(expected[0], abs=1e-9)
        assert run[f"y{suffix}"] == pytest.approx(expected[1], abs=1e-9)
    assert np.abs(run["side"]) == pytest.approx(MASS * RADIUS * SPIN * TURN, rel=1e-10)
    assert run["normal"] == pytest.approx(MASS * 9.81, rel=1e-10)


START = {
    "caster": {"heading": 0.3, "y": 0.1, "y_rate": -0.5},
    "wheel": {"lean": 0.2, "steer": 0.2, "lean_rate": 0.3, "x": 0.1},
}


@pytest.mark.parametrize("name", CASES)
def test_difference_from_the_nonlinear_motion_is_quadratic(name: str) -> None:
    """Cubic about the straight motion, to whose sides all is alike."""
    given = {"parameters": {"moment": -HOLDING}} if name == "wheel" else {}
    nominal = {"heading": 0.0} if name == "caster" else {"x": 0.0, "y": 0.0}
    errors = []
    for share in (0.04, 0.02):
        ends = []
        for equations in made(name):
            start = dict(nominal)
            for state, value in START[name].items():
                start[state] = start.get(state, 0.0) + share * value
            if equations.superposed:
                start |= {f"{state}.nominal": value for state, value in nominal.items()}
            run = simulate(
                equations, 0.8, start=start, rtol=1e-12, atol=1e-13, progress=False, **given
            )
            ends.append([run[state][-1] for state in [*nominal, *START[name]]])
        errors.append(np.abs(np.subtract(*ends)).max())
    assert errors[0] > 1e-9
    assert np.log2(errors[0] / errors[1]) == pytest.approx(
        3.0 if name == "caster" else 2.0, abs=0.06
    )


def test_free_rotations_and_speeds_are_refused_by_name() -> None:
    free = Model("free")
    body = free.rotation("body")
    free.add(Body("top", None, body, inertia=(1.0, 2.0, 3.0)))
    body.free()
    with pytest.raises(ModelError, match="Euler parameters of free rotations"):
        superpose(free)


def test_a_speed_that_is_a_degree_of_freedom_is_refused_by_name() -> None:
    def towed(speed: float) -> Model:
        model = swivel_wheel()
        pin = model.nodes["pin"]
        pin.x.release().dof("distance", "pace", rate_start=speed)  # type: ignore[attr-defined]
        return model

    with pytest.raises(ModelError, match=r"nothing rolls .* pace = 3; .* prescribe it"):
        superpose(towed(3.0))
    standing = superpose(towed(0.0))  # small motions about standstill
    small = simulate(standing, 0.5, start={"pace": 0.1}, samples=2)
    assert small.final("distance") == pytest.approx(0.05, rel=1e-12)
    with pytest.raises(SimulationError, match=r"pace = 3 .*distance = 1.5 m .*prescribe the speed"):
        simulate(standing, 0.5, start={"pace": 3.0}, samples=2)
