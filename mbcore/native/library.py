"""Compiled equations loaded into this process, and the layout of the data they share."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

from mbcore.codegen.c_model import generate
from mbcore.codegen.rows import Table
from mbcore.codegen.table import SOLVER_PARAMETERS
from mbcore.equations.equations import Equations
from mbcore.integrators.method import Method
from mbcore.integrators.table import methods
from mbcore.native.cache import cache_folder, compiled

LONG = 2.0
"""Duration of compiling after which it is announced, s."""
_UNUSED = ("adjoint_change", "rate_use", "start")
_OF_JACOBIAN = ("change",)

Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double)
_Doubles = ctypes.POINTER(ctypes.c_double)


class _List(ctypes.Structure):
    _fields_ = (("value", _Doubles), ("count", ctypes.c_long), ("room", ctypes.c_long))


class Shared(ctypes.Structure):
    """The first part of ``mb_native`` in ``mb_native.h``, which says what the fields mean."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("method", "gives_inputs", "with_coordinates")),
        *((name, ctypes.c_double) for name in ("relative", "absolute", "longest_step")),
        ("spacing", ctypes.c_double),
        ("conditioning_threshold", ctypes.c_double),
        ("times", _Doubles),
        ("time_count", ctypes.c_long),
        ("next_time", ctypes.c_long),
        ("rising", ctypes.POINTER(ctypes.c_ubyte)),
        ("input", Callback),
        ("progress", Callback),
        ("t", ctypes.c_double),
        *((name, _Doubles) for name in ("s", "d", "u", "p", "x", "scale", "largest", "nominal")),
        ("steps", ctypes.c_long),
        ("evaluations", ctypes.c_long),
        ("creeps", ctypes.c_long),
        ("residual", ctypes.c_double),
        ("failed_time", ctypes.c_double),
        ("rows", _List),
        ("events", _List),
    )


class Library:
    """The functions of a compiled library; any number of runs may use them, in any threads."""

    def __init__(self, path: str) -> None:
        functions = ctypes.CDLL(path)
        shared = ctypes.POINTER(Shared)
        self.open = functions.mb_native_open
        self.open.argtypes, self.open.restype = (), shared
        self.place = functions.mb_native_place
        self.place.argtypes, self.place.restype = (shared, _Doubles), None
        self.advance = functions.mb_native_advance
        self.advance.argtypes, self.advance.restype = (shared, ctypes.c_double), ctypes.c_int
        self.close = functions.mb_native_close
        self.close.argtypes, self.close.restype = (shared,), None


_Key = tuple[bool, tuple[Method, ...]]
"""Whether a Jacobian is wanted, and the methods that there are."""
_LOADED: dict[str, Library] = {}
_KNOWN: weakref.WeakKeyDictionary[Equations, dict[_Key, Library]] = weakref.WeakKeyDictionary()
_LOCK = threading.RLock()


def _begin_in_child() -> None:
    """Replace the lock, which another thread may have held when this process was forked."""
    global _LOCK
    _LOCK = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)


def library(equations: Equations, jacobian: bool, announce: bool = True) -> Library:
    """Return equations compiled, from this process, from the cache, or by the compiler.

    Parameters
    ----------
    equations : Equations
        The equations.
    jacobian : bool
        Whether the method needs exact Jacobians, which take long to compile.
    announce : bool
        Whether compiling that takes long is announced, on terminals.

    Raises
    ------
    CompilerError
        There is no compiler, it fails, or the cache cannot be written.
    """
    with _LOCK:
        known = _KNOWN.setdefault(equations, {})
        key = jacobian, methods()
        if key not in known:
            without = _UNUSED if jacobian else (*_UNUSED, *_OF_JACOBIAN)
            # Start values and names of variables are in no row, so that models which differ in
            # them alone share a library.
            table = Table((), len(equations.parameters) + SOLVER_PARAMETERS)
            with _announced(equations.name) if announce else _silence():
                path = str(compiled(generate(equations, table, without).source, equations.name))
            if path not in _LOADED:
                _LOADED[path] = Library(path)
            known[key] = _LOADED[path]
        return known[key]


@contextmanager
def _announced(name: str) -> Iterator[None]:
    """Announce compiling that takes long, on a terminal."""

    def say() -> None:
        print(f"{name}: its equations are compiled, once, to {cache_folder()}", file=sys.stderr)

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
