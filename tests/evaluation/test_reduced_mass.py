"""Mass that is not finite or vanishes, and motions that nothing determines, are named."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from mbcore import (
    Body,
    ConfigurationError,
    Model,
    PlanarHinge,
    RigidLink,
    SimulationError,
    Truss,
    simulate,
)
from mbcore.evaluation.reduced_mass import refuse_singular, vanished

START, ROD = 0.5, 3.0
"""Angle, rad, of a crank of 1 m, and the length of its rod, m."""


def test_mass_that_is_not_finite_names_its_degrees_of_freedom() -> None:
    model = Model("two masses")
    for name in ("left", "right"):
        cart = model.point(name, (0, 0))
        model.add(Body(f"{name} cart", cart, None, mass=1.0))
        cart.y.fix()
        cart.x.dof(f"{name}.x")
    equations = model.equations()
    refuse_singular(np.eye(2), equations)
    with pytest.raises(SimulationError, match=r"not finite in the rows of right\.x_rate; a state"):
        refuse_singular(np.diag([1.0, np.nan]), equations)
    start = np.diag([1e-12, 1.0])  # a light part beside a heavy one has kept what it had
    assert vanished(equations, start, start) is None
    assert vanished(equations, np.full((2, 2), np.nan), start) is None
    assert "with right.x_rate any more (1e-08 of" in str(
        vanished(equations, np.diag([1e-12, 1e-8]), start)
    )


def crank() -> Model:
    """Return a crank and a rod without mass that lead a block."""
    model = Model("crank")
    origin, frame = model.point("origin", fixed=True), model.angle("frame", fixed=True)
    turned = model.angle("turned", START)
    pin = model.point("pin", (np.cos(START), np.sin(START)))
    block = model.point("block", (place(START), 0))
    hinge = model.add(PlanarHinge("hinge", frame, turned))
    model.add(RigidLink("arm", origin, turned, pin, offset=[1, 0]))
    model.add(Truss("rod", pin, block, rest_length=ROD))
    model.add(Body("mass", block, mass=2.0))
    block.y.fix()
    hinge.angle.dof("angle", "rate", START)
    model.output("place", block.position[0])
    return model


def time_of(stop: SimulationError) -> float:
    """Return the time, s, that a message names last."""
    return float(re.findall(r"t = ([\d.]*\d)", str(stop))[-1])


def place(angle: float) -> float:
    """Return where the block is, m."""
    return float(np.cos(angle) + np.sqrt(ROD**2 - np.sin(angle) ** 2))


@pytest.mark.parametrize(
    ("method", "backend"),
    [
        ("auto", "python"),
        pytest.param("Radau", "python", marks=pytest.mark.heavy),
        pytest.param("auto", "c", marks=pytest.mark.heavy),
        pytest.param("rosenbrock", "c", marks=pytest.mark.heavy),
    ],
)
def test_a_dead_centre_takes_the_mass_from_a_crank(method: str, backend: Any) -> None:
    """The block goes on at its velocity until it is at its farthest, 1 + 3 m, and cannot stop."""
    equations = crank().equations()
    velocity = np.sin(START) * (1 + np.cos(START) / np.sqrt(ROD**2 - np.sin(START) ** 2))
    ends = (1 + ROD - place(START)) / velocity
    options: dict[str, Any] = {"start": {"rate": -1.0}, "method": method, "backend": backend}
    run = simulate(equations, 0.9 * ends, samples=7, **options)
    assert run["place"] == pytest.approx(place(START) + velocity * run.time, abs=1e-7)
    with pytest.raises(SimulationError, match="hardly any mass moves with rate any more") as stop:
        simulate(equations, 2 * ends, **options)
    assert time_of(stop.value) == pytest.approx(ends, abs=1e-6)


@pytest.mark.parametrize("backend", ["python", pytest.param("c", marks=pytest.mark.heavy)])
def test_a_servo_may_take_all_the_mass_from_a_cart(backend: Any) -> None:
    """A servo moves a load of 1 kg by -x² along a cart of 1 kg at x, which does not feel its force.

    So 2 (1 - x) x'' = 2 x'², or (1 - x) x' = 1: x = 1 - sqrt(1 - 2 t), until all stops at 0.5 s.
    """
    model = Model("servo")
    cart, load = model.point("cart", (0, 0)), model.point("load", (0, 0))
    x = cart.x.dof("x", "rate")
    rail = model.add(RigidLink("rail", cart, model.angle("level", fixed=True), load, offset=[0, 0]))
    rail.deformations["x"].prescribe(-(x.value**2), servo=True)
    cart.y.fix()
    for point in (cart, load):
        model.add(Body(f"mass of {point.name}", point, mass=1.0))
    equations = model.equations()
    options: dict[str, Any] = {"start": {"rate": 1.0}, "backend": backend}
    run = simulate(equations, 0.49, samples=5, **options)
    assert run["x"] == pytest.approx(1 - np.sqrt(1 - 2 * run.time), abs=1e-7)
    with pytest.raises(SimulationError, match="hardly any mass moves with rate any more") as stop:
        simulate(equations, 1.0, **options)
    assert time_of(stop.value) == pytest.approx(0.5, abs=1e-6)
    with pytest.raises(
        ConfigurationError, match="mass matrix is singular, no mass moves with rate"
    ):
        simulate(equations, 1.0, start={"x": 1.0}, backend=backend)


@pytest.mark.parametrize("backend", ["python", pytest.param("c", marks=pytest.mark.heavy)])
def test_a_motion_that_depends_on_itself_is_stopped_where_nothing_determines_it(
    backend: Any,
) -> None:
    """A slide's rate is x times the velocity of what it moves: w = x (v + w) = x v / (1 - x).

    With v = 1 the slide is at z = -ln(1 - t) - t, and there is none at t = 1.
    """
    model = Model("own velocity")
    cart, load = model.point("cart", (0, 0)), model.point("load", (0, 0))
    x, z = cart.x.dof("x", "rate"), model.state("z", unit="m")
    rail = model.add(RigidLink("rail", cart, model.angle("level", fixed=True), load, offset=[0, 0]))
    rail.deformations["x"].prescribe(z, servo=True)
    model.derivative("z", x.value * load.velocity[0])
    cart.y.fix()
    model.add(Body("mass", cart, mass=1.0))
    equations = model.equations()
    options: dict[str, Any] = {"start": {"rate": 1.0}, "backend": backend}
    run = simulate(equations, 0.99, samples=5, **options)
    assert run["z"] == pytest.approx(-np.log1p(-run.time) - run.time, abs=1e-8)
    with pytest.raises(SimulationError, match="the motion is singular") as stop:
        simulate(equations, 2.0, **options)
    assert time_of(stop.value) == pytest.approx(1.0, abs=1e-6)
    with pytest.raises(ConfigurationError, match="derivative of z is inf at t = 0"):
        simulate(equations, 2.0, start={"rate": 1.0, "x": 1.0}, backend=backend)
