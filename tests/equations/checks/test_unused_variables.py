"""Inputs, parameters and states that nothing uses: one warning by name, no key and no slider."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable

import numpy as np
import pytest

from mbcore import Model, ModelWarning, simulate
from mbcore.cli.definitions import definitions
from mbcore.codegen.dependencies import dependencies
from mbcore.elements import Body
from mbcore.fmi.component import Component
from mbcore.fmi.description.variables import variables
from mbcore.fmi.page_settings import Page
from mbcore.model.shapes.shapes import box
from mbcore.page import table

SHIPPED = sorted(definitions())


def cart(name: str = "cart") -> Model:
    """A mass of 2 kg on a line, by itself."""
    model = Model(name)
    model.add(Body("box", model.point("box"), mass=2.0))
    model.nodes["box"].y.fix()
    model.nodes["box"].x.dof("x", "v")
    return model


def told(model: Model) -> list[str]:
    """What the equations of a model warn of."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model.equations()
    return [str(warning.message) for warning in found]


def test_what_nothing_uses_is_named_once_with_its_kind() -> None:
    model = cart()
    model.input("push", unit="N")
    model.parameter("drag", 0.5, unit="N.s/m")
    model.enumeration("gear", ["low", "high"])
    model.state("forgotten", start=1.0)
    (message,) = told(model)
    assert message.startswith(
        "cart: nothing uses the parameters drag, gear, the input push, the state forgotten, "
    )
    assert "write them into a law, a load, a motion or an output" in message
    assert 'visibility="output"' in message


def test_a_forgotten_law_leaves_the_cart_where_it_is() -> None:
    forgotten, written = cart(), cart()
    for model in (forgotten, written):
        push = model.input("push", 4.0, unit="N")
        if model is written:
            model.nodes["box"].x.law(-push)
    with pytest.warns(ModelWarning, match="cart: nothing uses the input push, so that its values"):
        equations = forgotten.equations()
    assert equations.unused == ("push",)
    assert simulate(equations, until=1.0, backend="python")["x"][-1] == 0.0
    assert not told(written)
    ran = simulate(written.equations(), until=1.0, backend="python")
    np.testing.assert_allclose(ran["x"][-1], 4.0 / 2.0 / 2, rtol=1e-9)  # F t^2 / (2 m)


def _law(model: Model, symbol: object) -> None:
    model.nodes["box"].x.law(symbol)


def _actuator(model: Model, symbol: object) -> None:
    lag = model.state("lag", 10.0 * symbol)
    model.nodes["box"].x.law(-lag)


def _start(model: Model, symbol: object) -> None:
    model.point("mark", (symbol, 0.0), fixed=True)


USES: dict[str, Callable[[Model, object], None]] = {
    "law": _law,
    "output": lambda model, symbol: model.output("seen", 2 * symbol),
    "requirement": lambda model, symbol: model.require("enough", symbol + 5 > 0, "too little"),
    "shown alone": lambda model, symbol: model.require(
        "far", model.nodes["box"].x.value + 9, "too far", shown=symbol
    ),
    "event": lambda model, symbol: model.event("passing", model.time - symbol),
    "actuator": _actuator,
    "state that is seen": lambda model, symbol: model.state("work", symbol, visibility="output"),
    "result of the motion": lambda model, symbol: model.state(
        "work", symbol * model.nodes["box"].x.rate
    ),
    "result of a result": lambda model, symbol: model.state(
        "twice", model.state("once", model.nodes["box"].x.value) + symbol
    ),
    "rigid value": lambda model, symbol: model.nodes["box"].y.release().rigid(symbol),
    "shape alone": lambda model, symbol: model.show(
        box((0.0, 0.0, 0.0), None, (symbol, 1.0, 1.0)), at=model.nodes["box"]
    ),
    "place": _start,
}


@pytest.mark.parametrize("use", USES)
def test_what_anything_uses_is_not_named(use: str) -> None:
    model = cart()
    USES[use](model, model.parameter("size", 0.5))
    assert not told(model)


def test_an_input_whose_actuator_is_forgotten_is_unused_too() -> None:
    model = cart()
    push = model.input("push", unit="N")
    model.state("lag", (push - model.parameter("least", 1.0)) / 0.1)
    (message,) = told(model)
    assert "the parameter least, the input push, the state lag" in message


def test_the_states_of_a_model_without_nodes_are_its_results() -> None:
    model = Model("lag")
    command = model.input("command")
    model.state("lag", command - model.parameter("least", 0.0))
    assert not told(model)


def test_a_filter_whose_value_is_forgotten_is_named_with_its_input() -> None:
    model = cart()
    model.input("steer", unit="rad")
    model.filtered("steer", 0.1)
    (message,) = told(model)
    assert "the input steer, the states steer_filtered, steer_filtered_rate" in message


def test_a_rate_belongs_to_its_input() -> None:
    model = cart()
    acceleration = model.input("acceleration", unit="m/s2")
    speed = model.input("speed", unit="m/s", rate=acceleration)
    place = model.input("place", unit="m", rate=speed)
    model.nodes["box"].y.release().prescribe(place)
    assert not told(model)


def test_no_dependency_no_slider_and_no_key_for_what_nothing_uses() -> None:
    model = cart()
    model.input("push", unit="N")
    pull = model.input("pull", unit="N")
    model.parameter("drag", 0.5)
    model.nodes["box"].x.law(pull)
    with pytest.warns(ModelWarning, match="parameter drag, the input push"):
        equations = model.equations()
    component = Component("cart", "a cart", equations)
    rows = variables(component)
    found = table.described(rows, Page(), {"pull": 1.0, "push": 1.0}, equations.unused)
    names = {row["name"] for row in found}
    assert "pull" in names and not names & {"push", "drag"}
    keys = table.keys(Page(), found)
    assert {name for effect in keys.values() for name in effect} == {"pull"}
    unused = {rows.named(name).reference for name in ("push", "drag")}
    known = dependencies(equations, rows)
    for of in (*known.running.values(), *known.initial.values()):
        assert not unused & set(of)


@pytest.mark.heavy
@pytest.mark.parametrize("name", SHIPPED)
def test_no_shipped_model_has_what_nothing_uses(name: str) -> None:
    module = importlib.import_module(f"mbcore.fmus.{name}")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelWarning)
        assert module.component().equations.unused == ()
