"""What random loops lose by their elimination, beside the smallest of their measures.

A loop is torn: inner blocks of one to six rows follow from each other and from one to three tears,
and as many closing conditions determine these. A row, a column or a combination of them vanishes in
an inner block, in the closing conditions, or in both. Solutions are compared with those of exact
rational arithmetic, in parts of the largest unknown. With the smallest measure m, they may lose ε/m
where only closing conditions vanish. Where an inner block does, T = -J_nn⁻¹ J_nt is large in one
direction, and so is K, whose other directions have lost as many digits before it is inverted: then
they may lose ε/m². The least singular value of the loop may be as small as the product of an inner
measure and a closing one, where both vanish, m². A measure that is blind is off by far more than
the factors here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import casadi as ca
import numpy as np
import pytest

from mbcore.equations.elimination.block_solver import TornBlock
from mbcore.equations.elimination.entries import Entries
from mbcore.equations.elimination.ordering import Part
from mbcore.equations.elimination.tearing import Tearing
from mbcore.equations.elimination.unit_sizes import Sizes
from tests.equations.elimination.test_measures import PATHS, vanishing

EPS = float(np.finfo(float).eps)
SHARES = (1e-2, 1e-5)


@dataclass(frozen=True)
class Loop:
    """A loop of n rows: the rows of its inner blocks, how many tears, and where it has entries."""

    parts: list[list[int]]
    tears: int
    present: np.ndarray

    @property
    def inner(self) -> int:
        """Number of inner rows."""
        return len(self.present) - self.tears


def drawn(random: np.random.Generator) -> Loop:
    n = int(random.integers(2, 13))
    tears = int(random.integers(1, min(3, n // 2) + 1))
    parts: list[list[int]] = []
    while (first := sum(map(len, parts))) < n - tears:
        size = min(n - tears - first, int(random.choice([1, 1, 1, 2, 3, 4, 5, 6])))
        parts.append(list(range(first, first + size)))
    present = np.zeros((n, n), bool)
    present[n - tears :] = random.random((tears, n)) < 0.7
    present[:, n - tears :] = random.random((n, tears)) < 0.6
    present[n - tears :, n - tears :] = True
    for b, part in enumerate(parts):
        for before in parts[:b]:
            present[np.ix_(part, before)] = random.random((len(part), 1)) < 0.5
        present[np.ix_(part, part)] = True
    return Loop(parts, tears, present)


def along(random: np.random.Generator, loop: Loop) -> Iterator[tuple[bool, np.ndarray]]:
    """Give whether an inner block vanishes, and the loop's matrix, of which shares are left."""
    A = np.where(loop.present, random.standard_normal(loop.present.shape), 0.0)
    k, part = loop.inner, loop.parts[random.integers(len(loop.parts))]
    place, row = int(random.integers(len(part))), int(random.integers(loop.tears))
    path = str(random.choice(PATHS))
    for what in ("inner", "closing", "both"):
        for share in SHARES:
            found = A.copy()
            if what != "closing":
                own = np.ix_(part, part)
                found[own] = vanishing(A[own], path, share, place)
            if what != "inner":
                moved = found[k:, :k] @ np.linalg.solve(found[:k, :k], found[:k, k:])
                K = A[k:, k:] - A[k:, :k] @ np.linalg.solve(A[:k, :k], A[:k, k:])
                found[k:, k:] = vanishing(K, path, share, row) + moved
            yield what != "closing", found


def exactly(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the solution of A x = b by rational numbers, rounded at its end."""
    rows = [
        [Fraction(v) for v in (*row, right)]
        for row, right in zip(A.tolist(), b.tolist(), strict=True)
    ]
    n = len(rows)
    for i in range(n):
        k = max(range(i, n), key=lambda j: abs(rows[j][i]))
        rows[i], rows[k] = rows[k], rows[i]
        for j in range(n):
            if j != i and rows[j][i]:
                factor = rows[j][i] / rows[i][i]
                rows[j] = [u - factor * v for u, v in zip(rows[j], rows[i], strict=True)]
    return np.array([float(rows[i][n] / rows[i][i]) for i in range(n)])


def function(loop: Loop, sizes: Sizes) -> ca.Function:
    """Return the solution and the measures by the matrix and the right-hand side."""
    n, k = len(loop.present), loop.inner
    J, b = ca.SX.sym("J", n, n), ca.SX.sym("b", n)
    present = ca.sparsify(ca.DM(loop.present.astype(float))).sparsity()
    parts = [Part(part, part, False) for part in loop.parts]
    tearing = Tearing(parts, list(range(k, n)), list(range(k, n)))
    block = TornBlock(Entries(ca.project(J, present)), tearing, sizes)
    measures = ca.vertcat(*(m for _, m in block.measures()))
    return ca.Function("loop", [J, b], [block.solve(b), measures])


def judged(seed: int) -> Iterator[tuple[bool, float, float, float]]:
    """Give of each matrix what vanishes, the loss in ε, the least singular value and measure."""
    random = np.random.default_rng(seed)
    loop = drawn(random)
    n = len(loop.present)
    rows, columns = 2.0 ** random.integers(-9, 10, (2, n))  # without rounding
    solve = function(loop, Sizes(rows.tolist(), columns.tolist()))
    for inner, A in along(random, loop):
        b = random.standard_normal(n)
        scaled = rows[:, None] * A / columns
        solution, measures = (np.array(of.full())[:, 0] for of in solve(scaled, rows * b))
        right = exactly(A, b)
        loss = np.abs(solution / columns - right).max() / np.abs(right).max() / EPS
        unit = A / np.linalg.norm(A, axis=1, keepdims=True)
        least = float(np.linalg.svd(unit, compute_uv=False)[-1])
        yield inner, float(loss), least, float(np.abs(measures).min())


@pytest.mark.parametrize("tens", range(4))
def test_the_smallest_measure_tells_what_a_loop_loses(tens: int) -> None:
    for seed in range(10 * tens, 10 * tens + 10):
        for inner, loss, least, measure in judged(seed):
            assert measure**2 < 100 * least, seed
            assert loss < (1e3 / measure**2 if inner else 100 / measure), seed
