"""Inputs over time of FMUs: a cart under lines and jumps, whose motion is known by the piece."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbcore import Body, InputTable, Model, ModelError, ModelWarning
from mbcore.cli.program import main
from mbcore.fmi import closed_loop, export
from mbcore.fmi.running.cosimulation import CoSimulation
from mbcore.fmi.running.importing import Importing
from mbcore.fmi.running.model_exchange import ModelExchange
from tests.conftest import Tools

RAMP = "time,force\n0,0\n3.5,35\n"
AT_END = 10 * 3.5**3 / 12, 10 * 3.5**2 / 4
"""x in m and v in m/s of 2 kg under 10 N/s, t^3 10/(6 2) and t^2 10/(2 2)."""
JUMPS = "time [ms],force [kN]\n0,0\n1000,0.01\n1000,-0.005\n2500,-0.005\n3500,0.02\n"
AFTER = 5 / 6 + 15 / 16 - 1.25 - 1.25 + 6.25 / 3, 2.5
"""As by hand in tests/evaluation/test_input_table.py."""
SLACK = {"co-simulation": 1e-12, "model-exchange": 2e-9}
STEPS = ("0.1 s", "1.3 s", "10 s")


def cart() -> Model:
    model = Model("cart")
    place = model.point("cart", (0.0, 0.0))
    place.y.fix()
    place.x.dof("x", "v")
    force, push = model.input("force", 0.0, unit="N"), model.input("push", 0.0, unit="N")
    model.add(Body("body", place, mass=2.0))
    model.force(place, (force + push, 0.0))
    model.output("place", place.x.value, unit="m")
    model.output("speed", place.x.rate, unit="m/s")
    model.output("felt", force, unit="N")
    return model


@pytest.fixture(scope="module")
def fmus(tmp_path_factory: pytest.TempPathFactory, tools: Tools) -> dict[str, Path]:
    paths = export(cart().equations(), tmp_path_factory.mktemp("cart"), tools=tools)
    return {path.parent.name: path for path in paths}


@pytest.fixture(params=["fmi2", "fmi3"])
def fmu(request: pytest.FixtureRequest, fmus: dict[str, Path]) -> Path:
    return fmus[request.param]


def lacking(fmu: Path, folder: Path, **attributes: str) -> Path:
    """Return a copy of an FMU whose description has other attributes, as foreign ones have."""
    copy = folder / "foreign.fmu"
    with zipfile.ZipFile(fmu) as archive, zipfile.ZipFile(copy, "w") as made:
        for name in archive.namelist():
            content = archive.read(name)
            if name == "modelDescription.xml":
                text = content.decode()
                for attribute, value in attributes.items():
                    text, n = re.subn(f'{attribute}="[^"]*"', f'{attribute}="{value}"', text)
                    assert n
                content = text.encode()
            made.writestr(name, content)
    return copy


def ends(folder: Path, *arguments: str) -> tuple[float, float, np.ndarray]:
    """Return place and speed at the end of a run, and all its rows."""
    out = folder / "out.csv"
    assert main(["run", *arguments, "--csv", str(out)]) == 0
    rows = np.genfromtxt(out, delimiter=",", names=True, deletechars="", replace_space=" ")
    last = {name.partition(" ")[0]: rows[name][-1] for name in rows.dtype.names or ()}
    return last["place"], last["speed"], rows


@pytest.mark.parametrize("interface", SLACK)
def test_a_run_follows_lines_and_jumps_for_any_step(
    fmu: Path, tmp_path: Path, interface: str
) -> None:
    for text, expected in ((RAMP, AT_END), (JUMPS, AFTER)):
        (tmp_path / "in.csv").write_text(text)
        for step in STEPS:
            given = ("--inputs", str(tmp_path / "in.csv"), "--step", step)
            *found, _ = ends(tmp_path, str(fmu), "--interface", interface, *given)
            assert found == pytest.approx(expected, abs=SLACK[interface] * 40)


def test_a_run_ends_with_its_table_and_has_rows_on_both_sides_of_a_jump(
    fmu: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in.csv").write_text(JUMPS)
    for interface in SLACK:
        given = (str(fmu), "--inputs", str(tmp_path / "in.csv"), "--interface", interface)
        *found, rows = ends(tmp_path, *given)
        assert rows["time [s]"][-1] == 3.5
        at_jump = rows["time [s]"] == 1.0
        assert rows["felt [N]"][at_jump] == pytest.approx([10.0, -5.0])
        # what a run has written is read again: its rows are lines between those of the table
        (tmp_path / "again.csv").write_bytes((tmp_path / "out.csv").read_bytes())
        again = (str(fmu), "--inputs", str(tmp_path / "again.csv"), "--step", "1 s")
        assert ends(tmp_path, *again)[:2] == pytest.approx(tuple(found), abs=2e-8)
        assert "felt: calculated, no input; not used" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("version", "lacks"),
    [("fmi2", "canInterpolateInputs"), ("fmi3", "providesIntermediateUpdate")],
)
def test_what_an_fmu_can_but_hold_is_told_with_what_remains(
    fmus: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    version: str,
    lacks: str,
) -> None:
    foreign = lacking(fmus[version], tmp_path, **{lacks: "false"})
    (tmp_path / "in.csv").write_text(JUMPS)
    given = (str(foreign), "--inputs", str(tmp_path / "in.csv"), "--step", "0.5 s")
    *found, rows = ends(tmp_path, *given)
    # 25 N/s, held at means over 3.5 s / 5000
    assert "over steps of 0.0007 s: force by up to 0.00875 N off" in capsys.readouterr().err
    assert found == pytest.approx(AFTER, abs=1e-6)
    assert rows["felt [N]"][-1] == 20.0


def test_equal_steps_of_an_fmu_are_kept(
    fmus: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = {"canHandleVariableCommunicationStepSize": "false", "canInterpolateInputs": "false"}
    foreign = lacking(fmus["fmi2"], tmp_path, **whole)
    (tmp_path / "in.csv").write_text(RAMP)
    given = (str(foreign), "--inputs", str(tmp_path / "in.csv"), "--step", "0.3 s")
    *found, rows = ends(tmp_path, *given)
    assert "over steps of 0.3 s: force by up to 1.5 N off" in capsys.readouterr().err
    assert rows["time [s]"] == pytest.approx(0.3 * np.arange(12))
    # means are exact for the speed; the place lacks h^2 t 10/(12 2)
    assert found[1] == pytest.approx(10 * 3.3**2 / 4)
    assert found[0] == pytest.approx(10 * 3.3**3 / 12 + 0.3**2 * 3.3 * 10 / 24, rel=1e-9)


def test_a_closed_loop_follows_a_table(fmu: Path) -> None:
    table = InputTable([0, 1, 1, 2.5, 3.5], {"force": [0.0, 10.0, -5.0, -5.0, 20.0]})

    def run(period: float, until: float = 3.5, given: InputTable = table) -> Any:
        rest = {"push": 0.0}
        return closed_loop(fmu, lambda t, y: rest, sample_time=period, until=until, inputs=given)

    for period in (0.07, 0.5, 3.5):
        found = run(period)
        assert [found["place"][-1], found["speed"][-1]] == pytest.approx(AFTER, abs=1e-11)
    with pytest.warns(ModelWarning, match="after it the last row's values are held"):
        run(0.5, 4.0)
    with pytest.raises(ModelError, match="no time in common"):
        run(1.0, 3.0, table.begun_at(-100))


@pytest.mark.parametrize("kind", [CoSimulation, ModelExchange])
def test_functions_of_time_that_fail_are_told(fmu: Path, kind: Any) -> None:
    def force(t: float) -> float:
        if t > 0.5:
            raise ZeroDivisionError("late")
        return 1.0

    importing = Importing(inputs={"force": force}, stop=2.0)
    with pytest.raises(Exception, match="late"), kind(fmu, importing=importing) as plant:
        plant.advance(2.0)
