"""The matrices of Radau's steps: a multiple of the identity less the Jacobian, and their factors.

Used by `mbcore.integrators.implicit_steps` alone; it stands apart because it is algebra without
steps. Rows of values whose rates are states are not solved for, as in ``mb_rosenbrock.c``: half of
the unknowns of most mechanisms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dgetrf, dgetrs, zgetrf, zgetrs

from mbcore.integrators.states import States


@dataclass(frozen=True)
class MultipleOfIdentity:
    """A factor times the identity matrix of the states.

    It stands where SciPy has the matrix itself, and writes no zeros.
    """

    factor: complex
    states: States

    __array_ufunc__ = None  # so that numbers of NumPy leave products to this class

    def __rmul__(self, factor: complex) -> MultipleOfIdentity:
        """Return the multiple of a multiple."""
        return MultipleOfIdentity(factor * self.factor, self.states)

    def __sub__(self, jacobian: np.ndarray) -> ShiftedJacobian:
        """Return the matrix that is factorized."""
        return ShiftedJacobian(self.factor, jacobian, self.states)


@dataclass(frozen=True)
class ShiftedJacobian:
    r"""The matrix μ I - J."""

    factor: complex
    jacobian: np.ndarray
    states: States

    def values(self) -> int:
        """Return how many values follow from their rates: all of the states, or none.

        Their rows of the Jacobian tell: ones in the columns of their rates, and zeros.
        """
        rates, values, J = self.states.rates, self.states.values, self.jacobian
        rows = J[rates : rates + values]
        counted = np.count_nonzero(rows) == values
        return values if counted and np.all(rows[:, :values].diagonal() == 1.0) else 0


class Factors:
    """Factors of μ I - J, for solutions.

    Parameters
    ----------
    matrix : ShiftedJacobian
        The matrix. Where some values x have rates v that are states, x = (b + v) / μ leaves
        (μ - J_v - J_x / μ) v - J_o o = b_v + J_x b / μ for the rates and the other states o.
    """

    def __init__(self, matrix: ShiftedJacobian) -> None:
        J, mu, n = matrix.jacobian, matrix.factor, len(matrix.jacobian)
        self._rates, self._values, self._factor = matrix.states.rates, matrix.values(), mu
        value = slice(self._rates, self._rates + self._values)
        self._left = np.delete(np.arange(n), value) if self._values else slice(None)
        self._by_values = J[self._left, value]
        rest = J[self._left][:, self._left]
        reduced = np.array(rest, complex if np.iscomplexobj(mu) else float, order="F")
        np.negative(reduced, out=reduced)
        reduced[np.diag_indices_from(reduced)] += mu
        reduced[:, : self._values] -= self._by_values / mu
        self._is_complex = np.iscomplexobj(reduced)
        factorize = zgetrf if self._is_complex else dgetrf
        self._factors, self._pivots, _ = factorize(reduced, overwrite_a=True)

    def solve(self, right: np.ndarray) -> np.ndarray:
        """Return the solution for a right side.

        SciPy's own function looks at its arguments for as long as it solves.
        """
        solve = zgetrs if self._is_complex else dgetrs
        if not self._values:
            found: np.ndarray = solve(self._factors, self._pivots, right)[0]
            return found
        value = slice(self._rates, self._rates + self._values)
        known = right[value] / self._factor
        left = solve(self._factors, self._pivots, right[self._left] + self._by_value(known))[0]
        solution = np.empty(len(right), left.dtype)
        solution[self._left] = left
        solution[value] = known + left[: self._values] / self._factor
        return solution

    def _by_value(self, change: np.ndarray) -> np.ndarray:
        """Return the change of rates with values; real and imaginary parts are two real columns."""
        if not self._is_complex:
            return self._by_values @ change
        parts = self._by_values @ change.view(float).reshape(-1, 2)
        return parts.view(complex)[:, 0]
