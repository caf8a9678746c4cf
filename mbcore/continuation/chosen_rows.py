"""As many equations as unknowns from more of them, which agree with each other along a branch."""

from __future__ import annotations

import numpy as np


class ChosenRows:
    """Combinations of equations, chosen where the branch is regular and kept until the next choice.

    Parameters
    ----------
    count : int
        Number of unknowns.
    span : float
        Length of the range of the varied quantity.
    """

    def __init__(self, count: int, span: float) -> None:
        self._count, self._span = count, span
        self._rows = np.eye(count)

    def of(
        self, values: np.ndarray, by_unknowns: np.ndarray, by_value: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the combinations of values, (m,), and of their derivatives, (m, n) and (m,)."""
        if self._rows.shape[1] != values.size:
            self.choose(by_unknowns, by_value)
        return self._rows @ values, self._rows @ by_unknowns, self._rows @ by_value

    def choose(self, by_unknowns: np.ndarray, by_value: np.ndarray) -> None:
        """Choose combinations with independent derivatives."""
        both = np.column_stack([by_unknowns, by_value * self._span])
        rows = np.linalg.svd(both)[0][:, : self._count].T
        known = self._rows.shape == rows.shape
        if known and np.linalg.det(rows @ self._rows.T) < 0:
            rows[-1] *= -1  # else the determinant would change its sign, as at a branch point
        self._rows = rows
