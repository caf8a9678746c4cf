"""Adaptive steps for any tableau with an error estimate, by SciPy's step control.

Used by `mbcore.integrators.method` alone; it stands apart because it adapts a tableau to SciPy's
interface.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import RK45, OdeSolver

from mbcore.integrators.tableau import Tableau, floats


def error_steps(name: str, tableau: Tableau, order: int) -> type[OdeSolver]:
    """Return a class like SciPy's RK45 with other coefficients.

    Between the ends of steps it is of third order, from values and rates at both.
    """
    n, b = tableau.stages, floats(tableau.b)
    # powers of x in 3 x² - 2 x³ of the whole step, x - 2 x² + x³ and x³ - x² of rates at the ends
    terms = np.zeros((n + 1, 3))
    terms[:n] = np.outer(b, (0, 3, -2))
    terms[0] += 1, -2, 1
    terms[n] += 0, -1, 1
    members = {
        "order": order,
        "error_estimator_order": tableau.error_order,
        "n_stages": n,
        "A": tableau.array(),
        "B": b,
        "C": floats(tableau.c),
        "E": floats(tableau.errors[0]),
        "P": terms,
    }
    return type(name, (RK45,), members)
