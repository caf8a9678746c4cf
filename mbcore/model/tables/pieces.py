"""Piecewise polynomials of a table: their coefficients, what is beyond the ends, integrals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import scipy

Interpolation = Literal["linear", "monotone", "smooth"]
INTERPOLATIONS: tuple[Interpolation, ...] = get_args(Interpolation)
Beyond = Literal["refuse", "hold", "linear", "continue"]
BEYOND: tuple[Beyond, ...] = get_args(Beyond)
LEAST = {"linear": 2, "monotone": 2, "smooth": 4}
"""Points that a table needs at least; a periodic one that is smooth needs three."""
LEAST_PERIODIC = 3


@dataclass(frozen=True, eq=False)
class Pieces:
    """A piecewise polynomial, in powers of the distance from each piece's origin.

    Attributes
    ----------
    knots : ndarray, shape (n,)
        Where one piece ends and the next one begins, which has the knot itself; the last knot
        belongs to the piece before it.
    origins : ndarray, shape (n + 1,)
        The first and the last piece are those beyond the ends.
    coefficients : ndarray, shape (n + 1, degree + 1, ...)
        From the constant one on.
    """

    knots: np.ndarray
    origins: np.ndarray
    coefficients: np.ndarray

    @property
    def ends(self) -> np.ndarray:
        """The knots from which on, they included, the next piece is taken."""
        return interval_ends(self.knots)

    @property
    def rows(self) -> np.ndarray:
        """Origin and coefficients of each piece."""
        return np.column_stack([self.origins, self.coefficients])

    def integral(self) -> Pieces:
        """Return the integral from the first knot."""
        width = self.coefficients.shape[1]
        raised = self.coefficients / np.arange(1, width + 1)
        grown = np.column_stack([np.zeros(len(raised)), raised])
        inner = grown[1:-1]
        lengths = np.diff(self.knots)
        parts = [_value(row, length) for row, length in zip(inner, lengths, strict=True)]
        before = np.concatenate([[0.0], np.cumsum(parts)])
        inner[:, 0] = before[:-1]
        # The last piece begins at the last knot, or it is the piece before, continued.
        grown[-1, 0] = before[-1] if self.origins[-1] == self.knots[-1] else before[-2]
        return replace(self, coefficients=grown)


def interval_ends(x: np.ndarray) -> np.ndarray:
    """Return the abscissae from which on the next interval is taken; it has the last one, too."""
    return np.append(x[:-1], np.nextafter(x[-1], np.inf))


def interpolated(x: np.ndarray, y: np.ndarray, kind: Interpolation, periodic: bool) -> np.ndarray:
    """Return the coefficients of the pieces between points, shape (n - 1, degree + 1)."""
    if kind == "linear":
        return np.column_stack([y[:-1], np.diff(y) / np.diff(x)])
    if kind == "smooth":
        spline = scipy.interpolate.CubicSpline(
            x, y, bc_type="periodic" if periodic else "not-a-knot"
        )
        return np.array(spline.c[::-1].T)
    if not periodic:
        return np.array(scipy.interpolate.PchipInterpolator(x, y).c[::-1].T)
    # Slopes at the ends are those of inner points, for the points before and behind are known.
    period = x[-1] - x[0]
    turned = np.concatenate([x[-3:-1] - period, x, x[1:3] + period])
    spline = scipy.interpolate.PchipInterpolator(turned, np.concatenate([y[-3:-1], y, y[1:3]]))
    return np.array(spline.c[::-1].T)[2:-2]


def with_ends(x: np.ndarray, inner: np.ndarray, beyond: Beyond) -> Pieces:
    """Return pieces between knots ``x``, and what is beyond the first and the last of them.

    Where arguments beyond are refused, the ends are continued by straight lines: a step that is
    tried, and refused later, goes on smoothly. Coefficients may be arrays.
    """
    origins = np.concatenate([x[:1], x[:-1], x[-2:-1] if beyond == "continue" else x[-1:]])
    first, last = inner[0].copy(), inner[-1].copy()
    if beyond != "continue":
        h = x[-1] - x[-2]
        slope = sum(j * last[j] * h ** (j - 1) for j in range(1, len(last)))
        last[0] = _value(last, h)
        last[1:2] = slope
        first[2:], last[2:] = 0, 0
        if beyond == "hold":
            first[1:], last[1:] = 0, 0
    return Pieces(x, origins, np.concatenate([first[None], inner, last[None]]))


def _value(coefficients: np.ndarray, distance: float) -> np.ndarray:
    total = np.zeros(coefficients.shape[1:])
    for c in coefficients[::-1]:
        total = total * distance + c
    return total
