"""Truth values, whole numbers and choices in FMUs: what importers see, set and get."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException

from mbcore.cli.program import main
from mbcore.codegen.dependencies import dependencies
from mbcore.fmi import Component, export
from mbcore.fmi.check import check
from mbcore.fmi.description import description2, description3
from mbcore.fmi.description.description import Description
from mbcore.fmi.description.variables import variables
from mbcore.fmi.python.python_flavour import export_python
from tests.built import Tools
from tests.model import carts
from tests.model.carts import PLACE, ROWS, SPEED

FMI2 = {
    "strong": ("Boolean", "parameter", "fixed", {"start": "false"}),
    "motors": ("Integer", "parameter", "fixed", {"start": "1", "min": "1"}),
    "side": ("Enumeration", "parameter", "fixed", {"start": "2", "declaredType": "Types.side"}),
    "on": ("Boolean", "input", "discrete", {"start": "true"}),
    "times": ("Integer", "input", "discrete", {"start": "1", "max": "5"}),
    "gear": ("Enumeration", "input", "discrete", {"start": "1", "declaredType": "Types.gear"}),
    "pulls": ("Boolean", "output", "discrete", {}),
    "count": ("Integer", "output", "discrete", {}),
    "chosen": ("Enumeration", "output", "discrete", {"declaredType": "Types.chosen"}),
}
FMI3 = {"Integer": "Int32"}
ITEMS = {"side": ["rear", "front", "none"], "gear": ["first", "second"]}
SIGNAL = np.array(
    [
        (0.0, True, 2, 1), (0.5, True, 2, 1), (0.5, False, 2, 1), (1.0, False, 2, 1),
        (1.0, True, 1, 3), (2.0, True, 1, 3),
    ],
    dtype=[("time", float), ("on", bool), ("gear", int), ("times", int)],
)  # fmt: skip


@pytest.fixture(scope="module")
def component() -> Component:
    return carts.component()


def test_descriptions_have_the_types(component: Component) -> None:
    table = variables(component, nominals=False)
    of = Description(
        "cart", "", "{0}", table, dependencies(component.equations, table), component.experiment
    )
    two = ElementTree.fromstring(description2.model_description(of))
    three = ElementTree.fromstring(description3.model_description(of))
    found3 = {v.get("name"): v for v in three.find("ModelVariables") or ()}
    for variable in two.iter("ScalarVariable"):
        name = variable.get("name", "")
        if name not in FMI2:
            continue
        kind, causality, variability, attributes = FMI2[name]
        (inside,) = variable
        assert (inside.tag, inside.attrib) == (kind, attributes)
        other = found3[name]
        assert other.tag == FMI3.get(kind, kind)
        assert attributes.items() <= other.attrib.items()
        assert "intermediateUpdate" not in other.attrib
        for one in (variable, other):
            assert (one.get("causality"), one.get("variability")) == (causality, variability)
    for name, items in ITEMS.items():
        (simple,) = [t for t in two.iter("SimpleType") if t.get("name") == f"Types.{name}"]
        assert [item.get("name") for item in simple.iter("Item")] == items


@pytest.fixture(scope="module")
def fmus(
    component: Component, tools: Tools, tmp_path_factory: pytest.TempPathFactory
) -> list[Path]:
    return export(component, tmp_path_factory.mktemp("cart"), tools=tools)


@pytest.mark.heavy
def test_fmpy_sets_and_gets_them(fmus: list[Path]) -> None:
    for path in fmus:
        assert check(path).problems == ()
        for kind in ("CoSimulation", "ModelExchange"):
            names = ["x", "v", "pulls", "count", "chosen"]
            run = fmpy.simulate_fmu(
                str(path), fmi_type=kind, stop_time=2.0, input=SIGNAL, output=names,
                output_interval=0.1, relative_tolerance=1e-9,
            )  # fmt: skip
            assert [run["v"][-1], run["x"][-1]] == pytest.approx([SPEED, PLACE], abs=1e-5)
            assert [run[name][-1] for name in names[2:]] == [True, 3, 1]
            assert [run[name][3] for name in names[2:]] == [True, 1, 2]
            given = {"strong": True, "motors": 2, "side": 1, "gear": 2}
            run = fmpy.simulate_fmu(
                str(path), fmi_type=kind, stop_time=1.0, start_values=given, output=["v"]
            )
            assert run["v"][-1] == pytest.approx(-12.0, abs=1e-6)


@pytest.mark.heavy
def test_the_command_takes_them_as_for_the_model(
    fmus: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "inputs.csv").write_text(ROWS)
    (tmp_path / "set.toml").write_text('strong = true\nmotors = 2\nside = "rear"\non = true\n')
    for what in (carts.__file__, *fmus):
        assert main(["run", str(what), "--inputs", f"{tmp_path / 'inputs.csv'}"]) == 0
        said = dict(line.split()[:2] for line in capsys.readouterr().out.splitlines()[1:])
        assert [float(said["v"]), float(said["x"])] == pytest.approx([SPEED, PLACE])
        gear = ["--set", "gear=second", "--until", "1"]
        assert main(["run", str(what), "--parameters", f"{tmp_path / 'set.toml'}", *gear]) == 0
        said = dict(line.split()[:2] for line in capsys.readouterr().out.splitlines()[1:])
        assert float(said["v"]) == pytest.approx(-12.0)
        for wrong, words in (("on=yes", "give true or false"), ("gear=x", "one of first, second")):
            assert main(["run", str(what), "--set", wrong]) == 2
            assert words in capsys.readouterr().err


@pytest.mark.heavy
def test_an_fmu_refuses_an_item_that_is_none(
    fmus: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    for path in fmus:
        with pytest.raises(FMICallException, match="fmi"):
            fmpy.simulate_fmu(str(path), start_values={"gear": 3}, stop_time=0.1)
        for wrong, range_ in (("gear=3", "from 1 to 2"), ("side=0", "from 1 to 3"),
                              ("motors=0", "at least 1")):  # fmt: skip
            assert main(["run", str(path), "--set", wrong, "--until", "0.1"]) == 1
            assert f"is refused: it must be {range_}; it stays" in capsys.readouterr().err


@pytest.mark.heavy
def test_the_python_flavour_has_them(component: Component, tmp_path: Path) -> None:
    source = tmp_path / "cart_source.py"
    source.write_text(Path(carts.__file__).read_text("utf-8"), "utf-8")
    made = export_python(
        component.started_at({"motors": 2, "gear": "second"}), source, tmp_path / "out"
    )
    assert check(made).problems == ()
    run = fmpy.simulate_fmu(
        str(made), start_values={"strong": True}, stop_time=1.0, output=["v", "pulls", "chosen"]
    )
    assert [run[name][-1] for name in ("v", "pulls", "chosen")] == pytest.approx([12.0, 1, 2])
