"""Derivatives with dry friction in each of its modes, which stay as they are.

They are compared with a closed form, and with a complex step of rates and outputs in that mode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import cos, sin

import numpy as np
import pytest

from mbcore import Equations, Linearization, Model, linearize
from mbcore.elements import Body, Friction, PlanarHinge, RigidLink
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import vehicle
from mbcore.host.backend import Backend, evaluating
from tests.complex_step import changes
from tests.elements.friction.judge import SliderCrank
from tests.elements.friction.test_ball_joint import swinging
from tests.elements.friction.test_friction import GRAVITY, LENGTH, MASS, RADIUS, pendulum
from tests.elements.friction.test_rolling import thrown, wobbling
from tests.elements.friction.test_slider_crank import equations_of

CLOSE = 1e-12
"""Largest error, in parts of the largest derivative of the same rate or output."""


@pytest.mark.parametrize("rate", [1.2, -1.2])
def test_sliding_pin_by_hand(rate: float) -> None:
    """The torque is c A / √(1 - (c/l)²) with c = μ r and the force A = m (l ω² + g cos φ)."""
    angle, arm = 0.3, 0.6 * RADIUS
    found = linearize(
        pendulum(coefficient=0.6).equations(), {"angle": angle, "rate": rate}, unsteady=True
    )
    part = np.sign(rate) * arm / np.sqrt(1 - (arm / LENGTH) ** 2)
    torque = part * MASS * np.array([2 * LENGTH * rate, -GRAVITY * sin(angle)])
    weight = np.array([0, MASS * GRAVITY * LENGTH * cos(angle)])
    rates = [-(weight + torque) / (MASS * LENGTH**2), [1, 0]]
    np.testing.assert_allclose(found.state_matrix, rates, rtol=1e-13)
    load = part * MASS * (LENGTH * rate**2 + GRAVITY * cos(angle))
    np.testing.assert_allclose(found.output_matrix[0], torque, rtol=1e-13)
    power = -torque * rate - [load, 0]
    np.testing.assert_allclose(found.output_matrix[1], power, rtol=1e-13)


@cache
def one_pin() -> Equations:
    """A point mass on a rod, on a pin that rubs."""
    return pendulum(coefficient=0.6).equations()


@cache
def jointed() -> Equations:
    """Two links on a shoulder and an elbow, each with a friction of its own."""
    model = Model("jointed", gravity=(0, -9.81))
    before, place = model.angle("frame", fixed=True), model.point("fixed", (0, 0), fixed=True)
    for k, name in enumerate(("shoulder", "elbow")):
        turned, end = model.angle(f"{name} link"), model.point(f"{name} end", (0, -0.5 * (k + 1)))
        model.add(RigidLink(f"{name} rod", place, turned, end, offset=(0, -0.5)))
        model.add(Body(f"{name} mass", end, turned, mass=1.0 + k, inertia=0.02))
        hinge = model.add(PlanarHinge(f"{name} hinge", before, turned))
        hinge.angle.dof(f"{name}.angle", f"{name}.rate")
        model.load(model.input(f"{name}.drive", unit="N.m"), hinge.angle.rate)
        numbers = {
            what: model.parameter(f"{name}.{what}", value)
            for what, value in (("radius", 0.05), ("coefficient", 0.3), ("preload", 0.1))
        }
        friction = model.add(Friction(name, hinge, at=place, **numbers))
        for what in ("torque", "power", "load"):
            model.output(f"{name}.{what}", getattr(friction, what))
        before, place = turned, end
    return model.equations()


@cache
def crank() -> Equations:
    """A slider-crank with friction in its four joints."""
    return equations_of(SliderCrank(), 1.0)


@cache
def ball() -> Equations:
    """A ball on a road that it touches in a small area."""
    return thrown(coefficient=0.2, patch=0.01).equations()


@cache
def disk() -> Equations:
    """A disk on dry ground."""
    return wobbling(0.6).equations()


@cache
def socket() -> Equations:
    """A body in a ball joint."""
    return swinging(coefficient=0.5).equations()


@cache
def car() -> Equations:
    """A vehicle whose axles slide by dry friction, and whose angle follows its speed by a lag."""
    return vehicle.model(slides=True).equations()


@dataclass(frozen=True)
class Mode:
    """Equations, a state in which they start in a mode, and the frictions that stick there."""

    make: Callable[[], Equations]
    state: Mapping[str, float]
    sticks: tuple[str, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)


def turning(shoulder: float, elbow: float) -> dict[str, float]:
    """Return a state of both joints, near the equilibrium."""
    angles = {"shoulder.angle": 0.01, "elbow.angle": -0.008}
    return {**angles, "shoulder.rate": shoulder, "elbow.rate": elbow}


def steered(limit: float) -> dict[str, float]:
    """Return parameters of a model car that follows its speed, with a limit of friction."""
    light = {"chassis.mass": 1.2, "chassis.inertia": 0.675}
    return {**light, "steering": 3, "steer.reference_speed": 100.0, "friction.limit": limit}


CURVE = {"steer.actuator_angle": 0.09, "chassis.yaw_rate": 10 * np.tan(0.09) / 2.5}
ALL = ("pin_0", "pin_1", "pin_2", "rubbing")
MODES = {
    "pin slides": Mode(one_pin, {"angle": 0.3, "rate": 1.2}),
    "pin slides back": Mode(one_pin, {"angle": 0.3, "rate": -1.2}),
    "pin sticks": Mode(one_pin, {"angle": 0.02}, ("pin",)),
    "both joints stick": Mode(jointed, turning(0, 0), ("shoulder", "elbow")),
    "shoulder sticks": Mode(jointed, turning(0, 0.7), ("shoulder",), {"shoulder.preload": 5.0}),
    "elbow sticks": Mode(jointed, turning(0.7, 0), ("elbow",), {"elbow.preload": 5.0}),
    "joints slide one way": Mode(jointed, turning(0.7, 0.4)),
    "joints slide against each other": Mode(jointed, turning(-0.7, 0.4)),
    "crank slides": Mode(crank, {"angle": 1.0, "rate": 2.0}),
    "crank slides back": Mode(crank, {"angle": 1.0, "rate": -2.0}),
    "crank sticks": Mode(crank, {"angle": 1.57, "rate": 0.0}, ALL),
    "ball slides": Mode(ball, {}),
    "ball rolls": Mode(ball, {"v.x": 3.0, "angle.y_rate": 60.0}, ("road",)),
    "disk slides": Mode(disk, {"lean": 0.1, "pitch_rate": 0.5, "x_rate": 0.1}),
    "disk rolls": Mode(disk, {"lean": 0.1}, ("road",)),
    "car rolls": Mode(car, CURVE, ("front.friction", "rear.friction"), steered(0.9)),
    "car slides": Mode(car, {**CURVE, "rear.slip_velocity": 0.3}, (), steered(0.3)),
    "socket slides": Mode(socket, {"swing.angle": 0.3, "swing.rate": 1.0, "spin.rate": 0.4}),
    "socket sticks": Mode(socket, {"swing.angle": 0.03}, ("ball",)),
}


def each(*quick: Callable[[], Equations]) -> pytest.MarkDecorator:
    """Let a test run in each mode, heavy but for some equations."""
    cases = [
        pytest.param(mode, id=name, marks=() if mode.make in quick else pytest.mark.heavy)
        for name, mode in MODES.items()
    ]
    return pytest.mark.parametrize("mode", cases)


def started(mode: Mode, backend: Backend = "python") -> Evaluation:
    """Return a point that is in the mode."""
    with evaluating(backend):
        point = Evaluation(mode.make(), mode.parameters)
    assert point.backend == backend
    point.start(mode.state)
    names = [record.name for record in point.equations.discretes]
    found = {n.removesuffix(".sticks") for n in names if n.endswith(".sticks")}
    sticks = {n for n in found if point.d[names.index(f"{n}.sticks")] > 0.5}
    assert sticks == set(mode.sticks)
    return point


def expected(point: Evaluation) -> np.ndarray:
    """Return the changes of rates and outputs by each of (s, t, u, p), without differentiation."""
    here = [point.t, point.s, point.d, point.u, point.p, point.x]
    by = np.eye(point.variation.size)
    return np.vstack(changes(point.equations, ("derivative", "output"), here, by))


def assert_close(found: np.ndarray, right: np.ndarray) -> None:
    """Compare by rows."""
    sizes = np.abs(right).max(axis=1, keepdims=True, initial=1.0)
    assert (np.abs(found - right) <= CLOSE * sizes).all(), np.abs(found - right).max()


def directional(point: Evaluation) -> np.ndarray:
    """Return what `expected` does, by directional derivatives."""
    columns = []
    for k in range(point.variation.size):
        point.variation[k] = 1.0
        columns.append(np.vstack(point.call("change").results)[:, 0].copy())
        point.variation[k] = 0.0
    return np.column_stack(columns)


def adjoint(point: Evaluation) -> np.ndarray:
    """Return what `expected` does, by adjoint derivatives."""
    function, here = point.equations.functions["adjoint_change"], [point.t, point.s, point.d]
    seeds = np.split(np.eye(point.s.size + len(point.equations.outputs)), [point.s.size])
    rows = [
        function(*here, point.u, point.p, point.x, *np.split(seed, [point.s.size]))
        for seed in np.vstack(seeds)
    ]
    return np.array([np.array(row).ravel() for row in rows])


def matrices(found: Linearization) -> np.ndarray:
    """Return what `expected` does by (s, u), as a linearization has it."""
    return np.block(
        [[found.state_matrix, found.input_matrix], [found.output_matrix, found.feedthrough]]
    )


def assert_linearized(point: Evaluation, mode: Mode, right: np.ndarray, backend: Backend) -> None:
    """Compare a linearization with the changes by states and inputs."""
    found = linearize(
        point.equations, mode.state, parameters=mode.parameters, unsteady=True, backend=backend
    )
    by_time = point.s.size
    parts = [*range(by_time), *range(by_time + 1, by_time + 1 + point.u.size)]
    assert_close(matrices(found), right[:, parts])


@each(one_pin, jointed, ball)
def test_derivatives(mode: Mode) -> None:
    point = started(mode)
    right = expected(point)
    assert_close(directional(point), right)
    assert_close(adjoint(point), right)
    assert_linearized(point, mode, right, "python")


@each(one_pin)
def test_derivatives_in_c(mode: Mode) -> None:
    point = started(mode, "c")
    right = expected(started(mode))
    assert_close(directional(point), right)
    assert_linearized(point, mode, right, "c")
