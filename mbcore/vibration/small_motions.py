"""Small motions added to a nominal one: states and outputs over one period."""

from __future__ import annotations

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.vibration.linear_balance import SmallMotion
from mbcore.vibration.signal import FourierSignal


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
        The nominal motion, and what a period adds to it.
    outputs, output_matrix : ndarray, shapes (n, ny), (n, ny, ns)
        Outputs along the nominal motion, and how they change with the states.
    output_advance : ndarray, shape (ny,)
        What a period of the nominal motion adds to the outputs.
    """
    n, period = states.shape[0], small.equations.period
    c, gone = small.state_coefficients, small.advance
    part = np.arange(n)[:, None] / n
    change = np.fft.irfft(c * n, n, axis=0) + part * gone
    found: dict[str, FourierSignal] = {}
    for i, record in enumerate(equations.states):
        nominal = FourierSignal.of_samples(states[:, i], period, "", float(advance[i]))
        total = nominal.coefficients
        total[: c.shape[0]] += c[:, i]
        whole = float(advance[i] + gone[i])
        found[record.name] = FourierSignal(total, period, record.unit, whole)
    shown = outputs + np.einsum("nys,ns->ny", output_matrix, change)
    drift = output_advance + output_matrix[0] @ gone
    for i, output in enumerate(equations.outputs):
        found[output.name] = FourierSignal.of_samples(
            shown[:, i], period, output.unit, float(drift[i])
        )
    return found
