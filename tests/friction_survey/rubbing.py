"""Dry friction for the judge in maximal coordinates: normal forces from multipliers, by hand.

The frictions F, which act against the rates of their joints, are given. Accelerations and
multipliers follow from

    M a = f + Aᵀ λ - Gᵀ F,    A a + γ = 0,

with the Jacobian G of the rates; a contact has as many of them as directions in which it slides.
The multipliers give the normal forces and their arms, and so what each friction must be while its
joint slides, and what it may be while it sticks. The judge solves no law: it says by how much a law
is missed, so it has no solution of its own to prefer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from tests.friction_survey.contacts import Mesh, Skidding
from tests.mechanism_survey.joints import Axle, Drive, Gearing, Involutes, Shift, Tie, Turn
from tests.mechanism_survey.maximal import (
    STEP,
    Measure,
    Mechanism,
    State,
    drift,
    inertia,
    jacobian,
)

SINGULAR = 1e-9
"""Part of the largest singular value, and rate of a joint by a unit motion, that are rounding
errors; those of the seeds are below 1e-14 or above 1e-3."""


@dataclass(frozen=True, eq=False)
class Rubbing:
    """Friction in a joint.

    Attributes
    ----------
    name : str
        As mbcore calls it.
    slides : Turn, Shift, Thread or Mesh
        What has the rate that friction acts against.
    tie : Tie, Gearing or Involutes
        Whose multipliers are the normal force.
    guard : Axle or Drive, optional
        Whose multipliers are the couple over ``span``.
    """

    name: str
    slides: Turn | Shift | Thread | Mesh
    tie: Tie | Gearing | Involutes
    coefficient: float
    static: float
    radius: float = 1.0
    viscous: float = 0.0
    loose: bool = False
    guard: Axle | Drive | None = None
    span: float = 0.0
    collar: float = 0.0

    def share(self, coefficient: float) -> float:
        """Return the friction per normal force times arm."""
        return coefficient / np.sqrt(1 + coefficient**2) if self.loose else coefficient

    @property
    def arms(self) -> np.ndarray:
        """What its rate is multiplied by where friction by rate acts."""
        return np.ones(1)

    def direction(self, rates: np.ndarray) -> np.ndarray:
        """Return the sense of sliding."""
        return np.sign(rates)

    def dry(self, forces: np.ndarray) -> float:
        """Return the friction of a force that holds it."""
        return float(abs(forces[0]))


@dataclass(frozen=True, eq=False)
class Thread:
    """How far one flank of a square thread has slid on the other, along the helix."""

    turn: Turn
    shift: Shift
    radius: float
    lead: float

    @property
    def bodies(self) -> tuple[int, ...]:
        return self.turn.bodies + self.shift.bodies

    @property
    def cosine(self) -> float:
        """Cosine of the angle of the lead."""
        return self.radius / float(np.hypot(self.radius, self.lead))

    def value(self, state: State) -> np.ndarray:
        around, along = self.radius * self.turn.value(state), self.shift.value(state)
        return self.cosine * (around + self.lead / self.radius * along)

    def rate(self, state: State, twist: np.ndarray) -> np.ndarray:
        around, along = self.radius * self.turn.rate(state, twist), self.shift.rate(state, twist)
        return self.cosine * (around + self.lead / self.radius * along)


def norm(vector: np.ndarray) -> complex:
    """Return the length of a vector, which may be complex."""
    return np.sqrt(np.sum(vector**2) + 1e-200)


class Reactions:
    """The linear problem of a mechanism with frictions at a state.

    Attributes
    ----------
    places : list of slice
        Places of the rates of each friction.
    rates : ndarray (nr,)
        Of the joints and contacts with friction.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        rubbings: Sequence[Rubbing | Skidding],
        state: State,
        twist: np.ndarray,
    ) -> None:
        self.state, self.rubbings = state, rubbings
        n = len(mechanism.bodies)
        self.free = mechanism.columns.ravel()
        M, f = inertia(mechanism, state, twist)
        size = self.free.size
        self.M = M.reshape(size, size)[np.ix_(self.free, self.free)]
        self.f = f.ravel()[self.free]
        self.rows: dict[object, np.ndarray] = {}
        self.where: dict[object, slice] = {}
        parts, gammas, count = [], [], 0
        for joint in mechanism.joints:
            rows = jacobian(joint, state, n)[0] * mechanism.columns
            some = np.any(np.abs(rows) > 1e-12, axis=(1, 2))
            rows = rows[some]
            self.rows[joint], self.where[joint] = rows, slice(count, count + len(rows))
            parts.append(rows.reshape(len(rows), size)[:, self.free])
            gammas.append(drift(joint, state, twist)[some])
            count += len(rows)
        self.A = np.concatenate(parts)
        self.gamma = np.concatenate(gammas)
        slips = [jacobian(r.slides, state, n)[0].reshape(-1, size)[:, self.free] for r in rubbings]
        ends = np.cumsum([0, *(len(rows) for rows in slips)])
        self.places = [slice(*ends[i : i + 2]) for i in range(len(rubbings))]
        self.G = np.concatenate([np.zeros((0, self.M.shape[0])), *slips])
        nothing = np.zeros(0)
        rates = [np.real(r.slides.rate(state, twist)) for r in rubbings]
        self.rates = np.concatenate([nothing, *rates])
        drifts = [drift(r.slides, state, twist) for r in rubbings]
        self.slip_drift = np.concatenate([nothing, *drifts])

    def slide(self) -> list[bool]:
        """Return which frictions a freedom slides, or a drive that moves."""
        held = np.ones(len(self.A), bool)
        for joint, place in self.where.items():
            if isinstance(joint, Drive | Gearing) and (
                joint.motion.slope or joint.motion.amplitude
            ):
                held[place] = False
        motions = scipy.linalg.null_space(self.A[held], rcond=SINGULAR)
        slides = np.abs(self.G @ motions).max(axis=1, initial=0.0) > SINGULAR
        return [bool(slides[place].any()) for place in self.places]

    def solve(self, frictions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return accelerations of all bodies (n, 6) and multipliers, by given frictions."""
        m, k = self.A.shape
        system = np.block([[self.M, -self.A.T], [self.A, np.zeros((m, m))]])
        right = np.concatenate([self.f - self.G.T @ frictions, -self.gamma])
        solved = np.linalg.solve(system, right)
        found = np.zeros(self.free.size)
        found[self.free] = solved[:k]
        return found.reshape(-1, 6), solved[k:]

    def held(
        self, sticking: list[int], frictions: np.ndarray, part: float = 1.0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return frictions, accelerations of the slips, and multipliers, while some joints stick.

        Parameters
        ----------
        sticking : list of int
            Places of rates whose friction follows from their not sliding.
        frictions : ndarray (nr,)
            Those of the others.
        part : float
            Part of the forces and of the accelerations by velocities that act.
        """
        m, k = self.A.shape
        A = np.concatenate([self.A, self.G[sticking]])
        system = np.block([[self.M, -A.T], [A, np.zeros((len(A), len(A)))]])
        drift = np.concatenate([self.gamma, self.slip_drift[sticking]])
        right = np.concatenate([part * self.f - self.G.T @ frictions, -part * drift])
        solved = np.linalg.lstsq(system, right, rcond=1e-13)[0]
        every = frictions.copy()
        every[sticking] = -solved[k + m :]
        return every, self.G @ solved[:k] + part * self.slip_drift, solved[k : k + m]

    def response(self, held: list[int]) -> np.ndarray:
        """Return the change of multipliers by unit frictions, (m, nr), while some joints stick."""
        m, k = self.A.shape
        A = np.concatenate([self.A, self.G[held]])
        system = np.block([[self.M, -A.T], [A, np.zeros((len(A), len(A)))]])
        right = np.concatenate([-self.G.T, np.zeros((len(A), len(self.G)))])
        return np.linalg.lstsq(system, right, rcond=1e-13)[0][k : k + m]

    def _pull(self, joint: Measure, multipliers: np.ndarray, first: int) -> np.ndarray:
        """Return the force (``first`` 0) or the moment (3) of a joint on one of its bodies."""
        body = next(b for b in reversed(joint.bodies) if b)
        return multipliers[self.where[joint]] @ self.rows[joint][:, body, first : first + 3]

    def lever(self, i: int, multipliers: np.ndarray) -> complex:
        """Return the sum of normal forces times arms of a friction; in slides, of the forces."""
        r = self.rubbings[i]
        if isinstance(r, Skidding):
            return norm(np.array([r.load(multipliers[self.where.get(r.tie, slice(0))])]))
        if isinstance(r.slides, Mesh):
            return r.radius * norm(multipliers[self.where[r.tie]])
        if isinstance(r.slides, Thread):
            by_shift = r.tie.factors[1]  # type: ignore[union-attr]
            return norm(by_shift * multipliers[self.where[r.tie]]) / r.slides.cosine
        force = self._pull(r.tie, multipliers, 0)
        if isinstance(r.slides, Shift):
            if r.guard is None:
                return norm(force)
            across = self.rows[r.tie][0, r.tie.q.body or r.tie.p.body, :3]  # type: ignore[union-attr]
            couple = self._pull(r.guard, multipliers, 3)[2] / r.span
            half = across @ force / 2 / norm(across)
            return norm(np.array([half + couple])) + norm(np.array([half - couple]))
        axle = r.slides.axle
        e = self.state.axis(axle.p, axle.axis / np.linalg.norm(axle.axis))
        axial = e @ force
        radial = force - e * axial
        total = norm(radial)
        if r.guard is not None:
            couple = np.cross(e, self._pull(r.guard, multipliers, 3)) / r.span
            total = norm(radial / 2 + couple) + norm(radial / 2 - couple)
        return r.radius * total + r.collar * norm(np.array([axial]))

    def levers(self, multipliers: np.ndarray) -> np.ndarray:
        """Return the levers of all frictions, (nf,)."""
        return np.array([self.lever(i, multipliers) for i in range(len(self.rubbings))])

    def determinant(self, frictions: np.ndarray, directions: np.ndarray) -> float:
        """Return det(1 - ∂law/∂F), 1 without friction; what does not slide has the direction 0."""
        moves = [bool(np.any(directions[place])) for place in self.places]
        held = [k for k in range(len(directions)) if not self._moves(k, moves)]
        sliding = [i for i, slides in enumerate(moves) if slides]
        _, multipliers = self.solve(frictions)
        response = self.response(held)
        slope = np.zeros((len(sliding), len(sliding)))
        for row, i in enumerate(sliding):
            share = self.rubbings[i].share(self.rubbings[i].coefficient)
            for column, j in enumerate(sliding):
                change = response[:, self.places[j]] @ directions[self.places[j]]
                slope[row, column] = share * np.imag(
                    self.lever(i, multipliers + 1j * STEP * change)
                )
        return float(np.linalg.det(np.eye(len(sliding)) - slope / STEP))

    def _moves(self, k: int, moves: list[bool]) -> bool:
        """Return whether the friction slides to which a rate belongs."""
        return any(m and p.start <= k < p.stop for m, p in zip(moves, self.places, strict=True))
