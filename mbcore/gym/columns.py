"""The columns of many environments, of which those that nobody has read yet are found when asked.

It is a module apart from `mbcore.gym.vector_environment`, since users' functions are given one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np


class Columns(Mapping[str, Any]):
    """Columns by name, each with a value for each environment.

    Parameters
    ----------
    names : sequence of str
        Of all columns.
    known : dict of str to ndarray
        Those that are there.
    find : callable
        Returns another one.
    """

    def __init__(
        self,
        names: Sequence[str],
        known: dict[str, np.ndarray],
        find: Callable[[str], np.ndarray],
    ) -> None:
        self._names, self._known, self._find = names, known, find

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a column, shape (n,).

        Raises
        ------
        KeyError
            If there is none of this name.
        """
        if name not in self._known:
            if name not in self._names:
                raise KeyError(name)
            self._known[name] = self._find(name)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        """Return the names."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self._names)
