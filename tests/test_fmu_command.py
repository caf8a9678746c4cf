"""The command build_fmu.py, and the public way to FMUs of one's own models."""

from __future__ import annotations

import importlib.util
import os
import runpy
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import NAMES, OK, VERSIONS, Archive, Archives, Instance
from fmpy import simulate_fmu

from mbcore import Body, Hinge, Model, Wheel
from mbcore.fmi import export
from mbcore.fmi.check import check
from mbcore.fmi.platforms import this_platform

SCRIPT = Path(__file__).parents[1] / "build_fmu.py"
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
    assert done.returncode != 0
    for name in ("vehicel", *NAMES):
        assert name in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.heavy
def test_everything_is_built_by_default(tmp_path: Path) -> None:
    script = Path(shutil.copy(SCRIPT, tmp_path))
    done = command(folder=tmp_path, script=script)
    assert done.returncode == 0, done.stderr
    for name in NAMES:
        for version in (2, 3):
            assert (tmp_path / "build" / f"fmi{version}" / f"{name}.fmu").is_file()
    assert not (tmp_path / "build" / "python").exists()
    for line in done.stdout.splitlines()[1:]:
        assert " valid " in line


@pytest.mark.heavy
@pytest.mark.skipif(not LINUX, reason="binaries for x86_64-linux and Windows are built on Linux")
def test_linux_and_windows_binaries_in_one_archive(tmp_path: Path) -> None:
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed: no cross compilation")
    platforms = "x86_64-linux,x86_64-windows"
    done = command("vehicle", "--platforms", platforms, "--out", tmp_path, folder=tmp_path)
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


@pytest.mark.heavy
@pytest.mark.parametrize("name", NAMES)
def test_the_python_flavour_runs_like_the_native_one(
    archives: Archives, name: str, tmp_path: Path
) -> None:
    done = command(name, "--python", "--out", tmp_path, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    path = tmp_path / "python" / f"{name}.fmu"
    assert [p for p in tmp_path.rglob("*.fmu")] == [path]
    stop, start = SCENARIOS[name]
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


def rolling_disk() -> Model:
    """Return the disk of the README; [SchwabMeijaard2003] 3.2."""
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
def test_a_model_of_one_s_own(tmp_path: Path) -> None:
    paths = export(rolling_disk().equations(), tmp_path)
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
