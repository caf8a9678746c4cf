"""Compiled equations loaded into this process, and the layout of the data they share."""

from __future__ import annotations

import ctypes
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
from mbcore.native.cache import VARIABLE, compiled, remember, remembered
from mbcore.native.callbacks import Callback

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
Doubles = ctypes.POINTER(ctypes.c_double)


class SharedList(ctypes.Structure):
    """``mb_list`` in ``mb_native.h``."""

    _fields_ = (("value", Doubles), ("count", ctypes.c_long), ("room", ctypes.c_long))


class SharedPoint(ctypes.Structure):
    """``mb_point`` in ``mb_types.h``."""

    _fields_ = (
        ("t", ctypes.c_double),
        *((name, Doubles) for name in ("values", "s", "d", "u", "p", "x")),
    )


class SharedLinearized(ctypes.Structure):
    """``mb_linearized`` in ``mb_point.h``, whose fields are addresses."""

    _fields_ = tuple(
        (name, ctypes.c_void_p)
        for name in ("rate", "output", "mass", "rates", "depends", "nominal")
    )


class SharedBeside(ctypes.Structure):
    """``mb_beside`` in ``mb_point.h``."""

    _fields_ = (
        ("count", ctypes.c_int),
        ("rest", ctypes.c_double),
        *((name, ctypes.c_void_p) for name in ("span", "share", "state")),
        ("at", SharedLinearized),
        ("turns", ctypes.c_void_p),
    )


class SharedCollocation(ctypes.Structure):
    """``mb_collocation`` in ``mb_flow.h``."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("stages", "iterations")),
        *((name, ctypes.c_void_p) for name in ("node", "matrix", "error")),
        *((name, ctypes.c_double) for name in ("gamma", "safety", "shrink", "grow", "farthest")),
        *((n, ctypes.c_double) for n in ("accuracy", "doubtful", "rounding", "just_over")),
        *((name, ctypes.c_double) for name in ("divided", "first", "small", "least")),
    )


class SharedExplicit(ctypes.Structure):
    """``mb_explicit`` in ``mb_flow.h``."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("stages", "all", "terms")),
        *((n, ctypes.c_void_p) for n in ("node", "matrix", "error_5", "error_3", "dense")),
        *((name, ctypes.c_double) for name in ("safety", "shrink", "grow", "exponent", "least")),
    )


class SharedFlow(ctypes.Structure):
    """The first part of ``mb_flow`` in ``mb_flow.h``; addresses of arrays are given as numbers."""

    _fields_ = (
        ("collocation", ctypes.POINTER(SharedCollocation)),
        ("explicit_steps", ctypes.POINTER(SharedExplicit)),
        *((name, ctypes.c_void_p) for name in ("factorize", "solve")),
        *((name, ctypes.c_int) for name in ("columns", "felts", "varied")),
        *((name, ctypes.c_int) for name in ("numbers", "discretes")),
        *((name, ctypes.c_void_p) for name in ("felt", "value", "number")),
        *((n, ctypes.c_double) for n in ("relative", "longest_step", "until")),
        ("absolute", ctypes.c_void_p),
        ("input", Callback),
        *((name, ctypes.c_int) for name in ("most_steps", "recorded", "parts")),
        *((n, ctypes.c_int) for n in ("remembered_change", "indicator_change", "jump_change")),
        ("rising", ctypes.c_void_p),
        *((name, ctypes.c_double) for name in ("input_span", "together", "steepest")),
        ("nominal", ctypes.c_void_p),
        ("origin", ctypes.POINTER(SharedPoint)),
        *(
            (n, ctypes.c_void_p)
            for n in ("scale", "branch", "lowest", "highest", "size", "largest")
        ),
        ("at", ctypes.POINTER(SharedPoint)),
        ("t", ctypes.c_double),
        *((name, Doubles) for name in ("y", "step", "term")),
        *((name, ctypes.c_double) for name in ("last", "next")),
        *((name, ctypes.c_long) for name in ("evaluations", "steps")),
        *((name, SharedList) for name in ("noted", "happened")),
        ("jumps", ctypes.c_double),
    )


class Shared(ctypes.Structure):
    """The first part of ``mb_native`` in ``mb_native.h``, which says what the fields mean."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("method", "gives_inputs", "with_coordinates")),
        *((name, ctypes.c_double) for name in ("relative", "absolute", "longest_step")),
        ("spacing", ctypes.c_double),
        ("conditioning_threshold", ctypes.c_double),
        ("times", Doubles),
        ("time_count", ctypes.c_long),
        ("next_time", ctypes.c_long),
        ("rising", ctypes.POINTER(ctypes.c_ubyte)),
        ("input", Callback),
        ("progress", Callback),
        ("t", ctypes.c_double),
        *((name, Doubles) for name in ("s", "d", "u", "p", "x", "scale", "largest", "nominal")),
        ("steps", ctypes.c_long),
        ("evaluations", ctypes.c_long),
        ("creeps", ctypes.c_long),
        ("residual", ctypes.c_double),
        ("failed_time", ctypes.c_double),
        ("nearness", ctypes.c_double),
        ("rows", SharedList),
        ("events", SharedList),
        ("changes", SharedList),
    )


class SharedSignal(ctypes.Structure):
    """``mb_signal`` in ``mb_batch_inputs.h``, whose arrays are addresses."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("input", "order", "each")),
        *((name, ctypes.c_void_p) for name in ("first", "knot", "power")),
        *((name, ctypes.c_double) for name in ("low", "high")),
    )


HostSignals = ctypes.CFUNCTYPE(None, ctypes.c_long, ctypes.POINTER(ctypes.c_long), Doubles, Doubles)
"""Evaluates signals of some instances: their number, which, times, a row of values for each."""


class SharedSignals(ctypes.Structure):
    """``mb_signals`` in ``mb_batch_inputs.h``, whose arrays are addresses."""

    _fields_ = (
        ("count", ctypes.c_int),
        ("signal", ctypes.c_void_p),
        ("host", HostSignals),
        *((name, ctypes.c_int) for name in ("hosted", "each")),
        *((name, ctypes.c_void_p) for name in ("first_break", "break_time")),
    )


class SharedBatch(ctypes.Structure):
    """``mb_batch`` in ``mb_batch.h``, whose arrays are addresses."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("stages", "estimates", "method")),
        *((name, ctypes.c_void_p) for name in ("a", "c", "error")),
        *((name, ctypes.c_double) for name in ("exponent", "relative", "absolute")),
        ("nominal", ctypes.c_void_p),
        *((name, ctypes.c_double) for name in ("longest_step", "conditioning_threshold")),
        ("times", ctypes.c_long),
        ("time", ctypes.c_void_p),
        *((name, ctypes.c_int) for name in ("columns", "observed")),
        ("column", ctypes.c_void_p),
        ("values", ctypes.c_long),
        *((name, ctypes.c_void_p) for name in ("start", "row", "outcome", "stop")),
        ("own", ctypes.POINTER(SharedPoint)),
        ("mass", ctypes.c_int),
        ("signals", SharedSignals),
    )


class Library:
    """The functions of a compiled library; any number of runs may use them, in any threads."""

    def __init__(self, path: str) -> None:
        functions = ctypes.CDLL(path)
        shared = ctypes.POINTER(Shared)
        self.open = functions.mb_native_open
        self.open.argtypes, self.open.restype = (), shared
        self.place = functions.mb_native_place
        self.place.argtypes, self.place.restype = (shared, Doubles), None
        self.advance = functions.mb_native_advance
        self.advance.argtypes, self.advance.restype = (shared, ctypes.c_double), ctypes.c_int
        self.close = functions.mb_native_close
        self.close.argtypes, self.close.restype = (shared,), None
        self._declare_points(functions)
        self.run_batch = getattr(functions, "mb_batch_run", None)
        if self.run_batch is not None:
            numbers = ctypes.c_long, ctypes.c_long
            self.run_batch.argtypes = ctypes.POINTER(SharedBatch), ctypes.c_void_p, *numbers
            self.run_batch.restype = ctypes.c_long

    def _declare_points(self, functions: ctypes.CDLL) -> None:
        """Declare what ``mb_point.c`` offers; addresses of arrays are given as numbers."""
        analysis, place, point = ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(SharedPoint)
        number = ctypes.c_int
        self.open_point = functions.mb_point_open
        self.open_point.argtypes = number, ctypes.POINTER(ctypes.c_void_p)
        self.open_point.restype = analysis
        self.close_point = functions.mb_point_close
        self.close_point.argtypes, self.close_point.restype = (analysis,), None
        self.has = functions.mb_point_has
        self.has.argtypes, self.has.restype = (number,), number
        self.call = functions.mb_point_call
        self.call.argtypes = analysis, number, point, place, place, place
        self.call.restype = None
        self.configure = functions.mb_point_configure
        self.configure.argtypes = analysis, point, place, place, place, place, place
        self.configure.restype = number
        self.travel = functions.mb_point_travel
        self.travel.argtypes = analysis, point, point, place, place, place
        self.travel.restype = number
        self.start = functions.mb_point_start
        self.start.argtypes = analysis, point, point, number, place, place
        self.start.restype = number
        self.linearize = functions.mb_point_linearize
        self.linearize.argtypes = analysis, point, number, ctypes.POINTER(SharedLinearized)
        self.linearize.restype = number
        into = ctypes.POINTER(SharedLinearized)
        self.map = functions.mb_point_map
        beside = ctypes.POINTER(SharedBeside)
        rows = ctypes.c_long, place
        self.map.argtypes = analysis, point, point, number, *rows, into, beside, place
        self.map.restype = None
        self.hold = functions.mb_point_hold
        self.hold.argtypes = analysis, point, number, number, *rows, place, place
        self.hold.restype = None
        self.visit = functions.mb_point_visit
        self.visit.argtypes = analysis, point, place, place, ctypes.c_long, place, place, place
        self.visit.restype = ctypes.c_long
        self._declare_flows(functions)

    def _declare_flows(self, functions: ctypes.CDLL) -> None:
        """Declare what ``mb_flow.c`` offers."""
        number, flow = ctypes.c_int, ctypes.POINTER(SharedFlow)
        methods = ctypes.POINTER(SharedCollocation), ctypes.POINTER(SharedExplicit)
        self.open_flow = functions.mb_flow_open
        self.open_flow.argtypes = ctypes.c_void_p, *methods, number, number, number, number
        self.open_flow.restype = flow
        self.close_flow = functions.mb_flow_close
        self.close_flow.argtypes, self.close_flow.restype = (flow,), None
        self.begin_flow, self.run_flow = functions.mb_flow_begin, functions.mb_flow_run
        self.flow_dense = functions.mb_flow_dense
        for function in (self.begin_flow, self.run_flow, self.flow_dense):
            function.argtypes, function.restype = (flow,), number


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
        for more in _NESTED[_NESTED.index(extent) :] if extent in _NESTED else (extent,):
            if (more, methods()) in known:
                return known[more, methods()]
        with _announced(equations.name) if announce else _silence():
            path = remembered(_identity(equations, extent)) or compiling(equations, extent)()
        return kept(equations, extent, path)


def compiling(equations: Equations, extent: Extent) -> Callable[[], Path]:
    """Write the C of equations; return what compiles it, in any thread, and returns the file.

    Expressions are no matter for several threads, so all that needs them is done at once.
    """
    identity, source = _identity(equations, extent), _source(equations, extent)
    name = equations.name

    def compile_it() -> Path:
        path = compiled(source, name)
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
        path = remembered(_identity(equations, extent))
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
