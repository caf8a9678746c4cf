"""Changes of a model after its equations were made: each is noticed, and what is none is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mbcore import Body, Equations, Model, ModelError, Truss


def pendulum() -> tuple[Model, Equations]:
    """Return a pendulum on a spring, and its equations."""
    model = Model("pendulum", gravity=(0, -9.81))
    support, bob = model.point("support", fixed=True), model.point("bob", (1, 0))
    rod = model.add(Truss("rod", support, bob))
    rod.elongation.release().spring(100.0)
    bob.x.dof("x", "v_x", 1.0)
    bob.y.dof("y", "v_y", 0.0)
    model.add(Body("bob mass", bob, mass=model.parameter("m", 1.0, unit="kg")))
    return model, model.equations()


CHANGES: dict[str, Callable[[Model], object]] = {
    "gravity": lambda m: setattr(m, "gravity", None),
    "a force": lambda m: m.force(m.nodes["bob"], (1.0, 0.0)),  # type: ignore[arg-type]
    "another law on a deformation": lambda m: m.elements["rod"].deformations["elongation"].law(1.0),
    "a law less": lambda m: m.elements["rod"].deformations["elongation"].laws.clear(),
    "a role": lambda m: m.nodes["bob"].quantities[0].release(),  # type: ignore[attr-defined]
    "a start": lambda m: setattr(m.nodes["bob"].quantities[0], "start", 2.0),
    "an output": lambda m: m.output("height", m.nodes["bob"].y.value, unit="m"),  # type: ignore[attr-defined]
    "a parameter": lambda m: m.parameter("n", 1.0),
    "a requirement": lambda m: m.require("low", 1 - m.nodes["bob"].y.value, "lower it"),  # type: ignore[attr-defined]
    "an element's number": lambda m: setattr(m.elements["bob mass"], "mass", 2.0),
    "an attribute less": lambda m: delattr(m.elements["bob mass"], "mass"),
    "an element less": lambda m: m.elements.pop("bob mass"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_refused(name: str) -> None:
    model, equations = pendulum()
    equations.refuse_stale()
    CHANGES[name](model)
    assert not equations._watched.is_same()
    with pytest.raises(ModelError, match="was changed after these equations were made"):
        equations.refuse_stale()
    with pytest.raises(ModelError, match="was changed after"):  # and refused again
        equations.refuse_stale()


def test_what_enters_no_equations_is_no_change() -> None:
    model, equations = pendulum()
    model.elements["rod"].visible = False
    equations.refuse_stale()
    assert equations._watched.is_same()  # and is looked at in full only once


def test_changes_of_other_models_are_none() -> None:
    _, equations = pendulum()
    other, others = pendulum()
    other.elements["bob mass"].mass = 2.0
    equations.refuse_stale()
    with pytest.raises(ModelError, match="body bob mass"):
        others.refuse_stale()
    other.nodes["bob"].quantities[0].start = 1.0  # type: ignore[attr-defined]
    equations.refuse_stale()
