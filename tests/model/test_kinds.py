"""Truth values, whole numbers and choices: parameters, inputs and outputs in simulations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Equations,
    InputTable,
    Item,
    Model,
    ModelError,
    ModelWarning,
    linearize,
    read_inputs,
    simulate,
    simulate_many,
)
from tests.model.carts import PLACE, ROWS, SPEED, model


@pytest.fixture(scope="module")
def cart() -> Equations:
    return model().equations()


PULLS: list[tuple[dict[str, Any], dict[str, Any], float]] = [
    ({}, {}, 1.0),
    ({"strong": True}, {}, 3.0),
    ({"strong": "true", "motors": 2}, {"gear": 2, "times": 4}, 48.0),
    ({"strong": 0.0, "side": "rear"}, {"gear": "second"}, -2.0),
    ({"side": 3}, {}, 0.0),
    ({"strong": np.True_}, {"on": False}, 0.0),
]
"""Parameters, inputs, and the force, N, that moves 1 kg."""


@pytest.mark.parametrize("case", range(len(PULLS)))
def test_values_choose_the_force(case: int, cart: Equations) -> None:
    parameters, inputs, force = PULLS[case]
    run = simulate(cart, 1.0, parameters=parameters, inputs=inputs, backend="python")
    assert run["x"][-1] == pytest.approx(force / 2, abs=1e-12)
    assert run["force"][0] == force
    assert run["pulls"][-1] == (inputs.get("on", True) is True)


def test_inputs_over_time_are_held_from_row_to_row(cart: Equations, tmp_path: Path) -> None:
    (tmp_path / "inputs.csv").write_text(ROWS)
    table = read_inputs(tmp_path / "inputs.csv", cart)
    run = simulate(cart, 2.0, inputs=table, backend="python")
    assert [run["v"][-1], run["x"][-1]] == pytest.approx([SPEED, PLACE], abs=1e-12)
    # 1 N, of the whole second behind the jump 2 N
    calls = {"on": lambda t: t >= 1.0, "times": 2}
    run = simulate(cart, 2.0, inputs=calls, breaks=[1.0], backend="python")
    assert run["v"][-1] == pytest.approx(2.0, abs=1e-12)


def test_columns_of_truths_are_held_without_being_named(cart: Equations) -> None:
    """1 N until 1 s, then nothing, then 1 N again from 2 s: v(3) = 2 m/s."""
    truths = [True, False, True, True]
    for column in (truths, np.array(truths)):
        table = InputTable([0, 1, 2, 3], {"on": column})
        run = simulate(cart, 3.0, inputs=table.begun_at(0.0), backend="python")
        assert run["v"][-1] == pytest.approx(2.0, abs=1e-12)
    table = InputTable([0, 1, 2], {"gear": [1, 2, 2]}, holds=["gear"])
    run = simulate(cart, 2.0, inputs=table, backend="python")
    assert run["v"][-1] == pytest.approx(3.0, abs=1e-12)  # 1 N, then 2 N
    with pytest.raises(ModelError, match=r"gear is 'first' in row 2; give numbers, .*read_inputs"):
        InputTable([0, 1], {"gear": [1, "first"]})


@pytest.mark.heavy
def test_many_runs_take_values_of_each_type(cart: Equations) -> None:
    runs = simulate_many(
        cart, 1.0, parameters={"strong": [True, False], "side": ["rear", "front"]},
        inputs={"gear": ["first", "second"], "on": True}, backend="python",
    )  # fmt: skip
    np.testing.assert_allclose(runs["v"][:, -1], [-3.0, 2.0], atol=1e-12)
    with pytest.raises(ModelError, match=r"parameter strong = 0\.5: give true or false"):
        simulate_many(cart, 1.0, parameters={"strong": np.array([0.5, 1.0])}, backend="python")


def test_a_filter_makes_a_switch_soft() -> None:
    """Behind a step it is 1 - (1 + t / T) exp(-t / T), as the filter of any input."""
    made = Model("soft")
    made.input("on", False)
    made.output("share", made.filtered("on", 0.1))
    run = simulate(
        made.equations(), 0.4, inputs={"on": lambda t: t >= 0.1}, breaks=[0.1], backend="python",
        rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    assert run["share"][-1] == pytest.approx(1 - 4 * np.exp(-3), abs=1e-8)


WRONG: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "parameter strong = 2: give true or false": ({"strong": 2}, {}),
    "parameter strong = 'yes': give true or false": ({"strong": "yes"}, {}),
    "parameter motors = 1.5: must be a whole number": ({"motors": 1.5}, {}),
    "parameter motors = True: give a number": ({"motors": True}, {}),
    "parameter motors = 'two': give a whole number": ({"motors": "two"}, {}),
    "parameter motors = 0.0: must be a finite number of at least 1": ({"motors": 0}, {}),
    "parameter side = 'top': give one of rear, front, none": ({"side": "top"}, {}),
    "input on = 0.5: give true or false": ({}, {"on": lambda t: 0.5}),
    "input gear = 'third': give one of first, second": ({}, {"gear": "third"}),
    "input gear = 3.0: must be a finite number from 1 to 2": ({}, {"gear": 3}),
    "parameter side = 0.0: .* from 1 to 3: 1 for rear, 2 for front, 3 for": ({"side": 0}, {}),
    "input gear = 7.0: must be": ({}, InputTable([0, 1], {"gear": [1, 7]}, holds=["gear"])),
    "input on is a boolean and has no value between": ({}, InputTable([0, 1], {"on": [0, 1]})),
}


@pytest.mark.parametrize("message", WRONG)
def test_values_of_another_type_are_refused(message: str, cart: Equations) -> None:
    parameters, inputs = WRONG[message]
    with pytest.raises(ModelError, match=message):
        simulate(cart, 1.0, parameters=parameters, inputs=inputs, backend="python")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time,on\n0,yes\n", "line 2: on = 'yes'; give true or false"),
        ("time,gear\n0,third\n", "line 2: gear = 'third'; give one of first, second"),
        ("time,times\n0,1.5\n", "line 2: times = '1.5'; give a whole number"),
    ],
)
def test_cells_of_another_type_are_refused(
    text: str, message: str, cart: Equations, tmp_path: Path
) -> None:
    (tmp_path / "inputs.csv").write_text(text)
    with pytest.raises(ModelError, match=message):
        read_inputs(tmp_path / "inputs.csv", cart)


def test_a_whole_number_beyond_its_limit_acts_as_that(cart: Equations) -> None:
    with pytest.warns(
        ModelWarning, match="input times = 9 at t = 0 is above its range and acts as"
    ):
        run = simulate(cart, 1.0, inputs={"times": 9}, backend="python")
    assert run["force"][-1] == 5.0


def test_a_choice_has_no_slope(cart: Equations) -> None:
    """A whole number has the slope that it has as a factor: 6 N for one more."""
    given = {"gear": "second"}, {"strong": True}
    found = linearize(cart, inputs=given[0], parameters=given[1], unsteady=True)
    assert [record.name for record in cart.inputs] == ["on", "gear", "times"]
    np.testing.assert_array_equal(found.input_matrix[0], [0.0, 0.0, 6.0])


DECLARED: dict[str, Callable[[Model], Any]] = {
    "parameter a = 'text' is a text, but variables are numbers; for a choice": (
        lambda m: m.parameter("a", "text")
    ),
    "parameter a = True: unit = 'm'; one that is boolean has no": (
        lambda m: m.parameter("a", True, unit="m")
    ),
    "parameter a is True or False, so it has no range": (
        lambda m: m.parameter("a", True, minimum=0)
    ),
    "parameter a = 2.5, of the kind integer; give a whole": (
        lambda m: m.parameter("a", 2.5, kind="integer")
    ),
    "parameter a = 2147483648: integers have 32 bits": (
        lambda m: m.parameter("a", 2**31, kind="integer")
    ),
    "parameter a: tunable = True; one that is boolean": (
        lambda m: m.parameter("a", True, tunable=True)
    ),
    "parameter a = 1, of the kind boolean; give True": lambda m: m.parameter(
        "a", 1, kind="boolean"
    ),
    "parameter a = True, of the kind real; give a number": (
        lambda m: m.parameter("a", True, kind="real")
    ),
    "parameter a: kind = 'string' is unknown": lambda m: m.parameter("a", 1, kind="string"),
    "parameter a = 'c': give one of b, d": lambda m: m.enumeration("a", ("b", "d"), start="c"),
    "parameter a = 3.0: must be a finite number from 1": (
        lambda m: m.enumeration("a", ("b", "d"), start=3)
    ),
    "parameter a: two items are called 'b'; names must": lambda m: m.enumeration("a", ("b", "b")),
    "input a: two items are called 'b'": lambda m: m.input("a", items=("b", Item("b"))),
    "select: 1 value for the 2 items of a, b, d; give one for each": (
        lambda m: m.select(m.enumeration("a", ("b", "d")), 1.0)
    ),
    "select: 3 values for the 2 items of a, b, d": (
        lambda m: m.select(m.input("a", items=("b", "d")), 1.0, 2.0, 3.0)
    ),
    r"select: a is true or false .* use casadi\.if_else": (
        lambda m: m.select(m.parameter("a", False), 1.0, 2.0)
    ),
    "select: number = 3 with 2 values; give the symbol": lambda m: m.select(3.0, 1.0, 2.0),
    "select: number = 1.5 with 2 values": lambda m: m.select(ca.SX(1.5), 1.0, 2.0),
    "input a = 'c': give one of b, d": lambda m: m.input("a", "c", items=("b", "d")),
    "input a = 3: give one of b, d": lambda m: m.input("a", 3, items=("b", "d")),
    "input a = 0: give one of b, d": lambda m: m.input("a", 0, items=("b", "d")),
    "input a = 0.0: give one of b, d": lambda m: m.input("a", 0.0, items=("b", "d")),
    "input a = '': give one of b, d": lambda m: m.input("a", "", items=("b", "d")),
    "parameter a = 0": lambda m: m.enumeration("a", ("b", "d"), start=0),
    "input a: d is not available": lambda m: m.input("a", items=("b", Item("d", available=False))),
    "input a: rate = .*; one that is boolean has none": (
        lambda m: m.input("a", True, rate=m.input("b"))
    ),
    "output a = 0.5, of the kind boolean; give 0 or 1": (
        lambda m: m.output("a", 0.5, kind="boolean")
    ),
    "output a = 2.5, of the kind integer; give a whole": (
        lambda m: m.output("a", 2.5, kind="integer")
    ),
    "output a = 3 is not the number of an item; give 1 to 2": (
        lambda m: m.output("a", 3, items=("b", "d"))
    ),
    "output a is a choice among items, which has no unit": (
        lambda m: m.output("a", 1.0, items=("b", "d"), unit="m")
    ),
}


@pytest.mark.parametrize("message", DECLARED)
def test_what_no_variable_is_is_refused_by_name(message: str) -> None:
    with pytest.raises(ModelError, match=message):
        DECLARED[message](Model("any"))


def test_an_expression_chooses_by_its_number() -> None:
    made = Model("any")
    gear = made.parameter("gear", 1, kind="integer")
    chosen = ca.Function("chosen", [gear], [made.select(4 - gear, 10.0, 20.0, 30.0)])
    assert [float(chosen(number)) for number in (1, 2, 3)] == [30.0, 20.0, 10.0]
