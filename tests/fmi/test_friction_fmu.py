"""FMUs with dry friction: both versions, both interfaces, in FMPy's own integration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy import simulate_fmu, simulation

from mbcore import Ball, Body, Friction, Model, RollingResistance, simulate
from mbcore.fmi.component import Component, Experiment
from mbcore.fmi.export import export
from tests.built import Tools
from tests.conftest import VERSIONS
from tests.elements.friction.test_friction import pendulum

pytestmark = pytest.mark.heavy


def exported(component: Component, folder: Path, tools: Tools) -> dict[str, Path]:
    """Return the FMU of both versions, which share what is compiled."""
    return dict(zip(VERSIONS, export(component, folder, tools=tools), strict=True))


@pytest.fixture(scope="module")
def equations() -> Any:
    return pendulum(1.0, coefficient=0.6, static=0.7).equations()


@pytest.fixture(scope="module")
def pendulums(
    equations: Any, tmp_path_factory: pytest.TempPathFactory, tools: Tools
) -> dict[str, Path]:
    component = Component("pendulum", "A pin that rubs", equations, Experiment(8.0, 0.01, 1e-9))
    return exported(component, tmp_path_factory.mktemp("pendulum"), tools)


@pytest.mark.parametrize("interface", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_pendulum_slides_and_sticks_as_in_python(
    equations: Any, pendulums: dict[str, Path], fmi: str, interface: str
) -> None:
    result = simulate_fmu(
        str(pendulums[fmi]),
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


def ball_on_a_slope(velocity: tuple[float, float], arm: float = 0.0) -> Any:
    """Return the equations of a ball on a slope, with a spin, that starts with a velocity."""
    down = np.arctan(SLOPE)
    model = Model("ball", gravity=(GRAVITY * np.sin(down), 0, -GRAVITY * np.cos(down)))
    centre, contact = model.point("centre", (0, 0, RADIUS)), model.point("contact", (0, 0, 0))
    rotation = model.rotation("rotation")
    inertia = (0.4 * MASS * RADIUS**2,) * 3
    model.add(Body("mass", centre, rotation, mass=MASS, inertia=inertia))
    ball = model.add(Ball("ball", centre, rotation, contact, radius=RADIUS))
    rotation.free("turn", angular_velocity=(0, 0, 15.0))
    contact.x.dof("x", "speed", rate_start=velocity[0])
    contact.y.dof("y", "side_speed", rate_start=velocity[1])
    road = model.add(Friction("road", ball, coefficient=0.2))
    model.output("sticks", road.sticks)
    if arm:
        resistance = model.add(RollingResistance("felt", ball, arm=arm))
        model.output("rests", resistance.sticks)
    return model.equations()


@pytest.fixture(scope="module")
def rolling(tmp_path_factory: pytest.TempPathFactory, tools: Tools) -> dict[str, Path]:
    """A ball that rolls down a slope, from rest but for a spin."""
    component = Component("ball", "A ball that rolls", ball_on_a_slope((0, 0)))
    return exported(component, tmp_path_factory.mktemp("rolling"), tools)


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6])
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_a_ball_goes_on_rolling_while_another_integrates(
    rolling: dict[str, Path], fmi: str, tolerance: float
) -> None:
    """Errors of the importer's integration are slips, which do not let it slide."""
    result = simulate_fmu(
        str(rolling[fmi]),
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


class RungeKutta(simulation.ForwardEuler):  # type: ignore[misc]
    """FMPy's solver of equal steps, which locates no events, with the classical method."""

    def step(self, time: float, end: float) -> Any:
        """Make a step by mean rates, with the events at its end."""
        self.get_x(self._px, self.x.size)
        first, rates = self.x.copy(), []
        for part in (0.0, 0.5, 0.5, 1.0):
            self.x[:] = first + part * (end - time) * (rates[-1] if rates else 0)
            self.set_x(self._px, self.x.size)
            self.get_dx(self._pdx, self.x.size)
            rates.append(self.dx.copy())
        self.dx[:] = (rates[0] + 2 * rates[1] + 2 * rates[2] + rates[3]) / 6
        self.x[:] = first
        self.set_x(self._px, self.x.size)
        self.get_dx, mean = lambda *_: None, self.get_dx
        try:
            return super().step(time, end)  # the sum, and which indicators have changed sign
        finally:
            self.get_dx = mean


@pytest.fixture(scope="module")
def stopping(
    tmp_path_factory: pytest.TempPathFactory, tools: Tools
) -> tuple[dict[str, Path], list[float]]:
    """Return a ball thrown up a slope of felt, and where it comes to rest."""
    equations = ball_on_a_slope((-1.0, 0.4), arm=0.008)
    run = simulate(equations, 2.0, rtol=1e-10, atol=1e-12)
    assert run.final("sticks") == run.final("rests") == 1
    component = Component("ball", "A ball that stops", equations)
    fmus = exported(component, tmp_path_factory.mktemp("stopping"), tools)
    return fmus, [run.final("x"), run.final("y")]


@pytest.mark.parametrize(("master", "error"), [("CVode", 1e-6), ("Euler", 2e-3)])
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_a_ball_stops_on_a_slope_while_another_integrates(
    stopping: tuple[dict[str, Path], list[float]],
    fmi: str,
    master: str,
    error: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It slides, rolls and comes to rest.

    With steps of 1 ms whose events are not located a speed is left that one step could stop.
    """
    monkeypatch.setattr(simulation, "ForwardEuler", RungeKutta)
    fmus, place = stopping
    result = simulate_fmu(
        str(fmus[fmi]),
        stop_time=2.0,
        output_interval=1e-3,
        step_size=1e-3,
        solver=master,
        relative_tolerance=1e-7,
        fmi_type="ModelExchange",
        timeout=60,
        output=["x", "y", "speed", "side_speed", "sticks", "rests"],
    )
    assert result["time"][-1] == pytest.approx(2.0)
    assert result["sticks"][-1] == 1
    assert np.abs(np.diff(result["sticks"])).sum() == 1
    left = 1e-12 if master == "CVode" else 0.2 * GRAVITY * 1e-3
    assert np.hypot(result["speed"][-1], result["side_speed"][-1]) < left
    assert result["rests"][-1] == 1 or master == "Euler"
    assert [result["x"][-1], result["y"][-1]] == pytest.approx(place, abs=error)
