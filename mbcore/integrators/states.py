"""Properties of the states that solvers integrate."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class States:
    """Kinds of the states s = (q̇, q, others), for methods that distinguish them.

    Parameters
    ----------
    rates : int
        Number of degrees of freedom, whose rates come first.
    values : int
        How many of the first of them have a value; these follow. Generalized speeds have none.
    share : float
        Part of the absolute tolerance of a value, over the step's length, that at least that of its
        rate is where ``Method.rates_by_values`` is true.
    """

    rates: int = 0
    values: int = 0
    share: float = 0.0


NOTHING_KNOWN = States()
"""Of the states of a solver that is used by itself."""
