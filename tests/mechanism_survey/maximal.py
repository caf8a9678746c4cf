"""A judge of mechanisms: Newton and Euler's equations in maximal coordinates, in plain NumPy.

Every body has all six freedoms; joints forbid some of them. A joint states by hand what it holds
(``value``) and the rate of that (``rate``), which is linear in the bodies' velocities but for what
drives it. With the Jacobian A of the rates and γ, the change of the rates along the motion at fixed
velocities, accelerations a and multipliers follow from

    M a = f + Aᵀ λ,    A a + γ = 0.

γ is a complex step along the motion, exact to rounding. Where constraints are redundant, A has a
null space all the same: a = a₀ + N z, with M's projection on N for z. Nothing here is mbcore's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

STEP = 1e-30
"""Complex step: its square vanishes, so that derivatives are exact."""
LEAST, SURE = 1e-10, 1e-6
"""Singular values below which a constraint is redundant and above which it is not."""


def skew(a: np.ndarray) -> np.ndarray:
    """Return the matrix of a × …; ``w @ skew(a)`` is w × a, for any number of rows w."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def turn(axis: Sequence[float] | np.ndarray, angle: float) -> np.ndarray:
    """Return the rotation by an angle about an axis, (3, 3), by Rodrigues' formula."""
    e = skew(np.asarray(axis, float) / np.linalg.norm(axis))
    return np.eye(3) + np.sin(angle) * e + (1 - np.cos(angle)) * e @ e


def rotation(parameters: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of Euler parameters, whose length does not matter."""
    e = np.asarray(parameters, float) / np.linalg.norm(parameters)
    v = skew(e[1:])
    return np.eye(3) + 2 * e[0] * v + 2 * v @ v


def parameters_of(axis: Sequence[float] | np.ndarray, angle: float) -> np.ndarray:
    """Return the Euler parameters of a rotation by an angle about an axis."""
    e = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * e)])


def followed_by(q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the Euler parameters of the rotation whose matrix is that of q times that of p."""
    return np.array(
        [q[0] * p[0] - q[1:] @ p[1:], *(q[0] * p[1:] + p[0] * q[1:] + np.cross(q[1:], p[1:]))]
    )


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body, or where ``placed`` is false what only turns; the first one is the ground.

    Attributes
    ----------
    inertia : ndarray (3, 3)
        About the centre of mass, on the body's axes.
    offset : ndarray (3,)
        Centre of mass relative to the body's point, on its axes.
    place : ndarray (3,)
        Of its point at the start.
    parameters : ndarray (4,)
        Euler parameters of its axes at the start.
    angle : float
        In the plane, by how much it is turned at the start; it may be more than one turn.
    """

    name: str
    mass: float = 0.0
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    offset: np.ndarray = field(default_factory=lambda: np.zeros(3))
    place: np.ndarray = field(default_factory=lambda: np.zeros(3))
    parameters: np.ndarray = field(default_factory=lambda: np.eye(4)[0])
    angle: float = 0.0
    placed: bool = True

    @property
    def turned(self) -> np.ndarray:
        """Rotation matrix at the start."""
        return turn(np.eye(3)[2], self.angle) if self.angle else rotation(self.parameters)


@dataclass(frozen=True, eq=False)
class Spot:
    """A material point of a body: its number, and the arm from its point on its axes."""

    body: int
    arm: np.ndarray = field(default_factory=lambda: np.zeros(3))


@dataclass(frozen=True)
class State:
    """Where all bodies are; ``near`` tells angles, by their measures, to within half a turn."""

    time: complex
    place: np.ndarray
    turned: np.ndarray
    near: Mapping[object, float] = field(default_factory=dict)

    def point(self, spot: Spot) -> np.ndarray:
        """Return the place of a material point."""
        return self.place[spot.body] + self.arm(spot)

    def arm(self, spot: Spot) -> np.ndarray:
        """Return a material point relative to its body's point, on space-fixed axes."""
        return self.turned[spot.body] @ spot.arm

    def axis(self, body: int, direction: np.ndarray) -> np.ndarray:
        """Return a body-fixed direction on space-fixed axes."""
        return self.turned[body] @ direction

    def moved(self, twist: np.ndarray, pace: float = 1.0) -> State:
        """Return the state a complex step later, at velocities ``twist``, (n, 6)."""
        turning = np.array([skew(w) @ R for w, R in zip(twist[:, 3:], self.turned, strict=True)])
        return replace(
            self,
            time=self.time + 1j * STEP * pace,
            place=self.place + 1j * STEP * twist[:, :3],
            turned=self.turned + 1j * STEP * turning,
        )


def velocity(state: State, twist: np.ndarray, spot: Spot) -> np.ndarray:
    """Return the velocity of a material point; here and below twists are (…, n, 6)."""
    return twist[..., spot.body, :3] + twist[..., spot.body, 3:] @ skew(state.arm(spot))


class Measure(Protocol):
    """What has a value and a rate, linear in the twists of ``bodies`` but for what time does."""

    @property
    def bodies(self) -> tuple[int, ...]:
        """Numbers of the bodies."""

    def value(self, state: State) -> np.ndarray:
        """Return what it is; of a constraint, what vanishes."""

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        """Return its rate, or what vanishes, rows on the last axis."""


class Force(Protocol):
    """What acts: it adds to the mass matrix (n, 6, n, 6) and to the forces (n, 6)."""

    def act(self, state: State, twist: np.ndarray, M: np.ndarray, f: np.ndarray) -> None:
        """Add to both in place."""


@dataclass
class Mechanism:
    """A description: bodies, constraints, forces; in the plane where ``planar``."""

    name: str
    planar: bool
    gravity: np.ndarray
    bodies: list[Body] = field(default_factory=lambda: [Body("ground")])
    joints: list[Measure] = field(default_factory=list)
    forces: list[Force] = field(default_factory=list)

    @property
    def columns(self) -> np.ndarray:
        """Which of the six velocities of each body there are, (n, 6)."""
        free = np.zeros((len(self.bodies), 6), bool)
        for row, body in zip(free[1:], self.bodies[1:], strict=True):
            row[3:] = [not self.planar, not self.planar, True]
            row[:3] = [body.placed, body.placed, body.placed and not self.planar]
        return free

    def start(self) -> State:
        """Return the state in which it is described."""
        return State(
            0.0, np.array([b.place for b in self.bodies]), np.array([b.turned for b in self.bodies])
        )


class UndecidedError(Exception):
    """The accelerations do not follow from the description: no mass, or at a singular position."""


class ContradictionError(Exception):
    """No accelerations meet all constraints."""


def jacobian(measure: Measure, state: State, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of a measure's rate, (m, n, 6), and what time alone does to it, (m,)."""
    own = sorted({b for b in measure.bodies if b})
    unit = np.zeros((6 * len(own) + 1, size, 6))
    for i, body in enumerate(own):
        unit[6 * i : 6 * i + 6, body] = np.eye(6)
    rates = np.real(measure.rate(state, unit))
    rows = np.zeros((rates.shape[-1], size, 6))
    for i, body in enumerate(own):
        rows[:, body] = (rates[6 * i : 6 * i + 6] - rates[-1]).T
    return rows, rates[-1]


def drift(measure: Measure, state: State, twist: np.ndarray) -> np.ndarray:
    """Return γ of a measure: how its rate changes along the motion at constant velocities."""
    return np.imag(measure.rate(state.moved(twist), twist)) / STEP


def inertia(mechanism: Mechanism, state: State, twist: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mass matrix (n, 6, n, 6) and applied forces (n, 6), both about the bodies' points."""
    n = len(mechanism.bodies)
    M, f = np.zeros((n, 6, n, 6)), np.zeros((n, 6))
    for i, body in enumerate(mechanism.bodies):
        R, w = state.turned[i], twist[i, 3:]
        c, J = R @ body.offset, R @ body.inertia @ R.T
        across, turning = skew(c), skew(w)  # NumPy's own cross takes longer
        about = J + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
        M[i, :3, i, :3] += body.mass * np.eye(3)
        M[i, :3, i, 3:] -= body.mass * across
        M[i, 3:, i, :3] += body.mass * across
        M[i, 3:, i, 3:] += about
        f[i, :3] += body.mass * (mechanism.gravity - turning @ (turning @ c))
        f[i, 3:] += across @ (body.mass * mechanism.gravity) - turning @ (about @ w)
    for force in mechanism.forces:
        force.act(state, twist, M, f)
    return M, f


def constraints(
    mechanism: Mechanism, state: State, twist: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows (m, n, 6) of all joints, each of length one, what they miss, and γ."""
    n, free = len(mechanism.bodies), mechanism.columns
    found = [jacobian(joint, state, n) for joint in mechanism.joints]
    gammas = [drift(joint, state, twist) for joint in mechanism.joints]
    if not found:
        return np.zeros((0, n, 6)), np.zeros(0), np.zeros(0)
    rows = np.concatenate([r for r, _ in found]) * free
    missed = np.einsum("mnk,nk->m", rows, twist) + np.concatenate([b for _, b in found])
    gamma = np.concatenate(gammas)
    length = np.sqrt(np.sum(rows**2, axis=(1, 2)))
    scale = np.where(length > LEAST, length, 1.0)
    return rows / scale[:, None, None], missed / scale, gamma / scale


def accelerations(mechanism: Mechanism, state: State, twist: np.ndarray) -> np.ndarray:
    """Return the accelerations of all bodies' points and axes, (n, 6).

    Raises
    ------
    UndecidedError
        If they are not unique, or the rank of the constraints is not clear.
    ContradictionError
        If there are none.
    """
    free = mechanism.columns.ravel()
    M, f = inertia(mechanism, state, twist)
    rows, _, gamma = constraints(mechanism, state, twist)
    A = rows.reshape(len(rows), free.size)[:, free]
    size = free.size
    M, f = M.reshape(size, size)[np.ix_(free, free)], f.ravel()[free]
    U, singular, Vt = np.linalg.svd(A) if len(A) else (np.eye(0), np.zeros(0), np.eye(len(f)))
    rank = int(np.sum(singular > LEAST))
    unsure = singular[(singular > LEAST) & (singular < SURE)]
    if unsure.size:
        raise UndecidedError(f"singular values {unsure}")
    contrary = U[:, rank:].T @ gamma
    if np.any(np.abs(contrary) > 1e-6 * (1 + np.abs(gamma).max(initial=0.0))):
        raise ContradictionError(f"constraints contradict each other: {contrary}")
    a = -Vt[:rank].T @ ((U[:, :rank].T @ gamma) / singular[:rank])
    N = Vt[rank:].T
    if N.shape[1]:
        reduced = N.T @ M @ N
        if np.linalg.cond(reduced) > 1e10:
            raise UndecidedError("something moves without mass")
        a = a + N @ np.linalg.solve(reduced, N.T @ (f - M @ a))
    found = np.zeros(size)
    found[free] = a
    return found.reshape(-1, 6)


def least_singular(mechanism: Mechanism, state: State) -> float:
    """Return the least singular value of the constraints that are not redundant; 1 without any."""
    still = np.zeros((len(mechanism.bodies), 6))
    rows, _, _ = constraints(mechanism, state, still)
    A = rows.reshape(len(rows), still.size)[:, mechanism.columns.ravel()]
    singular = np.linalg.svd(A, compute_uv=False) if len(A) else np.ones(1)
    return float(singular[singular > LEAST].min(initial=1.0))


def freedoms(mechanism: Mechanism, state: State) -> np.ndarray:
    """Return velocities that all joints allow while nothing drives, (n, 6, count)."""
    rows, _, _ = constraints(mechanism, state, np.zeros((len(mechanism.bodies), 6)))
    free = mechanism.columns.ravel()
    A = rows.reshape(len(rows), free.size)[:, free]
    _, singular, Vt = np.linalg.svd(A) if len(A) else (0, np.zeros(0), np.eye(int(free.sum())))
    found = np.zeros((free.size, Vt.shape[1] - int(np.sum(singular > LEAST))))
    found[free] = Vt[int(np.sum(singular > LEAST)) :].T
    return found.reshape(len(mechanism.bodies), 6, -1)


def prospects(mechanism: Mechanism) -> str:
    """Return whether the start allows motion: contradictory, without freedom, unsure or free."""
    state, still = mechanism.start(), np.zeros((len(mechanism.bodies), 6))
    rows, missed, _ = constraints(mechanism, state, still)
    A = rows.reshape(len(rows), still.size)[:, mechanism.columns.ravel()]
    singular = np.linalg.svd(A, compute_uv=False)
    if np.any((singular > LEAST) & (singular < SURE)):
        return "unsure"
    way, *_ = np.linalg.lstsq(A, -missed, rcond=SURE)
    if np.any(np.abs(A @ way + missed) > SURE):
        return "contradictory"
    return "free" if np.sum(singular > LEAST) < A.shape[1] else "without freedom"


def values(joints: Iterable[Measure], state: State) -> np.ndarray:
    """Return what all joints hold at zero."""
    found = [np.atleast_1d(np.real(joint.value(state))) for joint in joints]
    return np.concatenate(found) if found else np.zeros(0)
