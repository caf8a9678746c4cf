"""The order in which unknowns of a sparse system can be found, and which of them only together.

Elimination goes the other way round, from what nothing needs to what all need. Where that leaves a
choice, `elimination_order` takes those first that couple the fewest others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy


@dataclass(frozen=True)
class Pattern:
    """Columns with an entry in each row, and groups of rows that give their columns explicitly."""

    by_row: list[set[int]]
    groups: list[tuple[list[int], list[int]]]


@dataclass(frozen=True)
class Part:
    """Rows and columns that are solved together.

    Attributes
    ----------
    placed : bool
        Whether groups are among them.
    groups : list of list of int
        Rows of each group.
    """

    rows: list[int]
    columns: list[int]
    placed: bool = False
    groups: list[list[int]] = field(default_factory=list)
    group_columns: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.placed and not self.groups:
            self.groups.append(self.rows)
            self.group_columns.append(self.columns)


def dependency_order(pattern: Pattern) -> list[Part]:
    """Return the smallest parts of a square system, each after those it needs.

    Raises
    ------
    ValueError
        If the system is structurally singular.
    """
    grouped_rows = {i for rows, _ in pattern.groups for i in rows}
    grouped_columns = {j for _, columns in pattern.groups for j in columns}
    rows = [i for i in range(len(pattern.by_row)) if i not in grouped_rows]
    columns = [j for j in range(len(pattern.by_row)) if j not in grouped_columns]
    pairs = _match(pattern, rows, columns)
    # Vertices: groups first, then pairs of a row and the column that it is matched with.
    owner: dict[int, int] = {}
    for g, (_, own) in enumerate(pattern.groups):
        owner.update(dict.fromkeys(own, g))
    for k, (_, column) in enumerate(pairs):
        owner[column] = len(pattern.groups) + k
    needs: list[set[int]] = [
        {owner[j] for i in own_rows for j in pattern.by_row[i]} for own_rows, _ in pattern.groups
    ]
    needs += [{owner[j] for j in pattern.by_row[row]} for row, _ in pairs]
    parts = []
    for component in strong_components(needs):
        groups = [pattern.groups[v] for v in sorted(component) if v < len(pattern.groups)]
        count = len(pattern.groups)
        single = [pairs[v - count] for v in sorted(component) if v >= count]
        parts.append(
            Part(
                [i for own, _ in groups for i in own] + [i for i, _ in single],
                [j for _, own in groups for j in own] + [j for _, j in single],
                bool(groups),
                [own for own, _ in groups],
                [own for _, own in groups],
            )
        )
    return parts


def _match(pattern: Pattern, rows: list[int], columns: list[int]) -> list[tuple[int, int]]:
    """Match each row of no group with a column of no group that it depends on, also through groups.

    Raises
    ------
    ValueError
        If there is no such matching.
    """
    if len(rows) != len(columns):
        raise ValueError(f"{len(rows)} conditions for {len(columns)} unknowns")
    if not rows:
        return []
    free = {j: k for k, j in enumerate(columns)}
    reached: dict[int, frozenset[int]] = {}
    for own_rows, own in pattern.groups:
        touched: set[int] = set()
        for j in {j for i in own_rows for j in pattern.by_row[i]} - set(own):
            touched |= {j} if j in free else reached[j]
        reached.update(dict.fromkeys(own, frozenset(touched)))
    matrix_rows, matrix_columns = [], []
    for k, i in enumerate(rows):
        touched = set()
        for j in pattern.by_row[i]:
            touched |= {j} if j in free else reached[j]
        matrix_rows += [k] * len(touched)
        matrix_columns += [free[j] for j in sorted(touched)]
    shape = (len(rows), len(columns))
    table = scipy.sparse.csr_array(
        (np.ones(len(matrix_rows)), (matrix_rows, matrix_columns)), shape=shape
    )
    matched = scipy.sparse.csgraph.maximum_bipartite_matching(table, perm_type="column")
    if np.any(matched < 0):
        raise ValueError("the matrix is structurally singular")
    return [(i, columns[c]) for i, c in zip(rows, matched.tolist(), strict=True)]


def strong_components(needs: list[set[int]]) -> list[list[int]]:
    """Return the strongly connected components of a graph, each after those it needs (Tarjan)."""
    index, low = [-1] * len(needs), [0] * len(needs)
    on_stack = [False] * len(needs)
    stack: list[int] = []
    found: list[list[int]] = []
    count = 0
    for root in range(len(needs)):
        if index[root] >= 0:
            continue
        work = [(root, iter(sorted(needs[root])))]
        index[root] = low[root] = count
        count += 1
        stack.append(root)
        on_stack[root] = True
        while work:
            v, ahead = work[-1]
            for w in ahead:
                if index[w] < 0:
                    index[w] = low[w] = count
                    count += 1
                    stack.append(w)
                    on_stack[w] = True
                    work.append((w, iter(sorted(needs[w]))))
                    break
                if on_stack[w]:
                    low[v] = min(low[v], index[w])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[v])
                if low[v] == index[v]:
                    component = []
                    while True:
                        w = stack.pop()
                        on_stack[w] = False
                        component.append(w)
                        if w == v:
                            break
                    found.append(component)
    return found


LEAST_GAIN = 0.9
"""Part of the work of the given order below which another order is taken."""


def elimination_order(
    sizes: Sequence[int], needs: Sequence[set[int]], coupled: Sequence[set[int]]
) -> list[int]:
    """Return vertices, each after those it needs, so that few get coupled by eliminating the last.

    Eliminating a vertex couples all that it needs or is coupled with to each other. Of the vertices
    that none of the remaining ones needs, the one is eliminated that is coupled with the fewest
    unknowns; of those that are as good, the last. The order as it is stays unless the other one is
    less work by `LEAST_GAIN`.

    Parameters
    ----------
    sizes : sequence of int
        Unknowns of each vertex.
    needs : sequence of set of int
        Vertices that each needs, all of them before it.
    coupled : sequence of set of int
        Vertices before each, and itself, with which it has a common mass.
    """
    n = len(sizes)
    as_they_are = _Elimination(sizes, needs, coupled)
    for b in reversed(range(n)):
        as_they_are.eliminate(b)
    other = _Elimination(sizes, needs, coupled)
    order = [other.eliminate(other.cheapest()) for _ in range(n)]
    return order[::-1] if other.work < LEAST_GAIN * as_they_are.work else list(range(n))


class _Elimination:
    """Vertices that are not eliminated yet, with their couplings."""

    def __init__(
        self, sizes: Sequence[int], needs: Sequence[set[int]], coupled: Sequence[set[int]]
    ) -> None:
        self._sizes, self._needs = sizes, needs
        self._near: list[set[int]] = [set() for _ in sizes]
        for b, others in enumerate(coupled):
            for k in others:
                self._near[b].add(k)
                self._near[k].add(b)
        self._needed_by = [0] * len(sizes)
        for own in needs:
            for k in own:
                self._needed_by[k] += 1
        self._ready = {b for b, count in enumerate(self._needed_by) if not count}
        self._widths: dict[int, int] = {}
        self.work = 0.0

    def _width(self, b: int) -> int:
        """Unknowns that get coupled by eliminating a vertex; none where it has no mass."""
        known = self._widths.get(b)
        if known is None:
            known = self._widths[b] = sum(self._sizes[k] for k in self._reached(b))
        return known

    def _reached(self, b: int) -> set[int]:
        return (self._near[b] | self._needs[b]) - {b} if self._near[b] else set()

    def cheapest(self) -> int:
        """Return the vertex that couples the fewest unknowns; the last of those."""
        return min(self._ready, key=lambda b: (self._width(b), -b))

    def eliminate(self, b: int) -> int:
        """Eliminate a vertex, and return it."""
        reached = self._reached(b)
        self.work += self._sizes[b] * (self._sizes[b] + self._width(b)) ** 2
        for k in reached:
            self._near[k] |= reached
            self._near[k].discard(b)
            self._widths.pop(k, None)
        self._ready.discard(b)
        for k in self._needs[b]:
            self._needed_by[k] -= 1
            if not self._needed_by[k]:
                self._ready.add(k)
        return b
