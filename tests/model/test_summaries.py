"""What a user sees of models, nodes, elements and results: names, lists of names, units."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest

import mbcore
from mbcore import Body, InputTable, Model, ModelError, ModelWarning, StateName, Truss, simulate
from mbcore.codegen.table import table
from mbcore.fmi.export import export
from mbcore.results.result import Result


def hanging() -> Model:
    """Return a bob of 2 kg that hangs on a bar in rest."""
    model = Model("hanging", gravity=(0, -9.81))
    top, bob = model.point("top", fixed=True), model.point("bob", (0, -1))
    model.add(Truss("rod", top, bob))
    model.add(Body("mass", bob, mass=2))
    bob.x.dof(StateName("x", display_unit="mm"))
    return model


def test_models_and_results_say_what_they_are() -> None:
    assert repr(hanging()) == "<model hanging: 2 nodes besides the ground, 2 elements, 0 loads>"
    result = Result("hanging", np.array([0.0, 0.5]), {"x": np.zeros(2)}, {"x": "m"})
    assert repr(result) == "<result of hanging: 2 rows from 0 s to 0.5 s; x>"


def test_everything_public_says_what_it_is() -> None:
    """No address in memory stands for an object of a public class."""
    public = [getattr(mbcore, name) for name in mbcore.__all__]
    silent = [
        thing.__name__
        for thing in public
        if inspect.isclass(thing)
        and thing.__repr__ is object.__repr__
        and not inspect.isabstract(thing)
    ]
    assert not silent
    inputs = InputTable([0.0, 1.0, 2.5], {"force": [0, 1, 2], "steer.angle": [0, 0, 0]})
    assert repr(inputs) == "<inputs over time: 3 rows from 0 s to 2.5 s; force, steer.angle>"
    assert repr(inputs["force"]) == "<input over time: 3 rows from 0 s to 2.5 s>"


def test_an_export_says_that_it_takes_no_alternatives(tmp_path: Path) -> None:
    """It is told before anything is compiled, which the limit of statements prevents here."""
    model = hanging()
    bob = model.nodes["bob"]
    bob.x.release().dof("x", or_else=bob.y)
    with (
        pytest.warns(ModelWarning, match=r"(?s)FMU hanging.*no alternative of bob\.x .*bob\.y"),
        pytest.raises(ModelError, match="statements"),
    ):
        export(model.equations(), tmp_path, tools=(), most_statements=1)


def test_nodes_and_elements_list_what_they_have() -> None:
    model = hanging()
    bob = model.nodes["bob"]
    assert {"x", "y", "position"} <= set(dir(bob)) and "z" not in dir(bob)
    assert "angle" in dir(model.angle("a"))
    assert "elongation" in dir(model.elements["rod"])
    with pytest.raises(AttributeError, match=r"Point 'bob' has no 'z'; its coordinates are x, y"):
        _ = bob.z


def test_a_state_is_shown_in_the_unit_asked_for() -> None:
    """What modelDescription.xml says follows from the table's rows."""
    rows = {row.name: row for row in table(hanging().equations(), 0.01).rows}
    assert (rows["x"].unit, rows["x"].display_unit) == ("m", "mm")
    assert rows["x_rate"].display_unit is None


def test_stresses_and_reactions_are_positive_in_tension_and_along_the_coordinate() -> None:
    """A weight of 19.62 N pulls the bar, and the support pulls it upwards."""
    model = hanging()
    model.output("pull", model.elements["rod"].elongation.stress, unit="N")
    model.output("support", model.nodes["top"].y.reaction, unit="N")
    result = simulate(model.equations(), 0.01)
    assert result["pull"][0] == pytest.approx(2 * 9.81, rel=1e-12)
    assert result["support"][0] == pytest.approx(2 * 9.81, rel=1e-12)
