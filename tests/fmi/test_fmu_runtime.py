"""The FMUs' C: without warnings, and clean in the hands of an importer that is C too."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import fmpy
import pytest

from mbcore.codegen.headers import write_headers
from mbcore.codegen.runtime import ROOMS, runtime_files
from mbcore.fmi.packing.compiler import FACES, find_compiler
from mbcore.native.sources import OWN as NATIVE
from tests.conftest import Archive
from tests.objects import keeping

FMI_HEADERS = Path(fmpy.__file__).parent / "c-code"
HOSTS = Path(__file__).parents[1] / "importers" / "hosts"
SOURCES = [*runtime_files("*.c"), *sorted([*NATIVE.glob("*.c"), *FACES.glob("*.c")])]
WARNINGS = ("-std=c99", "-Wall", "-Wextra", "-Werror")


@pytest.fixture(scope="session")
def compiler() -> str:
    """GCC or whatever is called cc; skip where there is none."""
    found = shutil.which("gcc") or shutil.which("cc")
    if found is None:
        pytest.skip("no gcc or cc here")
    return found


def compile_c(compiler: str, *arguments: str | Path) -> None:
    line = [compiler, *(f"-I{place}" for place in (*ROOMS, FMI_HEADERS)), *map(str, arguments)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.heavy
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_the_runtime_compiles_without_warnings(source: Path, tmp_path: Path) -> None:
    """A text that has been compiled without one is not compiled again."""
    places = [f"-I{place}" for place in (*ROOMS, FMI_HEADERS, write_headers(tmp_path))]
    compiler = keeping(find_compiler())
    compiler.run(*WARNINGS, *places, "-O2", "-c", source, "-o", tmp_path / "object.o")


def test_the_runtime_is_there() -> None:
    assert len(SOURCES) > 10


@pytest.fixture(scope="session")
def hosts(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Importers written in C, by FMI version."""
    if sys.platform == "win32":
        pytest.skip("the hosts open libraries with dlopen")
    folder = tmp_path_factory.mktemp("hosts")
    made = {}
    for version in ("2.0", "3.0"):
        source = HOSTS / f"fmi{version[0]}_host.c"
        made[version] = folder / source.stem
        compile_c(compiler, *WARNINGS, "-g", source, "-o", made[version], "-ldl", "-lm")
    return made


def host_line(archive: Archive, hosts: dict[str, Path]) -> list[str]:
    description = archive.description
    largest = max(variable.valueReference for variable in description.modelVariables)
    return [
        str(hosts[archive.version]),
        str(archive.library),
        description.guid,
        str(largest + 1),
        str(len(archive.states)),
        str(description.numberOfEventIndicators),
        str(description.defaultExperiment.stepSize),
    ]


def test_an_importer_in_c(archive: Archive, hosts: dict[str, Path]) -> None:
    done = subprocess.run(host_line(archive, hosts), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.heavy
@pytest.mark.apart
def test_no_memory_error_and_no_leak(archive: Archive, hosts: dict[str, Path]) -> None:
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        pytest.skip("no valgrind here")
    options = ["-q", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=all"]
    options += ["--show-leak-kinds=all"]
    line = [valgrind, *options, *host_line(archive, hosts)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
