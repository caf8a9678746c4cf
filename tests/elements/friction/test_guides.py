"""Friction of guides that keep their sliders from turning: normal forces at both ends."""

from __future__ import annotations

from math import cos, hypot, sin

import numpy as np
import pytest

from mbcore import Model, prismatic, revolute, simulate
from mbcore.elements import Body, Friction, RigidLink
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ModelError

MASS, GRAVITY, SPAN, COEFFICIENT = 2.0, 9.81, 0.3, 0.25


def drawer(
    arm: tuple[float, ...],
    force: float,
    rate: float = 0.5,
    gravity: float = 0.0,
    heading: float = 0.0,
    **friction: object,
) -> Model:
    """A body in a guide along a heading, pushed along it at an arm from its centre, on its axes."""
    turn = np.array([[cos(heading), -sin(heading), 0], [sin(heading), cos(heading), 0], [0, 0, 1]])
    space = len(arm) == 3
    model = Model("drawer", gravity=(0, 0, -gravity) if space else (0, -gravity))
    way, place = turn[:, 0], turn @ [*arm, 0, 0][:3]
    if space:
        centre, turned = model.point("centre", (0, 0, 0)), model.rotation("turned")
        inertia: object = (0.1, 0.2, 0.3)
    else:
        centre, turned, inertia = model.point("centre", (0, 0)), model.angle("turned"), 0.1
        way, place = way[:2], place[:2]
    body = model.add(Body("body", centre, turned, mass=MASS, inertia=inertia))
    handle = model.point("handle", place)
    model.add(RigidLink("arm", centre, turned, handle, offset=tuple(place)))
    joint = prismatic("guide", model, body, axis=tuple(way))
    joint.displacement.dof("x", "v", rate_start=rate)
    model.force(handle, tuple(force * way))
    given = {"span": SPAN, "coefficient": COEFFICIENT, **friction}
    rubbing = model.add(Friction("rubbing", joint, **given))
    model.output("load", rubbing.load)
    return model


def started(model: Model) -> tuple[float, float]:
    """Return the acceleration and the load at the start."""
    point = Evaluation(model.equations())
    point.start()
    return float(point.derivative()[0]), float(point.output()[0])


ARMS = [(0.0, 0.2), (0.0, -0.2, 0.0), (0.0, 0.12, -0.16)]


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("heading", [pytest.param(0.0, marks=pytest.mark.heavy), 0.7])
def test_a_guide_that_is_pushed_beside_its_axis(arm: tuple[float, ...], heading: float) -> None:
    """Each end carries F h / b, so that μ takes 2 μ F h / b of the push F."""
    force, h = 7.0, hypot(*arm)
    found, load = started(drawer(arm, force, heading=heading))
    assert load == pytest.approx(2 * force * h / SPAN, rel=1e-12)
    assert found == pytest.approx(force * (1 - 2 * COEFFICIENT * h / SPAN) / MASS, rel=1e-10)


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("force", [1.0, 1e6])
def test_it_jams_where_it_is_shorter_than_twice_the_arm_times_the_coefficient(
    space: bool, force: float
) -> None:
    """At b = 2 μ h no push moves it, however large."""
    arm = (0.0, 0.36, 0.48) if space else (0.0, 0.6)
    limit = SPAN / (2 * 0.6)
    jammed, moving = (
        started(drawer(arm, force, rate=0.0, coefficient=limit * part))[0]
        for part in (1 + 1e-10, 1 - 1e-10)
    )
    assert jammed == 0
    assert moving == pytest.approx(force * 1e-10 / MASS, rel=1e-5)
    if force == 1.0:
        equations = drawer(arm, force, 0.0, coefficient=limit * 1.001).equations()
        rests = simulate(equations, 1e3, max_step=1e3)  # no force depends on time
        assert np.ptp(rests["x"]) == 0


def test_weight_and_moments_in_both_planes() -> None:
    """Ends at ±b/2 along x, with a push at (0, y, z): forces by the balance of moments there."""
    y, z, force = 0.1, -0.15, 9.0
    _, load = started(drawer((0.0, y, z), force, gravity=GRAVITY))
    weight = MASS * GRAVITY / 2
    # the moment (0, F z, -F y) is taken by forces ±(F y, F z)/b in y and z
    ends = [hypot(force * y / SPAN, way * force * z / SPAN + weight) for way in (1, -1)]
    assert load == pytest.approx(sum(ends), rel=1e-12)


def test_a_moment_about_the_axis() -> None:
    """A push across, at an arm, is a force at the middle and a moment that the sides take."""
    model = drawer((0.0, 0.0, 0.2), 0.0, radius=0.05)
    model.force(model.nodes["handle"], (0, 5.0, 0))  # type: ignore[arg-type]
    assert started(model)[1] == pytest.approx(5.0 + 5.0 * 0.2 / 0.05, rel=1e-12)


@pytest.mark.parametrize("overhang", [0.1, 0.4])
def test_an_overhung_slider_on_a_turning_arm(overhang: float) -> None:
    """Weight and Coriolis' force act at the mass centre, in planes that turn with the arm."""
    pace, speed, start = 2.0, 0.7, 0.4
    model = Model("arm", gravity=(0, 0, -GRAVITY))
    axle, arm = model.point("axle", (0, 0, 0)), model.rotation("arm")
    beam = model.add(Body("beam", axle, arm, mass=1.0, inertia=(0.1, 0.2, 0.3)))
    turning = revolute("bearing", model, beam, at=(0, 0, 0), axis=(0, 0, 1))
    turning.angle.prescribe(start + pace * model.time)
    place, turned = model.point("place", (0.5, 0, 0)), model.rotation("turned")
    inertia = (0.1, 0.2, 0.3)
    slider = model.add(
        Body("slider", place, turned, mass=MASS, inertia=inertia, offset=(overhang, 0, 0))
    )
    joint = prismatic("guide", beam, slider, axis=(1, 0, 0))
    joint.displacement.dof("x", "v", rate_start=speed)
    rubbing = model.add(Friction("rubbing", joint, span=SPAN, coefficient=COEFFICIENT))
    model.output("load", rubbing.load)
    found, load = started(model)
    normal = MASS * hypot(GRAVITY, 2 * pace * speed)
    expected = normal * (abs(1 / 2 + overhang / SPAN) + abs(1 / 2 - overhang / SPAN))
    assert load == pytest.approx(expected, rel=1e-12)
    outwards = pace**2 * (0.5 + overhang) - COEFFICIENT * expected / MASS
    assert found == pytest.approx(outwards, rel=1e-11)


def test_mistakes() -> None:
    with pytest.raises(ModelError, match="radius is for hinges, and guides in space"):
        drawer((0.0, 0.1), 1.0, radius=0.1)
