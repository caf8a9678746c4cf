"""Native FMUs of a pendulum: what the archives contain, and that they swing as they must."""

import math
import struct
import zipfile
from pathlib import Path
from types import SimpleNamespace

import fmpy
import numpy as np
import pytest
from fmpy import simulate_fmu
from fmpy.fmi1 import FMICallException
from lxml import etree

from mbcore import ModelError
from mbcore.fmi import Component, Experiment, export
from mbcore.fmi import check as checks
from mbcore.fmi.check import check
from mbcore.fmi.packing import archive
from mbcore.fmi.packing.platforms import this_platform
from tests.pendulum import pendulum

LENGTH, AMPLITUDE = 0.5, 0.1
PERIOD = 2 * math.pi * math.sqrt(LENGTH / 9.81) * (1 + AMPLITUDE**2 / 16 + 11 * AMPLITUDE**4 / 3072)


def draw(axes):
    axes.plot([0, 1], [0, -1])


@pytest.fixture(scope="module")
def component():
    return Component(
        "pendulum", "A pendulum", pendulum().equations(), Experiment(stop=2.0, step=0.01),
        documentation="<p>It swings.</p>", picture=draw, icon=draw,
    )  # fmt: skip


@pytest.fixture(scope="module")
def fmus(component, tools, tmp_path_factory):
    out = tmp_path_factory.mktemp("build")
    paths = export(component, out, tools=tools)
    assert paths == [out / "fmi2" / "pendulum.fmu", out / "fmi3" / "pendulum.fmu"]
    return dict(zip(("2.0", "3.0"), paths, strict=True))


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_it_is_valid_and_runs(fmus, version):
    found = check(fmus[version])
    assert found.problems == ()
    assert found.fmi == version
    assert found.steps == 200


def test_what_the_validator_finds_is_a_problem(fmus, tmp_path):
    damaged = tmp_path / "pendulum.fmu"
    with zipfile.ZipFile(fmus["2.0"]) as whole, zipfile.ZipFile(damaged, "w") as copy:
        for name in whole.namelist():
            text = whole.read(name)
            if name == "modelDescription.xml":
                text = text.replace(b'causality="output"', b'causality="outcome"')
            copy.writestr(name, text)
    found = check(damaged)
    assert any("outcome" in problem for problem in found.problems)
    assert found.steps == 0


@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("method", [1, 2], ids=["runge_kutta", "rosenbrock"])
def test_it_swings_with_its_period(fmus, version, kind, method):
    result = simulate_fmu(
        str(fmus[version]), fmi_type=kind, stop_time=PERIOD, output_interval=PERIOD / 100,
        relative_tolerance=1e-8, start_values={"solver.method": method},
        output=["pendulum.angle", "bob.x", "bob.right", "gate.passages", "energy"],
    )  # fmt: skip
    assert result["time"][-1] == pytest.approx(PERIOD)
    assert result["pendulum.angle"][-1] == pytest.approx(AMPLITUDE, abs=1e-6)
    np.testing.assert_allclose(
        result["bob.x"], LENGTH * np.sin(result["pendulum.angle"]), atol=1e-12
    )
    np.testing.assert_allclose(result["energy"], result["energy"][0], rtol=1e-5)
    # It starts on the right, which counts, and comes back there after three quarters.
    came = int(np.flatnonzero(np.diff(result["gate.passages"]))[-1]) + 1
    assert result["time"][came] == pytest.approx(0.75 * PERIOD, abs=PERIOD / 50)
    assert result["gate.passages"][-1] == 2


@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [("rod.length", 11.0, "must be below 10 m"), ("pivot.law", 2, ""), ("bob.mass", 0.0, "")],
)
def test_wrong_values_are_refused(fmus, version, name, value, reason, capsys):
    with pytest.raises(FMICallException):
        simulate_fmu(
            str(fmus[version]), start_values={name: value}, stop_time=0.1, debug_logging=True
        )
    said = capsys.readouterr().out
    assert name in said
    assert reason in said


def test_archives_have_what_importers_look_for(fmus):
    here = this_platform()
    for version, expected in (
        ("2.0", {f"binaries/{here.folder}/pendulum{here.suffix}"}),
        ("3.0", {f"binaries/{here.name}/pendulum{here.suffix}"}),
    ):
        with zipfile.ZipFile(fmus[version]) as archive:
            names = set(archive.namelist())
            page = archive.read("documentation/index.html").decode()
        assert expected <= names
        assert {"documentation/picture.png", "documentation/licenses/license.txt"} <= names
        assert "<p>It swings.</p>" in page
        assert "pendulum.angle" in page
        icon = "model.png" if version == "2.0" else "terminalsAndIcons/icon.png"
        with zipfile.ZipFile(fmus[version]) as archive:
            assert struct.unpack(">II", archive.read(icon)[16:24]) == (128, 128)


def test_the_icons_file_is_valid(fmus):
    schema = Path(fmpy.__file__).parent / "schema" / "fmi3" / "fmi3TerminalsAndIcons.xsd"
    with zipfile.ZipFile(fmus["3.0"]) as archive:
        tree = etree.fromstring(archive.read("terminalsAndIcons/terminalsAndIcons.xml"))
    etree.XMLSchema(etree.parse(str(schema))).assertValid(tree)


@pytest.mark.heavy
def test_the_same_model_gives_the_same_bytes(component, fmus, tools, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    first, second = (export(component, tmp_path / x, "2.0", tools=tools)[0] for x in "ab")
    assert first.read_bytes() == second.read_bytes()


def test_equations_alone_are_enough(tools, tmp_path):
    [path] = export(pendulum("my pendulum").equations(), tmp_path, fmi="3", tools=tools)
    assert path == tmp_path / "fmi3" / "my_pendulum.fmu"
    assert check(path).valid


def test_wrong_requests_are_refused(component, tmp_path, tools):
    with pytest.raises(ModelError, match=r"1\.0"):
        export(component, tmp_path, fmi="1.0", tools=tools)
    with pytest.raises(ModelError, match="neither"):
        export(3, tmp_path, tools=tools)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="name"):
        Component("1st", "", component.equations)
    with pytest.raises(ModelError, match="stop"):
        Experiment(stop=0.0)


def test_a_model_that_is_too_large_is_refused_before_it_is_compiled(component, tmp_path, tools):
    told: list[str] = []
    with pytest.raises(ModelError, match=r"statements in C .*change .*than the 100 .*fewer"):
        export(component, tmp_path, progress=told.append, tools=tools, most_statements=100)
    assert not any("compiling" in line for line in told)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("interruption", "told", "words"),
    [
        (OSError("no space left"), ModelError, r"model\.fmu cannot be written: no space left"),
        (KeyboardInterrupt(), KeyboardInterrupt, r"^$"),
    ],
)
def test_an_interrupted_archive_leaves_nothing_behind(
    tmp_path, interruption, told, words, monkeypatch
):
    whole = archive.write(tmp_path / "model.fmu", {"a.txt": b"before"}).read_bytes()

    def interrupted(*_: object, **options: object) -> None:
        raise interruption

    monkeypatch.setattr(zipfile.ZipFile, "writestr", interrupted)
    with pytest.raises(told, match=words):
        archive.write(tmp_path / "model.fmu", {"a.txt": b"after"})
    assert [file.name for file in tmp_path.iterdir()] == ["model.fmu"]
    assert (tmp_path / "model.fmu").read_bytes() == whole


def test_checks_report_what_is_not_finite():
    names = {"energy": 1.5, "angle": math.nan, "count": 3, "force": math.inf}
    kinds = {"count": "Integer"}
    described = SimpleNamespace(
        fmiVersion="2.0",
        modelVariables=[
            SimpleNamespace(name=name, type=kinds.get(name, "Real"), valueReference=i, shape=None)
            for i, name in enumerate(names)
        ],
    )
    fmu = SimpleNamespace(getReal=lambda references: [list(names.values())[i] for i in references])
    found = checks._not_finite(fmu, described)
    assert found == ["angle is nan after the run", "force is inf after the run"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"tolerance": 0.0}, "tolerance=0.0"),
        ({"step": 0.0}, "step=0.0"),
        ({"stop": 0.0}, "stop=0.0"),
        ({"start": 2.0}, "start=2.0"),
    ],
)
def test_impossible_experiments_are_refused(wrong, said):
    with pytest.raises(ModelError, match=said):
        Experiment(**wrong)
