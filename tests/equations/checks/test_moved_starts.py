"""Starts that constraints move: told by node, distance, place and constraint; no rounding."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

from mbcore import (
    Body,
    Hinge,
    Model,
    ModelWarning,
    PlanarHinge,
    RigidLink,
    Speed,
    Wheel,
    simulate,
)

RADIUS = 0.5


def told(model: Model, roles: str = "given") -> list[str]:
    """What the equations of a model warn of."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model.equations(roles)  # type: ignore[arg-type]
    return [str(warning.message) for warning in found]


def disk(height: float, size: float = 1.0) -> Model:
    """A wheel whose centre is given at a height, in parts of a size, as all lengths are."""
    model = Model("disk", gravity=(0, 0, -9.81))
    yaw, lean, body = (model.rotation(name) for name in ("yaw", "lean", "body"))
    centre = model.point("centre", (0, 0, size * height))
    contact = model.point("contact", (0, 0, 0))
    model.add(Hinge("yaw hinge", model.ground, yaw, axis=(0, 0, 1))).angle.dof("psi")
    model.add(Hinge("lean hinge", yaw, lean, axis=(1, 0, 0))).angle.dof("phi")
    model.add(Hinge("axle", lean, body, axis=(0, 1, 0))).angle.dof("theta")
    model.add(Wheel("wheel", centre, body, contact, radius=size * RADIUS))
    contact.x.kinematic("x")
    contact.y.kinematic("y")
    model.add(Body("disk", centre, body, mass=1.0, inertia=(0.1, 0.2, 0.1)))
    model.output("height", centre.z.value, unit="m")
    return model


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_a_wheel_above_its_ground_is_named_with_its_way_down(size: float) -> None:
    (message,) = told(disk(0.7, size))
    assert message.startswith("disk: not all nodes can start where they are given: centre, given")
    high, moved, low = (f"{size * part:.6g}" for part in (0.7, 0.2, 0.5))
    assert f"at (0, 0, {high}), is moved by {moved} m to (0, 0, {low}), by wheel.radial" in message
    assert "give starts that fit to 1 %, or none for nodes that follow" in message


def test_what_is_told_is_where_the_motion_starts() -> None:
    with pytest.warns(ModelWarning, match=r"to \(0, 0, 0.5\)"):
        equations = disk(0.7).equations()
    run = simulate(equations, until=1e-3, backend="python")
    assert run["height"][0] == pytest.approx(RADIUS, abs=1e-12)


@pytest.mark.parametrize("height", [0.5, 0.504])
def test_rounding_is_not_told(height: float) -> None:
    assert not told(disk(height))


def arm(
    tip: tuple[float, float] = (1.0, 0.0),
    role: Callable[[PlanarHinge], object] = lambda hinge: hinge.angle.dof("q"),
    turned: float = 0.0,
) -> Model:
    """A rod of 1 m about the origin."""
    model = Model("arm")
    pivot, rod = model.point("pivot", (0, 0), fixed=True), model.angle("rod", turned)
    end = model.point("tip", tip)
    role(model.add(PlanarHinge("joint", model.angle("frame", fixed=True), rod)))
    model.add(RigidLink("link", pivot, rod, end, offset=(1.0, 0.0)))
    model.add(Body("mass", end, mass=1.0))
    return model


def test_a_place_that_is_not_given_is_not_told() -> None:
    assert not told(arm((0.0, 0.0)))


def test_a_default_start_that_moves_nodes_is_told() -> None:
    (message,) = told(arm((0.0, 1.0), turned=np.pi / 2))
    assert "rod, given at 1.5708, is moved by 1.57 rad to 0, by joint.angle, which" in message
    assert "starts at 0 as none is given" in message
    assert "tip, given at (0, 1), is moved by 1.41 m to (1, 0)" in message


@pytest.mark.parametrize(
    "role",
    [
        lambda hinge: hinge.angle.dof("q", start=0.6),
        lambda hinge: hinge.angle.prescribe(0.4),
        lambda hinge: hinge.angle.rigid(0.4),
    ],
)
def test_starts_that_are_given_by_themselves_move_nodes_as_intended(
    role: Callable[[PlanarHinge], object],
) -> None:
    assert not told(arm(role=role))


def test_chosen_roles_start_where_the_nodes_are() -> None:
    turned = 0.3
    tip = (float(np.cos(turned)), float(np.sin(turned)))
    released = arm(tip, lambda hinge: hinge.angle.release(), turned)
    assert not told(released, "auto")


def test_a_place_by_parameters_under_a_default_start_is_told() -> None:
    model = Model("slider")
    place = model.point("place", (model.parameter("far", 2.0, unit="m"), 0.0))
    place.y.fix()
    place.x.dof("x")
    model.add(Body("mass", place, mass=1.0))
    (message,) = told(model)
    assert "place, given at 2, is moved by 2 m to 0, by place.x, which starts at 0" in message


def test_a_loop_that_does_not_close_names_a_link_of_it() -> None:
    """Two links of 2 m over a base of 3 m meet at sqrt(4 - 1.5²) m, not at 2 m."""
    model = Model("roof")
    apex = model.point("apex", (1.5, 2.0))
    for name, foot, way in (("west", 0.0, 1), ("east", 3.0, -1)):
        turn = model.angle(name, way * 0.9)
        end = model.point(f"{name} foot", (foot, 0), fixed=True)
        model.add(RigidLink(f"{name} link", end, turn, apex, offset=(way * 2.0, 0)))
    model.add(Body("mass", apex, mass=1.0))
    (message,) = told(model)
    height = np.sqrt(4 - 1.5**2)
    assert (
        f"apex, given at (1.5, 2), is moved by {2 - height:.3g} m to (1.5, {height:.6g}), by"
        in message
    )


def test_rates_that_a_held_slip_changes_are_told() -> None:
    """Cars of 1 and 2 kg at 3 m/s and rest, coupled: both go at 1 m/s."""
    model = Model("train")
    cars = []
    for name, mass, speed in (("first", 1.0, 3.0), ("second", 2.0, 0.0)):
        car = model.point(name)
        car.y.fix()
        car.x.dof(name, f"{name}.speed", rate_start=speed)
        cars.append(car)
        model.add(Body(f"{name} body", car, mass=mass))
    model.add(Speed("coupler", cars[0].x.rate - cars[1].x.rate)).slip.hold()
    equations = model.equations()
    with pytest.warns(ModelWarning, match="train: the start is changed by coupler.slip") as found:
        run = simulate(equations, until=0.1, max_step=0.1, backend="python")
    assert "first.speed from 3 to 1, second.speed from 0 to 1;" in str(found[0].message)
    assert len(found) == 1
    assert run["second.speed"][0] == pytest.approx(1.0, rel=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulate(equations, until=0.1, max_step=0.1, start={"second.speed": 3.0}, backend="python")
