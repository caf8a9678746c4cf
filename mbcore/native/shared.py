"""Shared with compiled equations: the layout of data, and the library's functions."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, Structure, c_char_p, c_double, c_int, c_long, c_void_p
from typing import Any

from mbcore.native.callbacks import Callback

Doubles = POINTER(c_double)


def _fields(*groups: tuple[Any, str]) -> tuple[tuple[str, Any], ...]:
    """Return the fields of a structure: names behind their type, as C has them."""
    return tuple((name, kind) for kind, names in groups for name in names.split())


class SharedList(Structure):
    """``mb_list`` in ``mb_native.h``."""

    _fields_ = _fields((Doubles, "value"), (c_long, "count room"))


class SharedPoint(Structure):
    """``mb_point`` in ``mb_types.h``."""

    _fields_ = _fields((c_double, "t"), (Doubles, "values s d u p x"))


class SharedLinearized(Structure):
    """``mb_linearized`` in ``mb_point.h``, whose fields are addresses."""

    _fields_ = _fields((c_void_p, "rate output mass rates depends nominal"))


class SharedBeside(Structure):
    """``mb_beside`` in ``mb_point.h``."""

    _fields_ = _fields(
        (c_int, "count"),
        (c_double, "rest"),
        (c_void_p, "span share state"),
        (SharedLinearized, "at"),
        (c_void_p, "turns"),
    )


class SharedCollocation(Structure):
    """``mb_collocation`` in ``mb_flow.h``."""

    _fields_ = _fields(
        (c_int, "stages iterations"),
        (c_void_p, "node matrix error"),
        (c_double, "gamma safety shrink grow farthest accuracy doubtful rounding just_over"),
        (c_double, "divided first small least"),
    )


class SharedExplicit(Structure):
    """``mb_explicit`` in ``mb_flow.h``."""

    _fields_ = _fields(
        (c_int, "stages all terms"),
        (c_void_p, "node matrix error_5 error_3 dense"),
        (c_double, "safety shrink grow exponent least"),
    )


class SharedStepping(Structure):
    """``mb_stepping`` in ``mb_native.h``."""

    _fields_ = _fields((c_char_p, "method"), (c_double, "relative absolute longest_step"))


class SharedFlow(Structure):
    """The first part of ``mb_flow`` in ``mb_flow.h``; addresses of arrays are given as numbers."""

    _fields_ = _fields(
        (POINTER(SharedCollocation), "collocation"),
        (POINTER(SharedExplicit), "explicit_steps"),
        (c_void_p, "factorize solve"),
        (c_int, "columns felts starts varied numbers discretes"),
        (c_void_p, "felt value number"),
        (c_double, "relative longest_step until"),
        (c_void_p, "absolute"),
        (Callback, "input"),
        (c_void_p, "signals"),
        (c_int, "most_steps recorded parts remembered_change indicator_change jump_change"),
        (c_void_p, "shown_by"),
        (c_double, "input_span together steepest"),
        (c_void_p, "nominal"),
        (POINTER(SharedPoint), "origin"),
        (c_void_p, "scale branch lowest highest size largest"),
        (POINTER(SharedPoint), "at"),
        (c_double, "t"),
        (Doubles, "y step term"),
        (c_double, "last next"),
        (c_long, "evaluations steps"),
        (SharedList, "noted happened"),
        (c_double, "jumps"),
    )


class Shared(Structure):
    """The first part of ``mb_native`` in ``mb_native.h``, which says what the fields mean."""

    _fields_ = _fields(
        (SharedStepping, "steps_asked"),
        (c_double, "spacing conditioning_threshold"),
        (c_int, "gives_inputs with_coordinates"),
        (Doubles, "times"),
        (c_long, "time_count next_time"),
        (POINTER(c_int), "shown_by"),
        (Callback, "input progress"),
        (c_double, "t"),
        (Doubles, "s d u p x scale largest nominal"),
        (c_long, "steps evaluations creeps"),
        (c_double, "residual failed_time nearness"),
        (SharedList, "rows events changes discrete"),
    )


class SharedSignal(Structure):
    """``mb_signal`` in ``mb_signals.h``, whose arrays are addresses."""

    _fields_ = _fields(
        (c_int, "input order each"), (c_void_p, "first knot power"), (c_double, "low high")
    )


HostSignals = ctypes.CFUNCTYPE(None, c_long, POINTER(c_long), Doubles, Doubles)
"""Evaluates signals of some instances: their number, which, times, a row of values for each."""


class SharedSignals(Structure):
    """``mb_signals`` in ``mb_signals.h``, whose arrays are addresses."""

    _fields_ = _fields(
        (c_int, "count"),
        (c_void_p, "signal"),
        (HostSignals, "host"),
        (c_int, "hosted each"),
        (c_void_p, "first_break break_time"),
    )


class SharedBatch(Structure):
    """``mb_batch`` in ``mb_batch.h``, whose arrays are addresses."""

    _fields_ = _fields(
        (SharedStepping, "steps"),
        (c_int, "stages estimates"),
        (c_void_p, "a c error"),
        (c_double, "exponent"),
        (c_void_p, "nominal"),
        (c_double, "conditioning_threshold"),
        (c_long, "times"),
        (c_void_p, "time"),
        (c_int, "columns observed"),
        (c_void_p, "column"),
        (c_long, "values"),
        (c_void_p, "start row outcome stop"),
        (POINTER(SharedPoint), "own"),
        (c_int, "mass"),
        (SharedSignals, "signals"),
        (c_void_p, "begun kept resumed"),
    )


class Library:
    """The functions of a compiled library; any number of runs may use them, in any threads.

    Addresses of arrays are given to ``mb_point*.c`` as numbers. ``run_batch`` is None where the
    library has no lanes, and libraries for runs alone have no flows.
    """

    def __init__(self, path: str) -> None:
        functions = ctypes.CDLL(path)

        def found(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
            function = getattr(functions, name)
            function.argtypes, function.restype = arguments, result
            return function

        run = POINTER(Shared)
        self.open = found("mb_native_open", run)
        self.place = found("mb_native_place", None, run, Doubles)
        self.advance = found("mb_native_advance", c_int, run, c_double)
        self.close = found("mb_native_close", None, run)

        analysis, array, point = c_void_p, c_void_p, POINTER(SharedPoint)
        at, rows = (analysis, point), (c_long, array)
        linearized, beside = POINTER(SharedLinearized), POINTER(SharedBeside)
        self.open_point = found("mb_point_open", analysis, c_int, POINTER(c_void_p))
        self.close_point = found("mb_point_close", None, analysis)
        self.has = found("mb_point_has", c_int, c_int)
        self.call = found("mb_point_call", None, analysis, c_int, point, *[array] * 3)
        self.changes = found("mb_point_changes", None, *at, c_int, c_int, *[array] * 3)
        self.configure = found("mb_point_configure", c_int, *at, *[array] * 5)
        self.travel = found("mb_point_travel", c_int, *at, point, *[array] * 3)
        self.start = found("mb_point_start", c_int, *at, point, c_int, *[array] * 2)
        self.linearize = found("mb_point_linearize", c_int, *at, c_int, linearized)
        self.map = found("mb_point_map", None, *at, point, c_int, *rows, linearized, beside, array)
        self.hold = found("mb_point_hold", None, *at, c_int, c_int, *rows, array, array)
        self.visit = found("mb_point_visit", c_long, *at, array, array, *rows, array, array)

        self.run_batch: Callable[..., Any] | None = None
        if not hasattr(functions, "mb_flow_open"):
            return
        flow = POINTER(SharedFlow)
        methods = POINTER(SharedCollocation), POINTER(SharedExplicit)
        self.open_flow = found("mb_flow_open", flow, analysis, *methods, *[c_int] * 4)
        self.close_flow = found("mb_flow_close", None, flow)
        self.begin_flow = found("mb_flow_begin", c_int, flow)
        self.run_flow = found("mb_flow_run", c_int, flow)
        self.flow_dense = found("mb_flow_dense", c_int, flow)

        batch = POINTER(SharedBatch), analysis, c_long, c_long
        if hasattr(functions, "mb_batch_run"):
            self.run_batch = found("mb_batch_run", c_long, *batch)
