"""Transient solutions of linear periodic equations, by averaging or by integration.

[Schwab2002] 4.2: in the modes of the mean equations amplitudes vary slowly. Terms that turn fast
relative to a mode average out, so that the modes decouple, (4.13).

Used by `mbcore.small_vibrations.nominal_motion` alone; it stands apart because it is a method of
solution by itself.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from mbcore.host.threads import single_threaded
from mbcore.model.errors import ModelError, warn_user
from mbcore.small_vibrations.hill import balanced
from mbcore.small_vibrations.monodromy import product, step_matrices
from mbcore.small_vibrations.periodic_equations import PeriodicEquations

COUPLED = 0.1
"""Relative amplitude that one mode may lend another before averaging brings a warning."""
DEFECTIVE = 1e10
"""Condition number of the modes above which eigenvalues count as not distinct."""
TURN = 1.0
"""Largest phase of the mean equations in one of the first steps of the integration, rad."""
AGREES = 1e-10
"""Relative change of the result of one period at which steps are small enough."""
REFINED = 5
"""Largest number of halvings of the steps."""


@single_threaded
def averaged(equations: PeriodicEquations, start: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the solution of ẋ = A(t) x by first-order averaging, [Schwab2002] (4.9) to (4.13).

    Parameters
    ----------
    start : ndarray, shape (ns,)
        x(0).
    times : ndarray, shape (nt,)
        s.

    Returns
    -------
    ndarray, shape (nt, ns)

    Raises
    ------
    ModelError
        If eigenvalues of the mean equations are not distinct, with fewer modes than states.

    Warns
    -----
    ModelWarning
        If modes are not separated: names the two that exchange most.
    """
    A, scales = balanced(equations)
    most = (equations.samples - 1) // 2
    every = equations.coefficients(A, most)
    values, Y = linalg.eig(every[most].real)
    if np.linalg.cond(Y) > DEFECTIVE:
        raise ModelError(
            f"{equations.name}: the mean equations have eigenvalues that coincide, with fewer "
            'modes than states, so that averaging does not apply; use method="integration"'
        )
    every[most] = 0.0
    J = linalg.solve(Y, every @ Y)  # the coefficients of [Schwab2002] (4.10)
    if not _warn_of_coupling(equations, values, J):
        _warn_of_drift(equations, values, J, float(times[-1]))
    orders = np.arange(-most, most + 1)
    turning = 1j * equations.frequency * orders
    turning[most] = 1.0  # its coefficient is zero
    own = np.einsum("lii->li", J) / turning[:, None]
    grown = np.exp(np.multiply.outer(times, 1j * equations.frequency * orders)) - 1.0
    amplitude = linalg.solve(Y, start / scales)
    # [Schwab2002] (4.11), (4.13)
    z = np.exp(np.multiply.outer(times, values) + grown @ own) * amplitude
    return np.asarray((z @ Y.T).real * scales)


def _warn_of_coupling(equations: PeriodicEquations, values: np.ndarray, J: np.ndarray) -> bool:
    """Compare the terms that [Schwab2002] (4.13) leaves out with their frequencies.

    They are J_ij exp((λ_j - λ_i + i l ω) t).

    Return whether it was worth a warning.
    """
    most = J.shape[0] // 2
    turning = 1j * equations.frequency * np.arange(-most, most + 1)
    apart = np.abs(turning[:, None, None] + values - values[:, None])
    left_out = np.abs(J)
    left_out[:, range(values.size), range(values.size)] = 0.0
    part = left_out / np.maximum(apart, 1e-300)
    worst = np.unravel_index(int(np.argmax(part)), part.shape)
    if part[worst] > COUPLED:
        order, i, j = (int(k) for k in worst)
        warn_user(
            f"{equations.name}: averaging takes the modes with eigenvalues {values[i]:.4g} and "
            f"{values[j]:.4g} 1/s as separated, but harmonic {abs(order - most)} of the "
            f"coefficients couples them by {part[worst]:.2g} of their amplitude; the transient may "
            'be wrong by as much: use method="integration"'
        )
    return bool(part[worst] > COUPLED)


def _warn_of_drift(
    equations: PeriodicEquations, values: np.ndarray, J: np.ndarray, until: float
) -> None:
    """Compare the second-order shift of eigenvalues with the given time.

    A mode i lends J_ji exp(i l ω t) / (λ_i - λ_j + i l ω) to another one, which gives back J_ij
    exp(-i l ω t) of it: its eigenvalue changes by the sum of these products.
    """
    most = J.shape[0] // 2
    turning = 1j * equations.frequency * np.arange(-most, most + 1)
    apart = turning[:, None, None] + values - values[:, None]
    lent = J / np.where(np.abs(apart) > 0, apart, np.inf)  # of i = column to j = row
    lent[:, range(values.size), range(values.size)] = 0.0
    change = np.einsum("lij,lji->i", J[::-1], lent)
    i = int(np.argmax(np.abs(change)))
    wrong = float(np.abs(change[i])) * until
    if wrong > COUPLED:
        warn_user(
            f"{equations.name}: averaging leaves out that the eigenvalue {values[i]:.4g} 1/s "
            f"changes by {abs(change[i]):.2g} 1/s of second order; in {until:.4g} s the "
            f'transient may be wrong by {wrong:.2g} of its amplitude: use method="integration"'
        )


@single_threaded
def integrated(
    equations: PeriodicEquations, start: np.ndarray, per_period: int, count: int
) -> np.ndarray:
    """Return the solution of ẋ = A(t) x at equally spaced times, by Magnus' method.

    Parameters
    ----------
    start : ndarray, shape (ns,)
        x(0).
    per_period : int
        Times in a period.
    count : int
        Times in all, the first at 0.

    Returns
    -------
    ndarray, shape (count, ns)
    """
    A, scales = balanced(equations)
    fastest = float(np.abs(linalg.eigvals(A.mean(axis=0))).max(initial=0.0))
    wanted = max(equations.samples, fastest * equations.period / TURN)
    inside = max(1, int(np.ceil(wanted / per_period)))
    steps = _grouped(step_matrices(equations, A, per_period * inside), inside)
    for _ in range(REFINED):
        before, inside = steps, 2 * inside
        steps = _grouped(step_matrices(equations, A, per_period * inside), inside)
        if np.abs(steps - before).max() * per_period <= AGREES:
            break
    x = np.empty((count, start.size))
    x[0] = start / scales
    for i in range(1, count):
        x[i] = steps[(i - 1) % per_period] @ x[i - 1]
    return x * scales


def _grouped(steps: np.ndarray, inside: int) -> np.ndarray:
    """Return products of so many steps each."""
    groups = steps.reshape(-1, inside, *steps.shape[1:])
    return np.array([product(group) for group in groups])
