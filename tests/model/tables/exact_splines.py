"""Cubic splines of fractions, which round nothing: what smooth tables are held to."""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from itertools import pairwise

import numpy as np
from scipy.interpolate import PPoly

Rows = list[list[Fraction]]
Factors = tuple[int, int, int]
"""Of a chord and of the slopes at both ends of a piece."""


def exact(a: np.ndarray) -> list[Fraction]:
    """Return doubles as fractions."""
    return [Fraction(float(b)) for b in a]


def exact_curve(x: np.ndarray, y: np.ndarray, turns: bool = False) -> PPoly:
    """Return SciPy's polynomial of a spline's coefficients, each of which is rounded once."""
    pieces = _pieces(exact(x), [[a] for a in exact(y)], turns)
    return PPoly(np.array([[[float(a) for a in c] for c in p[::-1]] for p in pieces])[..., 0].T, x)


def exact_values(
    x: list[Fraction], y: Rows, at: list[Fraction], order: int, turns: bool = False
) -> Rows:
    """Return derivatives at places, a row for each, of splines whose ordinates are columns of y."""
    pieces, found = _pieces(x, y, turns), []
    for a in at:
        i = min(bisect_right(x, a), len(x) - 1) - 1
        terms = []
        for power in range(order, 4):
            factor = Fraction(1)
            for j in range(order):
                factor *= power - j
            terms.append([factor * (a - x[i]) ** (power - order) * c for c in pieces[i][power]])
        found.append([sum(column, Fraction(0)) for column in zip(*terms, strict=True)])
    return found


def _pieces(x: list[Fraction], y: Rows, turns: bool) -> list[Rows]:
    """Return coefficients of each piece, by powers and columns.

    The slopes follow from conditions: the second derivative does not jump at a point. Nor does the
    third at the second point and at the last but one; or, where it turns, neither the first nor the
    second from the last point to the first.
    """
    n = len(x)
    h = [b - a for a, b in pairwise(x)]
    chords = [
        [(b - a) / of for a, b in zip(*two, strict=True)]
        for two, of in zip(pairwise(y), h, strict=True)
    ]
    rows: list[dict[int, Fraction]] = []
    right: Rows = []

    def no_jump(i: int, j: int, left: Factors, of: Factors, power: int) -> None:
        """Add a condition on pieces i and j: sums of chord and both slopes, by a power of h."""
        row: dict[int, Fraction] = {}
        for piece, sign, (_, *slopes) in ((i, 1, left), (j, -1, of)):
            for place, factor in zip((piece, piece + 1), slopes, strict=True):
                at = place % (n - 1) if turns else place
                row[at] = row.get(at, Fraction(0)) + sign * factor / h[piece] ** power
        rows.append(row)
        parts = zip(chords[i], chords[j], strict=True)
        right.append([of[0] * b / h[j] ** power - left[0] * a / h[i] ** power for a, b in parts])

    for i in range(-1 if turns else 0, n - 2):
        no_jump(i % (n - 1), i + 1, (-6, 2, 4), (6, -4, -2), 1)
    for i in () if turns else (0, n - 3):
        no_jump(i, i + 1, (-12, 6, 6), (-12, 6, 6), 2)
    slopes = _solved(rows, right)
    slopes += slopes[:1] if turns else []
    found = []
    for i in range(n - 1):
        columns = list(zip(chords[i], slopes[i], slopes[i + 1], strict=True))
        second = [(3 * d - 2 * a - b) / h[i] for d, a, b in columns]
        third = [(a + b - 2 * d) / h[i] ** 2 for d, a, b in columns]
        found.append([y[i], slopes[i], second, third])
    return found


def _solved(rows: list[dict[int, Fraction]], right: Rows) -> Rows:
    """Return the solution of linear equations, by elimination."""
    n = len(rows)
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i].get(k))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        right[k], right[pivot] = right[pivot], right[k]
        for i in range(k + 1, n):
            if factor := rows[i].pop(k, Fraction(0)) / rows[k][k]:
                for j, a in rows[k].items():
                    if j != k:
                        rows[i][j] = rows[i].get(j, Fraction(0)) - factor * a
                right[i] = [b - factor * a for a, b in zip(right[k], right[i], strict=True)]
    for k in reversed(range(n)):
        for j, a in rows[k].items():
            if j != k:
                right[k] = [b - a * c for b, c in zip(right[k], right[j], strict=True)]
        right[k] = [b / rows[k][k] for b in right[k]]
    return right
