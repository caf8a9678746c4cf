"""Tearing of loops: which unknowns are tears, the order of the others, and the closing conditions.

Nodes are resolved in sequence, each by conditions that involve only known quantities besides it,
and that determine it well at the start configuration. Where no node can be resolved, one of a
node's speeds becomes a tear. Conditions that are left over close the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from mbcore.equations.elimination.ordering import Part

WELL = 0.05
"""Smallest pivot, relative to the rows, with which conditions determine a node well."""
PAIR = 6
"""Most speeds of two nodes that are resolved together."""


@dataclass(frozen=True)
class Tearing:
    """Parts in order while the tears are open, and the rows that close the loop."""

    parts: list[Part]
    tears: list[int]
    closing: list[int]


def tear(
    part: Part,
    by_row: Sequence[set[int]],
    numbers: np.ndarray,
    nodes: Sequence[Sequence[int]],
    speeds: int,
    slips: int,
) -> Tearing | None:
    """Tear a part; None where that leaves more than half of it open.

    Parameters
    ----------
    by_row : sequence of set of int
        Columns with an entry in each row.
    numbers : ndarray
        The matrix at the start configuration, shape (n, n).
    nodes : sequence of sequence of int
        Columns that belong together.
    speeds : int
        Columns from here on are open from the beginning.
    slips : int
        Rows from here on are slips, which close loops: whether they determine a node well
        depends on its heading.
    """
    work = _Work(part, by_row, numbers, nodes, speeds, slips)
    while work.open_nodes or work.groups:
        if work.place_groups() or work.resolve_node():
            continue
        if not work.open_nodes:
            return None
        work.open_column()
    tearing = Tearing(work.parts, work.tears, sorted(work.rows))
    if len(tearing.tears) != len(tearing.closing):
        return None
    few = 2 * len(tearing.tears) <= len(part.columns)
    return tearing if few and tearing.tears and _regular(tearing, numbers) else None


def _regular(tearing: Tearing, numbers: np.ndarray) -> bool:
    """Whether the closing conditions determine the tears at the start configuration."""
    rows = [i for part in tearing.parts for i in part.rows]
    columns = [j for part in tearing.parts for j in part.columns]
    inner = numbers[np.ix_(rows, columns)]
    to_tears = numbers[np.ix_(rows, tearing.tears)]
    T = -np.linalg.solve(inner, to_tears) if rows else np.zeros((0, len(tearing.tears)))
    K = numbers[np.ix_(tearing.closing, tearing.tears)]
    K = K + numbers[np.ix_(tearing.closing, columns)] @ T
    K = K / np.maximum(np.linalg.norm(K, axis=1, keepdims=True), 1e-300)
    return bool(np.all(np.isfinite(K)) and np.linalg.cond(K) < 1e8)


class _Work:
    def __init__(
        self,
        part: Part,
        by_row: Sequence[set[int]],
        numbers: np.ndarray,
        nodes: Sequence[Sequence[int]],
        speeds: int,
        slips: int,
    ) -> None:
        self.by_row, self.numbers, self.slips = by_row, numbers, slips
        inside = set(part.columns)
        grouped = {j for own in part.group_columns for j in own}
        grouped_rows = {i for own in part.groups for i in own}
        self.groups = list(zip(part.groups, part.group_columns, strict=True))
        self.rows = {i for i in part.rows if i not in grouped_rows}
        self.tears = sorted(j for j in part.columns if j >= speeds and j not in grouped)
        loose = inside - grouped - set(self.tears)
        self.unknown = inside - set(self.tears)
        self.open_nodes = [own for own in ([j for j in n if j in loose] for n in nodes) if own]
        self.parts: list[Part] = []

    def place_groups(self) -> bool:
        """Place the nodes whose others are known; return whether there were any."""
        placed = False
        for rows, columns in list(self.groups):
            needed = {j for i in rows for j in self.by_row[i]} - set(columns)
            if needed.isdisjoint(self.unknown):
                self.groups.remove((rows, columns))
                self.unknown -= set(columns)
                self.parts.append(Part(rows, columns, True))
                placed = True
        return placed

    def _usable(self, columns: Sequence[int]) -> list[int]:
        """Rows that involve these columns and otherwise known ones only."""
        own = set(columns)
        rest = self.unknown - own
        return sorted(
            i
            for i in self.rows
            if i < self.slips and self.by_row[i] & own and self.by_row[i].isdisjoint(rest)
        )

    def _scaled(self, rows: Sequence[int], columns: Sequence[int]) -> np.ndarray:
        sizes = np.linalg.norm(self.numbers[list(rows)], axis=1)
        return self.numbers[np.ix_(rows, columns)] / np.maximum(sizes, 1e-300)[:, None]

    def resolve_node(self) -> bool:
        """Resolve the node, or otherwise the pair of nodes, that conditions determine best.

        A pair is the end of a beam, a point and an orientation: only all of its strains together
        determine them in every orientation of the beam.
        """
        return self._resolve_best([[own] for own in self.open_nodes]) or self._resolve_best(
            [list(pair) for pair in self._pairs()]
        )

    def _pairs(self) -> Iterator[tuple[list[int], list[int]]]:
        """Nodes that share a condition, together small enough to be solved for."""
        place = {j: k for k, own in enumerate(self.open_nodes) for j in own}
        seen = set()
        for i in sorted(self.rows):
            touched = sorted({place[j] for j in self.by_row[i] if j in place})
            if len(touched) == 2 and i < self.slips:
                seen.add((touched[0], touched[1]))
        for a, b in sorted(seen):
            one, other = self.open_nodes[a], self.open_nodes[b]
            if len(one) + len(other) <= PAIR:
                yield one, other

    def _resolve_best(self, groups: Sequence[list[list[int]]]) -> bool:
        """Resolve the nodes of the group that its conditions determine best, if there is one."""
        best: tuple[float, list[int], list[list[int]]] | None = None
        for group in groups:
            columns = [j for own in group for j in own]
            rows = self._usable(columns)
            if len(rows) < len(columns):
                continue
            _, R, order = scipy.linalg.qr(
                self._scaled(rows, columns).T, mode="economic", pivoting=True
            )
            smallest = float(np.abs(np.diag(R)).min())
            if smallest > WELL and (best is None or smallest > best[0]):
                best = smallest, [rows[k] for k in order[: len(columns)]], group
        if best is None:
            return False
        _, rows, group = best
        for own in group:
            self.open_nodes.remove(own)
        self._finish(rows, [j for own in group for j in own])
        return True

    def _finish(self, rows: list[int], columns: list[int]) -> None:
        self.unknown -= set(columns)
        self.rows -= set(rows)
        self.parts.append(Part(rows, columns))

    def open_column(self) -> None:
        """Make a tear of the speed that the conditions of the best determined node determine least.

        If besides these conditions only slips are left, all of the node's speeds become tears: for
        a contact point on a curved surface the least determined speed changes with its place.
        """
        columns = max(self.open_nodes, key=lambda own: len(self._usable(own)) - len(own))
        rows = self._usable(columns)
        if rows and all(i >= self.slips for i in self.rows.difference(rows)):
            self.tears += columns
            self.unknown -= set(columns)
            self.open_nodes.remove(columns)
            return
        if rows:
            _, _, order = scipy.linalg.qr(
                self._scaled(rows, columns), mode="economic", pivoting=True
            )
            chosen = columns[int(order[-1])]
        else:
            chosen = columns[-1]
        self.tears.append(chosen)
        self.unknown.discard(chosen)
        columns.remove(chosen)
        if not columns:
            self.open_nodes.remove(columns)
