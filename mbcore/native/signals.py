"""Inputs of many instances over time, as C evaluates them; see ``mb_signals.h``.

Piecewise polynomials of SciPy are evaluated in C, and steps end where one or its slope jumps. Other
functions are called from C, with Python's lock.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import factorial
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from mbcore.model.variables import Input
from mbcore.native.shared import HostSignals, SharedSignal, SharedSignals

if TYPE_CHECKING:
    from scipy.interpolate import BSpline, PPoly

REMEMBERED = 1 << 14
"""Values that are cached of a function: instances with equal steps ask for the same times."""
JUMP = 1e-9
"""Least difference of two pieces at their joint above rounding, relative to the largest."""

Function = Callable[[float], float]


class Columns(Sequence[Function]):
    """Functions of many instances: columns of what a piecewise polynomial gives.

    Parameters
    ----------
    pieces : PPoly
        With values of shape (n,), and knots for all instances.
    """

    def __init__(self, pieces: PPoly) -> None:
        self.pieces = pieces

    def __len__(self) -> int:
        return int(self.pieces.c.shape[2])

    def __getitem__(self, k: Any) -> Any:
        pieces = self.pieces
        return scipy.interpolate.PPoly(pieces.c[:, :, k], pieces.x, pieces.extrapolate)

    def some(self, mask: np.ndarray) -> Columns:
        """Return those for which a mask of shape (n,) is true."""
        return Columns(self[np.flatnonzero(mask)])


@dataclass(frozen=True)
class Signal:
    """An input that is a function of time.

    Attributes
    ----------
    place : int
        Of the input, in u.
    record : Input
        The input.
    functions : sequence of callable
        One for all instances, or one for each.
    each : bool
        Whether every instance has its own.
    """

    place: int
    record: Input
    functions: Sequence[Function]
    each: bool

    def of(self, some: np.ndarray) -> Signal:
        """Return the signal of some instances, for which a mask of shape (n,) is true."""
        if not self.each or some.all():
            return self
        if isinstance(self.functions, Columns):
            return replace(self, functions=self.functions.some(some))
        return replace(self, functions=[self.functions[int(k)] for k in np.flatnonzero(some)])

    def polynomials(self, until: float) -> list[PPoly] | None:
        """Return polynomials that give the functions up to a time, s; None if one is none.

        Those of columns are one, whose values are of shape (n,); others' values are numbers.
        """
        if isinstance(self.functions, Columns):
            whole = _in_rising_knots(self.functions.pieces, until)
            return None if whole is None else [whole]
        found = [polynomial_of(function, until) for function in self.functions]
        known = [pieces for pieces in found if pieces is not None]
        return known if len(known) == len(found) else None


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
        count = max([len(signal.functions) for signal in signals if signal.each], default=1)
        broken = [_to_all(np.asarray(breaks, float), count)]
        for k, signal in enumerate(signals):
            record, about = records[k], signal.record
            record.input, record.each = signal.place, signal.each
            record.low = -sys.float_info.max if about.minimum is None else about.minimum
            record.high = sys.float_info.max if about.maximum is None else about.maximum
            known = signal.polynomials(until)
            if known is None:
                self._hosted.append((k, signal, _cached(signal)))
                continue
            self._lay(record, known)
            for first, pieces in enumerate(known):
                of, times = breaks_of(pieces, until)
                broken.append((of + first, times) if signal.each else _to_all(times, count))
        self.shared.signal = self._keep(records)
        self._lay_breaks(broken, count)
        self._host = HostSignals(self._evaluate)
        self.shared.host, self.shared.hosted = self._host, bool(self._hosted)

    def _keep(self, array: Any) -> int:
        """Keep an array alive, and return its address."""
        self._alive.append(array)
        address = array.ctypes.data if isinstance(array, np.ndarray) else ctypes.addressof(array)
        return int(address)

    def _lay(self, record: SharedSignal, pieces: Sequence[PPoly]) -> None:
        """Lay polynomials behind each other; rows of coefficients have one length."""
        record.order = order = max(len(p.c) for p in pieces)
        rows, knots, counts = [], [], []
        for p in pieces:
            columns = p.c.reshape(*p.c.shape[:2], -1)  # coefficients, pieces, instances
            padded = np.pad(columns, ((order - len(p.c), 0), (0, 0), (0, 0))) + 0.0
            rows.append(padded.T.reshape(-1, order))
            knots.append(np.tile(p.x[:-1], columns.shape[2]))
            counts += [columns.shape[1]] * columns.shape[2]
        record.power = self._keep(np.ascontiguousarray(np.concatenate(rows), float))
        record.knot = self._keep(np.concatenate(knots).astype(float))
        record.first = self._keep(_offsets(counts))

    def _lay_breaks(self, broken: Sequence[tuple[np.ndarray, np.ndarray]], count: int) -> None:
        """Lay the breaks of all signals of an instance behind each other.

        Parameters
        ----------
        broken : sequence of tuple of ndarray
            Instances, and when they have a break.
        count : int
            Number of instances, 1 where they share all signals.
        """
        of, times = (np.concatenate(part) for part in zip(*broken, strict=True))
        order = np.lexsort((times, of))
        of, times = of[order], times[order]
        new = np.append(True, (np.diff(of) != 0) | (np.diff(times) != 0))[: len(of)]
        self.shared.each = count > 1
        self.shared.break_time = self._keep(np.append(times[new], np.inf))
        self.shared.first_break = self._keep(_offsets(np.bincount(of[new], minlength=count)))

    def _evaluate(self, count: int, ids: Any, times: Any, values: Any) -> None:
        """Evaluate Python's functions; NaN where one fails, so that the host tells what it says."""
        width = self.shared.count
        for row in range(count):
            for k, signal, functions in self._hosted:
                try:
                    value = float(functions[ids[row] if signal.each else 0](times[row]))
                except Exception:
                    value = np.nan
                values[row * width + k] = value


def _cached(signal: Signal) -> list[Function]:
    """Return functions, that of all instances with its last values."""
    if signal.each:
        return [*signal.functions]
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
    if isinstance(function, scipy.interpolate.BSpline):
        function = pieces_of(function)
    if not isinstance(function, scipy.interpolate.PPoly) or function.c.ndim != 2:
        return None
    return _in_rising_knots(function, until)


def pieces_of(spline: BSpline) -> PPoly:
    """Return a spline as a piecewise polynomial, whatever its values' shape is.

    Knots inside may be repeated, where the spline or a derivative jumps.
    """
    k, knots = spline.k, np.unique(spline.t[spline.k : len(spline.t) - spline.k])
    # The axis of time is the first.
    of_time = scipy.interpolate.BSpline(spline.t, spline.c, k, spline.extrapolate)
    powers = [of_time(knots[:-1], nu=m) / factorial(m) for m in range(k, -1, -1)]
    return scipy.interpolate.PPoly(np.stack(powers), knots, spline.extrapolate)


def _in_rising_knots(pieces: PPoly, until: float) -> PPoly | None:
    x = pieces.x
    known = pieces.extrapolate is True or (x[0] <= 0 and until < x[-1])
    if not known or np.any(np.diff(x) < 0) or np.iscomplexobj(pieces.c):
        return None
    there = np.append(np.diff(x) > 0, True)
    return scipy.interpolate.PPoly(pieces.c[:, there[:-1]], x[there])


def breaks_of(pieces: PPoly, until: float) -> tuple[np.ndarray, np.ndarray]:
    """Return which polynomials or their slopes jump within a run, and when, s.

    Polynomials are numbered as their values, from 0.
    """
    inner, length = pieces.x[1:-1, None], np.diff(pieces.x)[:-1, None]
    c = pieces.c.reshape(*pieces.c.shape[:2], -1)
    broken = np.zeros((len(inner), c.shape[2]), bool)
    for terms in (c, c[:-1] * np.arange(len(c) - 1, 0, -1)[:, None, None]):
        before = np.zeros_like(c[0, :-1])
        for row in terms:
            before = before * length + row[:-1]
        after = terms[-1] if len(terms) else np.zeros_like(c[0])
        # an instance's own size, so that no break depends on other instances
        size = np.abs(np.concatenate([before, after])).max(axis=0, initial=0.0)
        broken |= np.abs(after[1:] - before) > JUMP * size
    of, at = np.nonzero((broken & (inner > 0) & (inner < until)).T)
    return of, inner[at, 0]


def _to_all(times: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return times as breaks of all instances."""
    return np.repeat(np.arange(count), len(times)), np.tile(times, count)


def _offsets(lengths: Sequence[int] | np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(ctypes.c_long)
