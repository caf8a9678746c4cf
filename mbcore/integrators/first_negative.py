"""Where in a step the first of several functions of time becomes negative, as in ``mb_search.c``.

`MovingPoint` seeks events with it, by indicators that are positive where modes are right.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

SAMPLES = 8
"""Parts of a step at whose ends functions are looked at."""
MANY = 16
"""Functions from which on those are sorted out at once that a step cannot have negative."""
MOST = 1_000_000
"""Iterations of Brent's method: the square of the bisections from a step to a zero at 1e-300 s."""


def first_negative(
    functions: Callable[[float], np.ndarray], before: float, after: float
) -> float | None:
    """Return the time just after the first of the functions has become negative, or None.

    Parameters
    ----------
    functions : callable
        Their values at a time, shape (n,).
    before, after : float
        Ends of the step, s.
    """
    known: dict[float, np.ndarray] = {}

    def at(t: float) -> np.ndarray:
        """Return the values there, evaluated once: intervals and roots end where samples are."""
        found = known.get(t)
        if found is None:
            found = known[t] = functions(t)
        return found

    times = np.linspace(before, after, SAMPLES + 1)
    values = np.array([at(t) for t in times])  # [Schwab2002] (5.22), but at more places
    count = values.shape[1]
    signs = [lambda t, i=i: float(at(t)[i]) for i in range(count)]
    sought = {
        i: interval
        for i in perhaps_negative(values)
        if (interval := negative_in(signs[i], times, values[:, i])) is not None
    }
    first, there = np.inf, np.full(count, -np.inf)
    # Most likely the first is the one of the earliest interval that is the furthest beyond.
    for i in sorted(sought, key=lambda i: (sought[i], values[-1, i])):
        # One that is still positive at the first zero found comes later.
        if sought[i][1] < first or there[i] < 0:
            beyond = _just_beyond(signs[i], *sought[i])
            if beyond < first:
                first, there = beyond, at(beyond)
    return float(first) if sought else None


def _just_beyond(signed: Callable[[float], float], begin: float, end: float) -> float:
    """Return the first floating-point number beyond a zero, after which the function is negative.

    It is negative at the end. Near the beginning, just after an event, it may be zero or noise.
    """
    t, further = begin, float(np.spacing(end))
    value = signed(begin)
    if value < 0:
        return begin
    if value > 0:
        t = float(scipy.optimize.brentq(signed, begin, end, xtol=1e-300, rtol=1e-15, maxiter=MOST))
    before = t
    while signed(t) >= 0 and t < end:
        before, t, further = t, min(end, t + further), 2 * further
    while (middle := (before + t) / 2) not in (before, t):
        before, t = (middle, t) if signed(middle) >= 0 else (before, middle)
    return t


def perhaps_negative(values: np.ndarray) -> list[int]:
    """Return the functions, columns of samples, that `negative_in` may find negative."""
    if values.shape[1] < MANY:
        return list(range(values.shape[1]))
    low, middle, high = values[:-2], values[1:-1], values[2:]
    slope, bend = (high - low) / 2, (high + low) / 2 - middle
    with np.errstate(divide="ignore", invalid="ignore"):
        above = middle - slope**2 / (2 * bend) > 0
    dips = np.logical_and(bend > 0, np.logical_not(above))
    lowest = np.logical_and(middle <= low, middle < high)
    lowest[[0, -1]] |= dips[[0, -1]]
    return [int(i) for i in np.flatnonzero(lowest.any(axis=0) | ~(values >= 0).all(axis=0))]


def negative_in(
    signed: Callable[[float], float], times: np.ndarray, values: np.ndarray
) -> tuple[float, float] | None:
    """Return an interval at whose end the function is first negative, or None.

    At the beginning modes have just followed the indicators, so one that is negative there alone is
    rounding of the interpolant. Between samples that are all positive, minima are sought where a
    parabola through three samples has one, as in mb_search.c.
    """
    if values[0] < 0 and values[1] < 0:
        return float(times[0]), float(times[0])
    for k in range(1, times.size):
        if values[k] < 0:
            return float(times[k - 1]), float(times[k])
        hidden = _may_hide(times, values, k) if k < times.size - 1 else None
        if hidden is not None:
            low, high = (float(times[j]) for j in hidden)
            dip = scipy.optimize.minimize_scalar(signed, bounds=(low, high), method="bounded")
            if dip.fun < min(0.0, values[hidden[0]]):
                return low, float(dip.x)
    return None


def _may_hide(times: np.ndarray, values: np.ndarray, k: int) -> tuple[int, int] | None:
    """Return between which samples a function may dip that is positive at those about one.

    In the first and last part no sample is beyond a dip, and a parabola tells of it; as it is
    not the function, what it adds to the value in the middle is doubled.
    """
    if values[k + 1] < 0:
        return None
    if values[k] <= values[k - 1] and values[k] < values[k + 1]:
        return k - 1, k + 1
    if k not in (1, times.size - 2):
        return None
    part = times[k] - times[k - 1]
    slope = (values[k + 1] - values[k - 1]) / 2
    bend = (values[k + 1] + values[k - 1]) / 2 - values[k]
    if not bend > 0 or values[k] - slope**2 / (2 * bend) > 0:
        return None
    lowest = times[k] - slope / (2 * bend) * part
    if k == 1 and times[0] < lowest < times[1] and values[0] >= 0:
        return 0, 1
    return (k, k + 1) if k > 1 and times[k] < lowest < times[k + 1] else None
