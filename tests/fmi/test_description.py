"""Model descriptions: valid by FMI's schemas, complete, and the same in both versions."""

import re
from xml.etree import ElementTree

import casadi as ca
import pytest
from fmpy.validation import validate_fmu

from mbcore import Model
from mbcore.codegen.dependencies import dependencies
from mbcore.codegen.table import Offers, table
from mbcore.fmi import Component, Experiment
from mbcore.fmi.description import description2, description3
from mbcore.fmi.description.description import Description
from mbcore.fmi.description.remarks import remarks_in
from mbcore.fmi.description.variables import variables as table_of_component
from mbcore.fmi.page_settings import Page, Remark
from tests.pendulum import pendulum

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


def kinds(root, version, of="Output"):
    """Return what each output, or initial unknown, depends on, and how, by names."""
    by_reference = {a["valueReference"]: name for name, a in variables(root).items()}
    first = 0 if version == "3.0" else 1
    key, path = ("valueReference", of) if version == "3.0" else ("index", f"{of}s/Unknown")
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


def test_remarks_come_back_and_stand_where_tools_put_their_own(version, tmp_path):
    far = Remark(("pendulum.angle", "energy"), "bob.mass", "push < 3 & less")
    content = MAKERS[version](describe(pendulum(), remarks={"bob.right": far}))
    (tmp_path / "modelDescription.xml").write_bytes(content)
    assert validate_fmu(str(tmp_path)) == []
    assert remarks_in(content) == {"bob.right": far}
    own = {"2.0": ("VendorAnnotations/Tool", "name"), "3.0": ("Annotations/Annotation", "type")}
    path, key = own[version]
    assert ElementTree.fromstring(content).find(path).get(key) == "mbcore"
    assert remarks_in(content.replace(b"limit=", b"other=")) == {}
    assert remarks_in(MAKERS[version](describe(pendulum()))) == {}


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


def test_kinds_at_the_start_are_those_of_all_ways_to_a_known(version):
    """w enters itself, with a constant factor, and as the start of z, with one that changes."""
    model = Model("joined")
    size = model.parameter("size", 3.0, tunable=False)
    model.parameter("mass", 2.0)
    w = model.input("w")
    x = model.state("x", ca.SX(0))
    z = model.state("z", ca.SX(0), start=w)
    model.output("joined", z * x + w)
    model.output("plain", 2 * w + 1)
    model.output("scaled", size * x)
    root = ElementTree.fromstring(MAKERS[version](describe(model)))
    initial = kinds(root, version, "InitialUnknown")
    assert initial["joined"]["w"] == "dependent"
    assert initial["plain"] == {"w": "constant"}
    assert initial["scaled"]["x"] == "dependent"  # no parameter is fixed before initialization ends
    assert set().union(*(known.values() for known in initial.values())) == {"constant", "dependent"}
    assert kinds(root, version)["scaled"]["x"] == "fixed"


def test_sizes_of_outputs_and_derivatives_are_written(version):
    model = Model("sizes")
    x = model.state("x", 3e4 + model.time, unit="m", nominal=1e-5)
    model.output("given", x, unit="m", nominal=1e-4)
    model.output("found", 2e-3 + x, unit="m")
    model.output("none", 0 * x, unit="m")
    model.discrete("kept", unit="N", nominal=1e4)
    equations = model.equations()
    rows = table_of_component(Component("sizes", "", equations))
    known = dependencies(equations, rows)
    described = Description("sizes", "", "{0}", rows, known, Experiment(stop=2.0, step=0.01))
    found = variables(ElementTree.fromstring(MAKERS[version](described)))
    right = {"x": 1e-5, "der(x)": 1e4, "given": 1e-4, "found": 1e-3, "none": 1.0, "kept": 1e4}
    assert {name: float(found[name]["nominal"]) for name in right} == right


def test_indicators_have_kinds_as_outputs_have():
    """Theirs are of the running model: a fixed factor stays fixed, a mode is not an unknown."""
    model = Model("watched")
    size = model.parameter("size", 3.0, tunable=False)
    x, z = model.state("x", ca.SX(0)), model.state("z", ca.SX(0))
    mode = model.event("gate")
    model.event("gate", size * x + mode * z - 1.0, band=1e-9)
    root = ElementTree.fromstring(MAKERS["3.0"](describe(model)))
    found = variables(root)
    [indicator] = root.iter("EventIndicator")
    known = dict(
        zip(
            indicator.get("dependencies").split(),
            indicator.get("dependenciesKind").split(),
            strict=True,
        )
    )
    references = {name: found[name]["valueReference"] for name in ("size", "x", "z")}
    assert known == {
        references["size"]: "dependent", references["x"]: "fixed", references["z"]: "discrete",
    }  # fmt: skip


def test_what_depends_on_an_enumeration_depends_on_its_number_too():
    """And on what gives a start value, while initializing."""
    model = Model("chosen")
    law = model.enumeration("law", ["slow", "fast"])
    x = model.state("x", ca.SX(0))
    model.output("rate", model.select(law, x, 3 * x))
    equations = model.equations()
    rows = table(equations, 0.01, Offers(twins=True, starts=True))
    known = dependencies(equations, rows)
    number, law, start = (rows.named(n).reference for n in ("law_number", "law", "start.x"))
    rate = rows.named("rate").reference
    assert {number, law} <= set(known.running[rate])
    assert start not in known.running[rate]
    assert {number, law, start} <= set(known.initial[rate])


def test_the_index_of_an_alias_is_that_of_its_name():
    """Behind all rows that FMI 2.0 shows, which indicators are not."""
    model = Model("named twice")
    x = model.state("x", ca.SX(1), visibility="output")
    model.event("gate", x - 1.0, band=1e-9)
    model.output("more", 2 * x)
    model.output("way", x)
    equations = model.equations()
    rows = table(equations, 0.01, Offers(aliases={"way": "x"}))
    known = dependencies(equations, rows)
    described = Description("twice", "", "{0}", rows, known, Experiment(stop=2.0, step=0.01))
    root = ElementTree.fromstring(description2.model_description(described))
    names = list(variables(root))
    listed = [
        names[int(e.get("index")) - 1] for e in root.iterfind("ModelStructure/Outputs/Unknown")
    ]
    assert set(listed) == {"x", "more", "way"}


def test_an_input_that_acts_with_one_value_of_a_list_says_so() -> None:
    model = Model("drive")
    torque, speed = model.input("torque", unit="N.m", description="of the motor"), model.input("v")
    by_speed = ca.eq(model.enumeration("drive", ["torque", "speed"]), 2)
    model.state("x")
    model.derivative("x", ca.if_else(by_speed, speed, torque))
    used = {"torque": ("drive", "torque"), "v": ("drive", "speed")}
    rows = table_of_component(
        Component("drive", "", model.equations(), page=Page(used_with=used)), nominals=False
    )
    said = {row.name: row.description for row in rows.of("input")}
    assert said == {
        "torque": "of the motor, acts with drive = torque",
        "v": "acts with drive = speed",
    }
