"""Steps that are explicit, and implicit where the equations are stiff; in Python.

Explicit steps of stiff equations are as long as stability permits, which is shorter than accuracy
asks for. Where stability may be the bound, a step of the other method is tried that would have to
be so long that it pays; nothing stays of it but whether its error is small. Steps become implicit
where that is so several times in succession. ``mb_stiffness.c`` does the same in C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mbcore.equations.tolerances import (
    CONFIRMED,
    DOUBTFUL,
    GAIN,
    LEAST_WAIT,
    MOST_WAIT,
    PACE_KEPT,
    PRODUCTS,
    STABLE,
)
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.singularities import SingularityError, StuckError
from mbcore.evaluation.stepper import Step, StepControl, Stepper
from mbcore.integrators.method import Method
from mbcore.integrators.table import partners_of
from mbcore.integrators.work import work_of_jacobian, work_of_kept_jacobian
from mbcore.model.errors import ConfigurationError, SimulationError

if TYPE_CHECKING:
    from scipy.integrate import OdeSolver

EXPLICIT_EVALUATIONS, IMPLICIT_EVALUATIONS = 12, 10
"""Evaluations that a step takes, about."""


def python_stepper(
    point: MovingPoint, method: Method, control: StepControl
) -> Stepper | AutomaticStepper:
    """Return what makes steps in Python by a method, as `mbcore.evaluation.stepper.Stepper`."""
    if method.automatic is None:
        return Stepper(point, method, control)
    explicit, implicit = partners_of(method)
    if not point.evaluation.equations.states:
        return Stepper(point, explicit, control)
    return AutomaticStepper(point, explicit, implicit, control)


@dataclass
class _Pace:
    """Data of the choice, as ``mb_stiffness`` in C."""

    doubtful: int = 0
    confirmed: int = 0
    wait: int = LEAST_WAIT
    pace: float = 0.0

    def note(self, advanced: float, work: float) -> None:
        """Note the time of a step, s, and its work in evaluations."""
        pace = advanced / max(work, 1.0)
        self.pace = PACE_KEPT * self.pace + (1 - PACE_KEPT) * pace if self.pace else pace

    def is_due(self) -> bool:
        """Return whether the other method is to be tried."""
        return self.doubtful >= self.wait

    def begin_again(self) -> None:
        """Wait longer for the next trial."""
        self.doubtful, self.confirmed = 0, 0
        self.wait = min(2 * self.wait, MOST_WAIT)


class AutomaticStepper:
    """Goes on in time by the quicker of two methods.

    Parameters
    ----------
    point : MovingPoint
        Where it begins, and what is moved.
    explicit, implicit : Method
        Those between which it chooses.
    control : StepControl
        Tolerances, and the longest step.

    Attributes
    ----------
    interrupt, ends_after_event : callable or None
        As those of `Stepper`.
    first_step : float or None
        As that of `Stepper`.
    methods : list of (float, str)
        Times, s, from which a method was used, and its name.
    """

    steps_in_c = 0
    _stepper: Stepper
    _pace: _Pace

    def __init__(
        self, point: MovingPoint, explicit: Method, implicit: Method, control: StepControl
    ) -> None:
        self.point, self._control = point, control
        self._explicit, self._implicit = explicit, implicit
        self.interrupt: Callable[[], bool] | None = None
        self.ends_after_event: Callable[[], bool] | None = None
        self.methods: list[tuple[float, str]] = []
        self._steps, self._end, self._calls = 0, 0.0, point.calls
        self._asked_to_end = False
        self._failed: Exception | None = None
        self._made: tuple[OdeSolver, int] | None = None
        self._use(self._explicit)

    @property
    def steps(self) -> int:
        """Steps so far."""
        return self._steps + self._stepper.steps

    @property
    def first_step(self) -> float | None:
        """Length of the next integration's first step, s; chosen by the method where None."""
        return self._stepper.first_step

    @first_step.setter
    def first_step(self, length: float | None) -> None:
        self._stepper.first_step = length

    @property
    def last_step(self) -> float:
        """Length of the last step that ended at no event, s."""
        return self._stepper.last_step

    @property
    def is_implicit(self) -> bool:
        """Whether the present steps are implicit."""
        return self._stepper.method is self._implicit

    def advance(self, end: float) -> Iterator[Step]:
        """Go on to a time, s, as `Stepper.advance`.

        Raises
        ------
        ConfigurationError, SimulationError
            As there; where the implicit method fails, the explicit one goes on, and the implicit
            one where no explicit step can be made.
        """
        e, self._end, self._asked_to_end = self.point.evaluation, end, False
        while e.t[0] < end and not self._asked_to_end:
            self._calls = self.point.calls
            try:
                yield from self._stepper.advance(end)
            except SingularityError:
                raise
            except (ConfigurationError, SimulationError) as error:
                self._refuse_or_change(error)
                continue
            if not self._asked_to_end and e.t[0] < end:
                self._try_other()

    def _refuse_or_change(self, error: ConfigurationError | SimulationError) -> None:
        """Let the other method go on from the accepted point, if it has not failed there, too."""
        was_implicit, stepper, failed = self.is_implicit, self._stepper, self._failed
        if failed is not None and not stepper.steps:
            both = next((e for e in (failed, error) if isinstance(e, StuckError)), None)
            raise (failed if was_implicit else error) if both is None else StuckError.of_both(both)
        if not (was_implicit or isinstance(error, StuckError)):
            raise error
        self.point.evaluation.return_to_accepted()
        self.point.failure = None
        self._use(self._explicit if was_implicit else self._implicit)
        self._pace.wait, self._failed = MOST_WAIT, error

    def _use(self, method: Method, first_step: float | None = None) -> None:
        """Make further steps by a method, the first of a length, s."""
        self._steps += self._stepper.steps if self.methods else 0
        self._stepper, self._pace = Stepper(self.point, method, self._control), _Pace()
        self._failed = None
        self._stepper.first_step, self._stepper.interrupt = first_step, self._is_enough
        self._stepper.ends_after_event = self._ends
        self.methods.append((float(self.point.evaluation.t[0]), method.name))

    def _is_enough(self) -> bool:
        """Note the pace of the step that has been made; return whether the steps end here."""
        solver = self._stepper.solver
        assert solver is not None
        work, self._calls = float(self.point.calls - self._calls), self.point.calls
        work += self._jacobians_made(solver) * work_of_jacobian(solver.n)
        self._pace.note(solver.step_size, work)
        self._pace.doubtful += (
            self.is_implicit or solver.step_size * _fastest_rate(solver) > DOUBTFUL
        )
        self._asked_to_end = self.interrupt is not None and self.interrupt()
        return self._asked_to_end or self._pace.is_due()

    def _ends(self) -> bool:
        """Return whether the steps end behind an event, which tells nothing of stiffness."""
        self._asked_to_end = self.ends_after_event is not None and self.ends_after_event()
        return self._asked_to_end

    def _jacobians_made(self, solver: OdeSolver) -> int:
        """Return how many Jacobians the solver has made since the last step."""
        before, self._made = self._made, (solver, int(solver.njev))
        return self._made[1] - (before[1] if before is not None and before[0] is solver else 0)

    def _try_other(self) -> None:
        """Change to the other method where steps of it that would pay have small errors."""
        gain, pace = GAIN * self._pace.pace, self._pace
        jacobians = work_of_kept_jacobian(self.point.evaluation.s.size)
        work = IMPLICIT_EVALUATIONS + jacobians
        explicit, implicit = EXPLICIT_EVALUATIONS * gain, work * gain
        if self.is_implicit:
            solver = self._stepper.solver
            stable = solver is None or explicit * _spectral_radius(solver.J) <= STABLE
            if stable and self._is_good(self._explicit, explicit):
                self._use(self._explicit, explicit)
                return
        elif self._is_good(self._implicit, implicit, GAIN * work - jacobians):
            pace.confirmed += 1
            if pace.confirmed >= CONFIRMED:
                self._use(self._implicit, implicit)
            return
        pace.begin_again()

    def _is_good(self, method: Method, length: float, most: float = np.inf) -> bool:
        """Return whether a step of a length, s, ends before the end, and has a small error.

        It takes so many evaluations at most, with which it pays just so.
        """
        ends = float(self.point.evaluation.t[0]) + length <= self._end
        return ends and Stepper(self.point, method, self._control).is_good(length, most)


def _fastest_rate(solver: OdeSolver) -> float:
    """Return the change of the last stages' rates over that of their states, 1/s; 0 if unknown.

    Both are at the step's end, so that it follows the fastest parts.
    """
    if not (hasattr(solver, "K") and solver.C[-1] == 1):
        return 0.0
    K, h, last = solver.K, solver.step_size, solver.n_stages - 1
    s = solver.y_old + h * (solver.A[last, :last] @ K[:last])
    scale = 1 / (solver.atol / solver.rtol + np.abs(s))
    state = np.linalg.norm(scale * (solver.y - s))
    rate = np.linalg.norm(scale * (solver.f - K[last]))
    return float(rate / state) if state > 0 else 0.0


def _spectral_radius(J: np.ndarray) -> float:
    """Return the largest eigenvalue's size, 1/s, by the growth of products with the matrix."""
    v, growth = 1 / (1 + np.arange(len(J)) % 3), 0.0
    for k in range(PRODUCTS):
        v = J @ v
        if not (size := float(np.linalg.norm(v))) > 0:
            return 0.0
        v /= size
        if k >= PRODUCTS // 2:
            growth += float(np.log(size)) / (PRODUCTS - PRODUCTS // 2)
    return float(np.exp(growth))
