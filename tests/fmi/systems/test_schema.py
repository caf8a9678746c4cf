"""Packages of SSP are valid under the standard's schemas; ``ssp2/`` has those of SSP 2.0 (BSD)."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from lxml import etree

from mbcore import Model, ModelError, ModelWarning
from mbcore.fmi import Component, System, Terminal, export
from mbcore.fmi.systems.connections import Place

SCHEMAS = {
    "1.0": Path(fmpy.__file__).parent / "ssp" / "schema",
    "2.0": Path(__file__).parent / "ssp2",
}


def block(name: str) -> Component:
    """A mass that a force moves, with variables of all types."""
    model = Model(name)
    force = model.input("force", unit="N")
    speed = model.state("speed", force, start=1.0, unit="m/s", visibility="output")
    model.output("reaction", 2 * speed, unit="N")
    model.output("fast", speed > 1, kind="boolean")
    model.enumeration("gear", ("first", "second"))
    model.parameter("teeth", 12, kind="integer")
    model.parameter("loaded", True)
    pair = model.state("pair", model.input("pull", [0.0, 0.0], unit="m/s"), [0.0, 0.0], unit="m")
    model.output("pulls", 3 * pair / model.parameter("lag", 2.0, unit="s"), unit="m/s")
    ends = (("acts", "reaction"), ("gets", "force"))
    terminals = tuple(Terminal(end, {"force": of}, flows=["force"]) for end, of in ends)
    return Component(name, "A block", model.equations(), terminals=terminals)


@pytest.fixture(scope="module")
def fmus(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """An FMU of each version, without binaries: they are written, not run."""
    folder = tmp_path_factory.mktemp("blocks")
    with pytest.warns(ModelWarning, match="nothing uses"):
        two, three = export(block("block"), folder, ("2.0", "3.0"), tools=[], sources=False)
    return {"2.0": two, "3.0": three}


def system(fmu: Path) -> System:
    start = {"one.speed": 3.0, "two.gear": "second", "two.loaded": False, "two.teeth": 20}
    made = System("pair", {"one": fmu, "two": fmu}, start)
    made.connect("one.acts", "two.gets")
    assert made.connections[0].factor == -1
    made.show("one.speed", "two.fast")
    return made


@pytest.mark.parametrize(("version", "fmi"), [("1.0", "2.0"), ("2.0", "2.0"), ("2.0", "3.0")])
def test_packages_are_valid(fmus: dict[str, Path], version: str, fmi: str, tmp_path: Path) -> None:
    path = system(fmus[fmi]).write(tmp_path / "pair.ssp", version)
    with zipfile.ZipFile(path) as archive:
        for name, kind in (
            ("SystemStructure.ssd", "Description"),
            ("resources/start.ssv", "ParameterValues"),
        ):
            schema = etree.XMLSchema(etree.parse(SCHEMAS[version] / f"SystemStructure{kind}.xsd"))
            schema.assertValid(etree.fromstring(archive.read(name)))


def chooser(items: tuple[str, ...], start: int = 1) -> Component:
    """A block that chooses a gear and counts, and is told a gear."""
    model = Model("chooser")
    told = model.input("told", "first", items=items)
    model.output("chosen", told, items=items)
    model.output("count", told + start, kind="integer")
    return Component("chooser", "", model.equations())


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_choices_are_connected_by_their_items(fmi: str, tmp_path: Path) -> None:
    two, three = ("first", "second"), ("first", "second", "third")
    fmus = {}
    for name, items in (("one", two), ("other", two), ("more", three)):
        [fmus[name]] = export(chooser(items), tmp_path / name, fmi, tools=[], sources=False)
    made = System("gears", fmus)
    made.connect("one.chosen", "other.told")
    with pytest.raises(
        ModelError,
        match=r"is a choice of first = 1, second = 2, and one\.count of type Int\w+, which may",
    ):
        made.connect("one.count", "one.told")
    with pytest.raises(
        ModelError,
        match=r"other\.chosen is a choice of first = 1, second = 2 and more\.told is a choice of "
        r"first = 1, second = 2, third = 3; connect choices of the same items",
    ):
        made.connect("other.chosen", "more.told")


def test_arrays_are_connected_as_a_whole(fmus: dict[str, Path], tmp_path: Path) -> None:
    """FMI 3.0 has arrays; SSP 2.0 connects them, SSP 1.0 does not, and neither does elements."""
    start = {"one.pair": [1.0, "2 cm"], "two.pull[2]": 0.5}
    made = System("arrays", dict.fromkeys(("one", "two"), fmus["3.0"]), start)
    made.connect("one.pulls", "two.pull")
    with pytest.raises(ModelError, match=r"two\.pull\[1\] is connected with one\.pulls\[1\]"):
        made.connect("two.pulls[1]", "two.pull[1]")
    with pytest.raises(ModelError, match=r"one is a number, the other an array of shape \(2,\)"):
        made.connect("two.pulls[1]", "one.pull")
    with pytest.raises(ModelError, match=r"start value one\.pair\[1\] is given twice"):
        System("twice", {"one": fmus["3.0"]}, {"one.pair": [1, 2], "one.pair[1]": 1})
    with pytest.raises(ModelError, match=r"start value one\.pair = 1; pair has 2 values"):
        System("short", {"one": fmus["3.0"]}, {"one.pair": 1})
    with pytest.warns(ModelWarning, match=r"two\.pull\[2\] by one\.pulls\[2\]; leave"):
        path = made.write(tmp_path / "arrays.ssp")
    with zipfile.ZipFile(path) as archive:
        text = archive.read("SystemStructure.ssd")
    schema = etree.XMLSchema(etree.parse(SCHEMAS["2.0"] / "SystemStructureDescription.xsd"))
    schema.assertValid(etree.fromstring(text))
    sizes = text.count(b'<ssc:Dimension size="2"')
    assert sizes == 3 + 2  # of two outputs and an input, and of the system's two outputs
    again = System.read(path)
    assert again.connections == made.connections
    assert again._start == made._start | {Place("two", "pull[1]"): 0.0}  # where the FMU starts
    assert again._start[Place("one", "pair[2]")] == 0.02
    with zipfile.ZipFile(path) as archive:
        text = archive.read("resources/start.ssv")
    schema = etree.XMLSchema(etree.parse(SCHEMAS["2.0"] / "SystemStructureParameterValues.xsd"))
    schema.assertValid(etree.fromstring(text))
    assert b'name="one.pair"' in text and b'value="1.0 0.02"' in text and b"pair[" not in text
    made.show("one.pulls[1]")
    with (
        pytest.warns(ModelWarning, match="change nothing"),
        pytest.raises(ModelError, match=r"one\.pulls\[1\] is an element, and connectors"),
    ):
        made.write(tmp_path / "element.ssp")
    old = System("old", dict.fromkeys(("one", "two"), fmus["3.0"]))
    old.connect("one.pulls", "two.pull")
    with (
        pytest.warns(ModelWarning, match="tools may refuse"),
        pytest.raises(ModelError, match=r"one\.pulls is an array, which SSP 1\.0 does not know"),
    ):
        old.write(tmp_path / "old.ssp", "1.0")


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_steps_of_fmus_that_save_no_state_are_not_repeated(
    fmus: dict[str, Path], version: str, tmp_path: Path
) -> None:
    forgets = tmp_path / "forgets.fmu"
    with zipfile.ZipFile(fmus[version]) as of, zipfile.ZipFile(forgets, "w") as to:
        text, able = of.read("modelDescription.xml"), rb'(canGetAndSetFMUstate=)"true"'
        changed, count = re.subn(rb"(?i)" + able, rb'\1"false"', text)
        assert count == 2  # of both interfaces
        to.writestr("modelDescription.xml", changed)
    made = System("pair", {"saves": fmus[version], "forgets": forgets})
    made.connect("saves.reaction", "forgets.force")
    said = r"repeats steps, and forgets cannot save the state for it .*give coupling='extrapolated'"
    with pytest.raises(ModelError, match=said):
        made.simulate(1.0, 0.1, "iterated")


@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("loaded", "false", 0.0),
        ("loaded", np.True_, 1.0),
        ("loaded", 2, "start value a.loaded = 2: give true or false"),
        ("teeth", 7.0, 7.0),
        ("teeth", "7", "start value a.teeth = '7': give a whole number"),
        ("teeth", 2.5, "start value a.teeth = 2.5: give a whole number"),
        ("gear", "second", 2.0),
        ("gear", 1, 1.0),
        ("gear", 3, "start value a.gear = 3: give one of first, second"),
        ("gear", "third", "start value a.gear = 'third': give one of first, second"),
        ("gear", True, "start value a.gear = True: give one of first, second"),
        ("speed", "36 km/h", 10.0),
        ("speed", "1 kg", "start value a.speed"),
        ("speed", "fast", "start value a.speed"),
        ("speed", np.nan, "start value a.speed = nan: give a finite number"),
    ],
)
def test_values_are_written_as_in_a_run(
    fmus: dict[str, Path], version: str, name: str, value: Any, expected: float | str
) -> None:
    if isinstance(expected, str):
        with pytest.raises(ModelError, match=re.escape(expected)):
            System("one", {"a": fmus[version]}, {f"a.{name}": value})
        return
    made = System("one", {"a": fmus[version]}, {f"a.{name}": value})
    assert made._start == {Place("a", name): pytest.approx(expected, rel=1e-15)}


def test_the_schema_finds_what_is_wrong(fmus: dict[str, Path], tmp_path: Path) -> None:
    path = system(fmus["3.0"]).write(tmp_path / "pair.ssp")
    schema = etree.XMLSchema(etree.parse(SCHEMAS["2.0"] / "SystemStructureDescription.xsd"))
    with zipfile.ZipFile(path) as archive:
        text = archive.read("SystemStructure.ssd").replace(b"ssc:Float64", b"ssc:Float65")
    assert not schema.validate(etree.fromstring(text))


def test_what_a_package_leaves_without_effect_is_told(
    fmus: dict[str, Path], tmp_path: Path
) -> None:
    told = r'but one, two of FMI 3\.0; tools may refuse .* version="2\.0"'
    with pytest.warns(ModelWarning, match=told):
        system(fmus["3.0"]).write(tmp_path / "old.ssp", "1.0")
    idle = System("idle", dict.fromkeys(("one", "two"), fmus["3.0"]), {"two.force": 2.0})
    idle.connect("one.acts", "two.gets")
    with pytest.warns(ModelWarning, match=r"change nothing.*: two\.force by one\.reaction; leave"):
        idle.write(tmp_path / "idle.ssp")
