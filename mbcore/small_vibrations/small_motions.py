"""Small motions added to a nominal one: states and outputs over one period.

Used by `mbcore.small_vibrations.nominal_motion` alone; it stands apart because it makes results of
solutions.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.model import checks, near_names
from mbcore.model.errors import ModelError
from mbcore.results.fourier_signal import FourierSignal, coefficients
from mbcore.results.periodic_solution import PeriodicSolution
from mbcore.results.result import Result
from mbcore.small_vibrations.linear_balance import SmallMotion


def signals_of(
    equations: Equations,
    small: SmallMotion,
    states: np.ndarray,
    advance: np.ndarray,
    outputs: np.ndarray,
    output_matrix: np.ndarray,
    output_advance: np.ndarray,
) -> dict[str, FourierSignal]:
    """Return the sums of nominal and small motions, by the names of states and outputs.

    Parameters
    ----------
    states, advance : ndarray, shapes (n, ns), (ns,)
        The nominal motion, and its increase in a period.
    outputs, output_matrix : ndarray, shapes (n, ny), (n, ny, ns)
        Outputs along the nominal motion, and their derivatives by the states.
    output_advance : ndarray, shape (ny,)
        Increase of the outputs in a period of the nominal motion.
    """
    n, period = states.shape[0], small.equations.period
    c, gone = small.state_coefficients, small.advance
    part = np.arange(n)[:, None] / n
    change = np.fft.irfft(c * n, n, axis=0) + part * gone
    total = coefficients(states, advance)
    total[: c.shape[0]] += c
    shown = outputs + np.einsum("nys,ns->ny", output_matrix, change)
    drift = output_advance + output_matrix[0] @ gone
    every = [(r.name, r.unit) for r in equations.states]
    every += [(r.name, r.unit) for r in equations.outputs]
    series = np.hstack([total, coefficients(shown, drift)]).T.copy()
    rates = np.concatenate([advance + gone, drift]).tolist()
    return {
        name: FourierSignal(one, period, unit, rate)
        for (name, unit), one, rate in zip(every, series, rates, strict=True)
    }


def result_of(
    equations: Equations,
    steady: PeriodicSolution,
    times: np.ndarray,
    change: np.ndarray,
    output_matrix: np.ndarray,
) -> Result:
    """Return the sum of a periodic motion and a transient one.

    Parameters
    ----------
    times, change : ndarray, shapes (nt,), (nt, ns)
        Times, and the transient states at these.
    output_matrix : ndarray, shape (n, ny, ns)
        Derivatives of the outputs by the states, over one period.
    """
    n = output_matrix.shape[0]
    part = np.arange(times.size) % n
    shown = np.einsum("tys,ts->ty", output_matrix[part], change)
    columns, units = {}, {}
    descriptions = {r.name: r.description for r in equations.states if r.description}
    descriptions |= {r.name: r.description for r in equations.outputs if r.description}
    for i, state in enumerate(equations.states):
        columns[state.name] = steady[state.name](times) + change[:, i]
        units[state.name] = state.unit
    for i, output in enumerate(equations.outputs):
        columns[output.name] = steady[output.name](times) + shown[:, i]
        units[output.name] = output.unit
    return Result(
        equations.name, times, columns, units, descriptions=descriptions, backend=steady.backend
    )


def resampled(samples: np.ndarray, count: int) -> np.ndarray:
    """Return periodic samples at more equally spaced times, by trigonometric interpolation."""
    n = samples.shape[0]
    spectrum = np.fft.rfft(samples, axis=0)
    if n % 2 == 0 and count > n:
        spectrum[-1] /= 2
    return np.fft.irfft(spectrum * (count / n), count, axis=0)


def checked_start(
    equations: Equations, nominal: np.ndarray, start: Mapping[str, float] | None
) -> np.ndarray:
    """Return start values of all states, those of the nominal motion where none are given.

    Raises
    ------
    ModelError
        If a name is unknown or a value is not finite.
    """
    names = [record.name for record in equations.states]
    found = nominal.copy()
    for name, value in checks.values("start value", start, equations.states).items():
        if name not in names:
            raise ModelError(near_names.unknown("state", name, names))
        if not np.isfinite(value):
            raise ModelError(f"start value {name} = {value} is not a finite number")
        found[names.index(name)] = value
    return found
