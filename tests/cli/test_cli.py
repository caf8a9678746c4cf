"""The command: lists, refuses by name, and its exit status says whether all is well."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mbcore import ModelError
from mbcore.cli import building
from mbcore.cli.commands import build
from mbcore.cli.definitions import definitions, located
from mbcore.cli.loading import load
from mbcore.host.definition_files import SHIPPED, defined_name

_GOOD = '''"""A good one: to be listed."""

def component():
    raise RuntimeError("listing must not run it")
'''
_DESCRIBED = 'DESCRIPTION = "Has its own words"\n\ndef component():\n    ...\n'
_IN_A_PACKAGE = '''"""Imports what is beside it and above."""
from .. import LENGTH
from .parts import Model


def model():
    made = Model("pendulum")
    length = made.parameter("length", LENGTH, unit="m")
    made.output("twice", 2 * length, unit="m")
    return made
'''
_SWING = '''"""Has one parameter."""
from mbcore import Model


def model():
    made = Model("pendulum")
    made.output("twice", 2 * made.parameter("length", 2.0, unit="m"), unit="m")
    return made
'''
_FAILING = '''"""Fails."""
from mbcore import ModelError

def component():
    raise ModelError("the wheel has no radius")
'''


@pytest.fixture
def sources(tmp_path):
    folder = tmp_path / "fmu_src"
    folder.mkdir()
    (folder / "good.py").write_text(_GOOD)
    (folder / "described.py").write_text(_DESCRIBED)
    (folder / "helper.py").write_text('"""Defines no component."""\n')
    for name, text in (("whole", _GOOD), ("shared", '"""Defines no component."""\n')):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(text)
    return folder


def test_list_names_and_describes_without_running_anything(sources, capsys):
    assert build.main(["--list"], sources) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(maxsplit=1) for line in lines] == [
        ["described", "Has its own words"],
        ["good", "A good one: to be listed."],
        ["whole", "A good one: to be listed."],
    ]


def test_unknown_names_are_answered_with_the_known_ones(sources, capsys):
    assert build.main(["goood"], sources) == 2
    said = capsys.readouterr().err
    assert "'goood'" in said
    assert "described, good" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("platforms", ["x86_64-linux,vax", "all,pdp11"])
def test_platforms_are_refused_by_name(sources, capsys, platforms):
    assert build.main(["good", "--platforms", platforms], sources) == 2
    assert platforms.split(",")[1] in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [
        ["--out", ""],
        ["--platforms", ","],
        ["--compiler-timeout", "nan"],
        ["--compiler-timeout", "x"],
    ],
)
def test_options_without_meaning_are_refused(sources, capsys, options):
    with pytest.raises(SystemExit):
        build.main(options, sources)
    assert f"argument {options[0]}" in capsys.readouterr().err


@pytest.mark.parametrize("given", [{"fix": {"radius": None}}, {"parameters": {"radius": 1.0}}])
def test_a_parameter_that_a_component_lacks_is_wrong_use(tmp_path, given):
    """The exit status is that of wrong use, which a process tells by the kind of its words."""
    file = tmp_path / "lever.py"
    file.write_text(_SWING)
    task = building.Task("lever", file, tmp_path, ("3.0",), False, (), **given)
    found = building._build_and_check(task, ())
    assert isinstance(found, building.WrongCall)
    assert "'radius'" in found


def test_a_failing_definition_is_told_without_a_traceback(sources, capsys, tmp_path):
    (sources / "failing.py").write_text(_FAILING)
    assert build.main(["failing", "--python", "--out", str(tmp_path / "out")], sources) == 1
    said = capsys.readouterr()
    assert "failing: the wheel has no radius" in said.err
    assert "Traceback" not in said.err
    assert said.out == ""


def test_a_package_is_run_as_one_wherever_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    inner = tmp_path / "outer_package" / "pendulum_package"
    inner.mkdir(parents=True)
    (inner.parent / "__init__.py").write_text("LENGTH = 2.0\n")
    (inner / "parts.py").write_text("from mbcore import Model\n")
    (inner / "__init__.py").write_text(_IN_A_PACKAGE)
    found = located(str(inner), {})
    assert defined_name(found) == "pendulum_package"
    assert load(found).equations.parameters[0].value == 2.0


def test_a_copy_of_the_definitions_is_run_as_a_package_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    shutil.copytree(SHIPPED, tmp_path / "copied_fmus")
    shared = tmp_path / "copied_fmus" / "shared.py"
    shared.write_text(shared.read_text("utf-8").replace("The mbcore authors", "somebody"), "utf-8")
    file = tmp_path / "copied_fmus" / "journal_bearing.py"
    assert load(file).author == "somebody"


def test_an_empty_folder_is_told(tmp_path, capsys):
    assert build.main([], tmp_path) == 1
    assert str(tmp_path) in capsys.readouterr().err


def test_a_syntax_error_names_file_and_line(sources):
    (sources / "broken.py").write_text("def component(:\n")
    with pytest.raises(ModelError, match=r"broken\.py, line 1"):
        definitions(sources)


@pytest.mark.heavy
def test_the_script_runs_from_anywhere(tmp_path):
    script = Path(__file__).parents[2] / "build_fmu.py"
    done = subprocess.run(
        [sys.executable, script, "--list"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "vehicle" in done.stdout
