"""A singular stiffness by its singular values: smallest and neutral displacements.

Used by `mbcore.equilibria.tangent` alone; it stands apart because it is linear algebra for one kind
of matrix.
"""

from __future__ import annotations

import numpy as np

NEGLIGIBLE = 1e-13
"""Stiffness, relative to the largest, that counts as zero."""
ROUNDING = 1e-12
"""Force in a direction, relative to its terms, that counts as zero."""


class DenseStiffness:
    """A reduced stiffness, scaled so that every degree of freedom moves the system alike.

    Parameters
    ----------
    stiffness : ndarray, shape (nd, nd)
        K̄^d.
    moved : ndarray, shape (nd,)
        How far each degree of freedom moves the coordinates, in parts of their natural sizes.
    acting : ndarray, shape (nd,)
        Sizes of the forces that cancel in each degree of freedom.
    """

    def __init__(self, stiffness: np.ndarray, moved: np.ndarray, acting: np.ndarray) -> None:
        # Singular values compare only if all degrees of freedom have one measure.
        self.size = 1.0 / np.where(moved > 0, moved, 1.0)
        self._scaled = self.size[:, None] * stiffness * self.size
        self._rounding = ROUNDING * (self.size * acting + np.abs(self._scaled).sum(axis=1))
        self._left, singular, self._right = np.linalg.svd(self._scaled)
        self._rank = int(np.sum(singular > NEGLIGIBLE * singular.max(initial=0.0)))
        self._singular = singular[: self._rank]

    def solve(self, *forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the smallest displacement that balances forces, and the unresisted direction.

        Parameters
        ----------
        *forces : ndarray, shape (nd,)
            Terms of the force, which may cancel.

        Returns
        -------
        q : ndarray, shape (nd,)
            Smallest displacement.
        loose : ndarray, shape (nd,)
            Displacement along the part of the force that nothing resists, of size one; else zero.
        """
        force = self.size * sum(forces)
        rounding = self._rounding + ROUNDING * self.size * sum(np.abs(part) for part in forces)
        resisted, open_ = self._left[:, : self._rank], self._left[:, self._rank :]
        q = self._right[: self._rank].T @ ((resisted.T @ force) / self._singular)
        left = open_.T @ force
        # A force below the rounding of its terms is none: an unloaded loose part is not an error.
        left[np.abs(left) <= np.abs(open_).T @ rounding] = 0.0
        loose = open_ @ left
        return self.size * q, self.size * loose / max(np.abs(loose).max(initial=0.0), 1e-300)

    def neutral(self) -> np.ndarray:
        """Return the displacements that change no force, columns of shape (nd, k)."""
        return self.size[:, None] * self._right[self._rank :].T

    def compliances(self) -> tuple[np.ndarray, np.ndarray]:
        """Return eigenvalues, (k,), and eigenvectors, (nd, k), of the pseudo-inverse.

        Neutral displacements are left out.
        """
        along = self._right[: self._rank].T
        values, vectors = np.linalg.eig(along.T @ self._scaled @ along)
        with np.errstate(divide="ignore"):
            return 1.0 / values, self.size[:, None] * (along @ vectors)
