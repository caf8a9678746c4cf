"""Friction of wedges, screws, brakes and pins against closed forms of the textbooks."""

from __future__ import annotations

from math import atan, cos, pi, sin, tan

import pytest

from mbcore import Model
from mbcore.elements import Body, Coupling, Friction, Hinge, PlanarHinge, RigidLink, Slide
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ConfigurationError, ModelError

GRAVITY = 9.81


def started(model: Model) -> tuple[float, dict[str, float]]:
    """Return the acceleration of the one degree of freedom, and outputs, at the start."""
    point = Evaluation(model.equations())
    point.start()
    names = [output.name for output in point.equations.outputs]
    return float(point.derivative()[0]), dict(zip(names, point.output(), strict=True))


def wedge(slope: float, rate: float, floor: float, face: float) -> Model:
    """A block between a vertical guide and a wedge that it drives out along the floor."""
    model = Model("wedge", gravity=(0, -GRAVITY))
    origin, bed = model.point("origin", (0, 0), fixed=True), model.angle("bed", fixed=True)
    driven, block = model.point("driven", (0, 0)), model.point("block", (0, 0))
    model.add(Body("wedge", driven, bed, mass=1.5))
    model.add(Body("weight", block, bed, mass=2.0))
    floor_slide = model.add(Slide("floor", origin, bed, driven, axis=(1, 0)))
    model.add(Slide("guide", origin, bed, block, axis=(0, 1)))
    along = (cos(slope), sin(slope))
    face_slide = model.add(Slide("face", driven, bed, block, axis=along))
    floor_slide.displacement.dof("x", "v", rate_start=rate)
    model.add(Friction("floor friction", floor_slide, coefficient=floor))
    model.add(Friction("face friction", face_slide, coefficient=face))
    return model


def test_wedge_that_is_driven_out() -> None:
    slope, floor, face, heavy, weight = 0.7, 0.1, 0.2, 1.5, 2.0
    # The block presses on the wedge with m (g - x'' tan α), in a direction φ off the normal.
    ratio = tan(slope - atan(face)) - floor
    drive = weight * GRAVITY * ratio - floor * heavy * GRAVITY
    expected = drive / (heavy + weight * tan(slope) * ratio)
    assert started(wedge(slope, 0.3, floor, face))[0] == pytest.approx(expected, rel=1e-10)


def test_wedge_locks_itself() -> None:
    """The wedge without weight holds while α <= φ₁ + φ₂; its own weight holds it, too."""
    floor, face = 0.1, 0.2
    limit = atan(face) + atan(floor * (1 + 1.5 / 2.0))
    assert started(wedge(limit - 1e-10, 0.0, floor, face))[0] == pytest.approx(0, abs=1e-12)
    assert started(wedge(limit + 1e-9, 0.0, floor, face))[0] > 0


def jack(lead: float, rate: float, coefficient: float, torque: float) -> Model:
    """A screw with a vertical axis that lifts a mass."""
    model = Model("jack", gravity=(0, 0, -GRAVITY))
    origin, nut = model.point("origin", (0, 0, 0), fixed=True), model.point("nut", (0, 0, 0))
    model.add(Body("load", nut, mass=2.0))
    guide = model.add(Slide("guide", origin, model.ground, nut, axis=(0, 0, 1)))
    turned = model.rotation("turned")
    bearing = model.add(Hinge("bearing", model.ground, turned, axis=(0, 0, 1)))
    model.add(Body("spindle", None, turned, inertia=(0.1, 0.1, 0.1)))
    relation = guide.displacement.value - lead / (2 * pi) * bearing.angle.value
    thread = model.add(Coupling("thread", relation))
    bearing.angle.dof("angle", "rate", rate_start=rate)
    model.load(torque, bearing.angle.rate)
    model.add(Friction("friction", thread, radius=0.02, coefficient=coefficient))
    return model


@pytest.mark.parametrize("lead", [0.03, 0.004, -0.03])
def test_efficiency_of_a_screw(lead: float) -> None:
    """A torque W r tan(λ + φ) lifts at a constant rate: the efficiency is tan λ / tan(λ + φ)."""
    coefficient, weight = 0.15, 2.0 * GRAVITY
    slope, friction = atan(lead / (2 * pi * 0.02)), atan(coefficient)
    for way in (1, -1):
        torque = weight * 0.02 * tan(slope + way * friction)
        acceleration, _ = started(jack(lead, way * 1.0, coefficient, torque))
        assert acceleration == pytest.approx(0, abs=1e-11)


def test_screw_locks_itself() -> None:
    """It does while μ >= tan λ."""
    slope = 0.03 / (2 * pi * 0.02)
    assert started(jack(0.03, 0.0, slope * (1 + 1e-10), 0.0))[0] == 0
    assert started(jack(0.03, 0.0, slope * (1 - 1e-10), 0.0))[0] < 0


def brake(coefficient: float, rate: float) -> Model:
    """A lever, pressed with its shoe on a bar that slides past; its pivot is c above the bar."""
    model = Model("brake")
    pivot, bed = model.point("pivot", (0, 0.1), fixed=True), model.angle("bed", fixed=True)
    origin, bar = model.point("origin", (0, 0), fixed=True), model.point("bar", (0, 0))
    model.add(Body("mass", bar, bed, mass=3.0))
    model.add(Slide("guide", origin, bed, bar, axis=(1, 0))).displacement.dof(
        "x", "v", rate_start=rate
    )
    lever, shoe, end = (
        model.angle("lever"),
        model.point("shoe", (0.3, 0)),
        model.point("end", (1, 0)),
    )
    model.add(RigidLink("arm", pivot, lever, shoe, offset=(0.3, -0.1)))
    model.add(RigidLink("handle", pivot, lever, end, offset=(1.0, -0.1)))
    contact = model.add(Slide("contact", bar, bed, shoe, axis=(1, 0)))
    model.force(end, (0, -50.0))
    model.output("load", model.add(Friction("lining", contact, coefficient=coefficient)).load)
    return model


@pytest.mark.parametrize("way", [1, -1])
def test_short_shoe_brake(way: int) -> None:
    """N (b ∓ μ c) = F a, with the bar towards the pivot or away from it."""
    acceleration, found = started(brake(0.5, way * 2.0))
    normal = 50.0 * 1.0 / (0.3 + way * 0.5 * 0.1)
    assert found["load"] == pytest.approx(normal, rel=1e-10)
    assert acceleration == pytest.approx(-way * 0.5 * normal / 3.0, rel=1e-10)


@pytest.mark.heavy
def test_brake_jams() -> None:
    """At b = μ c it locks itself: no sliding force is in balance."""
    _, found = started(brake(2.999, -2.0))
    assert found["load"] == pytest.approx(50.0 / (0.3 - 0.2999), rel=1e-9)
    for coefficient in (3.0, 3.001, 4.0):
        with pytest.raises(ConfigurationError, match="friction lining of slide contact"):
            started(brake(coefficient, -2.0))


def wagon(rate: float, swapped: bool, sided: bool = True) -> Model:
    """A pendulum whose pin is fixed to a mass that slides."""
    model = Model("wagon", gravity=(0, -GRAVITY))
    origin, bed = model.point("origin", (0, 0), fixed=True), model.angle("bed", fixed=True)
    pin, turned = model.point("pin", (0, 0)), model.angle("turned", 0.4)
    bob = model.point("bob", (0.7 * sin(0.4), -0.7 * cos(0.4)))
    model.add(Slide("slide", origin, bed, pin, axis=(1, 0))).displacement.prescribe(0.0)
    model.add(Body("wagon", pin, bed if sided else None, mass=3.0))
    model.add(RigidLink("rod", pin, turned, bob, offset=(0, -0.7)))
    model.add(Body("mass", bob, mass=2.0))
    hinge = model.add(PlanarHinge("hinge", *((turned, bed) if swapped else (bed, turned))))
    hinge.angle.dof("angle", "rate", start=-0.4 if swapped else 0.4, rate_start=rate)
    friction = model.add(Friction("friction", hinge, radius=0.1, coefficient=0.5, at=pin))
    model.output("load", friction.load)
    return model


def test_a_pin_has_two_sides() -> None:
    """The order of the hinge does not matter; what is at the pin is on one of its sides."""
    one, other = (started(wagon(way, way < 0)) for way in (1.0, -1.0))
    assert one[1]["load"] == pytest.approx(other[1]["load"], rel=1e-12)
    assert one[0] == pytest.approx(-other[0], rel=1e-12)
    with pytest.raises(ModelError, match="body wagon at pin belongs to neither bed nor turned"):
        wagon(1.0, False, sided=False).equations()


@pytest.mark.parametrize("swapped", [False, True])
def test_a_pin_at_the_ground(swapped: bool) -> None:
    """A hanging rod at rest pulls with its weight, whichever side of its hinge comes first."""
    model = Model("rod", gravity=(0, -GRAVITY))
    pivot, turned = model.point("pivot", (0, 0), fixed=True), model.angle("turned")
    bob, frame = model.point("bob", (0, -0.7)), model.angle("frame", fixed=True)
    model.add(RigidLink("rod", pivot, turned, bob, offset=(0, -0.7)))
    model.add(Body("mass", bob, mass=2.0))
    hinge = model.add(PlanarHinge("hinge", *((turned, frame) if swapped else (frame, turned))))
    hinge.angle.dof("angle", "rate")
    model.output("load", model.add(Friction("pin", hinge, radius=0.1, coefficient=0.3)).load)
    assert started(model)[1]["load"] == pytest.approx(2.0 * GRAVITY, rel=1e-12)
