"""Derivatives of whole runs of an FMU by start values, by differences within their bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mbcore.drivers.differences import places

APART = 2e-3
"""Distance of runs that are compared, in parts of a value."""


def varied(
    name: str,
    values: Mapping[str, float],
    value: float,
    variable: Any,
    function: Callable[[Mapping[str, float]], np.ndarray],
    *,
    nominal: float | None = None,
    apart: float = APART,
) -> np.ndarray:
    """Return the derivative of a function of all start values by one of them.

    Parameters
    ----------
    name : str
        Of the one.
    values : mapping of str to float
        All that are given.
    value : float
        Of the one.
    variable : object
        Its description.
    function : callable
        Returns an array by start values.
    nominal : float, optional
        Of a state, below which its value tells no size.
    apart : float
        Step, in parts of the value's size.
    """
    size = max(abs(value), variation_size(value, variable, nominal))
    low, high = bounds_of(variable)
    ends = [
        weight * np.asarray(function({**values, name: at}))
        for at, weight in places(value, apart * size, low, high)
    ]
    return np.asarray(np.sum(ends, axis=0))


def variation_size(value: float, variable: Any, nominal: float | None = None) -> float:
    """Return the least size that counts for a value: the nominal one where it tells none."""
    if nominal is not None:
        return nominal
    return 0.0 if value else float(variable.nominal or 0.0) or 1.0


def bounds_of(variable: Any) -> tuple[float, float]:
    """Return the least and the largest value of a variable, infinite where there is none."""
    low, high = variable.min, variable.max
    return (
        -np.inf if low is None else float(str(low)),
        np.inf if high is None else float(str(high)),
    )
