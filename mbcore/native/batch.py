"""Many instances of compiled equations at once, in vector lanes and threads; see ``mb_batch.h``."""

from __future__ import annotations

import ctypes
import os
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from mbcore.codegen.model_source.sizes import counts
from mbcore.equations.equations import Equations
from mbcore.equations.functions import EXTRA, FUNCTIONS, number
from mbcore.integrators.method import Method
from mbcore.integrators.tableau import floats
from mbcore.native.library import library, remembered_library
from mbcore.native.point_arrays import PointArrays, author_start
from mbcore.native.shared import Library, SharedBatch, SharedStepping
from mbcore.native.signals import Signal, SignalArrays

PORTION = 64
"""Instances that a thread takes at a time: enough that few lanes are idle at the end of one."""
LOOK = 0.2
"""Seconds after which a wait for threads looks whether it is interrupted."""


class Outcome(IntEnum):
    """Outcome of an instance, as in ``mb_batch.h``."""

    NOT_BEGUN = 0
    DONE = 1
    LEFT_TO_HOST = 2


class Interrupted(KeyboardInterrupt):
    """The user has interrupted instances; what is done of them is kept.

    Attributes
    ----------
    rows, outcome : ndarray
        As `Batch.run` returns them.
    """

    def __init__(self, rows: np.ndarray, outcome: np.ndarray) -> None:
        self.rows, self.outcome = rows, outcome


@dataclass(frozen=True)
class BatchControl:
    """How instances are integrated, and what of them is kept.

    Attributes
    ----------
    method : Method
        One with a tableau.
    rtol, atol : float
        Tolerances, the second in parts of each state's nominal value.
    max_step : float
        Longest step, s, or that of methods with equal steps.
    conditioning_threshold : float
        Conditioning measure, in parts of its best so far, below which an instance is left out.
    times : ndarray
        Of results, s, rising.
    columns : sequence of int
        Places of what is kept in s, d, u and y behind each other.
    breaks : sequence of float
        Times where inputs jump, s: steps end there.
    signals : sequence of Signal
        Inputs that are functions of time.
    """

    method: Method
    rtol: float
    atol: float
    max_step: float
    conditioning_threshold: float
    times: np.ndarray
    columns: Sequence[int]
    breaks: Sequence[float] = ()
    signals: Sequence[Signal] = ()


class Batch:
    """A compiled model of which many instances run at once.

    Parameters
    ----------
    equations : Equations
        The equations.
    announce : bool
        Whether compiling that takes long is announced, on terminals.

    Raises
    ------
    CompilerError
        There is no compiler, it fails, or the cache cannot be written.
    """

    def __init__(self, equations: Equations, announce: bool = True) -> None:
        self._equations = equations
        self._library: Library = library(equations, "batches", announce)
        self._counts = counts(equations)
        self._own = author_start(equations)
        self._nominal = np.array([record.nominal for record in equations.states])

    @property
    def knows_mass(self) -> bool:
        """Whether C finds motions that move no mass; the matrix of large models is not compiled."""
        return bool(self._library.has(_MASS))

    def run(
        self,
        start: np.ndarray,
        control: BatchControl,
        threads: int = 0,
        report: Callable[[int], object] = lambda done: None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Run instances; return their rows, (n, times, columns), and which are done, (n,).

        Parameters
        ----------
        start : ndarray, shape (n, k)
            States, discrete variables, inputs and parameters of each, as C has them.
        control : BatchControl
            How.
        threads : int
            How many; as many as there are processors where it is 0.
        report : callable
            Called with the number of instances that have ended.

        Raises
        ------
        Interrupted
            With what is done.
        """
        shared = self.shared(start, control)
        count = len(start)
        pool = ThreadPoolExecutor(threads or os.cpu_count() or 1)
        portions = [(i, min(i + PORTION, count)) for i in range(0, count, PORTION)]
        try:
            left: set[Future[int]] = {
                pool.submit(self._run_portion, shared, *portion) for portion in portions
            }
            while left:
                ended, left = wait(left, timeout=LOOK, return_when=FIRST_COMPLETED)
                for future in ended:
                    if future.result() < 0:
                        raise MemoryError("no memory for instances of compiled equations")
                report(int(np.count_nonzero(shared.outcome)))
        except KeyboardInterrupt:
            shared.interrupted = True
        finally:
            shared.stop[0] = 1
            pool.shutdown(wait=True, cancel_futures=True)
        if shared.interrupted:
            raise Interrupted(shared.rows, shared.outcome)
        return shared.rows, shared.outcome

    def shared(self, start: np.ndarray, control: BatchControl) -> Instances:
        """Return the data of instances that start so, (n, k), as C has them."""
        shared = Instances(start, control, self._own, self._nominal, self._counts)
        shared.batch.mass = _MASS if self.knows_mass else -1
        return shared

    def open(self) -> Analysis:
        """Return what calls functions in one thread; see `Analysis`."""
        return Analysis(self._library, self._counts)

    def _run_portion(self, shared: Instances, first: int, last: int) -> int:
        """Run a portion in this thread; return its steps, -1 without memory."""
        if shared.stop[0]:
            return 0
        analysis = self.open()
        try:
            return analysis.run(shared.batch, first, last)
        finally:
            analysis.close()


_MASS = list(FUNCTIONS).index("mass")


class Analysis:
    """Caller of the functions of a library in one thread, with room of its own."""

    def __init__(self, functions: Library, sizes: dict[str, int]) -> None:
        self._library = functions
        self._extra = [np.zeros(max(1, number(size, sizes))) for size in EXTRA.values()]
        given = (ctypes.c_void_p * len(EXTRA))(*(array.ctypes.data for array in self._extra))
        self._opened = functions.open_point(len(FUNCTIONS), given)

    def run(self, batch: SharedBatch, first: int, last: int) -> int:
        """Run instances up to the last; return their steps, -1 without memory."""
        if not self._opened:
            return -1
        assert self._library.run_batch is not None
        return int(self._library.run_batch(ctypes.byref(batch), self._opened, first, last))

    def close(self) -> None:
        """Give the room back."""
        if self._opened:
            self._library.close_point(self._opened)
        self._opened = None


class Instances:
    """Data that all threads share: arrays, and their addresses for C."""

    def __init__(
        self,
        start: np.ndarray,
        control: BatchControl,
        own: PointArrays,
        nominal: np.ndarray,
        sizes: dict[str, int],
    ) -> None:
        self.rows = np.full((len(start), len(control.times), len(control.columns)), np.nan)
        self.outcome = np.zeros(len(start), np.uint8)
        self.stop = np.zeros(1, np.int32)
        self.interrupted = False
        tableau = control.method.tableau
        assert tableau is not None, "only explicit methods are in lanes"
        observed = sizes["ns"] + sizes["nd"] + sizes["nu"]
        arrays = {
            "a": np.vstack([tableau.array(), floats(tableau.b)]),
            "c": floats(tableau.c),
            "error": np.array([floats(row) for row in tableau.errors]).reshape(-1),
            "time": control.times,
            "start": start,
            "row": self.rows,
            "nominal": nominal,
        }
        self.start = np.ascontiguousarray(start, float)
        arrays["start"] = self.start
        self._arrays = {name: np.ascontiguousarray(a, float) for name, a in arrays.items()}
        self._column = np.array(control.columns, np.int32)
        batch = self.batch = SharedBatch()
        for name, array in self._arrays.items():
            setattr(batch, name, array.ctypes.data)
        batch.column = self._column.ctypes.data
        batch.outcome, batch.stop = self.outcome.ctypes.data, self.stop.ctypes.data
        batch.stages, batch.estimates = tableau.stages, len(tableau.errors)
        batch.exponent = 1 / (tableau.error_order + 1) if tableau.errors else 0.0
        batch.steps = SharedStepping(
            control.method.name.encode(), control.rtol, control.atol, control.max_step
        )
        batch.conditioning_threshold = control.conditioning_threshold
        batch.times, batch.columns = len(control.times), len(control.columns)
        batch.observed = any(place >= observed for place in control.columns)
        batch.values = start.shape[1] if start.ndim == 2 else 0
        self._signals = SignalArrays(control.signals, float(control.times[-1]), control.breaks)
        batch.signals = self._signals.shared
        batch.own = ctypes.pointer(own.shared)


_KNOWN: weakref.WeakKeyDictionary[Equations, Batch | None] = weakref.WeakKeyDictionary()


def batch_of(equations: Equations, compile_it: bool) -> Batch | None:
    """Return equations in lanes; None where they are not compiled and are not to be.

    Raises
    ------
    CompilerError
        They are to be compiled and cannot be.
    """
    found = _KNOWN.get(equations)
    if found is None and (compile_it or equations not in _KNOWN):
        if compile_it or remembered_library(equations, "batches") is not None:
            found = Batch(equations)
        _KNOWN[equations] = found
    return found
