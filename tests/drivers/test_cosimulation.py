"""Drivers of FMUs that offer Co-Simulation alone: one by pythonfmu, against matrix exponentials."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pythonfmu import FmuBuilder
from scipy.linalg import expm

import mbcore
from mbcore import ModelError
from mbcore.cli.program import main
from mbcore.drivers.fmu_driver import FmuDriver
from mbcore.vibration import periodic_solution

SOURCE = Path(__file__).with_name("oscillator_in_python.py")
TIMES = np.array([0.0, 0.4, 1.0, 1.7])


@pytest.fixture(scope="module")
def oscillator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FmuDriver]:
    folder = tmp_path_factory.mktemp("python")
    made = FmuBuilder.build_FMU(SOURCE, dest=folder)
    with mbcore.driver(Path(made)) as driver:
        yield driver


def moved(k: complex, d: complex, x: complex, t: float) -> np.ndarray:
    """Return place and speed from a start at rest, by the matrix exponential."""
    return expm(np.array([[0, 1], [-k, -d]]) * t) @ np.array([x, 0])


@pytest.mark.heavy  # a process
def test_columns_of_whole_runs_are_those_of_the_matrix_exponential(oscillator: FmuDriver):
    assert oscillator.states == ()
    assert oscillator.started == ("x", "v")
    assert "by differences of whole runs in Co-Simulation" in repr(oscillator)
    found = oscillator.simulate(TIMES, columns=["d", "x", "k"], start={"x": 0.8})
    assert found.compared == ("d", "x", "k")
    given = [4.0, 0.4, 0.8]
    for t, values, columns in zip(TIMES, found.values, found.columns, strict=True):
        np.testing.assert_allclose(values, moved(*given, t).real, atol=1e-11)
        for place, column in ((1, 0), (2, 1), (0, 2)):
            shifted = [value + 1e-30j * (i == place) for i, value in enumerate(given)]
            np.testing.assert_allclose(
                columns[:, column], moved(*shifted, t).imag / 1e-30, atol=1e-9
            )


@pytest.mark.heavy  # a process
def test_inputs_over_time_move_it(oscillator: FmuDriver):
    # a force that jumps from 0 to k at 1 s moves the place of rest from 0 to 1
    jump = mbcore.InputTable([0.0, 1.0, 1.0, 3.0], {"force": [0.0, 0.0, 4.0, 4.0]})
    found = oscillator.simulate([1.0, 1.7], inputs=jump, start={"x": 0.0})
    np.testing.assert_allclose(found.values[0], 0.0, atol=1e-14)
    np.testing.assert_allclose(
        found.values[1], [1 - moved(4, 0.4, 1, 0.7)[0], -moved(4, 0.4, 1, 0.7)[1]], atol=1e-11
    )


@pytest.mark.heavy  # a process
def test_a_fit_finds_parameters_and_a_start(oscillator: FmuDriver):
    times = np.linspace(0.0, 3.0, 40)
    rows = [moved(5.0, 0.3, 1.2, t)[0].real for t in times]
    table = pd.DataFrame({"time [s]": times, "x [1]": rows})
    run = mbcore.Run(table, start={"x": (0.5, 2.0)})
    found = mbcore.fit(oscillator, run, {"k": (1.0, 9.0), "d": (0.0, 1.0)})
    assert found.values["k"] == pytest.approx(5.0, rel=1e-8)
    assert found.values["d"] == pytest.approx(0.3, rel=1e-7)
    assert found.derivatives == "differences"
    with pytest.raises(ModelError, match="states of Oscillator are unknown"):
        options = mbcore.FitOptions(segment=1.0)
        mbcore.fit(oscillator, run, {"k": (1.0, 9.0)}, options=options)


@pytest.mark.heavy  # two processes
def test_what_needs_states_is_refused_by_name(oscillator: FmuDriver, capsys):
    said = "offers only Co-Simulation, which hides its states and rates, so"
    with pytest.raises(ModelError, match=f"{said} its linearization"):
        mbcore.linearize(oscillator)
    with pytest.raises(ModelError, match=f"{said} a steady motion"):
        mbcore.steady_motion(oscillator)
    with pytest.raises(ModelError, match=f"{said} a periodic motion"):
        periodic_solution(oscillator, 1.0)
    with pytest.raises(ModelError, match="no column 'kk'"):
        oscillator.simulate(TIMES, columns=["kk"])
    assert main(["linearize", str(oscillator.path)]) != 0
    assert said in capsys.readouterr().err
