"""Polynomials of integration steps, one at a time or those of many steps at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

Interpolant = Callable[[float | np.ndarray], np.ndarray]
"""Values in a step at a time, (size,), or at several, (size, n)."""


@dataclass(frozen=True, eq=False)
class StepPolynomial:
    """A step's values as a function of time.

    Attributes
    ----------
    begin, end : float
        Of the step, s.
    coefficients : ndarray, shape (terms, size)
        Values at nodes, or other terms.
    basis : callable
        The terms' factors at parts of the step, (n,): an array (n, terms).
    """

    begin: float
    end: float
    coefficients: np.ndarray
    basis: Callable[[np.ndarray], np.ndarray]

    def __call__(self, t: float | np.ndarray) -> np.ndarray:
        """Return the values at a time, s, (size,), or at several, (size, n)."""
        part = (np.atleast_1d(t) - self.begin) / (self.end - self.begin)
        found = self.basis(part) @ self.coefficients
        return np.asarray(found.T if np.ndim(t) else found[0])

    def first(self, count: int) -> StepPolynomial:
        """Return the polynomial of the first values alone."""
        return replace(self, coefficients=self.coefficients[:, :count])


def values_between(
    steps: Sequence[Interpolant], within: np.ndarray, times: np.ndarray
) -> np.ndarray:
    """Return the values in many steps, shape (n, size).

    Parameters
    ----------
    steps : sequence of callable
        Form of the values in each step.
    within : ndarray of int, shape (n,)
        The step of each time.
    times : ndarray, shape (n,)
        s.
    """
    alike = [one for one in steps if isinstance(one, StepPolynomial)]
    if len(alike) < len(steps) or len({one.basis for one in alike}) != 1:
        return np.array([steps[k](float(t)) for k, t in zip(within, times, strict=True)])
    begin, end = np.array([(one.begin, one.end) for one in alike])[within].T
    factors = alike[0].basis((times - begin) / (end - begin))
    coefficients = np.array([one.coefficients for one in alike])[within]
    return np.asarray((factors[:, None, :] @ coefficients)[:, 0])
