"""A run that begins in Python and goes on in C; what `backend="auto"` makes its steps by.

Used by `mbcore.simulation.backends` alone, which chooses; this is how a run changes hands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mbcore.evaluation.stepper import Step, Stepper
from mbcore.simulation.automatic_stepper import AutomaticStepper
from mbcore.simulation.native_stepper import NativeStepper


class Handover:
    """Integrates in Python until the equations are compiled, then in C.

    Whether they are compiled is asked at each accepted point. There it is estimated, too, how much
    Python would have to do to the end, so that a run that ends sooner is not compiled for.

    Parameters
    ----------
    first : Stepper or AutomaticStepper
        Makes the steps in Python.
    make_native : callable
        Makes the stepper in C, at the point that the first one has reached.
    until : float
        End of the run, s; infinite where that is not known.

    Attributes
    ----------
    interrupt : callable or None
        As that of `Stepper`.
    """

    def __init__(
        self,
        first: Stepper | AutomaticStepper,
        make_native: Callable[[], NativeStepper],
        until: float,
    ) -> None:
        self._first, self._make_native, self._until = first, make_native, until
        self._since = self._next = float(first.point.evaluation.t[0]), first.point.evaluation.work
        self._native: NativeStepper | None = None
        self._interrupted = False
        self.interrupt: Callable[[], bool] | None = None
        first.interrupt, first.ends_after_event = self._is_enough, self._is_compiled

    @property
    def steps(self) -> int:
        """Steps so far."""
        return self._first.steps + (0 if self._native is None else self._native.steps)

    @property
    def steps_in_c(self) -> int:
        """Those that C has made."""
        return 0 if self._native is None else self._native.steps_in_c

    @property
    def methods(self) -> list[tuple[float, str]]:
        """Times, s, from which methods were used, and their names."""
        return [*self._first.methods, *([] if self._native is None else self._native.methods)]

    def advance(self, end: float) -> Iterator[Step]:
        """Integrate to a time, s; yield completed steps, with the point at their end.

        Raises
        ------
        ConfigurationError, SimulationError
            As `Stepper.advance`.
        """
        self._interrupted = False
        if self._native is None:
            yield from self._first.advance(end)
            if self._interrupted or not self._first.point.evaluation.t[0] < end:
                return
            self._native = self._make_native()
        self._native.interrupt = self.interrupt
        yield from self._native.advance(end)

    def _is_enough(self) -> bool:
        self._estimate()
        self._interrupted = self.interrupt is not None and self.interrupt()
        return self._interrupted or self._is_compiled()

    def _estimate(self) -> None:
        """Note how much Python would have to do, at the pace of the later half of its work."""
        e = self._first.point.evaluation
        t, work = float(e.t[0]), e.work
        (before, done), (_, latest) = self._since, self._next
        if work - done >= 2 * (latest - done):
            self._since, self._next = self._next, (t, work)
        if t > before and work > done:
            e.expect((self._until - t) / (t - before) * (work - done))

    def _is_compiled(self) -> bool:
        return self._first.point.evaluation.backend == "c"
