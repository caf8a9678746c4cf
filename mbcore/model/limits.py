"""Limits of inputs: beyond them a model takes the limit, and says so once.

An input with a limit may be given any finite value, because importers take differences across
limits, and solvers try what is beyond. Nobody's value is changed: the model's formulas take the
nearest value of the range, whose slope by what was given is 1 in the range, both ends included,
and 0 outside.
"""

from __future__ import annotations

import math

import casadi as ca


def limited(given: ca.SX, minimum: float | None, maximum: float | None) -> ca.SX:
    """Return the value of a range that is nearest to ``given``; at its ends with the slope 1."""
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
    """Return in words how a value is out of a range and what is taken for it, or None."""
    if minimum is not None and given < minimum:
        return f"is below its range and acts as {minimum:.9g}"
    if maximum is not None and given > maximum:
        return f"is above its range and acts as {maximum:.9g}"
    return None
