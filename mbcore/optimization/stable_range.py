"""The range of a state, an input or a parameter in which all eigenvalues decay.

Used by `mbcore.optimization.trial` alone; it stands apart because it knows nothing of equations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from mbcore.model.errors import SimulationError
from mbcore.optimization.varied import Varied

CLOSE = 4e-12
"""Relative error of the ends."""


@dataclass(frozen=True)
class StableRange:
    """Where all eigenvalues decay.

    Attributes
    ----------
    low, high : Varied
        Ends of the longest such range, such as the weave and the capsize speed of a bicycle. An
        end of the range that was searched has no derivative: zero.
    """

    low: Varied
    high: Varied

    @property
    def width(self) -> Varied:
        """The distance of the ends."""
        return self.high - self.low


def stable_range(
    owner: str,
    searched: np.ndarray,
    largest: Callable[[float], float],
    slope: Callable[[float], np.ndarray],
) -> StableRange:
    """Return the longest range in which the largest real part is negative.

    Parameters
    ----------
    owner : str
        What messages begin with.
    searched : ndarray
        Rising values at which stability is looked at.
    largest : callable
        Returns the largest real part, 1/s, at a value.
    slope : callable
        Returns the derivatives of a value at which it is zero by what is varied.

    Raises
    ------
    SimulationError
        No value that is looked at is stable.
    """
    found = np.array([largest(float(value)) for value in searched])
    stable = np.concatenate([[False], found < 0, [False]])
    begins = np.flatnonzero(stable[1:] & ~stable[:-1])
    ends = np.flatnonzero(~stable[1:] & stable[:-1]) - 1
    if not begins.size:
        raise SimulationError(
            f"{owner}: none of {searched.size} values from {searched[0]:g} to {searched[-1]:g} is "
            f"stable; the least growth is {found.min():.3g} 1/s, at "
            f"{searched[found.argmin()]:.4g}. Search elsewhere, with more samples=, or begin with "
            "other parameters"
        )

    def crossing(inside: int, outside: int) -> Varied:
        if not 0 <= outside < searched.size:
            value = float(searched[inside])
            return Varied(value, np.zeros_like(slope(value)))
        ends = float(searched[inside]), float(searched[outside])
        value = brentq(largest, *ends, rtol=CLOSE, xtol=CLOSE * abs(ends[0]))
        return Varied(value, slope(value))

    every = [
        (crossing(int(begin), int(begin) - 1), crossing(int(end), int(end) + 1))
        for begin, end in zip(begins, ends, strict=True)
    ]
    return StableRange(*max(every, key=lambda pair: float(pair[1].value - pair[0].value)))
