"""Cubic splines through points, whose coefficients are rounded once.

Where abscissae are near each other the equations for the slopes of a spline lose digits, and a
surface has them solved along one axis after the other. They are solved here by iterative
refinement: residuals have twice the digits of a double.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from mbcore.model.tables.pairs import Pair

_ROUNDS = 5
"""Corrections at most; each adds the digits that the factorized matrix is good for."""
_ENOUGH = 2.0**-80
"""Size of a correction behind which there is none, relative to the largest slope of a
curve."""


def spline_coefficients(x: np.ndarray, y: np.ndarray | Pair, periodic: bool = False) -> Pair:
    """Return the coefficients of SciPy's ``CubicSpline`` with twice the digits of a double.

    Parameters
    ----------
    x : ndarray, shape (n,)
        Rising abscissae; four at least, three where it is periodic.
    y : ndarray, shape (n, ...)
        Ordinates.
    periodic : bool
        Whether two derivatives at the last point are those at the first, where the third
        derivative goes on over the second point and the last but one otherwise.

    Returns
    -------
    Pair, shape (4, n - 1, ...)
        Coefficients of powers of the distance from each piece's first point.
    """
    y = Pair.of(y)
    # By powers of two, which is exact, so that squares stay within the range of doubles.
    across, up = _power(x), _power(y.high)
    points = _times(Pair.of(_column(x, y.high.ndim)), -across)
    heights = _times(y, -up)
    h = points[1:] - points[:-1]
    slope = (heights[1:] - heights[:-1]) / h
    s = _slopes(h, slope, periodic)
    first, last = s[:-1], s[1:]
    parts = [
        heights[:-1],
        first,
        (slope * 3.0 - first * 2.0 - last) / h,
        (first + last - slope * 2.0) / (h * h),
    ]
    return Pair.joined(*(_times(part, up - k * across)[None] for k, part in enumerate(parts)))


def about_middles(x: np.ndarray, coefficients: Pair) -> tuple[np.ndarray, Pair]:
    """Return the middles of pieces, and coefficients of powers of the distance from these.

    Terms of a cubic polynomial are up to 48 times as large as its values if the distance is that
    from one end, and up to four times if it is that from the middle, as V. A. Markov found.
    """
    middles = x[:-1] / 2 + x[1:] / 2
    parts = [coefficients[k] for k in range(4)]
    ndim = parts[0].high.ndim
    distance = Pair.of(_column(middles, ndim)) - _column(x[:-1], ndim)
    for first in range(3):
        for k in range(2, first - 1, -1):
            parts[k] = parts[k] + distance * parts[k + 1]
    return middles, Pair.joined(*(part[None] for part in parts))


def _column(a: np.ndarray, ndim: int) -> np.ndarray:
    """Return numbers along the first axis of so many."""
    return a.reshape(-1, *[1] * (ndim - 1))


def _power(a: np.ndarray) -> int:
    return int(np.frexp(np.max(abs(a)))[1])


def _times(of: Pair, power: int) -> Pair:
    """Return a number times a power of two."""
    return of.each(lambda a: np.ldexp(a, power))


def _slopes(h: Pair, slope: Pair, periodic: bool) -> Pair:
    """Return the slopes at all points, given the lengths of pieces and the slopes of chords."""
    rows = _cyclic(h, slope) if periodic else _not_a_knot(h, slope)
    solve = _solver(rows, len(h.high) if periodic else len(h.high) + 1)
    right = rows[-1]
    found = Pair.of(solve(right.high))
    for _ in range(_ROUNDS):
        change = solve((right - _product(rows, found)).high)
        found = found + change
        if (_largest(change) <= _ENOUGH * _largest(found.high)).all():
            break
    return Pair.joined(found, found[:1]) if periodic else found


def _largest(a: np.ndarray) -> np.ndarray:
    """Return the largest size in each column."""
    return np.asarray(np.max(abs(a), axis=0))


def _not_a_knot(h: Pair, slope: Pair) -> tuple[Pair, ...]:
    """Return the diagonals below, on and above, and the right-hand side."""
    below, on, above, right = _inner(h[:-1], h[1:], slope[:-1], slope[1:])
    ends = [_end(h[i], h[j], slope[i], slope[j]) for i, j in ((slice(1), slice(1, 2)), _LAST)]
    (first, second, start), (last, before, end) = ends
    nothing = Pair.of(np.zeros_like(first.high))
    return (
        Pair.joined(nothing, below, before),
        Pair.joined(first, on, last),
        Pair.joined(second, above, nothing),
        Pair.joined(start, right, end),
    )


_LAST = slice(-1, None), slice(-2, -1)


def _inner(a: Pair, b: Pair, slope: Pair, following: Pair) -> tuple[Pair, ...]:
    """Return the rows of points between pieces ``a`` and ``b`` long: no jump of curvature."""
    return b, (a + b) * 2.0, a, (b * slope + a * following) * 3.0


def _end(a: Pair, b: Pair, slope: Pair, following: Pair) -> tuple[Pair, ...]:
    """Return the row of an end: no jump of the third derivative at the point next to it."""
    both = a + b
    return b, both, ((a + both * 2.0) * b * slope + a * a * following) / both


def _cyclic(h: Pair, slope: Pair) -> tuple[Pair, ...]:
    """Return the rows of all points but the last one, which is the first."""
    before = [Pair.joined(of[-1:], of[:-1]) for of in (h, slope)]
    return _inner(before[0], h, before[1], slope)


def _product(rows: tuple[Pair, ...], s: Pair) -> Pair:
    below, on, above, _ = rows
    return below * Pair.joined(s[-1:], s[:-1]) + on * s + above * Pair.joined(s[1:], s[:1])


def _solver(rows: tuple[Pair, ...], n: int) -> Any:
    """Return a function that solves for slopes in doubles."""
    place = np.arange(n)
    columns = np.concatenate([(place - 1) % n, place, (place + 1) % n])
    values = np.concatenate([of.high.ravel() for of in rows[:3]])
    entries = (values, (np.tile(place, 3), columns))
    factors = scipy.sparse.linalg.splu(scipy.sparse.coo_array(entries, shape=(n, n)).tocsc())
    return lambda right: factors.solve(right.reshape(n, -1)).reshape(right.shape)
