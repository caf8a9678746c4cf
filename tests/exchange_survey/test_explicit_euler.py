"""The bound of explicit Euler's lateness against closed forms and a motion of its own."""

from __future__ import annotations

import math

import pytest

from tests.exchange_survey.explicit_euler import Fall, lateness

G = 9.81


@pytest.mark.parametrize("e", [0.1, 0.5, 0.9])
def test_places_under_a_weak_spring_are_late_by_the_first_fall(e: float) -> None:
    """They are higher by g h t/2, so late by h/2, found up to h later, and faster by g h/2."""
    step = 1e-3
    without = (1.5 + e / (1 - e)) * step
    assert lateness(Fall(0.5, 0.0, G, 1e-6), e, step) == pytest.approx(without, rel=2e-2)
    assert lateness(Fall(0.5, 0.3, G, 80.0), 0.5, step) > 1.5 * without


def test_where_a_spring_gives_more_than_impacts_take_there_is_no_rest() -> None:
    """A flight of nearly half a period makes the speed greater by exp(ω h π/2)."""
    omega, step = 50.0, 1e-3
    enough = math.exp(-omega * step * math.pi / 2)
    far = Fall(1000.0, 0.0, 1.0, omega**2)
    assert lateness(far, enough * 1.02, step) == math.inf
    assert lateness(far, enough * 0.7, step) < math.inf


def rest(fall: Fall, e: float, step: float) -> float:
    """Return when a part rests under Euler, with impacts and flights as FMUs end them."""
    y, v, t, end, above = fall.height, fall.rate, 0.0, math.inf, 0.0
    while True:
        h = min(step, end - t)
        y, v, t = y + h * v, v - h * (fall.pull + fall.squared * y), t + h
        foretold = t >= end and 0 <= y <= above
        if y < 0:
            v = -math.sqrt(max(v**2 + 2 * fall.pull * y + fall.squared * y**2, 0.0))
        if y < 0 or foretold:
            y, v = 0.0, -e * v
            end, above = t + 2 * v / fall.pull, 2 * v * step
            if v < 1e-4:
                return end
        elif t >= end:
            end = math.inf


@pytest.mark.parametrize(("e", "height"), [(0.2, 1.0), (0.5, 0.3), (0.5, 1.0), (0.7, 0.2)])
def test_steps_of_euler_are_no_later(e: float, height: float) -> None:
    fall, step, fine = Fall(height, 0.2, 32.0, 80.0), 1e-3, 1e-5
    coarse, refined = rest(fall, e, step), rest(fall, e, fine)
    late, most = coarse - refined, lateness(fall, e, step)
    assert 0.4 * most < late < most
    assert lateness(fall, e, fine) < 0.03 * most  # by which the finer one is late itself
