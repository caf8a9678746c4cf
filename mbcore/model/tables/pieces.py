"""Piecewise polynomials of a table: their coefficients, extrapolation, integrals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import scipy

from mbcore.model.tables.splines import spline_coefficients

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
        return spline_coefficients(x, y, periodic).high.T
    if not periodic:
        return _monotone(x, y)
    # Slopes at the ends are those of inner points, for the points before and behind are known.
    period = x[-1] - x[0]
    turned = np.concatenate([x[-3:-1] - period, x, x[1:3] + period])
    return _monotone(turned, np.concatenate([y[-3:-1], y, y[1:3]]))[2:-2]


def _monotone(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the coefficients of cubics without overshoot, NaN where SciPy refuses its own."""
    try:
        return np.array(scipy.interpolate.PchipInterpolator(x, y).c[::-1].T)
    except ValueError:  # abscissae are too near for doubles
        return np.full((len(x) - 1, 4), np.nan)


def with_ends(
    x: np.ndarray, inner: np.ndarray, beyond: Beyond, origins: np.ndarray | None = None
) -> Pieces:
    """Return pieces between knots ``x``, with those beyond the first and the last of them.

    Where arguments beyond are refused, the ends are continued by straight lines: a step that is
    tried, and refused later, goes on smoothly. Coefficients may be arrays; ``origins`` are those of
    the pieces, by default their first knots.
    """
    at = x[:-1] if origins is None else origins
    if beyond == "continue":
        first, last, places = inner[0], inner[-1], (at[0], at[-1])
    else:
        powers = 1 if beyond == "hold" else 2
        first = _straight(inner[0], x[0] - at[0], powers)
        last = _straight(inner[-1], x[-1] - at[-1], powers)
        places = x[0], x[-1]
    origins = np.concatenate([[places[0]], at, [places[1]]])
    return Pieces(x, origins, np.concatenate([first[None], inner, last[None]]))


def _straight(piece: np.ndarray, distance: float, powers: int) -> np.ndarray:
    """Return a piece with so many of the value and the slope of another at a distance."""
    found = np.zeros_like(piece)
    slope = sum(j * piece[j] * distance ** (j - 1) for j in range(1, len(piece)))
    for i, part in enumerate([_value(piece, distance), slope][:powers]):
        found[i] = part
    return found


def _value(coefficients: np.ndarray, distance: float) -> np.ndarray:
    total = np.zeros(coefficients.shape[1:])
    for c in coefficients[::-1]:
        total = total * distance + c
    return total
