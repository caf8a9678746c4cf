"""One step of an explicit Runge-Kutta method in Python, for equal steps and for linearizations.

It stands apart from SciPy's solvers, which take their time to be imported.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mbcore.integrators.tableau import Tableau, floats, scaled

Function = Callable[[float, np.ndarray], np.ndarray]


class ExplicitStep:
    """A step of an explicit Runge-Kutta method.

    Parameters
    ----------
    tableau : Tableau
        Its coefficients.
    """

    def __init__(self, tableau: Tableau) -> None:
        self._rows = [scaled(row) for row in tableau.a]
        self._places = floats(tableau.c)[1:]
        self._weights = scaled(tableau.b)

    def __call__(
        self, rates: Function, t: float, s: np.ndarray, h: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the state after a step of length h from t, and the rate at its begin."""
        found = [rates(t, s)]
        for c, row in zip(self._places, self._rows, strict=True):
            found.append(rates(t + c * h, _moved(s, h, row, found)))
        return _moved(s, h, self._weights, found), found[0]


def _moved(
    s: np.ndarray, h: float, row: tuple[float, tuple[float, ...]], rates: list[np.ndarray]
) -> np.ndarray:
    """Return s + h / divisor (w[0] k[0] + ...); a weight of 0 takes no rate."""
    divisor, weights = row
    first, *others = [w * k for w, k in zip(weights, rates, strict=True) if w]
    return s + h / divisor * sum(others, start=first)
