"""Impacts in Model Exchange add no energy that a flight has not lost, under any solver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import casadi as ca
import fmpy
import numpy as np
import pytest
from scipy.optimize import brentq

from mbcore import Body, Model
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.fmi import export
from tests.conftest import Tools

MASS, GRAVITY, STIFFNESS, REST = 0.5, 9.81, 40.0, -0.4
AMPLITUDE, FREQUENCY = 1e-3, 107.0


def pressed() -> Model:
    """Return a mass that a spring or gravity presses to a floor, which may shake."""
    model = Model("pressed")
    centre = model.point("centre", (0, 0))
    centre.x.fix()
    centre.y.dof("y", "y_rate", 0.5)
    model.add(Body("mass", centre, mass=MASS))
    y, e = centre.y.value, model.parameter("e", 1.0)
    stiffness = model.parameter("stiffness", STIFFNESS, unit="N/m")
    gravity = model.parameter("gravity", 0.0, unit="m/s2")
    shaken = model.parameter("amplitude", 0.0, unit="m") * ca.sin(
        model.parameter("frequency", FREQUENCY, unit="rad/s") * model.time
    )
    centre.y.law(stiffness * (y - REST) + MASS * gravity)
    contact = unilateral_contact(model, "floor", y - shaken, Impact(e))
    model.output("gap", contact.gap, unit="m")
    return model


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, tools: Tools) -> Path:
    """Return the FMU."""
    (made,) = export(pressed().equations(), tmp_path_factory.mktemp("pressed"), "3.0", tools=tools)
    return made


@dataclass(frozen=True)
class Arrival:
    """An impact: the rows where its flight begins, before it and after it; speed of approach."""

    begin: np.void
    before: np.void
    after: np.void
    speed: float


def arrivals(
    path: Path, until: float, start: dict[str, float], **options: Any
) -> Iterator[Arrival]:
    """Yield the impacts of a run by FMPy."""
    names = [f"floor.{name}" for name in ("impacts", "switches", "impact_speed")]
    rows = fmpy.simulate_fmu(
        str(path), stop_time=until, fmi_type="ModelExchange", start_values=start,
        output=[*names, "y", "y_rate", "gap"], record_events=True, **options,
    )  # fmt: skip
    begin = rows[0]
    for before, after in pairwise(rows):
        if after[names[0]] > before[names[0]]:
            yield Arrival(begin, before, after, float(after[names[2]]))
        if any(after[name] != before[name] for name in names[:2]):
            begin = after


def energy(row: np.void, speed: float, start: dict[str, float]) -> float:
    """Return the energy of the mass at a speed."""
    stiffness, gravity = start["stiffness"], start["gravity"]
    return MASS * (speed**2 / 2 + gravity * row["y"]) + stiffness / 2 * (row["y"] - REST) ** 2


def shaken_floor(since: float, after: float) -> tuple[float, float]:
    """Return the height of the floor, and its speed."""
    phase = FREQUENCY * (since + after)
    return AMPLITUDE * np.sin(phase), AMPLITUDE * FREQUENCY * np.cos(phase)


SPRING = {"stiffness": STIFFNESS, "gravity": 0.0}
WEIGHT = {"stiffness": 0.0, "gravity": GRAVITY}
CVODE = [
    dict(relative_tolerance=tolerance, output_interval=interval)
    for tolerance in (1e-3, 1e-4, 1e-6, 1e-9)
    for interval in (0.1, 1e-3)
]
EULER = [dict(solver="Euler", step_size=h, output_interval=h) for h in (1e-2, 1e-3)]


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("forces", "e"), [(SPRING, 1.0), (WEIGHT, 0.8), (SPRING | {"gravity": GRAVITY}, 0.9)]
)
def test_energy_is_never_above_that_before(path: Path, forces: dict[str, float], e: float) -> None:
    """The parts meet with no more than they had before the event, or where their flight began.

    To put a gap d to zero counts forces to first order, which leaves k d²/2 of a spring.
    """
    for options in (*CVODE, *EULER):
        count = 0
        for at in arrivals(path, 2.0, forces | {"e": e}, **options):
            meets = energy(at.after, at.speed, forces)
            before = energy(at.before, at.before["y_rate"], forces)
            begun = energy(at.begin, at.begin["y_rate"], forces)
            squares = forces["stiffness"] / 2 * at.before["gap"] ** 2
            assert meets <= max(before, begun) * (1 + 1e-9) + squares, options
            count += 1
        assert count > 4


@pytest.mark.heavy
def test_a_shaken_floor_is_met_with_the_speed_of_the_flight(path: Path) -> None:
    """A flight under gravity keeps its acceleration, so places are all that CVODE can miss."""
    start = WEIGHT | {"e": 0.5, "y": 0.01, "amplitude": AMPLITUDE, "frequency": FREQUENCY}
    for tolerance in (1e-3, 1e-4, 1e-6, 1e-9):
        count = 0
        options = {"relative_tolerance": tolerance, "output_interval": 0.05}
        for at in arrivals(path, 0.4, start, **options):
            t, y, speed = (float(at.begin[name]) for name in ("time", "y", "y_rate"))
            lasts = float(at.before["time"]) - t
            floor = partial(shaken_floor, t)

            def gap(after: float, y: float = y, speed: float = speed, floor: Any = floor) -> float:
                return float(y + speed * after - GRAVITY / 2 * after**2 - floor(after)[0])

            ends = [lasts * (1 - 1e-3), lasts * (1 + 1e-3)]
            if at.speed < 1e-3 or at.begin["floor.switches"] % 2 or gap(ends[0]) * gap(ends[1]) > 0:
                continue
            meets = brentq(gap, *ends, xtol=1e-15)
            right = floor(meets)[1] - speed + GRAVITY * meets
            assert at.speed == pytest.approx(right, rel=1e-8), tolerance
            count += 1
        assert count > 20
