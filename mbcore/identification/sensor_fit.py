"""What is left between a sensor and the fitted model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbcore.identification.statistics import Whiteness


@dataclass(frozen=True)
class SensorFit:
    """What is left between a sensor and the model.

    Attributes
    ----------
    unit : str
        Of the sensor's variable.
    deviation : float
        Standard deviation of its noise, estimated unless it was given.
    whiteness : Whiteness
        Whether residuals are white; where not, the model misses something.
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
    def residuals(self) -> tuple[np.ndarray, ...]:
        """Measured less simulated, by runs, in ``unit``."""
        return tuple(m - s for m, s in zip(self.measured, self.simulated, strict=True))
