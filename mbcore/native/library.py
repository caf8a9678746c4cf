"""Compiled equations loaded into this process."""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mbcore.equations.equations import Equations
from mbcore.integrators.method import Method
from mbcore.integrators.table import methods
from mbcore.model.errors import CompilerError
from mbcore.native.extents import Extent, serving
from mbcore.native.shared import Library

LONG = 2.0
"""Duration of compiling after which it is announced, s."""
_Key = tuple[Extent, tuple[Method, ...]]
"""Purpose, and the available methods."""
_LOADED: dict[str, Library] = {}
_KNOWN: weakref.WeakKeyDictionary[Equations, dict[_Key, Library]] = weakref.WeakKeyDictionary()
_LOCK = threading.RLock()


def _begin_in_child() -> None:
    """Replace the lock, which another thread may have held when this process was forked."""
    global _LOCK
    _LOCK = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)


def library(equations: Equations, extent: Extent, announce: bool = True) -> Library:
    """Return equations compiled, from this process, from the cache, or by the compiler.

    Parameters
    ----------
    equations : Equations
        The equations.
    extent : {"runs", "implicit runs", "analyses", "batches", "held"}
        Purpose: exact Jacobians, which implicit runs and analyses need, take long to compile.
    announce : bool
        Whether compiling that takes long is announced, on terminals.

    Raises
    ------
    CompilerError
        There is no compiler, it fails, or the cache cannot be written.
    """
    with _LOCK:
        known = _KNOWN.setdefault(equations, {})
        for more in serving(extent):
            if (more, methods()) in known:
                return known[more, methods()]
        from mbcore.native.generated import compiling, remembered_file

        with _announced(equations.name) if announce else _silence():
            path = remembered_file(equations, extent) or compiling(equations, extent)()
        return kept(equations, extent, path)


def kept(equations: Equations, extent: Extent, path: Path) -> Library:
    """Load the library of equations, and keep it for all that need no more than its extent.

    Raises
    ------
    CompilerError
        The system does not load it.
    """
    with _LOCK:
        found = _KNOWN.setdefault(equations, {})[extent, methods()] = loaded(str(path))
        return found


def remembered_library(equations: Equations, extent: Extent) -> Library | None:
    """Return equations that were compiled before, perhaps by another process; None if none were.

    Raises
    ------
    CompilerError
        The cache cannot be written, or others can write it, too.
    """
    with _LOCK:
        from mbcore.native.generated import remembered_file

        path = remembered_file(equations, extent)
        return None if path is None else kept(equations, extent, path)


def loaded(path: str) -> Library:
    """Return a library that is loaded once in this process.

    Raises
    ------
    CompilerError
        The system does not load it, as from a disk without the right to run what is on it.
    """
    if path not in _LOADED:
        try:
            _LOADED[path] = Library(path)
        except OSError as error:
            from mbcore.native.cache import VARIABLE

            raise CompilerError(
                f"compiled equations cannot be loaded: {error}; set {VARIABLE} to another folder"
            ) from error
    return _LOADED[path]


@contextmanager
def _announced(name: str) -> Iterator[None]:
    """Announce compiling that takes long, on a terminal."""

    def say() -> None:
        print(f"{name}: its equations are compiled, once on this machine", file=sys.stderr)

    timer = threading.Timer(LONG, say)
    if sys.stderr.isatty():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def _silence() -> Iterator[None]:
    yield
