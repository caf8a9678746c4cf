"""Polynomials and their derivatives, of numbers, arrays and expressions alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def differentiated(coefficients: Sequence[Any], order: int) -> list[Any]:
    """Return the coefficients, from the constant one on, of the derivative of an order."""
    left = [*coefficients]
    for _ in range(order):
        left = [i * c for i, c in enumerate(left)][1:]
    return left


def polynomial(distance: Any, coefficients: Sequence[Any]) -> Any:
    """Return the value of a polynomial, whose coefficients begin with the constant one."""
    if not coefficients:
        return distance * 0
    *lower, value = coefficients
    for c in reversed(lower):
        value = c + distance * value
    return value
