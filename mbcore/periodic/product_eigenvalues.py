"""Eigenvalues of a product of matrices, such as a monodromy matrix from its segments.

The product itself loses eigenvalues that are much smaller than the largest. The periodic Schur form
(A. Bojanczyk, G. Golub, P. Van Dooren, 1992) keeps them: orthogonal bases Q_k in which every factor
is triangular. They come by orthogonal iteration around the cycle, which sorts eigenvalues by size.
Those of about the same size stay together in a block, whose product then loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

CYCLES = 60
"""Most iterations around the cycle."""
SEPARATE = 1e-13
"""Entry of an orthogonal matrix that counts as zero."""


def product_eigenvalues(factors: Sequence[np.ndarray]) -> np.ndarray:
    """Return the eigenvalues of the product of matrices, the first of which acts first.

    Parameters
    ----------
    factors : sequence of ndarray, shape (n, n)
        The matrices.

    Returns
    -------
    ndarray of complex, shape (n,)
        In no order.
    """
    n = len(factors[0])
    if len(factors) == 1 or n < 2:
        return np.linalg.eigvals(reduce(lambda done, next_one: next_one @ done, factors))
    # a basis that no factor prefers
    basis = np.linalg.qr(np.cos(1.0 + np.outer(np.arange(n) + 0.3, np.arange(n) + 1.7)))[0]
    for _ in range(CYCLES):
        first, whole = basis, np.eye(n)
        for factor in factors:
            basis, upper = np.linalg.qr(factor @ basis)
            whole = upper @ whole
        turned = first.T @ basis
        ends = _ends(turned)
        if len(ends) == n:
            break
    blocks = [slice(begin, end) for begin, end in zip([0, *ends[:-1]], ends, strict=True)]
    found = [np.linalg.eigvals(turned[b, b] @ whole[b, b]) for b in blocks]
    return np.concatenate(found).astype(complex)


def _ends(turned: np.ndarray) -> list[int]:
    """Return where the diagonal blocks of a block triangular matrix, (n, n), end."""
    n = len(turned)
    return [j for j in range(1, n) if np.abs(turned[j:, :j]).max() <= SEPARATE * n] + [n]
