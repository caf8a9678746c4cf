"""Periodicity at one guess: residual and Jacobian."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbcore.model import summary
from mbcore.periodic.flow import Trajectory

DEPENDENT = 1e-8
"""Singular value of the Jacobian, relative to the largest, that indicates a family of motions."""


@dataclass(frozen=True, repr=False)
class ShootingPoint(summary.Summarized):
    """Periodicity at one guess.

    Attributes
    ----------
    residual : ndarray, shape (n,)
        States after the period less those at its start and their advance, in parts of nominal
        values; then the phase condition of an autonomous system.
    jacobian : ndarray, shape (n, n)
        Its derivative by the unknowns.
    by_value : ndarray, shape (n,), or None
        Its derivative by the varied quantity.
    trajectory : Trajectory
        The motion over the period.
    period : float
        s.
    closing : ndarray, shape (m, m), or None
        Jacobian by the unknowns of the start alone, where those of further times are unknown too.
    """

    residual: np.ndarray
    jacobian: np.ndarray
    by_value: np.ndarray | None
    trajectory: Trajectory
    period: float
    closing: np.ndarray | None = None

    def _title(self) -> str:
        return "shooting point"

    def _facts(self) -> list[str]:
        largest = np.abs(self.residual).max(initial=0.0)
        return [f"period {self.period:g} s", f"largest residual {largest:.3g}"]

    @property
    def family(self) -> int:
        """Dimension of the family of solutions, 0 for an isolated one."""
        matrix = self.jacobian if self.closing is None else self.closing
        sizes = np.linalg.svd(matrix, compute_uv=False)
        return int(np.sum(sizes <= DEPENDENT * sizes[0]))
