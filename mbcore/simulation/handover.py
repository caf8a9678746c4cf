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

    Whether they are compiled is asked at each accepted point.

    Parameters
    ----------
    first : Stepper or AutomaticStepper
        Makes the steps in Python.
    make_native : callable
        Makes the stepper in C, at the point that the first one has reached.

    Attributes
    ----------
    interrupt : callable or None
        As that of `Stepper`.
    """

    def __init__(
        self, first: Stepper | AutomaticStepper, make_native: Callable[[], NativeStepper]
    ) -> None:
        self._first, self._make_native = first, make_native
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
        self._interrupted = self.interrupt is not None and self.interrupt()
        return self._interrupted or self._is_compiled()

    def _is_compiled(self) -> bool:
        return self._first.point.evaluation.backend == "c"
