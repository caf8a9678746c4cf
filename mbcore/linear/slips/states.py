"""State matrices with held slips in place of rates; each is a structural zero.

A held slip has a zero rate for every state, so it is a left null vector of the state matrix.
Eigenvalues of motions that meet the constraint are those of the matrix without it. Left in, its
zero could be defective together with zeros of coordinates.

Used by `mbcore.linear.linearization` alone; it stands apart because it is a change of basis by
itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbcore.linear.structural_zeros import ROUNDING


@dataclass(frozen=True)
class SlipStates:
    """A state matrix in which some rates are replaced by slips.

    Attributes
    ----------
    matrix : ndarray, shape (ns, ns)
        The matrix.
    basis : ndarray, shape (ns, ns)
        The original states in terms of the new ones.
    places : tuple of int
        Indices of the slips.
    """

    matrix: np.ndarray
    basis: np.ndarray
    places: tuple[int, ...]


def with_slips(matrix: np.ndarray, rows: np.ndarray, dofs: int) -> SlipStates:
    """Replace the rates with the largest coefficients by slips with these ``rows``, (nh, ns).

    Rates are the first ``dofs`` states.
    """
    matrix, basis, places = matrix.copy(), np.eye(len(matrix)), []
    rows = rows.copy()
    for k in range(len(rows)):
        row = rows[k]
        taken = [j for j in range(dofs) if j not in places]
        j = max(taken, key=lambda i: abs(row[i]))
        places.append(j)
        back = -row / row[j]  # the rate by the slip and the other states
        back[j] = 1.0 / row[j]
        for array in (matrix, basis, rows[k + 1 :]):
            _replace_column(array, j, back)
        matrix[j] = 0.0
    return SlipStates(matrix, basis, tuple(places))


def _replace_column(array: np.ndarray, j: int, back: np.ndarray) -> None:
    """Express a state by the combination that replaces it, in place."""
    column = array[:, j].copy()
    array[:, j] = 0.0
    added = np.outer(column, back)
    size = np.abs(array) + np.abs(added)
    array += added
    array[np.abs(array) <= ROUNDING * size] = 0.0
