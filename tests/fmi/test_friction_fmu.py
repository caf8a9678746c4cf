"""FMUs with dry friction: both versions, both interfaces, in FMPy's own integration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy import simulate_fmu

from mbcore import Ball, Body, Friction, Model, simulate
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
    times, rows = np.unique(result["time"], return_index=True)  # those of events are there twice
    expected = simulate(equations, 8.0, samples=times, rtol=1e-10, atol=1e-12)
    assert result["angle"][rows] == pytest.approx(expected["angle"], abs=1e-5)
    assert result["pin.sticks"][-1] == expected["pin.sticks"][-1] == 1
    assert result["rate"][-1] == 0
    assert result["pin.power"].max() <= 0


RADIUS, SLOPE, MASS, GRAVITY = 0.05, 0.1, 0.3, 9.81


@pytest.fixture(scope="module")
def rolling() -> Any:
    """Return the equations of a ball on a slope that it rolls down, from rest but for a spin."""
    down = np.arctan(SLOPE)
    model = Model("ball", gravity=(GRAVITY * np.sin(down), 0, -GRAVITY * np.cos(down)))
    centre, contact = model.point("centre", (0, 0, RADIUS)), model.point("contact", (0, 0, 0))
    rotation = model.rotation("rotation")
    inertia = (0.4 * MASS * RADIUS**2,) * 3
    model.add(Body("mass", centre, rotation, mass=MASS, inertia=inertia))
    ball = model.add(Ball("ball", centre, rotation, contact, radius=RADIUS))
    rotation.free("turn", angular_velocity=(0, 0, 15.0))
    contact.x.dof("x", "speed")
    contact.y.dof("y", "side_speed")
    road = model.add(Friction("road", ball, coefficient=0.2))
    model.output("sticks", road.sticks)
    return model.equations()


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6])
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_a_ball_goes_on_rolling_while_another_integrates(
    rolling: Any, fmi: str, tolerance: float, tmp_path: Path
) -> None:
    """Errors of the importer's integration are slips, which do not let it slide."""
    (path,) = export(Component("ball", "A ball that rolls", rolling), tmp_path, fmi=fmi)
    result = simulate_fmu(
        str(path),
        stop_time=1.0,
        output_interval=0.01,
        relative_tolerance=tolerance,
        fmi_type="ModelExchange",
        timeout=60,
        output=["speed", "sticks"],
    )
    assert result["time"][-1] == pytest.approx(1.0)
    assert result["sticks"].min() == 1
    rolled = 5 / 7 * GRAVITY * np.sin(np.arctan(SLOPE))  # after 1 s
    assert result["speed"][-1] == pytest.approx(rolled, abs=5 * tolerance)
