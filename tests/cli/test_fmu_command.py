"""The commands build_fmu.py and 'mbcore run NAME.fmu', and FMUs of one's own models."""

from __future__ import annotations

import contextlib
import copy
import importlib.util
import os
import re
import runpy
import shutil
import subprocess
import sys
import textwrap
import zipfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from fmpy import simulate_fmu
from fmpy.model_description import ScalarVariable

from mbcore import ROAD_CAR_TYRE, Body, Hinge, Model, ModelError, Wheel, evaluate_by
from mbcore.cli import building, run_fmu
from mbcore.cli.commands import build
from mbcore.cli.definitions import definitions
from mbcore.cli.fmu_variables import display, type_of
from mbcore.cli.loading import load
from mbcore.cli.program import main
from mbcore.equations.checks.unused_variables import NOTHING_USES
from mbcore.fmi import Component, export
from mbcore.fmi.check import check
from mbcore.fmi.packing.platforms import this_platform
from tests.built import Kept, Tools
from tests.conftest import FMI2_HEAVY, FURTHER, NAMES, OK, VERSIONS, Archive, Archives, Instance
from tests.shipped import SHIPPED, Shipped

SCRIPT = Path(__file__).parents[2] / "build_fmu.py"
LINUX = this_platform().name == "x86_64-linux"


def command(
    *arguments: object, folder: Path, script: Path = SCRIPT
) -> subprocess.CompletedProcess[str]:
    """Run build_fmu.py in a folder."""
    line = [sys.executable, str(script), *map(str, arguments)]
    paths = os.pathsep.join(filter(None, (str(SCRIPT.parent), os.environ.get("PYTHONPATH"))))
    return subprocess.run(
        line, cwd=folder, capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": paths},
    )  # fmt: skip


Here = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    """Runs build_fmu.py in this process, for an interpreter takes seconds to load all packages."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [str(SCRIPT), *arguments])
        with pytest.raises(SystemExit) as left:
            runpy.run_path(str(SCRIPT), run_name="__main__")
        return subprocess.CompletedProcess(arguments, left.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Definitions give the components that all tests share, whose equations Python evaluates."""

    def component(shipped: Shipped, make: Callable[[], Component]) -> Component:
        with monkeypatch.context() as patch:  # else the first one would ask for itself
            patch.setattr(shipped.module, "component", make)
            made = shipped.component
        evaluate_by(made.equations, "python")
        return made

    for shipped in SHIPPED.values():
        given = partial(component, shipped, shipped.module.component)
        monkeypatch.setattr(shipped.module, "component", given)


def test_list(here: Here, tmp_path: Path) -> None:
    done = here("--list")
    assert done.returncode == 0
    listed = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    assert set(NAMES) <= {name for name, _ in listed}
    assert all(len(description) > 10 for _, description in listed)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.heavy
def test_one_fmu_of_one_version(tmp_path: Path) -> None:
    done = command("caster", "--fmi", "3", "--out", tmp_path / "here", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    files = [p.relative_to(tmp_path) for p in tmp_path.rglob("*") if p.is_file()]
    assert files == [Path("here/fmi3/caster.fmu")]
    assert check(tmp_path / files[0]).valid
    assert "caster" in done.stdout
    assert "vehicle" not in done.stdout


def test_unknown_names_are_refused_with_the_known_ones(here: Here, tmp_path: Path) -> None:
    done = here("vehicel")
    assert done.returncode == 2
    for name in ("vehicel", *NAMES):
        assert name in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--tyre", "own.tir"), "--tyre is for FMUs that are named"),
        (("car", "--tyre", "own.tir", "--python"), "--python packs the definition"),
        (("car", "--no-sources", "--python"), "cannot be used with --no-sources"),
        (("car", "--tyre", "other.tir"), "there is no file other.tir"),
        (("car", "--tyre", "."), ". is a folder; give a tyre property file"),
        (("car", "--limits", "refuse"), "write --tyre FILE.tir too"),
        (("car", "--tyre", " "), "--tyre: give the name of a tyre property file (.tir)"),
        (("car", "--tyre", "own.tir", "--tyre", "own.tir"), "--tyre: given twice, 'own.tir' and"),
    ],
)
def test_a_tyre_that_cannot_be_used_is_refused_at_once(
    here: Here, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    shutil.copy(ROAD_CAR_TYRE, tmp_path / "own.tir")
    done = here(*arguments)
    assert done.returncode == 2 and said in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["own.tir"]


def test_options_reach_a_definition_that_takes_them(tmp_path: Path) -> None:
    given = {"tyre": tmp_path / "own.tir", "limits": "refuse"}
    mine = tmp_path / "mine.py"
    mine.write_text("def component(limits=None, tyre=None):\n    return limits, tyre.name\n")
    with pytest.raises(ModelError, match=r"gives \('refuse', 'own.tir'\), expected a Component"):
        load(mine, given)
    with pytest.raises(ModelError, match=r"caster has no tyres .* leave it out"):
        load(definitions()["caster"], {"tyre": given["tyre"]})
    lacking = tmp_path / "lacking.py"
    lacking.write_text("def component(tyre=None):\n    return None\n")
    with pytest.raises(ModelError, match=r"--limits; leave it out, or write component\(tyre, limi"):
        load(lacking, given)


@pytest.mark.heavy
def test_the_car_is_built_on_another_tyre(tmp_path: Path) -> None:
    own = tmp_path / "own.tir"
    text = ROAD_CAR_TYRE.read_text()
    own.write_text(text.replace("UNLOADED_RADIUS = 0.316", "UNLOADED_RADIUS = 0.3"))
    made = load(definitions()["car"], {"tyre": own})
    assert "<tt>own.tir</tt>" in made.documentation
    parts = made.equations.model.elements.values()
    assert [float(part.radius_0) for part in parts if isinstance(part, Wheel)] == [0.3] * 4
    given = {"tyre": own, "limits": "refuse"}
    refused = set(load(definitions()["car"], given).equations.model.requirements)
    assert "front_left: slip angle of the tyre" in refused - set(made.equations.model.requirements)


@pytest.mark.heavy
@pytest.mark.usefixtures("made_once")
def test_everything_is_built_by_default(
    here: Here, kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is exported once for all tests; what the command asks for is copied from there."""

    def exported(
        component: Component, out: Path, versions: Sequence[str], **_: object
    ) -> list[Path]:
        made = [kept.fmu(component.name, version) for version in versions]
        folders = [out / path.parent.name for path in made]
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
        return [
            shutil.copy(path, folder / path.name)
            for path, folder in zip(made, folders, strict=True)
        ]

    monkeypatch.setattr(building, "export", exported)
    monkeypatch.setattr(build, "toolchains", lambda *_: contextlib.nullcontext(()))
    done = here()
    assert done.returncode == 0, done.stderr
    built = {(p.parent.name, p.stem) for p in (tmp_path / "build").rglob("*.fmu")}
    assert built == {(f"fmi{version}", name) for name in NAMES for version in (2, 3)}
    listed = done.stdout.splitlines()[1:]
    assert len(listed) == len(built)
    for line in listed:
        assert " valid " in line


@pytest.mark.heavy
@pytest.mark.usefixtures("made_once")
@pytest.mark.skipif(not LINUX, reason="binaries for x86_64-linux and Windows are built on Linux")
def test_linux_and_windows_binaries_in_one_archive(here: Here, tmp_path: Path) -> None:
    """Objects of the vehicle for all platforms are compiled for a test of these, too.

    Where ziglang has not been used before, it makes the C library of Windows, which takes a minute
    and a half of processor time.
    """
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed: no cross compilation")
    platforms = "x86_64-linux,x86_64-windows"
    done = here("vehicle", "--platforms", platforms, "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    folders = {"2": ("linux64", "win64"), "3": ("x86_64-linux", "x86_64-windows")}
    for version, (linux, windows) in folders.items():
        path = tmp_path / f"fmi{version}" / "vehicle.fmu"
        with zipfile.ZipFile(path) as archive:
            assert archive.read(f"binaries/{linux}/vehicle.so")[:4] == b"\x7fELF"
            library = archive.read(f"binaries/{windows}/vehicle.dll")
        assert library[:2] == b"MZ"
        assert f"fmi{version}DoStep".encode() in library
        assert check(path).problems == ()


SCENARIOS = {
    "vehicle": (1.0, {"steer.angle": 0.2, "drive.force": 500.0}),
    "caster": (5.0, {"swivel.angle": 0.4}),
    "clearance_joint": (4e-4, {}),
    "rolling_disk": (2.0, {}),
    "caster_flexible": (0.5, {}),
    "bicycle": (2.0, {"steer.torque": 0.2}),
}
MUCH = {"car": FURTHER}
"""The car takes fifteen seconds in Python; the iltis has all kinds of its parts and variables."""


@pytest.mark.heavy
@pytest.mark.usefixtures("made_once")
@pytest.mark.parametrize("name", [pytest.param(n, marks=MUCH.get(n, ())) for n in SHIPPED])
def test_the_python_flavour_runs_like_the_native_one(
    archives: Archives, name: str, here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mbcore.fmi.check._LONGEST_RUN", 0.0)  # one step, for a longer run follows
    done = here(name, "--python", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    path = tmp_path / "python" / f"{name}.fmu"
    assert [p for p in tmp_path.rglob("*.fmu")] == [path]
    stop, start = SCENARIOS.get(name) or (20 * SHIPPED[name].experiment.step, {})
    native = archives[name, "2.0"]
    outputs = [n for n, v in native.variables.items() if v.causality == "output"]
    runs = [
        simulate_fmu(
            str(file), stop_time=stop, output_interval=stop / 20, start_values=dict(start),
            relative_tolerance=1e-9, output=outputs,
        )
        for file in (path, native.path)
    ]  # fmt: skip
    for output in outputs:
        flavour, expected = (run[output].astype(float) for run in runs)
        scale = max(np.abs(expected).max(), 1e-9)
        np.testing.assert_allclose(flavour, expected, rtol=0, atol=1e-5 * scale, err_msg=output)


WHOLE = ("Integer", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
"""Types of whole numbers in FMI 2.0, and in 3.0."""


@pytest.mark.parametrize("of", [*WHOLE, "Real", "Float32", "Float64"])
def test_whole_numbers_of_any_size_are_told_from_real_ones(of: str) -> None:
    variable = ScalarVariable("n", 0, type=of)
    assert type_of(variable) == ("integer" if of in WHOLE else "real")


Run = Callable[[str, str, str], tuple[int, str, str]]


@pytest.fixture
def run(archives: Archives, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs an FMU by 'mbcore run', from its name, version and options to status and outputs."""

    def run(name: str, version: str, options: str) -> tuple[int, str, str]:
        status = main(["run", str(archives[name, version].path), *options.split()])
        return status, *capsys.readouterr()

    return run


FALL = "--set disk.lean=1.4 --set disk.pitch_rate=0 --set disk.yaw_rate=0 --until 5"
"""A disk that leans, and neither rolls nor turns, falls flat before the end."""


@pytest.mark.parametrize("version", VERSIONS)
def test_a_run_that_ends_early_says_when_and_why(run: Run, version: str) -> None:
    status, printed, said = run("rolling_disk", version, FALL)
    assert (status, printed) == (1, "")
    assert re.search(r"it reached t = 0\.6\d* s of 5 s", said)
    assert said.count("wheel.side is reached at t = 0.6") == 1
    assert "keep it inclined" in said
    assert "b'" not in said and 'b"' not in said


@pytest.mark.parametrize(("equal", "end"), [(False, "1"), (True, "0.9")])
def test_equal_steps_that_do_not_meet_the_end_are_no_failure(
    archives: Archives, run: Run, monkeypatch: pytest.MonkeyPatch, equal: bool, end: str
) -> None:
    description = copy.deepcopy(archives["rolling_disk", "2.0"].description)
    assert description.coSimulation is not None
    description.coSimulation.canHandleVariableCommunicationStepSize = not equal
    monkeypatch.setattr(run_fmu, "_description", lambda path: description)
    status, printed, said = run("rolling_disk", "2.0", "--until 1 --step 0.3")
    assert (status, said) == (0, "")
    assert printed.startswith(f"rolling_disk: 0 s to {end} s in ")
    assert run("rolling_disk", "2.0", FALL.replace("5", "0.7") + " --step 0.07")[0] == 1


def test_a_unit_with_an_offset_is_none_that_values_are_converted_to(
    archives: Archives, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a foreign FMU defines degC: by a factor alone 20 degC would be another temperature."""
    description = copy.deepcopy(archives["rolling_disk", "2.0"].description)
    (metre,) = (d.baseUnit for d in description.unitDefinitions if d.name == "m")
    metre.offset = 273.15
    monkeypatch.setattr(run_fmu, "_description", lambda path: description)
    status, _, said = run("rolling_disk", "2.0", "--set disk.radius=1m")
    assert (status, "'1m' has no unit here: give a number" in said) == (2, True)


def test_a_display_unit_with_an_offset_is_not_shown(archives: Archives) -> None:
    """A factor alone would show 300 K as 300 degC."""
    description = copy.deepcopy(archives["rolling_disk", "2.0"].description)
    variable = next(v for v in description.modelVariables if v.name == "disk.lean")
    assert display(variable, description) == ("deg", pytest.approx(180 / np.pi))
    (radian,) = (d for d in description.unitDefinitions if d.name == "rad")
    next(unit for unit in radian.displayUnits if unit.name == "deg").offset = -273.15
    assert display(variable, description) is None


def test_a_value_that_nothing_uses_is_told(
    archives: Archives, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    description = copy.deepcopy(archives["rolling_disk", "2.0"].description)
    for variable in description.modelVariables:
        if variable.name in ("disk.radius", "axle.torque"):
            variable.description += f"; {NOTHING_USES}"
    monkeypatch.setattr(run_fmu, "_description", lambda path: description)
    status, _, said = run("rolling_disk", "2.0", "--until 0.1 --set disk.mass=2")
    assert (status, said) == (0, "")
    both = "--set disk.radius=1 --set axle.torque=0 --set disk.mass=2"
    status, _, said = run("rolling_disk", "2.0", f"--until 0.1 {both}")
    assert status == 0
    assert "nothing uses the parameter disk.radius, the input axle.torque: the values" in said
    assert "disk.mass" not in said


@pytest.mark.parametrize("version", VERSIONS)
def test_a_value_that_an_fmu_refuses_is_told_with_its_reason(run: Run, version: str) -> None:
    status, printed, said = run("vehicle", version, "--set chassis.mass=-3")
    assert (status, printed) == (1, "")
    assert "chassis.mass = -3 at t = 0 s is refused: it must be positive" in said


WRONG = {
    "chassis.mass = '3 m'": "parameter chassis.mass is a mass [kg]; '3 m' is a length; give e.g.",
    "chassis.speed = '3 m'": "start value chassis.speed is a speed [m/s]; '3 m' is a length",
    "drive.force = true": "input drive.force = True is given as true or false; it is a real number",
    "steering = 'lagg'": "parameter steering = 'lagg': give one of lag, direct, speed_law",
    "steering = 1.0": "parameter steering = 1.0 is given as a number; give one of lag, direct, spe",
    "drive.force = inf": "input drive.force = inf: must be a finite number",
    "valid = true": "valid is calculated; set the variables that determine it",
    "chassis.mas = 3": "no parameter, input or state 'chassis.mas'; did you mean 'chassis.mass'?",
}


@FMI2_HEAVY
def test_a_parameter_set_is_refused_in_the_words_of_the_model(
    run: Run, version: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "set.toml"
    for line, words in WRONG.items():
        file.write_text(f"gravity = 9.8\n{line}\n", "utf-8")
        status, printed, said = run("vehicle", version, f"--parameters {file}")
        assert (status, printed) == (2, "")
        assert said.startswith(f"error: {file}, line 2: {words}")
        assert main(["run", "vehicle", "--parameters", str(file)]) == 2
        assert capsys.readouterr().err.startswith(f"error: {file}, line 2: {words}")
    file.write_text("chassis.speed = '36 km/h'\nsteer.angle = 0.0\n", "utf-8")
    status, printed, _ = run("vehicle", version, f"--parameters {file} --until 1")
    gone = re.search(r"^chassis\.x +(\S+)", printed, re.MULTILINE)
    assert status == 0 and gone is not None
    assert float(gone[1]) == pytest.approx(10.0)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_an_fmu_calculates_is_not_set(run: Run, version: str) -> None:
    for name, value in (("chassis.yaw_rate", "5"), ("valid", "false"), ("der(chassis.x)", "1")):
        status, printed, said = run("vehicle", version, f"--set {name}={value}")
        assert (status, printed) == (2, "")
        assert said == f"error: --set: {name} is calculated; set the variables that determine it\n"
    assert run("vehicle", version, "--set chassis.speed=5 --set drive.force=9 --until 0.1")[0] == 0


@pytest.mark.parametrize("version", VERSIONS)
def test_of_a_run_that_succeeds_only_warnings_are_printed(run: Run, version: str) -> None:
    brakes = "--until 0.1 --set brake.force"  # an event, of which the log tells
    assert run("vehicle", version, f"{brakes}=1000")[::2] == (0, "")
    status, _, said = run("vehicle", version, f"{brakes}=-1")
    assert status == 0
    assert said.startswith("vehicle: brake.force = -1 at t = 0 s is below its range")
    assert said.count("\n") == 1


def test_messages_of_a_step_that_is_repeated_are_no_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = run_fmu.Log("pump")
    for _ in range(2):
        log.note(None, b"pump", 1, b"w", "Öl ist heiß".encode("latin-1"))
        log.note(None, 2, b"d", b"too large a step")
    assert capsys.readouterr().err.count("pump: ") == 1
    assert log.reasons() == ". It says: too large a step"
    assert log.reached(2) == ""
    log.finish_step(0.5, None)
    assert log.reasons() == "; it does not say why"
    assert log.reached(2) == "; it reached t = 0.5 s of 2 s"
    log.note(None, 0, b"", None)
    log.note(None, 0, b"", b"no license")
    assert log.reasons() == ". It says: no license"


def rolling_disk() -> Model:
    """Return a rolling disk; [SchwabMeijaard2003] 3.2."""
    disk = Model("rolling_disk", gravity=(0, 0, -1))
    yaw, lean, pitch = (disk.rotation(name) for name in ("yaw", "lean", "pitch"))
    centre, contact = disk.point("centre", (0, 0, 1)), disk.point("contact", (0, 0, 0))
    disk.add(Hinge("yaw hinge", disk.ground, yaw, axis=(0, 0, 1))).angle.dof("yaw")
    lean_hinge = disk.add(Hinge("lean hinge", yaw, lean, axis=(1, 0, 0)))
    lean_hinge.angle.dof("lean", "lean_rate", rate_start=-0.01)
    pitch_hinge = disk.add(Hinge("pitch hinge", lean, pitch, axis=(0, 1, 0)))
    pitch_hinge.angle.dof("pitch", "pitch_rate", rate_start=0.4116)
    wheel = disk.add(Wheel("wheel", centre, pitch, contact, radius=1))
    contact.x.kinematic("contact.x")
    contact.y.kinematic("contact.y")
    disk.add(Body("disk", centre, pitch, mass=1, inertia=(1 / 4, 1 / 2, 1 / 4)))
    disk.output("normal_force", wheel.normal_force, unit="N")
    return disk


@pytest.mark.heavy
def test_a_model_of_one_s_own(tmp_path: Path, tools: Tools) -> None:
    paths = export(rolling_disk().equations(), tmp_path, tools=tools)
    assert paths == [tmp_path / f"fmi{v[0]}" / "rolling_disk.fmu" for v in VERSIONS]
    for path in paths:
        assert check(path).valid
        with Instance(Archive.of(path)) as fmu:
            assert fmu.initialize(tolerance=1e-11) == OK
            names = ("contact.x", "contact.y", "lean", "normal_force")
            fmu.run(40.0, step=0.5)
            at_40 = (4.93958978, -1.04579202, -0.57065022, 0.90825916)
            assert fmu.values(names) == pytest.approx(at_40, abs=1e-6)
            fmu.run(87.0, step=0.5)
            assert fmu.values(names[:2]) == pytest.approx((4.8151003700, -6.1190930252), abs=1e-6)
            assert fmu.get("normal_force") == pytest.approx(0.98765393, abs=1e-6)


@pytest.mark.heavy
def test_another_fmu_may_speak_after_a_run(archives: Archives) -> None:
    """FMPy keeps the address of a run's logger for its process; a dead one ends the process."""
    script = """
        import gc, sys, fmpy
        from mbcore.cli.program import main
        assert main(["run", sys.argv[1], "--until", "0.01"]) == 0
        gc.collect()
        try:
            fmpy.simulate_fmu(sys.argv[1], debug_logging=True, start_values={"wheel.mass": -1.0})
        except Exception:
            pass
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(archives["caster", "2.0"].path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "wheel.mass = -1" in done.stdout
