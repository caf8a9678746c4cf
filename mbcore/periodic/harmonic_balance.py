"""Harmonic balance of the full equations, alternating between time and frequency.

States are truncated Fourier series over the period, s(τ) = c_0 + Σ (c_l cos 2πlτ + d_l sin 2πlτ),
plus whole turns of angles. Rates and their exact Jacobians are taken at equally spaced times, more
than there are coefficients, and projected on the same series:

    D c - T P f(c) = 0,

which Newton's method solves for the coefficients and, where nothing depends on time, the period.
The number of harmonics is given, or doubled until the highest ones are small.

Used by `mbcore.periodic.periodic` alone; it stands apart because it is one of two methods, with its
own refusals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbcore.model.errors import ConfigurationError, SimulationError, warn_user
from mbcore.periodic.sampling import sampled
from mbcore.periodic.shooting import Shooting
from mbcore.results.fourier_signal import FourierSignal
from mbcore.results.periodic_solution import PeriodicSolution

OVERSAMPLED = 4
"""Samples for each harmonic."""
FIRST, MOST = 8, 128
"""First and largest number of harmonics where none is given; doubled until sufficient."""
ENOUGH = 1e-10
"""Size of the highest harmonics, relative to the largest, that is sufficient."""
DOUBTFUL, HOPELESS = 1e-6, 1e-2
"""The same, above which a given number of harmonics brings a warning, or an error."""
MOST_STEPS, SMALLEST_PART = 40, 1e-3
CONVERGED = 1e-11
"""Largest change of a coefficient by the last Newton step, in parts of the largest one."""
ROUNDING = 1e-8
"""The same, accepted where rounding allows no less."""


@dataclass(frozen=True)
class Balance:
    """Residual and Jacobian at coefficients."""

    residual: np.ndarray
    jacobian: np.ndarray

    @property
    def size(self) -> float:
        """Norm of the residual, infinite where it is not a number."""
        size = float(np.linalg.norm(self.residual))
        return size if np.isfinite(size) else np.inf


class HarmonicBalance:
    """The balance of a number of harmonics, for the states on which anything depends.

    Parameters
    ----------
    shooting : Shooting
        The system, its period and its advance.
    harmonics : int
        Number of harmonics m.

    Attributes
    ----------
    times : ndarray, shape (n,)
        Parts of the period at which rates are taken.
    basis : ndarray, shape (n, 2 m + 1)
        Values of the series' terms there: one, cosines, sines.
    """

    def __init__(self, shooting: Shooting, harmonics: int) -> None:
        self.shooting, self.harmonics = shooting, harmonics
        m, count = harmonics, OVERSAMPLED * (harmonics + 1)
        self.times = np.arange(count) / count
        self.basis = self.terms(self.times)
        self.projection = self.basis.T * (2.0 / count)
        self.projection[0] /= 2
        self.slope = np.zeros((2 * m + 1, 2 * m + 1))
        for k in range(1, m + 1):
            self.slope[k, m + k] = 2 * np.pi * k
            self.slope[m + k, k] = -2 * np.pi * k
        self._reference: np.ndarray | None = None

    def terms(self, times: np.ndarray) -> np.ndarray:
        """Return values of the series' terms at parts of the period, shape (n, 2 m + 1)."""
        turned = 2 * np.pi * np.outer(times, np.arange(1, self.harmonics + 1))
        return np.hstack([np.ones((times.size, 1)), np.cos(turned), np.sin(turned)])

    def coefficients(self, samples: np.ndarray) -> np.ndarray:
        """Return the unknowns of samples at `times`, (n, nf), in parts of nominal values."""
        level = (samples - np.outer(self.times, self.advance)) / self.shooting.nominal
        return np.asarray(self.projection @ level)

    def states(self, coefficients: np.ndarray) -> np.ndarray:
        """Return the samples of coefficients, (2 m + 1, nf), at `times`, shape (n, nf)."""
        return self.basis @ coefficients * self.shooting.nominal + np.outer(
            self.times, self.advance
        )

    @property
    def advance(self) -> np.ndarray:
        """Increase of the unknown states in a period, shape (nf,)."""
        return self.shooting.known_advance[self.shooting.felt]

    def anchor(self, coefficients: np.ndarray) -> None:
        """Set the phase condition by these coefficients, (2 m + 1, nf)."""
        self._reference = coefficients.copy()

    def at(self, coefficients: np.ndarray, period: float) -> Balance:
        """Return the balance at coefficients, (2 m + 1, nf), and a period, s.

        Raises
        ------
        ConfigurationError, SimulationError
            If a sample has no configuration, or an event is between them.
        """
        nf, terms = len(self.shooting.felt), 2 * self.harmonics + 1
        f, J = self._rates(coefficients, period)
        rise = np.zeros((terms, nf))
        rise[0] = self.advance / self.shooting.nominal
        mean = self.projection @ f
        residual = self.slope @ coefficients + rise - period * mean
        by = np.einsum("aj,jb,jkl->akbl", self.projection, self.basis, J, optimize=True)
        size = terms * nf
        jacobian = np.kron(self.slope, np.eye(nf)) - period * by.reshape(size, size)
        if not self.shooting.autonomous:
            return Balance(residual.ravel(), jacobian)
        assert self._reference is not None
        along = (self.slope @ self._reference).ravel()
        along /= np.linalg.norm(along)
        phase = along @ (coefficients - self._reference).ravel()
        whole = np.block(
            [[jacobian, -mean.reshape(-1, 1) * self.shooting.period_guess], [along, np.zeros(1)]]
        )
        return Balance(np.append(residual.ravel(), phase), whole)

    def _rates(self, coefficients: np.ndarray, period: float) -> tuple[np.ndarray, np.ndarray]:
        """Return rates, (n, nf), and their Jacobians, (n, nf, nf), at the samples, scaled."""
        shooting, flow = self.shooting, self.shooting.flow
        felt, nominal, e = shooting.felt, shooting.nominal, shooting.flow.point
        samples = self.states(coefficients)
        f = np.empty(samples.shape)
        J = np.empty((*samples.shape, len(felt)))
        whole = shooting.start_of(samples[0] / nominal)
        flow.begin(whole)
        modes = e.d.copy()
        self._refuse_constraints(modes)
        for j, sample in enumerate(samples):
            whole[felt] = sample
            flow.run.move(float(self.times[j]) * period, whole)
            f[j] = e.derivative()[felt] / nominal
            J[j] = e.rates_by_states(felt)[felt] * nominal / nominal[:, None]
            if e.equations.events:
                self._refuse_events(modes)
            e.accept()
        return f, J

    def _refuse_constraints(self, modes: np.ndarray) -> None:
        e = self.shooting.flow.point
        for event, mode in zip(e.equations.events, modes, strict=False):
            if event.kind == "held_slip" and mode > 0.5:
                raise SimulationError(
                    f"{e.equations.name}: {event.name} at t = {e.t[0]:.6g}, and harmonic balance "
                    "does not keep a held slip at zero; use method='shooting'"
                )

    def _refuse_events(self, modes: np.ndarray) -> None:
        e = self.shooting.flow.point
        for event, value, mode in zip(e.equations.events, e.indicator(), modes, strict=False):
            if (value > event.band) if mode < 0.5 else (value < -event.band):
                raise SimulationError(
                    f"{e.equations.name}: {event.name} occurs at t = {e.t[0]:.6g}, and harmonic "
                    "balance takes smooth motions; use method='shooting'"
                )


def balanced(
    shooting: Shooting, guess: PeriodicSolution | None, harmonics: int | None
) -> PeriodicSolution:
    """Solve for a periodic motion by harmonic balance.

    Its multipliers, outputs, and ``residual`` are those of the flow from its start.

    Parameters
    ----------
    guess : PeriodicSolution, optional
        Where Newton's method begins; by default, one period from the start of ``shooting``.
    harmonics : int, optional
        Number of harmonics; by default as many as are needed.

    Raises
    ------
    SimulationError
        If Newton's method does not converge, an event occurs, or the harmonics are too few.
    """
    count = harmonics or FIRST
    balance = HarmonicBalance(shooting, count)
    c, period = _first(balance, guess)
    steps = 0
    while True:
        c, period, made = _solve(balance, c, period)
        steps += made
        left = _highest(balance, c)
        if harmonics is not None or left <= ENOUGH or 2 * count > MOST:
            break
        before, count = c, 2 * count
        m = balance.harmonics
        balance = HarmonicBalance(shooting, count)
        c = np.zeros((2 * count + 1, before.shape[1]))
        c[: m + 1], c[count + 1 : count + 1 + m] = before[: m + 1], before[m + 1 :]
    if shooting.autonomous and not np.abs(c[1:]).max(initial=0.0) > ROUNDING:
        raise SimulationError(
            f"{shooting.equations.name}: harmonic balance came to a state at rest, which has no "
            "period; guess a motion, or a state of it"
        )
    _check_highest(balance, left)
    return _solution(balance, c, period, steps)


def _first(balance: HarmonicBalance, guess: PeriodicSolution | None) -> tuple[np.ndarray, float]:
    """Return the coefficients and period of the guess."""
    shooting = balance.shooting
    period, felt = shooting.period_guess, shooting.felt
    if guess is not None and all(name in guess.signals for name in shooting.names):
        period = guess.period if shooting.autonomous else period
        at = balance.times * guess.period
        rises = [guess[name](guess.period) - guess[name](0.0) for name in shooting.names]
        shooting.advance_by(np.array(rises))
        samples = np.column_stack([guess[name](at) for name in shooting.names])
    else:
        start = shooting.start_of(shooting.unknowns)
        trajectory = shooting.flow(start, period, derivative=False, record=True)
        shooting.advance(trajectory)
        begins = np.array([piece.begin for piece in trajectory.pieces])
        at = balance.times * period
        within = np.searchsorted(begins, at, side="right") - 1
        samples = np.array(
            [trajectory.pieces[k].between(t)[felt] for k, t in zip(within, at, strict=True)]
        )
        gap = (trajectory.state - trajectory.start)[felt] - balance.advance
        samples = samples - np.outer(balance.times, gap)
    return balance.coefficients(samples), period


def _solve(balance: HarmonicBalance, c: np.ndarray, period: float) -> tuple[np.ndarray, float, int]:
    """Return coefficients and period by Newton's method, and the number of its steps."""
    shooting = balance.shooting
    balance.anchor(c)
    here, steps = balance.at(c, period), 0
    while steps < MOST_STEPS:
        step = np.linalg.lstsq(here.jacobian, -here.residual, rcond=1e-13)[0]
        moved = float(np.abs(step).max()) / max(1.0, float(np.abs(c).max()))
        part, failure = 1.0, None
        while part >= SMALLEST_PART:
            there, new_period = c + part * step[: c.size].reshape(c.shape), period
            if shooting.autonomous:
                new_period = period + part * float(step[-1]) * shooting.period_guess
            if moved <= CONVERGED:
                return there, new_period, steps + 1
            try:
                trial = balance.at(there, new_period)
            except (ConfigurationError, SimulationError) as error:
                failure = error
            else:
                failure = None
                if trial.size < here.size:
                    break
            part /= 2
        else:
            if failure is not None:
                raise failure
            if moved <= ROUNDING:
                return c, period, steps
            break
        c, period, here, steps = there, new_period, trial, steps + 1
    worst = int(np.argmax(np.abs(here.residual[: c.size]))) % c.shape[1]
    raise SimulationError(
        f"{shooting.equations.name}: harmonic balance with {balance.harmonics} harmonics does not "
        f"converge: after {steps} Newton steps {here.size:.3g} is left, most of it of "
        f"{shooting.names[worst]}; guess nearer, or use method='shooting'"
    )


def _highest(balance: HarmonicBalance, c: np.ndarray) -> float:
    """Return the size of the two highest harmonics, relative to the largest of a state."""
    m = balance.harmonics
    sizes = np.hypot(c[1 : m + 1], c[m + 1 :])
    least = 1e-6 * max(float(sizes.max(initial=0.0)), 1e-6)
    return float((sizes[-2:].max(axis=0) / np.maximum(sizes.max(axis=0), least)).max())


def _check_highest(balance: HarmonicBalance, left: float) -> None:
    """Refuse a series that does not converge, and warn of one that converges slowly.

    Raises
    ------
    SimulationError
        With the number of harmonics and the share of the highest ones.
    """
    name, m = balance.shooting.equations.name, balance.harmonics
    text = (
        f"{name}: the highest of {m} harmonics still has {left:.2g} of the largest one; give more "
        "harmonics, or use method='shooting'"
    )
    if left > HOPELESS:
        raise SimulationError(text)
    if left > DOUBTFUL:
        warn_user(text)


def _solution(
    balance: HarmonicBalance, c: np.ndarray, period: float, steps: int
) -> PeriodicSolution:
    """Return the solution of coefficients, with the flow of one period from its start."""
    shooting, flow = balance.shooting, balance.shooting.flow
    m, felt = balance.harmonics, shooting.felt
    start = shooting.start_of((balance.terms(np.zeros(1)) @ c)[0])
    trajectory = flow(start, period, record=True)
    advance = shooting.advance(trajectory)
    signals, motion = sampled(flow, trajectory, advance)
    series = np.vstack([c[:1], (c[1 : m + 1] - 1j * c[m + 1 :]) / 2]) * shooting.nominal
    for k, i in enumerate(felt):
        name, unit = flow.names[i], flow.units[i]
        signals[name] = FourierSignal(series[:, k], period, unit, float(advance[i]))
    left = ((trajectory.state - trajectory.start - advance) / flow.nominal)[felt]
    unknowns = np.append(start[felt] / shooting.nominal, period / shooting.period_guess)
    unknowns = unknowns[: len(felt) + int(shooting.autonomous)]
    shooting.anchor(unknowns)
    family = shooting.point_of(trajectory, unknowns).family
    return shooting.solution(trajectory, signals, motion, float(np.abs(left).max()), steps, family)
