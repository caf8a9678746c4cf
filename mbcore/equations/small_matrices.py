"""Small dense matrices of expressions: products, inverses and measures without pivoting."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np


def symmetric_product(left: ca.SX, right: ca.SX) -> ca.SX:
    """Return left @ right, known to be symmetric, from its upper triangle."""
    return ca.triu2symm(ca.sparsify(ca.triu(left @ right)))


def with_constants(parts: list[ca.SX]) -> list[ca.SX]:
    """Return matrices with entries that are 0, 1 or -1 in every configuration as these numbers.

    They are found by evaluation at random configurations: a node that moves in parallel with
    another one does so in every configuration.
    """
    if not parts:
        return []
    entries = ca.vertcat(*(ca.vertcat(*part.nonzeros()) for part in parts if part.nnz()))
    symbols = ca.vertcat(ca.SX(0, 1), *ca.symvar(entries))
    f = ca.Function("entries", [symbols], [entries])
    random = np.random.default_rng(1)
    places = [random.uniform(0.3, 1.7, symbols.numel()) for _ in range(3)]
    values = np.array([np.array(f(place)).ravel() for place in places])
    rounded = np.round(values[0])
    same = np.all(np.abs(values - rounded) < 1e-10, axis=0) & (np.abs(rounded) <= 1)
    found, first = [], 0
    for part in parts:
        if not part.nnz():
            found.append(part)
            continue
        own = part.nonzeros()
        last = first + len(own)
        for i in np.flatnonzero(same[first:last]):
            own[i] = ca.SX(float(rounded[first + i]))
        found.append(ca.sparsify(ca.SX(part.sparsity(), ca.vertcat(*own))))
        first = last
    return found


def definite_inverse(D: ca.SX) -> ca.SX:
    """Return the inverse of a positive definite matrix, which needs no pivots."""
    n = D.shape[0]
    if n == 0:
        return ca.SX(0, 0)
    if n == 1:
        return 1 / ca.densify(D)
    if n <= 3:
        return symmetric_inverse(ca.densify(D))
    factors, LT, order = ca.ldl(ca.densify(D))
    return ca.ldl_solve(ca.SX.eye(n), factors, LT, order)


def symmetric_inverse(D: ca.SX) -> ca.SX:
    """Return the inverse of a symmetric matrix of two or three rows by its cofactors."""
    if D.shape[0] == 2:
        det = D[0, 0] * D[1, 1] - D[0, 1] ** 2
        off = -D[0, 1]
        return ca.vertcat(ca.horzcat(D[1, 1], off), ca.horzcat(off, D[0, 0])) / det
    a, b, c = D[0, 0], D[0, 1], D[0, 2]
    d, e, f = D[1, 1], D[1, 2], D[2, 2]
    aa, ab, ac = d * f - e**2, c * e - b * f, b * e - c * d
    bb, bc, cc = a * f - c**2, b * c - a * e, a * d - b**2
    rows = ((aa, ab, ac), (ab, bb, bc), (ac, bc, cc))
    return ca.vertcat(*(ca.horzcat(*row) for row in rows)) * (1 / (a * aa + b * ab + c * ac))


def indefinite_inverse(D: ca.SX) -> ca.SX:
    """Return the inverse of a regular symmetric matrix with multipliers in it."""
    D = ca.densify(D)
    return ca.inv_minor(D) if D.shape[0] <= 4 else ca.solve(D, ca.SX.eye(D.shape[0]))


def eliminated(matrix: ca.SX, right: ca.SX, symmetric: bool) -> ca.SX:
    """Return the solution of a sparse system that needs no pivots, for k right-hand sides, (n, k).

    Rows that have no entry in common cost each other nothing. Of a ``symmetric`` matrix only the
    upper triangle is used.
    """
    n, k = matrix.shape[0], right.shape[1]
    whole = ca.horzcat(ca.sparsify(matrix), ca.sparsify(right))
    rows = [whole[i, :] for i in range(n)]
    inverse: list[ca.SX] = []
    for i in range(n):
        inverse.append(1 / rows[i][i])
        below = range(i + 1, n)
        if symmetric:
            below_i = [(j, rows[i][j]) for j in below if rows[i].sparsity().has_nz(0, j)]
        else:
            below_i = [(j, rows[j][i]) for j in below if rows[j].sparsity().has_nz(0, i)]
        for j, entry in below_i:
            first = j if symmetric else i + 1
            factor = entry * inverse[i]
            rest = rows[j][first:] - factor * rows[i][first:]
            rows[j] = ca.sparsify(ca.horzcat(ca.SX(1, first), rest))
    found: list[ca.SX] = [ca.SX(1, k)] * n
    for i in reversed(range(n)):
        later = [j for j in range(i + 1, n) if rows[i].sparsity().has_nz(0, j)]
        value = rows[i][n:]
        for j in later:
            value = value - rows[i][j] * found[j]
        found[i] = value * inverse[i]
    return ca.vertcat(ca.SX(0, k), *found)


def determinant(block: ca.SX) -> ca.SX:
    """Return the determinant of a small square matrix, scalar."""
    if block.shape[0] == 1:
        return ca.densify(block)[0]
    return ca.det(block)


def upper_inverse(R: ca.SX) -> ca.SX:
    """Return the inverse of an upper triangular matrix by substitution, column by column."""
    n = R.shape[0]
    inverse = ca.SX(n, n)
    pivots = [1 / R[i, i] for i in range(n)]
    for j in range(n):
        inverse[j, j] = pivots[j]
        for i in reversed(range(j)):
            known = ca.sparsify(R[i, i + 1 : j + 1] @ inverse[i + 1 : j + 1, j])
            if known.nnz():
                inverse[i, j] = -pivots[i] * known
    return inverse


def least_singular_value(R: ca.SX, columns: Sequence[ca.SX | float]) -> ca.SX:
    """Return 1/‖(A C)⁻¹‖_F for A = Q R and C = diag(1/columns), of n rows, shape (1, 1).

    It is between the least singular value of A C divided by √n, and that value. So whatever makes
    A C singular makes it vanish: a row, a column, or a combination of them.

    Parameters
    ----------
    R : SX
        Upper triangle of A, shape (n, n).
    columns : sequence of SX or float
        Sizes by which the columns are divided, n of them.
    """
    inverse = upper_inverse(R)
    square = ca.SX(0)
    for i, size in enumerate(columns):
        square += size**2 * ca.sumsqr(inverse[i, i:])
    return 1 / ca.sqrt(square)


def orientation(Q: ca.SX) -> ca.SX:
    """Return the determinant of an orthogonal matrix, 1 or -1, shape (1, 1).

    Reflections make columns unit vectors, one after the other. As columns are orthogonal, each
    changes what is left by a product of a row and a column, divided by at least 1: no pivots are
    needed. Its determinant, -1, and the entry that it leaves, of the other sign than that before,
    give the sign of this one.
    """
    rest, sign = Q, ca.SX(1)
    while rest.shape[0]:
        entry = ca.densify(rest[0, 0])
        side = ca.copysign(1, entry)
        sign *= side
        rest = ca.sparsify(rest[1:, 1:] - rest[1:, 0] @ rest[0, 1:] / (entry + side))
    return sign
