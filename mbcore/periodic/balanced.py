"""Periodic motions by harmonic balance, with Newton's method and a chosen number of harmonics.

Used by `mbcore.periodic.periodic` alone; it stands apart because it is one of two methods, with its
own refusals.
"""

from __future__ import annotations

import numpy as np

from mbcore.model.errors import ConfigurationError, SimulationError, warn_user
from mbcore.periodic.harmonic_balance import HarmonicBalance
from mbcore.periodic.sampling import sampled
from mbcore.periodic.shooting import Shooting
from mbcore.results.fourier_signal import FourierSignal
from mbcore.results.periodic_solution import PeriodicSolution

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
        With the number of harmonics and what the highest ones have.
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
    shooting, flow, equations = balance.shooting, balance.shooting.flow, balance.shooting.equations
    m, felt = balance.harmonics, shooting.felt
    start = shooting.start_of((balance.terms(np.zeros(1)) @ c)[0])
    trajectory = flow(start, period, record=True)
    advance = shooting.advance(trajectory)
    signals, motion = sampled(flow, trajectory, advance)
    series = np.vstack([c[:1], (c[1 : m + 1] - 1j * c[m + 1 :]) / 2]) * shooting.nominal
    for k, i in enumerate(felt):
        state = equations.states[i]
        signals[state.name] = FourierSignal(series[:, k], period, state.unit, float(advance[i]))
    left = ((trajectory.state - trajectory.start - advance) / flow.nominal)[felt]
    unknowns = np.append(start[felt] / shooting.nominal, period / shooting.period_guess)
    unknowns = unknowns[: len(felt) + int(shooting.autonomous)]
    shooting.anchor(unknowns)
    family = shooting.point_of(trajectory, unknowns).family
    return shooting.solution(trajectory, signals, motion, float(np.abs(left).max()), steps, family)
