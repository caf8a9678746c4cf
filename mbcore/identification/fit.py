"""Fits unknown parameters to measurements, and says how far the data tell them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tqdm import tqdm

from mbcore.drivers.choice import opened
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
from mbcore.identification.starts import compared, first_guesses, searched
from mbcore.identification.statistics import covariance, whiteness
from mbcore.model import checks
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import warn_user

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
    starts: int | Sequence[Mapping[str, float]] = 1,
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
    starts : int or sequence of mapping of str to float
        Number of starts: the first guess, then others spread evenly in the bounds; or first guesses
        by name. The best minimum counts; `Fit.starts` says how many searches found it.
    options : FitOptions
        How the fit is made: delays of inputs, multiple shooting, robust losses, workers.
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
    with opened(source) as driver:
        runs = recorded(driver, data, outputs)
        problem = Problem(driver, runs, parameters, sensors or {}, options)
        if isinstance(starts, int | float | np.integer):
            starts = checks.whole("fit", "starts", starts, 1)
        first = Search(problem, tqdm(disable=True)).followable(problem.first_guess())
        guesses = first_guesses(problem, first, starts)
        told = of_problem(problem, first, noise_of_samples(problem))
        found, every, failed = searched(problem, guesses)
        if not told.complete:  # a first guess may be where less can be told than elsewhere
            told = of_problem(problem, found.at.unknowns, noise_of_samples(problem))
        return _result(problem, (found, every, failed), len(guesses), told)


def _result(
    problem: Problem,
    searches: tuple[Found, list[Found], int],
    starts: int,
    told: Identifiability,
) -> Fit:
    found = searches[0]
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
        compared(searches, starts, np.sqrt(np.diag(spread))),
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
