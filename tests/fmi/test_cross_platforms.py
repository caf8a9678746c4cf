"""Binaries for other platforms: their headers, and runs of those that can be run here."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import fmpy
import numpy as np
import pytest
from filelock import FileLock

from mbcore.fmi import export
from mbcore.fmi.check import check
from mbcore.fmi.packing.compiler import fmi_headers
from mbcore.fmi.packing.platforms import PLATFORMS, this_platform
from tests.fmi import binaries
from tests.fmi.test_sources import EXPERIMENT, numbers, real_outputs, run_command
from tests.objects import KEPT, kept_cross
from tests.shipped import SHIPPED

pytestmark = pytest.mark.heavy
STOP, STEP = 1.0, 0.02
MOST_BYTES = 1_500_000
WINE = shutil.which("wine64") or shutil.which("wine64", path="/usr/lib/wine")
QEMU = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
AARCH64 = Path("/usr/aarch64-linux-gnu")
"""Where Debian puts libraries of that platform."""


@pytest.fixture(scope="session")
def fmus(shared: Path) -> list[Path]:
    """The vehicle for all platforms, in both versions, built once for all workers.

    Cross compiling takes ten seconds where the vehicle's C is new. Where ziglang has not been used
    before, it takes a minute and a half besides for the C library of Windows.
    """
    pytest.importorskip("ziglang")
    folder, complete = shared / "all_platforms", shared / "all_platforms.complete"
    with FileLock(shared / "all_platforms.lock"):
        if not complete.exists():
            export(SHIPPED["vehicle"].component, folder, platforms=["all"])
            complete.touch()
    return [folder / fmi / "vehicle.fmu" for fmi in ("fmi2", "fmi3")]


def test_every_platform_has_its_binary(fmus: list[Path]) -> None:
    for path, fmi in zip(fmus, ("2.0", "3.0"), strict=True):
        assert check(path, platforms=tuple(PLATFORMS.values())).problems == ()
        assert path.stat().st_size <= MOST_BYTES
        with zipfile.ZipFile(path) as archive:
            for platform in PLATFORMS.values():
                library = archive.read(platform.library(fmi, "vehicle"))
                if fmi == "2.0" and platform.name == "x86_64-darwin":
                    library = binaries.parts(library)[0]
                found = binaries.read(library)
                assert found.platform == platform.name
                assert f"fmi{fmi[0]}DoStep".encode() in library
                if platform.suffix == ".so":
                    assert 0 < found.glibc <= 17  # that of CentOS 7
                    assert found.needed <= {"libc.so.6", "libm.so.6", "ld-linux-aarch64.so.1"}
                elif platform.suffix == ".dll":
                    own = {"vehicle.dll", "kernel32.dll"}
                    assert all(n in own or n.startswith("api-ms-win-crt-") for n in found.needed)
                else:
                    assert found.needed == {"/usr/lib/libSystem.B.dylib"}
                    assert found.own_name == "@rpath/vehicle.dylib"
                    assert found.signed or platform.name == "x86_64-darwin"  # arm64 demands it


@pytest.mark.usefixtures("fmus")
def test_platforms_that_are_asked_for_and_no_others_have_theirs(tmp_path: Path) -> None:
    """The objects are those of the FMUs for all platforms."""
    wanted = ["x86_64-linux", "x86_64-windows"]
    [path] = export(SHIPPED["vehicle"].component, tmp_path, fmi="2.0", platforms=wanted)
    with zipfile.ZipFile(path) as archive:
        inside = {name for name in archive.namelist() if name.startswith("binaries/")}
        linux = archive.read("binaries/linux64/vehicle.so")
        windows = archive.read("binaries/win64/vehicle.dll")
    assert {name for name in inside if Path(name).suffix in (".so", ".dll", ".dylib")} == {
        "binaries/linux64/vehicle.so",
        "binaries/win64/vehicle.dll",
    }
    assert (linux[:4], windows[:2]) == (b"\x7fELF", b"MZ")
    assert b"fmi2DoStep" in windows
    if this_platform() == PLATFORMS["x86_64-linux"]:
        assert check(path).valid


def test_a_mac_of_either_processor_finds_its_library_where_tools_look(
    fmus: list[Path], tmp_path: Path
) -> None:
    """FMPy looks into darwin64 on both, and macOS takes its own part of a universal library."""
    with zipfile.ZipFile(fmus[0]) as archive:
        both = archive.read("binaries/darwin64/vehicle.dylib")
        alone = archive.read("binaries/aarch64-darwin/vehicle.dylib")
        assert binaries.read(archive.read("binaries/linux64/vehicle.so")).platform == "x86_64-linux"
    parts = binaries.parts(both)
    assert [binaries.read(part).platform for part in parts] == ["x86_64-darwin", "aarch64-darwin"]
    assert parts[1] == alone
    if shutil.which("file"):
        (tmp_path / "vehicle.dylib").write_bytes(both)
        said = run_command("file", tmp_path / "vehicle.dylib")
        assert "Mach-O universal binary with 2 architectures" in said
        assert "x86_64" in said and "arm64" in said


@dataclass(frozen=True)
class Runner:
    """How programs of a platform are run here."""

    platform: str
    command: Callable[[Path], Sequence[object]]
    variables: dict[str, str]
    tolerance: float


def wine() -> Runner:
    """Return Wine with a folder that is kept: it copies 700 MB into a new one, for ten seconds."""
    if WINE is None:
        pytest.skip("the Windows binary is not run: wine64 is not installed")
    folder = KEPT / f"wine-{Path(WINE).stat().st_mtime_ns}"
    variables = {"WINEPREFIX": str(folder), "WINEDEBUG": "-all", "DISPLAY": ""}
    KEPT.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(KEPT / "wine.lock"):
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            run_command(WINE, "cmd", "/c", "exit 0", **variables)
            (folder / "complete").touch()
    return Runner("x86_64-windows", lambda program: (WINE, program), variables, 1e-12)


def qemu() -> Runner:
    if QEMU is None or not AARCH64.is_dir():
        pytest.skip("the aarch64 binary is not run: qemu-user, libc6-arm64-cross not installed")
    return Runner("aarch64-linux", lambda program: (QEMU, "-L", AARCH64, program), {}, 0.0)


@pytest.mark.skipif(
    this_platform().name != "x86_64-linux", reason="compared with a run on x86_64-linux"
)
@pytest.mark.parametrize("find", [wine, qemu])
def test_binaries_of_other_platforms_run_alike(
    fmus: list[Path], find: Callable[[], Runner], tmp_path: Path
) -> None:
    """The first one with Wine prepares its folder, which takes most of ten seconds."""
    runner = find()
    platform = PLATFORMS[runner.platform]
    described = fmpy.read_model_description(fmus[1])
    outputs = real_outputs(described)
    references = ",".join(str(v.valueReference) for v in outputs)
    printed = []
    for name in ("x86_64-linux", runner.platform):
        target = PLATFORMS[name]
        program = tmp_path / f"{name}.exe"
        kept_cross(target).run(
            "-std=c99", "-O2", "-s", f"-I{fmi_headers()}", EXPERIMENT, "-o", program,
            *(() if target.suffix == ".dll" else ("-ldl",)),
        )  # fmt: skip
        with zipfile.ZipFile(fmus[1]) as archive:
            library = tmp_path / f"{name}{target.suffix}"
            library.write_bytes(archive.read(target.library("3.0", "vehicle")))
        start = runner.command(program) if target == platform else (program,)
        words = (*start, library, described.instantiationToken, references, STOP, STEP)
        printed.append(numbers(run_command(*words, **runner.variables)))
    assert printed[0].shape == (round(STOP / STEP) + 1, 1 + len(outputs))
    scale = np.abs(printed[0]).max(axis=0)
    assert np.all(np.abs(printed[1] - printed[0]) <= runner.tolerance * scale)
