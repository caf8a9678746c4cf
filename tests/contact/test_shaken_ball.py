"""A ball on a floor that shakes: it leaves where the floor falls faster, and never sinks in."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import casadi as ca
import fmpy
import numpy as np
import pytest
from scipy.optimize import brentq

from mbcore import Body, Model, simulate
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.examples.cosimulation import Unit as Slave
from mbcore.fmi import export
from tests.conftest import OK, Archive, Instance, Tools
from tests.exchange_survey.masters import Cvode
from tests.exchange_survey.unit import Unit

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
@pytest.mark.parametrize(
    ("hertz", "backend", "until", "samples"),
    [(17, "c", UNTIL, 20001), (25, "c", UNTIL, 20001), (25, "python", 1.2, 1201)],
)
def test_ball_leaves_where_the_floor_falls_faster(
    hertz: float, backend: Any, until: float, samples: int
) -> None:
    """At 25 Hz it leaves at 1.0026 s and each third period later, after 23 impacts each time.

    Python goes through two of these in some seconds, C through all.
    """
    frequency = 2 * np.pi * hertz
    motion = simulate(shaken(frequency).equations(), until, samples=samples, backend=backend)
    # flights of very different lengths follow each other, and each begins at a gap of zero
    assert motion["gap"].min() > -1e-14
    assert motion["force"].min() >= 0
    assert motion.final("floor.impacts") > (100 if until == UNTIL else 50)

    closed = motion["floor.closed.active"] > 0.5
    assert abs(motion["gap"][closed]).max() < 1e-15
    leaving = [time for time, name in motion.events if name == "floor.closed"][1::2]
    assert len(leaving) >= (7 if until == UNTIL else 2)
    phases = np.mod(frequency * np.array(leaving), 2 * np.pi)
    assert phases == pytest.approx(np.arcsin(GRAVITY / (AMPLITUDE * frequency**2)), abs=1e-7)


def impacts_until(until: float, frequency: float, slowest: float) -> list[tuple[float, float]]:
    """Return times and speeds of approach of the impacts, by roots of the parabolas' gap.

    Slower ones end a sequence. The ball then leaves its floor where that falls with gravity.
    """
    found, t, y, rate = list[tuple[float, float]](), 0.0, 0.01, 0.0
    leaves = np.arcsin(GRAVITY / (AMPLITUDE * frequency**2)) / frequency

    def floor(time: float) -> tuple[float, float]:
        phase = frequency * time
        return AMPLITUDE * np.sin(phase), AMPLITUDE * frequency * np.cos(phase)

    def gap(time: float) -> float:
        after = time - t
        return float(y + rate * after - GRAVITY / 2 * after**2 - floor(time)[0])

    while True:
        times = t + np.geomspace(1e-6, 0.1, 4000)
        first = next(k for k, time in enumerate(times) if gap(time) < 0)
        meets = brentq(gap, times[first - 1], times[first], xtol=1e-15)
        if meets > until:
            return found
        place, speed = floor(meets)
        approach = speed - (rate - GRAVITY * (meets - t))
        t, y, rate = meets, place, speed + RESTITUTION * approach
        if approach > slowest:
            found.append((t, approach))
        else:
            period = 2 * np.pi / frequency
            t = leaves + period * np.ceil((t - leaves) / period)
            y, rate = floor(t)


@pytest.mark.heavy
def test_importers_solvers_have_the_impacts_of_parabolas(tmp_path: Path, tools: Tools) -> None:
    frequency, until, slowest = 2 * np.pi * 17, 0.4, 1e-3
    (path,) = export(shaken(frequency).equations(), tmp_path, fmi="3.0", tools=tools)
    names = [f"floor.{name}" for name in ("impacts", "impact_time", "impact_speed")]
    rows = fmpy.simulate_fmu(
        str(path), stop_time=until, fmi_type="ModelExchange", relative_tolerance=1e-9,
        output_interval=1e-3, output=names, record_events=True,
    )  # fmt: skip
    new = np.flatnonzero(np.diff(rows[names[0]]) > 0) + 1
    seen = np.array([[rows[name][k] for name in names[1:]] for k in new])
    right = np.array(impacts_until(until, frequency, slowest))
    seen = seen[seen[:, 1] > slowest]
    assert len(right) > 25
    assert seen[:, 0] == pytest.approx(right[:, 0], abs=1e-6)
    assert seen[:, 1] == pytest.approx(right[:, 1], rel=1e-5)


def buzzing() -> Model:
    """Return the ball, 2 mm above a floor that is shaken by some micrometres with 20 g."""
    model = Model("buzzing", gravity=(0, -GRAVITY))
    centre = model.point("centre", (0, 0))
    centre.x.fix()
    centre.y.dof("y", "y_rate", 2e-3)
    model.add(Body("ball", centre, mass=0.5))
    floor = STRENGTH / FAST**2 * ca.sin(FAST * model.time)
    unilateral_contact(model, "floor", centre.y.value - floor, Impact(RESTITUTION))
    return model


FAST, STRENGTH = 5000.0, 20 * GRAVITY


def approach_after(t: float, approach: float, until: float) -> float:
    """Return the speed at the impact after one at t, by the first root of the gap of its flight."""
    amplitude, phase = STRENGTH / FAST**2, FAST * t
    y, leaves = amplitude * np.sin(phase), amplitude * FAST * np.cos(phase) + RESTITUTION * approach

    def gap(after: float | np.ndarray) -> Any:
        flown = y + leaves * after - GRAVITY / 2 * after**2
        return flown - amplitude * np.sin(FAST * (t + after))

    first = 1e-3 * 2 * RESTITUTION * approach / (GRAVITY + STRENGTH)
    times = np.linspace(first, 1.5 * (until - t), 20001)
    k = int(np.argmax(gap(times) < 0))
    if k == 0:
        return np.nan
    meets = brentq(gap, times[k - 1], times[k], xtol=1e-16)
    speed = amplitude * FAST * np.cos(FAST * (t + meets))
    return float(speed - leaves + GRAVITY * meets)


@pytest.mark.heavy
@pytest.mark.parametrize("longest", [2e-4, 5e-5])
def test_steps_of_importers_pass_over_slow_impacts_alone(
    longest: float, tmp_path: Path, tools: Tools
) -> None:
    """An acceleration of at most b, which presses the parts apart, returns them in 2 r/b or more.

    So r <= b h/2 where they are in each other and apart again within a step h of the solver.
    """
    (path,) = export(buzzing().equations(), tmp_path, fmi="3.0", tools=tools)
    slowest, until = (STRENGTH - GRAVITY) * longest / 2, 0.25
    with Instance(Archive.of(path, tmp_path / "unpacked"), "ModelExchange") as instance:
        instance.enter_initialization({})
        assert instance.call("ExitInitializationMode") == OK, instance.said
        unit, solver, t, seen = Unit(instance), Cvode(1e-9, longest), 0.0, []
        _, next_event = unit.handle_events(enter=False)
        solver.begin(unit, t)
        while t < until:
            t, s, met = solver.step(t, unit.read(), min(until, next_event))
            unit.go_to(t, s)
            if unit.complete() or met or t >= next_event:
                count = unit.value("floor.impacts")
                changed, next_event = unit.handle_events()
                if unit.value("floor.impacts") > count:
                    rests = unit.value("floor.switches") % 2
                    seen.append((t, unit.value("floor.impact_speed"), rests))
                if changed:
                    solver.begin(unit, t)
    checked = 0
    for (before, approach, rests), (after, speed, _) in pairwise(seen):
        right = np.nan if rests else approach_after(before, approach, after)
        if right > slowest:
            assert speed == pytest.approx(right, rel=1e-6)
            checked += 1
    assert checked > 15


@pytest.mark.heavy
def test_long_communication_steps_pass_over_no_impact(tmp_path: Path, tools: Tools) -> None:
    # at 25 Hz the motion soon repeats itself every three periods
    (path,) = export(shaken(2 * np.pi * 25).equations(), tmp_path, fmi="3.0", tools=tools)
    for tolerance in (1e-4, 1e-6):
        for steps in (20, 100, 400):
            with Slave(path, {}, tolerance=tolerance) as ball:
                for _ in range(steps):
                    ball.step(UNTIL / steps)
                assert ball.get(["floor.switches"]) == [18]
