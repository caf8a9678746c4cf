"""Arrays of parameters, inputs, states and outputs in simulations and results."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import expm

from mbcore import (
    Equations,
    InputTable,
    Model,
    ModelError,
    Table,
    linearize,
    read_parameters,
    simulate,
    simulations,
    sweep,
)
from mbcore.cli.settings import given_values, sorted_values
from mbcore.cli.wrong_call import WrongCallError
from tests.model.arrays import linear_system
from tests.model.arrays.linear_system import MATRIX, START


@pytest.fixture(scope="module")
def equations() -> Equations:
    return linear_system.model().equations()


def test_a_linear_system_moves_by_the_exponential_of_its_matrix(equations: Equations) -> None:
    run = simulate(equations, 1.0, samples=3, rtol=1e-10, backend="python")
    assert run["y"].shape == (3, 2)
    for t, state in zip(run.time, run["y"], strict=True):
        assert state == pytest.approx(expm(MATRIX * t) @ START, abs=1e-9)
    assert run["twice"].shape == (3, 2, 2)
    assert (run["twice"][1] == 2 * MATRIX).all()
    assert (run["y[2]"] == run["y"][:, 1]).all()
    assert [name for name in run if name.startswith("twice")] == [
        "twice[1,1]", "twice[1,2]", "twice[2,1]", "twice[2,2]",
    ]  # fmt: skip


def test_values_are_given_as_arrays_or_by_element(equations: Equations) -> None:
    turning = {"A": [[0.0, 1.0], [-1.0, 0.0]]}
    run = simulate(equations, 1.0, parameters=turning, start={"y": [0, 1]}, rtol=1e-10)
    assert run["y"][-1] == pytest.approx([np.sin(1), np.cos(1)], abs=1e-9)
    same = simulate(
        equations,
        1.0,
        parameters={"A[1,1]": 0, "A[1,2]": 1, "A[2,1]": -1, "A[2,2]": 0},
        start={"y[1]": 0, "y[2]": 1},
        rtol=1e-10,
    )
    assert (same["y"] == run["y"]).all()


def test_inputs_over_time_are_functions_that_give_arrays(equations: Equations) -> None:
    still = {"A": np.zeros((2, 2))}
    calls: list[float] = []

    def push(t: float) -> np.ndarray:
        calls.append(t)
        return np.array([np.cos(t), 2 * t])

    run = simulate(
        equations, 1.0, parameters=still, inputs={"u": push}, rtol=1e-10, backend="python"
    )
    assert run["y"][-1] == pytest.approx(START + [np.sin(1), 1.0], abs=1e-9)
    # once at a time for both elements, though these ask one after the other
    assert all(one != other for one, other in pairwise(calls))
    held = simulate(equations, 1.0, parameters=still, inputs={"u": [1, -1]}, backend="python")
    assert held["y"][-1] == pytest.approx(START + [1, -1], abs=1e-9)


def test_tables_of_results_name_the_dimensions(equations: Equations, tmp_path: Path) -> None:
    run = simulate(equations, 1.0, samples=3, backend="python")
    data = run.to_xarray()
    assert data["y"].dims == ("time", "y_index")
    assert data["twice"].dims == ("time", "twice_row", "twice_column")
    chosen = data["twice"].sel(twice_row=2, twice_column=1)
    assert (chosen == 2 * MATRIX[1, 0]).all()
    assert data["y"].attrs["units"] == "m"
    assert list(run.to_pandas())[:2] == ["y[1]", "y[2]"]
    head = run.to_csv(tmp_path / "run.csv").read_text().splitlines()[0]
    assert head.startswith("time [s],y[1] [m],y[2] [m],u[1] [m/s]")
    assert '"twice[1,2] [1/s]"' in head
    assert len(run.plot("y").axes[0].lines) == 2


def test_arrays_have_the_kinds_of_their_elements() -> None:
    model = Model("kinds")
    on, count = model.parameter("on", [True, False]), model.parameter("n", [3, 4], kind="integer")
    model.output("sum", on[0] * count[0] + on[1] * count[1])
    model.output("odd", [on[1], on[0]], kind="boolean")
    run = simulate(model.equations(), 1.0, backend="python")
    assert run["sum"][0] == 3
    run = simulate(model.equations(), 1.0, parameters={"on": [False, True], "n": [1, 7]})
    assert run["sum"][0] == 7
    assert run["odd"][0].tolist() == [1, 0]
    with pytest.raises(ModelError, match=r"parameter n\[2\] = 1.5: must be a whole number"):
        simulate(model.equations(), 1.0, parameters={"n": [1, 1.5]})


def test_an_array_of_inputs_has_rates_and_limits_by_element() -> None:
    model = Model("inputs")
    rate = model.input("rate", [1.0, -2.0], unit="m/s")
    place = model.input("place", [0.0, 0.0], unit="m", rate=rate, minimum=-1, maximum=1)
    model.output("felt", place, unit="m")
    equations = model.equations()
    partner = equations.inputs[3].rate
    assert partner is not None and partner.name == "rate[2]"
    run = simulate(equations, 1.0, inputs={"place": [0.5, 3.0]}, backend="python")
    assert run["felt"][0].tolist() == [0.5, 1.0]


def test_states_start_at_an_array_of_inputs() -> None:
    model = Model("starts")
    u = model.input("u", [1.0, 2.0])
    model.state("z", derivative=-u, start=u)
    run = simulate(model.equations(), 1.0, inputs={"u": [3.0, 4.0]}, backend="python")
    assert run["z"][[0, -1]].tolist() == pytest.approx(np.array([[3, 4], [0, 0]]), abs=1e-9)


def test_ordinates_of_a_table_are_an_array() -> None:
    model = Model("curve")
    force = Table([0.0, 1.0, 2.0], [0.0, 3.0, 4.0], name="force", parameter=True)
    model.output("felt", force(model.input("x", 0.5)))
    equations = model.equations()
    assert [(a.name, a.shape, a.kind) for a in equations.arrays] == [("force", (3,), "parameter")]
    run = simulate(equations, 1.0, parameters={"force": [0, 8, 8]}, backend="python")
    assert run["felt"][0] == 4


def refused(call: Callable[[Model], Any], says: str) -> None:
    model = linear_system.model()
    before = {kind: list(records) for kind, records in model.interface.declared().items()}
    with pytest.raises(ModelError, match=says):
        call(model)
    after = {kind: list(records) for kind, records in model.interface.declared().items()}
    assert before == after and "q" not in model.interface.arrays


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([], r"parameter q has the shape \(0,\), without elements"),
        (np.zeros((2, 0)), r"parameter q has the shape \(2, 0\)"),
        ([1, np.nan], r"parameter q\[2\] = nan: must be a finite number"),
        (np.zeros((1, 2, 3)), "parameter q has 3 dimensions; give one or two"),
        ([[1], [1, 2]], "rows of different lengths"),
        ([True, 2.0], "Booleans and numbers"),
        ([1.0, "2 s"], r"parameter q\[2\].*'2 s'"),
        ([ca.SX.sym("x"), 1.0], r"parameter q\[1\].*expression"),
    ],
)
def test_values_of_no_array_are_refused_and_add_nothing(value: Any, says: str) -> None:
    refused(lambda m: m.parameter("q", value, unit="m"), says)


def test_declarations_that_do_not_fit_are_refused() -> None:
    refused(lambda m: m.parameter("A", 1.0), "parameter 'A' exists already")
    refused(lambda m: m.parameter("B[1]", [1, 2]), "an array has no index in its name")
    refused(
        lambda m: m.discrete("q", [1, 2]), r"start = \[1, 2\] has 2 components; give one number"
    )
    refused(
        lambda m: m.output("y[3]", 1.0), r"output 'y\[3\]' would be an element of the array 'y'"
    )
    refused(lambda m: m.parameter("q", [1, 2], minimum=[0, 0]), "minimum is an array")
    refused(lambda m: m.input("q", ["a", "b"], items=("a", "b")), "choice .* cannot be an array")
    refused(lambda m: m.state("q", [1, 2], start=[1, 2, 3]), r"start has the shape \(3,\)")
    refused(lambda m: m.derivative("y", [1, 2, 3]), r"derivative has the shape \(3,\)")
    refused(lambda m: m.filtered("u", 0.1), "u")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"parameters": {"A": [1, 1, 1, 1]}}, r"of shape \(4,\); A has the shape \(2, 2\)"),
        ({"parameters": {"A": 1.0}}, r"parameter A = 1.0; A has the shape \(2, 2\)"),
        ({"parameters": {"A": MATRIX, "A[1,1]": 1}}, r"A\[1,1\] is given twice"),
        ({"start": {"y": [1]}}, r"start value y = \[1\]; y has 2 values, y\[1\] to y\[2\]"),
        ({"start": {"y": [1, 2], "y[2]": 1}}, r"y\[2\] is given twice"),
        ({"start": {"y": [1, np.nan]}}, r"start value y\[2\] = nan is not a finite"),
        ({"inputs": {"u": [1, np.inf]}}, r"input u\[2\] = inf"),
        ({"inputs": {"u": lambda t: 1.0}}, r"gives one number at t = 0; let it give the shape"),
        ({"inputs": {"u": [1, 2], "u[1]": 1}}, r"u\[1\] is given twice"),
    ],
)
def test_values_of_another_shape_are_refused(
    given: dict[str, Any], says: str, equations: Equations
) -> None:
    with pytest.raises(ModelError, match=says):
        simulate(equations, 1.0, backend="python", **given)


def test_one_number_of_an_array_is_not_its_last_value(equations: Equations) -> None:
    run = simulate(equations, 0.1, backend="python")
    with pytest.raises(ModelError, match=r"y is an array; write run\['y'\]\[-1\]"):
        run.final("y")


def test_files_hold_arrays_whose_shape_is_that_of_the_variable(
    equations: Equations, tmp_path: Path
) -> None:
    (tmp_path / "a.json").write_text('{"A": [[0, 1], [-1, 0]], "weights": [2, 3.5]}')
    given = read_parameters(tmp_path / "a.json")
    run = simulate(equations, 1.0, parameters=given, start={"y": [0, 1]}, rtol=1e-10)
    assert run["y"][-1] == pytest.approx([np.sin(1), np.cos(1)], abs=1e-9)
    assert run["weighted"][0].tolist() == [0, 3.5]
    (tmp_path / "a.toml").write_text("weights = [1, 2, 3]\n")
    says = r"a.toml, line 1: parameter weights = \[1, 2, 3\]; weights has 2 values"
    with pytest.raises(ModelError, match=says):
        simulate(equations, 1.0, parameters=read_parameters(tmp_path / "a.toml"))


def test_the_command_takes_arrays_in_brackets(equations: Equations) -> None:
    given = given_values("--set", ["A=[[0, 1], [-1, 0]]", "y=[10 cm, 2]", "weights[2]=7"])
    assert given == {"A": [[0, 1], [-1, 0]], "y": ["10 cm", 2], "weights[2]": 7}
    found = sorted_values(equations, given)
    assert (found.start, found.parameters.keys()) == ({"y": ["10 cm", 2]}, {"A", "weights[2]"})
    assert simulate(equations, 1e-3, start=found.start)["y"][0].tolist() == [0.1, 2.0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("weights=[1, 2, 3]", "weights has 2 values"),
        ("A=[1, 2], [3, 4]", "A"),
        ("weights=[1,]", r"give elements with commas, as in \[1, 2, 3\]"),
        ("weights=[[1]", "give elements with commas"),
        ("twice=[1, 2]", "twice is calculated; set the variables that determine it"),
    ],
)
def test_the_command_refuses_other_arrays(text: str, says: str, equations: Equations) -> None:
    with pytest.raises(WrongCallError, match=says):
        sorted_values(equations, given_values("--set", [text]))


def test_tables_of_inputs_have_an_array_for_each_time(equations: Equations) -> None:
    table = InputTable([0, 1], {"u": [[0, 0], [1, 2]]})
    assert list(table) == ["u[1]", "u[2]"]
    still = {"A": np.zeros((2, 2))}
    run = simulate(equations, 1.0, parameters=still, inputs=table, rtol=1e-10, backend="python")
    assert run["y"][-1] == pytest.approx(START + [0.5, 1.0], abs=1e-9)
    held = InputTable([0, 1], {"u": [[0, 2], [1, 2]]}, holds=["u"])
    run = simulate(equations, 1.0, parameters=still, inputs=held, backend="python")
    assert run["y"][-1] == pytest.approx(START + [0.0, 2.0], abs=1e-9)
    with pytest.raises(ModelError, match=r"u\[1\] is given twice, once within an array"):
        InputTable([0, 1], {"u": [[0, 0], [1, 2]], "u[1]": [0, 1]})
    with pytest.raises(ModelError, match="InputTable: u"):
        InputTable([0, 1], {"u": [[0, 0], [1]]})


def test_derivatives_and_sweeps_have_elements(equations: Equations) -> None:
    turning = {"A": [[0.0, 1.0], [-1.0, 0.0]]}
    found = linearize(equations, parameters=turning)
    values = np.asarray(found.eigenvalues())
    assert sorted(values.imag) == pytest.approx([-1, 1])
    assert values.real == pytest.approx([0, 0], abs=1e-12)
    task = simulations(
        equations, 0.1, parameters={"weights": [1, 2]}, outputs=["weighted[2]"], samples=2,
        backend="python",
    )  # fmt: skip
    swept = sweep(task, {"weights[2]": [3, 4]}, workers=1, progress=False)
    assert swept["weighted[2]"].values[:, 0] == pytest.approx(START[1] * np.array([3, 4]))
