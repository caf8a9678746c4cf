"""Inputs of many instances over time, as C evaluates them; see ``mb_batch_inputs.h``.

Piecewise polynomials of SciPy are evaluated in C, and steps end where one or its slope jumps. Other
functions are called from C, with Python's lock.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.interpolate import BSpline, PPoly

from mbcore.model.variables import Input
from mbcore.native.library import HostSignals, SharedSignal, SharedSignals

REMEMBERED = 1 << 14
"""Values that are cached of a function: instances with equal steps ask for the same times."""
JUMP = 1e-9
"""Difference of two pieces where they meet that is no rounding error, relative to the largest."""

Function = Callable[[float], float]


@dataclass(frozen=True)
class Signal:
    """An input that is a function of time.

    Attributes
    ----------
    place : int
        Of the input, in u.
    record : Input
        The input.
    functions : list of callable
        One for all instances, or one for each.
    each : bool
        Whether every instance has its own.
    """

    place: int
    record: Input
    functions: list[Function]
    each: bool

    def of(self, some: np.ndarray) -> Signal:
        """Return the signal of some instances, for which a mask of shape (n,) is true."""
        if not self.each or some.all():
            return self
        return replace(self, functions=[self.functions[k] for k in np.flatnonzero(some)])


class SignalArrays:
    """Signals in the arrays that C reads.

    Parameters
    ----------
    signals : sequence of Signal
        Inputs that are functions of time.
    until : float
        End time, s.
    breaks : sequence of float
        Times at which steps end besides, s.

    Attributes
    ----------
    shared : SharedSignals
        Their addresses.
    """

    def __init__(self, signals: Sequence[Signal], until: float, breaks: Sequence[float]) -> None:
        self._alive: list[Any] = []
        self._hosted: list[tuple[int, Signal, list[Function]]] = []
        self.shared = SharedSignals(count=len(signals))
        records = (SharedSignal * max(1, len(signals)))()
        broken: list[list[np.ndarray]] = [[np.asarray(breaks, float)]]
        for k, signal in enumerate(signals):
            record, about = records[k], signal.record
            record.input, record.each = signal.place, signal.each
            record.low = -sys.float_info.max if about.minimum is None else about.minimum
            record.high = sys.float_info.max if about.maximum is None else about.maximum
            pieces = [polynomial_of(function, until) for function in signal.functions]
            if any(piece is None for piece in pieces):
                self._hosted.append((k, signal, _cached(signal)))
                continue
            known = [piece for piece in pieces if piece is not None]
            self._lay(record, known)
            broken.append([breaks_of(piece, until) for piece in known])
        self.shared.signal = self._keep(records)
        self._lay_breaks(broken)
        self._host = HostSignals(self._evaluate)
        self.shared.host, self.shared.hosted = self._host, bool(self._hosted)

    def _keep(self, array: Any) -> int:
        """Keep an array alive, and return its address."""
        self._alive.append(array)
        address = array.ctypes.data if isinstance(array, np.ndarray) else ctypes.addressof(array)
        return int(address)

    def _lay(self, record: SharedSignal, pieces: Sequence[PPoly]) -> None:
        """Lay polynomials behind each other; rows of coefficients have one length."""
        order = max(len(p.c) for p in pieces)
        rows = [np.pad(p.c.T, ((0, 0), (order - len(p.c), 0))) + 0.0 for p in pieces]
        record.order = order
        record.power = self._keep(np.ascontiguousarray(np.concatenate(rows), float))
        record.knot = self._keep(np.concatenate([p.x[:-1] for p in pieces]).astype(float))
        record.first = self._keep(_offsets([p.c.shape[1] for p in pieces]))

    def _lay_breaks(self, broken: Sequence[Sequence[np.ndarray]]) -> None:
        """Lay the breaks of all signals of an instance behind each other."""
        count = max(len(of_signal) for of_signal in broken)
        lists = [
            np.unique(np.concatenate([b[i if len(b) > 1 else 0] for b in broken]))
            for i in range(count)
        ]
        self.shared.each = count > 1
        self.shared.break_time = self._keep(np.append(np.concatenate(lists), np.inf))
        self.shared.first_break = self._keep(_offsets([len(one) for one in lists]))

    def _evaluate(self, count: int, ids: Any, times: Any, values: Any) -> None:
        """Evaluate Python's functions; NaN where one fails, so that the host tells what it says."""
        width = self.shared.count
        for row in range(count):
            for k, signal, functions in self._hosted:
                try:
                    value = functions[ids[row] if signal.each else 0](times[row])
                except Exception:
                    value = np.nan
                values[row * width + k] = value


def _cached(signal: Signal) -> list[Function]:
    """Return functions, that of all instances with its last values."""
    if signal.each:
        return signal.functions
    return [lru_cache(REMEMBERED)(function) for function in signal.functions]


def polynomial_of(function: Function, until: float) -> PPoly | None:
    """Return a function as a piecewise polynomial in rising knots; None where it is none.

    Parameters
    ----------
    function : callable
        Of time.
    until : float
        End of the times at which it is evaluated, s.
    """
    if isinstance(function, BSpline) and function.c.ndim == 1:
        function = PPoly.from_spline(function, function.extrapolate)
    if not isinstance(function, PPoly) or function.c.ndim != 2 or np.iscomplexobj(function.c):
        return None
    x = function.x
    known = function.extrapolate is True or (x[0] <= 0 and until < x[-1])
    if not known or np.any(np.diff(x) < 0):
        return None
    there = np.append(np.diff(x) > 0, True)  # splines repeat their knots
    return PPoly(function.c[:, there[:-1]], x[there])


def breaks_of(pieces: PPoly, until: float) -> np.ndarray:
    """Return the times within a run where a polynomial or its slope jumps, s."""
    inner, length = pieces.x[1:-1], np.diff(pieces.x)[:-1]
    broken = np.zeros(len(inner), bool)
    for c in (pieces.c, pieces.derivative().c):
        before = np.zeros(len(inner))
        for row in c:
            before = before * length + row[:-1]
        after = c[-1, 1:]
        # an instance's own size, so that no break depends on other instances
        size = np.abs(np.concatenate([before, c[-1]])).max(initial=0.0)
        broken |= np.abs(after - before) > JUMP * size
    return np.asarray(inner[broken & (inner > 0) & (inner < until)])


def _offsets(lengths: Sequence[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(ctypes.c_long)
