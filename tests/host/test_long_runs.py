"""Estimates of how long runs take, with a clock that is set by hand."""

from __future__ import annotations

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
