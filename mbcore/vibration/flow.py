"""From a start state to the state after some time, with its exact derivative: the flow.

The variational equations Y' = (∂f/∂s) Y, with the configuration following, are integrated together
with the state, at the same tolerance; at events, Y jumps by the saltation matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import DOP853, OdeSolver

from mbcore.analysis.arguments import checked_signal
from mbcore.equations.equations import Equations, checked_equations
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.passage import find_passage, stuck
from mbcore.evaluation.stepper import Step
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.vibration.saltation import Jump, Saltation, refuse_remembered
from mbcore.vibration.varied_point import VariedPoint

RTOL, ATOL = 1e-12, 1e-13
"""Tolerances of state and derivative; the second in parts of the nominal values."""
UNCERTAINTY = 1e-6
"""Part of its largest by which a measure of regularity that vanishes is uncertain."""

InputSignal = float | Callable[[float], float]


@dataclass(frozen=True)
class Piece:
    """A step without events.

    Attributes
    ----------
    begin, end : float
        s.
    between : callable
        State, (ns,), at a time in it.
    modes : ndarray, shape (nd,)
        Discrete variables in it.
    """

    begin: float
    end: float
    between: Callable[[float], np.ndarray]
    modes: np.ndarray


@dataclass(frozen=True)
class Trajectory:
    """What a flow has found over a time.

    Attributes
    ----------
    begin, end : float
        s.
    start, state : ndarray, shape (ns,)
        States at both ends.
    start_rate, rate : ndarray, shape (ns,)
        Their rates.
    derivative : ndarray, shape (ns, ns), or None
        Of the last state by the first.
    by_value : ndarray, shape (ns,), or None
        Of the last state by the parameter or input that is varied.
    trace : float
        Integral of the trace of ∂f/∂s.
    jumps : float
        Product of the determinants of the saltation matrices.
    events : tuple of (float, str)
        Times, s, and names of events.
    modes : ndarray, shape (nd,)
        Discrete variables at the end.
    start_modes : ndarray, shape (nd,)
        Those at the beginning.
    pieces : tuple of Piece
        The way between, where it was recorded.
    """

    begin: float
    end: float
    start: np.ndarray
    state: np.ndarray
    start_rate: np.ndarray
    rate: np.ndarray
    derivative: np.ndarray | None
    by_value: np.ndarray | None
    trace: float
    jumps: float
    events: tuple[tuple[float, str], ...]
    modes: np.ndarray
    start_modes: np.ndarray
    pieces: tuple[Piece, ...] = field(default=(), repr=False)

    @property
    def determinant(self) -> float:
        """Determinant of the derivative by Liouville's formula and the saltation matrices."""
        return float(np.exp(self.trace) * self.jumps)


class Flow:
    """The flow of equations: where states go in a time, and how that changes with the start.

    Parameters
    ----------
    equations : Equations
        The system.
    start : mapping of str to float
        A state near those that will be asked for, where the mechanism is assembled.
    parameters : mapping of str to float
        Values that differ from the model's.
    inputs : mapping of str to float or callable
        Constants or functions of time.
    vary : str, optional
        A parameter, or an input that is constant, by which the derivative is wanted too.
    still : sequence of int
        States on which no rate depends, whose columns are those of the unit matrix.
    rtol, atol : float
        Tolerances of states and derivatives; ``atol`` is multiplied by nominal values.
    max_step : float
        Longest step, s.

    Attributes
    ----------
    point : VariedPoint
        The point that moves.

    Raises
    ------
    ModelError
        If a name is unknown or a value impossible.
    ConfigurationError, SimulationError
        If nothing can be assembled at the start, or the mass matrix is singular there.
    """

    def __init__(
        self,
        equations: Equations,
        start: Mapping[str, float] | None = None,
        *,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, InputSignal] | None = None,
        vary: str | None = None,
        still: Sequence[int] = (),
        rtol: float = RTOL,
        atol: float = ATOL,
        max_step: float = np.inf,
    ) -> None:
        self.equations = checked_equations("a flow", equations)
        constants, signals = _split(equations, inputs)
        self.point = VariedPoint(equations, parameters, constants, signals, vary)
        self.run = MovingPoint(self.point, signals)
        for i, signal in signals.items():
            self.point.u[i] = signal(0.0)
        self.point.start(checks.values("start value", start))
        refuse_remembered(equations)
        self.saltation = Saltation(self.run, self.point)
        self.still = tuple(still)
        self.nominal = np.array([state.nominal for state in equations.states])
        self.rtol, self.atol, self.max_step = rtol, atol, max_step
        self._discrete_start = np.array([d.start for d in equations.discretes])
        self._home = self.point.keep()

    def begin(self, start: np.ndarray, time: float = 0.0) -> None:
        """Go to a state, (ns,), at a time, s, assembled near the first one; start the modes."""
        e = self.point
        values = e.u.copy(), e.p.copy()
        e.restore(self._home)
        e.u[:], e.p[:] = values
        e.d[:] = self._discrete_start
        self.run.events.clear()
        self.run.failure = None
        self.run.move(time, start)
        e.start_modes()

    def __call__(
        self,
        start: np.ndarray,
        span: float,
        *,
        begin: float = 0.0,
        derivative: bool = True,
        record: bool = False,
    ) -> Trajectory:
        """Go from a state, (ns,), for a time ``span``, s.

        Parameters
        ----------
        begin : float
            Time at the start, s.
        derivative : bool
            Whether the derivatives are wanted.
        record : bool
            Whether the way between is wanted.

        Raises
        ------
        ConfigurationError, SimulationError
            If no configuration exists, a requirement is violated, the step becomes too small, or
            an event has no derivative because it grazes.
        """
        self.begin(np.asarray(start, float), begin)
        e = self.point
        way = _Way(self, derivative, record)
        first, start_rate, modes = e.s.copy(), e.derivative().copy(), e.d.copy()
        way.go(begin + span)
        matrix, by_value = way.derivatives()
        return Trajectory(
            begin,
            begin + span,
            first,
            e.s.copy(),
            start_rate,
            e.derivative().copy(),
            matrix,
            by_value,
            way.trace,
            way.jumps,
            tuple(self.run.events),
            e.d.copy(),
            modes,
            tuple(way.pieces),
        )


class _Way:
    """One way along the flow: state, columns of the derivative and integral of the trace."""

    def __init__(self, flow: Flow, derivative: bool, record: bool) -> None:
        self.flow, self.record, self.derivative_wanted = flow, record, derivative
        self.run, self.point = flow.run, flow.point
        n = self.point.s.size
        self.felt = [i for i in range(n) if i not in flow.still] if derivative else []
        self.varied = derivative and self.point.vary is not None
        self.columns = np.eye(n)[:, self.felt]
        if self.varied:
            self.columns = np.hstack([self.columns, np.zeros((n, 1))])
        self.trace, self.jumps = 0.0, 1.0
        self.pieces: list[Piece] = []

    def derivatives(self) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Return the derivatives at the present point by the start and by what is varied."""
        if not self.derivative_wanted:
            return None, None
        whole = np.eye(self.point.s.size)
        whole[:, self.felt] = self.columns[:, : len(self.felt)]
        return whole, self.columns[:, -1].copy() if self.varied else None

    def go(self, end: float) -> None:
        """Go on to a time, s, through all events."""
        span = end - float(self.point.t[0])
        while self.point.t[0] < end:
            if self._integrate(end):
                self._jump(span)

    def _rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """Rates of the state, the columns and the integral."""
        n, felt = self.point.s.size, self.felt
        rates = np.full_like(y, np.nan)
        rates[:n] = self.run.derivative(t, y[:n])
        if self.derivative_wanted and np.all(np.isfinite(rates[:n])):
            jacobian = self.point.rates_by_states(felt)
            change = jacobian @ y[n:-1].reshape(n, -1)[felt]
            if self.varied:
                change[:, -1] += self.point.rates_by_value()
            rates[n:-1] = change.ravel()
            rates[-1] = jacobian[felt, range(len(felt))].sum()
        return rates

    def _solver(self, end: float) -> OdeSolver:
        flow, e = self.flow, self.point
        y, size = e.s.copy(), flow.nominal
        if self.derivative_wanted:
            y = np.concatenate([y, self.columns.ravel(), [self.trace]])
            by = flow.nominal[self.felt]
            if self.varied:
                by = np.append(by, abs(e.value) or 1.0)
            size = np.concatenate([size, np.outer(size, 1 / by).ravel(), [1.0]])
        t = float(e.t[0])
        return DOP853(
            self._rates, t, y, end, rtol=flow.rtol, atol=flow.atol * size, max_step=flow.max_step
        )

    def _integrate(self, end: float) -> bool:
        """Make steps up to the end or the next event; return whether there is one."""
        run, e = self.run, self.point
        n = e.s.size
        run.begin(end)
        solver = self._solver(end)
        while solver.status == "running":
            before = solver.t
            message = solver.step()
            if solver.status == "failed":
                raise stuck(run, solver.t, message)
            step = Step(before, solver.t, solver)

            def between(t: float, step: Step = step) -> np.ndarray:
                return step.between(t)[:n]

            passage = find_passage(run, between, before, solver.t, UNCERTAINTY, False)
            crossing = run.first_crossing(between, before, solver.t)
            if passage is not None and crossing is None:
                run.refuse_violated(solver.t, solver.y[:n])
                raise passage
            reached = solver.t if crossing is None else crossing
            if self.record and reached > before:
                between((before + solver.t) / 2)  # the interpolant is made before the next step
                self.pieces.append(Piece(before, reached, between, e.d.copy()))
            y = step.between(reached)
            run.move(reached, y[:n])
            if self.derivative_wanted:
                self.columns, self.trace = y[n:-1].reshape(n, -1).copy(), float(y[-1])
            if crossing is not None:
                e.check()
                e.accept()
                return True
            e.project()
            e.check()
            e.accept()
        return False

    def _jump(self, span: float) -> None:
        """Let events happen, and take the columns through them."""
        if not self.derivative_wanted:
            self.run.process_events(span)
            return
        jump: Jump | None = self.flow.saltation.process(span)
        if jump is None:
            return
        self.columns = jump.by_state @ self.columns
        if self.varied:
            self.columns[:, -1] += jump.by_value
        self.jumps *= float(np.linalg.det(jump.by_state))


def _split(
    equations: Equations, inputs: Mapping[str, InputSignal] | None
) -> tuple[dict[str, float], dict[int, Callable[[float], float]]]:
    """Return inputs that are constant by name, and functions of time by place."""
    if inputs is not None and not isinstance(inputs, Mapping):
        raise ModelError(f"inputs = {inputs!r}; give values or functions of time by name")
    constants: dict[str, float] = {}
    signals: dict[int, Callable[[float], float]] = {}
    order = {record.name: i for i, record in enumerate(equations.inputs)}
    for name, value in (inputs or {}).items():
        if callable(value):
            if name not in order:
                raise ModelError(f"no input {name!r}; there is {', '.join(order) or 'none'}")
            signals[order[name]] = checked_signal(name, value)
        else:
            constants[name] = value
    return constants, signals
