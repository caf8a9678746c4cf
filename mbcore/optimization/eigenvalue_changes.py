r"""How eigenvalues of linearized equations change, exactly.

An eigenvalue of A with the right vector v and the left one w, w A = λ w, changes by
λ' = w A' v / (w v). The rates' change A v by the states is a function of them, of inputs and of
parameters; its derivative passes through one Newton step of the position problem (A.98), which is
exact to first order where the configuration is found.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from scipy.linalg import eig

from mbcore.equations.equations import Equations
from mbcore.model.errors import SimulationError
from mbcore.periodic.varied_point import VariedPoint

SIMPLE = 1e-7
"""Part of the product of the vectors' lengths below which w v says that eigenvalues coincide."""


class EigenvalueChanges:
    """Eigenvalues of some rows and columns of A, with derivatives by all arguments.

    Parameters
    ----------
    equations : Equations
        The system.
    """

    def __init__(self, equations: Equations) -> None:
        functions = equations.functions
        change = functions["rate_change"]
        names = ("t", "s", "d", "u", "p", "x")
        point = [ca.MX.sym(n, *change.size_in(k)) for k, n in enumerate(names)]
        t, s, d, u, p, _ = point
        self._size = s.numel()
        left, right = ca.MX.sym("left", self._size), ca.MX.sym("right", self._size)
        x = functions["place"](t, s, d, u, p, functions["newton"](*point)[0])
        others = ca.MX.zeros(change.numel_in(6) - self._size)
        product = ca.dot(left, change(t, s, d, u, p, x, ca.vertcat(right, others)))
        slopes = [ca.gradient(product, one) for one in (s, u, p)]
        self._slopes = ca.Function("slopes", [*point, left, right], slopes)

    def at(
        self, point: VariedPoint, matrix: np.ndarray, chosen: list[int]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return eigenvalues, largest real part first, and their left and right vectors.

        The vectors, shape (ns, n) each, are scaled so that w v = 1.

        Raises
        ------
        SimulationError
            Eigenvalues coincide, so that they have no derivative.
        """
        values, left, right = eig(matrix[np.ix_(chosen, chosen)], left=True, right=True)
        order = np.lexsort((values.imag, -np.round(values.real, 12)))
        values, left, right = values[order], left[:, order].conj(), right[:, order]
        products = (left * right).sum(axis=0)
        if np.abs(products).min(initial=1.0) < SIMPLE:
            i = int(np.argmin(np.abs(products)))
            raise SimulationError(
                f"{point.equations.name}: the eigenvalue {values[i]:.4g} 1/s is double with "
                "one mode, and has no derivative; choose other parameters"
            )
        whole = np.zeros((2, self._size, len(chosen)), complex)
        whole[0, chosen], whole[1, chosen] = left / products, right
        return values, whole[0], whole[1]

    def slopes(self, point: VariedPoint, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Return the derivatives of one eigenvalue by states, inputs and parameters, complex."""

        def by(first: np.ndarray, second: np.ndarray) -> np.ndarray:
            e = point
            found = self._slopes(e.t, e.s, e.d, e.u, e.p, e.x, first, second)
            return np.concatenate([np.array(one).ravel() for one in found])

        real = by(left.real, right.real)
        if not (left.imag.any() or right.imag.any()):
            return real.astype(complex)
        real = real - by(left.imag, right.imag)
        return real + 1j * (by(left.real, right.imag) + by(left.imag, right.real))
