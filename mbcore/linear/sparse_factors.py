"""Sparse LU factors of equations in different units."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu


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
