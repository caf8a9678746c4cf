"""Fits from several starts, side by side in processes."""

from __future__ import annotations

import multiprocessing
import os
import time
from multiprocessing.connection import wait
from typing import Any

import numpy as np
import pytest

from mbcore import FitOptions, ModelError, Run, SimulationError, fit
from mbcore.drivers.driver import Response
from mbcore.drivers.equations_driver import EquationsDriver
from mbcore.identification import starts as workers
from tests.identification import models

TIMES = np.linspace(0.0, 10.0, 201)
TRUE = {"amplitude": 0.8, "frequency": 1.5}
BOUNDS = {"amplitude": (0.1, 3, 0.5), "frequency": (0.3, 9, 1.4)}


@pytest.fixture(scope="module")
def driver() -> EquationsDriver:
    return EquationsDriver(models.driven().equations(), backend="c")


@pytest.fixture(scope="module")
def run(driver: EquationsDriver) -> Run:
    x = driver.simulate(TIMES, parameters=TRUE).states[:, driver.states.index("x")]
    noise = np.random.default_rng(7).normal(0.0, 1e-3, TIMES.size)
    return Run({"time": TIMES, "x": x + noise}, start={"x": 0.0, "v": 0.0})


def test_the_best_of_several_minima_is_told_with_how_many_found_it(
    driver: EquationsDriver, run: Run
) -> None:
    """A forcing of 8 rad/s fits best nearby, where motions of 1.5 rad/s are out of its reach."""
    starts = [{"frequency": 8.0}, {"frequency": 1.4}, {"frequency": 1.6}]
    options = FitOptions(workers=2)
    result = fit(driver, run, BOUNDS, starts=starts, options=options)
    low, high = result.intervals(0.999)["frequency"]
    assert low < 1.5 < high
    assert result.starts.same == 2 and len(result.starts.costs) == 3
    assert result.starts.costs[2] > result.starts.costs[1] + 100
    assert "2 of 3 starts found this minimum" in repr(result)
    alone = fit(driver, run, BOUNDS, starts=starts, options=FitOptions(workers=1))
    assert alone.values == result.values


def test_a_search_that_begins_at_its_minimum_makes_no_step(
    driver: EquationsDriver, run: Run
) -> None:
    found = fit(driver, run, BOUNDS)
    guesses = {name: (*BOUNDS[name][:2], value) for name, value in found.values.items()}
    again = fit(driver, run, guesses)
    assert again.evaluations == 1 < found.evaluations
    assert again.values == found.values and again.message.startswith("converged")


class Falls(EquationsDriver):
    """A driver whose motions fail at frequencies above 5 rad/s, or whose worker dies."""

    dies = False

    def simulate(self, *args: Any, **options: Any) -> Response:
        if options["parameters"]["frequency"] > 5:
            if self.dies:
                os._exit(7)
            raise SimulationError("driven: it breaks")
        return super().simulate(*args, **options)


@pytest.mark.heavy
def test_starts_that_lead_nowhere_are_counted_and_workers_that_die_are_told(run: Run) -> None:
    driver = Falls(models.driven().equations(), backend="c")
    starts = [{}, {"frequency": 7.0}]
    result = fit(driver, run, BOUNDS, starts=starts, options=FitOptions(workers=2))
    assert (result.starts.same, result.starts.failed) == (1, 1)
    driver.dies = True
    with pytest.raises(SimulationError, match="a worker ended with exit code 7"):
        fit(driver, run, BOUNDS, starts=starts, options=FitOptions(workers=2))


class Slow(EquationsDriver):
    """A driver each of whose motions takes a tenth of a second of waiting."""

    def simulate(self, *args: Any, **options: Any) -> Response:
        time.sleep(0.1)
        return super().simulate(*args, **options)


def test_ctrl_c_ends_workers_with_the_best_so_far(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interrupt comes to this process alone, once a search has ended; it ends the workers.

    It is raised here, as a shell lets what it runs in the background ignore SIGINT.
    """
    calls = []

    def interrupted(ends: list[Any]) -> list[Any]:
        calls.append(len(ends))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return wait(ends)

    monkeypatch.setattr(workers, "wait", interrupted)
    driver = Slow(models.driven().equations(), backend="c")
    begun = time.perf_counter()
    result = fit(driver, run, BOUNDS, starts=40, options=FitOptions(workers=2))
    assert time.perf_counter() - begun < 10  # all starts would take a hundred evaluations each
    assert result.interrupted and result.starts.left_out > 30
    assert 1 <= len(result.starts.costs) < 6
    assert f"Ctrl-C left out {result.starts.left_out}" in result.starts.said
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(
    ("starts", "said"),
    [
        ([{"freqency": 1.0}], "did you mean 'frequency'"),
        ([{"frequency": 20.0}], "starts: number 1: frequency = 20"),
        ([1.0], "starts: number 1 is 1.0; give values by name"),
        ([], "give a number of starts"),
        (0, "starts = 0"),
    ],
)
def test_mistakes_are_named(driver: EquationsDriver, run: Run, starts: Any, said: str) -> None:
    with pytest.raises(ModelError) as refused:
        fit(driver, run, BOUNDS, starts=starts)
    assert said in str(refused.value)
