"""A quantity over one period as a Fourier series: values at any time, half range, harmonics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.optimize import minimize_scalar

from mbcore.model import summary, wording
from mbcore.model.calls import explains_construction

DENSE = 16
"""Points per harmonic at which extremes are searched."""
FEWEST = 64
"""Smallest number of these points."""
CLOSE, ITERATIONS = 1e-9, 8
"""Error of an extreme's time, in parts of the period, and steps of Newton's method at most."""


class Signal(Protocol):
    """Interface of the signals in a periodic solution, one for each state and output."""

    @property
    def unit(self) -> str:
        """Unit of the values."""

    def __call__(self, time: float | np.ndarray) -> np.ndarray:
        """Return values at times, s; the shape is that of ``time``."""

    def amplitude(self) -> float:
        """Return half the difference of the largest and the smallest value of one period."""

    def harmonics(self) -> np.ndarray:
        """Return c_0, c_1, ... of the sum of c_l exp(i l ω t) over all l, complex."""


@explains_construction
@dataclass(frozen=True, repr=False)
class FourierSignal(summary.Summarized):
    """A smooth signal: the sum of c_l exp(i l ω t), [Schwab2002] (4.2); c_-l is conjugate to c_l.

    Attributes
    ----------
    coefficients : ndarray of complex, shape (m + 1,)
        c_0 to c_m.
    period : float
        s.
    unit : str
        Of the values.
    advance : float
        Increase in each period, at a constant rate, as of a wheel that rolls on.
    """

    coefficients: np.ndarray
    period: float
    unit: str = ""
    advance: float = 0.0

    def _title(self) -> str:
        return "Fourier signal"

    def _facts(self) -> list[str]:
        highest = wording.count(self.coefficients.size - 1, "harmonic")
        mean = wording.formatted(self.coefficients[0].real) if self.coefficients.size else "none"
        return [f"period {self.period:g} s", highest, f"mean {mean} {self.unit}".rstrip()]

    @staticmethod
    def of_samples(
        samples: np.ndarray, period: float, unit: str = "", advance: float = 0.0
    ) -> FourierSignal:
        """Return the signal through equally spaced values at 0, T/n, ..., (n - 1) T/n.

        With an even number of samples, the highest harmonic is a cosine. ``period`` is T, s;
        ``unit`` that of the values; ``advance`` their increase in each period.
        """
        return FourierSignal(coefficients(samples, advance), period, unit, advance)

    def __call__(self, time: float | np.ndarray) -> np.ndarray:
        """Return values at times, s; the shape is that of ``time``."""
        part = np.asarray(time, float) / self.period
        turns = np.exp(2j * np.pi * np.multiply.outer(part, np.arange(self.coefficients.size)))
        doubled = 2 * self.coefficients
        doubled[0] /= 2
        return np.asarray((turns @ doubled).real + self.advance * part)

    @property
    def start(self) -> float:
        """Value at time 0."""
        real = self.coefficients.real
        return float(2 * real.sum() - real[0])

    def amplitude(self) -> float:
        """Return half the difference of the largest and the smallest value of one period."""
        count = max(FEWEST, DENSE * self.coefficients.size)
        equal = np.fft.irfft(self.coefficients * count, count)
        values = np.append(equal, equal[0]) + self.advance / count * np.arange(count + 1)
        return (self._largest(1.0, values) + self._largest(-1.0, values)) / 2

    def harmonics(self) -> np.ndarray:
        """Return c_0 to c_m, shape (m + 1,)."""
        return self.coefficients

    def _largest(self, sign: float, values: np.ndarray) -> float:
        """Return the largest value of one period, or that of the negative signal.

        ``values`` are those at equally spaced times, both ends among them.
        """
        count, values = values.size - 1, sign * values
        top = int(np.argmax(values))
        step = self.period / count
        near = top * step
        low, high = near - step, near + step
        if self.advance:
            low, high = max(low, 0.0), min(high, self.period)
        place = self._turning_point(near, low, high)
        if place is not None:
            return max(float(values[top]), sign * float(self(place)))
        found = minimize_scalar(
            lambda t: -sign * float(self(t)),
            bounds=(low, high),
            method="bounded",
            options={"xatol": CLOSE * self.period},
        )
        return max(float(values[top]), -float(found.fun))

    def _turning_point(self, near: float, low: float, high: float) -> float | None:
        """Return where the rate vanishes, by Newton's method, or None where that is not near."""
        turn = 2j * np.pi / self.period * np.arange(self.coefficients.size)
        rate, change = 2 * turn * self.coefficients, 2 * turn**2 * self.coefficients
        for _ in range(ITERATIONS):
            turned = np.exp(turn * near)
            slope = (rate @ turned).real + self.advance / self.period
            curvature = (change @ turned).real
            step = -slope / curvature if curvature else np.inf
            near += step
            if not low <= near <= high:
                return None
            if abs(step) <= CLOSE * self.period:
                return near
        return None


def coefficients(samples: np.ndarray, advance: np.ndarray | float = 0.0) -> np.ndarray:
    """Return c_0, c_1, ... of equally spaced values, as `FourierSignal.of_samples` has them.

    Parameters
    ----------
    samples : ndarray, shape (n,) or (n, k)
        Of one quantity or of k.
    advance : float or ndarray, shape (k,)
        Factor by which they grow in each period.
    """
    n = len(samples)
    found = np.fft.rfft(samples - np.multiply.outer(np.arange(n) / n, advance), axis=0) / n
    if n % 2 == 0:
        found[-1] /= 2
    return np.asarray(found)
