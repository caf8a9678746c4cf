"""A signal of a motion with events: a polynomial in each step, with jumps between them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.interpolate import PPoly

from mbcore.model import summary, wording
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError

POINTS = 9
"""Interpolation points in each step."""
HARMONICS = 32
"""Number of Fourier coefficients."""
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
"""Gauss quadrature on parts of a step that are shorter than a period of the harmonic."""


@explains_construction
@dataclass(frozen=True, repr=False)
class PiecewiseSignal(summary.Summarized):
    """A signal that is smooth in each step of the integration and may jump at events.

    Attributes
    ----------
    polynomials : PPoly
        Over one period; at a jump it has the value after it.
    period : float
        s.
    unit : str
        Of the values.
    advance : float
        Increase in each period.
    once : bool
        Whether it does not continue periodically, as a position after the heading has changed.
    """

    polynomials: PPoly
    period: float
    unit: str = ""
    advance: float = 0.0
    once: bool = False

    def _title(self) -> str:
        return "piecewise signal"

    def _facts(self) -> list[str]:
        pieces = wording.count(self.polynomials.x.size - 1, "piece")
        return [f"period {self.period:g} s", pieces, f"in {self.unit}" if self.unit else ""]

    @staticmethod
    def of_steps(
        ends: np.ndarray,
        values: np.ndarray,
        period: float,
        unit: str = "",
        advance: float = 0.0,
        once: bool = False,
    ) -> PiecewiseSignal:
        """Return the signal through values at `places` of each step.

        Parameters
        ----------
        ends : ndarray, shape (n + 1,)
            Ends of the steps, s, from 0 to the period.
        values : ndarray, shape (n, POINTS)
            Values in each.
        """
        part = places(0.0, 1.0)
        powers = np.linalg.solve(np.vander(part, POINTS), values.T)
        lengths = np.diff(ends)
        scale = lengths[None, :] ** np.arange(POINTS - 1, -1, -1)[:, None]
        return PiecewiseSignal(PPoly(powers / scale, ends), period, unit, advance, once)

    def __call__(self, time: float | np.ndarray) -> np.ndarray:
        """Return values at times, s; the shape is that of ``time``.

        Raises
        ------
        ModelError
            If a time is outside of the period and the signal does not continue periodically.
        """
        outside = (np.asarray(time) < 0) | (np.asarray(time) > self.period)
        if self.once and np.any(outside):
            raise ModelError(
                f"t = {np.asarray(time)[outside].flat[0]:.6g} s is outside of the period of "
                f"{self.period:.6g} s, after which this goes on in another direction"
            )
        if self.once:
            return np.asarray(self.polynomials(time))
        periods = np.floor(np.asarray(time, float) / self.period)
        inside = np.asarray(time, float) - periods * self.period
        inside = np.clip(inside, 0.0, self.polynomials.x[-1])
        return np.asarray(self.polynomials(inside) + self.advance * periods)

    def amplitude(self) -> float:
        """Return half the difference of the largest and the smallest value of one period."""
        ends = self.polynomials.x
        extremes = self.polynomials.derivative().roots(extrapolate=False)
        extremes = extremes[np.isfinite(extremes)]
        # At a jump the polynomial's own value is the one after it.
        before = [
            np.polyval(self.polynomials.c[:, k], ends[k + 1] - ends[k])
            for k in range(ends.size - 1)
        ]
        values = np.concatenate([self.polynomials(ends), self.polynomials(extremes), before])
        return float(values.max() - values.min()) / 2

    def harmonics(self) -> np.ndarray:
        """Return c_0 to c_32, shape (33,), without what advances at a constant rate."""
        ends = self.polynomials.x
        parts = [
            np.linspace(a, b, 2 + int(HARMONICS * (b - a) / self.period)) for a, b in pairwise(ends)
        ]
        begins = np.concatenate([part[:-1] for part in parts])
        lengths = np.concatenate([np.diff(part) for part in parts])
        times = begins[:, None] + lengths[:, None] * (1 + NODES) / 2
        values = self.polynomials(times) - self.advance * times / self.period
        weights = lengths[:, None] * WEIGHTS / 2 / self.period
        turns = np.exp(-2j * np.pi / self.period * np.multiply.outer(np.arange(33), times))
        return np.asarray((turns * (values * weights)).sum(axis=(1, 2)))


def places(begin: float, end: float) -> np.ndarray:
    """Return the times, shape (POINTS,), at which values of a step are needed."""
    # Chebyshev points, between which the polynomial does not oscillate; both ends are among them,
    # for the jumps.
    part = (1 - np.cos(np.pi * np.arange(POINTS) / (POINTS - 1))) / 2
    return begin + (end - begin) * part
