"""Values by rows that change seldom, such as modes: kept by their changes.

A model of a thousand contacts has twelve thousand of them, and a row at each impact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbcore.results.blocks import Blocks


@dataclass
class _Block:
    """Changes in the order of rows: where they are, and to what."""

    row: np.ndarray
    column: np.ndarray
    value: np.ndarray


class Seldom:
    """A table, (rows, columns), of which changes from row to row are kept; the same bits.

    Parameters
    ----------
    blocks : list
        Changes, as `Changes` has collected them; the first row is whole.
    shape : (int, int)
        Of the table.
    """

    def __init__(self, blocks: list[_Block], shape: tuple[int, int]) -> None:
        self.shape, self._blocks = shape, blocks
        self._rows = self._values = np.zeros(0)
        self._begins = np.zeros(0, np.int64)

    def __getitem__(self, chosen: Any) -> np.ndarray:
        if isinstance(chosen, tuple):
            return np.asarray(self)[chosen]
        rows = np.asarray(np.arange(self.shape[0])[chosen])
        found = np.empty((*rows.shape, self.shape[1]))
        for number in range(self.shape[1]):
            begins, values = self._changes_of(number)
            found[..., number] = values[np.searchsorted(begins, rows, side="right") - 1]
        return found

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self[:] if dtype is None else self[:].astype(dtype)

    def column(self, number: int) -> np.ndarray:
        """Return a column, shape (rows,)."""
        begins, values = self._changes_of(number)
        return np.repeat(values, np.diff(begins, append=self.shape[0]))

    def _changes_of(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows from which a column has values, and these."""
        if not self._begins.size:
            self._sort()
        part = slice(*self._begins[number : number + 2])
        return self._rows[part], self._values[part]

    def _sort(self) -> None:
        """Put changes in the order of columns, when one is asked for first."""
        self._begins = np.zeros(self.shape[1] + 1, np.int64)
        for block in self._blocks:
            self._begins[1:] += np.bincount(block.column, minlength=self.shape[1])
        self._begins = np.cumsum(self._begins)
        places = self._begins[:-1].copy()
        count = int(self._begins[-1])
        self._rows, self._values = np.empty(count, np.int32), np.empty(count)
        while self._blocks:
            block = self._blocks.pop(0)
            order = np.argsort(block.column, kind="stable")
            column = block.column[order]
            first = np.searchsorted(column, column)  # where each one's column begins in the block
            place = places[column] + np.arange(column.size) - first
            self._rows[place], self._values[place] = block.row[order], block.value[order]
            places += np.bincount(column, minlength=self.shape[1])


class Changes:
    """Collects the changes of a table that grows, for `Seldom`.

    Attributes
    ----------
    rows : int
        Rows so far.
    """

    def __init__(self) -> None:
        self._blocks: list[_Block] = []
        self._last: np.ndarray | None = None
        self.rows = 0

    def add(self, table: np.ndarray) -> None:
        """Take further rows, which may be changed afterwards."""
        if table.size:
            bits = np.ascontiguousarray(table).view(np.int64)  # NaN equals itself, 0 is not -0
            changed = np.ones(table.shape, bool)
            changed[1:] = bits[1:] != bits[:-1]
            if self._last is not None:
                changed[0] = bits[0] != self._last
            row, column = np.nonzero(changed)
            rows = (row + self.rows).astype(np.int32)
            self._blocks.append(_Block(rows, column.astype(np.int32), table[row, column]))
            self._last = bits[-1].copy()
        self.rows += len(table)

    def last(self, otherwise: np.ndarray) -> np.ndarray:
        """Return the last row, or a default where there is none."""
        return otherwise if self._last is None else self._last.view(float)

    def change(self, count: int, changes: np.ndarray) -> None:
        """Take further rows by what is changed in them, or as before: row, column and value each.

        Parameters
        ----------
        count : int
            Number of rows.
        changes : ndarray, shape (n, 3)
            In the order of rows; the first row of all is whole.
        """
        if changes.size:
            number = changes[:, 1].astype(np.int32)
            order = np.argsort(number, kind="stable")
            column, bits = number[order], changes[order, 2].view(np.int64)
            first = np.append(True, column[1:] != column[:-1])
            before = np.append(bits[:1], bits[:-1])
            if self._last is None:
                self._last = bits[first].copy()
                before[first] = ~bits[first]
            else:
                before[first] = self._last[column[first]]
            new = np.sort(order[bits != before])
            rows = (changes[new, 0] + self.rows).astype(np.int32)
            self._blocks.append(_Block(rows, number[new], changes[new, 2]))
            latest = np.append(first[1:], True)
            self._last[column[latest]] = bits[latest]
        self.rows += count

    def behind(self) -> Changes:
        """Return what collects the rows behind these, a table of its own."""
        more = Changes()
        if self._last is not None:
            more._last, size = self._last.copy(), self._last.size
            column = np.arange(size, dtype=np.int32)
            more._blocks.append(_Block(np.zeros(size, np.int32), column, more._last.view(float)))
        return more

    def table(self, columns: int) -> Seldom:
        """Return all rows; no more are added."""
        return Seldom(self._blocks, (self.rows, columns))


class Columns(Mapping[str, np.ndarray]):
    """Columns of results by name, which become arrays when they are asked for.

    Parameters
    ----------
    often : Blocks
        Columns that change from row to row.
    names : sequence of str
        Their names.
    order : sequence of str
        All names.
    seldom : Seldom
        The others.
    """

    def __init__(
        self, often: Blocks, names: Sequence[str], order: Sequence[str], seldom: Seldom
    ) -> None:
        self._arrays: dict[str, np.ndarray] = {}
        self._order = tuple(order)
        places: dict[str, tuple[Blocks | Seldom, int]] = {
            n: (often, i) for i, n in enumerate(names)
        }
        others = [name for name in order if name not in places]
        self._places = places | {name: (seldom, i) for i, name in enumerate(others)}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._arrays:
            table, number = self._places[name]
            self._arrays[name] = table.column(number)
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._order)

    def __len__(self) -> int:
        return len(self._order)

    def __contains__(self, name: object) -> bool:
        return name in self._places
