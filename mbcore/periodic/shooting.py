"""Periodicity as equations for the start state, for Newton's method and continuation.

Unknown are the states on which anything depends, numbers that events set and motion depends on,
and, where nothing depends on time, the period: a motion that starts there shall be there again
after the period. An angle may have turned by whole turns. The Jacobian is exact, from the
derivative of the flow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.host.backend import Backend, takes_backend
from mbcore.model import checks
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError, SimulationError
from mbcore.periodic.driving import given_advance
from mbcore.periodic.flow import InputSignal, Trajectory
from mbcore.periodic.product_eigenvalues import product_eigenvalues
from mbcore.periodic.shooting_point import ShootingPoint
from mbcore.periodic.shot import Shootable, Shot, shootable
from mbcore.periodic.variational import ATOL, RTOL, StepOptions
from mbcore.results.fourier_signal import Signal
from mbcore.results.motion import Motion
from mbcore.results.periodic_solution import PeriodicSolution

TURN = 2 * np.pi
ROUGH = 1e-7
"""Tolerance of the integration while a motion settles."""
NEARLY = 0.05
"""Residual below which contacts at the start take the modes of the end."""
PERIOD_SLOPE = 1e-6
"""Relative step of the finite difference of a given period by the varied quantity."""


@explains_construction
@dataclass(frozen=True)
class ShootingOptions:
    """How shooting is done.

    Attributes
    ----------
    advance : mapping of str to float
        By how much states are larger after a period, where that is known: a place that has moved
        on by a wavelength of its road. By default, whole turns of angles as the guess has them.
    rtol, atol : float
        Tolerances of the integration; ``atol`` is multiplied by nominal values.
    max_step : float
        Longest step, s.
    """

    advance: Mapping[str, float] | None = None
    rtol: float = RTOL
    atol: float = ATOL
    max_step: float = np.inf


OPTIONS = ShootingOptions()


class Shooting:
    """The equations whose zeros are starts of periodic motions.

    Parameters
    ----------
    equations : Equations or Shootable
        The system: equations, or the driver of an FMU.
    period : float or callable
        s; or a function of the varied quantity, as ``lambda speed: 2 * np.pi / speed``. A first
        guess where ``autonomous``.
    autonomous : bool
        Whether nothing depends on time and the period is unknown.
    start : mapping of str to float
        Start values of the guess that differ from the model's.
    parameters : mapping of str to float
        Values that differ from the model's.
    inputs : mapping of str to float or callable
        Constants or functions of time.
    vary : str, optional
        A parameter or a constant input that is varied: ``value``.
    options : ShootingOptions
        Tolerances of the integration, and by how much states are larger after a period.
    backend : {"auto", "python", "c"}
        Backend of the equations: C from the start, Python alone, or Python until compiling pays;
        see `mbcore.evaluate_by`.

    Attributes
    ----------
    names : tuple of str
        Names of the unknown states and numbers.
    ignorable : tuple of str
        States on which nothing depends; they keep their start values.
    unknowns : ndarray, shape (n,)
        The guess: unknown states in parts of their nominal values, then the period in parts of
        its guess where it is unknown.
    driven : bool
        Whether rates depend on time at the guess.
    flow : Flow
        The flow.

    Raises
    ------
    ModelError
        If a name is unknown, the period is not positive, the system is not a function of time but
        not called autonomous (or the other way round), or a free rotation is felt.
    SimulationError
        If rates one period later are others: inputs of another period.
    """

    @takes_backend
    def __init__(
        self,
        equations: Equations | Shootable,
        period: float | Callable[[float], float],
        *,
        autonomous: bool = False,
        start: Mapping[str, float] | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, InputSignal] | None = None,
        vary: str | None = None,
        options: ShootingOptions = OPTIONS,
        backend: Backend = "auto",
    ) -> None:
        self.equations, self.autonomous = equations, autonomous
        steps = StepOptions(options.rtol, options.atol, options.max_step)
        given = (start, parameters, inputs, vary, steps)
        self.system: Shot = shootable("shooting", equations).shot(*given)
        self.flow = self.system.flow
        if callable(period) and (vary is None or autonomous):
            raise ModelError(
                f"{equations.name}: a period that is a function needs vary='NAME', and a system "
                "that is driven; give the period in s"
            )
        self._period = period
        self.period_guess = self.period_at(self.system.value() if vary else 0.0)
        self._start = self.system.first()
        self._still = self.system.ignorable(self._start, self.period_guess)
        self.flow.still = self._still
        self.felt = [i for i in range(self._start.size) if i not in self._still]
        self.names = tuple(self.flow.names[i] for i in self.felt)
        self.ignorable = tuple(self.flow.names[i] for i in self._still)
        self.nominal = self.flow.nominal[self.felt]
        if not self.felt:
            raise ModelError(
                f"{equations.name}: no state influences the motion, so there is none to be periodic"
            )
        advance = options.advance
        self._advance = None if advance is None else given_advance(self.flow, advance)
        self.driven = self.system.driven(self._start, self.period_guess, autonomous)
        last = [1.0] if autonomous else []
        self.unknowns = np.concatenate([self._start[self.felt] / self.nominal, last])
        self._anchor: tuple[np.ndarray, np.ndarray] | None = None
        self.evaluations = 0

    @property
    def known_advance(self) -> np.ndarray:
        """Increase of states in a period, (ns + nm,); zero before it is known."""
        return np.zeros(self._start.size) if self._advance is None else self._advance

    @property
    def value(self) -> float:
        """Value of the varied quantity."""
        return self.system.value()

    def period_at(self, value: float) -> float:
        """Return the period, s, that is given for a value of the varied quantity.

        Raises
        ------
        ModelError
            If it is not positive.
        """
        given = self._period(value) if callable(self._period) else self._period
        return checks.real(f"{self.equations.name}", "period", given, above=0.0, unit="s")

    def start_of(self, unknowns: np.ndarray) -> np.ndarray:
        """Return all states and remembered numbers, (ns + nm,), of unknowns, (n,)."""
        start = self._start.copy()
        start[self.felt] = unknowns[: len(self.felt)] * self.nominal
        return start

    def period_of(self, unknowns: np.ndarray, value: float | None = None) -> float:
        """Return the period, s, of unknowns, (n,), and of the ``value`` of the varied quantity."""
        if self.autonomous:
            return float(unknowns[-1]) * self.period_guess
        if not callable(self._period):
            return self.period_guess
        return self.period_at(self.value if value is None else value)

    def residual(self, unknowns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the residual at unknowns, (n,), and its Jacobian, (n, n)."""
        found = self.at(unknowns)
        return found.residual, found.jacobian

    def anchor(self, unknowns: np.ndarray) -> None:
        """Set the phase condition by these unknowns, (n,).

        The motion starts in the plane through this state that is normal to its rate.

        Raises
        ------
        SimulationError
            If it is at rest there.
        """
        if not self.autonomous:
            return
        rate = self.system.rates(self.start_of(unknowns))[self.felt] / self.nominal
        size = float(np.linalg.norm(rate))
        if not size * self.period_guess > 1e-9:
            raise SimulationError(
                f"{self.equations.name}: the guess is a state of rest, which has no period: guess "
                "a state of the motion"
            )
        self._anchor = unknowns[:-1].copy(), rate / size

    def at(self, unknowns: np.ndarray, value: float | None = None) -> ShootingPoint:
        """Return residual and derivatives at unknowns, (n,), and a value of the varied quantity.

        Raises
        ------
        ConfigurationError, SimulationError
            If the motion cannot be followed over the period.
        """
        if value is not None:
            self.system.vary_to(value)
        if self.autonomous and self._anchor is None:
            self.anchor(unknowns)
        period = self.period_of(unknowns)
        if not period > 0:
            raise SimulationError(f"{self.equations.name}: the period became {period:.6g} s")
        self.evaluations += 1
        found = self.flow(self.start_of(unknowns), period)
        return self.point_of(found, unknowns)

    def point_of(self, found: Trajectory, unknowns: np.ndarray) -> ShootingPoint:
        """Return residual and derivatives of ``found``, a motion over the period from unknowns."""
        felt, nominal = self.felt, self.nominal
        assert found.derivative is not None
        advance = self.advance(found)
        # a closed contact, or a held slip, has moved the start to where its gap, or it, is zero
        residual = (found.state - self.start_of(unknowns) - advance)[felt]
        matrix = found.derivative[np.ix_(felt, felt)] - np.eye(len(felt))
        jacobian = matrix * nominal / nominal[:, None]
        residual = residual / nominal
        # Near the solution start and end are the same point, so their modes must agree.
        if self.system.remembers(found.modes) and np.abs(residual).max() < NEARLY:
            self.flow.start_with_modes(found.modes)
        by_value = None if found.by_value is None else found.by_value[felt] / nominal
        rate = found.rate[felt] / nominal
        # The end moves with its rate where the period itself depends on the value.
        if by_value is not None and callable(self._period):
            by_value = by_value + rate * self._period_slope()
        if self.autonomous:
            assert self._anchor is not None
            place, direction = self._anchor
            # The last column is the rate by the unknown period, the last row the phase condition.
            jacobian = np.block(
                [[jacobian, self.period_guess * rate[:, None]], [direction[None, :], np.zeros(1)]]
            )
            residual = np.append(residual, direction @ (unknowns[:-1] - place))
            by_value = None if by_value is None else np.append(by_value, 0.0)
        return ShootingPoint(residual, jacobian, by_value, found, found.span)

    def advance(self, found: Trajectory) -> np.ndarray:
        """Return the allowed increase of each state of ``found`` in the period, (ns + nm,)."""
        rises = found.state - found.start
        advance = self.advance_by(rises[self.felt]).copy()
        still = list(self._still)
        advance[still] = rises[still]
        return advance

    def advance_by(self, rises: np.ndarray) -> np.ndarray:
        """Return the states' advances, (ns + nm,); at first they are whole turns of angles.

        Parameters
        ----------
        rises : ndarray, shape (n,)
            Increase of the unknown states in a period of the guess.
        """
        if self._advance is None:
            angles = np.array([self.flow.units[i] == "rad" for i in self.felt])
            self._advance = np.zeros(self._start.size)
            self._advance[self.felt] = np.where(angles, np.round(rises / TURN), 0.0) * TURN
        return self._advance

    @property
    def single(self) -> Shooting:
        """The equations for the start alone, as `MultipleShooting` has them: these."""
        return self

    def begin(self, unknowns: np.ndarray) -> np.ndarray:
        """Return the guess, (n,), from unknowns of the start: the same."""
        return unknowns

    def solution(
        self,
        found: Trajectory,
        signals: Mapping[str, Signal],
        motion: Motion | None,
        residual: float,
        iterations: int,
        family: int = 0,
    ) -> PeriodicSolution:
        """Return the solution of a motion.

        Parameters
        ----------
        found : Trajectory
            The motion over one period, with its derivative.
        signals : mapping of str to signal
            States and outputs by name.
        motion : Motion
            The same for pictures.
        residual, iterations : float, int
            Residual of periodicity in nominal values, and number of iterations.
        family : int
            Number of further unit multipliers.
        """
        return PeriodicSolution(
            self.equations.name,
            found.end - found.begin,
            self.flow.named(found.start),
            signals,
            self.system.parameters(),
            self.system.inputs(),
            self.multipliers(found),
            neutral=len(self._still) + int(self.autonomous) + family,
            residual=residual,
            iterations=iterations,
            motion=motion,
            remembered=self.flow.remembered(found.start),
        )

    def settled(self, unknowns: np.ndarray, periods: int) -> np.ndarray:
        """Return the unknowns, (n,), of the state some periods later, whole turns taken off."""
        period, start = self.period_of(unknowns), self.start_of(unknowns)
        rtol, atol = self.flow.rtol, self.flow.atol
        self.flow.rtol, self.flow.atol = max(rtol, ROUGH), max(atol, ROUGH)
        try:
            end = self.flow(start, periods * period, derivative=False).state
        finally:
            self.flow.rtol, self.flow.atol = rtol, atol
        angles = np.array([unit == "rad" for unit in self.flow.units])
        turns = np.where(angles, np.round((end - start) / TURN) * TURN, 0.0)
        if self._advance is not None:
            turns = np.where(angles, turns, periods * self._advance)
        later = unknowns.copy()
        later[: len(self.felt)] = (end - turns)[self.felt] / self.nominal
        return later

    def multipliers(self, found: Trajectory) -> np.ndarray:
        """Return the multipliers of ``found``, largest first; one for ignorable states.

        Shape (ns + nm,). Remembered numbers that the motion neither sets nor feels, such as those
        of a contact that stays open, count as zero.
        """
        scaled = self.nominal / self.nominal[:, None]
        factors = [matrix[np.ix_(self.felt, self.felt)] * scaled for matrix in found.factors]
        numbers, unit = self.flow.remembered(found.start), np.eye(len(self.felt))
        for k, name in enumerate(self.names):
            if name in numbers and all(np.array_equal(one[:, k], unit[k]) for one in factors):
                factors[0][k, k] = 0.0
        own = product_eigenvalues(factors)
        every = np.concatenate([own, np.ones(len(self._still))])
        return every[np.argsort(-np.abs(every), kind="stable")].astype(complex)

    def _period_slope(self) -> float:
        value = self.value
        step = PERIOD_SLOPE * (abs(value) or 1.0)
        return (self.period_at(value + step) - self.period_at(value - step)) / (2 * step)
