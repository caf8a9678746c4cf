"""Integration by compiled equations; the counterpart of `mbcore.evaluation.stepper`.

Where C fails to make a step, Python continues from its beginning: it succeeds, or raises an error
that names the cause. Where a run in C creeps by the rule of Python, C stops, and Python refuses it.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.stepper import Step, StepControl
from mbcore.host.backend import note_compiled
from mbcore.integrators.method import Method
from mbcore.integrators.table import method_named, stand_in_of
from mbcore.native.callbacks import Guarded
from mbcore.native.extents import extent_of
from mbcore.native.flow import what_shows_events
from mbcore.native.library import library
from mbcore.native.shared import Library, SharedStepping
from mbcore.simulation.automatic_stepper import python_stepper

PATIENCE = 10
"""Smallest number of steps in Python after a failure in C; it doubles with each failure."""


class _Why(IntEnum):
    """Why C has returned, as in ``mb_native.h``."""

    AT_END = 0
    NOT_POSSIBLE = 1
    TO_EXAMINE = 2
    ENDED = 3
    NO_MEMORY = 4
    ROWS_READY = 5


@dataclass
class Wanted:
    """The requested rows of results.

    Attributes
    ----------
    times : ndarray or None
        Times of rows, s; None for the ends of steps.
    spacing : float
        Longest distance between rows at steps, s.
    coordinates : bool
        Whether rows have coordinates; else these follow from what rows have.
    next : int
        Index of the next of the times.
    """

    times: np.ndarray | None
    spacing: float
    coordinates: bool
    next: int = 0


class Rows(Step):
    """Completed steps, as the rows of results in them.

    Attributes
    ----------
    table : ndarray, shape (rows, 1 + ns + nu + ny + nx)
        Time, states, inputs, outputs, coordinates if wanted; until the next step.
    discrete : ndarray, shape (changes, 3)
        Changes of discrete variables, or values as before: row, number and value.
    residual : float
        Largest one of the position problem.
    """

    def __init__(
        self,
        before: float,
        point: MovingPoint,
        table: np.ndarray,
        discrete: np.ndarray,
        residual: float,
    ) -> None:
        super().__init__(before, float(point.evaluation.t[0]))
        self.state = point.evaluation.s.copy()
        self.table, self.discrete, self.residual = table, discrete, residual

    @property
    def after_event(self) -> bool:
        """Never: points after events are among the rows."""
        return False


class NativeStepper:
    """Integrates compiled equations.

    Parameters
    ----------
    point : MovingPoint
        The start; it moves along.
    method : Method
        One in C.
    wanted : Wanted
        Which rows are recorded.
    control : StepControl
        Tolerances, and the longest step.
    conditioning_threshold : float
        Conditioning measure, in parts of its best so far, below which ``interrupt`` is called.
    report : callable
        Called with the time now and then.
    announce : bool
        Whether compiling that takes long is announced, on terminals.

    Attributes
    ----------
    interrupt : callable or None
        As that of `Stepper`.
    steps : int
        Steps so far.
    methods : list of (float, str)
        Times, s, from which methods were used, and their names.
    """

    def __init__(
        self,
        point: MovingPoint,
        method: Method,
        wanted: Wanted,
        *,
        control: StepControl,
        conditioning_threshold: float,
        report: Callable[[float], object],
        announce: bool = True,
    ) -> None:
        self.point, self._method, self._wanted = point, method, wanted
        self._control = control
        self.interrupt: Callable[[], bool] | None = None
        self._others = self._counted = 0
        self._patience = PATIENCE
        equations = point.evaluation.equations
        self._library = library(equations, extent_of(method), announce)
        self._run = _opened(self, self._library)
        run = self._run.contents
        longest = control.max_step
        run.steps_asked = SharedStepping(method.name.encode(), control.rtol, control.atol, longest)
        run.conditioning_threshold = conditioning_threshold
        run.spacing, run.with_coordinates = wanted.spacing, wanted.coordinates
        if wanted.times is not None:
            self._times = np.ascontiguousarray(wanted.times, float)
            run.times, run.time_count = _pointer(self._times), self._times.size
        run.gives_inputs = bool(point.signals)
        # keeps alive the functions and arrays whose addresses C has
        self._report_time = report
        self._callbacks = Guarded(self._give_inputs), Guarded(self._report)
        run.input, run.progress = (guarded.callback for guarded in self._callbacks)
        self._shown_by = what_shows_events(equations)
        run.shown_by = self._shown_by.ctypes.data_as(ctypes.POINTER(ctypes.c_int))
        self._largest = np.zeros(len(equations.conditioning_names) or 1)
        self._arrays = {
            name: _view(getattr(run, name), size) for name, size in _sizes(equations).items()
        }
        self._arrays["nominal"][:] = [state.nominal for state in equations.states]
        self._placed: tuple[float, np.ndarray, np.ndarray] | None = None
        self._names = method.automatic and (method.explicit, method.implicit_partner)
        first = self._names[0] if self._names else method.name
        self.methods = [(float(point.evaluation.t[0]), first)]

    @property
    def steps(self) -> int:
        """Steps so far."""
        return self.steps_in_c + self._others

    @property
    def steps_in_c(self) -> int:
        """Those that C has made."""
        return int(self._run.contents.steps)

    def advance(self, end: float) -> Iterator[Step]:
        """Integrate to a time, s; yield completed steps, with the point at their end.

        Raises
        ------
        ConfigurationError, SimulationError
            As `Stepper.advance`.
        """
        e, interrupted = self.point.evaluation, False
        self.point.begin(end, self._control.max_step)
        e.warn()
        while not interrupted and (e.t[0] < end):
            before = float(e.t[0])
            self._place()
            note_compiled()
            why = _Why(self._library.advance(self._run, end))
            self._take()
            yield self._rows(before)
            for guarded in self._callbacks:
                guarded.raise_stored()
            if why is _Why.ENDED:
                raise KeyboardInterrupt
            if why is _Why.NO_MEMORY:
                raise MemoryError(f"{e.equations.name}: no memory for results at t = {e.t[0]:.9g}")
            # Errors are made in one place, in Python: it repeats the step that failed.
            if why is _Why.NOT_POSSIBLE:
                yield from self._by_python(end)
                interrupted = self._interrupted
            elif why is not _Why.ROWS_READY:
                e.warn()
                interrupted = self.interrupt is not None and e.t[0] < end and self.interrupt()

    _interrupted = False

    def _by_python(self, end: float) -> Iterator[Step]:
        """Integrate by SciPy's method past the point where C failed."""
        e = self.point.evaluation
        stepper = python_stepper(self.point, stand_in_of(self._method), self._control)
        run = self._run.contents
        # Python has to go past the point where C failed, so as to meet the same obstacle.
        beyond = float(run.failed_time) if not run.creeps else end
        patience, self._patience = self._patience, 2 * self._patience
        self._interrupted = False

        def is_past() -> bool:
            return stepper.steps >= patience and bool(e.t[0] >= beyond)

        def enough() -> bool:
            self._interrupted = self.interrupt is not None and self.interrupt()
            return self._interrupted or is_past()

        stepper.interrupt, stepper.ends_after_event = enough, is_past
        try:
            yield from stepper.advance(end)
        finally:
            self._others += stepper.steps
            self._placed = None

    def _place(self) -> None:
        """Give C the point, unless it is there."""
        e, run = self.point.evaluation, self._run.contents
        run.next_time = self._wanted.next
        # C keeps its factors and step size while the point is where C left it.
        if (
            self._placed is not None
            and self._placed[0] == e.t[0]
            and np.array_equal(self._placed[1], e.s)
            and np.array_equal(self._placed[2], e.u)
        ):
            return
        run.t = float(e.t[0])
        for name in ("s", "d", "u", "x", "scale"):
            self._arrays[name][:] = getattr(e, name)
        self._arrays["p"][: e.p.size] = e.p
        self._largest[: e.conditioning.scale.size] = e.conditioning.scale
        self._library.place(self._run, _pointer(self._largest))

    def _take(self) -> None:
        """Set the point to the present point of C."""
        e, run = self.point.evaluation, self._run.contents
        e.t[0] = run.t
        for name in ("s", "d", "u", "x"):
            getattr(e, name)[:] = self._arrays[name]
        largest = self._arrays["largest"]
        if largest.size:
            e.conditioning.scale = np.fmax(e.conditioning.scale, largest)
        e.accept()
        self._placed = float(e.t[0]), e.s.copy(), e.u.copy()
        self._wanted.next = run.next_time
        self._take_counts()
        self._take_events()

    def _take_events(self) -> None:
        run = self._run.contents
        names = [event.name for event in self.point.evaluation.equations.events]
        pairs = _view(run.events.value, run.events.count).reshape(-1, 2)
        self.point.events += [(float(t), names[int(i)]) for t, i in pairs]
        run.events.count = 0
        changes = _view(run.changes.value, run.changes.count).reshape(-1, 2)
        self.methods += [(float(t), (self._names or ("", ""))[int(i)]) for t, i in changes]
        run.changes.count = 0

    def _take_counts(self) -> None:
        run = self._run.contents
        self.point.calls += run.evaluations
        self.point.steps += int(run.steps) - self._counted
        run.evaluations, self._counted = 0, int(run.steps)

    def _report(self, t: float) -> None:
        """Report the time, and let C stop where the run creeps."""
        self._report_time(t)
        run = self._run.contents
        self._take_counts()
        self._take_events()
        self.point.note_nearness(run.nearness)
        implicit = method_named(self.methods[-1][1]).implicit
        run.creeps = self.point.creeps(t, implicit)

    def _rows(self, before: float) -> Rows:
        run, equations = self._run.contents, self.point.evaluation.equations
        columns = 1 + sum(map(len, (equations.states, equations.inputs, equations.outputs)))
        columns += len(equations.coordinate_names) if self._wanted.coordinates else 0
        # a copy of what is wanted is made before C goes on
        table = _view(run.rows.value, run.rows.count).reshape(-1, columns)
        discrete = _view(run.discrete.value, run.discrete.count).reshape(-1, 3)
        run.rows.count = run.discrete.count = 0
        return Rows(before, self.point, table, discrete, float(run.residual))

    def _give_inputs(self, t: float) -> None:
        self.point.give_inputs(t, self._run.contents.u)


def _opened(owner: object, functions: Library) -> ctypes._Pointer:
    run = functions.open()
    if not run:
        raise MemoryError("no memory for a run of compiled equations")
    # A pointer of its own: the other one keeps alive what is written through it, callbacks of the
    # owner too, and these keep the owner.
    other = ctypes.cast(ctypes.addressof(run.contents), type(run))
    weakref.finalize(owner, functions.close, other)
    return run


def _sizes(equations: Equations) -> dict[str, int]:
    nx = len(equations.coordinate_names)
    return {
        "s": len(equations.states),
        "nominal": len(equations.states),
        "d": len(equations.discretes),
        "u": len(equations.inputs),
        "p": len(equations.parameters),
        "x": nx,
        "scale": nx,
        "largest": len(equations.conditioning_names),
    }


def _pointer(array: np.ndarray) -> ctypes._Pointer:
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def _view(pointer: ctypes._Pointer, size: int) -> np.ndarray:
    """Return numbers in C as an array, without a copy."""
    return np.ctypeslib.as_array(pointer, (size,)) if size else np.zeros(0)
