"""The monodromy matrix of linear periodic equations: the state after a period by that before.

Magnus' method of order 6 on the trigonometric interpolant of the coefficients. Each step is the
exponential of a matrix, so that constant coefficients are integrated exactly, at any frequency, and
the determinant is exact.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy import linalg
from scipy.optimize import linear_sum_assignment

from mbcore.model.errors import ModelError, warn_user
from mbcore.small_vibrations.periodic_equations import PeriodicEquations

NODES = np.sqrt(15) / 10
"""Distance of the outer Gauss nodes from the middle of a step, in steps."""
TURN = 4.0
"""Largest phase of the mean equations in one of the first steps, rad."""
REFINED = 4
"""Largest number of halvings of the steps."""
AGREES = 2e-7
"""Change of exponents, in parts of ω, at which steps are small enough: 1/63 of it is left."""
WARNED_ABOVE = 1e-5
"""Change, in parts of ω, that brings a warning where steps cannot be halved any more."""
LARGEST = 3e7
"""Largest number of entries of step matrices in memory at once."""
SMALL = 0.25
"""Norm of a matrix up to which its exponential is summed without squaring."""
DECAY = 10.0
"""Exponent of decay within a segment of the period that one matrix spans."""
SPREAD = 12.0
"""Exponent of decay in a period up to which one matrix resolves all multipliers."""
ROUNDS = 60
"""Largest number of passes through the period that separate fast decay from slow."""
SEPARATED = 1e-13
"""Coupling of a direction to slower ones at which they are separated."""
ROUNDING = 1e-8
"""The same, where rounding prevents a further decrease."""
APART = 2.0
"""Difference of decay exponents above which directions are separated."""


def step_matrices(equations: PeriodicEquations, A: np.ndarray, steps: int) -> np.ndarray:
    """Return the transition matrices of equal steps, shape (steps, ns, ns).

    Parameters
    ----------
    A : ndarray, shape (n, ns, ns)
        Samples of the state matrix, in any scaling of the states.
    steps : int
        Number of equal steps, at least that of samples.
    """
    h = equations.period / steps
    coefficients = np.fft.rfft(A, axis=0) / A.shape[0]
    if A.shape[0] % 2 == 0:
        coefficients[-1] = 0.0  # as in [Schwab2002] (4.5)
    order = np.arange(coefficients.shape[0])
    first, middle, last = (
        np.fft.irfft(
            coefficients * np.exp(2j * np.pi * order * place / steps)[:, None, None] * steps,
            steps,
            axis=0,
        )
        for place in (0.5 - NODES, 0.5, 0.5 + NODES)
    )

    def bracket(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.asarray(a @ b - b @ a)

    # Blanes, Casas, Oteo and Ros (2009), order 6
    a1, a2 = h * middle, np.sqrt(15) / 3 * h * (last - first)
    a3 = 10 / 3 * h * (last - 2 * middle + first)
    c1 = bracket(a1, a2)
    c2 = -bracket(a1, 2 * a3 + c1) / 60
    return exponentials(a1 + a3 / 12 + bracket(-20 * a1 - a3 + c1, a2 + c2) / 240)


def exponentials(X: np.ndarray) -> np.ndarray:
    """Return exp X of many matrices, (n, k, k): Taylor's series of order 12, and squaring."""
    size = float(np.abs(X).sum(axis=1).max(initial=0.0))
    squarings = max(0, int(np.ceil(np.log2(size / SMALL)))) if size > 0 else 0
    X = X / 2.0**squarings
    one = np.eye(X.shape[1])
    X2 = X @ X
    X3 = X2 @ X
    weights = 1 / np.cumprod(np.r_[1.0, np.arange(1, 13)])
    found = weights[12] * X3
    for i in (9, 6, 3, 0):
        found = found + weights[i] * one + weights[i + 1] * X + weights[i + 2] * X2
        if i:
            found = X3 @ found
    for _ in range(squarings):
        found = found @ found
    return found


def monodromy_exponents(equations: PeriodicEquations, A: np.ndarray) -> np.ndarray:
    """Return log(multiplier)/T of all multipliers, 1/s, shape (ns,) complex.

    Steps are halved until the exponents agree. Multipliers of any size are found with their own
    accuracy, also where slow and fast decay differ by more than the digits of a number.

    Parameters
    ----------
    A : ndarray, shape (n, ns, ns)
        Samples of the state matrix.

    Raises
    ------
    ModelError
        If the fastest mode needs too many steps.
    """
    ω, T = equations.frequency, equations.period
    mean, modes = linalg.eig(A.mean(axis=0))
    directions = _orthogonal(modes[:, np.argsort(-mean.real, kind="stable")])
    fastest = float(np.abs(mean).max(initial=0.0))
    steps = max(A.shape[0], int(np.ceil(fastest * T / TURN)))
    if steps * A[0].size > LARGEST:
        raise ModelError(
            f"{equations.name}: the fastest mode turns by {fastest * T:.3g} rad in a period, too "
            f'many steps for the monodromy matrix of {A.shape[1]} states; use method="hill"'
        )
    before, directions = _exponents(step_matrices(equations, A, steps), T, mean, directions)
    after, change = before, np.inf
    for _ in range(REFINED):
        steps *= 2
        if steps * A[0].size > LARGEST:
            break
        after, directions = _exponents(step_matrices(equations, A, steps), T, mean, directions)
        change = apart(before, after, ω)
        if change <= AGREES * ω:
            return after
        before = after
    if change > WARNED_ABOVE * ω:  # less may be rounding of exponents that coincide
        warn_user(
            f"{equations.name}: multipliers still change where the steps of the monodromy matrix "
            f'are halved to {steps} in a period; compare with method="hill"'
        )
    return after


def apart(some: np.ndarray, others: np.ndarray, ω: float) -> float:
    """Return the largest distance of exponents from those of another set, modulo i ω."""
    if not some.size:
        return 0.0
    gap = some[:, None] - others
    # Exponents are known up to multiples of i ω.
    gap = gap - 1j * ω * np.round(gap.imag / ω)
    rows, columns = linear_sum_assignment(np.abs(gap))
    return float(np.abs(gap[rows, columns]).max())


def _orthogonal(modes: np.ndarray) -> np.ndarray:
    """Return directions of which the first k span the first k modes, for all k; they are real."""
    both = np.stack([modes.real, modes.imag], axis=2).reshape(modes.shape[0], -1)
    found = np.zeros((modes.shape[0], 0))
    for column in both.T:
        # Twice is enough for orthogonality to rounding.
        for _ in range(2):
            column = column - found @ (found.T @ column)
        size = float(np.linalg.norm(column))
        if size > 1e-8 and found.shape[1] < modes.shape[0]:
            found = np.column_stack([found, column / size])
    rest = np.eye(modes.shape[0])
    return np.linalg.qr(np.column_stack([found, rest]))[0]


def _exponents(
    steps: np.ndarray, period: float, mean: np.ndarray, directions: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return exponents, and directions from slow to fast decay, better than those given."""
    decay = -mean.real * period
    spread = float(decay.max(initial=0.0) - decay.min(initial=0.0))
    if spread <= SPREAD:
        # All multipliers are within the digits of one matrix.
        multipliers = linalg.eigvals(product(steps))
        return np.log(multipliers.astype(complex)) / period, directions
    count = int(np.ceil(spread / DECAY))
    segments = np.array([product(part) for part in np.array_split(steps, count)])
    logarithms, directions = _graded(segments, directions)
    return logarithms / period, directions


def product(steps: np.ndarray) -> np.ndarray:
    """Return the last of the matrices times ... times the first, pairwise; shape (k, k)."""
    while steps.shape[0] > 1:
        odd = steps[-1:] if steps.shape[0] % 2 else steps[:0]
        paired = steps[: steps.shape[0] - odd.shape[0]]
        steps = np.concatenate([paired[1::2] @ paired[0::2], odd])
    return np.asarray(steps[0])


def _graded(segments: np.ndarray, directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return logarithms of a product's eigenvalues of very different sizes, and its directions.

    Directions that are passed through the product repeatedly, with orthogonalization, converge to
    those of slowest to fastest decay. In them the product is block-triangular, and each block has
    eigenvalues of similar size.
    """
    n, Q, before = segments.shape[1], directions, np.inf
    for _ in range(ROUNDS):
        start, logs = Q, np.zeros(n)
        triangles = []
        for segment in segments:
            # The product itself is never formed: its small eigenvalues would drown in the rounding
            # of the large ones.
            Q, R = np.linalg.qr(segment @ Q)
            triangles.append(R)
            logs += np.log(np.maximum(np.abs(np.diag(R)), 1e-300))
        turned = start.T @ Q
        ends = _ends(logs)
        below = max((float(np.abs(turned[e:, :e]).max()) for e in ends[1:-1]), default=0.0)
        if below < SEPARATED or (below > before / 2 and before < ROUNDING):
            break
        before = below
    found = []
    for low, high in pairwise(ends):
        inside = slice(low, high)
        block, scale = np.eye(high - low), 0.0
        for R in triangles:
            block = R[inside, inside] @ block
            size = float(np.abs(block).max())
            # The scale is kept as a logarithm, because the product would underflow.
            block, scale = block / size, scale + np.log(size)
        values = linalg.eigvals(turned[inside, inside] @ block)
        found.append(np.log(values.astype(complex)) + scale)
    return np.concatenate(found), Q


def _ends(logs: np.ndarray) -> list[int]:
    """Return the ends of groups of similar decay, given logarithms from slow to fast."""
    least = np.minimum.accumulate(logs)
    most = np.maximum.accumulate(logs[::-1])[::-1]
    inner = [i for i in range(1, logs.size) if least[i - 1] - most[i] > APART]
    return [0, *inner, logs.size]
