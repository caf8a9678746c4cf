"""The bound of explicit Euler's times of rest over shaken floors: closed forms, and random FMUs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.conftest import OK, Instance
from tests.exchange_survey.masters import Fixed
from tests.exchange_survey.models import shaking
from tests.exchange_survey.shaken_euler import SETTLING, Floor, G, grown, impacts, steps_off
from tests.exchange_survey.unit import Unit
from tests.exchange_survey.verdict import archive


@pytest.mark.parametrize("e", [0.2, 0.6])
def test_floors_at_rest_are_met_by_the_closed_form(e: float) -> None:
    """Only the first impact is late, by up to a step, for all flights are foretold."""
    height, still = 0.3, Floor(0.0, 50.0, e)
    found = impacts(still, height)
    rest = math.sqrt(2 * height / G) * (1 + e) / (1 - e)
    assert found[-1].time == pytest.approx(rest, abs=SETTLING * (1 + e) / (1 - e))
    assert steps_off(still, found, 1e-4) == pytest.approx(1.0, rel=1e-9)


def test_times_grow_as_those_of_another_height_do() -> None:
    """A start a little higher leaves the first impact later and faster, and all others with it."""
    floor, height, more = Floor(0.4 * G / 60.0**2, 60.0, 0.5), 0.2, 1e-9
    here, there = impacts(floor, height), impacts(floor, height + more)

    def leaves(at: int, of: list) -> float:
        return floor.motion(of[at].time)[1] + floor.restitution * of[at].approach

    by = np.array([there[0].time - here[0].time, leaves(0, there) - leaves(0, here)])
    for k in range(1, 9):
        by = grown(here[k], floor.restitution, by)
        assert there[k].time - here[k].time == pytest.approx(by[0], rel=1e-3)
        assert leaves(k, there) - leaves(k, here) == pytest.approx(by[1], rel=1e-3, abs=1e-12)


def rest_under_euler(start: dict[str, float], step: float, until: float) -> float:
    """Return the time of the impact with which the ball of the FMU comes to rest, s."""
    with Instance(archive("shaken", "3.0"), "ModelExchange") as instance:
        instance.enter_initialization(start)
        assert instance.call("ExitInitializationMode") == OK, instance.said
        unit, solver, t = Unit(instance), Fixed(step), 0.0
        _, next_event = unit.handle_events(enter=False)
        s = unit.read()
        solver.begin(unit, t)
        while t < until:
            t, s, met = solver.step(t, s, min(until, next_event))
            unit.go_to(t, s)
            if unit.complete() or met or t >= next_event:
                _, next_event = unit.handle_events()
                s = unit.read()
                if unit.value("floor.switches") % 2:
                    return unit.value("floor.impact_time")
    pytest.fail(f"no rest by {until} s: {start}")


@pytest.mark.heavy
def test_steps_of_euler_are_off_by_no_more_than_the_bound() -> None:
    random, farthest, judged = np.random.default_rng(7), 0.0, 0
    for _ in range(24):
        start = {
            "e": random.uniform(0.1, 0.5), "y": random.uniform(0.02, 0.2),
            "frequency": random.uniform(20.0, 200.0),
        }  # fmt: skip
        floor = shaking(start)
        found = impacts(floor, start["y"])
        for step in (1e-3, 2e-4):
            most = steps_off(floor, found, step)
            if most < math.inf:
                rest = found[-1].time
                off = abs(rest_under_euler(start, step, rest + (most + 10) * step) - rest) / step
                assert off <= most + SETTLING / step, (start, step)
                farthest, judged = max(farthest, off / most), judged + 1
                break
    assert judged >= 16
    assert farthest > 0.1  # else the bound would tell nothing
