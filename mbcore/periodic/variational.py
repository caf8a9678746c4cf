"""Variational integration: a motion with its derivatives by the start, through events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import DOP853, OdeSolver

from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.position import Saved
from mbcore.evaluation.singularities import SingularityError, find_singularity, stuck
from mbcore.evaluation.stepper import Step
from mbcore.evaluation.virtual_power import check_power, refuse_lost
from mbcore.model.calls import explains_construction
from mbcore.native.flow import Columns, Recorded
from mbcore.native.point import CompiledPoint
from mbcore.periodic.collocation import Collocation
from mbcore.periodic.compiled_steps import CompiledSteps
from mbcore.periodic.saltation import Jump, Saltation
from mbcore.periodic.start_contacts import constrained
from mbcore.periodic.step_polynomial import Interpolant, StepPolynomial
from mbcore.periodic.varied_point import VariedPoint

RTOL, ATOL = 1e-12, 1e-13
"""Tolerances of state and derivative; the second in parts of the nominal values."""
ENDS, INTERPOLATED = 3 / 4, 1.0
"""Powers of the tolerance for implicit steps. Their ends are far better than the error estimate,
which has half their order; the interpolant between is not."""
UNCERTAINTY = 1e-6
"""Uncertainty of a vanishing conditioning measure, relative to its largest value."""


@explains_construction
@dataclass(frozen=True)
class StepOptions:
    """How the flow is integrated.

    Attributes
    ----------
    rtol, atol : float
        Tolerances of states and derivatives; ``atol`` is multiplied by nominal values.
    max_step : float
        Longest step, s.
    implicit : bool, optional
        Whether to take implicit steps, which their high order makes cheaper than explicit ones in
        smooth motions. By default those with events have explicit ones, unless they are stiff:
        events are located on the interpolant, which is better.
    coarse : bool
        Whether smooth motions, too, have explicit steps by default unless they are stiff: with
        derivatives by many values these are cheaper at tolerances down to some 1e-10.
    """

    rtol: float = RTOL
    atol: float = ATOL
    max_step: float = np.inf
    implicit: bool | None = None
    coarse: bool = False


@dataclass(frozen=True)
class Piece:
    """A step without events.

    Attributes
    ----------
    begin, end : float
        s.
    between : callable
        State at a time in it, (ns,), or at several, (ns, n); where all is recorded, remembered
        numbers, columns row by row and the integral of the trace behind it.
    modes : ndarray, shape (nd,)
        Discrete variables in it.
    """

    begin: float
    end: float
    between: Interpolant
    modes: np.ndarray


@dataclass(frozen=True)
class StartColumns:
    """Start values of the columns of the derivative.

    Attributes
    ----------
    nominal : ndarray, shape (ns + nm,)
        Nominal values of states, and of numbers that are remembered.
    still : tuple of int
        Those on which no rate depends; their columns are left out.
    begun : Jump or None
        How numbers that the start sets follow from it.
    by : sequence of int, optional
        States by whose start values derivatives are wanted, where not by all.
    """

    nominal: np.ndarray
    still: tuple[int, ...]
    begun: Jump | None
    by: Sequence[int] | None = None

    @property
    def felt(self) -> list[int]:
        """States on which rates depend."""
        return [i for i in range(self.nominal.size) if i not in self.still]

    @property
    def starts(self) -> list[int]:
        """States whose columns are integrated: those that are felt, or those asked for."""
        return self.felt if self.by is None else list(self.by)

    def columns(self, point: VariedPoint) -> np.ndarray:
        """Return the columns at the start, of the states in ``starts``, then by values."""
        n, values = self.nominal.size, len(point.vary)
        whole = np.hstack([np.eye(n), np.zeros((n, values))])
        if self.begun is not None:
            whole = np.hstack([self.begun.by_state, self.begun.by_value])
        if constrained(point, point.d):
            closed = point.projection_by(np.hstack([point.by_states(), point.by_value()]))
            whole = closed[:, :n] @ whole
            whole[:, n:] += closed[:, n:]
        return whole[:, [*self.starts, *range(n, n + values)]]


@dataclass(frozen=True)
class Mark:
    """Where an integration has been.

    Attributes
    ----------
    point : Saved
        The point.
    columns : ndarray
        Of the derivative.
    trace, jumps : float
        Integral of the trace, and product of the determinants of saltation matrices.
    events, pieces : int
        How many there were.
    """

    point: Saved
    columns: np.ndarray
    trace: float
    jumps: float
    events: int
    pieces: int


class VariationalIntegration:
    """Integrates the state, its derivative by the start, and the integral of the trace.

    Remembered numbers are states without a rate behind the others. Where derivatives are by some
    start values only, or by none, there are no other columns, and the integral of the trace is 0.
    """

    def __init__(
        self,
        run: MovingPoint,
        point: VariedPoint,
        saltation: Saltation,
        start: StartColumns,
        method: StepOptions,
        derivative: bool,
        record: Recorded,
    ) -> None:
        self.run, self.point, self.saltation = run, point, saltation
        self.method, self.record, self.derivative_wanted = method, record, derivative
        self.nominal = start.nominal
        self._own = self.point.s.size  # states of the equations
        self.felt, self.starts, self.varied = start.felt if derivative else [], [], 0
        self.columns = np.zeros((self.nominal.size, 0))
        if derivative:
            self.starts, self.varied = start.starts, len(self.point.vary)
            self.columns = start.columns(point)
        self._all = self.starts == self.felt
        self.trace, self.jumps = 0.0, 1.0
        self._compiled: CompiledSteps | None = None
        self.pieces: list[Piece] = []

    def derivatives(self) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Return the derivatives at the present point by the start and by the varied quantity.

        That by the start is None where it was not wanted by all states.
        """
        if not self.derivative_wanted:
            return None, None
        by_value = self.columns[:, len(self.starts) :].copy() if self.varied else None
        if not self._all:
            return None, by_value
        whole = np.eye(self.nominal.size)
        whole[:, self.felt] = self.columns[:, : len(self.felt)]
        return whole, by_value

    def save(self) -> Mark:
        """Return where the integration is, for ``restore``."""
        now = self.trace, self.jumps, len(self.run.events), len(self.pieces)
        return Mark(self.point.save(), self.columns.copy(), *now)

    def restore(self, mark: Mark) -> None:
        """Go back to where ``save`` was asked."""
        self.point.restore(mark.point)
        self.columns = mark.columns.copy()
        self.trace, self.jumps = mark.trace, mark.jumps
        del self.run.events[mark.events :], self.pieces[mark.pieces :]

    def go(self, end: float) -> None:
        """Integrate to a time, s, through all events."""
        span = end - float(self.point.t[0])
        while self.point.t[0] < end:
            if self._integrate(end, span):
                self._jump(span)

    def _state_rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """Rates of the state; NaN where there are none."""
        rates = np.zeros(self.nominal.size)
        rates[: self._own] = self.run.derivative(t, y[: self._own])
        return rates

    def _rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """Rates of the state, the columns and the integral; NaN where there are none."""
        n, own, felt = self.nominal.size, self._own, self.felt
        rates = np.full_like(y, np.nan)
        rates[:n] = self._state_rates(t, y)
        if not self.derivative_wanted or not np.all(np.isfinite(rates[:n])):
            return rates
        if not self._all:
            change = np.zeros((n, len(self.starts) + self.varied))
            change[:own] = self.point.rates_along(y[n:-1].reshape(n, -1))
            rates[n:-1], rates[-1] = change.ravel(), 0.0
        else:
            jacobian = self.point.rates_by_states(felt)
            change = np.zeros((n, len(felt) + self.varied))
            change[:own] = jacobian @ y[n:-1].reshape(n, -1)[felt]
            change[:own, len(felt) :] += self.point.rates_by_value()
            rates[n:-1] = change.ravel()
            rates[-1] = sum(jacobian[i, k] for k, i in enumerate(felt) if i < own)
        return rates

    def _slopes(self) -> tuple[np.ndarray, np.ndarray]:
        """Return ∂f/∂s at the present point, and the forcing of the columns."""
        n, own = self.nominal.size, self._own
        felt = self.felt if self.derivative_wanted else list(range(own))
        whole, added = np.zeros((n, n)), np.zeros(self.columns.shape)
        whole[:own, felt] = self.point.rates_by_states(felt)
        if self.varied:
            added[:own, len(self.starts) :] = self.point.rates_by_value()
        return whole, added

    def _columns(self) -> Columns:
        e = self.point
        memory = e.numbers, e.variation.size
        if not self.derivative_wanted:
            return Columns(range(self._own), 0, (), *memory, False)
        return Columns(self.felt, len(self.starts), e.varied_places, *memory, True)

    def _solver(self, end: float) -> OdeSolver | Collocation | CompiledSteps:
        method, e = self.method, self.point
        y, size = e.states, self.nominal
        between, longest = (float(e.t[0]), end), method.max_step
        if self.derivative_wanted:
            y = np.concatenate([y, self.columns.ravel(), [self.trace]])
            values = np.abs(e.values)
            by = np.append(self.nominal[self.starts], np.where(values > 0, values, 1.0))
            size = np.concatenate([size, np.outer(size, 1 / by).ravel(), [1.0]])
        rtol, atol = method.rtol, method.atol * size
        if method.implicit:
            share = rtol ** (INTERPOLATED if self.record or e.equations.events else ENDS)
            atol, rtol = atol * share / rtol, share
        if e.compiled is not None and (not e.numbers or e.compiled.has("remembered_change")):
            steps = self._compiled_steps(e.compiled)
            if steps.begin(between, y, rtol, atol, longest):
                return steps
            # Python finds out why there are no rates
        if not method.implicit:
            return DOP853(
                self._rates, between[0], y, end, rtol=rtol, atol=atol, max_step=longest
            )  # fmt: skip
        rates, slopes, n = self._state_rates, self._slopes, self.nominal.size
        return Collocation(rates, slopes, between, y, n, rtol=rtol, atol=atol, max_step=longest)

    def _compiled_steps(self, compiled: CompiledPoint) -> CompiledSteps:
        """Return steps in C; those of all integrations, which events part, are the same."""
        if self._compiled is None:
            self._compiled = CompiledSteps(
                self.run,
                compiled,
                self._columns(),
                implicit=bool(self.method.implicit),
                record=self.record,
            )
        return self._compiled

    def _integrate(self, end: float, span: float) -> bool:
        """Make steps up to the end or an event; return whether there is one to be passed here."""
        run, e = self.run, self.point
        e.conditioning.check_next()
        run.begin(end)
        solver = self._solver(end)
        while solver.status == "running":
            before = solver.t
            message = solver.step()
            if isinstance(solver, CompiledSteps):
                before = solver.before
                self._note(solver, span)
                if solver.passed:
                    self._take(solver.y)
                    return False
            if solver.status == "failed":
                raise stuck(run, solver.t, message)
            step = Step(before, solver.t, solver)
            crossing = None if _is_examined(solver) else self._crossing(step, solver.y)
            reached = solver.t if crossing is None else crossing
            self._end_step(step, reached)
            if not isinstance(solver, CompiledSteps):
                run.count_steps()
            if crossing is not None:
                self._check(solver)
                e.accept()
                return True
            e.project()
            self._check(solver)
            e.accept()
        return False

    def _check(self, solver: OdeSolver | Collocation | CompiledSteps) -> None:
        """Check requirements and accelerations at the end of a step, where C has not done so."""
        self.point.check()
        if not isinstance(solver, CompiledSteps):
            check_power(self.point)
        elif not solver.examined:
            refuse_lost(self.point)

    def _crossing(self, step: Step, end: np.ndarray) -> float | None:
        """Return the time of the first event in a step, whose end values are given, or None.

        Raises
        ------
        ConfigurationError, SimulationError
            If it leads to a singular configuration, or to a limit.
        """
        run, n, ends = self.run, self.point.s.size, (step.before, step.time)

        def between(t: float) -> np.ndarray:
            return step.between(t)[:n]

        singularity = find_singularity(run, between, *ends, UNCERTAINTY, False)
        crossing = run.first_crossing(between, *ends)
        if singularity is not None and crossing is None:
            if isinstance(singularity, SingularityError):
                run.refuse_violated(step.time, end[: self.point.s.size])
            raise singularity
        return crossing

    def _end_step(self, step: Step, reached: float) -> None:
        """End a step where it has come to: note it, and go there."""
        n = self.point.s.size
        if self.record and reached > step.before:
            whole = self.record == "all"
            between = step.interpolant if whole else _of_states(step.interpolant, n)
            self.pieces.append(Piece(step.before, reached, between, self.point.d.copy()))
        y = step.between(reached)
        self.run.move(reached, y[:n])
        self._take(y)

    def _take(self, y: np.ndarray) -> None:
        """Take the columns and the integral from all values."""
        if self.derivative_wanted:
            self.columns = y[self.nominal.size : -1].reshape(self.columns.shape).copy()
            self.trace = float(y[-1]) if self._all else 0.0

    def _note(self, solver: CompiledSteps, span: float) -> None:
        """Note steps that have been made in C before the last one, and events passed by them."""
        for begin, end, between, modes in solver.noted():
            whole = self.record == "all"
            kept = between if whole else between.first(self._own)
            self.pieces.append(Piece(begin, end, kept, modes))
        self.jumps *= solver.jumps
        self.run.note_events(solver.events, span)

    def _jump(self, span: float) -> None:
        """Process events, and multiply the columns by the saltation matrix."""
        if not self.derivative_wanted:
            self.run.process_events(span)
            return
        jump = self.saltation.process(span)
        if jump is None:
            return
        self.columns = jump.by_state @ self.columns
        self.columns[:, len(self.starts) :] += jump.by_value
        self.jumps *= float(np.linalg.det(jump.by_state))


def _of_states(interpolant: Interpolant, n: int) -> Interpolant:
    """Return an interpolant of the first ``n`` values alone."""
    if isinstance(interpolant, StepPolynomial):
        return interpolant.first(n)
    return lambda t: interpolant(t)[:n]


def _is_examined(solver: OdeSolver | Collocation | CompiledSteps) -> bool:
    return isinstance(solver, CompiledSteps) and solver.examined
