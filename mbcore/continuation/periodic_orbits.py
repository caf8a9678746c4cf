"""Periodic solutions over a parameter: the family that `continuation` follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from mbcore.continuation.branch import BranchEvent
from mbcore.continuation.branch_data import Record
from mbcore.continuation.varied import Varied
from mbcore.equations.equations import Equations
from mbcore.linear.linearize import linearize
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.periodic.flow import InputSignal, Trajectory
from mbcore.periodic.periodic import solve_shooting
from mbcore.periodic.sampling import sampled
from mbcore.periodic.shooting import Shooting, ShootingPoint
from mbcore.results.periodic_solution import PeriodicSolution

NEAR = 1e-7
"""Change of the unknowns over which multipliers are not made anew."""
SMALL = 1e-2
"""Part of nominal values by which a small orbit leaves an equilibrium."""
ON_AXIS = 1e-9
"""Part of π by which the angle of a negative multiplier may be off."""

Period = float | Callable[[float], float]


@dataclass(frozen=True)
class OrbitSettings:
    """What makes the shooting equations of a periodic solution, but for where it starts.

    Attributes
    ----------
    equations : Equations
    period : float or callable
        s; or a function of what varies.
    autonomous : bool
    parameters : mapping of str to float
    inputs : mapping of str to float or callable
    over : Varied
        What varies.
    advance : mapping of str to float, or None
    rtol, atol : float
    harmonics : int
        Number of the last harmonic that is kept.
    """

    equations: Equations
    period: Period
    autonomous: bool
    parameters: Mapping[str, float]
    inputs: Mapping[str, InputSignal]
    over: Varied
    advance: Mapping[str, float] | None
    rtol: float
    atol: float
    harmonics: int

    def shooting(self, start: Mapping[str, float], value: float, times: int = 1) -> Shooting:
        """Return the equations for a motion that comes back after some periods."""
        period, advance = self.period, self.advance
        parameters, inputs = self.over.among(value, self.parameters, self.inputs)
        many: Period
        if callable(period):
            own = period

            def many(value: float) -> float:
                return times * own(value)

        else:
            many = times * period
        return Shooting(
            self.equations,
            many,
            autonomous=self.autonomous,
            start=start,
            parameters=parameters,
            inputs=inputs,
            vary=self.over.name,
            advance=None if advance is None else {k: times * v for k, v in advance.items()},
            rtol=self.rtol,
            atol=self.atol,
        )

    def check_period(self, start: Mapping[str, float] | None, value: float) -> None:
        """Refuse a period that is not that of what drives the system at another value.

        Raises
        ------
        SimulationError
            Naming what is different one period later.
        """
        try:
            self.shooting(start or {}, value)
        except ConfigurationError:  # no such state there; the solution is elsewhere
            return
        except SimulationError as error:
            raise SimulationError(
                f"at {self.over.name} = {value:g}: {error}, as a function of {self.over.name}: "
                "period=lambda value: ..."
            ) from error


class Orbiting:
    """Start states, and unknown periods, of periodic motions.

    Exponents are those of the multipliers of the states that have any influence, without that of
    the phase of an autonomous system.

    Parameters
    ----------
    settings : OrbitSettings
    shooting : Shooting
        The equations, at the first solution.
    times : int
        Number of periods after which motions come back.
    """

    def __init__(self, settings: OrbitSettings, shooting: Shooting, times: int = 1) -> None:
        self._settings, self.shooting, self._times = settings, shooting, times
        self._last: tuple[np.ndarray, ShootingPoint] | None = None
        self._stale = False
        self._neutral = len(shooting.ignorable) + int(shooting.autonomous)

    @property
    def scale(self) -> np.ndarray:
        """Natural sizes: unknowns are in parts of nominal values."""
        return np.ones(self.shooting.unknowns.size)

    @property
    def accuracy(self) -> float:
        """Size of a residual that is nothing but error of the integration."""
        return self._settings.rtol

    def _at(self, unknowns: np.ndarray, value: float, near: float = 0.0) -> ShootingPoint:
        """Return the shooting equations, or those of the last point where it is near enough."""
        y = np.r_[unknowns, value]
        stale = self._stale and not near
        if self._last is None or stale or np.abs(y - self._last[0]).max() > near:
            try:
                self._last, self._stale = (y, self.shooting.at(unknowns, value)), False
            except ModelError as error:  # out of the range of what varies
                raise SimulationError(str(error)) from error
        return self._last[1]

    def residual(
        self, unknowns: np.ndarray, value: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the residual of shooting and its derivatives."""
        found = self._at(unknowns, value)
        assert found.by_value is not None
        return found.residual, found.jacobian, found.by_value

    def _multipliers(self, found: Trajectory) -> np.ndarray:
        """Return all multipliers, the neutral ones first, shape (ns,)."""
        every = self.shooting.multipliers(found)
        order = np.argsort(np.abs(every - 1), kind="stable")
        neutral = order[: self._neutral]
        return np.r_[every[neutral], np.delete(every, neutral)]

    def exponents(self, unknowns: np.ndarray, value: float) -> np.ndarray:
        """Return the exponents log(multiplier)/T, but for those of neutral multipliers."""
        found = self._at(unknowns, value, NEAR)
        with np.errstate(divide="ignore"):
            logarithms = np.log(self._multipliers(found.trajectory)[self._neutral :])
        return logarithms / found.period

    def kind(self, exponent: complex, unknowns: np.ndarray, value: float) -> str:
        """Return "flip" for a negative multiplier and "neimark_sacker" for one of a pair."""
        angle = abs(exponent.imag) * self.shooting.period_of(unknowns, value)
        if abs(angle - np.pi) <= ON_AXIS * np.pi:
            return "flip"
        return "neimark_sacker" if angle > 0 else ""

    def accept(self, unknowns: np.ndarray, value: float) -> None:
        """Let the phase of an autonomous motion be counted from here."""
        if self.shooting.autonomous:
            self.shooting.flow.point.vary_to(value)
            self.shooting.anchor(unknowns)
            self._stale = True  # the residual, not the motion

    def record(self, unknowns: np.ndarray, value: float) -> Record:
        """Return what is kept of a solution."""
        solution = self.solution(unknowns, value)
        states, outputs = self._settings.equations.states, self._settings.equations.outputs
        names = [r.name for r in states] + [r.name for r in outputs]
        signals = [solution.signals[name] for name in names]
        m = self._settings.harmonics
        harmonics = np.zeros((len(signals), m + 1), complex)
        for row, signal in zip(harmonics, signals, strict=True):
            found = signal.harmonics()[: m + 1]
            row[: found.size] = found
        point = self.shooting.flow.point
        return Record(
            states=np.array(list(solution.start.values())),
            outputs=np.array([float(signal(0.0)) for signal in signals[len(states) :]]),
            parameters=point.p.copy(),
            inputs=point.u.copy(),
            period=solution.period,
            amplitudes=np.array([signal.amplitude() for signal in signals]),
            harmonics=harmonics,
            solution=solution,
        )

    def solution(self, unknowns: np.ndarray, value: float) -> PeriodicSolution:
        """Return the solution at unknowns, with all signals."""
        found = self._at(unknowns, value, NEAR)
        shooting, q = self.shooting, self._settings.equations
        flow, period = shooting.flow, shooting.period_of(unknowns, value)
        flow.point.vary_to(value)
        way = flow(shooting.start_of(unknowns), period, derivative=False, record=True)
        advance = shooting.advance(way)
        left = (way.state - way.start - advance) / flow.nominal
        constant = [i for i in range(len(q.inputs)) if i not in flow.run.signals]
        signals, motion = sampled(flow, way, advance)
        return PeriodicSolution(
            q.name,
            period,
            {s.name: float(v) for s, v in zip(q.states, way.start, strict=True)},
            signals,
            {p.name: float(v) for p, v in zip(q.parameters, flow.point.p, strict=True)},
            {q.inputs[i].name: float(flow.point.u[i]) for i in constant},
            shooting.multipliers(found.trajectory),
            neutral=self._neutral,
            residual=float(np.abs(left[shooting.felt]).max(initial=0.0)),
            motion=motion,
        )

    def doubled(self, unknowns: np.ndarray, value: float) -> tuple[Orbiting, np.ndarray]:
        """Return the family of twice the period, and the same solution in it."""
        states = self._settings.equations.states
        start = self.shooting.start_of(unknowns)
        times = 2 * self._times
        named = {s.name: float(v) for s, v in zip(states, start, strict=True)}
        shooting = self._settings.shooting(named, value, times)
        return Orbiting(self._settings, shooting, times), unknowns.copy()


def orbiting(
    settings: OrbitSettings, start: PeriodicSolution | Mapping[str, float] | None, first: float
) -> tuple[Orbiting, np.ndarray]:
    """Return the family of periodic solutions, and the one at a value of what varies.

    Raises
    ------
    SimulationError
        If there is none near the start.
    """
    begin = start.start if isinstance(start, PeriodicSolution) else start
    try:
        shooting = settings.shooting(dict(begin or {}), first)
        found = solve_shooting(shooting)
    except SimulationError as error:
        raise SimulationError(
            f"continuation: no periodic solution at {settings.over.name} = {first:g} from this "
            f"start; {error}"
        ) from error
    places = np.array(list(found.start.values()))[shooting.felt] / shooting.nominal
    period = [found.period / shooting.period_guess] if shooting.autonomous else []
    return Orbiting(settings, shooting), np.r_[places, period]


def orbiting_from_hopf(
    settings: OrbitSettings, event: BranchEvent
) -> tuple[Orbiting, np.ndarray, np.ndarray]:
    """Return the family of the orbits that begin at a Hopf bifurcation.

    Returns
    -------
    family : Orbiting
    unknowns : ndarray, shape (n,)
        The state of rest, or of the steady motion, with the period of small orbits.
    direction : ndarray, shape (n,)
        Change of the unknowns to small orbits, of size one.
    """
    q = settings.equations
    about = linearize(q, event.state, parameters=event.parameters, inputs=event.inputs)
    mode = min(about.modes(), key=lambda mode: abs(mode.eigenvalue - event.exponent))
    nominal = np.array([record.nominal for record in q.states])
    shape = np.array(list(mode.shape.values())).real / nominal
    shape /= np.abs(shape).max()
    aside = np.array(list(event.state.values())) + SMALL * nominal * shape
    named = {record.name: float(v) for record, v in zip(q.states, aside, strict=True)}
    shooting = settings.shooting(named, event.value)
    shooting.anchor(shooting.unknowns)
    rest = (np.array(list(event.state.values())) / nominal)[shooting.felt]
    return (
        Orbiting(settings, shooting),
        np.r_[rest, 1.0],
        np.r_[shape[shooting.felt], 0.0],
    )
