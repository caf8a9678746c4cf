"""Factors of small dense Jacobians."""

from __future__ import annotations

import numpy as np
from scipy import linalg

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
