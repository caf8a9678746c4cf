"""The Python flavour under FMPy: the same variables, and the motion of the equations."""

import sys
from pathlib import Path

import numpy as np
import pytest
from fmpy import read_model_description, simulate_fmu
from fmpy.fmi1 import FMICallException

from mbcore import ModelError, simulate
from mbcore.codegen.table import table
from mbcore.fmi.check import check
from mbcore.fmi.packing.platforms import PLATFORMS, PlatformError
from mbcore.fmi.python import python_flavour
from mbcore.fmi.python.python_slave import EquationsSlave, load_component
from tests.pendulum import pendulum

_DEFINITION = """
from {helper} import pendulum
from mbcore.fmi import Component, Experiment

def component():
    return Component("pendulum", "A pendulum", pendulum().equations(), Experiment(2.0, 0.05))
"""


@pytest.fixture(scope="module")
def definition(tmp_path_factory):
    """A definition beside the model, in a folder that is a package."""
    folder = tmp_path_factory.mktemp("python_flavour") / "swing_src"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    model = (Path(__file__).parents[1] / "pendulum.py").read_text()
    (folder / "swinging.py").write_text(model)
    file = folder / "pendulum.py"
    file.write_text(_DEFINITION.format(helper=".swinging"))
    return file


@pytest.fixture(scope="module")
def fmu(definition, tmp_path_factory):
    sys.path.insert(0, str(definition.parents[1]))
    out = tmp_path_factory.mktemp("out")
    try:
        path = python_flavour.export_python(load_component(definition), definition, out)
    finally:
        sys.path.remove(str(definition.parents[1]))
        for name in ("swing_src", "swing_src.swinging"):
            sys.modules.pop(name, None)
    assert path == out / "python" / "pendulum.fmu"
    return path


def test_it_is_valid_and_runs(fmu):
    found = check(fmu)
    assert found.problems == ()
    assert found.steps == 40
    assert found.step_cost > 0


@pytest.mark.parametrize(
    "method",
    [
        pytest.param(1, id="runge_kutta"),
        pytest.param(2, id="rosenbrock", marks=pytest.mark.heavy),
        pytest.param(3, id="fixed_step", marks=pytest.mark.heavy),
    ],
)
def test_it_moves_as_the_equations_say(fmu, definition, method):
    values = {
        "solver.method": method, "solver.tolerance": 1e-9, "solver.step": 5e-3,
        "pendulum.angle": 0.5, "bob.mass": 3.0, "pivot.torque": 1.0,
    }  # fmt: skip
    names = ["pendulum.angle", "pendulum.rate", "bob.x", "energy", "gate.passages"]
    result = simulate_fmu(str(fmu), start_values=values, stop_time=2.0, output=names)
    wanted = simulate(
        pendulum().equations(), 2.0, start={"pendulum.angle": 0.5}, samples=result["time"],
        parameters={"bob.mass": 3.0}, inputs={"pivot.torque": 1.0}, rtol=1e-11,
    )  # fmt: skip
    for name in names:
        np.testing.assert_allclose(result[name], wanted[name], atol=2e-6, err_msg=name)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"bob.mass": -1.0}, "bob.mass = -1.0: must be positive"),
        ({"rod.length": 11.0}, "rod.length = 11 at t = 0: must be below 10 m"),
        ({"pivot.law": 2}, "pivot.law = dry: this item is not available yet"),
        ({"pendulum.angle": float("nan")}, "pendulum.angle = nan"),
    ],
)
def test_wrong_values_are_refused(fmu, values, reason, capsys):
    with pytest.raises(FMICallException):
        simulate_fmu(str(fmu), start_values=values, stop_time=0.1, debug_logging=True)
    assert reason in capsys.readouterr().out


def test_references_are_those_of_the_native_fmu(fmu):
    rows = {row.name: row.reference for row in table(pendulum().equations(), 0.01).rows}
    described = read_model_description(str(fmu)).modelVariables
    assert {v.name: v.valueReference for v in described} == {
        name: reference for name, reference in rows.items() if name != "gate.indicator"
    }


def test_a_machine_without_a_bridge_is_refused(definition, monkeypatch, tmp_path):
    monkeypatch.setattr(python_flavour, "this_platform", lambda: PLATFORMS["aarch64-darwin"])
    with pytest.raises(PlatformError, match=r"Python flavour.*aarch64-darwin"):
        python_flavour._bridges()


_LIMITED = """
import casadi as ca

from {helper} import pendulum
from mbcore.fmi import Component, Experiment

def component():
    model = pendulum()
    angle = model.elements["hinge"].angle.value
    model.require("swing", 0.4 - ca.fabs(angle), "must stay below 0.4 rad", shown=angle)
    model.input("command", 0.2)
    command = model.filtered("command", 0.5)
    slope = model.input("slope", maximum=1.0)
    asked = model.input("asked", rate=slope)
    model.output("shown", command + asked)
    model.load(0.0 * asked, model.elements["hinge"].angle.rate)
    model.state("followed", slope)
    return Component("pendulum", "A pendulum", model.equations(), Experiment(2.0, 0.05))
"""


@pytest.fixture
def slave(definition, monkeypatch):
    """An instance of the flavour's class, without the bridge."""
    monkeypatch.syspath_prepend(str(definition.parents[1]))
    file = definition.parent / "limited.py"
    file.write_text(_LIMITED.format(helper="swing_src.swinging"))
    made = type("Limited", (EquationsSlave,), {"component_file": file.name})(
        instance_name="limited", resources=str(file.parent)
    )
    yield made
    for name in ("swing_src", "swing_src.swinging"):
        sys.modules.pop(name, None)


def named(slave):
    return {variable.name: variable for variable in slave.vars.values()}


def everything(slave):
    e = slave._evaluation
    return b"".join(a.tobytes() for a in (e.t, e.s, e.d, e.u, e.p, e.x)) + e.derivative().tobytes()


def test_a_failed_step_leaves_everything_as_it_was(slave):
    slave.setup_experiment(0.0)
    named(slave)["pendulum.rate"].setter(2.0)
    slave.exit_initialization_mode()
    assert slave.do_step(0.0, 0.1)
    before = everything(slave)
    assert not slave.do_step(0.1, 1.0)  # it would swing beyond 0.4 rad
    slave._configure()
    assert everything(slave) == before
    assert any("swing = 0.4" in str(entry.msg) for entry in slave.log_queue)


def test_what_is_set_after_initialization_counts_in_the_first_step_here_too(slave):
    """An input beyond its limit acts as that, 1/s, and a filter begins where its input is."""
    variables = named(slave)
    slave.setup_experiment(0.0)
    slave.exit_initialization_mode()
    variables["slope"].setter(3.0)
    variables["command"].setter(0.7)
    assert variables["slope"].getter() == 3.0
    assert slave.do_step(0.0, 0.02) and slave.do_step(0.02, 0.02)
    assert variables["followed"].getter() == pytest.approx(0.04, abs=1e-12)
    assert variables["command_filtered"].getter() == pytest.approx(0.7, abs=1e-12)
    told = [entry.msg for entry in slave.log_queue if "its range" in str(entry.msg)]
    assert len(told) == 1 and "slope = 3" in str(told[0])
    variables["command"].setter(0.0)
    assert slave.do_step(0.04, 0.5)  # of one time constant
    assert variables["command_filtered"].getter() == pytest.approx(0.7 * 2 / np.e, abs=1e-4)


def test_a_filter_starts_at_its_input_here_too(slave):
    variables = named(slave)
    with pytest.raises(ModelError, match="command_filtered starts at the value of command"):
        variables["command_filtered"].setter(0.1)
    variables["command"].setter(0.7)
    assert variables["command_filtered"].getter() == 0.7
    slave.setup_experiment(0.0)
    slave.exit_initialization_mode()
    assert slave.do_step(0.0, 0.05)
    assert variables["command_filtered"].getter() == pytest.approx(0.7, abs=1e-15)
    variables["command"].setter(0.9)
    assert variables["command_filtered"].getter() == pytest.approx(0.7, abs=1e-15)


_TABLES = """
from mbcore import Body, Model, Table, Table2D
from mbcore.fmi import Component, Experiment

def component():
    model = Model("driven")
    place = model.point("place")
    model.add(Body("body", place, mass=2.0))
    place.y.fix()
    place.x.dof("x", "v").spring(Table([-1, 0, 1], [-8, 0, 8], name="spring"))
    pedal = model.input("pedal", start=0.5)
    motor = Table2D([-9, 0, 9], [0, 1], [[0, 2], [0, 2], [0, 2]], name="motor")
    model.load(motor(place.x.rate, pedal), place.x.rate)
    return Component("driven", "Driven by tables", model.equations(), Experiment(2.0, 0.05))
"""


@pytest.mark.heavy
def test_tables_in_the_python_flavour(tmp_path: Path) -> None:
    """A constant force of 1 N on 2 kg and 8 N/m, from rest: x = (1 - cos 2t) / 8."""
    file = tmp_path / "driven.py"
    file.write_text(_TABLES)
    path = python_flavour.export_python(load_component(file), file, tmp_path)
    found = simulate_fmu(str(path), stop_time=1.0, output_interval=0.25)
    assert found["x"] == pytest.approx((1 - np.cos(2 * found["time"])) / 8, abs=1e-6)
