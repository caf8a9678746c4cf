"""Friction of a body that slides on a plane of another one, against closed forms."""

from __future__ import annotations

from math import cos, pi, sin, tan

import numpy as np
import pytest

from mbcore import Model, linearize, planar, revolute, simulate
from mbcore.elements import Body, Friction
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ModelError

MASS, INERTIA, GRAVITY = 2.0, 0.01, 9.81


def thrown(
    velocity: tuple[float, float], slope: float = 0.0, spin: float = 0.0, **friction: object
) -> Model:
    """A body on a plane whose x axis points downhill."""
    model = Model("puck", gravity=(GRAVITY * sin(slope), 0, -GRAVITY * cos(slope)))
    centre, turned = model.point("centre", (0.1, 0.2, 0.3)), model.rotation("turned")
    body = model.add(Body("body", centre, turned, mass=MASS, inertia=(INERTIA,) * 3))
    joint = planar("plane", model, body, normal=(0, 0, 1))
    for axis, displacement, rate in zip("xy", joint.displacements, velocity, strict=True):
        displacement.dof(axis, f"v{axis}", rate_start=rate)
    joint.angle.dof("angle", "spin", rate_start=spin)
    rubbing = model.add(Friction("rubbing", joint, **friction))
    model.output("load", rubbing.load)
    model.output("power", rubbing.power)
    model.output("sticks", rubbing.sticks)
    return model


@pytest.mark.parametrize("backend", ["python", pytest.param("c", marks=pytest.mark.heavy)])
def test_a_body_stops_on_a_straight_line(backend: str) -> None:
    """After v²/(2 μ g) in the direction of v; nothing resists its spin."""
    equations = thrown((0.6, 0.8), spin=3.0, coefficient=0.25).equations()
    run = simulate(
        equations,
        1.0,
        rtol=1e-11,
        max_step=0.02,
        backend=backend,  # type: ignore[arg-type]
    )
    distance = 1 / (2 * 0.25 * GRAVITY)
    assert run.final("x") == pytest.approx(0.6 * distance, rel=1e-10)
    assert run.final("y") == pytest.approx(0.8 * distance, rel=1e-10)
    assert run.final("vx") == run.final("vy") == 0
    assert run.final("spin") == 3.0
    assert run["load"] == pytest.approx(MASS * GRAVITY, rel=1e-12)
    assert run["power"].max() <= 0


@pytest.mark.parametrize(("speed", "onset"), [(1.0, 0.0), (1e-7, 1e-6)])
def test_linearization_across_the_slip(speed: float, onset: float) -> None:
    """Friction turns with the slip: by -μ g / |s|, at low speeds by -μ g / (|s| + ε)."""
    equations = thrown((speed, 0.0), coefficient=0.25).equations()
    found = linearize(equations, unsteady=True)
    at = {name: i for i, name in enumerate(found.state_names)}
    turns = found.state_matrix[at["vy"], at["vy"]]
    assert turns == pytest.approx(-0.25 * GRAVITY / (speed + onset), rel=2e-3 if onset else 1e-9)
    assert found.state_matrix[at["vx"], at["vx"]] == pytest.approx(0, abs=1e-6)


def test_a_body_thrown_across_a_slope_that_just_holds_it() -> None:
    """Where μ = tan α the speed and its part downhill have a constant sum: v/2 is left."""
    slope = 0.4
    model = thrown((0.0, 1.0), slope, coefficient=tan(slope), static=2 * tan(slope))
    run = simulate(model.equations(), 3.0, rtol=1e-12, atol=1e-13, max_step=0.1)
    total = np.hypot(run["vx"], run["vy"]) + run["vx"]
    assert total == pytest.approx(np.ones(len(total)), rel=1e-10)
    assert run.final("vx") == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize(
    ("part", "moves"), [(0.3, False), (0.9, False), (0.999, False), (1.001, True)]
)
def test_it_sticks_on_slopes_and_does_not_creep(part: float, moves: bool) -> None:
    slope = 0.3
    equations = thrown((0.0, 0.0), slope, coefficient=tan(slope) / part).equations()
    until = 1.0 if moves else 1e6
    run = simulate(equations, until, samples=11, max_step=until)  # no force depends on time
    assert (np.ptp(run["x"]) > 0) == moves
    assert np.ptp(run["y"]) == 0


@pytest.mark.parametrize(
    ("part", "moves"), [(0.999, False), pytest.param(1.001, True, marks=pytest.mark.heavy)]
)
def test_a_body_on_a_turntable(part: float, moves: bool) -> None:
    """It stays where the table turns with ω² R <= μ g."""
    model, reach, coefficient = Model("turntable", gravity=(0, 0, -GRAVITY)), 0.5, 0.3
    axle, table = model.point("axle", (0, 0, 0)), model.rotation("table")
    disk = model.add(Body("disk", axle, table, mass=1.0, inertia=(1.0,) * 3))
    turning = revolute("bearing", model, disk, at=(0, 0, 0), axis=(0, 0, 1))
    turning.angle.prescribe(part * np.sqrt(coefficient * GRAVITY / reach) * model.time)
    place, turned = model.point("place", (reach, 0, 0)), model.rotation("turned")
    coin = model.add(Body("coin", place, turned, mass=MASS, inertia=(INERTIA,) * 3))
    joint = planar("top", disk, coin, normal=(0, 0, 1))
    for axis, displacement in zip("xy", joint.displacements, strict=True):
        displacement.dof(axis)
    joint.angle.dof("angle")
    model.add(Friction("rubbing", joint, coefficient=coefficient))
    run = simulate(model.equations(), 2.0, max_step=0.1)
    assert (np.ptp(run["x"]) > 1e-4) == moves
    assert moves or np.ptp(run["x"]) < 1e-13


def test_it_rests_against_a_wall() -> None:
    """Pressed on a wall by F it holds its weight while m g <= μ F; the wall pulls alike."""
    for push, drop in ((100.0, 0.0), (-100.0, 0.0), (60.0, GRAVITY - 0.25 * 60.0 / MASS)):
        model = Model("wall", gravity=(0, 0, -GRAVITY))
        centre, turned = model.point("centre", (0, 0, 0)), model.rotation("turned")
        body = model.add(Body("body", centre, turned, mass=MASS, inertia=(INERTIA,) * 3))
        joint = planar("wall", model, body, normal=(1, 0, 0))
        for axis, displacement in zip("yz", joint.displacements, strict=True):
            displacement.dof(axis, f"v{axis}")
        joint.angle.rigid()
        model.force(centre, (push, 0, 0))
        model.add(Friction("rubbing", joint, coefficient=0.25))
        point = Evaluation(model.equations())
        point.start()
        rates = dict(zip([s.name for s in point.equations.states], point.derivative(), strict=True))
        assert rates["vz"] == pytest.approx(-drop, abs=1e-12)
        assert rates["vy"] == pytest.approx(0, abs=1e-12)


def test_a_patch_resists_spin() -> None:
    """3π/16 μ N a against the spin of a body that does not slide."""
    point = Evaluation(thrown((0.0, 0.0), spin=5.0, coefficient=0.3, patch=0.02).equations())
    point.start()
    rates = dict(zip([s.name for s in point.equations.states], point.derivative(), strict=True))
    moment = 3 * pi / 16 * 0.3 * MASS * GRAVITY * 0.02
    assert rates["spin"] == pytest.approx(-moment / INERTIA, rel=1e-10)
    assert rates["vx"] == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize(
    ("friction", "message"),
    [
        ({"radius": 0.1}, "radius is for hinges"),
        ({"span": 0.1}, "span is for hinges in space"),
        ({"preload": 1.0}, "preload is for hinges and slides"),
        ({"load": 1.0}, "load is for planar rolling elements"),
    ],
)
def test_mistakes(friction: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        thrown((0.0, 0.0), coefficient=0.2, **friction)


def test_a_normal_without_direction_is_refused() -> None:
    model = Model("space")
    centre, turned = model.point("p", (0, 0, 0)), model.rotation("r")
    body = model.add(Body("body", centre, turned, mass=1, inertia=(1, 1, 1)))
    with pytest.raises(ModelError, match=r"planar joint table: its normal is \(0, 0, 0\)"):
        planar("table", model, body, normal=(0, 0, 0))


def test_a_planar_joint_in_the_plane_is_refused() -> None:
    model = Model("plane")
    body = model.add(Body("body", model.point("p", (0, 0)), model.angle("a"), mass=1, inertia=1))
    with pytest.raises(ModelError, match="bodies in the plane move on it already"):
        planar("table", model, body, normal=(0, 0, 1))
