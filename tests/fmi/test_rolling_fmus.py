"""FMUs of rolling bodies: the ball and a wheel on turntables, and the rattleback, as in Python."""

from __future__ import annotations

import numpy as np
import pytest
from fmpy import simulate_fmu

from mbcore import Equations, simulate
from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.rolling import ball_on_turntable, rattleback
from mbcore.fmi import export
from tests.conftest import OK, VERSIONS, Archive, Instance, Tools
from tests.elements.wheels.test_wheel_on_moving_frames import mill

pytestmark = pytest.mark.heavy

START = {
    "ball_on_turntable": {"ball.omega_x": 9.0, "ball.omega_y": -4.0, "ball.e0": 0.8},
    "rattleback": rattleback.start(5.0),
    "mill": {"arm_rate": 0.8},
}
Made = dict[tuple[str, str], Archive]
UNTIL = {"ball_on_turntable": 6.0, "rattleback": 1.0, "mill": 2.0}


@pytest.fixture(scope="module")
def equations() -> dict[str, Equations]:
    return {
        "ball_on_turntable": ball_on_turntable.model().equations(),
        "rattleback": rattleback.model().equations(),
        "mill": mill(tilt=0.2).equations(),
    }


@pytest.fixture(scope="module")
def made(
    equations: dict[str, Equations], tmp_path_factory: pytest.TempPathFactory, tools: Tools
) -> Made:
    folder = tmp_path_factory.mktemp("rolling")
    found = {}
    for name, model in equations.items():
        for version, path in zip(VERSIONS, export(model, folder, tools=tools), strict=True):
            found[name, version] = Archive.of(path, folder / version)
    return found


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", START)
def test_co_simulation_moves_as_python(
    made: Made, equations: dict[str, Equations], name: str, version: str
) -> None:
    motion = simulate(equations[name], UNTIL[name], start=START[name], rtol=1e-12, atol=1e-13)
    expected = {column: motion.final(column) for column in motion}
    rows = simulate_fmu(
        str(made[name, version].path),
        fmi_type="CoSimulation",
        stop_time=UNTIL[name],
        output_interval=0.05,
        relative_tolerance=1e-11,
        start_values=START[name],
        output=list(expected),
    )
    found = {column: rows[column][-1] for column in expected}
    assert found == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", START)
def test_model_exchange_has_the_derivatives_of_python(
    made: Made, equations: dict[str, Equations], name: str, version: str
) -> None:
    point = Evaluation(equations[name])
    point.start(START[name])
    expected = point.derivative()
    with Instance(made[name, version], "ModelExchange") as fmu:
        assert fmu.initialize(START[name]) == OK, fmu.said
        assert fmu.move(0.0, point.s) == OK
        rates = np.frombuffer(fmu.rates())
    assert rates == pytest.approx(expected, rel=1e-13, abs=1e-13)
