"""What is released: names, versions and files, of the source distribution and of the wheel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pytest

import mbcore
from docs.site import gallery_examples
from mbcore.cli.commands.example import examples
from mbcore.cli.definitions import definitions
from mbcore.version import DISTRIBUTION, VERSION
from tests.conftest import FURTHER

ROOT = Path(__file__).parents[2]
NAMES = sorted(definitions())


def tracked(*folders: str) -> set[str]:
    """Return the files under version control, without those that only serve it."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("this is no checkout: nothing tells which files belong to the project")
    listed = subprocess.run(
        ["git", "ls-files", "--", *folders], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}


def test_the_version_is_stated_once() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)
    assert mbcore.__version__ == VERSION
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert re.findall(r'^version = "(.*)"', text, re.MULTILINE) == [VERSION]
    assert re.findall(r'^name = "(.*)"', text, re.MULTILINE) == [DISTRIBUTION]
    latest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert latest is not None
    assert latest[1] == VERSION


def test_nobody_is_told_to_install_somebody_else_s_package() -> None:
    # the name mbcore on PyPI is not ours; extras are those of a folder: ".[cross]"
    wrong = re.compile(r"pip install[^\n`]*[ '\"=]mbcore(?!-)|mbcore\[\w")
    said = [
        f"{name}: {found[0]}"
        for name in tracked()
        if Path(name).suffix in (".py", ".md", ".toml", ".c", ".h", ".html", ".js", ".txt", ".cff")
        and name != "tests/house/test_release.py"
        for found in wrong.finditer((ROOT / name).read_text("utf-8", errors="replace"))
    ]
    assert said == []


def extras() -> dict[str, str]:
    """Return the extras of the distribution, each as the text between its brackets."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    table = text.partition("[project.optional-dependencies]")[2].partition("\n\n")[0]
    return dict(re.findall(r"^(\w+) = \[(.*?)\]$", table, re.MULTILINE | re.DOTALL))


def test_the_extra_of_all_tests_has_what_any_test_needs() -> None:
    inside = re.search(rf"{DISTRIBUTION}\[([\w,]+)\]", extras()["dev"])
    assert inside is not None
    assert {"test", "control", "cross", "dask", "docs", "importers"} == set(inside[1].split(","))


def test_continuous_integration_runs_the_readme_s_line_and_then_the_heavy_tests() -> None:
    line = '.venv/bin/python -m pip install -q -e ".[test]" && .venv/bin/python -m pytest'
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [found for found in readme.splitlines() if "-m pytest" in found] == [
        f"python3 -m venv .venv && {line}"
    ]
    runs = (ROOT / ".ci" / "run").read_text("utf-8")
    steps = ['eval "$line"', f'install -q "{DISTRIBUTION}[dev]"', "pytest -m heavy"]
    assert [runs.count(step) for step in steps] == [1, 1, 1]
    assert sorted(steps, key=runs.index) == steps


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a source distribution, made of the tracked files, and a wheel of that."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("release")
    source = folder / "source"
    for name in tracked():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, source / name)
    made = subprocess.run(
        [sys.executable, "-m", "build", "-n", "--outdir", str(folder / "dist"), str(source)],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stdout[-3000:] + made.stderr[-3000:]
    return folder / "dist"


@pytest.mark.heavy
def test_the_source_distribution_holds_all_that_is_tracked(released: Path) -> None:
    (path,) = released.glob("*.tar.gz")
    assert path.name == f"mbcore_multibody-{VERSION}.tar.gz"
    with tarfile.open(path) as archive:
        names = {str(PurePosixPath(*PurePosixPath(m).parts[1:])) for m in archive.getnames()}
    assert tracked() - names == set()


@pytest.mark.heavy
def test_the_wheel_holds_the_whole_library_and_nothing_else(released: Path) -> None:
    (path,) = released.glob("*.whl")
    assert path.name == f"mbcore_multibody-{VERSION}-py3-none-any.whl"
    about = f"mbcore_multibody-{VERSION}.dist-info"
    with zipfile.ZipFile(path) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
        metadata = archive.read(f"{about}/METADATA").decode()
        commands = archive.read(f"{about}/entry_points.txt").decode()
    moved = {
        f"mbcore/{to}/{name.partition('/')[2]}"
        for at, to in (("fmu_src", "fmus"), ("examples", "examples"))
        for name in tracked(at)
    }
    inside = {name for name in names if not name.startswith(about)}
    runtime = {name for name in inside if name.startswith("mbcore/native/objects/")}
    assert inside - runtime == tracked("mbcore") | moved
    assert {PurePosixPath(name).name for name in runtime} == {
        "about.json", "flows.o", "others.o", "steps.o"
    }  # fmt: skip
    assert "mbcore/py.typed" in names
    assert f"{about}/licenses/LICENSE" in names
    assert "License-Expression: MIT" in metadata
    assert "mbcore = mbcore.cli.program:main" in commands


class Installed(NamedTuple):
    """An environment with the library installed in a way, a checkout, and an empty folder."""

    kind: str
    scripts: Path
    checkout: Path
    empty: Path

    def run(self, command: str, *arguments: str | Path) -> str:
        """Return what a command of the environment prints in the empty folder."""
        left_out = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")  # each module is compiled once
        environment = {name: value for name, value in os.environ.items() if name not in left_out}
        done = subprocess.run(
            [str(self.scripts / command), *map(str, arguments)],
            cwd=self.empty, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout


SDIST = pytest.param("sdist", marks=FURTHER)
"""The wheel is made of it, so that it lacks nothing."""


@pytest.fixture(scope="module", params=["wheel", SDIST, "editable"])
def installed(
    request: pytest.FixtureRequest, released: Path, tmp_path_factory: pytest.TempPathFactory
) -> Installed:
    """What ``pip install`` makes of a wheel, a source distribution or a checkout."""
    pytest.importorskip("pip")
    folder, checkout = tmp_path_factory.mktemp(request.param), released.parent / "source"
    (folder / "empty").mkdir()
    venv.create(folder / "environment", symlinks=os.name != "nt")
    scripts = folder / "environment" / ("Scripts" if os.name == "nt" else "bin")
    made = Installed(request.param, scripts, checkout, folder / "empty")
    where = made.run("python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
    # it sees the packages of this environment behind its own, and none of their path files
    packages = [place for place in sys.path if Path(place).name.endswith("-packages")]
    (Path(where.strip()) / "packages.pth").write_text("\n".join(packages), encoding="utf-8")
    sources = {
        "wheel": list(released.glob("*.whl")),
        "sdist": list(released.glob("*.tar.gz")),
        "editable": ["-e", checkout],
    }
    pip = ("-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-build-isolation")
    made.run("python", *pip, "--no-compile", *sources[request.param])
    return made


@pytest.mark.heavy
def test_it_works_from_an_empty_folder_however_it_is_installed(installed: Installed) -> None:
    code = "import mbcore.fmus.iltis as m, pathlib; print(pathlib.Path(m.__file__).parents[1])"
    place = Path(installed.run("python", "-c", code).strip())
    inside = place.resolve().is_relative_to(installed.scripts.parent.resolve())
    assert inside == (installed.kind != "editable"), place
    code = "import mbcore, mbcore.native.prebuilt as p; print(mbcore.__file__, p.prebuilt().folder)"
    library, runtime = map(Path, installed.run("python", "-c", code).split())
    assert runtime.is_relative_to(library.parent)
    listed = installed.run("mbcore", "list").splitlines()
    assert [line.split()[0] for line in listed] == NAMES
    assert "chassis.speed" in installed.run("mbcore", "list", "vehicle")


@pytest.mark.heavy
def test_the_script_works_in_a_checkout_however_it_is_installed(installed: Installed) -> None:
    script = installed.checkout / "build_fmu.py"
    listed = installed.run("python", script, "--list").splitlines()
    assert [line.split()[0] for line in listed] == NAMES


@pytest.mark.heavy
@pytest.mark.parametrize("installed", ["wheel"], indirect=True)
def test_the_command_goes_all_the_way(installed: Installed) -> None:
    """Five programs, each of which imports the library; one of them builds an FMU."""
    assert installed.run("mbcore", "--version") == f"mbcore {VERSION}\n"
    built = installed.run("mbcore", "build", "caster", "--fmi", "3", "--out", "out")
    assert " valid " in built
    assert "swivel.angle" in installed.run("mbcore", "run", "out/fmi3/caster.fmu", "--until", "1 s")
    installed.run("mbcore", "new", "swing")
    left = {file.name for file in installed.empty.iterdir()}
    assert left == {"out", "swing.py", "test_swing.py"}
    # a folder of the checkout, of which the installed library knows nothing
    folder = installed.checkout / "fmu_src" / "caster_flexible"
    assert "attachment.speed" in installed.run("mbcore", "list", folder)


# Examples

IMPORT_COPIES = """
import runpy
from mbcore.cli.commands.example import examples
for name, file in examples().items():
    print(name, "main" in runpy.run_path(str(file), run_name=name))
"""


@pytest.mark.heavy
@pytest.mark.parametrize("installed", ["wheel"], indirect=True)
def test_examples_find_all_that_they_import_where_it_is_installed(installed: Installed) -> None:
    printed = installed.run("python", "-c", IMPORT_COPIES)
    assert printed.splitlines() == [f"{name} True" for name in examples()]
    ran = installed.run("mbcore", "example", "planimeter")
    assert (installed.empty / "planimeter.py").exists() and "figure: figures" in ran


FROM_ELSEWHERE = ("bouncing_ball", "planimeter")


@pytest.mark.heavy
@pytest.mark.parametrize("name", FROM_ELSEWHERE)
def test_examples_run_alone_from_any_folder(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(gallery_examples.source(name))],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    left = {file.relative_to(tmp_path).parts[0] for file in tmp_path.rglob("*")}
    assert left <= {"figures"}
