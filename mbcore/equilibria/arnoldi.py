"""Eigenvalues of a linear map given by its products with vectors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

ENDED = 1e-14
"""Remainder of a vector, relative, at which the Krylov space is complete."""


def extreme_eigenvalues(
    image: Callable[[np.ndarray], np.ndarray], n: int, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues and eigenvectors by Arnoldi's method, all of them if n <= count.

    Large eigenvalues, and isolated ones, converge first.

    Parameters
    ----------
    image : callable
        The map of a vector of shape (n,).
    n, count : int
        Size of the vectors, and largest dimension of the Krylov space.

    Returns
    -------
    values, vectors : ndarray, shapes (k,), (n, k), k <= count
        Complex in general.
    """
    count = min(n, count)
    if not count:
        return np.zeros(0), np.zeros((0, 0))
    Q, H = np.zeros((n, count + 1)), np.zeros((count + 1, count))
    first = np.random.default_rng(1).standard_normal(n)  # the same in every run
    Q[:, 0] = first / np.linalg.norm(first)
    for k in range(count):
        w = image(Q[:, k])
        for _ in range(2):  # a second pass removes the rounding of the first
            along = Q[:, : k + 1].T @ w
            w = w - Q[:, : k + 1] @ along
            H[: k + 1, k] += along
        H[k + 1, k] = np.linalg.norm(w)
        if H[k + 1, k] <= ENDED * np.abs(H).max():
            count = k + 1
            break
        Q[:, k + 1] = w / H[k + 1, k]
    values, vectors = np.linalg.eig(H[:count, :count])
    return values, Q[:, :count] @ vectors
