"""Limits of inputs: for a value beyond a limit a model takes the limit, and warns once.

An input with a limit accepts any finite value, because importers take differences across limits,
and solvers try values beyond them. The input itself is not changed: the model's formulas take the
nearest value of the range. Its derivative by the input is 1 in the range, both ends included, and
0 outside.
"""

from __future__ import annotations

import math

import casadi as ca


def limited(given: ca.SX, minimum: float | None, maximum: float | None) -> ca.SX:
    """Return the value of a range that is nearest to ``given``; at the ends its slope is 1."""
    # Not fmin and fmax: at an end of the range their derivative would be the mean of both sides.
    value = given
    if maximum is not None and maximum < math.inf:
        value = ca.if_else(given > maximum, maximum, value)
    if minimum is not None and minimum > -math.inf:
        value = ca.if_else(given < minimum, minimum, value)
    return value


def nearest(given: float, minimum: float | None, maximum: float | None) -> float:
    """Return that value for a number."""
    value = given if maximum is None else min(given, maximum)
    return value if minimum is None else max(value, minimum)


def beyond(given: float, minimum: float | None, maximum: float | None) -> str | None:
    """Return the words for a value out of its range, with the value taken instead, or None."""
    if minimum is not None and given < minimum:
        return f"is below its range and acts as {minimum:.9g}"
    if maximum is not None and given > maximum:
        return f"is above its range and acts as {maximum:.9g}"
    return None
