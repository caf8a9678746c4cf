"""Columns of the derivative between steps, recorded with the motion."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Body, Model
from mbcore.periodic.flow import Flow, StepOptions
from mbcore.periodic.step_polynomial import values_between

STIFFNESS, MASS, SPAN = 4.0, 1.0, 5.0


@pytest.mark.parametrize("backend", ["python", "c"])
@pytest.mark.parametrize("implicit", [False, True])
def test_columns_between_steps_are_those_of_the_closed_form(backend: str, implicit: bool) -> None:
    """An oscillator's x = cos(ω t), dx/dk = -t sin(ω t) / (2 m ω), dx/dx₀ = cos(ω t)."""
    model = Model("oscillator")
    stiffness = model.parameter("stiffness", STIFFNESS, unit="N/m")
    mass = model.point("mass", (1.0, 0.0))
    mass.y.fix(0.0)
    model.add(Body("body", mass, mass=MASS))
    x = mass.x
    x.dof("x", "speed").law(stiffness * x.value)
    steps = StepOptions(1e-10, 1e-10, implicit=implicit)
    flow = Flow(model.equations(), vary=["stiffness"], steps=steps, backend=backend)
    flow.begin(flow.whole(flow.point.s))
    integration = flow.integration(SPAN, record="all")
    integration.go(SPAN)
    times = np.linspace(0.0, SPAN, 41)
    begins = np.array([piece.begin for piece in integration.pieces])
    within = np.searchsorted(begins, times, side="right") - 1
    found = values_between([piece.between for piece in integration.pieces], within, times)
    columns = found[:, 2:-1].reshape(-1, 2, 3)
    place = flow.names.index("x")
    rate = np.sqrt(STIFFNESS / MASS)
    assert found[:, place] == pytest.approx(np.cos(rate * times), abs=1e-8)
    assert columns[:, place, place] == pytest.approx(np.cos(rate * times), abs=1e-8)
    by_stiffness = -times * np.sin(rate * times) / (2 * MASS * rate)
    assert columns[:, place, 2] == pytest.approx(by_stiffness, abs=1e-8)
