"""Differences of fourth order whose places stay within bounds."""

from __future__ import annotations

CENTRAL = ((1.0, 2 / 3), (-1.0, -2 / 3), (2.0, -1 / 12), (-2.0, 1 / 12))
"""Places, in steps, and weights: their sum is the derivative times the step."""
ONWARD = ((0.0, -25 / 12), (1.0, 4.0), (2.0, -3.0), (3.0, 4 / 3), (4.0, -1 / 4))
"""The same to one side."""


def places(value: float, step: float, low: float, high: float) -> tuple[tuple[float, float], ...]:
    """Return places, and weights that give the derivative there.

    Parameters
    ----------
    value : float
        Where the derivative is wanted.
    step : float
        Distance of the places.
    low, high : float
        Bounds that they keep.
    """
    if value - 2 * step >= low and value + 2 * step <= high:
        return tuple((value + at * step, weight / step) for at, weight in CENTRAL)
    side = step if value + 4 * step <= high else -step
    return tuple((value + at * side, weight / side) for at, weight in ONWARD)
