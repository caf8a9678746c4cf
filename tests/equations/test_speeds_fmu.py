"""FMUs of models with free rotations and generalized speeds: as in Python, and of their orders."""

from __future__ import annotations

import numpy as np
import pytest
from fmpy import simulate_fmu

from mbcore import Equations, simulate
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmi import export
from tests.conftest import FIXED_STEP, OK, ROSENBROCK, VERSIONS, Archive, Instance, Tools
from tests.equations.test_free_rotations import rolling_disk
from tests.equations.test_speeds import chaplygin_sleigh

START = {
    "disk": {"disk.omega_x": -0.2, "disk.e0": 0.9, "disk.e1": -0.3, "contact.x": 0.5},
    "sleigh": {"sleigh.speed": -0.4, "sleigh.yaw_rate": 0.9, "yaw": 0.3},
}
UNTIL = 2.0

pytestmark = pytest.mark.heavy

Made = dict[tuple[str, str], Archive]


@pytest.fixture(scope="module")
def equations() -> dict[str, Equations]:
    return {"disk": rolling_disk().equations(), "sleigh": chaplygin_sleigh().equations()}


@pytest.fixture(scope="module")
def made(
    equations: dict[str, Equations], tmp_path_factory: pytest.TempPathFactory, tools: Tools
) -> Made:
    folder = tmp_path_factory.mktemp("speeds")
    found = {}
    for name, model in equations.items():
        for version, path in zip(VERSIONS, export(model, folder, tools=tools), strict=True):
            found[name, version] = Archive.of(path, folder / version)
    return found


def reference(model: Equations, name: str) -> dict[str, float]:
    motion = simulate(model, UNTIL, start=START[name], rtol=1e-12, atol=1e-13, progress=False)
    return {column: motion.final(column) for column in motion}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", START)
def test_both_interfaces_move_as_python(
    made: Made, equations: dict[str, Equations], name: str, version: str
) -> None:
    archive, expected = made[name, version], reference(equations[name], name)
    assert archive.states == [state.name for state in equations[name].states]
    for interface in ("CoSimulation", "ModelExchange"):
        rows = simulate_fmu(
            str(archive.path),
            fmi_type=interface,
            stop_time=UNTIL,
            output_interval=0.1,
            relative_tolerance=1e-11,
            start_values=START[name],
            output=list(expected),
        )
        found = {column: rows[column][-1] for column in expected}
        assert found == pytest.approx(expected, abs=1e-8), interface


@pytest.mark.parametrize("name", START)
def test_derivatives_are_those_of_python(
    made: Made, equations: dict[str, Equations], name: str
) -> None:
    point = Evaluation(equations[name])
    point.start(START[name])
    with Instance(made[name, "3.0"], "ModelExchange") as fmu:
        assert fmu.initialize(START[name]) == OK, fmu.said
        assert fmu.move(0.0, point.s) == OK
        rates = np.frombuffer(fmu.rates())
    assert rates == pytest.approx(point.derivative(), abs=1e-14)


@pytest.mark.parametrize("method", [ROSENBROCK, FIXED_STEP], ids=["rosenbrock", "fixed_step"])
@pytest.mark.parametrize("name", START)
def test_methods_converge_at_order_four(
    made: Made, equations: dict[str, Equations], name: str, method: int
) -> None:
    # at a loose tolerance each communication step is one step, so a wrong Jacobian costs order
    states = made[name, "2.0"].states
    expected = reference(equations[name], name)
    errors = []
    for step in (0.05, 0.025, 0.0125):
        values = START[name] | {"solver.method": method, "solver.step": step}
        with Instance(made[name, "2.0"]) as fmu:
            assert fmu.initialize(values, tolerance=1e-2) == OK, fmu.said
            found = fmu.run(UNTIL, step).values(states)
        errors.append(np.abs(found - [expected[state] for state in states]).max())
    orders = np.log2(errors[:-1]) - np.log2(errors[1:])
    assert np.all((orders > 3.7) & (orders < 5.0))


def test_no_orientation_is_refused_by_name(made: Made) -> None:
    for version in VERSIONS:
        with Instance(made["disk", version]) as fmu:
            assert fmu.initialize({"disk.e0": 0.0}) != OK
            assert "disk.e: the Euler parameters e0, e1, e2 and e3 are all zero" in fmu.said
