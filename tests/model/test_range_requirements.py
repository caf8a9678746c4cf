"""Ranges of expressions of parameters hold for the values that a run is given too.

The numbers are those that a wrong sign makes: each would run away without a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import casadi as ca
import pytest

from mbcore import Body, LinearTyre, Model, SimulationError, Tyre, Wheel, simulate
from mbcore.elements.wheels.thick_wheel import ThickWheel
from mbcore.model.interface.range_requirements import range_requirements


def mass(model: Model, value: ca.SX) -> None:
    """Let a mass fall."""
    point = model.point("p", (0, 0))
    point.x.fix()
    point.y.dof("height", "fall")
    model.add(Body("b", point, mass=value))


def inertia(model: Model, value: ca.SX) -> None:
    """Let a disk turn."""
    angle = model.angle("a")
    angle.angle.dof("turn", "spin")
    model.add(Body("b", None, angle, inertia=value))


def filtered(model: Model, value: ca.SX) -> None:
    """Let a filter follow an input with twice a parameter as time constant."""
    mass(model, ca.SX(1))
    model.input("u")
    model.filtered("u", 2 * value)


def damped(model: Model, value: ca.SX) -> None:
    """Let a filter follow an input with a parameter as damping."""
    mass(model, ca.SX(1))
    model.input("u")
    model.filtered("u", 1.0, damping=value)


def tensor(model: Model, value: ca.SX) -> None:
    """Give a free body the product of inertia ``value - 1``, with moments 1, 1 and 1 kg.m2."""
    spatial(model, [[1, value - 1, 0], [value - 1, 1, 0], [0, 0, 1]])


def moments(model: Model, value: ca.SX) -> None:
    """Give a free body three principal moments."""
    spatial(model, [1, value, 1])


def spatial(model: Model, given: list) -> None:
    """Let a body turn freely in space."""
    rotation = model.rotation("R")
    rotation.free("w")
    model.add(Body("b", None, rotation, inertia=given))


CASES: dict[str, tuple[Callable[[Model, ca.SX], None], float, tuple[str, ...]]] = {
    "mass": (mass, -1.0, ("b.mass = -1", "mass, kg, of body b", "at least 0")),
    "inertia": (inertia, -3.0, ("b.inertia = -3", "kg.m2", "at least 0")),
    "time constant": (filtered, -0.05, ("u.time_constant = -0.1", "filter", "greater than 0")),
    "time constant zero": (filtered, 0.0, ("u.time_constant = 0", "greater than 0")),
    "damping": (damped, -1.0, ("u.damping = -1", "greater than 0")),
    # with the product c, the principal moments are 1 + c, 1 - c and 1: c = 2 makes one negative
    "tensor": (tensor, 3.0, ("b.inertia's least invariant = -", "no principal moment negative")),
    "moments": (moments, -0.1, ("b.inertia[1] = -0.1", "at least 0")),
}


def made(build: Callable[[Model, ca.SX], None], **declared: object) -> Model:
    """Return a model with the parameter p = 1."""
    model = Model("system")
    build(model, model.parameter("p", 1.0, **declared))
    return model


@pytest.mark.parametrize("name", CASES)
def test_a_value_out_of_range_is_refused_where_a_run_gives_it(name: str) -> None:
    build, value, says = CASES[name]
    equations = made(build).equations()
    said = "".join(f".*{re.escape(words)}" for words in says)
    with pytest.raises(SimulationError, match=f"(?s){said}"):
        simulate(equations, 0.1, parameters={"p": value}, progress=False)
    simulate(equations, 0.1, parameters={"p": 0.9}, progress=False)


@pytest.mark.parametrize("kind", [Wheel, ThickWheel])
def test_a_radius_is_asked_for_once(kind: type) -> None:
    model = Model("wheel", gravity=(0, 0, -9.81))
    radius = model.parameter("r", 1.0)
    centre = model.point("c", (0, 0, 1))
    rotation = model.rotation("R")
    crown = {"crown_radius": 0.5 * radius} if kind is ThickWheel else {}
    model.add(kind("w", centre, rotation, model.point("k", (0, 0, 0)), radius=radius, **crown))
    model.add(Body("b", centre, rotation, mass=1, inertia=(1, 1, 1)))
    equations = model.equations(roles="auto")
    assert sum(r.name == "w.radius" for r in equations.requirements) == 1
    with pytest.raises(SimulationError, match=r"w.radius = -1 .*wheel w .*greater than 0"):
        simulate(equations, 0.1, parameters={"r": -1.0}, progress=False)


def test_what_a_parameter_declares_is_not_asked_for_again() -> None:
    for build, declared, asked in (
        (mass, {"positive": True}, 0),
        (mass, {"minimum": 0.0}, 0),
        (mass, {"minimum": -1.0}, 1),
        (mass, {"maximum": 5.0}, 1),
        (filtered, {"positive": True}, 1),  # an expression of it
        (damped, {"positive": True}, 0),
        (damped, {"minimum": 0.0}, 1),  # 0 is not damping
    ):
        found = made(build, **declared).equations().requirements
        assert len([r for r in found if r.initial]) == asked, (build, declared)


def test_the_same_expression_of_several_elements_is_asked_for_once() -> None:
    model = Model("bodies")
    m = model.parameter("m", 1.0)
    for name in "abc":
        point = model.point(name, (0, 0))
        point.x.dof(f"{name}.x", f"{name}.v")
        point.y.fix()
        model.add(Body(f"body {name}", point, mass=m / 3))
    assert [r.name for r in model.equations().requirements] == ["body a.mass"]


def test_a_tyre_s_numbers_are_kept_by_its_wheel() -> None:
    model = Model("tyre")
    stiffness, damping = model.parameter("k", 1e5), model.parameter("c", 10.0, minimum=0.0)
    centre, contact = model.point("c", (0, 0, 1)), model.point("k", (0, 0, 0))
    wheel = model.add(Wheel("w", centre, model.rotation("R"), contact, radius=1))
    wheel.lateral.release()
    Tyre(wheel, LinearTyre(1e4), radial_stiffness=stiffness, radial_damping=damping)
    kept = range_requirements([("w", wheel.checks)], model.parameters)
    assert [(r.name, r.initial) for r in kept] == [("w.radial_stiffness", True)]
    assert "of tyre of wheel w" in kept[0].message
