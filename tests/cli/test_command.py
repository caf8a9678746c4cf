"""The command mbcore: subcommands, values with units, what is refused, exit statuses."""

from __future__ import annotations

import csv
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from mbcore.cli import commands, program
from mbcore.cli.building import Task
from mbcore.cli.commands import build
from mbcore.cli.program import COMMANDS, main
from mbcore.version import VERSION

ROOT = Path(__file__).parents[2]
SLIDER = '''"""A mass of 2 kg on a line: force in, place out."""
from mbcore import Body, Model, StateName


def model():
    line = Model("slider")
    force = line.input("force", unit="N")
    mass = line.parameter("mass", 2, unit="kg", positive=True)
    law = line.enumeration("law", ["free", "viscous"])
    place = line.point("slider", (0, 0))
    place.y.fix()
    place.x.dof(StateName("x", display_unit="mm"), "v").law(-force)
    place.x.law((law - 1) * place.x.rate)
    line.add(Body("slider", place, mass=mass))
    line.output("power", force * place.x.rate, unit="W")
    return line
'''

Here = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    """Runs the command in a folder that holds a model, slider.py."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "slider.py").write_text(SLIDER)

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            status = main(arguments)
        except SystemExit as left:
            status = int(left.code or 0)
        return status, *capsys.readouterr()

    return run


def finals(printed: str) -> dict[str, float]:
    """Return last values by name, as ``run`` prints them."""
    lines = [line.split() for line in printed.splitlines()[1:] if not line.startswith("wrote")]
    return {words[0]: float(words[1]) for words in lines}


# Calls and names


def test_a_module_in_the_folder_of_subcommands_is_one(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "greet.py").write_text(
        'HELP = "say hello"\ndef add_arguments(parser): parser.add_argument("name")\n'
        'def run(options): print("hello", options.name); return 3\n'
    )
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])
    monkeypatch.setattr(program, "COMMANDS", program._commands())
    assert here("greet", "you") == (3, "hello you\n", "")
    assert "say hello" in here()[1]


def test_version_and_help(here: Here) -> None:
    assert here("--version") == (0, f"mbcore {VERSION}\n", "")
    status, printed, _ = here()
    assert status == 0
    assert "2 where the command is used wrongly" in " ".join(printed.split())
    for name in COMMANDS:
        assert re.search(rf"^ +{name}\b", printed, re.MULTILINE)
        status, said, _ = here(name, "--help")
        assert status == 0
        assert said.startswith(f"usage: mbcore {name} ")


def test_nothing_is_imported_that_is_not_used() -> None:
    code = (
        "import sys; from mbcore.cli.program import main; main(['list']);"
        "assert not {'scipy', 'fmpy', 'xarray', 'mbcore.equations'} & {*sys.modules}, sys.modules;"
        "from mbcore import Model, simulate;"
        "slow = {'scipy.linalg', 'scipy.sparse', 'scipy.integrate', 'matplotlib', 'pandas',"
        "'scipy.optimize', 'xarray', 'PIL', 'pint', 'fmpy', 'orjson', 'filelock',"
        "'concurrent.futures', 'mbcore.codegen.compiler', 'mbcore.native.cache',"
        "'mbcore.drawing.still'};"
        "assert not slow & {*sys.modules}, slow & {*sys.modules}"
    )
    paths = os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": paths},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("balancing_robot ")


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["biuld"], 2, "no command 'biuld'; did you mean 'build'? There are build, depende"),
        (["run", "slider.py", "--untl", "3"], 2, "did you mean --until? See 'mbcore run --help'"),
        (["run", "slider.py", "--stop", "3"], 2, "did you mean --until? See 'mbcore run --help'"),
        (["run", "slider.py", "--set", "a=1", "b=2"], 2, "needs its option again, as in --set a=1"),
        (["linearize", "slider.py", "--steady", "vx=5 m/s"], 2, "no variable 'vx'; there is"),
        (
            ["build", "slider.py", "--set", "a=1"],
            2,
            "did you mean --fix? See 'mbcore build --help'",
        ),
        (["build", "slider.py", "--fmi2"], 2, "did you mean --fmi 2? See 'mbcore build --help'"),
        (["dependencies", "vehicle"], 2, "build/fmi3/vehicle.fmu, which 'mbcore build vehicle'"),
        (["build", "--arrays"], 2, "write mbcore build car --arrays"),
        (["build", "--arrays", "slider.py", "--python"], 2, "cannot be used with --arrays"),
        (["build", "--trailers", "3"], 2, "write mbcore build road_train --trailers 3"),
        (["build", "road_train", "--trailers", "-1"], 2, "'-1' is not a whole number, 1 or more"),
        (["run"], 2, "the following arguments are required: NAME"),
        (
            ["run", "vehicel"],
            2,
            "no FMU is called 'vehicel'; did you mean 'vehicle'? There are",
        ),
        (["run", "slider"], 2, "no FMU is called 'slider'; did you mean slider.py?"),
        (["run", "slidr.py"], 2, "there is no file slidr.py; did you mean slider.py?"),
        (["run", "vehicle.py"], 2, "no file vehicle.py; did you mean the component 'vehicle'?"),
        (["run", "caster.fmu"], 2, "'mbcore build caster' builds build/fmi3/caster.fmu"),
        (["run", "slider.fmu"], 2, "'mbcore build slider.py' builds build/fmi3/slider.fmu"),
        (["run", "x/none.fmu"], 2, "there is no file x/none.fmu; 'mbcore list' lists"),
        (["run", "slider.py", "--set", "vv=1"], 2, "no parameter, input or state 'vv'"),
        (["run", "slider.py", "--set", "power=1"], 2, "power is calculated; set the variables"),
        (["run", "slider.py", "--set", "v"], 2, "--set 'v': give NAME=VALUE"),
        (["run", "slider.py", "--set", "v=1", "--set", "v=2"], 2, "v is set twice"),
        (["run", "slider.py", "--set", "v=5 deg"], 2, "v is a speed [m/s]; '5 deg' is an angle"),
        (["run", "slider.py", "--set", "law=dry"], 2, "law = 'dry': give one of free, viscous"),
        (["run", "slider.py", "--set", "v=1e-400"], 2, "v = '1e-400' is too small for a number"),
        (["run", "slider.py", "--set", "v=nan"], 2, "v = 'nan': give a number"),
        (["run", "slider.py", "--set", "mass=-2 kg"], 2, "parameter mass = -2.0: must be"),
        (["run", "slider.py", "--until", "3 m"], 2, "--until is a time [s]; '3 m' is a length"),
        (["run", "slider.py", "--until", "-3"], 2, "--until = '-3': give a positive time"),
        (["run", "slider.py", "--show", "pwer"], 2, "no variable 'pwer'; did you mean 'power'?"),
        (["-v"], 2, "unrecognized arguments: -v; see 'mbcore --help'"),
        (["run", "slider.py", "--csv", ""], 2, "--csv '': give a file name that ends in .csv"),
        (["run", "slider.py", "--inputs", ""], 2, "there is no file ."),
        (["run", "slider.py", "--step", "1 ns"], 2, "makes 1e+09 rows until 1 s; give a step of"),
        (["run", "slider.py", "--plot", "a.bmp"], 2, "a file name that ends in .png or .pdf or"),
        (["run", "slider.py", "--csv", "no/a.csv"], 2, "there is no folder no; make it first"),
        (
            ["run", "slider.py", "--inputs", "no.csv"],
            2,
            "there is no file no.csv; give the path of a CSV file",
        ),
        (["run", "slider.py", "--inputs", "."], 2, "there is no file .; give the path of"),
        (["linearize", "slider.py", "--at", "soon"], 2, "--at = 'soon': give a number, or a text"),
        (["run", "slider.py", "--csv", "/proc/a.csv"], 2, "cannot be written: No such file"),
        (["run", "a.fmu", "--backend", "c"], 2, "a.fmu contains its own compiled code; leave out"),
        (["linearize", "a.fmu"], 2, "there is no FMU a.fmu"),
        (["linearize", "slider.py", "--find", "force"], 2, "give --steady as well"),
        (["linearize", "slider.py", "--at", "1 s", "--steady"], 2, "leave one out"),
        (["linearize", "slider.py", "--steady", "v"], 2, "--steady 'v': give NAME=VALUE"),
        (["linearize", "slider.py", "--steady", "--find", "frce"], 2, "did you mean 'force'?"),
        (["run", "car", "--tyre", "no.tir"], 2, "there is no file no.tir; give a tyre"),
        (["page", "car", "--tyre", ""], 2, "--tyre: give the name of a tyre property file"),
        (["linearize", "car", "--limits", "free"], 2, "write --tyre FILE.tir too"),
        (["run", "car.fmu", "--tyre", "no.tir"], 2, "has the tyres that it was built with"),
        (["run", "slider.py", "--tyre", "slider.py"], 2, "slider has no tyres of a property file"),
        (["page", "slider.py", "--out", "a.png"], 2, "a file name that ends in .html or .htm"),
        (
            ["run", "slider.py", "--until", "1", "--until", "2"],
            2,
            "given twice, '1' and '2'; le",
        ),
        (["run", "slider.py", "--backend", "auto", "--backend", "c"], 2, "given twice, 'auto' and"),
        (["run", "slider.py", "--start", "first"], 2, "is a time of the inputs' file; give --inp"),
        (
            ["run", "slider.py", "--interface", "model-exchange"],
            2,
            "slider.py is not an FMU and runs without one; 'mbcore build slider.py'",
        ),
        (["run", "slider.py", "--show"], 2, "--show needs a value, A,B: variables to print"),
        (["run", "slider.py", "--backend"], 2, "needs a value, auto|python|c: c: compile"),
        (["example", "--folder", "x"], 2, "--folder: no effect without a NAME"),
        (["example", "--copy-only"], 2, "--copy-only: no effect without a NAME"),
        (["build", "--list", "caster"], 2, "NAMES: no effect with --list"),
        (["build", "--list", "--fmi", "2", "--out", "x"], 2, "--fmi, --out: no effect with --list"),
        (
            ["build", "slider.py", "--python", "--compiler-timeout", "9"],
            2,
            "--compiler-timeout",
        ),
        (["linearize", "slider.py", "--at", "1 s", "--unsteady"], 2, "--unsteady: no effect with"),
        (["linearize", "slider.py", "--set", "v=1", "--steady", "v=2"], 2, "v: given by --set and"),
        (["new", "my-car"], 2, "'my-car' cannot be the name of a component: give letters, digits "),
        (["new", "3d"], 2, "as in 'my_3d'"),
        (["new", "vehicle"], 2, "vehicle is a component of the library"),
        (["new", "numpy"], 2, "would hide the module numpy"),
        (["new", "slider"], 2, "slider.py exists already"),
        (["build", "vehicel"], 2, "did you mean 'vehicle'?"),
        (["page", "vehicel"], 2, "did you mean 'vehicle'?"),
        (["list", "vehicel"], 2, "did you mean 'vehicle'?"),
        (["list", "--all"], 2, "--all: no effect without a NAME; name the component"),
        (["linearize", "vehicel"], 2, "did you mean 'vehicle'?"),
        (["dependencies", "vehicel"], 2, "did you mean 'vehicle'?"),
        (["example", "slider_crnk_impact"], 2, "did you mean 'slider_crank_impact'?"),
        (["build", "vehicle", "--fmi", "4"], 2, "--fmi = '4': give one of 2, 3, 2.0, 3.0"),
        (["run", "slider.py", "--backend", "pyhton"], 2, "did you mean 'python'?"),
        (["build", "vehicle", "--platforms", "linux"], 2, "did you mean 'x86_64-linux'"),
        (["build", "vehicle", "--fix", "road", "--fix", "road"], 2, "road is given twice"),
        (["run", "slider.py", "--set", "mas=2 kg"], 2, "did you mean 'mass'?"),
        (["linearize", "slider.py", "--steady", "w=2"], 2, "no state or output 'w'"),
        (["linearize", "slider.py", "--steady", "powr=2"], 2, "did you mean 'power'?"),
        (["dependencies", "slider.py"], 2, "slider.py cannot be read as an FMU"),
        (["run", "car", "--tyre", "slider.py"], 2, "slider.py, line 5: "),
    ],
)
def test_what_is_wrong_is_told_by_name(
    here: Here, arguments: list[str], status: int, says: str
) -> None:
    found, printed, said = here(*arguments)
    assert (found, printed) == (status, "")
    assert says in said
    assert said.startswith("error: ")
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1\n", "has no function component()"),
        ("def model():\n    return 1 / 0\n", "own.py, line 2: ZeroDivisionError"),
        ("def model():\n    return 3\n", "model() of own.py gives 3"),
        ("def model(:\n", "own.py, line 1"),
        ("import nothing_of_this_name\ndef model(): ...\n", "line 1: ModuleNotFoundError"),
        ("from nothing_of_this_name import component\n", "line 1: ModuleNotFoundError"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_line(here: Here, text: str, says: str) -> None:
    Path("own.py").write_text(text)
    status, _, said = here("run", "own.py")
    assert (status, "Traceback" in said) == (1, False)
    assert says in said


@pytest.mark.parametrize(
    ("given", "built"),
    [
        ("", ("2.0", "3.0")),
        ("--fmi 3", ("3.0",)),
        ("--fmi 2 --fmi 3", ("2.0", "3.0")),
        ("--fmi 3.0 --fmi 2", ("3.0", "2.0")),
        ("--fmi 2 --fmi 2.0", ("2.0",)),
    ],
)
def test_each_version_that_is_named_is_built(
    here: Here, monkeypatch: pytest.MonkeyPatch, given: str, built: tuple[str, ...]
) -> None:
    asked: list[Task] = []
    monkeypatch.setattr(build, "toolchains", lambda *_: nullcontext(()))
    monkeypatch.setattr(build, "build_all", lambda tasks, _: len(asked.extend(tasks) or ""))
    assert here("build", "slider.py", *given.split())[0] == 0
    assert [(task.name, task.versions) for task in asked] == [("slider", built)]


# Running and linearizing


def test_a_value_of_minus_zero_is_shown_without_sign(here: Here) -> None:
    _, printed, _ = here("run", "slider.py", "--set", "v=-1", "--until", "1")  # power = 0 (-1)
    assert re.search(r"^power +0 +W$", printed, re.MULTILINE), printed


def test_run_with_units_against_the_closed_form(here: Here) -> None:
    status, printed, said = here(
        "run", "slider.py", "--set", "v=36 km/h", "--set", "mass=500 g", "--set", "force=2 N",
        "--until", "3000 ms", "--step", "0.5 s", "--csv", "out.csv", "--plot", "out.png",
    )  # fmt: skip
    assert (status, said) == (0, "")
    # x = v t + F t^2 / 2 m, v = v0 + F t / m
    assert finals(printed) == pytest.approx({"v": 22.0, "x": 48.0, "power": 44.0})
    assert "= 48000 mm" in printed
    assert "= 79.2 km/h" in printed
    with open("out.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["time [s]", "v [m/s]", "x [m]", "force [N]", "power [W]"]
    times = [float(row[0]) for row in rows[1:]]
    assert times == pytest.approx([0, 0.5, 1, 1.5, 2, 2.5, 3])
    assert Path("out.png").read_bytes()[:4] == b"\x89PNG"
    assert printed.splitlines()[-2:] == ["wrote out.csv", "wrote out.png"]


REMARKED = """
import slider
from mbcore.fmi.component import Component
from mbcore.fmi.page_settings import Page, Remark


def component():
    line = slider.model()
    reach = line.parameter("reach", 1.0, unit="m")
    line.output("near", 1 - line.event("far", line.nodes["slider"].x.value - reach), kind="boolean")
    remark = Remark(("x",), "reach", "push less")
    return Component("line", "", line.equations(), page=Page(remarks={"near": remark}))
"""


def test_a_run_tells_the_peak_behind_what_has_become_false(here: Here) -> None:
    Path("line.py").write_text(REMARKED)
    way = "--set", "v=4", "--set", "force=-8", "--step", "0.5"  # x = 4 t - 2 t^2, at most 2 m
    status, printed, _ = here("run", "line.py", *way, "--until", "1 s", "--set", "reach=150 cm")
    assert status == 0
    told = "not near: x reached 2 at 1 s, reach is 1.5; the motion goes on as before: push less"
    assert printed.splitlines()[-1] == told
    _, printed, _ = here("run", "line.py", *way, "--until", "1 s", "--set", "reach=3")
    assert "not near" not in printed


@pytest.mark.heavy
@pytest.mark.parametrize("version", ["2", "3"])
def test_an_fmu_tells_the_peak_as_its_model_does(here: Here, version: str) -> None:
    Path("line.py").write_text(REMARKED)
    assert here("build", "line.py", "--fmi", version)[0] == 0
    fmu = f"build/fmi{version}/line.fmu"
    way = "--set", "v=4", "--set", "force=-8", "--until", "1 s", "--step", "0.5"
    said = "not near: x reached 2 at 1 s, reach is {}; the motion goes on as before: push less"
    for interface in ("co-simulation", "model-exchange"):
        given = *way, "--interface", interface
        _, printed, _ = here("run", fmu, *given, "--set", "reach=150 cm")
        assert printed.splitlines()[-1] == said.format("1.5")
        _, printed, _ = here("run", fmu, *given)
        assert printed.splitlines()[-1] == said.format("1")
        _, printed, _ = here("run", fmu, *given, "--set", "reach=3")
        assert "not near" not in printed


def test_inputs_from_a_file_are_linear_with_jumps_and_units(here: Here) -> None:
    Path("force.csv").write_text("time [ms];force [kN]\n0;0\n1000;0.004\n1000;0\n2000;0\n")
    status, printed, said = here("run", "slider.py", "--inputs", "force.csv", "--csv", "out.csv")
    assert (status, said) == (0, "")
    # a = 2 t until 1 s: v(1) = 1, x(1) = 1/3; then at constant speed until the file's end, 2 s
    assert finals(printed)["v"] == pytest.approx(1.0, rel=1e-5)
    assert finals(printed)["x"] == pytest.approx(4 / 3, rel=1e-5)
    _, again, _ = here("run", "slider.py", "--inputs", "out.csv")  # with states
    assert finals(again)["x"] == pytest.approx(4 / 3, rel=1e-4)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has nothing in it; give a header and at least one row, as in 'time [s],force [N]'"),
        ("time;force\n", "has one line alone, 'time;force'; give a header and at least one row"),
        (
            "x,force\n0,1\n",
            "its columns are 'x', 'force'; the first one must be the time, called time or t, as in "
            "'time [s],force [N]' over rows as '0.5,0'",
        ),
        (
            "Zeit [ms];Kraft [kN]\n0,0;1,5\n",
            "its columns are 'Zeit [ms]', 'Kraft [kN]'; the first one must be the time, called "
            "time or t, as in 'time [ms];force [N]' over rows as '0,5;0'",
        ),
        ("Zeit [kg];force [kN]\n0;1\n", "as in 'time [s];force [kN]' over rows as '0.5;0'"),
        ("Zeit\tforce [m]\n0\t1,5\n", "as in 'time [s]\\tforce [N]' over rows as '0,5\\t0'"),
        (
            "force;t [ms]\n0;1\n",
            "its columns are 'force', 't [ms]'; the first one must be the time, so move that, "
            "as in 'time [ms];force [N]'",
        ),
        (
            "0,5;1\n1,5;1\n",
            "its first line, '0,5;1', holds numbers alone; begin with a header, as in "
            "'time [s];force [N]' over rows as '0,5;0'",
        ),
        ("time,force\n0,0,5\n", "line 2: 3 values for 2 columns; decimals with commas need semico"),
        ("time;force\n0;1.000,5\n", "line 2: force = '1.000,5'; give a finite number"),
        ("time,force\n0,1_0\n", "line 2: force = '1_0'; give a finite number"),
        ("time,force\n0,1\n0,2\n0,3\n", "line 4: a third row of this time; a jump has two"),
        ("time,forc\n0,1\n", "no input 'forc'; did you mean 'force'?"),
        ("time,x\n0,1\n", "holds no input; there is force"),
        ("time,force [m]\n0,1\n", "the column 'force [m]' has the unit of a length"),
        ("time,force,force\n0,1,1\n", "two columns are called force"),
        ("time,force\n0,1\n1\n", "line 3: 1 value for 2 columns; give 2 values in each line"),
        ("time,force\n0,nan\n", "line 2: force = 'nan'; give a finite number"),
        ("time,force\n0,1\n2,1\n1,1\n", "line 4: the time goes back"),
    ],
)
def test_files_of_inputs_are_refused_by_line(here: Here, text: str, says: str) -> None:
    Path("force.csv").write_text(text)
    status, _, said = here("run", "slider.py", "--inputs", "force.csv")
    assert status == 2
    assert said.startswith("error: force.csv")
    assert says in said


def test_a_run_begins_at_a_time_of_its_file(here: Here) -> None:
    Path("log.csv").write_text("t;force [N]\n100;0,5\n103;0,5\n")
    for begin, span in (("first", 3.0), ("100 s", 3.0), ("101.5", 1.5), ("99 s", 4.0)):
        status, printed, said = here("run", "slider.py", "--inputs", "log.csv", "--start", begin)
        # 0.5 N on 2 kg, held before the first row
        assert (status, finals(printed)["v"]) == (0, pytest.approx(span / 4))
        assert ("before it the first row's values are held" in said) == (begin == "99 s")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            "",
            "from 100 s to 103 s, and the run begins at 0 s; give --start first to begin",
        ),
        (
            "--until 3",
            "from 100 s to 103 s, the run from 0 s to 3 s, and they have no time in common",
        ),
        (
            "--start 200",
            "to 103 s, the run from 200 s to 201 s, and they have no time in",
        ),
        ("--start soon", "--start = 'soon': give a number"),
    ],
)
def test_a_file_that_misses_the_run_is_refused(here: Here, arguments: str, says: str) -> None:
    Path("log.csv").write_text("t;force [N]\n100;0,5\n103;0,5\n")
    status, _, said = here("run", "slider.py", "--inputs", "log.csv", *arguments.split())
    assert (status, says in said) == (2, True), said


def test_an_input_has_a_value_or_a_course(here: Here) -> None:
    Path("force.csv").write_text("time,force\n0,1\n1,1\n")
    status, _, said = here("run", "slider.py", "--inputs", "force.csv", "--set", "force=2 N")
    assert status == 2
    assert "force: given by --set and by --inputs; leave it to one of them" in said


SET = """<?xml version="1.0" encoding="UTF-8"?>
<ssv:ParameterSet xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"
 xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" version="1.0" name="heavy">
<ssv:Parameters>
{}
</ssv:Parameters>
<ssv:Units><ssc:Unit name="t"><ssc:BaseUnit kg="1" factor="1000"/></ssc:Unit></ssv:Units>
</ssv:ParameterSet>
"""


def test_parameters_from_a_file_and_values_over_them(here: Here) -> None:
    """A mass of 4000 kg is moved by 2000 N: x = 0.25 t^2."""
    values = (("mass", 'Real value="4" unit="t"'), ("force", 'Real value="1"'))
    lines = [f'<ssv:Parameter name="{n}"><ssv:{v}/></ssv:Parameter>' for n, v in values]
    Path("set.ssv").write_text(SET.format("\n".join(lines)))
    Path("set.toml").write_text('mass = "4 t"\nforce = 1\n')
    for file in ("set.ssv", "set.toml"):
        status, printed, _ = here(
            "run", "slider.py", "--parameters", file, "--set", "force=2 kN", "--until", "2"
        )
        assert status == 0
        assert finals(printed)["x"] == pytest.approx(1.0, rel=1e-5)


CART = """from mbcore import Model
from mbcore.fmi import Component


def component():
    cart = Model("cart")
    k = cart.parameter("k", [1.0, 2.0, 3.0])
    cart.output("sum", k[0] + 10 * k[1] + 100 * k[2])
    cart.state("x", derivative=k[0])
    return Component("cart", "A cart", cart.equations(), parameters={"k": [4.0, 5.0, 6.0]})
"""


@pytest.mark.parametrize(
    ("file", "setting", "end"),
    [
        (None, None, 654),
        (None, "k[2]=0", 604),
        ('{"k": [7, 8, 9]}', "k[2]=0", 907),
        ('{"k[2]": 8}', None, 684),
        ('{"k[2]": 8}', "k=[1, 2, 3]", 321),
    ],
)
def test_elements_go_before_arrays_that_are_given_earlier(
    here: Here, file: str | None, setting: str | None, end: float
) -> None:
    """Of the definition, the file and --set, the latter wins."""
    Path("cart.py").write_text(CART)
    Path("set.json").write_text(file or "{}")
    given = ("--parameters", "set.json", *(("--set", setting) if setting else ()))
    status, printed, said = here("run", "cart.py", *given, "--until", "1", "--backend", "python")
    assert (status, said) == (0, "")
    assert finals(printed)["sum"] == end


WRONG_SETS = {
    '<ssv:Parameter name="mass"><ssv:Real value="-4" unit="t"/></ssv:Parameter>': (
        "parameter mass = -4000.0: must be a finite number > 0"
    ),
    '<ssv:Parameter name="power"><ssv:Real value="4"/></ssv:Parameter>': (
        "power is calculated; set the variables that determine it"
    ),
    '<ssv:Parameter name="law"><ssv:Real value="1"/></ssv:Parameter>': (
        "parameter law = 1.0 is given as Real; give one of free, viscous"
    ),
    '<ssv:Parameter name="v"><ssv:Real value="1" unit="t"/></ssv:Parameter>': (
        "start value v is a speed [m/s]; '1 t' is a mass; give e.g. '1 km/h'"
    ),
    '<ssv:Parameter name="mas"><ssv:Real value="1"/></ssv:Parameter>': (
        "no parameter, input or state 'mas'; did you mean 'mass'? There is"
    ),
}


@pytest.mark.parametrize("line", WRONG_SETS)
def test_a_wrong_parameter_set_is_refused_by_line(here: Here, line: str) -> None:
    Path("set.ssv").write_text(SET.format(line))
    status, printed, said = here("run", "slider.py", "--parameters", "set.ssv")
    assert (status, printed) == (2, "")
    assert said.startswith(f"error: set.ssv, line 5: {WRONG_SETS[line]}")


def test_parameters_are_for_one_fmu(here: Here) -> None:
    Path("set.toml").write_text("mass = 4\n")
    status, _, said = here("build", "--parameters", "set.toml")
    assert status == 2 and "--parameters is for one FMU that is named" in said
    status, _, said = here("build", "slider.py", "--parameters", "set.tml")
    assert "give a file that ends in .ssv, .csv, .json, .toml" in said


def test_list_shows_the_variables_of_a_file(here: Here) -> None:
    status, printed, _ = here("list", "slider.py")
    lines = [line.split() for line in printed.splitlines()]
    assert status == 0
    assert ["parameter", "mass", "2", "kg"] in lines
    assert ["parameter", "law", "free", "one", "of", "free,", "viscous"] in lines
    assert ["state", "x", "0", "m"] in lines


def test_list_leaves_modes_to_an_option(here: Here) -> None:
    Path("modes.py").write_text(
        SLIDER.replace(
            "    return line", '    line.event("far", place.x.value - 1)\n    return line'
        )
    )
    _, printed, _ = here("list", "modes.py")
    assert "far.active" not in printed
    assert printed.splitlines()[-1] == "1 internal output, as modes of events: --all shows them"
    _, whole, _ = here("list", "modes.py", "--all")
    assert "output     far.active" in whole
    assert len(whole.splitlines()) == len(printed.splitlines())


def test_run_names_inputs_that_do_not_act(here: Here) -> None:
    """A component whose force acts with one value of a list, as its page says."""
    Path("driven.py").write_text(
        f"{SLIDER}\n\ndef component():\n"
        "    from mbcore.fmi.component import Component, Experiment\n"
        "    from mbcore.fmi.page_settings import Page\n"
        "    page = Page(used_with={'force': ('law', 'viscous')})\n"
        "    equations, experiment = model().equations(), Experiment(stop=1.0)\n"
        "    return Component('driven', '', equations, experiment=experiment, page=page)\n"
    )
    _, printed, _ = here("run", "driven.py", "--set", "force=2")
    said = "force has no effect with law = free: give --set law=viscous, or leave it out"
    assert said in printed
    assert (
        "no effect" not in here("run", "driven.py", "--set", "force=2", "--set", "law=viscous")[1]
    )
    assert "no effect" not in here("run", "driven.py")[1]


def test_linearize_against_the_closed_form(here: Here) -> None:
    here("new", "swing")
    status, printed, said = here(
        "linearize", "swing.py", "--set", "pendulum.angle=0 deg", "--set", "rod.length=2 m",
        "--set", "pivot.damping=1.6 N.m.s/rad", "--csv", "abcd.csv", "--npz", "abcd.npz",
    )  # fmt: skip
    assert (status, said) == (0, "")
    # m l^2 phi'' + d phi' + m g l phi = T: lambda^2 + 0.2 lambda + g / l = 0
    omega, decay = math.sqrt(9.81 / 2), 0.1
    row = next(line for line in printed.splitlines() if "+-" in line).split()
    assert float(row[0]) == pytest.approx(-decay, rel=1e-5)
    frequency = math.sqrt(omega**2 - decay**2)
    assert float(row[2].rstrip("i")) == pytest.approx(frequency, rel=1e-5)
    assert float(row[3]) == pytest.approx(frequency / 2 / math.pi, rel=1e-5)
    assert float(row[4]) == pytest.approx(decay / omega, rel=1e-3)
    kept = np.load("abcd.npz")
    A = [[-2 * decay, -(omega**2)], [1, 0]]
    np.testing.assert_allclose(kept["A"], A, atol=1e-12)
    np.testing.assert_allclose(kept["B"], [[1 / 8], [0]], atol=1e-12)
    assert kept["outputs"].tolist() == ["bob.x", "bob.y", "energy"]
    with open("abcd.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["A", "pendulum.rate", "pendulum.angle"]
    assert [float(x) for x in rows[1][1:]] == pytest.approx(A[0])
    assert rows[4] == ["B", "motor.torque"]


def test_linearize_prints_the_eigenvalues_of_the_text(here: Here) -> None:
    status, printed, _ = here("linearize", "caster", "--set", "swivel.angle=0 deg")
    assert status == 0
    assert "A: 4 x 4, B: 4 x 3, C: 8 x 4, D: 8 x 3" in printed
    # [Schwab2002] 3.5.2 by hand: a (u - b phi)'' + r^2 phi'' + k u = 0 and phi' = u' - phi, with
    # a = 0.2, b = 0.8, r^2 = 0.21, k = 0.3: (a^2 + r^2) s^3 + a s^2 + k s + k = 0
    found = sorted(np.roots([0.25, 0.2, 0.3, 0.3]), key=lambda s: s.real)
    values = [line.split() for line in printed.splitlines()[-4:]]
    assert printed.splitlines()[-1] == "zero by structure: attachment.x"
    assert float(values[0][0]) == pytest.approx(found[-1].real, rel=1e-4)
    assert float(values[0][2].rstrip("i")) == pytest.approx(abs(found[-1].imag), rel=1e-4)
    assert float(values[1][0]) == pytest.approx(found[0].real, rel=1e-4)


@pytest.mark.heavy
def test_linearize_about_a_steady_motion(here: Here) -> None:
    assert "give --steady" in here("linearize", "bicycle")[2].lower()
    assert here("linearize", "bicycle", "--unsteady")[2] == ""
    assert "takes 1 condition and 0 are given" in here("linearize", "bicycle", "--steady")[2]
    status, printed, said = here("linearize", "bicycle", "--steady", "bicycle.speed=18 km/h")
    assert (status, said) == (0, "")
    assert "steady motion: bicycle.speed = 5 m/s\n" in printed
    # Meijaard, Papadopoulos, Ruina and Schwab (2007), Table 2, v = 5 m/s
    values = [line.split()[:3] for line in printed.splitlines()[-5:]]
    assert float(values[0][0]) == pytest.approx(-0.322866429004087, rel=1e-5)
    assert float(values[1][0]) == pytest.approx(-0.775341882195845, rel=1e-5)
    assert float(values[1][2].rstrip("i")) == pytest.approx(4.464867713788229, rel=1e-5)
    assert float(values[2][0]) == pytest.approx(-14.07838969279822, rel=1e-5)


def test_linearize_finds_the_inputs_of_a_steady_motion(here: Here) -> None:
    text = SLIDER.replace("law(-force)", "law(3 * place.x.rate - force)")
    Path("slider.py").write_text(text)
    arguments = ("linearize", "slider.py", "--steady", "v=2 m/s", "--find", "force")
    status, printed, said = here(*arguments)
    assert (status, said) == (0, "")
    assert "steady motion: v = 2 m/s, force = 6 N\n" in printed


def test_linearize_at_a_time_goes_there(here: Here) -> None:
    here("new", "swing")
    _, start, _ = here("linearize", "swing.py", "--set", "pendulum.angle=90 deg", "--at", "1 us")
    assert "swing about t = 1e-06 s" in start
    # -g cos(phi) / l is almost nothing where the rod is level
    row = next(line for line in start.splitlines() if "d(pendulum.rate)" in line).split()
    assert abs(float(row[2])) < 1e-3


def test_a_component_of_one_s_own_needs_few_lines(here: Here) -> None:
    status, printed, _ = here("new", "swing")
    assert status == 0
    assert printed.splitlines()[:2] == ["wrote swing.py", "wrote test_swing.py"]
    body = Path("swing.py").read_text().partition("# 1.")[2].splitlines()
    code = [line for line in body if line.strip() and not line.strip().startswith(("#", '"""'))]
    assert len(code) <= 40
    _, ran, _ = here("run", "swing.py", "--until", "0.1 s")
    assert finals(ran)["energy"] == pytest.approx(-2 * 9.81 * 0.5 * math.cos(math.pi / 6), rel=1e-5)


# Long ones


@pytest.mark.heavy
def test_from_new_to_a_tested_fmu_that_runs(here: Here) -> None:
    assert here("new", "swing")[0] == 0
    status, printed, said = here("build", "swing.py", "--fmi", "3")
    assert (status, " valid " in printed) == (0, True), said
    fmu = "build/fmi3/swing.fmu"
    given = ["--set", "motor.torque=1 N.m", "--until", "2 s", "--set", "bob.mass=3000 g"]
    by_python, by_fmu = (finals(here("run", name, *given)[1]) for name in ("swing.py", fmu))
    assert by_fmu == pytest.approx(by_python, rel=2e-5, abs=2e-5)
    status, _, said = here("run", fmu, "--set", "bob.mass=3 m")
    assert status == 2
    assert "bob.mass is a mass [kg]; '3 m' is a length" in said


@pytest.mark.heavy
def test_the_test_of_a_new_component_passes(here: Here, tmp_path: Path) -> None:
    assert here("new", "swing")[0] == 0
    paths = os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_swing.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": paths},
    )  # fmt: skip
    assert tested.returncode == 0, tested.stdout
    assert "3 passed" in tested.stdout


@pytest.mark.heavy
def test_compiled_equations_give_the_same(here: Here) -> None:
    status, printed, said = here(
        "run", "slider.py", "--set", "force=2 N", "--until", "3 s", "--backend", "c"
    )
    assert status == 0, said
    assert finals(printed) == pytest.approx({"v": 3.0, "x": 4.5, "power": 6.0})


def test_a_page_is_written_without_a_browser_too(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = COMMANDS["page"].imported()

    def write(component: object, path: Path, compiler_timeout: float, progress: object) -> Path:
        assert compiler_timeout == 90.0
        path.write_text("page")
        return path

    monkeypatch.setattr(page, "write_page", write)
    monkeypatch.setattr(page.webbrowser, "open", lambda place: False)
    status, printed, said = here("page", "slider.py", "--open", "--compiler-timeout", "90")
    assert (status, printed.startswith("wrote slider.html")) == (0, True)
    assert said == f"warning: no browser was found here; open {tmp_path / 'slider.html'} in one\n"


@pytest.mark.heavy
def test_a_page_is_one_file(here: Here) -> None:
    """Where the runtime is new, ziglang takes twenty seconds to compile it for pages."""
    pytest.importorskip("ziglang")
    status, printed, said = here("page", "slider.py")
    assert status == 0, said
    assert printed.startswith("wrote slider.html")
    text = Path("slider.html").read_text("utf-8")
    assert text.lower().startswith("<!doctype html>")
    assert not re.search(r'(src|href)="(https?:)?//', text)


@pytest.mark.heavy
def test_an_interrupted_run_ends_in_order(tmp_path: Path) -> None:
    told = SLIDER.replace("    return line", "    print('made', flush=True)\n    return line")
    (tmp_path / "slider.py").write_text(told)
    paths = os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))
    running = subprocess.Popen(
        [sys.executable, "-u", "-m", "mbcore", "run", "slider.py", "--until", "1e4 s",
         "--step", "0.01 s"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": paths},
    )  # fmt: skip
    assert running.stdout is not None
    assert running.stdout.readline() == "made\n"
    time.sleep(1)  # into the run, which takes minutes
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=600)
    assert running.returncode == 130
    assert said.rstrip().endswith("interrupted")
    assert "Traceback" not in said
