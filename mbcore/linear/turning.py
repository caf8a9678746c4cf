"""Linearizations about motions with turning free rotations, on axes that make them constant.

While a rotation turns, variations of its Euler parameters are components on axes that turn half as
fast. They are replaced by small rotations about the axes of its speeds and by the change of their
norm, which is constant. A body that spins about an axis of symmetry, or precesses steadily, still
has equations that change with time on these axes, but constant ones on axes that turn steadily
relative to them.

It stands apart because it is the algebra of rotating axes, and knows no modes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mbcore.equations.assembly.spins import SpinStates
from mbcore.linear.structural_zeros import ROUNDING
from mbcore.model.errors import ModelError

CONSTANT = 1e-7
"""Apparent change of a constant matrix, relative to its largest possible change."""
STEP = 2e-3
"""Angle between the points at which the rate of the matrix is differenced, rad."""
SHARES, WEIGHTS = (-2.0, -1.0, 1.0, 2.0), (1.0, -8.0, 8.0, -1.0)
"""These points in steps, and twelve times their weights, of fourth order."""
RESTING = 1e-12
"""Largest rate of a state where nothing turns."""


@dataclass(frozen=True)
class Turned:
    """A state matrix with small turns in place of Euler parameters, or many along first dimensions.

    Attributes
    ----------
    matrix, size : ndarray, shape (..., ns, ns)
        The matrix, and the sizes of the terms in its entries.
    basis : ndarray, shape (..., ns, ns)
        The states' variations by the new ones: the change of norm replaces the first Euler
        parameter, small rotations the others.
    """

    matrix: np.ndarray
    size: np.ndarray
    basis: np.ndarray


def turned(
    spins: Sequence[SpinStates],
    state: np.ndarray,
    rates: np.ndarray,
    matrix: np.ndarray,
    depends: np.ndarray,
) -> Turned:
    """Return state matrices, (..., ns, ns), of motions with rates, (..., ns), in small turns."""
    matrix = np.where(depends, matrix, 0.0)
    inverse, change = np.zeros(matrix.shape), np.zeros(matrix.shape)
    inverse[...] = np.eye(state.shape[-1])
    basis = inverse.copy()
    for spin in spins:
        four = list(spin.parameters)
        rows, columns = np.ix_(four, four)
        basis[..., rows, columns] = own = _basis(state[..., four], spin.axes)
        change[..., rows, columns] = _basis(rates[..., four], spin.axes)
        inverse[..., rows, columns] = np.linalg.inv(own)
    found = inverse @ (matrix @ basis - change)
    # The sizes of the terms, to tell sums that cancel from small entries.
    size = np.abs(inverse) @ (np.abs(matrix) @ np.abs(basis) + np.abs(change))
    for spin in spins:  # all is homogeneous in the parameters, whose norm is constant
        first = spin.parameters[0]
        found[..., first, :] = found[..., :, first] = 0.0
    return Turned(np.where(np.abs(found) > ROUNDING * size, found, 0.0), size, basis)


def rate_of_matrix(matrices: np.ndarray, step: np.ndarray | float) -> np.ndarray:
    """Return the rate of a matrix from its values at ``SHARES`` of a step, s, (..., 4, ns, ns)."""
    found = np.tensordot(matrices, np.array(WEIGHTS), (-3, 0))
    return np.asarray(found / (12 * np.asarray(step)[..., None, None]))


def _basis(parameters: np.ndarray, axes: str) -> np.ndarray:
    """Return variations of Euler parameters, (..., 4), by one of their length and turns."""
    a, b, c, d = np.moveaxis(parameters, -1, 0)
    sign = 1.0 if axes == "space" else -1.0
    turns = [(-b, a, -sign * d, sign * c), (-c, sign * d, a, -sign * b)]
    turns.append((-d, -sign * c, sign * b, a))
    columns = [parameters, *(np.stack(turn, -1) / 2 for turn in turns)]
    return np.stack(columns, -1)


def on_steady_axes(
    spins: Sequence[SpinStates], about: Turned, change: np.ndarray, state: np.ndarray, name: str
) -> Turned:
    """Return the matrix on axes on which it is constant.

    Parameters
    ----------
    change : ndarray, shape (ns, ns)
        Rate of ``about.matrix`` along the motion.

    Raises
    ------
    ModelError
        If there are no such axes: eigenvalues would say nothing.
    """
    stack = Turned(about.matrix[None], about.size[None], about.basis[None])
    found, known = steady_axes(spins, stack, change[None], state[None])
    if known[0]:
        return Turned(found.matrix[0], found.size[0], about.basis)
    raise ModelError(
        f"{name}: the equations linearized about this motion of "
        f"{', '.join(spin.name for spin in spins)} change along it, also on axes that turn "
        "steadily, so that eigenvalues say nothing; linearize about a steady motion, or make "
        "angles of hinges degrees of freedom"
    )


def steady_axes(
    spins: Sequence[SpinStates], about: Turned, change: np.ndarray, state: np.ndarray
) -> tuple[Turned, np.ndarray]:
    """Return matrices on axes on which they are constant, and where there are such axes, (n,).

    With y' = S y and dS/dt = G S, a matrix that changes by A G - G A is A + G on them.

    Parameters
    ----------
    about : Turned
        With matrices of shape (n, ns, ns) that have zeros in the same places.
    change : ndarray, shape (n, ns, ns)
        Their rates along the motions.
    state : ndarray, shape (n, ns)
        The states.
    """
    A = about.matrix
    felt = _felt(A[0])
    inside = (slice(None), *np.ix_(felt, felt))
    turning = [(spin, axis) for spin in spins for axis in range(len(spin.speeds))]
    units = np.array([_turning(A.shape[1], *one) for one in turning]).reshape(-1, *A.shape[1:])
    rates = state[:, [spin.speeds[axis] for spin, axis in turning]]
    fastest = np.abs(rates).max(axis=1, initial=0.0)
    limit = CONSTANT * np.abs(A).max(axis=(1, 2), initial=0.0) * fastest
    G, known = np.zeros(A.shape), np.zeros(len(A), bool)

    def take(choice: np.ndarray) -> None:
        """Take rates of axes, (n, ns, ns), where they are the first that serve."""
        differs = (change - (A @ choice - choice @ A))[inside]
        new = ~known & (np.abs(differs).max(axis=(1, 2), initial=0.0) <= limit)
        G[new], known[new] = choice[new], True

    # Exact candidates come first: axes at rest, and those that turn with or against the body; the
    # least-squares fit, which has rounding errors, is the last resort.
    coming = np.tensordot(rates, units, 1)
    for choice in (G.copy(), coming, -coming):
        take(choice)
    if turning and not known.all():
        fitted = G.copy()
        for i in np.flatnonzero(~known):
            rows = (A[i] @ units - units @ A[i])[inside].reshape(len(units), -1)
            best = np.linalg.lstsq(rows.T, change[i][inside[1:]].ravel(), rcond=1e-9)[0]
            fitted[i] = np.tensordot(best, units, 1)
        take(fitted)
    size = about.size + np.abs(G)
    matrix = np.where(np.abs(A + G) > ROUNDING * size, A + G, 0.0)
    return Turned(matrix, size, about.basis), known


def reasons_of(spin: SpinStates) -> dict[int, str]:
    """Return the meaning of a zero eigenvalue at each Euler parameter."""
    texts = ["length of the Euler parameters, which has no influence"]
    texts += [f"turn of {spin.name} about the axis {label}, without effect" for label in "xyz"]
    return dict(zip(spin.parameters, texts, strict=True))


def _felt(A: np.ndarray) -> list[int]:
    """Return the states on which others depend."""
    felt = list(range(len(A)))
    while unfelt := [i for i in felt if not A[felt, i].any()]:
        felt = [i for i in felt if i not in unfelt]
    return felt


def _turning(n: int, spin: SpinStates, axis: int) -> np.ndarray:
    """Return e × of the turns and speeds of a rotation, about one of its axes, shape (n, n)."""
    G = np.zeros((n, n))
    j, k = (axis + 1) % 3, (axis + 2) % 3
    for places in (spin.parameters[1:], spin.speeds):
        G[places[k], places[j]], G[places[j], places[k]] = 1.0, -1.0
    return G
