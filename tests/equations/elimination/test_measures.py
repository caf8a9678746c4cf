"""Conditioning measures beside NumPy's singular values, along paths to singular blocks.

A measure is scaled by natural sizes of rows and columns. It may be at most twelve times the least
singular value of the scaled block, or a twelfth of it, wherever a column, a row or a combination
vanishes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import casadi as ca
import numpy as np
import pytest

from mbcore.equations.elimination.block_solver import BlockSolver, TornBlock
from mbcore.equations.elimination.entries import Entries
from mbcore.equations.elimination.ordering import Part
from mbcore.equations.elimination.tearing import Tearing
from mbcore.equations.elimination.unit_sizes import Sizes

PATHS = ("column", "row", "combination")
SHARES = 10.0 ** -np.arange(0, 8)


def vanishing(A: np.ndarray, path: str, share: float, place: int) -> np.ndarray:
    """Return a matrix in which a share is left of a column, a row or a combination."""
    found = A.copy()
    if path == "column":
        found[:, place] *= share
    elif path == "row":
        found[place] *= share
    else:
        U, s, V = np.linalg.svd(A)
        found = (U * np.append(s[:-1], share * s[-1])) @ V
    return found


def blocks(n: int) -> Iterator[tuple[str, float, np.ndarray]]:
    """Give scaled matrices along paths: random ones, and the unit triangle with -1 above."""
    random = np.random.default_rng(n)
    triangle = np.eye(n) - np.triu(np.ones((n, n)), 1)
    for A in (*random.standard_normal((6, n, n)), triangle):
        for path in PATHS:
            place = int(random.integers(n))
            for share in SHARES:
                yield path, share, vanishing(A, path, share, place)


def function(J: ca.SX, measures: list[tuple[list[int], ca.SX]]) -> Callable[[np.ndarray], float]:
    f = ca.Function("measures", [J], [ca.vertcat(*(m for _, m in measures))])
    return lambda A: float(np.abs(f(A).full()).min())


@pytest.mark.parametrize("n", range(5, 13))
def test_a_measure_follows_the_least_singular_value(n: int) -> None:
    random = np.random.default_rng(100 + n)
    sizes = Sizes(*(10.0 ** random.uniform(-3, 3, (2, n))))
    J = ca.SX.sym("J", n, n)
    measure = function(J, BlockSolver(J, sizes=sizes).measures())
    for path, share, A in blocks(n):
        # A row in its natural size is what a unit of each unknown in its own makes of it.
        found = measure(A * np.array(sizes.rows)[:, None] / np.array(sizes.columns))
        least = np.linalg.svd(A, compute_uv=False)[-1]
        assert least / 12 < found < 12 * least, (path, share)


@pytest.mark.parametrize("n", range(1, 5))
def test_a_small_measure_is_not_far_above_the_least_singular_value(n: int) -> None:
    """Rows of unit length have Σσ² = n, so the others' product is at most √e."""
    J = ca.SX.sym("J", n, n)
    measure = function(J, BlockSolver(J).measures())
    for path, share, A in blocks(n):
        unit = A / np.linalg.norm(A, axis=1, keepdims=True)
        least = np.linalg.svd(unit, compute_uv=False)[-1]
        assert measure(A) < np.sqrt(np.e) * least * (1 + 1e-6), (path, share)


@pytest.mark.parametrize("n", [5, 8])
def test_a_larger_measure_has_the_sign_of_the_determinant(n: int) -> None:
    """Of random blocks, and of permuted triangles, whose zeros no pivot may meet."""
    random = np.random.default_rng(n)
    J = ca.SX.sym("J", n, n)
    f = ca.Function("measure", [J], [BlockSolver(J).measures()[0][1]])
    for k in range(40):
        A = random.standard_normal((n, n))
        if k % 2:
            A = np.eye(n)[random.permutation(n)] @ np.triu(A)
        assert float(f(A)) * np.linalg.det(A) > 0


def test_a_larger_measure_has_a_closing_condition_in_its_own_reach() -> None:
    """Closing conditions K = C + B T of a loop: tears move inner unknowns by T, however far."""
    n, k = 6, 5
    random = np.random.default_rng(1)
    B, C = random.standard_normal((k, n)), random.standard_normal((k, k))
    T = random.standard_normal((n, k)) * 10.0 ** np.arange(k)
    entries = np.block([[np.eye(n), -T], [B, C]])
    J = ca.SX.sym("J", n + k, n + k)
    parts = [Part([i], [i], False) for i in range(n)]
    inside = ca.SX(J)
    for i in range(n):
        for j in range(n):
            if i != j:
                inside[i, j] = ca.SX(0)
    tearing = Tearing(parts, [*range(n, n + k)], [*range(n, n + k)])
    block = TornBlock(Entries(ca.sparsify(inside)), tearing)
    measure = function(J, block.measures()[n:])
    K = (C + B @ T) / np.sqrt(1 + np.sum(T**2, axis=0))
    for path in PATHS:
        for share in SHARES[:6]:
            scaled = vanishing(K, path, share, 2)
            entries[n:, n:] = scaled * np.sqrt(1 + np.sum(T**2, axis=0)) - B @ T
            least = np.linalg.svd(scaled, compute_uv=False)[-1]
            assert least / 12 < measure(entries) < 12 * least, (path, share)


def test_an_inner_row_is_measured_with_the_tears_in_it() -> None:
    """a x = t beside x + t = 1: x follows from the tear t by 1/a, which the row (a, -1) tells."""
    a = ca.SX.sym("a")
    matrix = ca.vertcat(ca.horzcat(a, -1), ca.horzcat(1, 1))
    block = TornBlock(Entries(matrix), Tearing([Part([0], [0], False)], [1], [1]))
    (rows, measure), _ = block.measures()
    assert rows == [0]
    for value in (1.0, 1e-3, -1e-6):
        found = float(ca.Function("measure", [a], [measure])(value))
        assert found == pytest.approx(value / np.hypot(value, 1), rel=1e-14)
