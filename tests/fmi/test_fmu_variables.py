"""What the FMUs offer importers that know fewer types, set parameters only, or draw connections."""

from __future__ import annotations

import zipfile
from pathlib import Path

import fmpy
import numpy as np
import pytest
from lxml import etree

from tests.conftest import ERROR, OK, Archive, Instance, OpenFmu

SCHEMA = Path(fmpy.__file__).parent / "schema"


def test_real_twins_follow_discrete_outputs(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("clearance_joint")
    assert fmu.initialize() == OK
    seen = set()
    for time in np.linspace(0, 3e-3, 31)[1:]:
        fmu.run(float(time), step=1e-4)
        for name in ("joint.in_contact", "joint.impacts", "joint.switches"):
            assert fmu.get(f"{name}_real") == float(fmu.get(name)), name
        seen.add(fmu.get("joint.impacts_real"))
    assert max(seen) >= 1, "something happens"
    twin = fmu.variables["joint.in_contact_real"]
    assert (twin.causality, twin.variability) == ("output", "discrete")


def test_selectors_choose_as_enumerations_do(open_fmu: OpenFmu) -> None:
    chosen = []
    for values in (
        {"joint.law": 2},
        {"joint.law_number": 2},
        {"joint.law_number": 2, "joint.law": 3},
    ):
        fmu = open_fmu("clearance_joint")
        assert fmu.initialize(values, tolerance=1e-8) == OK
        fmu.run(2e-3, step=1e-4)
        assert fmu.get("joint.law") == 2
        chosen.append(fmu.values(("joint.x", "joint.y", "joint.force")))
    np.testing.assert_array_equal(chosen[1], chosen[0])
    np.testing.assert_array_equal(chosen[2], chosen[0])


def test_a_selector_at_zero_leaves_it_to_the_enumeration(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("vehicle")
    fmu.enter_initialization({"steering": 2})
    assert fmu.get("steering_number") == 0
    assert fmu.set({"steering_number": 3}) == OK
    assert fmu.get("steering") == 3
    assert fmu.set({"steering_number": 0}) == OK
    assert fmu.get("steering") == 2
    assert fmu.set({"solver.method_number": 3}) == OK
    assert fmu.get("solver.method") == 3
    assert fmu.call("ExitInitializationMode") == OK
    assert fmu.set({"steering_number": 1}) == ERROR


def test_start_values_are_parameters_too(open_fmu: OpenFmu) -> None:
    """In order: the parameter, the state's own value, both, in either order, and neither."""
    given = [
        ({"start.chassis.speed": 15.0}, 15.0),
        ({"chassis.speed": 15.0}, 15.0),
        ({"start.chassis.speed": 15.0, "chassis.speed": 16.0}, 16.0),
        ({"chassis.speed": 16.0, "start.chassis.speed": 15.0}, 16.0),
        ({"start.chassis.speed": 15.0, "chassis.speed": 10.0}, 15.0),
        ({}, 10.0),
    ]
    for values, expected in given:
        fmu = open_fmu("vehicle")
        fmu.enter_initialization(values)
        assert fmu.get("chassis.speed") == expected, values
        assert fmu.call("ExitInitializationMode") == OK
        fmu.run(1.0, step=0.5)
        assert fmu.get("chassis.x") == pytest.approx(expected, rel=1e-12)
    fmu = open_fmu("vehicle")
    assert fmu.initialize({"start.chassis.speed": 15.0}) == OK
    assert fmu.call("Terminate") == OK
    assert fmu.call("Reset") == OK
    assert fmu.get("chassis.speed") == 10.0


def test_a_derivative_is_a_variable_beside_the_output_of_the_same_value(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("caster")
    rate, derivative = (fmu.variables[n] for n in ("swivel.rate", "der(swivel.angle)"))
    assert (rate.causality, rate.derivative) == ("output", None)
    assert (derivative.causality, derivative.derivative.name) == ("local", "swivel.angle")
    assert derivative.valueReference != rate.valueReference
    assert fmu.initialize({"swivel.angle": 0.3, "attachment.speed": 2.0}) == OK
    # l dφ/dt = (du/dt) cos φ - v sin φ
    expected = -2.0 * np.sin(0.3)
    assert fmu.values(("swivel.rate", "der(swivel.angle)")) == pytest.approx(expected, rel=1e-12)


def test_states_that_impacts_change_say_so(open_fmu: OpenFmu) -> None:
    for name, expected in (
        ("clearance_joint", {"joint.x", "joint.y", "joint.x_rate", "joint.y_rate"}),
        ("vehicle", set()),
    ):
        with zipfile.ZipFile(open_fmu(name).archive.path) as opened:
            root = etree.fromstring(opened.read("modelDescription.xml"))
        found = [e for e in root.iter() if e.get("reinit") == "true"]
        names = {e.get("name") or e.getparent().get("name") for e in found}
        assert names == expected


def test_outputs_have_natural_nominals(archive: Archive) -> None:
    for name, variable in archive.variables.items():
        if variable.nominal is not None:
            assert 1e-12 < float(variable.nominal) < 1e12, name
    if archive.description.modelName == "vehicle":
        size = {n: float(v.nominal or 1) for n, v in archive.variables.items()}
        # m v²/2 = 60 kJ, and a force of some kN
        assert size["energy.kinetic"] == 1e5
        assert size["front.lateral_force"] in (1e3, 1e4)


def test_terminals_name_variables_and_fit_the_schema(archive: Archive) -> None:
    with zipfile.ZipFile(archive.path) as opened:
        content = opened.read("terminalsAndIcons/terminalsAndIcons.xml")
        assert opened.read("terminalsAndIcons/icon.png")[:4] == b"\x89PNG"
    root = etree.fromstring(content)
    etree.XMLSchema(etree.parse(SCHEMA / "fmi3" / "fmi3TerminalsAndIcons.xsd")).assertValid(root)
    members = [e.get("variableName") for e in root.iter("TerminalMemberVariable")]
    assert members
    assert set(members) <= set(archive.variables)
    assert root.get("fmiVersion") == "3.0"


def test_descriptions_fit_the_schemas(archive: Archive) -> None:
    version = archive.version[0]
    schema = etree.XMLSchema(
        etree.parse(SCHEMA / f"fmi{version}" / f"fmi{version}ModelDescription.xsd")
    )
    with zipfile.ZipFile(archive.path) as opened:
        schema.assertValid(etree.fromstring(opened.read("modelDescription.xml")))


def test_what_importers_of_parameters_see_is_fixed(open_fmu: OpenFmu) -> None:
    fmu: Instance = open_fmu("bicycle")
    variable = fmu.variables["start.bicycle.speed"]
    assert (variable.causality, variable.variability) == ("parameter", "fixed")
    assert float(variable.start) == 5.0
    assert variable.unit == "m/s"
