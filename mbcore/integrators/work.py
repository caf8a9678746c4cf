"""Cost of a Jacobian in evaluations, for implicit steps and their choice; no SciPy."""

from __future__ import annotations

import math

DIRECTION = 3.0
"""Evaluations that a column of the Jacobian costs."""
FACTORS = 3e5
"""Cubes of the number of states that cost as much as an evaluation."""
AGE = 4.5
"""Evaluations that a step more of age of a Jacobian costs: one and a half iterations of Radau."""


def work_of_jacobian(n: int) -> float:
    """Return the evaluations that a Jacobian of n states and its factors cost as much as, about."""
    return DIRECTION * n + n**3 / FACTORS


def work_of_kept_jacobian(n: int) -> float:
    """Return the evaluations that Jacobians cost in each step where they are kept while it pays.

    One for k steps costs J / k + AGE (k - 1) / 2 in each, which is least at k = sqrt(2 J / AGE).
    """
    made = work_of_jacobian(n)
    return min(made, math.sqrt(2 * AGE * made))
