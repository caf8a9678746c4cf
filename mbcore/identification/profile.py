"""Intervals by the profile of the likelihood: all other unknowns are fitted anew at each value.

Used by `mbcore.identification.fit` alone.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares
from scipy.stats import t as student

from mbcore.identification.problem import Problem
from mbcore.identification.search import Found, weighted
from mbcore.model.errors import ConfigurationError, SimulationError

CLOSE = 0.01
"""Relative difference from the wanted likelihood that is close enough."""
MOST = 10
"""Values tried for one end."""


def profile_intervals(
    problem: Problem, found: Found, covariance: np.ndarray, level: float
) -> dict[str, tuple[float, float]]:
    """Return the ends at which the likelihood has fallen so far, by names of the unknowns.

    The signed root of twice its fall is nearly linear in the value, [BatesWatts1988] 6.1, and is
    followed by secants. An end that lies beyond a bound is that bound; one at which the motion
    cannot be followed is infinite. Noise is that of the fit.

    [BatesWatts1988] D. M. Bates, D. G. Watts, Nonlinear regression analysis and its applications,
    Wiley 1988.
    """
    free = len(problem.sensor_of) - len(problem.sought)
    wanted = float(student.ppf((1 + level) / 2, max(free, 1)))
    low, high = problem.bounds()
    ends: dict[str, tuple[float, float]] = {}
    for i, one in enumerate(problem.sought):
        if not np.isfinite(covariance[i, i]):
            ends[one.name] = (float(low[i]), float(high[i]))
            continue
        pair = [
            _end(problem, found, (i, side * np.sqrt(covariance[i, i])), covariance, wanted)
            for side in (-1.0, 1.0)
        ]
        ends[one.name] = (pair[0], pair[1])
    return ends


def _end(
    problem: Problem,
    found: Found,
    along: tuple[int, float],
    covariance: np.ndarray,
    wanted: float,
) -> float:
    """Return one end: ``along`` is the unknown's place and a signed standard deviation."""
    i, deviation = along
    best = found.at.unknowns
    low, high = problem.bounds()
    least = _cost(problem, found, best)
    n = len(problem.sought)
    share, z = wanted, best
    for _ in range(MOST):
        value = best[i] + share * deviation
        limit = min(max(value, low[i]), high[i])
        first = z.copy()
        moved = covariance[:, i] / covariance[i, i] * (limit - best[i])
        first[:n] = best[:n] + np.where(np.isfinite(moved), moved, 0.0)
        first = np.clip(first, low, high)
        first[i] = limit
        try:
            z = _fitted(problem, found, first, i)
        except (SimulationError, ConfigurationError):
            return float(np.inf * deviation)
        fall = np.sqrt(max(2 * (_cost(problem, found, z) - least), 0.0))
        if limit != value and fall < wanted:
            return float(limit)
        if abs(fall / wanted - 1) < CLOSE:
            break
        share = (limit - best[i]) / deviation * wanted / max(fall, 0.2 * wanted)
    return float(z[i])


def _cost(problem: Problem, found: Found, z: np.ndarray) -> float:
    errors = weighted(problem, problem.at(z), found.deviations)[0]
    return 0.5 * float(errors @ errors)


def _fitted(problem: Problem, found: Found, first: np.ndarray, fixed: int) -> np.ndarray:
    """Return unknowns that fit best with one of them fixed."""
    others = [k for k in range(first.size) if k != fixed]
    if not others:
        return first
    low, high = problem.bounds()

    def whole(x: np.ndarray) -> np.ndarray:
        z = first.copy()
        z[others] = x
        return z

    result = least_squares(
        lambda x: weighted(problem, problem.at(whole(x)), found.deviations)[0],
        first[others],
        lambda x: weighted(problem, problem.at(whole(x)), found.deviations)[1][:, others],
        bounds=(low[others], high[others]),
        x_scale="jac",
        ftol=1e-6,
        xtol=1e-8,
    )
    return whole(result.x)
