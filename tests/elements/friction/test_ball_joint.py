"""Friction of balls in their sockets against closed forms of pendulums and spinning bodies."""

from __future__ import annotations

from functools import cache
from math import cos, hypot, sin
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from fmpy import simulate_fmu
from scipy.optimize import brentq

from mbcore import Equations, Model, simulate
from mbcore.elements import Body, Friction, Hinge
from mbcore.elements.joints.joint_records import Spherical
from mbcore.elements.joints.joints import spherical
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmi import export
from mbcore.model.errors import ModelError
from mbcore.model.nodes import rotations
from tests.conftest import FURTHER, VERSIONS, Tools

MASS, LENGTH, GRAVITY, RADIUS, INERTIA = 2.0, 0.7, 9.81, 0.1, 0.03
TURN = rotations.about((0.6, -0.64, 0.48), 0.1)


def swinging(
    heading: float = 0.0,
    angle: float = 0.0,
    rate: float = 0.0,
    spin: float = 0.0,
    **friction: object,
) -> Model:
    """A body on a rod in a ball joint, swinging in a vertical plane of a heading, or spinning."""
    model = Model("swinging", gravity=(0, 0, -GRAVITY))
    before = model.ground
    swing = (cos(heading), sin(heading), 0)
    across = (-sin(heading), cos(heading), 0)
    places = {
        "across": (across, 0.0, 0.0),
        "swing": (swing, angle, rate),
        "spin": ((0, 0, 1), 0.0, spin),
    }
    for name, (axis, start, turning) in places.items():
        rotation = model.rotation(name)
        hinge = model.add(Hinge(f"hinge {name}", before, rotation, axis=axis))
        hinge.angle.dof(f"{name}.angle", f"{name}.rate", start=start, rate_start=turning)
        before = rotation
    bob = model.point("bob", (0, 0, -LENGTH))
    mass = model.add(Body("mass", bob, before, mass=MASS, inertia=(INERTIA,) * 3))
    joint = spherical("socket", model, mass, at=(0, 0, 0))
    ball = model.add(Friction("ball", joint, **{"radius": RADIUS, **friction}))
    model.output("load", ball.load)
    model.output("size", ca.norm_2(ball.torque))
    model.output("power", ball.power)
    model.output("sticks", ball.sticks)
    return model


def moment(angle: float, rate: float, share: float) -> float:
    """The moment in proportion to the force to which it contributes, by bisection."""

    def missed(found: float) -> float:
        turning = -MASS * GRAVITY * LENGTH * sin(angle) - found
        acceleration = turning / (MASS * LENGTH**2 + INERTIA)
        along = MASS * (LENGTH * rate**2 + GRAVITY * cos(angle))
        across = MASS * (LENGTH * acceleration + GRAVITY * sin(angle))
        return found - share * RADIUS * hypot(along, across)

    return brentq(missed, 0, 1e3, xtol=1e-14, rtol=1e-15)


@pytest.mark.parametrize(("fit", "share"), [("snug", 0.6), ("loose", sin(np.arctan(0.6)))])
@pytest.mark.parametrize("heading", [pytest.param(0.0, marks=pytest.mark.heavy), 0.9])
def test_moment_of_a_swinging_ball(fit: str, share: float, heading: float) -> None:
    """In a vertical plane it is that of a pin, whatever the plane."""
    model = swinging(heading, 0.3, 1.2, coefficient=0.6, fit=fit)
    point = Evaluation(model.equations())
    point.start()
    load, size, power, _ = point.output()
    expected = moment(0.3, 1.2, share)
    assert size == pytest.approx(expected, rel=1e-10)
    assert load == pytest.approx(expected / share / RADIUS, rel=1e-10)
    assert power == pytest.approx(-1.2 * expected, rel=1e-10)


def test_viscous_friction_of_a_ball_is_by_its_rate() -> None:
    """A torque of 0.05 N.m.s/rad alone at 3 rad/s, whatever the ball's radius of 0.1 m."""
    model = swinging(rate=3.0, coefficient=0.0, viscous=0.05)
    point = Evaluation(model.equations())
    point.start()
    _, size, power, _ = point.output()
    assert size == pytest.approx(0.15, rel=1e-12)
    assert power == pytest.approx(-0.45, rel=1e-12)


def test_a_ball_rubs_by_its_rate_in_a_socket_that_turns_too() -> None:
    """Ball and socket turn about the vertical at 5 and 3 rad/s, so that 2 rad/s are left."""
    model, turns = Model("turntable", gravity=(0, 0, -GRAVITY)), {"socket": 3.0, "ball": 5.0}
    centre = model.point("centre", (0, 0, 0), fixed=True)
    bodies = []
    for name, rate in turns.items():
        rotation = model.rotation(name)
        hinge = model.add(Hinge(f"hinge {name}", model.ground, rotation, axis=(0, 0, 1)))
        hinge.angle.dof(f"{name}.angle", f"{name}.rate", rate_start=rate)
        body = Body(f"{name} mass", centre, rotation, mass=MASS, inertia=(INERTIA,) * 3)
        bodies.append(model.add(body))
    joint = spherical("joint", *bodies, at=(0, 0, 0))
    wet = {"radius": RADIUS, "coefficient": 0.0, "viscous": 0.05}
    ball = model.add(Friction("ball", joint, of=bodies[1], **wet))
    model.output("torque", ball.torque[2])
    model.output("power", ball.power)
    point = Evaluation(model.equations())
    point.start()
    assert point.output() == pytest.approx([0.05 * 2, -0.05 * 2**2], rel=1e-12)
    rates = dict(zip((s.name for s in point.equations.states), point.derivative(), strict=True))
    moments = [INERTIA * rates[f"{name}.rate"] for name in turns]
    assert moments == pytest.approx([0.1, -0.1], rel=1e-12)


@pytest.mark.parametrize("backend", ["python", pytest.param("c", marks=pytest.mark.heavy)])
def test_spinning_ball_stops_and_stays(backend: str) -> None:
    """A hanging body that spins about the vertical loses I ω at μ r m g, then sticks."""
    spin, coefficient = 4.0, 0.2
    equations = swinging(spin=spin, coefficient=coefficient).equations()
    result = simulate(equations, 0.5, rtol=1e-10, max_step=0.01, backend=backend)
    braking = coefficient * RADIUS * MASS * GRAVITY / INERTIA
    stops = next(time for time, name in result.events if name == "ball.stops" and time > 0)
    assert stops == pytest.approx(spin / braking, rel=1e-9)
    assert result.final("spin.rate") == pytest.approx(0, abs=1e-12)
    assert result.final("spin.angle") == pytest.approx(spin**2 / (2 * braking), rel=1e-9)


@pytest.mark.parametrize(
    ("part", "backend"),
    [
        pytest.param(0.3, "c", marks=pytest.mark.heavy),
        pytest.param(0.999, "c", marks=pytest.mark.heavy),
        (0.999, "python"),
        (1.001, "python"),
    ],
)
def test_a_tilted_ball_sticks_inside_the_cone(part: float, backend: str) -> None:
    """It stays while sin φ <= μ r / l, in any direction, to the last bit over 1e6 s."""
    angle = float(np.arcsin(part * 0.6 * RADIUS / LENGTH))
    model = swinging(0.9, angle, coefficient=0.3, static=0.6)
    if part > 1:
        point = Evaluation(model.equations())
        point.start()
        assert np.abs(point.derivative()).max() > 0.1
        return
    result = simulate(model.equations(), 1e6, samples=5, max_step=1e5, backend=backend)
    for name, start in {"across": 0.0, "swing": angle, "spin": 0.0}.items():
        assert (result[f"{name}.angle"] == start).all()
    assert (result["sticks"] == 1).all()


def hanging(count: int, radius: float) -> Model:
    """Bodies that hang aslant on ball joints, one below the other, turned by Euler parameters."""
    model = Model("hanging", gravity=(0, 0, -GRAVITY))
    down = np.array(ca.DM(rotations.matrix(ca.DM(TURN))).full()) @ [0, 0, -1.0]
    before, place = model, np.zeros(3)
    for k in range(count):
        centre = model.point(f"centre{k}", tuple(place + LENGTH * down))
        body = model.rotation(f"body{k}", TURN)
        mass = model.add(Body(f"mass{k}", centre, body, mass=MASS, inertia=(0.03, 0.05, 0.04)))
        joint = spherical(f"socket{k}", before, mass, at=tuple(place))
        body.free()
        model.add(Friction(f"ball{k}", joint, radius=radius, coefficient=0.5))
        before, place = mass, place + down
    return model


@cache
def hung(count: int) -> Equations:
    """Return the equations of balls of 0.3 m, made once."""
    return hanging(count, 0.3).equations()


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    "count",
    [
        1,
        pytest.param(2, marks=pytest.mark.heavy),
        pytest.param(3, marks=[pytest.mark.heavy, FURTHER]),
    ],
)
def test_balls_in_euler_parameters_do_not_creep(count: int) -> None:
    """The velocities in a joint are differences of those of two bodies, to the last bit zero."""
    equations = hung(count)
    backend = "c" if count > 1 else "python"
    result = simulate(equations, 1e6, samples=5, max_step=1e5, backend=backend)
    for state in equations.states:
        assert (result[state.name] == state.start).all()
    assert all((result[f"ball{k}.sticks"] == 1).all() for k in range(count))


@pytest.mark.heavy
def test_fmus_of_stuck_balls_do_not_creep(tmp_path: Path, tools: Tools) -> None:
    """Long formulas, of two balls that may slide, of which one is between two bodies."""
    equations = hung(2)
    names = [state.name for state in equations.states]
    for fmu in export(equations, tmp_path, VERSIONS, tools=tools):
        rows = simulate_fmu(fmu, stop_time=1e6, output_interval=2.5e5, output=names)
        for state in equations.states:
            assert (rows[state.name] == state.start).all(), fmu


def test_a_spinning_ball_hardly_resists_a_slow_swing() -> None:
    """The moment is against the whole angular velocity: its part against the swing is ω_x/|ω|."""
    model = swinging(rate=0.01, spin=5.0, coefficient=0.2)
    friction = model.elements["ball"]
    for name, part in zip("xyz", ca.vertsplit(friction.torque), strict=True):
        model.output(f"moment {name}", part)
    point = Evaluation(model.equations())
    point.start()
    _, size, _, _, *parts = point.output()
    speed = hypot(0.01, 5.0)
    assert parts == pytest.approx([0.01 * size / speed, 0, 5.0 * size / speed], rel=1e-9, abs=1e-12)


@pytest.mark.heavy
def test_fmus_of_a_spinning_ball(tmp_path: Path, tools: Tools) -> None:
    spin, coefficient = 4.0, 0.2
    equations = swinging(spin=spin, coefficient=coefficient).equations()
    braking = coefficient * RADIUS * MASS * GRAVITY / INERTIA
    for fmu in export(equations, tmp_path, VERSIONS, tools=tools):
        rows = simulate_fmu(
            fmu,
            stop_time=0.5,
            output_interval=0.05,
            relative_tolerance=1e-10,
            output=["spin.rate", "spin.angle"],
        )
        assert rows["spin.rate"][2] == pytest.approx(spin - 0.1 * braking, rel=1e-8)
        assert rows["spin.rate"][-1] == pytest.approx(0, abs=1e-10)
        assert rows["spin.angle"][-1] == pytest.approx(spin**2 / (2 * braking), rel=1e-8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"radius": None}, "has no radius; give that of the ball"),
        ({"span": 0.1}, "span is for hinges in space"),
        ({"patch": 0.1}, "patch is for planar joints and rolling elements"),
    ],
)
def test_mistakes(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        swinging(coefficient=0.1, **arguments)


def test_a_ball_in_the_plane_is_a_pin() -> None:
    model = Model("flat")
    point, angle = model.point("point", (0, 0)), model.angle("angle")
    body = model.add(Body("body", point, angle, mass=1.0, inertia=1.0))
    joint = spherical("socket", body, model, at=(0, 1))
    with pytest.raises(ModelError, match="give a revolute joint"):
        model.add(Friction("ball", joint, radius=0.1, coefficient=0.1))


def test_a_joint_that_was_made_by_hand_is_refused() -> None:
    model = Model("hand")
    point, turning = model.point("point", (0, 0, 0)), model.rotation("turning")
    body = model.add(Body("body", point, turning, mass=1.0, inertia=(1.0,) * 3))
    joint = Spherical(point, model, body)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"Spherical whose p is .* give what spherical\(NAME"):
        model.add(Friction("ball", joint, radius=0.1, coefficient=0.1))
