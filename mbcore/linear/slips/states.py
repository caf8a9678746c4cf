"""State matrices with held slips in place of rates; each is a structural zero.

A held slip has a zero rate for every state, so it is a left null vector of the state matrix.
Eigenvalues of motions that meet the constraint are those of the matrix without it. Left in, its
zero could be defective together with zeros of coordinates. The gap of a closed contact and its rate
are a pair of such zeros.

Used by `mbcore.linear.spectrum` alone; it stands apart because it is a change of basis by
itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbcore.linear.structural_zeros import ROUNDING


@dataclass(frozen=True)
class SlipStates:
    """A state matrix in which some rates are replaced by slips, and some values by gaps.

    Attributes
    ----------
    matrix : ndarray, shape (ns, ns)
        The matrix.
    basis : ndarray, shape (ns, ns)
        The original states in terms of the new ones.
    places : tuple of int
        Indices of the slips and rates of gaps.
    gaps : tuple of int
        Indices of the gaps.
    """

    matrix: np.ndarray
    basis: np.ndarray
    places: tuple[int, ...]
    gaps: tuple[int, ...] = ()


def with_slips(matrix: np.ndarray, rows: np.ndarray, gaps: np.ndarray, dofs: int) -> SlipStates:
    """Replace the rates with the largest coefficients by slips with these ``rows``, (nh, ns).

    Values are likewise replaced by ``gaps``, (nc, ns). The first ``dofs`` states are rates.
    """
    matrix, basis = matrix.copy(), np.eye(len(matrix))
    rows, places = np.vstack([gaps, rows]), list[int]()
    for k in range(len(rows)):
        row = rows[k]
        among = range(dofs, len(matrix)) if k < len(gaps) else range(dofs)
        j = max((i for i in among if i not in places), key=lambda i: abs(row[i]))
        places.append(j)
        back = -row / row[j]  # what is replaced, by what replaces it and the other states
        back[j] = 1.0 / row[j]
        for array in (matrix, basis, rows[k + 1 :]):
            _replace_column(array, j, back)
        matrix[j] = 0.0
    return SlipStates(matrix, basis, tuple(places[len(gaps) :]), tuple(places[: len(gaps)]))


def _replace_column(array: np.ndarray, j: int, back: np.ndarray) -> None:
    """Express a state by the combination that replaces it, in place."""
    column = array[:, j].copy()
    array[:, j] = 0.0
    added = np.outer(column, back)
    size = np.abs(array) + np.abs(added)
    array += added
    array[np.abs(array) <= ROUNDING * size] = 0.0
