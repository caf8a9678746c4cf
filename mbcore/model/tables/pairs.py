"""Arrays of numbers with twice the digits: sums of two doubles, of which the second is rounding.

Used by `mbcore.model.tables.splines` alone, and apart from it because it knows no splines. The sums
and products are those of T. J. Dekker, "A floating-point technique for extending the available
precision", Numerische Mathematik 18 (1971) 224-242. NumPy's ``longdouble`` would do, but has no
more digits than a double on some platforms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

_SPLIT = 2.0**27 + 1
"""Halves a double into two factors whose products are exact."""


@dataclass(frozen=True, eq=False)
class Pair:
    """A number ``high + low``, where ``high`` is the double next to it."""

    high: np.ndarray
    low: np.ndarray

    @classmethod
    def of(cls, given: Any) -> Pair:
        """Return the pair of doubles, or one as it is."""
        if isinstance(given, Pair):
            return given
        high = np.asarray(given, float)
        return cls(high, np.zeros_like(high))

    @classmethod
    def joined(cls, *parts: Pair) -> Pair:
        """Return them one behind the other."""
        return cls(
            *(np.concatenate(each) for each in ([p.high for p in parts], [p.low for p in parts]))
        )

    def each(self, function: Callable[[np.ndarray], np.ndarray]) -> Pair:
        """Return what a function that rounds nothing makes of both arrays."""
        return Pair(function(self.high), function(self.low))

    def __getitem__(self, place: Any) -> Pair:
        """Return a part of the arrays."""
        return Pair(self.high[place], self.low[place])

    def __add__(self, other: Any) -> Pair:
        """Return the sum."""
        other = Pair.of(other)
        high = self.high + other.high
        taken = high - self.high
        lost = (self.high - (high - taken)) + (other.high - taken)
        return _normal(high, lost + (self.low + other.low))

    def __neg__(self) -> Pair:
        """Return the number with the other sign."""
        return Pair(-self.high, -self.low)

    def __sub__(self, other: Any) -> Pair:
        """Return the difference."""
        return self + -Pair.of(other)

    def __mul__(self, other: Any) -> Pair:
        """Return the product."""
        other = Pair.of(other)
        high = self.high * other.high
        (a, b), (c, d) = _halves(self.high), _halves(other.high)
        lost = ((a * c - high) + a * d + b * c) + b * d
        return _normal(high, lost + (self.high * other.low + self.low * other.high))

    def __truediv__(self, other: Any) -> Pair:
        """Return the quotient."""
        other = Pair.of(other)
        first = self.high / other.high
        rest = self - other * first
        second = rest.high / other.high
        rest = rest - other * second
        return _normal(first, second) + rest.high / other.high


def _normal(high: np.ndarray, low: np.ndarray) -> Pair:
    total = high + low
    return Pair(total, low - (total - high))


def _halves(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    grown = _SPLIT * a
    first = grown - (grown - a)
    return first, a - first
