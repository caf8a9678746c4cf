"""FMUs with dry friction: both versions, both interfaces, in FMPy's own integration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy import simulate_fmu

from mbcore import simulate
from mbcore.fmi.component import Component, Experiment
from mbcore.fmi.export import export
from tests.elements.friction.test_friction import pendulum

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def equations() -> Any:
    return pendulum(1.0, coefficient=0.6, static=0.7).equations()


@pytest.mark.parametrize("interface", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_pendulum_slides_and_sticks_as_in_python(
    equations: Any, fmi: str, interface: str, tmp_path: Path
) -> None:
    component = Component("pendulum", "A pin that rubs", equations, Experiment(8.0, 0.01, 1e-9))
    (path,) = export(component, tmp_path, fmi=fmi)
    result = simulate_fmu(
        str(path),
        stop_time=8.0,
        output_interval=0.01,
        relative_tolerance=1e-9,
        fmi_type=interface,
        output=["angle", "rate", "pin.torque", "pin.sticks", "pin.power"],
    )
    expected = simulate(equations, 8.0, samples=np.asarray(result["time"]), rtol=1e-10, atol=1e-12)
    assert result["angle"] == pytest.approx(expected["angle"], abs=1e-5)
    assert result["pin.sticks"][-1] == expected["pin.sticks"][-1] == 1
    assert result["rate"][-1] == 0
    assert result["pin.power"].max() <= 0
