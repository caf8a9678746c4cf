"""What is released: names, versions and files, of the source distribution and of the wheel."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

import mbcore
from docs import gallery
from mbcore.version import DISTRIBUTION, VERSION

ROOT = Path(__file__).parents[2]


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


def test_the_readme_s_test_line_installs_what_tests_and_documentation_need() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    extras = dict(re.findall(r"^(\w+) = \[(.*?)\]$", text, re.MULTILINE | re.DOTALL))
    inside = re.search(rf"{DISTRIBUTION}\[([\w,]+)\]", extras["test"])
    assert inside is not None
    assert {"control", "dask", "docs"} <= set(inside[1].split(","))
    assert '".[test,cross,importers]"' in (ROOT / "README.md").read_text("utf-8")


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
    definitions = {f"mbcore/fmus/{name.removeprefix('fmu_src/')}" for name in tracked("fmu_src")}
    inside = {name for name in names if not name.startswith(about)}
    assert inside == tracked("mbcore") | definitions
    assert "mbcore/py.typed" in names
    assert f"{about}/licenses/LICENSE" in names
    assert "License-Expression: MIT" in metadata
    assert "mbcore = mbcore.cli.program:main" in commands


@pytest.mark.heavy
def test_the_wheel_works_from_any_folder(released: Path, tmp_path: Path) -> None:
    (wheel,) = released.glob("*.whl")
    place, empty = tmp_path / "installed", tmp_path / "empty"
    with zipfile.ZipFile(wheel) as archive:  # what pip does with a pure wheel, beside the script
        archive.extractall(place)
    empty.mkdir()

    def command(*arguments: str) -> str:
        code = (
            f"import sys; sys.path.insert(0, {str(place)!r}); import mbcore; "
            f"assert mbcore.__file__.startswith({str(place)!r}); "
            "from mbcore.cli.program import main; sys.exit(main())"
        )
        done = subprocess.run(
            [sys.executable, "-I", "-c", code, *arguments],
            cwd=empty, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert command("--version") == f"mbcore {VERSION}\n"
    assert "vehicle" in command("list")
    built = command("build", "caster", "--fmi", "3", "--out", "out")
    assert " valid " in built
    assert "swivel.angle" in command("run", "out/fmi3/caster.fmu", "--until", "1 s")
    command("new", "swing")
    assert {file.name for file in empty.iterdir()} == {"out", "swing.py", "test_swing.py"}


# Examples

FROM_ELSEWHERE = ("bouncing_ball", "planimeter")


@pytest.mark.heavy
@pytest.mark.parametrize("name", FROM_ELSEWHERE)
def test_examples_run_alone_from_any_folder(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(gallery.source(name))],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    left = {file.relative_to(tmp_path).parts[0] for file in tmp_path.rglob("*")}
    assert left <= {"figures"}
