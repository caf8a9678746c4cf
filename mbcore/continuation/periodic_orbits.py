"""Periodic solutions over a parameter: a family of solutions that `continuation` follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from mbcore.continuation.branch import BranchEvent
from mbcore.continuation.branch_data import Record
from mbcore.continuation.branch_tracer import Beginning
from mbcore.continuation.starts import Start, refuse_event, start_states
from mbcore.continuation.varied import ParameterRange, Varied, varied
from mbcore.equations.equations import Equations
from mbcore.linear.linearize import linearize
from mbcore.model import checks
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.periodic.flow import InputSignal, Trajectory
from mbcore.periodic.periodic import solve_shooting
from mbcore.periodic.shooting import Shooting, ShootingOptions, ShootingPoint
from mbcore.periodic.shot import Shootable, records_of
from mbcore.results.periodic_solution import PeriodicSolution

AHEAD = 0.05
"""Part of the range after which the period is checked again."""
NEAR = 1e-7
"""Change of the unknowns over which multipliers are not made anew."""
SMALL = 1e-2
"""Part of nominal values by which a small orbit leaves an equilibrium."""
ON_AXIS = 1e-9
"""Part of π by which the angle of a negative multiplier may be off."""

Period = float | Callable[[float], float]


@explains_construction
@dataclass(frozen=True)
class Periodic:
    """The periodic motions of a system, for `continuation` over a parameter or an input.

    Attributes
    ----------
    equations : Equations or driver
        The system; of an FMU what `mbcore.driver` returns.
    period : float or callable
        s; or a function of what varies, as in ``lambda speed: 2 * np.pi / speed``. A first guess
        where ``autonomous``; not needed where ``start`` is a Hopf bifurcation.
    start : optional
        Where the first one is sought: states by name; a ``PeriodicSolution``; a ``Configuration``
        or ``SteadyMotion``; or the event of a Hopf bifurcation, from which the orbits are followed
        that begin there, with the parameters and inputs that it was found for.
    parameters : mapping of str to float
        Values that differ from the model's.
    inputs : mapping of str to float or callable
        Constants or functions of time.
    autonomous : bool
        Whether nothing depends on time, so that the period is unknown.
    advance : mapping of str to float
        By how much states are larger after a period, as in `periodic_solution`.
    harmonics : int
        Number of the last harmonic that the branch holds.
    rtol, atol : float
        Tolerances of the integration; ``atol`` is multiplied by nominal values.
    """

    equations: Equations | Shootable
    period: Period | None = None
    start: Start | PeriodicSolution | BranchEvent | None = None
    parameters: Mapping[str, float] | None = None
    inputs: Mapping[str, InputSignal] | None = None
    autonomous: bool = False
    advance: Mapping[str, float] | None = None
    harmonics: int = 8
    rtol: float = 1e-10
    atol: float = 1e-12

    kind: ClassVar[str] = "periodic"

    def begin(self, over: ParameterRange) -> Beginning:
        """Return the first solution, where the range ``over`` begins, or at an event.

        Raises
        ------
        ModelError
            If a name is unknown or a value impossible.
        SimulationError
            If there is none near the start.
        """
        equations, start = records_of(self.equations), self.start
        parameters = checks.values("parameter", self.parameters, equations.parameters)
        inputs = dict(self.inputs or {})
        what = varied(equations, over.name, (over.low, over.high), parameters, inputs)
        family = replace(
            self,
            parameters=parameters,
            inputs=inputs,
            harmonics=checks.whole("continuation", "harmonics", self.harmonics, 0),
            rtol=checks.real("continuation", "rtol", self.rtol, above=0.0, most=1e-3),
            atol=checks.real("continuation", "atol", self.atol, above=0.0),
        )
        if isinstance(start, BranchEvent):
            return _from_hopf(family._about(start, over, what), what, start)
        if self.period is None:
            raise ModelError(
                f"continuation over {over.name}: periodic solutions need their period, in s or as "
                f"a function of {over.name}: Periodic(equations, period=...); a first guess with "
                "autonomous=True, or start=event of a Hopf bifurcation"
            )
        if isinstance(start, PeriodicSolution):
            states: Mapping[str, float] | None = {**start.start, **start.remembered}
        else:
            states = start_states("periodic solutions", start)
        beginning = _near(family, what, states, over)
        if not self.autonomous:
            family._check_period(what, states, over.first + AHEAD * (over.last - over.first))
        return beginning

    def _shooting(
        self, over: Varied, start: Mapping[str, float], value: float, times: int = 1
    ) -> Shooting:
        """Return the equations for a motion that comes back after some periods."""
        period, advance = self.period, self.advance
        assert period is not None
        parameters, inputs = over.among(value, self.parameters or {}, self.inputs or {})
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
            vary=over.name,
            options=ShootingOptions(
                None if advance is None else {k: times * v for k, v in advance.items()},
                rtol=self.rtol,
                atol=self.atol,
            ),
        )

    def _check_period(self, over: Varied, start: Mapping[str, float] | None, value: float) -> None:
        """Refuse a period that is not that of what drives the system at another value.

        Raises
        ------
        SimulationError
            Naming the state that differs one period later.
        """
        try:
            self._shooting(over, start or {}, value)
        except ConfigurationError:  # no such state there; the solution is elsewhere
            return
        except SimulationError as error:
            raise SimulationError(
                f"at {over.name} = {value:g}: {error}, as a function of {over.name}: "
                "period=lambda value: ..."
            ) from error

    def _about(self, event: BranchEvent, over: ParameterRange, what: Varied) -> Periodic:
        """Return the family of the orbits that begin at a Hopf bifurcation."""
        refuse_event(event, over, what)
        own = {k: v for k, v in event.parameters.items() if k != over.name}
        given = {k: v for k, v in event.inputs.items() if k != over.name}
        return replace(
            self,
            period=2 * np.pi / event.exponent.imag,
            autonomous=True,
            parameters=own | dict(self.parameters or {}),
            inputs=given | dict(self.inputs or {}),
            advance=None,
        )


class PeriodicOrbitFamily:
    """Start states, and unknown periods, of periodic motions.

    Exponents are those of the multipliers of the states that have any influence, without that of
    the phase of an autonomous system.

    Parameters
    ----------
    problem : Periodic
        Maker of the equations, without starts of motions.
    over : Varied
        Varied quantity.
    shooting : Shooting
        The equations, at the first solution.
    times : int
        Number of periods after which motions come back.
    """

    def __init__(self, problem: Periodic, over: Varied, shooting: Shooting, times: int = 1) -> None:
        self._problem, self._over = problem, over
        self.shooting, self._times = shooting, times
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
        return self._problem.rtol

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
        multipliers = self._multipliers(found.trajectory)[self._neutral :]
        with np.errstate(divide="ignore"):
            growth = np.log(np.abs(multipliers)) / found.period
        return growth + 1j * np.angle(multipliers) / found.period

    def kind(self, exponent: complex, unknowns: np.ndarray, value: float) -> str:
        """Return "flip" for a negative multiplier and "neimark_sacker" for one of a pair."""
        angle = abs(exponent.imag) * self.shooting.period_of(unknowns, value)
        if abs(angle - np.pi) <= ON_AXIS * np.pi:
            return "flip"
        return "neimark_sacker" if angle > 0 else ""

    def accept(self, unknowns: np.ndarray, value: float) -> None:
        """Let the phase of an autonomous motion be counted from here."""
        if self.shooting.autonomous:
            self.shooting.system.vary_to(value)
            self.shooting.anchor(unknowns)
            self._stale = True  # the residual, not the motion

    def record(self, unknowns: np.ndarray, value: float) -> Record:
        """Return the data recorded for a solution."""
        solution = self.solution(unknowns, value)
        records = records_of(self._problem.equations)
        states, outputs = records.states, records.outputs
        names = [r.name for r in states] + [r.name for r in outputs]
        signals = [solution.signals[name] for name in names]
        m = self._problem.harmonics
        harmonics = np.zeros((len(signals), m + 1), complex)
        for row, signal in zip(harmonics, signals, strict=True):
            found = signal.harmonics()[: m + 1]
            row[: found.size] = found
        parameters, inputs = self.shooting.system.values()
        return Record(
            states=np.array(list(solution.start.values())),
            outputs=np.array([float(signal(0.0)) for signal in signals[len(states) :]]),
            parameters=parameters,
            inputs=inputs,
            period=solution.period,
            amplitudes=np.array([signal.amplitude() for signal in signals]),
            harmonics=harmonics,
            solution=solution,
        )

    def solution(self, unknowns: np.ndarray, value: float) -> PeriodicSolution:
        """Return the solution at unknowns, with all signals."""
        found = self._at(unknowns, value, NEAR)
        shooting, name = self.shooting, self._problem.equations.name
        flow, period = shooting.flow, shooting.period_of(unknowns, value)
        shooting.system.vary_to(value)
        trajectory = flow(shooting.start_of(unknowns), period, derivative=False, record=True)
        advance = shooting.advance(trajectory)
        left = (trajectory.state - trajectory.start - advance) / flow.nominal
        signals, motion = shooting.system.sampled(trajectory, advance)
        return PeriodicSolution(
            name,
            period,
            flow.named(trajectory.start),
            signals,
            shooting.system.parameters(),
            shooting.system.inputs(),
            shooting.multipliers(found.trajectory),
            neutral=self._neutral,
            residual=float(np.abs(left[shooting.felt]).max(initial=0.0)),
            motion=motion,
            remembered=flow.remembered(trajectory.start),
        )

    def doubled(self, unknowns: np.ndarray, value: float) -> tuple[PeriodicOrbitFamily, np.ndarray]:
        """Return the family of twice the period, and the same solution in it."""
        start, flow = self.shooting.start_of(unknowns), self.shooting.flow
        times = 2 * self._times
        named = flow.named(start) | flow.remembered(start)
        shooting = self._problem._shooting(self._over, named, value, times)
        return PeriodicOrbitFamily(self._problem, self._over, shooting, times), unknowns.copy()


def _near(
    family: Periodic, what: Varied, start: Mapping[str, float] | None, over: ParameterRange
) -> Beginning:
    """Return the periodic solution at the first value of what varies.

    Raises
    ------
    SimulationError
        If there is none near the start.
    """
    try:
        shooting = family._shooting(what, dict(start or {}), over.first)
        found = solve_shooting(shooting)
    except SimulationError as error:
        raise SimulationError(
            f"continuation: no periodic solution at {over.name} = {over.first:g} from this "
            f"start; {error}"
        ) from error
    start_values = [*found.start.values(), *found.remembered.values()]
    places = np.array(start_values)[shooting.felt] / shooting.nominal
    period = [found.period / shooting.period_guess] if shooting.autonomous else []
    orbits = PeriodicOrbitFamily(family, what, shooting)
    return Beginning(orbits, what.unit, np.r_[places, period], over.first)


def _from_hopf(family: Periodic, what: Varied, event: BranchEvent) -> Beginning:
    """Return the state of rest, or of the steady motion, at which orbits begin, with their period.

    The direction is the change of the unknowns to small orbits, of size one.
    """
    if not isinstance(family.equations, Equations):
        raise ModelError(
            f"{family.equations.name}: orbits of an FMU begin at a periodic solution or states by "
            "name, not at an event"
        )
    equations = family.equations
    about = linearize(equations, event.state, parameters=event.parameters, inputs=event.inputs)
    mode = min(about.modes(), key=lambda mode: abs(mode.eigenvalue - event.exponent))
    nominal = np.array([record.nominal for record in equations.states])
    shape = np.array(list(mode.shape.values())).real / nominal
    shape /= np.abs(shape).max()
    aside = np.array(list(event.state.values())) + SMALL * nominal * shape
    named = {record.name: float(v) for record, v in zip(equations.states, aside, strict=True)}
    shooting = family._shooting(what, named, event.value)
    shooting.anchor(shooting.unknowns)
    whole = shooting.flow.whole(np.array(list(event.state.values())))
    rest = (whole / shooting.flow.nominal)[shooting.felt]
    shape = np.r_[shape, np.zeros(whole.size - shape.size)]
    return Beginning(
        PeriodicOrbitFamily(family, what, shooting),
        what.unit,
        np.r_[rest, 1.0],
        event.value,
        direction=np.r_[shape[shooting.felt], 0.0],
    )
