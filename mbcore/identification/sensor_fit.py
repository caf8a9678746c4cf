"""Residuals of a sensor against the fitted model."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mbcore.identification.statistics import Whiteness

UNEXPLAINED = 0.5
"""Residuals that a model leaves at most, in parts of the standard deviation that is measured."""
MUCH = 4.0
"""Ratio of sums of squares at which columns are called swapped."""


@dataclass(frozen=True)
class SensorFit:
    """Residuals of a sensor against the model.

    Attributes
    ----------
    unit : str
        Of the sensor's variable.
    deviation : float
        Standard deviation of its noise, estimated unless it was given.
    whiteness : Whiteness
        Whether residuals are white; where not, the model lacks an effect.
    times, measured, simulated : tuple of ndarray
        By runs: s, and values in ``unit``, offset and gain included.
    """

    unit: str
    deviation: float
    whiteness: Whiteness
    times: tuple[np.ndarray, ...]
    measured: tuple[np.ndarray, ...]
    simulated: tuple[np.ndarray, ...]

    @property
    def unexplained(self) -> bool:
        """Whether residuals are not white and nearly as large as the changes that are measured."""
        spread = np.std(np.concatenate(self.measured))
        return not self.whiteness.white and self.deviation > UNEXPLAINED * float(spread)

    @property
    def residuals(self) -> tuple[np.ndarray, ...]:
        """Measured less simulated, by runs, in ``unit``."""
        return tuple(m - s for m, s in zip(self.measured, self.simulated, strict=True))


def swapped(sensors: Mapping[str, SensorFit]) -> list[tuple[str, str]]:
    """Return pairs of sensors whose measurements fit far better to each other's motion."""
    found = []
    for (one, first), (other, second) in itertools.combinations(sensors.items(), 2):
        if first.unit != second.unit or len(first.times) != len(second.times):
            continue
        if any(a.shape != b.shape for a, b in zip(first.times, second.times, strict=True)):
            continue
        as_named = _missed(first, first) + _missed(second, second)
        if MUCH * (_missed(first, second) + _missed(second, first)) < as_named:
            found.append((one, other))
    return found


def _missed(measured: SensorFit, simulated: SensorFit) -> float:
    """Return the sum of squares between a sensor's measurements and a sensor's motion."""
    pairs = zip(measured.measured, simulated.simulated, strict=True)
    return float(sum(np.sum((m - s) ** 2) for m, s in pairs))
