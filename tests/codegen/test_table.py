"""The table of variables: what it refuses before anything is compiled, and what it offers."""

from __future__ import annotations

from typing import Any

import casadi as ca
import pytest

from mbcore import Body, Model, ModelError, ModelWarning, Units
from mbcore.codegen.rows import Row
from mbcore.codegen.table import Offers, table
from mbcore.contact import Impact, unilateral_contact
from mbcore.fmi import Component
from mbcore.fmi.component import Terminal
from mbcore.fmi.description.variables import variables
from mbcore.model.system import System
from tests.pendulum import pendulum


def falling() -> Model:
    """A ball that falls from 1 m, with a state that no impact changes."""
    drop = Model("drop", gravity=(0, -9.81))
    ball = drop.point("ball", (0, 1))
    ball.x.fix()
    ball.y.dof("height", "speed")
    drop.add(Body("mass", ball, mass=0.3))
    drop.state("clock", 1.0)
    unilateral_contact(drop, "floor", ball.y.value, Impact(restitution=0.7))
    drop.output("velocity", ball.y.rate, unit=Units("m/s", "km/h"), description="again")
    drop.output("weight", 0.3 * 9.81 * ca.SX(1), unit="N")
    return drop


def rows_of(model: System, **offers: Any) -> dict[str, Row]:
    equations = model.equations()
    return {row.name: row for row in table(equations, 0.01, Offers(**offers)).rows}


def test_only_what_an_impact_changes_is_reset() -> None:
    rows = rows_of(falling())
    assert {name for name, row in rows.items() if row.reset} == {"height", "speed"}


def test_descriptions_say_that_nothing_uses_a_variable() -> None:
    model = pendulum()
    with pytest.warns(ModelWarning, match="nothing uses"):
        model.parameter("spare", 1.0, description="of a spring")
        model.input("idle")
        rows = rows_of(model)
    said = {name for name, row in rows.items() if row.description.endswith("nothing uses it")}
    assert said == {"spare", "idle"}
    assert rows["spare"].description == "of a spring; nothing uses it"


@pytest.mark.parametrize(
    "sign",
    [
        "\x00",
        pytest.param("\x1b", marks=pytest.mark.heavy),
        pytest.param("\ud800", marks=pytest.mark.heavy),
        "\uffff",
    ],
)
@pytest.mark.parametrize("of", ["output", "item"])
def test_signs_that_no_xml_holds_are_refused(sign: str, of: str) -> None:
    model = pendulum()
    if of == "output":
        model.output("more", 1.0, description=f"odd {sign}")
    else:
        model.enumeration("more", [f"a{sign}b", "b"])
    with pytest.raises(ModelError, match=rf"more.*U\+{ord(sign):04X}"):
        rows_of(model)


def test_items_of_the_same_name_are_refused() -> None:
    model = pendulum()
    with pytest.raises(ModelError, match="choice: two items are called 'same'"):
        model.enumeration("choice", ["same", "same"])


def test_an_infinite_start_or_nominal_is_refused() -> None:
    model = pendulum()
    model.parameter("huge", 1.0)
    record = model.parameters["huge"]
    object.__setattr__(record, "value", float("inf"))
    with pytest.raises(ModelError, match=r"huge.*(inf|finite)"):
        rows_of(model)
    with pytest.raises(ModelError, match="nominal"):
        pendulum().output("y", 1.0, nominal=float("inf"))
    with pytest.raises(ModelError, match="nominal inf is not positive and finite"):
        rows_of(falling(), nominals={"weight": float("inf")})


def test_an_alias_is_a_state_or_a_derivative_of_the_same_unit() -> None:
    rows = rows_of(falling(), aliases={"velocity": "speed"})
    assert "velocity" not in rows
    [alias] = rows["speed"].aliases
    assert (alias.name, alias.visibility, alias.display_unit) == ("velocity", "output", "km/h")
    for target, said in (("weight", "neither"), ("nothing", "neither"), ("height", "units")):
        with pytest.raises(ModelError, match=f"'velocity' of '{target}'.*{said}"):
            rows_of(falling(), aliases={"velocity": target})
    with pytest.raises(ModelError, match="no real output 'nothing'"):
        rows_of(falling(), aliases={"nothing": "speed"})


def test_a_derivative_stays_beside_the_output_that_it_is() -> None:
    """Importers take rates and outputs for different variables: CasADi refuses one that is both."""
    rows = rows_of(falling(), aliases={"velocity": "der(height)"})
    rate, output = rows["der(height)"], rows["velocity"]
    assert (rate.visibility, output.visibility) == ("local", "output")
    assert (rate.aliases, output.aliases) == ((), ())
    assert rate.reference != output.reference


def test_a_false_alias_is_refused_with_both_values() -> None:
    wrong = falling()
    wrong.output("rate", wrong.discretes["floor.impulse"].symbol + 1, unit="m/s")
    component = Component("drop", "", wrong.equations(), aliases={"rate": "speed"})
    with pytest.raises(ModelError, match="'rate' is not an alias of 'speed', for it is 1 where"):
        variables(component)
    component = Component("drop", "", wrong.equations(), aliases={"rate": "der(height)"})
    with pytest.raises(ModelError, match=r"'rate' is not an alias of 'der\(height\)', for it is 1"):
        variables(component)


def test_names_that_are_offered_must_be_free() -> None:
    model = falling()
    model.output("floor.impacts_real", 0.0)
    with pytest.raises(ModelError, match=r"called 'floor\.impacts_real'"):
        rows_of(model, twins=True)


def test_a_nominal_is_given_or_found() -> None:
    model = falling()
    model.output("given", 1.0, unit="N", nominal=250.0)
    rows = {row.name: row for row in variables(Component("drop", "", model.equations())).rows}
    assert rows["given"].nominal == 250.0
    assert rows["weight"].nominal == 1.0  # 2.943 N
    assert rows["der(speed)"].nominal == 10.0  # 9.81 m/s2
    assert rows["height"].nominal == 1.0


def test_terminals_name_what_is_there() -> None:
    equations = falling().equations()
    for terminals, said in (
        ((Terminal("end", {"v": "nothing"}),), "its member 'v' is 'nothing'"),
        ((Terminal("end", {"v": "speed"}), Terminal("end", {"v": "speed"})), "empty or in use"),
    ):
        with pytest.raises(ModelError, match=f"terminal 'end'.*{said}"):
            variables(Component("drop", "", equations, terminals=terminals))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"twins": "no"}, "twins = 'no'; give True or False"),
        ({"terminals": Terminal("end", {"v": "speed"})}, "give a tuple of Terminals"),
        ({"aliases": ["a"]}, r"aliases = \['a'\]; give a dictionary"),
        ({"picture": "file.png"}, "picture = 'file.png'; give a function"),
        ({"documentation": None}, "documentation = None; give a text"),
    ],
)
def test_options_of_other_types_are_refused(options: dict, said: str) -> None:
    with pytest.raises(ModelError, match=f"component drop: .*{said}"):
        Component("drop", "", falling().equations(), **options)


def test_terminals_of_other_types_are_refused() -> None:
    for name, members, said in (
        (3, {}, "name = 3"),
        ("a\x03", {}, r"U\+0003"),
        ("a", ["x"], "give a dictionary of names"),
        ("a", {"x\x03": "y"}, r"U\+0003"),
    ):
        with pytest.raises(ModelError, match=said):
            Terminal(name, members)  # type: ignore[arg-type]
