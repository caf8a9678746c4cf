"""LU factors: of small dense Jacobians, and of sparse equations in different units."""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import splu

from mbcore.equations.equations import Equations
from mbcore.model.errors import ConfigurationError

ROUNDING = 1e-14
"""Relative size, against its terms, of a solution that may be rounding alone."""


class DenseFactors:
    """LU factors of a Jacobian, refused by name where it is singular."""

    def __init__(self, J: np.ndarray, what: str, equations: Equations) -> None:
        # LAPACK directly: for small matrices SciPy's wrappers take longer than the work
        self._lu = linalg.lapack.dgetrf(J)[:2] if J.size else None
        self._size = np.abs(J)
        self._n = J.shape[0]
        if self._lu is not None and not np.all(np.abs(np.diag(self._lu[0])) > 1e-12):
            raise ConfigurationError(
                f"{equations.name}: the {what} problem is singular here; choose other degrees of "
                "freedom, or linearize elsewhere"
            )

    def solve(self, b: np.ndarray) -> np.ndarray:
        """Return J⁻¹ b."""
        return self._solved(b, 0)

    def solve_transposed(self, b: np.ndarray) -> np.ndarray:
        """Return J⁻ᵀ b."""
        return self._solved(b, 1)

    def _solved(self, b: np.ndarray, transposed: int) -> np.ndarray:
        if self._lu is None or not b.size:
            return b.copy()
        found: np.ndarray = linalg.lapack.dgetrs(*self._lu, b, trans=transposed)[0]
        return found

    def without_rounding(self, x: np.ndarray) -> np.ndarray:
        """Return solutions in which entries below their rounding errors are zero.

        The errors are bounded by ε |J⁻¹| |J| |x| in each row: a coordinate that does not change
        gets a trace of those that do.
        """
        reach = np.abs(self.solve(np.eye(self._n))) @ (self._size @ np.abs(x))
        return np.where(np.abs(x) > ROUNDING * reach, x, 0.0)


class SparseFactors:
    """Factors of a square sparse matrix whose rows and columns are scaled to entries of size 1.

    Raises
    ------
    ZeroDivisionError
        If the matrix is singular.
    """

    def __init__(self, A: sparse.csc_matrix) -> None:
        self._lu = None
        if A.shape[0] == 0:
            return
        if not np.all(np.isfinite(A.data)):
            raise ZeroDivisionError("an entry is not finite")
        rows, columns = A.indices, np.repeat(np.arange(A.shape[1]), np.diff(A.indptr))
        self._row = _inverse(A.data, rows, A.shape[0])
        data = A.data * self._row[rows]
        self._column = _inverse(data, columns, A.shape[1])
        scaled = sparse.csc_matrix((data * self._column[columns], rows, A.indptr), A.shape)
        try:
            self._lu = splu(scaled)
        except RuntimeError as error:
            raise ZeroDivisionError(str(error)) from error

    def solve(self, b: np.ndarray) -> np.ndarray:
        """Return x with A x = b, shape (n,) or (n, k)."""
        if self._lu is None:
            return b.copy()
        return _times(self._column, self._lu.solve(_times(self._row, b)))

    def solve_transposed(self, b: np.ndarray) -> np.ndarray:
        """Return x with Aᵀ x = b, shape (n,) or (n, k)."""
        if self._lu is None:
            return b.copy()
        return _times(self._row, self._lu.solve(_times(self._column, b), "T"))


def _inverse(data: np.ndarray, places: np.ndarray, n: int) -> np.ndarray:
    """Return one over the largest entry at each of n places, and 1 where there is none."""
    sizes = np.zeros(n)
    np.maximum.at(sizes, places, np.abs(data))
    return 1.0 / np.where(sizes > 0, sizes, 1.0)


def _times(factors: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (factors * b.T).T
