"""A sparse matrix of expressions from which small parts are taken often."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from mbcore.model.expressions import sparse


class Entries:
    """A sparse SX matrix from which small parts are taken often."""

    def __init__(self, matrix: ca.SX) -> None:
        self.matrix = sparse(matrix)
        rows, columns = self.matrix.sparsity().get_triplet()
        self.by_row: list[dict[int, ca.SX]] = [{} for _ in range(matrix.shape[0])]
        for i, j, entry in zip(rows, columns, self.matrix.nonzeros(), strict=True):
            self.by_row[i][j] = entry

    def columns_of(self, rows: Sequence[int]) -> set[int]:
        """Columns with an entry in any of the rows."""
        return {j for i in rows for j in self.by_row[i]}

    def part(self, rows: Sequence[int], columns: Sequence[int]) -> ca.SX:
        """Return the entries in the given rows and columns, in their order."""
        place = {j: k for k, j in enumerate(columns)}
        found = [
            (k, place[j], entry)
            for k, i in enumerate(rows)
            for j, entry in self.by_row[i].items()
            if j in place
        ]
        if not found:
            return ca.SX(len(rows), len(columns))
        places, others, entries = zip(*found, strict=True)
        return ca.SX.triplet(places, others, ca.vertcat(*entries), len(rows), len(columns))
