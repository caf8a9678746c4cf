"""Objects of models whose attributes may be set at any time, and the mark of the last such change.

Equations look at every attribute only after one has been set anywhere; else one comparison is
enough. Code that writes into ``__dict__``, past ``__setattr__``, must call `mark_change`.
"""

from __future__ import annotations

_LATEST = [object()]


def mark_change() -> None:
    """Say that something may have been changed."""
    _LATEST[0] = object()  # another one than all before, in whatever order threads get here


def latest_change() -> object:
    """Return a mark that is the same object until the next change of any model."""
    return _LATEST[0]


class Changing:
    """An object of a model; to set or delete one of its attributes renews the mark."""

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        mark_change()

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        mark_change()
