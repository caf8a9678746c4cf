"""Sparse parts of the reduced mass matrix: M̄ = Hᵀ M H with H from J H = R.

As an expression M̄ would grow with the cube of a model's size; these parts grow in proportion, and
M̄ is computed from them numerically.

Used by `mbcore.equations.equations` alone; it stands apart because only numerical checks of the
mass matrix need it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import pairwise

import casadi as ca
import numpy as np
import scipy

from mbcore.equations.elimination.velocity import VelocityProblem
from mbcore.model.expressions import column

DENSE = 150
"""Rows up to which dense matrices are faster."""


class MassParts:
    """Entries of the velocity problem's Jacobian J, its right-hand sides R, and the mass matrix.

    Parameters
    ----------
    velocity : VelocityProblem
        The velocity problem.
    make : callable
        Makes a function of (t, s, d, u, p, x) from a name and a list of results.

    Attributes
    ----------
    function : casadi.Function
        All entries in one column.
    """

    def __init__(
        self, velocity: VelocityProblem, make: Callable[[str, list[ca.SX]], ca.Function]
    ) -> None:
        parts = [velocity.J, velocity.by_dofs, ca.sparsify(velocity.assembly.M)]
        self._patterns = [part.sparsity() for part in parts]
        self.function = make("mass_parts", [column(column(p.nonzeros()) for p in parts)])

    def reduced(self, entries: np.ndarray) -> np.ndarray:
        """Return M̄, shape (nd, nd), from the function's result; NaN where J is singular."""
        ends = np.cumsum([0] + [p.nnz() for p in self._patterns])
        if not self._patterns[1].size2():
            return np.zeros((0, 0))
        parts = [entries[a:b] for a, b in pairwise(ends)]
        if self._patterns[0].size1() <= DENSE:
            return self._reduced_dense(parts)
        from scipy.sparse.linalg import splu  # of large models alone

        J, R, M = (
            scipy.sparse.csc_matrix(
                (part, np.array(p.row(), int), np.array(p.colind(), int)), shape=p.shape
            )
            for p, part in zip(self._patterns, parts, strict=True)
        )
        try:
            H = splu(J).solve(R.toarray())[: M.shape[0]]
        except RuntimeError:  # exactly singular, which conditioning measures report
            return np.full((R.shape[1],) * 2, np.nan)
        return H.T @ (M @ H)

    @cached_property
    def _places(self) -> list[tuple[np.ndarray, ...]]:
        return [tuple(np.array(part, int) for part in p.get_triplet()) for p in self._patterns]

    def _reduced_dense(self, parts: list[np.ndarray]) -> np.ndarray:
        J, R, M = (np.zeros(p.shape) for p in self._patterns)
        for matrix, places, part in zip((J, R, M), self._places, parts, strict=True):
            matrix[places] = part
        factors, pivots, singular = scipy.linalg.lapack.dgetrf(J)
        if singular:
            return np.full((R.shape[1],) * 2, np.nan)
        H = scipy.linalg.lapack.dgetrs(factors, pivots, R)[0][: M.shape[0]]
        return H.T @ (M @ H)
