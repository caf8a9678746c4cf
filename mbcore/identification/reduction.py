"""Least squares with fewer rows: orthogonal factors, segment by segment.

Rows of a segment depend on the unknowns that all have in common and on its own start values. QR
factors of each segment alone, then of what is left, cost a small part of those of the whole.
"""

from __future__ import annotations

import numpy as np


def reduced(
    errors: np.ndarray, jacobian: np.ndarray, segment_of: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return errors and a Jacobian with the same sums of squares and products.

    Parameters
    ----------
    errors : ndarray, shape (m,)
        Of all samples, then of what is known besides.
    jacobian : ndarray, shape (m, n)
        Its derivative.
    segment_of : ndarray of int, shape (k,)
        The segments of the first k rows.

    Returns
    -------
    errors : ndarray, shape (n + 1,)
        With |errors|² and Jᵀ errors as given.
    jacobian : ndarray, shape (n + 1, n)
        With JᵀJ as given.
    """
    whole = np.column_stack([jacobian, errors])
    parts = [whole[segment_of.size :]]
    order = np.argsort(segment_of, kind="stable")
    ends = np.flatnonzero(np.diff(segment_of[order])) + 1
    for rows in np.split(order, ends):
        part = whole[rows]
        felt = np.flatnonzero(np.any(part != 0, axis=0))
        if len(rows) > felt.size:
            short = np.zeros((felt.size, whole.shape[1]))
            short[:, felt] = np.linalg.qr(part[:, felt], mode="r")
            part = short
        parts.append(part)
    found = np.zeros((whole.shape[1], whole.shape[1]))
    factor = np.linalg.qr(np.vstack(parts), mode="r")
    found[: len(factor)] = factor
    return found[:, -1], found[:, :-1]
