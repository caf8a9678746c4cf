"""Degrees of freedom without mass: refused by whatever needs accelerations, served at rest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mbcore import ConfigurationError, Model, equilibrium, linearize, simulate
from mbcore.elements import Body, PlanarHinge, RigidLink
from mbcore.fmi import export
from tests.conftest import Tools

SPRING = 20.0


def spring_only(mass: float | None = None) -> Model:
    """A point on a spring that gravity does not pull, because it has no mass."""
    model = Model("spring", gravity=(0, -9.81))
    p = model.point("p", (0.0, 0.0))
    p.x.fix()
    p.y.dof("y", "y_rate")
    p.y.law(SPRING * (p.y.value + 0.25))
    if mass is not None:
        model.add(Body("load", p, None, mass=model.parameter("mass", mass, minimum=0.0)))
    return model


def two_hinges_on_one_axis(inertia: float) -> Model:
    """Two arms in series, of which only the second has inertia: the first has none of its own."""
    model = Model("series")
    ground, a, b = model.angle("wall", fixed=True), model.angle("a"), model.angle("b")
    for name, p, q in (("first", ground, a), ("second", a, b)):
        hinge = model.add(PlanarHinge(f"{name}.hinge", p, q))
        hinge.angle.dof(name, f"{name}.rate")
        hinge.angle.law(SPRING * hinge.angle.value)
    tip = model.point("tip", (1.0, 0.0))
    model.add(RigidLink("arm", model.point("pivot", fixed=True), b, tip))
    model.add(Body("end", tip, b, mass=inertia, inertia=inertia))
    model.moment(b, 1.0)
    return model


CASES: list[tuple[Callable[[], Model], str]] = [
    (spring_only, "y_rate"),
    (lambda: spring_only(0.0), "y_rate"),  # a force over a mass that cancels
    (lambda: two_hinges_on_one_axis(0.7), "first.rate, second.rate"),
]


@pytest.mark.parametrize(("make", "names"), CASES)
def test_what_needs_accelerations_refuses_by_name(
    make: Callable[[], Model], names: str, tmp_path: Path, tools: Tools
) -> None:
    equations = make().equations()
    said = f"singular, no mass moves with {names}; give it mass or inertia.*equilibrium"
    with pytest.raises(ConfigurationError, match=said):
        simulate(equations, 1.0)
    with pytest.raises(ConfigurationError, match=said):
        linearize(equations)
    with pytest.raises(ConfigurationError, match=said):
        linearize(equations, motion="held").eigenvalues()
    with pytest.raises(ConfigurationError, match=said):
        linearize(equations, motion="held").modes()
    with pytest.raises(ConfigurationError, match=said):
        export(equations, tmp_path, tools=tools)
    assert not list(tmp_path.rglob("*.fmu"))


def test_parameter_that_takes_the_mass_away_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"no mass moves with y_rate \(mass set to 0\);"):
        simulate(spring_only(1.0).equations(), 1.0, parameters={"mass": 0.0})


def test_equilibrium_serves_it() -> None:
    assert equilibrium(spring_only().equations()).states["y"] == pytest.approx(-0.25, abs=1e-14)
    found = equilibrium(two_hinges_on_one_axis(0.7).equations()).states
    assert [found["first"], found["second"]] == pytest.approx([1 / SPRING] * 2, rel=1e-12)
    held = linearize(spring_only().equations(), motion="held")
    assert held.K_d == pytest.approx(np.array([[SPRING]]))


def test_a_small_mass_is_a_mass() -> None:
    run = simulate(spring_only(1e-9).equations(), 1e-4, rtol=1e-10)
    place = -0.25 - 1e-9 * 9.81 / SPRING
    omega = np.sqrt(SPRING / 1e-9)
    expected = place * (1 - np.cos(omega * run.time))
    assert run["y"] == pytest.approx(expected, abs=1e-8)
