"""Finds the parameters with which a mechanism is best."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import qmc
from tqdm import tqdm

from mbcore.drivers.choice import opened
from mbcore.host.backend import Backend, takes_backend
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ConfigurationError, SimulationError
from mbcore.optimization.optimum import Optimum
from mbcore.optimization.options import OptimizeOptions
from mbcore.optimization.problem import MET, Evaluated, Objective, Problem
from mbcore.optimization.search import Search

OPTIONS = OptimizeOptions()
AT_BOUND = 1e-6
"""Distance from a bound, in parts of the range, at which a value is there."""


@explains_arguments
@takes_backend
def optimize(
    source: Any,
    objective: Objective,
    *,
    over: Mapping[str, Any],
    subject_to: Sequence[Any] = (),
    maximize: bool = False,
    options: OptimizeOptions = OPTIONS,
    backend: Backend = "auto",
) -> Optimum:
    """Find the parameters with which a mechanism is best, within bounds and conditions.

    Objective and conditions are functions of a `Trial`, which gives eigenvalues, stable ranges,
    steady motions, geometry and responses with exact derivatives.
    Where the mechanism cannot be assembled or a number is NaN on the way, the search takes a
    smaller step.

    Parameters
    ----------
    source : Model, Equations, Component, Driver or path of an FMU
        What is improved; of FMUs there are responses alone.
    objective : callable
        Returns what should be small, a `Varied`, of a `Trial`.
    over : mapping of str to (float, float) or Unknown
        Bounds of each parameter, perhaps with a first guess behind, which else is the model's
        value.
    subject_to : sequence of callable or (callable, float, float)
        Functions of a trial that may not be negative, or functions with bounds, equal ones for an
        equation.
    maximize : bool
        Whether the objective should be large.
    options : OptimizeOptions
        Method, starts, tolerances.
    backend : {"auto", "python", "c"}
        Backend of equations; see `mbcore.evaluate_by`.

    Raises
    ------
    ModelError
        A name is unknown, bounds exclude the start, or the objective has no derivative or is NaN
        there.
    ConfigurationError, SimulationError
        The mechanism does not exist at the start.

    Examples
    --------
    >>> def width(trial):
    ...     return trial.stable_range("bicycle.speed", (1, 10), states).width
    >>> best = optimize(
    ...     model, width, over={"geometry.trail": (0.02, 0.2)}, maximize=True
    ... )  # doctest: +SKIP
    >>> best.values, best.active  # doctest: +SKIP
    """
    with opened(source) as driver:
        problem = Problem(driver, objective, over, subject_to, maximize, options)
        first = _first(problem)
        hidden = not (options.progress and sys.stderr.isatty())
        best: Evaluated | None = None
        message, interrupted = "", False
        with tqdm(
            desc=f"optimize {driver.name}", disable=hidden, leave=False, unit="evaluation"
        ) as bar:
            for start in _starts(problem, first):
                search = Search(problem, start, bar)
                found, said, interrupted = search.run()
                if best is None or _better(problem, found, best):
                    best, message = found, said
                if interrupted:
                    break
        assert best is not None, "the first guess can be evaluated"
        return _result(problem, first, best, message, interrupted)


def _first(problem: Problem) -> Evaluated:
    try:
        return problem.at(np.array([one.start for one in problem.sought]))
    except (ConfigurationError, SimulationError) as error:
        raise type(error)(f"optimize: at the start: {error}") from error


def _starts(problem: Problem, first: Evaluated) -> Iterator[Evaluated]:
    """Give the first guess, then others spread evenly in the bounds, where they exist."""
    yield first
    count = problem.options.starts - 1
    if not count:
        return
    low, high = problem.bounds
    near = np.where(np.isfinite(low), low, first.values - problem.scales)
    far = np.where(np.isfinite(high), high, first.values + problem.scales)
    parts = qmc.Sobol(len(problem.sought), seed=0).random_base2((count - 1).bit_length())
    for part in parts[:count]:
        found = problem.tried(near + part * (far - near))
        if found is not None:
            yield found


def _better(problem: Problem, one: Evaluated, other: Evaluated) -> bool:
    if max(one.violation, other.violation) > MET:
        return one.violation < other.violation
    sign = -1.0 if problem.maximize else 1.0
    return sign * float(one.objective.value - other.objective.value) < 0


def _result(
    problem: Problem, first: Evaluated, best: Evaluated, message: str, interrupted: bool
) -> Optimum:
    names = problem.names
    rows = [[*one.values, float(one.objective.value), one.violation] for one in problem.evaluated]
    return Optimum(
        problem.driver.name,
        dict(zip(names, map(float, best.values), strict=True)),
        {one.name: one.unit for one in problem.sought},
        float(best.objective.value),
        float(first.objective.value),
        dict(zip(names, map(float, best.objective.gradient), strict=True)),
        {c.name: v.value for c, v in zip(problem.conditions, best.conditions, strict=True)},
        _active(problem, best),
        best.violation <= MET,
        pd.DataFrame(rows, columns=[*names, "objective", "violation"]),
        tuple(why for _, why in problem.refused),
        message,
        interrupted,
        {one.name: (one.low, one.high) for one in problem.sought},
    )


def _active(problem: Problem, best: Evaluated) -> tuple[str, ...]:
    """Return the bounds and conditions at which the optimum is."""
    found = []
    for one, value, width in zip(problem.sought, best.values, problem.scales, strict=True):
        for end, bound in (("least", one.low), ("largest", one.high)):
            if abs(value - bound) <= AT_BOUND * width:
                found.append(f"{one.name} at its {end} value")
    every = zip(problem.conditions, best.conditions, problem.sizes, strict=True)
    for condition, held, size in every:
        for k, value in enumerate(held.value):
            which = f"[{k}]" if held.value.size > 1 else ""
            for bound in dict.fromkeys((condition.low, condition.high)):
                if abs(value - bound) <= MET * size:
                    found.append(f"{condition.name}{which} = {bound:g}")
    return tuple(found)
