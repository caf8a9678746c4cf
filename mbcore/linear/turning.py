"""Linearizations about motions with turning free rotations, on axes that make them constant.

While a rotation turns, variations of its Euler parameters are components on axes that turn half as
fast. They are replaced by small rotations about the axes of its speeds and by the change of their
norm, which is constant. A body that spins about an axis of symmetry, or precesses steadily, still
has equations that change with time on these axes, but constant ones on axes that turn steadily
relative to them.

Used by `mbcore.linear.linearization` alone; it stands apart because it is the algebra of rotating
axes, and knows no modes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mbcore.equations.assembly.assembly import SpinStates
from mbcore.linear.structural_zeros import ROUNDING
from mbcore.model.errors import ModelError

CONSTANT = 1e-7
"""Apparent change of a constant matrix, relative to its largest possible change."""


@dataclass(frozen=True)
class Turned:
    """A state matrix with small turns in place of Euler parameters.

    Attributes
    ----------
    matrix, size : ndarray, shape (ns, ns)
        The matrix, and the sizes of the terms in its entries.
    basis : ndarray, shape (ns, ns)
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
    """Return a state matrix, (ns, ns), of a motion with these ``rates``, (ns,), in small turns."""
    matrix = np.where(depends, matrix, 0.0)
    basis, change = np.eye(len(state)), np.zeros(matrix.shape)
    inverse = basis.copy()
    for spin in spins:
        four = list(spin.parameters)
        places, own = np.ix_(four, four), _basis(state[four], spin.axes)
        basis[places], change[places] = own, _basis(rates[four], spin.axes)
        inverse[places] = np.linalg.inv(own)
    found = inverse @ (matrix @ basis - change)
    # The sizes of the terms, to tell sums that cancel from small entries.
    size = np.abs(inverse) @ (np.abs(matrix) @ np.abs(basis) + np.abs(change))
    for spin in spins:  # all is homogeneous in the parameters, whose norm is constant
        found[spin.parameters[0], :] = found[:, spin.parameters[0]] = 0.0
    return Turned(np.where(np.abs(found) > ROUNDING * size, found, 0.0), size, basis)


def _basis(parameters: np.ndarray, axes: str) -> np.ndarray:
    """Return variations of Euler parameters by one of their length and turns, shape (4, 4)."""
    a, b, c, d = parameters
    sign = 1.0 if axes == "space" else -1.0
    turns = [(-b, a, -sign * d, sign * c), (-c, sign * d, a, -sign * b)]
    turns.append((-d, -sign * c, sign * b, a))
    columns = [parameters, *(np.array(turn) / 2 for turn in turns)]
    return np.column_stack(columns)


def on_steady_axes(
    spins: Sequence[SpinStates], about: Turned, change: np.ndarray, state: np.ndarray, name: str
) -> Turned:
    """Return the matrix on axes on which it is constant.

    With y' = S y and dS/dt = G S, a matrix that changes by A G - G A is A + G on them.

    Parameters
    ----------
    change : ndarray, shape (ns, ns)
        Rate of ``about.matrix`` along the motion.

    Raises
    ------
    ModelError
        If there are no such axes: eigenvalues would say nothing.
    """
    A = about.matrix
    felt = _felt(A)
    units = [_turning(len(A), spin, axis) for spin in spins for axis in range(len(spin.speeds))]
    rates = [state[list(spin.speeds)] for spin in spins]
    fastest = max(float(np.abs(rate).max(initial=0.0)) for rate in rates)
    limit = CONSTANT * float(np.abs(A).max(initial=0.0)) * fastest

    def left(G: np.ndarray) -> float:
        differs = (change - (A @ G - G @ A))[np.ix_(felt, felt)]
        return float(np.abs(differs).max(initial=0.0))

    none = np.zeros(A.shape)
    coming = np.tensordot(np.concatenate(rates), np.array(units), 1) if units else none
    rows = np.array([(A @ unit - unit @ A)[np.ix_(felt, felt)].ravel() for unit in units])
    # Exact candidates come first: axes at rest, and those that turn with or against the body; the
    # least-squares fit, which has rounding errors, is the last resort.
    choices = [none, coming, -coming]
    if units:
        found = np.linalg.lstsq(rows.T, change[np.ix_(felt, felt)].ravel(), rcond=1e-9)[0]
        choices.append(np.tensordot(found, np.array(units), 1))
    for G in choices:
        if left(G) <= limit:
            size = about.size + np.abs(G)
            return Turned(np.where(np.abs(A + G) > ROUNDING * size, A + G, 0.0), size, about.basis)
    raise ModelError(
        f"{name}: the equations linearized about this motion of "
        f"{', '.join(spin.name for spin in spins)} change along it, also on axes that turn "
        "steadily, so that eigenvalues say nothing; linearize about a steady motion, or make "
        "angles of hinges degrees of freedom"
    )


def reasons_of(spin: SpinStates) -> dict[int, str]:
    """Return the meaning of a zero eigenvalue at each Euler parameter."""
    texts = ["length of the Euler parameters, which has no influence"]
    texts += [f"turn of {spin.name} about the axis {label}, which nothing feels" for label in "xyz"]
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
