"""Fits unknown parameters to measurements, and says how far the data tell them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy.stats import qmc
from tqdm import tqdm

from mbcore.drivers.choice import driver as driver_of
from mbcore.drivers.driver import Driver
from mbcore.host.backend import Backend, takes_backend
from mbcore.host.threads import single_threaded
from mbcore.identification.fit_result import Fit
from mbcore.identification.identifiability import Identifiability, of_problem
from mbcore.identification.options import FitOptions, Sensor
from mbcore.identification.problem import Problem
from mbcore.identification.profile import profile_intervals
from mbcore.identification.runs import recorded
from mbcore.identification.search import Found, Search, noise_of_samples
from mbcore.identification.sensor_fit import SensorFit
from mbcore.identification.statistics import covariance, whiteness
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ConfigurationError, SimulationError, warn_user

OPTIONS = FitOptions()
AT_BOUND = 1e-6
"""Distance from a bound, in scales, at which a value is there."""


@explains_arguments
@takes_backend
@single_threaded
def fit(
    source: Any,
    data: Any,
    parameters: Mapping[str, Any],
    *,
    outputs: Sequence[str] | Mapping[str, str] | None = None,
    sensors: Mapping[str, Sensor] | None = None,
    options: FitOptions = OPTIONS,
    backend: Backend = "auto",
) -> Fit:
    """Find the parameters with which a model follows measurements best.

    Errors count in standard deviations of each sensor's noise, which are estimated with the rest
    (maximum likelihood). States that are measured begin with unknown values near their first
    samples, others with the model's start values; `Run` gives others.

    Parameters
    ----------
    source : Model, Equations, Component, Driver or path of an FMU
        What is fitted.
    data : path, DataFrame, Dataset, mapping, Run, or list of these
        What was measured: a table with a column ``time``, columns of outputs or states, and of
        inputs, with units in their headers, or several runs.
    parameters : mapping of str to (float, float) or Unknown
        Bounds of each, perhaps with a first guess behind, which else is the model's value.
    outputs : sequence of str, or mapping of str to str, optional
        Columns that are fitted, or the variable of each where names differ; by default all that
        are outputs or states.
    sensors : mapping of str to Sensor, optional
        Noise that is known, offsets and gains that are not.
    options : FitOptions
        How the fit is made: delays of inputs, multiple shooting, robust losses, several starts.
    backend : {"auto", "python", "c"}
        Backend of equations; see `mbcore.evaluate_by`.

    Raises
    ------
    ModelError
        A name is unknown, data or bounds are wrong; names row and column.
    SimulationError, ConfigurationError
        The motion can be followed from none of the starts.

    Examples
    --------
    >>> result = fit(model, "decay.csv", {"joint.friction": (0, 1)})  # doctest: +SKIP
    >>> result.values, result.intervals(0.95)  # doctest: +SKIP
    """
    with _opened(source) as driver:
        runs = recorded(driver, data, outputs)
        problem = Problem(driver, runs, parameters, sensors or {}, options)
        first = Search(problem, tqdm(disable=True)).followable(problem.first_guess())
        told = of_problem(problem, first, noise_of_samples(problem))
        found = _search(problem, first)
        if not told.complete:  # a first guess may be where less can be told than elsewhere
            told = of_problem(problem, found.at.unknowns, noise_of_samples(problem))
        return _result(problem, found, told)


@contextmanager
def _opened(source: Any) -> Iterator[Driver]:
    """Give the driver of a source, which is closed at the end unless it was one before."""
    driver = driver_of(source)
    try:
        yield driver
    finally:
        if driver is not source:
            driver.close()


def _search(problem: Problem, first: np.ndarray) -> Found:
    """Return the best of the searches from all starts.

    Raises
    ------
    SimulationError, ConfigurationError
        The motion can be followed from none of them.
    """
    starts, best, error = _starts(problem, first), None, None
    hidden = not (problem.options.progress and sys.stderr.isatty())
    with tqdm(
        desc=f"fit {problem.driver.name}", disable=hidden, leave=False, unit="evaluation"
    ) as bar:
        for start in starts:
            try:
                found = Search(problem, bar).run(start)
            except (SimulationError, ConfigurationError) as failed:
                error = error or failed
                continue
            if best is None or found.cost < best.cost:
                best = found
            if found.interrupted:
                break
    if best is None:
        assert error is not None
        raise type(error)(f"fit: the motion cannot be followed from the first guess: {error}")
    return best


def _starts(problem: Problem, first: np.ndarray) -> list[np.ndarray]:
    """Return the first guess, then others spread evenly in the bounds."""
    count = problem.options.starts - 1
    if not count:
        return [first]
    found, low, high = [first], *problem.bounds()
    n = len(problem.sought)
    scales = np.array([one.scale for one in problem.sought])
    for part in qmc.Sobol(n, seed=0).random(count):
        near = np.where(np.isfinite(low[:n]), low[:n], first[:n] - scales)
        far = np.where(np.isfinite(high[:n]), high[:n], first[:n] + scales)
        start = first.copy()
        start[:n] = near + part * (far - near)
        found.append(start)
    return found


def _result(problem: Problem, found: Found, told: Identifiability) -> Fit:
    spread = covariance(problem, found)
    values = found.at.unknowns[: len(problem.sought)]
    for i, one in enumerate(problem.sought):
        if one.name in told.unseen or any(one.name in d for d in told.directions):
            spread[i, :] = spread[:, i] = np.nan
            spread[i, i] = np.inf
    at_bounds = tuple(
        one.name
        for one, value in zip(problem.sought, values, strict=True)
        if min(value - one.low, one.high - value) < AT_BOUND * one.scale
    )

    def profiler(level: float) -> dict[str, tuple[float, float]]:
        return profile_intervals(problem, found, spread, level)

    result = Fit(
        problem.driver.name,
        {one.name: float(v) for one, v in zip(problem.sought, values, strict=True)},
        {one.name: one.unit for one in problem.sought},
        spread,
        _sensors(problem, found),
        told,
        found.cost,
        problem.evaluations,
        problem.driver.derivatives,
        found.message,
        found.interrupted,
        at_bounds,
        tuple(one.name for one in problem.sought if one.kind == "parameter"),
        profiler,
    )
    said = [told.missing] if told.missing else []
    said += [warning for warning in result.warnings if warning.endswith("?")]
    for warning in said:
        warn_user(f"fit of {problem.driver.name}: {warning}")
    return result


def _sensors(problem: Problem, found: Found) -> dict[str, SensorFit]:
    """Return what is left between each sensor and the model."""
    ends = np.cumsum([0, *problem.sizes])
    blocks = {pair: found.at.errors[ends[i] : ends[i + 1]] for i, pair in enumerate(problem.rows)}
    result = {}
    for j, name in enumerate(problem.sensors):
        runs = [k for of, k in problem.rows if of == j]
        samples = [problem.runs[k].samples[name] for k in runs]
        errors = [blocks[j, k] for k in runs]
        result[name] = SensorFit(
            problem.driver.unit(samples[0].variable),
            float(found.deviations[j]),
            whiteness([-e for e in errors]),
            tuple(s.time + problem.runs[k].begin for s, k in zip(samples, runs, strict=True)),
            tuple(s.values for s in samples),
            tuple(s.values + e for s, e in zip(samples, errors, strict=True)),
        )
    return result
