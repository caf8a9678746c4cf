"""Factors of small dense Jacobians."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from mbcore.equations.equations import Equations
from mbcore.model.errors import ConfigurationError

ROUNDING = 1e-14
"""Part of the terms of a solution that it may have by rounding alone."""


class DenseFactors:
    """LU factors of a Jacobian, refused by name where it is singular."""

    def __init__(self, J: np.ndarray, what: str, equations: Equations) -> None:
        self._lu = linalg.lu_factor(J, check_finite=False) if J.size else None
        self._size = np.abs(J)
        self._n = J.shape[0]
        if self._lu is not None and not np.all(np.abs(np.diag(self._lu[0])) > 1e-12):
            raise ConfigurationError(
                f"{equations.name}: the {what} problem is singular here; choose other degrees of "
                "freedom, or linearize elsewhere"
            )

    def solve(self, b: np.ndarray) -> np.ndarray:
        """Return J⁻¹ b."""
        return b.copy() if self._lu is None else linalg.lu_solve(self._lu, b, check_finite=False)

    def solve_transposed(self, b: np.ndarray) -> np.ndarray:
        """Return J⁻ᵀ b."""
        if self._lu is None:
            return b.copy()
        return linalg.lu_solve(self._lu, b, trans=1, check_finite=False)

    def without_rounding(self, x: np.ndarray) -> np.ndarray:
        """Return solutions with zeros for what is no more than their rounding errors.

        Those are as large as ε |J⁻¹| |J| |x|, each row by itself: a coordinate that does not change
        gets a trace of those that do.
        """
        reach = np.abs(self.solve(np.eye(self._n))) @ (self._size @ np.abs(x))
        return np.where(np.abs(x) > ROUNDING * reach, x, 0.0)
