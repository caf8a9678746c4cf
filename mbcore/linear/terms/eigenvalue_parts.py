"""Parts of terms in an eigenvalue, by its left and right vectors.

Used by `mbcore.linear.terms.contributions` alone; it stands apart because it knows matrices only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mbcore.model.errors import ModelError

FOUND = 1e-7
"""Least singular value, in parts of the largest, of a matrix less an eigenvalue of its own."""
SEPARATE = 1e-7
"""Cosine of left and right vectors below which an eigenvalue is multiple."""


@dataclass(frozen=True)
class EigenvaluePart:
    """The state matrix, nominal sizes of the states, and the number of degrees of freedom."""

    name: str
    state_matrix: np.ndarray
    nominal: np.ndarray
    degrees_of_freedom: int


def parts_of(
    what: EigenvaluePart,
    value: complex,
    terms: Mapping[str, np.ndarray],
    masses: Mapping[str, np.ndarray],
) -> dict[str, complex]:
    """Return the derivative of an eigenvalue by the size of each term, 1/s.

    Parameters
    ----------
    value : complex
        The eigenvalue.
    terms : mapping of str to ndarray, shape (nd, ns)
        Parts of the reduced forces by states.
    masses : mapping of str to ndarray, shape (nd, nd)
        Parts of the reduced mass matrix.

    Raises
    ------
    ModelError
        If it is not an eigenvalue, or a multiple one.
    """
    nd, size = what.degrees_of_freedom, what.nominal
    scaled = what.state_matrix * size / size[:, None]
    left, sizes, right = np.linalg.svd(scaled - value * np.eye(len(size)))
    if not sizes[-1] < FOUND * sizes[0]:
        raise ModelError(
            f"{what.name}: {value:.9g} 1/s is not an eigenvalue of this linearization; give one "
            "of eigenvalues()"
        )
    w, v = left[:, -1].conj(), right[-1].conj()
    product = w @ v
    if abs(product) < SEPARATE or (len(sizes) > 1 and sizes[-2] < FOUND * sizes[0]):
        raise ModelError(
            f"{what.name}: the eigenvalue {value:.9g} 1/s is multiple, and only simple ones have "
            "parts; change a parameter a little"
        )
    v, w = v * size, w / size
    mass = sum(masses.values(), start=np.zeros((nd, nd)))
    u = np.linalg.solve(mass.T, w[:nd]) / product
    accelerations = what.state_matrix[:nd] @ v
    found = {name: complex(-u @ (part @ accelerations)) for name, part in masses.items()}
    return found | {name: complex(-u @ (term @ v)) for name, term in terms.items()}
