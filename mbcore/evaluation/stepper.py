"""The one way of going on in time: an integrator's steps, each cut short where an event occurs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mbcore.equations.tolerances import (
    DIP,
    MANY_STEPS,
    MOST_UNCERTAIN,
    PROBE,
    SHARE_OF_VALUE,
    TOLERABLE_DRIFT,
)
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.singularities import (
    Reached,
    SingularityError,
    approach,
    doubt,
    find_singularity,
    stuck,
)
from mbcore.evaluation.virtual_power import check_power
from mbcore.evaluation.whole_step import WholeStep
from mbcore.integrators.knot_steps import step_to_knot
from mbcore.integrators.method import Method
from mbcore.integrators.methods import rk45
from mbcore.integrators.states import States
from mbcore.model.errors import ConfigurationError, SimulationError

if TYPE_CHECKING:
    from scipy.integrate import DenseOutput, OdeSolver

PATIENCE = 30
"""Steps after which a function is made for further ones, which takes as long as some of these."""


@dataclass(frozen=True)
class StepControl:
    """Controls of the lengths of steps.

    Parameters
    ----------
    rtol, atol : float
        Tolerances; ``atol`` is multiplied by each state's nominal value. In steps of methods
        whose ``rates_by_values`` is true, that of a rate is at least `SHARE_OF_VALUE` of that of
        its value over the step's length.
    max_step : float
        Longest step, s; the step of methods of equal steps.
    """

    rtol: float
    atol: float
    max_step: float = np.inf


class Step:
    """A step that has been made, or the point after an event.

    Attributes
    ----------
    before, time : float
        Its ends, s; the same after an event.
    state : ndarray, shape (ns,)
        The state at its end.
    """

    def __init__(self, before: float, time: float, solver: OdeSolver | None = None) -> None:
        self._solver = solver
        self.before, self.time = before, time
        self.state = np.zeros(0)

    @property
    def after_event(self) -> bool:
        """Whether it is the point after an event, to which no time has passed."""
        return self._solver is None

    @cached_property
    def interpolant(self) -> DenseOutput:
        """The solver's interpolant, made before the next step is."""
        assert self._solver is not None, "no time passes at an event"
        return self._solver.dense_output()

    def between(self, t: float) -> np.ndarray:
        """Return the state at a time inside the step, before the next step is made.

        At its end no interpolant is needed, which takes some methods further evaluations.
        """
        if self._solver is not None and t == self._solver.t:
            return self._solver.y
        return self.interpolant(t)


class Stepper:
    """Goes on in time, step by step.

    Parameters
    ----------
    point : MovingPoint
        Where it begins, and what is moved.
    method : Method
        One in Python.
    control : StepControl
        Tolerances, and the longest step.

    Attributes
    ----------
    first_step : float or None
        Length of the next integration's first step, s; chosen by the method where None.
    last_step : float
        Length of the last step that ended at no event, s.
    steps : int
        Steps so far.
    steps_in_c : int
        None of them.
    method : Method
        As given.
    methods : list of (float, str)
        The time, s, from which it is used, and its name.
    solver : OdeSolver or None
        That of the last integration.
    interrupt : callable or None
        Asked at each accepted point where no event is; where true, ``advance`` ends there.
    ends_after_event : callable or None
        The same behind events.
    """

    steps_in_c = 0

    def __init__(self, point: MovingPoint, method: Method, control: StepControl) -> None:
        equations = point.evaluation.equations
        self.point, self.method = point, method
        self.methods = [(float(point.evaluation.t[0]), method.name)]
        self.solver: OdeSolver | None = None
        # Without states there is nothing that an implicit method could solve for.
        used = method if equations.states else rk45.METHOD
        self._make_solver, self._tableau = used.make_solver, used.tableau
        self._whole_step: WholeStep | None = None
        nominal = np.array([state.nominal for state in equations.states])
        self._longest = control.max_step
        self._options: dict[str, object] = {"max_step": self._longest}
        self._equal_steps = used.equal_steps
        if used.takes_states:
            valued = equations.dofs - equations.speeds
            self._options["states"] = States(equations.dofs, valued, SHARE_OF_VALUE)
        if not method.equal_steps:
            self._options |= {"rtol": control.rtol, "atol": control.atol * nominal}
        if used.implicit:
            self._options["jac"] = point.jacobian
        self._knows_jacobian = hasattr(self._make_solver, "begins_with_known_jacobian")
        # These iterate for the end; their interpolants take no evaluation.
        self._outside = used.implicit or not equations.states
        # SciPy goes to the end at once where nothing is integrated.
        self._reach = np.inf if equations.states else self._longest
        many = method.many_steps
        error = 1e-4 if method.equal_steps else control.rtol
        self._uncertainty = min(
            DIP * (MANY_STEPS if many else 1.0) * float(np.sqrt(error)), MOST_UNCERTAIN
        )
        self._tolerable = TOLERABLE_DRIFT if many else 1.0
        self.first_step: float | None = None
        self.last_step = 0.0
        self.steps = 0
        self._span = 0.0
        self._has_knots = any(event.kind == "knot" for event in equations.events)
        self._trend: np.ndarray | None = None
        self.interrupt: Callable[[], bool] | None = None
        self.ends_after_event: Callable[[], bool] | None = None
        self._interrupted = False
        self._interrupted_at: tuple[object, ...] | None = None

    def advance(self, end: float) -> Iterator[Step]:
        """Go on to a time, s, and give each step, with the point at its end.

        The step is accepted when the next one is asked for; what is done with the point in
        between has no influence.

        Raises
        ------
        ConfigurationError, SimulationError
            If no configuration exists, a requirement is violated, the step becomes too small or
            events follow each other without end.
        """
        e = self.point.evaluation
        self._span = end - float(e.t[0])
        e.warn()
        yield from self._process_events()  # of what has changed from outside
        self._interrupted = False
        while e.t[0] < end and not self._interrupted:
            here = float(e.t[0]) + self._reach
            yield from self._integrate(end if here > end - 1e-9 * self._span else here)

    def _integrate(self, end: float) -> Iterator[Step]:
        """Make the steps of one integration: to the end, an event or a jump of the state."""
        run, e = self.point, self.point.evaluation
        run.begin(end, self._longest)
        solver = self.solver = self._solver(end)
        jumped = False
        while solver.status == "running" and not jumped:
            before = solver.t
            ahead = self._ahead(solver)
            sizes = e.conditioning.accepted
            try:
                message = solver.step()
            except ConfigurationError as failure:  # of a Jacobian
                run.failure = failure
                raise stuck(run, solver.t, None, self.method.implicit) from None
            if solver.status == "failed":
                raise ahead or stuck(run, solver.t, message, self.method.implicit)
            self.steps += 1
            step = Step(before, solver.t, solver)
            singularity = ahead or find_singularity(
                run, step.between, before, solver.t, self._uncertainty, self._outside
            )
            last = solver.t if singularity is None else min(singularity.time, solver.t)
            crossing = run.first_crossing(step.between, before, last)
            if singularity is crossing is None and self._equal_steps:
                singularity = doubt(run, solver)
            if singularity is not None and crossing is None:
                if isinstance(singularity, SingularityError):
                    run.refuse_violated(solver.t, solver.y)
                raise singularity
            at_knot = None if crossing is None else self._step_to_knot(step, crossing)
            if at_knot is not None:
                step, crossing = at_knot, at_knot.time
            elif crossing is not None:
                step.time = crossing
            self._move_to_end(step, solver, crossing)
            jumped = crossing is None and e.project(self._tolerable)
            e.check()
            check_power(e)
            e.warn()
            step.state = e.s.copy()
            yield step
            self._return_to(step)
            e.accept()
            run.count_steps(implicit=self.method.implicit)
            if step.time > before:
                self._follow((e.conditioning.accepted - sizes) / (step.time - before))
            if crossing is not None:
                e.conditioning.check_next()
                if at_knot is not None:
                    self.first_step = solver.step_size
                yield from self._process_events()
                self._interrupted = self.ends_after_event is not None and self.ends_after_event()
                return
            self.last_step = solver.step_size
            if self.interrupt is not None and self.interrupt():
                self._interrupt(solver)
                return
        if jumped:
            self.first_step = solver.step_size

    def _move_to_end(self, step: Step, solver: OdeSolver, crossing: float | None) -> None:
        """Go to the end of a step, or to the event in it; Radau's steps have the rates there."""
        self.point.move(step.time, solver.y if crossing is None else step.between(crossing))
        if crossing is None and self._knows_jacobian:
            self.point.evaluation.know_rates(solver.f)

    def _step_to_knot(self, step: Step, crossing: float) -> Step | None:
        """Return the step that ends at points of tables, if nothing else happens in a step."""
        if not self._has_knots or not self.point.crosses_knots_alone(
            crossing, step.between(crossing)
        ):
            return None
        assert self.solver is not None
        begin, end, state = step.before, self.solver.t, step.between(step.before)
        solver = step_to_knot(
            self.point.knot_indicator,
            lambda to: self.solver_from(begin, state, to, to - begin),
            step.between,
            (begin, end),
            crossing,
        )
        return None if solver is None else Step(begin, solver.t, solver)

    def _interrupt(self, solver: OdeSolver) -> None:
        """End the steps at a point from which they can go on as if they had not ended."""
        e, self._interrupted = self.point.evaluation, True
        self.first_step = getattr(solver, "h_abs", None)
        if self.first_step is not None and np.array_equal(solver.y, e.s):
            given = e.common_values().tobytes()
            self._interrupted_at = (solver.t_bound, solver.t, self.first_step, given)

    def _solver(self, end: float) -> OdeSolver:
        """Return what makes steps from here."""
        e, first, interrupted = self.point.evaluation, self.first_step, self._interrupted_at
        self.first_step = self._interrupted_at = None
        here = (end, float(e.t[0]), first, e.common_values().tobytes())
        if self.solver is not None and interrupted == here:
            return self.solver  # with its Jacobian
        return self.solver_from(float(e.t[0]), e.s.copy(), end, first)

    def solver_from(
        self, t: float, s: np.ndarray, end: float, first_step: float | None
    ) -> OdeSolver:
        """Return what makes steps from a point to a time, s, the first of a length, s."""
        options = dict(self._options)
        if first_step is not None:
            options["first_step"] = min(first_step, end - t)
            options |= self._known_jacobian(first_step)
        solver: OdeSolver = self._make_solver(self.point.derivative, t, s, end, **options)
        if hasattr(solver, "at_once"):
            solver.at_once = self._at_once
        return solver

    def _at_once(
        self, t: float, end: float, s: np.ndarray, rate: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Make all stages of a step by one call, once that has been worth while."""
        if self.steps < PATIENCE or self._tableau is None:
            return None
        if self._whole_step is None:
            self._whole_step = WholeStep(self.point, self._tableau)
        return self._whole_step(t, end, s, rate)

    def is_good(self, length: float, most: float = np.inf) -> bool:
        """Return whether a step of a length, s, from here has a small error; the point stays.

        The step takes so many evaluations at most.
        """
        run, e = self.point, self.point.evaluation
        t, s = float(e.t[0]), e.s.copy()
        if length > self._longest:
            return False
        end = t + length
        options = self._options | {"first_step": end - t} | self._known_jacobian(end - t)
        try:
            solver = self._make_solver(run.derivative, t, s, end, **options)
            solver.step()
            good = solver.status == "finished" and solver.nfev <= most
        except (ConfigurationError, SimulationError):
            good = False
        run.failure = None
        run.move(t, s)
        e.accept()
        return good

    def _known_jacobian(self, length: float) -> dict[str, object]:
        """Return the option by which steps begin with a Jacobian as old as their length, s."""
        if not self._knows_jacobian:
            return {}
        known = self.point.known_jacobian(length)
        return {} if known is None else {"known_jacobian": known}

    def _follow(self, rates: np.ndarray) -> None:
        """Keep the fastest decrease since a measure last grew.

        Wrong stages near a turning point let a measure fade away without vanishing.
        """
        if self._trend is not None:
            rates = np.where(rates < 0, np.minimum(rates, self._trend), rates)
        self._trend = rates

    def _ahead(self, solver: OdeSolver) -> Reached | None:
        """Return the singular configuration that the next of equal steps would reach, or None."""
        run, e = self.point, self.point.evaluation
        if not (self._equal_steps and e.conditioning.scale.size):
            return None
        h = solver.step_ahead
        if self._trend is None:
            t, s = e.accepted_time, solver.y.copy()
            rates, part = run.derivative(t, s), PROBE * h
            try:
                run.move(t + part, s + part * rates)
            except ConfigurationError:
                return approach(run, -e.conditioning.accepted / part, h)
            self._trend = (np.abs(e.conditioning_measures()) - e.conditioning.accepted) / part
            run.move(t, s)
        return approach(run, self._trend, h)

    def _process_events(self) -> Iterator[Step]:
        e = self.point.evaluation
        if not self.point.process_events(self._span):
            return
        self._trend = None
        after = Step(float(e.t[0]), float(e.t[0]))
        after.state = e.s.copy()
        yield after
        self._return_to(after)

    def _return_to(self, step: Step) -> None:
        e = self.point.evaluation
        if e.t[0] != step.time or not np.array_equal(e.s, step.state):
            self.point.move(step.time, step.state)
