"""Compiled equations loaded into this process."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Literal

import casadi

from mbcore.codegen.c_model import generate
from mbcore.codegen.compiler import CompilerError
from mbcore.codegen.lanes import in_lanes, vectors
from mbcore.codegen.model_source.tables import tables
from mbcore.codegen.rows import Table
from mbcore.codegen.table import SOLVER_PARAMETERS
from mbcore.equations.equations import Equations
from mbcore.equations.functions import FUNCTIONS
from mbcore.integrators.method import Method
from mbcore.integrators.table import methods
from mbcore.native.cache import VARIABLE, compiled, prepare_runtime, remember, remembered
from mbcore.native.shared import Library

LONG = 2.0
"""Duration of compiling after which it is announced, s."""
Extent = Literal["runs", "implicit runs", "analyses", "batches", "held"]
"""What a library is for: runs by explicit methods, also by those with Jacobians, all analyses, and
these with batches in lanes; each has what those before it have. That for held motions has these
alone, since few models need them."""
_NESTED: tuple[Extent, ...] = ("runs", "implicit runs", "analyses", "batches")
_WITHOUT: dict[Extent, tuple[str, ...]] = {
    "runs": ("adjoint_change", "rate_use", "start", "change"),
    "implicit runs": ("adjoint_change", "rate_use", "start"),
    "analyses": ("adjoint_change",),
    "batches": ("adjoint_change",),
    "held": tuple(FUNCTIONS),
}
"""Functions of the runtime that nothing calls there."""
_OF_RUNS: tuple[Extent, ...] = ("runs", "implicit runs")
"""Extents without flows, whose libraries lack these functions."""
OTHERS = ("mass", "remembered_change", "indicator_change", "jump_change", "project_change")
"""Functions that only analyses call."""
HELD = ("held", "held_change")
"""Functions of held motions."""
_BASIC = (
    *("newton", "place", "derivative", "output", "indicator", "update", "project", "require"),
    *("conditioning", "rate_use", "start"),
)
"""Functions from which, and from the tables, all others follow."""
LARGE, SMALL = 2.0, 1000
"""Size of a function, in parts of the derivative's, and what may be added to that: only Python
evaluates larger ones."""

_Key = tuple[Extent, tuple[Method, ...]]
"""What for, and the methods that there are."""
_LOADED: dict[str, Library] = {}
_KNOWN: weakref.WeakKeyDictionary[Equations, dict[_Key, Library]] = weakref.WeakKeyDictionary()
_BASES: weakref.WeakKeyDictionary[Equations, bytes] = weakref.WeakKeyDictionary()
_LOCK = threading.RLock()


def _begin_in_child() -> None:
    """Replace the lock, which another thread may have held when this process was forked."""
    global _LOCK
    _LOCK = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)


def extent_of(method: Method) -> Extent:
    """Return what runs by a method need."""
    return "implicit runs" if method.implicit or method.automatic else "runs"


def library(equations: Equations, extent: Extent, announce: bool = True) -> Library:
    """Return equations compiled, from this process, from the cache, or by the compiler.

    Parameters
    ----------
    equations : Equations
        The equations.
    extent : {"runs", "implicit runs", "analyses", "batches", "held"}
        What for: exact Jacobians, which implicit runs and analyses need, take long to compile.
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
        with _announced(equations.name) if announce else _silence():
            path = _remembered(equations, extent) or compiling(equations, extent)()
        return kept(equations, extent, path)


def serving(extent: Extent) -> tuple[Extent, ...]:
    """Return the extents with all functions of one, which is the first."""
    return _NESTED[_NESTED.index(extent) :] if extent in _NESTED else (extent,)


def _remembered(equations: Equations, extent: Extent) -> Path | None:
    """Return the file of equations that were compiled before, for this extent or a larger one."""
    found = (remembered(_identity(equations, more)) for more in serving(extent))
    return next((path for path in found if path is not None), None)


def compiling(equations: Equations, extent: Extent) -> Callable[[], Path]:
    """Write the C of equations; return what compiles it, in any thread, and returns the file.

    Expressions are no matter for several threads, so all that needs them is done at once.
    """
    prepare_runtime()
    identity, source = _identity(equations, extent), _source(equations, extent)
    name, analyses = equations.name, extent not in _OF_RUNS

    def compile_it() -> Path:
        path = compiled(source, name, analyses)
        remember(identity, path)
        return path

    return compile_it


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
        path = _remembered(equations, extent)
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
            raise CompilerError(
                f"compiled equations cannot be loaded: {error}; set {VARIABLE} to another folder"
            ) from error
    return _LOADED[path]


def compiles(equations: Equations, name: str) -> bool:
    """Return whether a function that the runtime does not need is compiled for analyses.

    The reduced mass matrix as an expression grows with the cube of the model's size.
    """
    if name not in OTHERS or (name == "remembered_change" and not equations.remembered.numbers):
        return False
    size = {n: equations.functions[n].n_instructions() for n in (name, "derivative")}
    return size[name] <= LARGE * size["derivative"] + SMALL


def _identity(equations: Equations, extent: Extent) -> str:
    """Return a digest of what the C of equations follows from: functions, tables, this package."""
    digest = hashlib.sha256(f"{extent}\n{_package()}\n{casadi.__version__}\n".encode())
    if extent == "batches":
        digest.update(f"{vectors()}\n".encode())
    if extent == "held" and equations.held_motion is not None:
        digest.update(f"{equations.held_motion.formulas().serialize()}\n".encode())
    digest.update(_basis(equations))
    return digest.hexdigest()


def _basis(equations: Equations) -> bytes:
    """Return a digest of the functions and tables from which all others follow."""
    found = _BASES.get(equations)
    if found is None:
        digest = hashlib.sha256(tables(equations, _table(equations)).encode())
        for name in _BASIC:
            digest.update(f"{name}\n{equations.functions[name].serialize()}\n".encode())
        found = _BASES[equations] = digest.digest()
    return found


@cache
def _package() -> str:
    """Return a digest of the Python code of mbcore."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[1]
    for file in sorted(root.rglob("*.py")):
        digest.update(f"{file.relative_to(root).as_posix()}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def _table(equations: Equations) -> Table:
    return Table((), len(equations.parameters) + SOLVER_PARAMETERS)


def _source(equations: Equations, extent: Extent) -> str:
    """Return the C of equations.

    Start values and names of variables are in no row of its table, so that models which differ in
    them alone share a library.
    """
    analyses = extent in ("analyses", "batches")
    others = [name for name in OTHERS if analyses and compiles(equations, name)]
    others = list(HELD) if extent == "held" else others
    source = generate(equations, _table(equations), _WITHOUT[extent], others).source
    if extent not in _OF_RUNS:
        source = f"/* with flows */\n{source}"
    return f"{source}\n{in_lanes(equations, vectors())}" if extent == "batches" else source


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
