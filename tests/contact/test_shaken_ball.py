"""A ball on a floor that shakes: it leaves where the floor falls faster, and never sinks in."""

from __future__ import annotations

from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Model, simulate
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.examples.cosimulation import Unit
from mbcore.fmi import export
from tests.conftest import Tools

GRAVITY, AMPLITUDE, RESTITUTION, UNTIL = 9.81, 1e-3, 0.5, 2.0


def shaken(frequency: float) -> Model:
    """Return the ball above a floor at A sin ωt; it starts 10 mm high."""
    model = Model("shaken_ball", gravity=(0, -GRAVITY))
    centre = model.point("centre", (0, 0))
    centre.x.fix()
    centre.y.dof("y", "y_rate", 0.01)
    model.add(Body("ball", centre, mass=0.5))
    floor = AMPLITUDE * ca.sin(frequency * model.time)
    contact = unilateral_contact(
        model, "floor", centre.y.value - floor, Impact(RESTITUTION, 1e-7), size=1e-3
    )
    model.output("gap", contact.gap, unit="m")
    model.output("force", contact.force, unit="N")
    return model


@pytest.mark.heavy
@pytest.mark.parametrize("hertz", [17, 25])
def test_ball_leaves_where_the_floor_falls_faster(hertz: float) -> None:
    frequency = 2 * np.pi * hertz
    motion = simulate(shaken(frequency).equations(), UNTIL, samples=20001)
    # flights of very different lengths follow each other, and each begins at a gap of zero
    assert motion["gap"].min() > -1e-14
    assert motion["force"].min() >= 0
    assert motion.final("floor.impacts") > 100

    closed = motion["floor.closed.active"] > 0.5
    assert abs(motion["gap"][closed]).max() < 1e-15
    leaving = [time for time, name in motion.events if name == "floor.closed"][1::2]
    assert len(leaving) >= 7
    phases = np.mod(frequency * np.array(leaving), 2 * np.pi)
    assert phases == pytest.approx(np.arcsin(GRAVITY / (AMPLITUDE * frequency**2)), abs=1e-7)


@pytest.mark.heavy
def test_long_communication_steps_pass_over_no_impact(tmp_path: Path, tools: Tools) -> None:
    # at 25 Hz the motion soon repeats itself every three periods
    (path,) = export(shaken(2 * np.pi * 25).equations(), tmp_path, fmi="3.0", tools=tools)
    for tolerance in (1e-4, 1e-6):
        for steps in (20, 100, 400):
            with Unit(path, {}, tolerance=tolerance) as ball:
                for _ in range(steps):
                    ball.step(UNTIL / steps)
                assert ball.get(["floor.switches"]) == [18]
