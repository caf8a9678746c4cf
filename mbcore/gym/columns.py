"""The columns of environments, of which those that nobody has read yet are found when asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any


class Columns(Mapping[str, Any]):
    """Columns by name, each a number or an array with one for each environment.

    Parameters
    ----------
    names : sequence of str
        Of all columns.
    known : dict of str to value
        Those that are there.
    find : callable
        Returns another one.
    """

    def __init__(
        self,
        names: Sequence[str],
        known: dict[str, Any],
        find: Callable[[str], Any],
    ) -> None:
        self._names, self._known, self._find = names, known, find

    def __getitem__(self, name: str) -> Any:
        """Return a column.

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
