"""Start values from parameter sets: in descriptions, in what runs, in files of SSP."""

from __future__ import annotations

import warnings
import zipfile
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import fmpy
import numpy as np
import pytest
from fmpy.ssp.ssd import read_ssv
from lxml import etree

from mbcore import Model, ModelError, ModelWarning, read_parameters
from mbcore.codegen.rows import Table
from mbcore.fmi import Component, Experiment, export, write_parameters
from mbcore.fmi.check import check
from mbcore.fmi.description.variables import variables
from mbcore.fmi.packing.prechecks import look_at_start
from mbcore.fmi.packing.related import FOLDER
from tests.built import Tools
from tests.fmi.systems.test_schema import SCHEMAS
from tests.pendulum import pendulum

GIVEN = {
    "bob.mass": "500 g",
    "rod.length": "400 mm",
    "pivot.damping": 0.02,
    "pivot.torque": "0.1 N.m",
    "pendulum.angle": "20 deg",
    "solver.tolerance": 1e-9,
    "solver.method": "rosenbrock",
}
IN_SI = {
    "bob.mass": 0.5,
    "rod.length": 0.4,
    "pivot.damping": 0.02,
    "pivot.torque": 0.1,
    "pendulum.angle": np.pi / 9,
    "solver.tolerance": 1e-9,
    "solver.method": 2.0,
}


@pytest.fixture(scope="module")
def component() -> Component:
    return Component(
        "pendulum", "A pendulum", pendulum().equations(), Experiment(stop=0.5, step=0.01)
    )


@pytest.fixture(scope="module")
def given(component: Component) -> Component:
    return component.started_at(GIVEN)


def starts(table: Table) -> dict[str, float | None]:
    return {row.name: row.start for row in table.rows if row.name in GIVEN}


def test_rows_start_at_the_values_and_all_else_stays(
    component: Component, given: Component
) -> None:
    own, rows = variables(component), variables(given)
    assert starts(rows) == pytest.approx(IN_SI, rel=1e-14)
    back = [
        replace(row, start=before.start, shift=0.0)
        for row, before in zip(rows.rows, own.rows, strict=True)
    ]
    assert back == list(own.rows)


def test_twins_and_start_parameters_follow(component: Component) -> None:
    offering = replace(component, twins=True, starts=True, parameters=GIVEN)
    rows = variables(offering, nominals=False)
    assert rows.named("start.pendulum.angle").start == pytest.approx(np.pi / 9)
    idle = {choice.row.name: choice.idle for choice in rows.choices}
    assert idle["pendulum.angle"] == rows.named("pendulum.angle").start
    assert idle["solver.method"] == 0.0
    for name, of in (("start.pendulum.angle", "pendulum.angle"), ("pivot.law_number", "pivot.law")):
        with pytest.raises(ModelError, match=f"{name} stands for {of}; give that"):
            variables(replace(offering, parameters={name: 1.0}), nominals=False)


REFUSED = {
    "bob.mas": (1.0, "no parameter, input or state 'bob.mas'; did you mean 'bob.mass'"),
    "energy": (1.0, "energy is calculated; set the variables that determine it"),
    "bob.mass": ("2 m", "parameter bob.mass is a mass .kg.; '2 m' is a length"),
    "pivot.torque": (-200.0, "input pivot.torque = -200.0: it cannot start outside of its range"),
    "pendulum.angle": (np.nan, "start value pendulum.angle = nan is not a finite number"),
    "pivot.law": ("dry", "pivot.law = dry: this item is not available yet"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_values_are_refused(name: str, component: Component) -> None:
    value, message = REFUSED[name]
    with pytest.raises(ModelError, match=message):
        variables(component.started_at({name: value}), nominals=False)
    with pytest.raises(ModelError, match="parameters = 3; give values by name"):
        replace(component, parameters=3)


@pytest.mark.parametrize("ssp", ["1.0", "2.0"])
def test_what_is_written_is_read_again(ssp: str, given: Component, tmp_path: Path) -> None:
    file = write_parameters(given, tmp_path / "set.ssv", ssp=ssp)
    read = read_parameters(file)
    assert dict(read) == {
        "bob.mass": "0.5 kg",
        "rod.length": "0.4 m",
        "pivot.damping": "0.02 N.m.s/rad",
        "pivot.torque": "0.1 N.m",
        "pendulum.angle": f"{np.pi / 9} rad",
        "solver.tolerance": 1e-9,
        "solver.method": "rosenbrock",
    }
    own = Component("pendulum", "", given.equations).started_at(file)
    assert starts(variables(own, nominals=False)) == starts(variables(given, nominals=False))
    whole = read_parameters(write_parameters(own.equations, tmp_path / "all.ssv", ssp=ssp))
    assert whole["bob.mass"] == "2.0 kg" and "solver.step" in whole


def test_another_reader_takes_it(given: Component, tmp_path: Path) -> None:
    """The reader is FMPy's, which checks the schema of SSP 1.0."""
    file = write_parameters(given, tmp_path / "set.ssv")
    read = read_ssv(str(file))
    found = {p.name: (p.type, p.value, p.unit) for p in read.parameters}
    assert found["bob.mass"] == ("Real", "0.5", "kg")
    assert found["solver.method"][:2] == ("Enumeration", "rosenbrock")


GRID = {"k": [[2.0, 3.0, 5.0], [7.0, 11.0, 13.0]], "on": [False, True], "law": "dry", "mass": 3.0}
"""What is given; of ``n`` one element alone."""


def arrays(**options: bool) -> Component:
    """Return a component with arrays of all types, whose values are given."""
    model = Model("grid")
    stiffness = model.parameter("k", np.ones((2, 3)), unit="N/m")
    count, mass = (
        model.parameter("n", [1, 2], kind="integer"),
        model.parameter("mass", 1.0, unit="kg"),
    )
    truth = model.parameter("on", [True, False])
    model.enumeration("law", ("wet", "dry"))
    model.state("place", stiffness[0, 1] + stiffness[1, 2] + count[0] + count[1] + mass + truth[1])
    given = GRID | {"n[2]": 7}
    return Component("grid", "", model.equations(), **options).started_at(given)


@pytest.mark.parametrize("name", ["a.ssv", "a.csv", "a.json", "a.toml", "new.ssv"])
@pytest.mark.parametrize("whole", [True, False])
def test_arrays_are_whole_where_the_format_has_them(name: str, whole: bool, tmp_path: Path) -> None:
    """The set is valid under the standard's schema, and gives the same values when it is read."""
    component = arrays(arrays=whole)
    file = write_parameters(component, tmp_path / name, ssp="2.0" if name == "new.ssv" else "1.0")
    read = read_parameters(file)
    if whole and name in ("a.json", "a.toml", "new.ssv"):
        assert list(read) == ["k", "on", "law", "mass", "n"]
    else:
        assert [key for key in read if key not in GRID] == [
            *(f"k[{i},{j}]" for i in (1, 2) for j in (1, 2, 3)), "on[1]", "on[2]", "n[2]"
        ]  # fmt: skip
    if name in ("a.json", "a.toml") and whole:
        assert dict(read) == GRID | {"n": [1, 7], "mass": "3.0 kg"}
    again = variables(Component("grid", "", component.equations).started_at(file), nominals=False)
    assert again == variables(component, nominals=False)
    for ending, version in (("a.ssv", "1.0"), ("new.ssv", "2.0")):
        if name == ending:
            schema = etree.parse(SCHEMAS[version] / "SystemStructureParameterValues.xsd")
            etree.XMLSchema(schema).assertValid(etree.parse(file))


def test_a_set_in_an_fmu_has_its_arrays(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        two, three = export(arrays(), tmp_path, tools=[], sources=False)
    for path, sizes in ((two, 0), (three, 2 + 1 + 1)):
        with zipfile.ZipFile(path) as archive:
            text = archive.read(f"{FOLDER}/grid.ssv")
        assert text.count(b"<ssc:Dimension size=") == sizes
        assert (b'"k[2,3]"' in text) == (sizes == 0)


def test_arrays_of_other_shapes_are_refused_with_file_and_line(tmp_path: Path) -> None:
    for name, text, said in (
        (
            "a.json",
            '{"mass": 2,\n"k": [[1, 2, 3], [4, 5]]}',
            "has rows of different lengths; give equal",
        ),
        (
            "a.json",
            '{"mass": 2,\n"k": [1, 2, 3, 4, 5, 6]}',
            r"shape \(6,\); k has the shape \(2, 3\)",
        ),
        (
            "a.toml",
            "mass = 2\nk = 5.0\n",
            r"k = 5\.0; k has the shape \(2, 3\), k\[1,1\] to k\[2,3\]",
        ),
        (
            "a.csv",
            'name,value\n"k[2,4]",1\n',
            r"state 'k\[2,4\]'; indices count from 1: k\[1,1\] to k\[2,3\]",
        ),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(ModelError, match=said) as refused:
            variables(arrays().started_at(tmp_path / name), nominals=False)
        assert str(refused.value).startswith(f"{tmp_path / name}, line 2: ")


def test_a_wrong_version_or_name_of_a_file_is_refused(given: Component, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"ssp = '3.0'; give one of 1\.0, 2\.0"):
        write_parameters(given, tmp_path / "a.ssv", ssp="3.0")
    with pytest.raises(ModelError, match="it is a parameter set, let it end in"):
        write_parameters(given, tmp_path / "a.xml")


@pytest.mark.heavy
def test_an_fmu_moves_as_one_in_which_the_values_are_set(
    component: Component, tools: Tools, tmp_path: Path
) -> None:
    file = write_parameters(component, tmp_path / "set.ssv", GIVEN)
    made = export(component, tmp_path / "given", tools=tools, parameters=file)
    own = export(component, tmp_path / "own", tools=tools)
    for new, old, ssp in zip(made, own, ("1.0", "2.0"), strict=True):
        assert check(new).problems == ()
        outputs = ["bob.x", "energy", "pendulum.angle"]
        runs = [
            fmpy.simulate_fmu(
                str(path), stop_time=0.5, output_interval=0.1, output=outputs, start_values=values
            )
            for path, values in ((new, {}), (old, IN_SI | {"solver.method": 2}))
        ]
        np.testing.assert_array_equal(*runs)
        assert runs[0]["pendulum.angle"][0] == np.pi / 9
        described = {v.name: v.start for v in fmpy.read_model_description(new).modelVariables}
        assert float(described["rod.length"]) == 0.4 and described["solver.method"] == "2"
        with zipfile.ZipFile(new) as archive:
            manifest = ElementTree.fromstring(archive.read(f"{FOLDER}/fmi-ls-manifest.xml"))
            (tmp_path / "found.ssv").write_bytes(archive.read(f"{FOLDER}/pendulum.ssv"))
        related = {one.get("role"): one.attrib for one in manifest}
        assert related["parameter"]["source"] == "pendulum.ssv"
        assert related["parameter"]["type"] == "application/x-ssp-parameter-set"
        assert set(related) == {"result", "testcase", "parameter"}
        assert f'version="{ssp}"' in (tmp_path / "found.ssv").read_text("utf-8")
        assert dict(read_parameters(tmp_path / "found.ssv")) == dict(read_parameters(file))
    with zipfile.ZipFile(own[0]) as archive:
        assert f"{FOLDER}/pendulum.ssv" not in archive.namelist()


def test_start_values_that_fit_no_configuration_are_told(component: Component) -> None:
    long = component.started_at({"rod.length": 20.0})
    with pytest.warns(ModelWarning, match="cannot be initialized at its start values.*rod.length"):
        look_at_start(long, variables(long, nominals=False))
