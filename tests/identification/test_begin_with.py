"""Fits that begin with the beginning of a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mbcore import FitOptions, InputTable, ModelError, Run, fit
from mbcore.drivers.driver import Response
from mbcore.drivers.equations_driver import EquationsDriver
from tests.identification import models

NOISE, END, SHORT = 2e-3, 10.0, 2.0
"""Of the encoder, rad; s; s."""
TRUE = {"inertia": 0.2, "damping": 0.1}
"""kg.m², N.m.s/rad"""
GUESSES = {"inertia": (0.02, 2.0, 0.26), "damping": (0.01, 1.0, 0.07)}


class Counted(EquationsDriver):
    """A driver that notes how far simulations with derivatives go."""

    ends: list[float]

    def simulate(self, times: Any, **given: Any) -> Response:
        """Return the motion."""
        if given.get("columns"):
            self.ends.append(float(times[-1]))
        return super().simulate(times, **given)


@pytest.fixture(scope="module")
def driver() -> Counted:
    found = Counted(models.pendulum().equations(), backend="c")
    found.ends = []
    return found


def _record(driver: Counted, start: float, torque: Any) -> Run:
    times = np.linspace(0.0, END, 201)
    given, table = np.interp(times, *torque), InputTable(torque[0], {"torque": torque[1]})
    course = driver.simulate(times, start={"angle": start}, inputs=table)
    noise = np.random.default_rng(7).normal(0.0, NOISE, times.size)
    angle = course.states[:, driver.states.index("angle")] + noise
    return Run({"time": times, "angle": angle, "torque": given}, start={"angle": start})


def test_the_beginning_first_leaves_few_runs_of_the_whole(driver: Counted) -> None:
    """Two seconds tell where the whole, which drifts out of step, needs more steps."""
    record = _record(driver, 1.2, ([0.0, END], [0.0, 0.0]))
    whole = {}
    for name, options in (("plain", FitOptions()), ("short", FitOptions(begin_with=SHORT))):
        driver.ends = []
        result = fit(driver, record, GUESSES, options=options)
        whole[name] = sum(end > SHORT + 1 for end in driver.ends), result
    plain, short = whole["plain"][1], whole["short"][1]
    for name, true in TRUE.items():
        assert abs(short.values[name] - true) < 4 * short.deviations[name]
        assert abs(short.values[name] - plain.values[name]) < 0.1 * plain.deviations[name]
    assert whole["short"][0] <= 4 < whole["plain"][0]


def test_a_beginning_that_tells_nothing_does_no_harm(driver: Counted) -> None:
    """The pendulum hangs still until a torque comes at 4 s."""
    record = _record(driver, 0.0, ([0.0, 4.0, 5.0, 6.0, END], [0.0, 0.0, 4.0, 0.0, 0.0]))
    result = fit(driver, record, GUESSES, options=FitOptions(begin_with=SHORT))
    for name, true in TRUE.items():
        assert abs(result.values[name] - true) < 4 * result.deviations[name]
    assert result.identifiability.complete


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"begin_with": -1.0}, "begin_with"),
        ({"begin_with": 2.0, "segment": 0.5}, "leave out segment="),
        ({"begin_with": 2.0, "error": "equation"}, "leave out segment= and error='equation'"),
    ],
)
def test_mistaken_beginnings_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        FitOptions(**given)
