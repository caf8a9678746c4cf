"""Flows in C: steps of the state with its derivative; ``mb_flow.h`` says what fields mean."""

from __future__ import annotations

import ctypes
import itertools
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from math import prod
from typing import Literal

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.model.variables import Discrete, State
from mbcore.native.callbacks import Callback, Guarded
from mbcore.native.flow_methods import CollocationMethod, ExplicitMethod, in_c
from mbcore.native.point import CompiledPoint
from mbcore.native.point_arrays import PointArrays
from mbcore.native.shared import SharedList
from mbcore.native.signals import SignalArrays

STEPS = 50
"""Most steps of one call, after which Python counts evaluations and may be interrupted."""
Recorded = Literal[False, True, "all"]
"""Whether steps are noted, of the states alone or of all values."""
RECORDED: dict[Recorded, int] = {False: 0, True: 1, "all": 2}
"""Its number in ``mb_flow.h``."""


class Outcome(IntEnum):
    """Outcome of an integration, as in ``mb_flow.h``."""

    STEPPED = 0
    TO_EXAMINE = 1
    STUCK = 2
    ENDED = 3
    JUMPED = 4
    NO_MEMORY = 5


@dataclass(frozen=True)
class EventRules:
    """How events are sought and passed.

    Attributes
    ----------
    parts : int
        Parts of a step at whose ends indicators are checked.
    input_span : float
        Time over which the slope of an input is taken, each side, s.
    together : float
        Relative difference up to which indicators agree on the time of an event.
    steepest : float
        Entry of a saltation matrix, in nominal values, above which an event grazes.
    """

    parts: int
    input_span: float
    together: float
    steepest: float


@dataclass(frozen=True)
class Noted:
    """A recorded step.

    Attributes
    ----------
    begin, end : float
        Of its polynomial, s.
    reached : float
        Up to where it holds, s.
    modes : ndarray, shape (nd,)
        Discrete variables in it.
    polynomial : ndarray, shape (rows, n)
        Result of `CompiledFlow.polynomial`, of the states alone where no more is recorded.
    """

    begin: float
    end: float
    reached: float
    modes: np.ndarray
    polynomial: np.ndarray


@dataclass(frozen=True)
class Columns:
    """The requested derivatives.

    Attributes
    ----------
    felt : sequence of int
        States on which rates depend; remembered numbers are counted behind the others.
    starts : int
        Number of columns by start values: all that are felt, or fewer.
    varied : sequence of int
        Places of the varied quantity in a variation (s, t, u, p).
    numbers : sequence of int
        Discrete variables that are remembered numbers, states without a rate.
    discretes : int
        Place of the first discrete variable in a variation (s, t, u, p, d).
    wanted : bool
        Whether any are wanted; else ``felt`` serves Newton's method alone.
    """

    felt: Sequence[int]
    starts: int
    varied: Sequence[int]
    numbers: Sequence[int]
    discretes: int
    wanted: bool

    @property
    def count(self) -> int:
        """Number of columns, -1 for none at all."""
        return self.starts + len(self.varied) if self.wanted else -1


@dataclass(frozen=True)
class Search:
    """Where configurations are sought from, and how.

    Attributes
    ----------
    accepted : list of ndarray
        Time, states, discrete variables, inputs, parameters and configuration.
    scale : ndarray, shape (nx,)
        Sizes of the coordinates.
    branch : ndarray, shape (nr,)
        Signs of the conditioning measures.
    lowest, highest : ndarray, shape (nr,)
        Extremes of the sizes of these measures since then.
    size, largest : ndarray, shape (nr,)
        Sizes there, and the largest ones at any accepted point.
    """

    accepted: list[np.ndarray]
    scale: np.ndarray
    branch: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray
    size: np.ndarray
    largest: np.ndarray


class CompiledFlow:
    """Integrates compiled equations with derivatives; the point moves along.

    Parameters
    ----------
    point : CompiledPoint
        The point.
    method : CollocationMethod or ExplicitMethod
        How steps are made.
    columns : Columns
        Derivatives that are wanted.
    rules : EventRules
        How events are sought and passed.
    give_inputs : callable or None
        Writes inputs that are functions of time, s, to the point.
    record : bool or "all"
        Whether all steps are noted, of the states alone or of all values.
    signals : SignalArrays, optional
        The same inputs where all are polynomials: these are evaluated in C.

    Attributes
    ----------
    y : ndarray
        States, remembered numbers behind them, columns row by row, integral of the trace.

    Raises
    ------
    MemoryError
        There is not enough memory.
    """

    def __init__(
        self,
        point: CompiledPoint,
        method: CollocationMethod | ExplicitMethod,
        columns: Columns,
        rules: EventRules,
        give_inputs: Callable[[float], object] | None,
        record: Recorded = False,
        signals: SignalArrays | None = None,
    ) -> None:
        self._library, self.method = point.library, method
        shared_method = in_c(method)
        implicit = isinstance(method, CollocationMethod)
        methods = (shared_method, None) if implicit else (None, shared_method)
        varied, numbers = len(columns.varied) if columns.wanted else 0, len(columns.numbers)
        sizes = columns.count, varied, numbers, rules.parts
        opened = self._library.open_flow(point.analysis, *methods, *sizes)
        if not opened:
            raise MemoryError("no memory for a flow of compiled equations")
        # the point's analysis is freed after it
        weakref.finalize(self, _close, self._library.close_flow, opened, (point, shared_method))
        self._flow, shared = opened, opened.contents
        shared.factorize, shared.solve = _lapack("dgetrf"), _lapack("dgetrs")
        places = columns.felt, columns.varied, columns.numbers
        self._places = [np.array(part, np.intc) for part in places]
        shared.felt, shared.value, shared.number = (part.ctypes.data for part in self._places)
        shared.felts, shared.discretes = len(columns.felt), columns.discretes
        shared.most_steps, shared.recorded = STEPS, RECORDED[record]
        self._take_rules(point, columns, rules)
        self._inputs = None if give_inputs is None else Guarded(give_inputs)
        shared.input = Callback() if self._inputs is None else self._inputs.callback
        self._signals = signals
        shared.signals = None if signals is None else ctypes.addressof(signals.shared)
        shared.at = point.at
        self._from = PointArrays(point.equations)
        shared.origin = ctypes.pointer(self._from.shared)
        n = len(point.equations.states) + numbers
        size = n if columns.count < 0 else n + n * columns.count + 1
        self.y = _view(shared.y, (size,))
        self._noted_values = size if record == "all" else n
        rows = method.node.size + 1 if implicit else 1
        self._step = _view(shared.step, (rows, size))
        terms = 0 if isinstance(method, CollocationMethod) else method.terms
        self._term = _view(shared.term, (terms, size)) if terms else np.zeros((0, size))

    def _take_rules(self, point: CompiledPoint, columns: Columns, rules: EventRules) -> None:
        """Give C what it needs at events."""
        shared = self._flow.contents
        for name in ("input_span", "together", "steepest"):
            setattr(shared, name, getattr(rules, name))
        for name in ("remembered_change", "indicator_change", "jump_change"):
            setattr(shared, name, point.place(name))
        records = point.equations
        self._shown_by = what_shows_events(records)
        numbers: list[State | Discrete] = [records.discretes[i] for i in columns.numbers]
        self._nominal = np.array([r.nominal or 1.0 for r in [*records.states, *numbers]])
        shared.shown_by, shared.nominal = self._shown_by.ctypes.data, self._nominal.ctypes.data

    def seek_from(self, search: Search) -> None:
        """Seek configurations from a point from now on."""
        shared = self._flow.contents
        for array, value in zip(self._held(), search.accepted, strict=True):
            array[:] = value
        names = ("scale", "branch", "lowest", "highest", "size", "largest")
        self._measures = {name: getattr(search, name).copy() for name in names}
        for name, array in self._measures.items():
            setattr(shared, name, array.ctypes.data)

    def search(self) -> Search:
        """Return where configurations are sought from now: at the begin of the last step."""
        measures = {name: array.copy() for name, array in self._measures.items()}
        return Search([array.copy() for array in self._held()], **measures)

    def _held(self) -> list[np.ndarray]:
        held = self._from
        return [held.t, held.s, held.d, held.u, held.p, held.x]

    def begin(self, t: float, until: float, rtol: float, atol: np.ndarray, longest: float) -> bool:
        """Begin at ``y`` and a time, s, with tolerances; return whether there are rates there."""
        shared = self._flow.contents
        shared.t, shared.until, shared.relative, shared.longest_step = t, until, rtol, longest
        self._absolute = np.ascontiguousarray(atol)
        shared.absolute = self._absolute.ctypes.data
        return self._outcome(self._library.begin_flow(self._flow)) == Outcome.STEPPED

    def run(self) -> Outcome:
        """Go on up to a step that is to be examined, or the end; some steps at least.

        Behind an event the point is accepted, and the flow begins again from there.
        """
        return self._outcome(self._library.run_flow(self._flow))

    def _outcome(self, number: int) -> Outcome:
        if self._inputs is not None:
            self._inputs.raise_stored()
        if number == Outcome.ENDED:
            raise KeyboardInterrupt
        if number == Outcome.NO_MEMORY:
            raise MemoryError("no memory for the steps of a flow")
        return Outcome(number)

    def polynomial(self) -> np.ndarray | None:
        """Return the last step's polynomial: its values, (s + 1, size), or the begin and terms.

        None where an explicit step has none.
        """
        if isinstance(self.method, CollocationMethod):
            return self._step.copy()
        if not self._library.flow_dense(self._flow):
            if self._inputs is not None:
                self._inputs.raise_stored()
            return None
        return np.concatenate([self._step[:1], self._term])

    def noted(self) -> list[Noted]:
        """Return all recorded steps of the last call but its last, and those up to events."""
        modes, size = self._from.d.size, (len(self._step) + len(self._term), self._noted_values)
        return [
            Noted(
                float(row[0]),
                float(row[1]),
                float(row[2]),
                row[3 : 3 + modes],
                row[3 + modes :].reshape(size),
            )
            for row in _rows(self._flow.contents.noted, 3 + modes + prod(size))
        ]

    def happened(self) -> list[tuple[float, int]]:
        """Return times, s, and numbers of the events that the last call has passed."""
        return [(float(t), int(event)) for t, event in _rows(self._flow.contents.happened, 2)]

    @property
    def jumps(self) -> float:
        """Product of the determinants of their saltation matrices."""
        return float(self._flow.contents.jumps)

    @property
    def t(self) -> float:
        """Time, s."""
        return float(self._flow.contents.t)

    @property
    def last(self) -> float:
        """Length of the last step, s."""
        return float(self._flow.contents.last)

    def take_counts(self) -> tuple[int, int]:
        """Return how many evaluations of rates and steps there were since this was asked last."""
        shared = self._flow.contents
        counts = int(shared.evaluations), int(shared.steps)
        shared.evaluations = shared.steps = 0
        return counts


def what_shows_events(equations: Equations) -> np.ndarray:
    """Return which discrete variables show that events have happened, as integers.

    They are a list for each event, one behind the other; before them stands where each list begins
    and where the last one ends.
    """
    places = {record.name: i for i, record in enumerate(equations.discretes)}
    shown_by = [sorted(places[name] for name in event.shown_by) for event in equations.events]
    begins = np.cumsum([len(shown_by) + 1, *map(len, shown_by)])
    return np.array([*begins, *itertools.chain(*shown_by)], np.intc)


def _rows(noted: SharedList, size: int) -> np.ndarray:
    """Return a copy of what C has noted, in rows."""
    if not noted.count:
        return np.zeros((0, size))
    return _view(noted.value, (noted.count,)).copy().reshape(-1, size)


@cache
def _lapack(name: str) -> int:
    """Return the address of a function of LAPACK, as SciPy offers it to compiled code."""
    from scipy.linalg import cython_lapack  # imported on demand

    capsule = cython_lapack.__pyx_capi__[name]
    title = ctypes.pythonapi.PyCapsule_GetName
    title.argtypes, title.restype = (ctypes.py_object,), ctypes.c_char_p
    place = ctypes.pythonapi.PyCapsule_GetPointer
    place.argtypes, place.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
    return int(place(capsule, title(capsule)))


def _close(close: Callable[[object], None], flow: object, _kept: object) -> None:
    close(flow)


def _view(place: ctypes._Pointer, shape: tuple[int, ...]) -> np.ndarray:
    return np.ctypeslib.as_array(place, shape)
