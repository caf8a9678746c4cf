"""The flow: the state after some time as a function of the start, with its exact derivative.

The variational equations Y' = (∂f/∂s) Y, with the configuration following, are integrated together
with the state, at the same tolerance; at events, Y jumps by the saltation matrix. Numbers that
events set and motion depends on, such as the speed of an impact that a contact law remembers, are
further states, which change at events only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from mbcore.equations.equations import Equations, checked_equations
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.host.backend import Backend, takes_backend
from mbcore.model import checks, summary, wording
from mbcore.model.errors import ModelError
from mbcore.model.variables import Discrete, State
from mbcore.native.flow import Recorded
from mbcore.periodic.saltation import Jump, Saltation
from mbcore.periodic.start_contacts import close_touching
from mbcore.periodic.variational import Piece, StartColumns, StepOptions, VariationalIntegration
from mbcore.periodic.varied_point import VariedPoint
from mbcore.simulation.arguments import split_inputs

LOOSEST = 1e-3
"""Loosest tolerance at which a motion may be judged periodic."""
STIFF, MILD = 3e4, 1e3
"""Exponents of the fastest decay within the time span above which steps are implicit in spite of
events, and in smooth motions where coarse ones may be explicit."""

InputSignal = float | Callable[[float], float]


STEPS = StepOptions()


@dataclass(frozen=True, repr=False)
class Trajectory(summary.Summarized):
    """The motion over a time span, with its derivatives.

    Attributes
    ----------
    begin, end : float
        s.
    start, state : ndarray, shape (ns + nm,)
        States at both ends, then numbers that are remembered; at the beginning those that the start
        sets are set already.
    start_rate, rate : ndarray, shape (ns + nm,)
        Their rates.
    derivative : ndarray, shape (ns + nm, ns + nm), or None
        Of the last state by the given one.
    by_value : ndarray, shape (ns + nm,) or (ns + nm, n), or None
        Of the last state by the parameter or input that is varied, or by several.
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
        The motion between, where it was recorded.
    segments : tuple of Trajectory
        The parts of a motion that was joined from several; else none.
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
    segments: tuple[Trajectory, ...] = field(default=(), repr=False)

    @classmethod
    def joined(cls, segments: Sequence[Trajectory]) -> Trajectory:
        """Return several motions, each of which begins about where the one before ends, as one."""
        first, last = segments[0], segments[-1]
        whole = first.derivative
        for segment in segments[1:]:
            whole = None if whole is None else np.asarray(segment.derivative) @ whole
        return cls(
            first.begin,
            last.end,
            first.start,
            last.state,
            first.start_rate,
            last.rate,
            whole,
            None,
            sum(segment.trace for segment in segments),
            float(np.prod([segment.jumps for segment in segments])),
            tuple(event for segment in segments for event in segment.events),
            last.modes,
            first.start_modes,
            tuple(piece for segment in segments for piece in segment.pieces),
            tuple(segments),
        )

    @property
    def factors(self) -> tuple[np.ndarray, ...]:
        """Matrices whose product is the derivative, the first of which acts first."""
        own = [segment.derivative for segment in self.segments] or [self.derivative]
        return tuple(matrix for matrix in own if matrix is not None)

    def _title(self) -> str:
        return "trajectory"

    def _facts(self) -> list[str]:
        return [
            f"from {self.begin:g} s to {self.end:g} s",
            wording.count(self.state.size, "state"),
            wording.count(len(self.events), "event"),
        ]

    @property
    def span(self) -> float:
        """Time from one end to the other, s."""
        return self.end - self.begin

    @property
    def determinant(self) -> float:
        """Determinant of the derivative by Liouville's formula and the saltation matrices."""
        return float(np.exp(self.trace) * self.jumps)


class Flow:
    """The flow of equations: the final state by the start state and the time span.

    Parameters
    ----------
    equations : Equations
        The system.
    start : mapping of str to float
        A state near those that will be asked for, where the mechanism is assembled; numbers that
        are remembered have their own start values where none are given.
    parameters : mapping of str to float
        Values that differ from the model's.
    inputs : mapping of str to float or callable
        Constants or functions of time.
    vary : str or sequence of str, optional
        A parameter, or an input that is constant, by which the derivative is wanted too; or a list
        of several.
    still : sequence of int
        States on which no rate depends, whose columns are those of the unit matrix.
    steps : StepOptions
        Tolerances, the longest step, and whether steps are implicit.
    chosen : bool
        Whether to leave out remembered numbers of laws that parameters do not choose.
    backend : {"auto", "python", "c"}
        Backend of the equations: C from the start, Python alone, or Python until compiling pays;
        see `mbcore.evaluate_by`.

    Attributes
    ----------
    point : VariedPoint
        The point that moves.
    modes : list of int
        Places of the discrete variables that say what motion goes on.
    names, units : tuple of str
        Names and units of the states, then of the nm numbers that events set and motion depends on.
    nominal : ndarray, shape (ns + nm,)
        Their nominal values.

    Raises
    ------
    ModelError
        If a name is unknown or a value impossible, or there are no states.
    ConfigurationError, SimulationError
        If nothing can be assembled at the start, or the mass matrix is singular there.
    """

    @takes_backend
    def __init__(
        self,
        equations: Equations,
        start: Mapping[str, float] | None = None,
        *,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, InputSignal] | None = None,
        vary: str | Sequence[str] | None = None,
        still: Sequence[int] = (),
        steps: StepOptions = STEPS,
        chosen: bool = False,
        backend: Backend = "auto",
    ) -> None:
        self.equations = checked_equations("a flow", equations)
        if not equations.states:
            raise ModelError(
                f"flow of {equations.name}: it has no states, so its motion depends on no start; "
                "simulate() gives its outputs over time"
            )
        self._steps, self._varies_one = steps, isinstance(vary, str)
        constants, signals = split_inputs(equations, inputs)
        self.point = VariedPoint(equations, parameters, constants, signals, vary, chosen)
        self.modes = list(equations.remembered.modes)
        self.still = tuple(still)
        owner = f"flow of {equations.name}"
        self.rtol = checks.real(owner, "rtol", steps.rtol, above=1e-15, most=LOOSEST)
        self.atol = checks.real(owner, "atol", steps.atol, above=0.0)
        self.max_step = checks.scalar(f"{owner}: max_step", steps.max_step)
        if not self.max_step > 0:
            raise ModelError(
                f"{owner}: max_step = {steps.max_step}; give a positive number of seconds"
            )
        self._assemble(start, signals)

    def renew(
        self,
        start: Mapping[str, float] | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, InputSignal] | None = None,
    ) -> None:
        """Become the same as a new one with these values, by the functions that it has.

        Raises
        ------
        ModelError
            If a name is unknown or a value impossible.
        ConfigurationError, SimulationError
            If nothing can be assembled at the start, or the mass matrix is singular there.
        """
        self.equations.refuse_stale()
        constants, signals = split_inputs(self.equations, inputs)
        self.point.renew(parameters, constants)
        self.point.follow(signals)
        self._assemble(start, signals)

    def _assemble(
        self,
        start: Mapping[str, float] | None,
        signals: dict[int, Callable[[float], float]],
    ) -> None:
        """Assemble the mechanism at a start."""
        equations = self.equations
        numbers = [equations.discretes[i] for i in self.point.numbers]
        records: list[State | Discrete] = [*equations.states, *numbers]
        self.names = tuple(record.name for record in records)
        self.units = tuple(record.unit for record in records)
        self.nominal = np.array([record.nominal or 1.0 for record in records])
        self.run = MovingPoint(self.point, signals)
        self.saltation = Saltation(self.run, self.point, self.nominal)
        self._implicit = self._steps.implicit
        for i, signal in signals.items():
            self.point.u[i] = signal(0.0)
        every = [equations.discretes[i] for i in equations.remembered.numbers]
        given = checks.values("start value", start, (*equations.states, *every))
        own = {number.name: number.start for number in numbers}
        for name in {number.name for number in every} - own.keys():
            given.pop(name, None)
        own |= {name: given.pop(name) for name in own if name in given}
        self.point.start(given)
        self._numbers = np.array(list(own.values()))
        self._discrete_start = np.array([d.start for d in equations.discretes])
        self._home = self.point.save()
        self._begun: Jump | None = None

    def _takes_implicit_steps(self, span: float) -> bool:
        """Whether the steps of a ``span``, s, from the present point on are implicit."""
        smooth = not self.equations.events
        if self._implicit is None and smooth and not self._steps.coarse:
            self._implicit = True
        if self._implicit is None:
            jacobian = self.point.rates_by_states(range(self.point.s.size))
            decay = -np.linalg.eigvals(jacobian).real.min(initial=0.0)
            self._implicit = bool(decay * span > (MILD if smooth else STIFF))
        return self._implicit

    def whole(self, start: np.ndarray) -> np.ndarray:
        """Return a start with remembered numbers, (ns + nm,), where it is of the states alone."""
        start = np.asarray(start, float)
        return np.append(start, self._numbers) if start.size == self.point.s.size else start

    def named(self, start: np.ndarray) -> dict[str, float]:
        """Return the states of a start, (ns + nm,), by name."""
        own = self.point.s.size
        return dict(zip(self.names[:own], map(float, start[:own]), strict=True))

    def remembered(self, start: np.ndarray) -> dict[str, float]:
        """Return the remembered numbers of a start, (ns + nm,), by name."""
        own = self.point.s.size
        return dict(zip(self.names[own:], map(float, start[own:]), strict=True))

    def begin(self, start: np.ndarray, time: float = 0.0, onward: bool = False) -> None:
        """Set a state and time, s, assembled near the first one; start the modes.

        Or go ``onward``: assemble near the present point, in its modes.

        Parameters
        ----------
        start : ndarray, shape (ns,) or (ns + nm,)
            States, and remembered numbers, which else have their start values.
        time : float
            s.
        """
        e, start = self.point, self.whole(start)
        if not onward:
            values = e.u.copy(), e.p.copy()
            e.restore(self._home)
            e.u[:], e.p[:] = values
            e.d[:] = self._discrete_start
        e.d[list(e.numbers)] = start[e.s.size :]
        self.run.events.clear()
        self.run.failure = None
        self.run.move(time, start[: e.s.size])
        if not onward:
            close_touching(e)
        if e.project():
            e.accept()
        self._begun = None if onward else self.saltation.start()

    def start_with_modes(self, modes: np.ndarray) -> None:
        """Begin the next flows with the modes among discrete variables, (nd,)."""
        self._discrete_start[self.modes] = modes[self.modes]

    def __call__(
        self,
        start: np.ndarray,
        span: float,
        *,
        begin: float = 0.0,
        onward: bool = False,
        derivative: bool = True,
        record: bool = False,
    ) -> Trajectory:
        """Go from a state, (ns,) or with remembered numbers (ns + nm,), for a time ``span``, s.

        Parameters
        ----------
        begin : float
            Time at the start, s.
        onward : bool
            Whether the modes are those in which the last motion ended.
        derivative : bool
            Whether the derivatives are wanted.
        record : bool
            Whether the motion between is wanted.

        Raises
        ------
        ConfigurationError, SimulationError
            If no configuration exists, a requirement is violated, the step becomes too small, or
            an event has no derivative because it grazes.
        """
        self.begin(start, begin, onward)
        integration = self.integration(span, derivative, record)
        e = self.point
        first, start_rate, modes = e.states, e.rates(), e.d.copy()
        integration.go(begin + span)
        matrix, by_value = integration.derivatives()
        if by_value is not None and self._varies_one:
            by_value = by_value[:, 0]
        return Trajectory(
            begin,
            begin + span,
            first,
            e.states,
            start_rate,
            e.rates(),
            matrix,
            by_value,
            integration.trace,
            integration.jumps,
            tuple(self.run.events),
            e.d.copy(),
            modes,
            tuple(integration.pieces),
        )

    def through(
        self,
        starts: np.ndarray,
        times: np.ndarray,
        *,
        derivative: bool = True,
        record: bool = False,
    ) -> tuple[Trajectory, ...]:
        """Go through segments one after another, each from its own state in the modes before it.

        Parameters
        ----------
        starts : ndarray, shape (n, ns + nm)
            States at their beginnings; of the first one alone, (1, ns + nm), where each shall begin
            at the end of the one before, as states on which nothing depends always do.
        times : ndarray, shape (n + 1,)
            Their ends, s.
        derivative, record : bool
            As for a call.

        Raises
        ------
        ConfigurationError, SimulationError
            As for a call.
        """
        found: list[Trajectory] = []
        still = list(self.still)
        for k, (begin, end) in enumerate(pairwise(times)):
            start = (starts[k] if k < len(starts) else found[-1].state).copy()
            if found:
                start[still] = found[-1].state[still]
            found.append(
                self(
                    start,
                    end - begin,
                    begin=begin,
                    onward=bool(found),
                    derivative=derivative,
                    record=record,
                )
            )
        return tuple(found)

    def integration(
        self,
        span: float,
        derivative: bool = True,
        record: Recorded = False,
        by_states: Sequence[int] | None = None,
    ) -> VariationalIntegration:
        """Return what goes on from the present point as far as it is asked to, about ``span`` s.

        It has the ``derivative`` by the start, and with ``record`` keeps the motion in between; if
        that is ``"all"``, the columns of the derivative, too. With ``by_states`` there are columns
        by the start values of these alone, perhaps none, then by what is varied.
        """
        implicit = self._takes_implicit_steps(span)
        method = StepOptions(self.rtol, self.atol, self.max_step, implicit)
        columns = StartColumns(self.nominal, self.still, self._begun, by_states)
        return VariationalIntegration(
            self.run, self.point, self.saltation, columns, method, derivative, record
        )
