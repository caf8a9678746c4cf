"""Rows of results in the blocks in which they came, joined only where they are asked for.

The rows of a thousand bouncing balls take a gigabyte, and few look at all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

SMALLEST = 1 << 16
"""Numbers in a block, from which on it is not joined with the next one."""


def gathered(blocks: list[np.ndarray]) -> list[np.ndarray]:
    """Return blocks of rows, small ones joined; the list is emptied on the way."""
    found, small, size = [], [], 0
    for place in range(len(blocks)):
        small.append(blocks[place])
        size += blocks[place].size
        blocks[place] = blocks[place][:0]  # so that rows are hardly there twice
        if size >= SMALLEST or place + 1 == len(blocks):
            found.append(small[0] if len(small) == 1 else np.concatenate(small))
            small, size = [], 0
    blocks.clear()
    return found


class _Joined:
    """Arrays' other attributes, by an array that is made when one is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)


class Blocks(_Joined):
    """A table, (rows, columns), in blocks of rows.

    Parameters
    ----------
    blocks : sequence of ndarray
        At least one, of equally many columns.
    columns : slice
        Which of these columns the table has.
    """

    def __init__(self, blocks: Sequence[np.ndarray], columns: slice = slice(None)) -> None:
        self._blocks, self._columns = blocks, columns
        self._begins = np.cumsum([0, *map(len, blocks)])
        width = len(range(blocks[0].shape[1])[columns])
        self.shape = (int(self._begins[-1]), width)

    def __len__(self) -> int:
        return self.shape[0]

    def part(self, begin: int, end: int) -> Blocks:
        """Return some of the columns of a table that has all of them."""
        return Blocks(self._blocks, slice(begin, end))

    def __getitem__(self, chosen: Any) -> np.ndarray:
        if isinstance(chosen, tuple):
            return np.asarray(self)[chosen]
        rows = np.asarray(np.arange(len(self))[chosen])
        found = np.empty((*rows.shape, self.shape[1]))
        places = np.searchsorted(self._begins, rows, side="right") - 1
        for place in np.unique(places):
            here = places == place
            found[here] = self._blocks[place][rows[here] - self._begins[place], self._columns]
        return found

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        whole = np.concatenate([block[:, self._columns] for block in self._blocks])
        return whole if dtype is None else whole.astype(dtype)

    def column(self, number: int) -> np.ndarray:
        """Return a column, shape (rows,)."""
        place = range(self._blocks[0].shape[1])[self._columns][number]
        return np.concatenate([block[:, place] for block in self._blocks])


class Followed(_Joined):
    """A table of rows that follow from others, made where they are asked for.

    Parameters
    ----------
    shape : (int, int)
        Of the table.
    made : callable
        Makes rows, shape (n, columns), from their numbers.
    """

    def __init__(self, shape: tuple[int, int], made: Callable[[np.ndarray], np.ndarray]) -> None:
        self.shape, self._made = shape, made

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, chosen: Any) -> np.ndarray:
        if isinstance(chosen, tuple):
            return np.asarray(self)[chosen]
        rows = np.asarray(np.arange(len(self))[chosen])
        return self._made(rows.ravel()).reshape(*rows.shape, self.shape[1])

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self[:] if dtype is None else self[:].astype(dtype)
