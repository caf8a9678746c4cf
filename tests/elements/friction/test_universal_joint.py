"""Friction of the pins of a universal joint between bent shafts, by the statics of its cross."""

from __future__ import annotations

from math import cos, sin

import numpy as np
import pytest

from mbcore import Model
from mbcore.elements import Body, Friction, Hinge
from mbcore.elements.joints.joints import universal
from mbcore.evaluation.evaluation import Evaluation

BEND, TORQUE, SPAN, RADIUS = 0.5, 30.0, 0.06, 0.008


def shafts(
    pins: tuple[np.ndarray, np.ndarray], drive: float, brake: float, **friction: float
) -> Model:
    """Two shafts through the origin, along x and bent from it by an angle in the plane x, y."""
    model = Model("shafts")
    origin = model.point("origin", (0, 0, 0), fixed=True)
    axes = ((1.0, 0.0, 0.0), (cos(BEND), sin(BEND), 0.0))
    bodies, bearings = [], []
    for name, axis in zip(("driving", "driven"), axes, strict=True):
        rotation = model.rotation(name)
        bearings.append(model.add(Hinge(f"{name} bearing", model.ground, rotation, axis=axis)))
        body = Body(f"{name} shaft", origin, rotation, mass=1.0, inertia=(0.02, 0.02, 0.02))
        bodies.append(model.add(body))
    joint = universal("joint", *bodies, at=(0, 0, 0), axes=tuple(pin.tolist() for pin in pins))
    bearings[0].angle.dof("angle", "rate", rate_start=friction.pop("rate", 0.0))
    model.load(drive, bearings[0].angle.rate)
    model.load(-brake, bearings[1].angle.rate)
    for hinge, body in zip(joint.hinges, bodies, strict=True):
        pin = Friction(
            f"{hinge.name} pin", hinge, radius=RADIUS, at=origin, of=body, span=SPAN, **friction
        )
        model.output(f"{hinge.name} load", model.add(pin).load)
        model.output(f"{hinge.name} power", pin.power)
    return model


UP = np.array([0.0, 0.0, 1.0])
PHASES = {
    "in the plane": (UP, np.array([-sin(BEND), cos(BEND), 0.0])),
    "across": (np.array([0.0, 1.0, 0.0]), UP),
}


@pytest.mark.parametrize("phase", PHASES)
def test_load_of_the_pins(phase: str) -> None:
    """The cross passes a moment M along its normal n: T = M n·e; bearings of a pin take M / s."""
    pins = PHASES[phase]
    normal = np.cross(*pins)
    along = abs(normal[0]), abs(normal @ [cos(BEND), sin(BEND), 0.0])
    moment = TORQUE / along[0]
    model = shafts(pins, TORQUE, moment * along[1], coefficient=0.0)
    point = Evaluation(model.equations())
    point.start()
    assert point.derivative()[0] == pytest.approx(0, abs=1e-9)
    first, _, second, _ = point.output()
    assert first == pytest.approx(2 * moment / SPAN, rel=1e-10)
    assert second == pytest.approx(2 * moment / SPAN, rel=1e-10)


@pytest.mark.heavy
@pytest.mark.parametrize("phase", PHASES)
def test_loss_of_the_pins(phase: str) -> None:
    """Each pin loses μ r 2 (M / s) by its own rate."""
    pins = PHASES[phase]
    model = shafts(pins, TORQUE, TORQUE, coefficient=1e-7, rate=0.01)
    point = Evaluation(model.equations())
    point.start()
    values = point.output()
    loads, powers = values[::2], values[1::2]
    # With a₁, a₂ the pins: e₂ ω₂ - e₁ ω₁ = a₁ φ₁' + a₂ φ₂'
    one, two = np.array([1.0, 0, 0]), np.array([cos(BEND), sin(BEND), 0])
    turned = np.linalg.solve(np.column_stack([two, -pins[0], -pins[1]]), one * 0.01)
    expected = -1e-7 * RADIUS * loads * np.abs(turned[1:])
    assert powers == pytest.approx(expected, rel=1e-6, abs=1e-18)
