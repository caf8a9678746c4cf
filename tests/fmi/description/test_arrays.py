"""Arrays in FMUs: of FMI 3.0 as arrays of fixed size, of FMI 2.0 by element."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from ctypes import byref, c_double, c_int, c_size_t, c_uint32
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from scipy.linalg import expm

from mbcore import Model, ModelError, Table
from mbcore.cli.program import main
from mbcore.codegen.dependencies import dependencies
from mbcore.fmi import Component, Terminal, export
from mbcore.fmi.check import check
from mbcore.fmi.description import description2, description3
from mbcore.fmi.description.description import Description
from mbcore.fmi.description.variables import variables
from mbcore.fmi.running.cosimulation import CoSimulation
from mbcore.fmi.running.importing import Importing
from mbcore.fmi.running.instance import FmuInstance
from mbcore.fmi.running.model_exchange import ModelExchange
from mbcore.fmi.running.observed_dependencies import observed_dependencies
from tests.built import Tools
from tests.model.arrays import linear_system
from tests.model.arrays.linear_system import MATRIX, START, WEIGHTS


def described(model: Model, version: str, **options: Any) -> Element:
    component = Component("linear", "", model.equations())
    table = variables(component, nominals=False)
    of = Description(
        "linear",
        "",
        "{0}",
        table,
        dependencies(component.equations, table),
        component.experiment,
        **options,
    )
    maker = {"2.0": description2, "3.0": description3}[version]
    return fromstring(maker.model_description(of))


def test_fmi_3_has_arrays_with_dimensions_and_references_of_their_own() -> None:
    root = described(linear_system.model(), "3.0")
    found = {v.get("name"): v for v in root.iterfind("ModelVariables/*")}
    matrix = found["A"]
    assert [d.get("start") for d in matrix.iterfind("Dimension")] == ["2", "2"]
    assert (
        np.array(matrix.get("start", "").split(), float).reshape(2, 2).tolist() == MATRIX.tolist()
    )
    assert [d.get("start") for d in found["y"].iterfind("Dimension")] == ["2"]
    assert found["der(y)"].get("derivative") == found["y"].get("valueReference")
    assert not [name for name in found if name and "[" in name]
    references = [v.get("valueReference") for v in found.values()]
    assert len(set(references)) == len(references)
    rates = root.findall("ModelStructure/ContinuousStateDerivative")
    by_name = {name: v.get("valueReference") for name, v in found.items()}
    assert [rate.get("valueReference") for rate in rates] == [by_name["der(y)"]]
    known = (rates[0].get("dependencies") or "").split()
    assert set(known) == {by_name["A"], by_name["u"], by_name["y"]}


@pytest.mark.parametrize(("version", "options"), [("2.0", {}), ("3.0", {"arrays": False})])
def test_others_have_the_elements(version: str, options: dict[str, Any]) -> None:
    root = described(linear_system.model(), version, **options)
    assert root.get("variableNamingConvention") == "structured"
    names = [v.get("name") for v in root.iterfind("ModelVariables/*")]
    assert {"A[1,1]", "A[2,1]", "y[2]", "der(y[2])", "u[1]", "twice[1,2]"} <= set(names)
    assert not root.findall(".//Dimension") and "A" not in names


def test_ordinates_of_a_table_are_an_array_of_fmi_3() -> None:
    model = Model("curve")
    force = Table([0.0, 1.0, 2.0], [0.0, 3.0, 4.0], name="spring.force", parameter=True)
    model.output("felt", force(model.input("x", 0.5)))
    root = described(model, "3.0")
    found = {v.get("name"): v for v in root.iterfind("ModelVariables/*")}
    assert found["spring.force"].get("start") == "0.0 3.0 4.0"
    assert found["spring.force"].get("description") == "ordinates of the table spring.force"


def test_elements_have_no_aliases() -> None:
    model = linear_system.model()
    model.output("first", model.states["y[1]"][0].symbol, unit="m")
    component = Component("linear", "", model.equations(), aliases={"first": "y[1]"})
    with pytest.raises(
        ModelError, match=r"'y\[1\]' is an element of the array 'y'; arrays take no"
    ):
        variables(component)


@pytest.mark.parametrize("name", ["y", "y[1]"])
def test_terminals_take_elements_where_these_are_variables(name: str) -> None:
    given = Terminal("end", {"place": name})
    component = Component("linear", "", linear_system.model().equations(), terminals=(given,))
    with pytest.raises(ModelError, match=r"terminal 'end'.* of an array, .*give arrays=False"):
        variables(component, nominals=False)
    scalars = replace(component, arrays=False)
    if name == "y[1]":
        variables(scalars, nominals=False)
        return
    with pytest.raises(ModelError, match="'y', which is not a variable"):
        variables(scalars, nominals=False)


def test_elements_start_all_at_inputs_or_none() -> None:
    model = Model("starts")
    u = model.input("u", 1.0)
    model.state("z", derivative=[-u, u], start=[u, 1.0])
    with pytest.raises(ModelError, match="array 'z': some elements start at an input's value"):
        variables(Component("starts", "", model.equations()))


@pytest.fixture(scope="module")
def fmus(tmp_path_factory: pytest.TempPathFactory, tools: Tools) -> dict[str, Path]:
    component = Component("linear", "", linear_system.model().equations(), starts=True)
    paths = export(component, tmp_path_factory.mktemp("linear"), tools=tools)
    return {path.parent.name: path for path in paths}


@pytest.mark.heavy
def test_fmpy_runs_arrays_as_the_matrix_exponential_says(fmus: dict[str, Path]) -> None:
    other = np.array([[0.0, 1.0], [-1.0, 0.0]])
    runs = {
        name: fmpy.simulate_fmu(
            str(path),
            stop_time=1.0,
            output_interval=0.5,
            relative_tolerance=1e-9,
            start_values={"A": other.ravel(), "y": [0.0, 1.0]}
            if name == "fmi3"
            else {"A[2,1]": -1.0, "A[2,2]": 0.0, "start.y[1]": 0.0, "y[2]": 1.0},
            output=["y", "weighted", "y[1]", "weighted[2]"],
        )
        for name, path in fmus.items()
    }
    exact = np.array([expm(other * t) @ [0.0, 1.0] for t in (0.0, 0.5, 1.0)])
    assert runs["fmi3"]["y"] == pytest.approx(exact, abs=1e-8)
    assert runs["fmi3"]["weighted"] == pytest.approx(exact * WEIGHTS, abs=1e-7)
    assert runs["fmi2"]["y[1]"] == pytest.approx(exact[:, 0], abs=1e-8)
    assert runs["fmi2"]["weighted[2]"] == pytest.approx(5 * exact[:, 1], abs=1e-7)


@pytest.fixture
def instance(fmus: dict[str, Path], tmp_path: Path) -> Iterator[tuple[Any, dict[str, int]]]:
    """Model Exchange of FMI 3.0 in Continuous-Time Mode, and value references by name."""
    description = fmpy.read_model_description(str(fmus["fmi3"]))
    folder = fmpy.extract(str(fmus["fmi3"]), unzipdir=tmp_path)
    fmu = fmpy.instantiate_fmu(folder, description, "ModelExchange")
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    yield fmu, {v.name: v.valueReference for v in description.modelVariables}
    fmu.freeInstance()


@pytest.mark.heavy
def test_values_and_derivatives_are_those_of_all_elements(
    instance: tuple[Any, dict[str, int]],
) -> None:
    fmu, at = instance
    assert fmu.getFloat64([at["A"], at["y"]], 6) == [*MATRIX.ravel(), *START]
    assert fmu.getFloat64([at["start.y"]], 2) == START.tolist()
    assert fmu.getFloat64([at["der(y)"]], 2) == pytest.approx(MATRIX @ START)
    unit = np.eye(2)
    columns = [fmu.getDirectionalDerivative([at["der(y)"]], [at["y"]], e, 2) for e in unit]
    assert np.transpose(columns) == pytest.approx(MATRIX)
    rows = [fmu.getAdjointDerivative([at["der(y)"]], [at["y"]], e, 2) for e in unit]
    assert np.array(rows) == pytest.approx(MATRIX)
    # by A along S, and the transpose along s, of A y: S y and the outer product of s and y
    along = [1.0, 2.0, 3.0, 4.0]
    changed = fmu.getDirectionalDerivative([at["der(y)"]], [at["A"]], along, 2)
    assert changed == pytest.approx(np.reshape(along, (2, 2)) @ START)
    both = fmu.getAdjointDerivative([at["der(y)"]], [at["A"], at["u"]], [1.0, -2.0], 6)
    assert both == pytest.approx([*np.outer([1, -2], START).ravel(), 1.0, -2.0])
    fmu.setFloat64([at["u"], at["A"]], [7.0, 8.0, 0.0, 0.0, 0.0, 0.0])
    assert fmu.getFloat64([at["der(y)"], at["twice"]], 6) == [7.0, 8.0, 0.0, 0.0, 0.0, 0.0]


@pytest.mark.heavy
def test_rates_of_outputs_are_those_of_all_elements(fmus: dict[str, Path], tmp_path: Path) -> None:
    description = fmpy.read_model_description(str(fmus["fmi3"]))
    at = {v.name: v.valueReference for v in description.modelVariables}
    folder = fmpy.extract(str(fmus["fmi3"]), unzipdir=tmp_path)
    fmu = fmpy.instantiate_fmu(folder, description, "CoSimulation")
    try:
        fmu.enterInitializationMode()
        fmu.exitInitializationMode()
        asked, values = (c_uint32 * 2)(at["twice"], at["weighted"]), (c_double * 6)()
        orders = (c_int * 2)(1, 1)
        fmu.fmi3GetOutputDerivatives(fmu.component, asked, 2, orders, values, 6)
        assert values[:] == pytest.approx([0, 0, 0, 0, *(WEIGHTS * (MATRIX @ START))])
        with pytest.raises(FMICallException):
            fmu.fmi3GetOutputDerivatives(fmu.component, asked, 2, orders, values, 5)
    finally:
        fmu.freeInstance()


Dependency = tuple[int, int, int, int]
"""Element, variable that it depends on, element of that, and the factor's kind in FMI 3.0."""


def by_element(fmu: Any, reference: int) -> set[Dependency]:
    count = c_size_t(0)
    fmu.fmi3GetNumberOfVariableDependencies(fmu.component, reference, byref(count))
    n = count.value
    elements, others = (c_size_t * n)(), (c_size_t * n)()
    known, kinds = (c_uint32 * n)(), (c_int * n)()
    fmu.fmi3GetVariableDependencies(
        fmu.component, reference, elements, known, others, kinds, c_size_t(n)
    )
    return set(zip(elements, known, others, kinds, strict=True))


@pytest.mark.heavy
def test_dependencies_are_stated_by_element(instance: tuple[Any, dict[str, int]]) -> None:
    fmu, at = instance
    constant, tunable, dependent = 1, 3, 5
    rates = {(i, at["u"], i, constant) for i in (1, 2)}
    for row in (1, 2):
        for column in (1, 2):
            place = 2 * (row - 1) + column  # in the matrix, row by row
            rates.add((row, at["A"], place, dependent))
            rates.add((row, at["y"], column, tunable))
    assert by_element(fmu, at["der(y)"]) == rates
    assert by_element(fmu, at["twice"]) == {(i, at["A"], i, constant) for i in (1, 2, 3, 4)}
    assert by_element(fmu, at["u"]) == set()
    with pytest.raises(FMICallException):
        by_element(fmu, 10_000)


@pytest.mark.heavy
def test_declared_dependencies_of_arrays_are_compared_as_a_whole(fmus: dict[str, Path]) -> None:
    found = observed_dependencies(fmus["fmi3"])
    shown = [(pair.of, pair.by, pair.kind, pair.shown) for pair in found.pairs]
    assert shown == [("der(y)", "u", "constant", "")]
    single = {(p.of, p.by) for p in observed_dependencies(fmus["fmi2"]).pairs}
    assert single == {(f"der(y[{k}])", f"u[{k}]") for k in (1, 2)}


@pytest.mark.heavy
def test_a_refused_element_changes_no_other(instance: tuple[Any, dict[str, int]]) -> None:
    fmu, at = instance
    with pytest.raises(FMICallException):
        fmu.setFloat64([at["u"], at["weights"]], [1.0, 2.0, 3.0, -1.0])
    assert fmu.getFloat64([at["u"], at["weights"]], 4) == [0.0, 0.0, *WEIGHTS]
    with pytest.raises(FMICallException):
        fmu.setFloat64([at["u"]], [1.0, np.nan])
    assert fmu.getFloat64([at["u"]], 2) == [0.0, 0.0]


@pytest.mark.heavy
@pytest.mark.parametrize("count", [1, 3, 5])
def test_another_number_of_values_is_an_error(
    count: int, instance: tuple[Any, dict[str, int]]
) -> None:
    fmu, at = instance
    with pytest.raises(FMICallException):
        fmu.getFloat64([at["A"]], count)
    with pytest.raises(FMICallException):
        fmu.getDirectionalDerivative([at["der(y)"]], [at["A"]], [0.0] * count, 2)


@pytest.mark.heavy
def test_fmus_with_arrays_pass_the_check_that_a_build_makes(fmus: dict[str, Path]) -> None:
    for path in fmus.values():
        assert check(path).problems == ()


@pytest.mark.heavy
@pytest.mark.parametrize("kind", [CoSimulation, ModelExchange])
def test_our_importer_takes_arrays_and_elements(
    kind: type[FmuInstance], fmus: dict[str, Path]
) -> None:
    start: dict[str, Any] = {"A[2,1]": -1.0, "A[2,2]": 0.0, "y": [0.0, 1.0]}
    with kind(fmus["fmi3"], start=start, tolerance=1e-9) as fmu:
        assert fmu.rates == {"y[1]": "der(y[1])", "y[2]": "der(y[2])"}
        assert fmu.get(["weighted[2]", "A[1,2]", "A[2,1]"]) == [5.0, 1.0, -1.0]
        found = fmu.jacobian(["weighted[1]", "der(y[2])"], ["y[2]", "weights[1]", "y[1]"])
        assert found == pytest.approx(np.array([[0, 0, 3], [0, 0, -1]]))
        fmu.advance(1.0)
        assert fmu.get(["y[1]", "y[2]"]) == pytest.approx([np.sin(1), np.cos(1)], abs=1e-8)
        with pytest.raises(ModelError, match=r"'y' is an array; .*, as 'y\[1\]'"):
            fmu.get(["y"])
    with pytest.raises(ModelError, match=r"A = .*, of shape \(2,\); A has the shape"):
        kind(fmus["fmi3"], start={"A": [0.0, 1.0]})


@pytest.mark.heavy
@pytest.mark.parametrize("version", ["fmi2", "fmi3"])
def test_an_instance_begins_anew_as_the_equation_says(version: str, fmus: dict[str, Path]) -> None:
    """What a run and its start values have left is gone: matrix, time, and where CVODE was."""
    turning = {"A[2,1]": -1.0, "A[2,2]": 0.0, "y[1]": 0.0, "y[2]": 1.0}
    with ModelExchange(fmus[version], {"A[2,2]": 3.0, "y[2]": 7.0}) as fmu:
        fmu.advance(0.5)
        for _ in range(2):
            fmu.restart({})
            rates = fmu.get(["der(y[1])", "der(y[2])"])
            assert rates == pytest.approx((MATRIX @ START).tolist(), rel=1e-15)
            fmu.restart(turning)
            fmu.advance(1.0)
            assert fmu.get(["y[1]", "y[2]"]) == pytest.approx([np.sin(1), np.cos(1)], abs=1e-8)
        with pytest.raises(ModelError, match=r"'weighted\[1\]' is calculated"):
            fmu.restart({"weighted[1]": 0.0})


@pytest.mark.heavy
@pytest.mark.parametrize("kind", [CoSimulation, ModelExchange])
def test_single_elements_follow_functions_within_a_step(
    kind: type[FmuInstance], fmus: dict[str, Path]
) -> None:
    """One step of 1 s: the other element keeps what it was last set to."""
    start: dict[str, Any] = {"A": np.zeros((2, 2)), "y": [0.0, 0.0], "u": [0.5, 0.0]}
    importing = Importing(inputs={"u[2]": lambda t: t})
    with kind(fmus["fmi3"], start=start, tolerance=1e-10, importing=importing) as fmu:
        fmu.advance(1.0)
        assert fmu.get(["y[1]", "y[2]"]) == pytest.approx([0.5, 0.5], abs=1e-9)
        fmu.set({"u[1]": -2.0})
        fmu.advance(2.0)
        assert fmu.get(["y[1]", "y[2]"]) == pytest.approx([-1.5, 2.0], abs=1e-9)


@pytest.mark.heavy
@pytest.mark.parametrize("interface", ["co-simulation", "model-exchange"])
def test_the_command_runs_arrays_with_inputs_over_time(
    interface: str,
    fmus: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "u.csv").write_text("time,u[1],u[2]\n0,0,0\n1,1,2\n")
    rows = {}
    for name in ("fmi2", "fmi3"):
        out = tmp_path / f"{name}.csv"
        still = ["--set", "A=[[0, 0], [0, 0]]", "--show", "A[1,2],y"]
        told = ["--inputs", str(tmp_path / "u.csv"), "--until", "1 s", "--csv", str(out)]
        weights = ["--set", "weights[2]=2", "--interface", interface]
        assert main(["run", str(fmus[name]), *still, *told, *weights]) == 0
        shown = [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:4]]
        assert shown == ["A[1,2]", "y[1]", "y[2]"]
        with out.open(newline="") as file:
            rows[name] = list(csv.DictReader(file))
    for run in rows.values():
        last = {name: float(value) for name, value in run[-1].items()}
        # 1/2 t^2 and t^2 besides the starts, times 3 and 2
        assert last["weighted[1] [m]"] == pytest.approx(3 * (START[0] + 0.5), abs=1e-7)
        assert last["weighted[2] [m]"] == pytest.approx(2 * (START[1] + 1.0), abs=1e-7)


@pytest.mark.heavy
def test_fmi_2_knows_no_references_of_arrays(fmus: dict[str, Path], tmp_path: Path) -> None:
    three = fmpy.read_model_description(str(fmus["fmi3"]))
    description = fmpy.read_model_description(str(fmus["fmi2"]))
    folder = fmpy.extract(str(fmus["fmi2"]), unzipdir=tmp_path)
    fmu = fmpy.instantiate_fmu(folder, description, "CoSimulation")
    reference = {v.name: v.valueReference for v in three.modelVariables}["y"]
    try:
        with pytest.raises(FMICallException):
            fmu.getReal([reference])
    finally:
        fmu.freeInstance()


def test_twins_of_an_array_are_an_array_behind_it() -> None:
    model = Model("twins")
    on = model.parameter("on", [True, False])
    model.output("odd", [on[1], on[0]], kind="boolean")
    model.output("last", 1.0)
    table = variables(Component("twins", "", model.equations(), twins=True), nominals=False)
    outputs = ["odd[1]", "odd[2]", "odd_real[1]", "odd_real[2]", "last"]
    assert [row.name for row in table.of("output")] == outputs
    for array in table.arrays:
        names = [table.rows[place].name for place in array.elements]
        assert names == [f"{array.name}[1]", f"{array.name}[2]"]
    assert [array.name for array in table.arrays] == ["on", "odd", "odd_real"]
