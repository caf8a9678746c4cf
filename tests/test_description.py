"""Model descriptions: valid by FMI's schemas, complete, and the same in both versions."""

import re
from xml.etree import ElementTree

import casadi as ca
import pytest
from fmpy.validation import validate_fmu
from pendulum import pendulum

from mbcore import Model, ModelError
from mbcore.codegen.dependencies import dependencies
from mbcore.codegen.table import table
from mbcore.fmi import Experiment, description2, description3
from mbcore.fmi.description import Description

MAKERS = {"2.0": description2.model_description, "3.0": description3.model_description}


def describe(model, **more):
    equations = model.equations()
    rows = table(equations, 0.01)
    return Description(
        "pendulum", "A pendulum\nthat swings", "{0}", rows, dependencies(equations, rows),
        Experiment(stop=2.0, step=0.01), **more,
    )  # fmt: skip


@pytest.fixture(scope="module")
def description():
    return describe(pendulum())


@pytest.fixture(scope="module", params=MAKERS)
def version(request):
    return request.param


@pytest.fixture(scope="module")
def root(description, version):
    return ElementTree.fromstring(MAKERS[version](description))


def variables(root):
    """Return attributes by name, those of the FMI 2 type element among them."""
    found = {}
    for element in root.find("ModelVariables"):
        attributes = dict(element.attrib)
        if element.tag == "ScalarVariable":
            attributes |= element[0].attrib | {"type": element[0].tag}
        else:
            attributes["type"] = element.tag
        found[attributes["name"]] = attributes
    return found


def kinds(root, version):
    """Return what each output depends on, and how, by names."""
    by_reference = {a["valueReference"]: name for name, a in variables(root).items()}
    first = 0 if version == "3.0" else 1
    key, path = ("valueReference", "Output") if version == "3.0" else ("index", "Outputs/Unknown")
    found = {}
    for unknown in root.iterfind(f"ModelStructure/{path}"):
        listed = [unknown.get(key), *unknown.get("dependencies").split()]
        name, *known = [by_reference[str(int(i) - first)] for i in listed]
        found[name] = dict(zip(known, unknown.get("dependenciesKind", "").split(), strict=True))
    return found


@pytest.mark.parametrize("bridge", [False, True])
def test_fmpy_finds_no_problem(version, bridge, tmp_path):
    if bridge and version == "3.0":
        pytest.skip("the Python flavour is FMI 2.0")
    content = MAKERS[version](describe(pendulum(), bridge=bridge))
    (tmp_path / "modelDescription.xml").write_bytes(content)
    assert validate_fmu(str(tmp_path)) == []


def test_values_are_characterized_as_agreed(root):
    found = variables(root)

    def says(name, **attributes):
        given = {key: found[name].get(key) for key in attributes}
        assert given == attributes, name

    says("time", causality="independent", variability="continuous", start=None)
    says("bob.mass", causality="parameter", variability="tunable", initial="exact", unit="kg")
    says("rod.length", variability="fixed", min="0.0", start="0.5", displayUnit="mm")
    says("pivot.law", variability="fixed", start="1", type="Enumeration")
    says("solver.method", variability="fixed", start="1", type="Enumeration")
    says("solver.tolerance", variability="fixed", start="1e-06", unit="1")
    says("pivot.torque", causality="input", initial=None, start="0.0", min="-100.0")
    says("pendulum.angle", causality="output", initial="exact", displayUnit="deg", start="0.1")
    says("pendulum.rate", initial="exact", unit="rad/s", displayUnit=None)
    says("der(pendulum.rate)", causality="local", initial="calculated", unit="rad/s2")
    says("gate.passages", causality="output", variability="discrete", start=None)
    says("gate.time", variability="discrete", initial="calculated", unit="s")
    says("gate.active", causality="local", variability="discrete", type="Boolean")
    says("bob.right", causality="output", variability="discrete", type="Boolean")
    says("energy", variability="continuous", initial="calculated", unit="J")
    assert found["pivot.torque"]["description"] == '"outside" & <in>'
    assert all(float(v["nominal"]) > 0 for v in found.values() if "nominal" in v)


def test_value_references_are_the_tables(description, root):
    rows = {row.name: str(row.reference) for row in description.table.rows}
    for name, attributes in variables(root).items():
        assert attributes["valueReference"] == rows[name]


def test_states_follow_from_their_derivatives(root, version):
    found = variables(root)
    names = list(found)
    for name in ("pendulum.angle", "pendulum.rate"):
        reference = found[f"der({name})"]["derivative"]
        if version == "2.0":
            assert names[int(reference) - 1] == name
        else:
            assert reference == found[name]["valueReference"]


def test_event_indicators_are_declared(root, version):
    if version == "2.0":
        assert root.get("numberOfEventIndicators") == "1"
        assert "gate.indicator" not in variables(root)
    else:
        indicator = variables(root)["gate.indicator"]["valueReference"]
        listed = [e.get("valueReference") for e in root.iter("EventIndicator")]
        assert listed == [indicator]
        assert root.find("ModelExchange").get("needsCompletedIntegratorStep") == "true"


def test_the_python_flavour_needs_its_tool_and_offers_co_simulation_only():
    root = ElementTree.fromstring(description2.model_description(describe(pendulum(), bridge=True)))
    assert root.find("ModelExchange") is None
    assert root.find("CoSimulation").get("needsExecutionTool") == "true"


def test_items_that_are_not_available_say_so(root):
    items = {item.get("name"): item.get("description") for item in root.iter("Item")}
    assert items["dry"] == "friction; not yet available, refused at initialization"
    assert {"runge_kutta", "rosenbrock", "fixed_step"} <= set(items)


def test_the_date_is_utc_and_reproducible(description, version, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    first = MAKERS[version](description)
    assert b'generationDateAndTime="1970-01-02T00:00:00Z"' in first
    assert first == MAKERS[version](description)
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    date = ElementTree.fromstring(MAKERS[version](description)).get("generationDateAndTime")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", date)


def test_an_unknown_unit_names_its_variable(version):
    model = pendulum()
    model.output("speed", 0.0, unit="furlong/s")
    with pytest.raises(ModelError, match=r"'speed'.*'furlong'"):
        MAKERS[version](describe(model))


def test_minimum_of_a_positive_parameter_is_zero(root):
    found = variables(root)
    for name in ("solver.tolerance", "solver.step", "solver.most_evaluations", "bob.mass"):
        assert found[name]["min"] == "0.0", name


def latched():
    """Return a pendulum whose output follows the mode of an event."""
    model = pendulum()
    model.output("mode", 2.0 * model.events["gate"].active)
    return model


def test_what_depends_on_modes_depends_at_the_start_on_what_these_follow_from(version):
    """The gate's mode follows from where the bob is: no other list may be missing either."""
    root = ElementTree.fromstring(MAKERS[version](describe(latched())))
    reference = int(variables(root)["mode"]["valueReference"])
    tag, key = ("InitialUnknown", "valueReference") if version == "3.0" else ("Unknown", "index")
    parent = root.find("ModelStructure") if version == "3.0" else root.find(".//InitialUnknowns")
    place = str(reference if version == "3.0" else reference + 1)
    [unknown] = [e for e in parent.iter(tag) if e.get(key) == place]
    named = [variables(root)[n]["valueReference"] for n in ("rod.length", "pendulum.angle")]
    known = [str(int(i) + (0 if version == "3.0" else 1)) for i in named]
    assert unknown.get("dependencies").split() == known
    assert unknown.get("dependenciesKind") == "dependent dependent"
    assert all(e.get("dependencies") is not None for e in parent.iter(tag))


def test_indicators_depend_on_states_and_parameters(description):
    root = ElementTree.fromstring(MAKERS["3.0"](description))
    found = variables(root)
    [indicator] = root.iter("EventIndicator")
    known = set(indicator.get("dependencies").split())
    assert known == {found[n]["valueReference"] for n in ("rod.length", "pendulum.angle")}


def test_kinds_of_dependencies_say_what_factors_consist_of(version):
    """An output for each kind of factor; where knowns are multiplied, or decide, there is none."""
    model = Model("kinds")
    stiff = model.parameter("stiff", 2.0)
    size = model.parameter("size", 3.0, tunable=False)
    force, angle = model.input("force"), model.input("angle")
    x = model.state("x", ca.SX(0))
    model.event("gate", x - 1.0, band=1e-9)
    model.output("doubled", 2 * x + force)
    model.output("by.fixed", size**2 * x)
    model.output("by.tunable", size * stiff * x)
    model.output("by.mode", model.events["gate"].active * x)
    model.output("anyhow", ca.sin(angle) * x + angle)
    model.output("jumps", x + (x > force))
    root = ElementTree.fromstring(MAKERS[version](describe(model)))
    found = kinds(root, version)
    assert found["doubled"] == {"x": "constant", "force": "constant"}
    assert found["by.fixed"]["x"] == "fixed"
    assert found["by.tunable"]["x"] == "tunable"
    assert found["by.mode"] == {"x": "discrete"}
    assert found["anyhow"] == {"x": "dependent", "angle": "dependent"}
    assert found["jumps"] == {"x": "dependent", "force": "dependent"}
    parameters = {n for known in found.values() for n in known if n in ("size", "stiff")}
    assert parameters == (set() if version == "2.0" else {"size", "stiff"})
