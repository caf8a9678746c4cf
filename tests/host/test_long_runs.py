"""Estimates of how long runs take, with a clock that is set by hand."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from mbcore import Body, Model, simulate, simulate_many, sweep
from mbcore.host import long_runs
from mbcore.host.long_runs import LongRun
from mbcore.simulation.simulate import DECIDED


class Clock:
    """Seconds that pass when told."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(long_runs, "time", found)
    return found


@pytest.mark.parametrize(
    ("first", "pace", "told"),
    [(0.0, 1.0, "1.7 min"), (0.4, 1.0, "1.7 min"), (0.0, 0.005, "5.6 h"), (0.0, 2.0, "")],
)
def test_a_run_of_more_than_a_minute_says_so_after_a_second(
    clock: Clock, capsys: pytest.CaptureFixture, first: float, pace: float, told: str
) -> None:
    """Of 100 s at so many a second, after a first part that brings nothing; each says it once."""
    run = LongRun("mass", 100.0, True)
    run.at(0.0)
    for k in range(1, 500):
        clock.now = 0.01 * k
        run.at(max(0.0, clock.now - first) * pace)
        if clock.now < 0.99 * long_runs.LONG:
            assert not capsys.readouterr().err
    words = f"mass: at its present pace, this takes some {told}\n" if told else ""
    assert capsys.readouterr().err == words


def told_of(clock: Clock, capsys: pytest.CaptureFixture, done: Callable[[float], float]) -> str:
    """Return what a run of 100 s tells that has done so much after a time, s."""
    run = LongRun("mass", 100.0, True)
    for k in range(4000):
        clock.now = 0.01 * k
        if done(clock.now) >= 100.0:
            break
        run.at(done(clock.now))
    return str(capsys.readouterr().err)


def test_steps_that_grow_are_estimated_when_they_have_grown(
    clock: Clock, capsys: pytest.CaptureFixture
) -> None:
    """As behind the start of stiff equations: a pace of 1e-7 grows tenfold each second, to 1 or 5.

    The first takes 7 s and 100 s more, the second 8 s and 20 s.
    """

    def grown(to: float) -> Callable[[float], float]:
        end = math.log10(to / 1e-7)
        return lambda t: 1e-7 * 10 ** min(t, end) / math.log(10) + to * max(0.0, t - end)

    assert told_of(clock, capsys, grown(1.0)) == (
        "mass: at its present pace, this takes some 1.8 min\n"
    )
    assert not told_of(clock, capsys, grown(5.0))


def test_an_estimate_that_was_wrong_is_corrected(
    clock: Clock, capsys: pytest.CaptureFixture
) -> None:
    """A pace of 0.05 for 5 s, 33 min for all, then of 4: 25 s more; and one that never settles."""
    lines = told_of(clock, capsys, lambda t: 0.05 * t + 4 * max(0.0, t - 5)).splitlines()
    assert lines[0] == "mass: at its present pace, this takes some 33 min"
    assert lines[1:] == ["mass: at its present pace, this takes some 30 s, not 33 min"]
    lines = told_of(clock, capsys, lambda t: 1e-6 * 2**t).splitlines()
    assert lines[0].endswith("h; it is becoming faster")
    assert len(lines) < 4


def test_steps_before_a_restart_tell_nothing(clock: Clock, capsys: pytest.CaptureFixture) -> None:
    run = LongRun("mass", 100.0, True)
    for k in range(500):
        clock.now = 0.01 * k
        if k < 300:
            run.restart()
        run.at(1e-3 * k if k < 300 else 0.3 + (k - 300))
    assert not capsys.readouterr().err


def test_runs_batches_and_sweeps_tell_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Each takes more than a minute where a minute is short."""
    monkeypatch.setattr(long_runs, "LONG", 0.0)
    monkeypatch.setattr(long_runs, "MINUTE", 1e-9)
    model = Model("mass")
    place = model.point("place")
    model.add(Body("body", place, mass=1.0))
    place.y.fix(0)
    place.x.dof("x", "v", 1.0).spring(1.0)
    equations = model.equations()
    simulate(equations, 30.0, backend="python")
    assert capsys.readouterr().err.startswith("mass: at its present pace")
    simulate(equations, 300.0, backend="c")
    assert capsys.readouterr().err.startswith("mass: at its present pace")
    simulate_many(equations, 1.0, start={"x": np.arange(1.0, 5.0)}, backend="python")
    assert capsys.readouterr().err.startswith("simulate_many: at its")
    sweep(lambda point: point["x"], {"x": np.arange(5.0)}, workers=1)
    assert capsys.readouterr().err.startswith("sweep: at its")
    simulate(equations, 30.0, progress=False)
    assert not capsys.readouterr().err


def test_steps_that_decide_on_the_method_tell_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Stiff equations are slow until then: the estimate would be of explicit steps to the end."""
    monkeypatch.setattr(long_runs, "LONG", 0.0)
    monkeypatch.setattr(long_runs, "MINUTE", 1e-9)
    model = Model("mass")
    place = model.point("place")
    model.add(Body("body", place, mass=1.0))
    place.y.fix()
    place.x.dof("x", "v", 1.0).spring(1.0)
    equations = model.equations()
    short = 5.0
    assert simulate(equations, short, backend="python").statistics["steps"] < DECIDED
    assert not capsys.readouterr().err
    simulate(equations, short, backend="python", method="DOP853")
    assert capsys.readouterr().err.startswith("mass: at its present pace")
