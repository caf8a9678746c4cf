"""Factories that a model calls: of its equations and its pictures, whose rooms know models.

`mbcore/__init__.py` registers where they are when the library is imported, before any other module
runs; nothing is imported for that. `factories.pyi` gives their types to type checkers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_registered: list[Callable[[str], Any]] = []


def register(find: Callable[[str], Any]) -> None:
    """Take a function that returns factories by their names."""
    _registered[:] = [find]


def __getattr__(name: str) -> Any:
    return _registered[0](name)
