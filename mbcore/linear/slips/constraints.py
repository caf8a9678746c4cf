"""Held slips as constraints of the linearized equations."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.linear.variation import Variation
from mbcore.model.errors import ModelError

AGREES = 1e-9
"""Rate of a held slip, m/s2 or rad/s2, that counts as zero at zero accelerations."""


class AtPoint(Protocol):
    """A point with time and discrete variables, such as an `Evaluation`."""

    @property
    def t(self) -> np.ndarray:
        """Time, s, shape (1,)."""

    @property
    def d(self) -> np.ndarray:
        """Discrete variables."""


def held_at(equations: Equations, point: AtPoint) -> list[int]:
    """Return which of the slips that can be held are held at a point."""
    if not equations.held:
        return []
    order = {event.name: i for i, event in enumerate(equations.events)}
    names = [slip.held.name for slip in equations.assembly.free if slip.held is not None]
    return [i for i, name in enumerate(names) if point.d[order[name]] > 0.5]


def closed_at(equations: Equations, point: AtPoint) -> list[int]:
    """Return which of the unilateral contacts are closed at a point."""
    names = [contact.closed_event for contact in equations.assembly.model.contacts.values()]
    if not names:
        return []
    order = {event.name: i for i, event in enumerate(equations.events)}
    return [i for i, name in enumerate(names) if point.d[order[name]] > 0.5]


def constraints_at(equations: Equations, point: AtPoint) -> list[int]:
    """Return which multipliers act at a point: those of held slips, then of closed contacts."""
    first = len(equations.held)
    return held_at(equations, point) + [first + i for i in closed_at(equations, point)]


def refuse_closed(equations: Equations, point: AtPoint, owner: str) -> None:
    """Refuse a point with closed unilateral contacts.

    Parameters
    ----------
    owner : str
        What the message begins with.

    Raises
    ------
    ModelError
        Naming the contact.
    """
    closed = closed_at(equations, point)
    if closed:
        name = tuple(equations.assembly.model.contacts)[closed[0]]
        raise ModelError(
            f"{owner}: the contact {name} is closed at t = {point.t[0]:.9g}; motions may "
            "open the contact, so keep it closed by a rigid deformation"
        )


def refuse_held(
    equations: Equations, point: AtPoint, owner: str, rates: np.ndarray | None = None
) -> None:
    """Refuse a point with held slips, where accelerations are given that contradict them.

    Parameters
    ----------
    rates : ndarray, shape (nh + nc,), optional
        Rates of the slips and second rates of gaps, refused where not zero; without them all held
        slips are refused.

    Raises
    ------
    ModelError
        Naming the slips.
    """
    places = held_at(equations, point)
    held = [equations.held[i] for i in places if rates is None or abs(rates[i]) > AGREES]
    if held:
        raise ModelError(
            f"{owner}: {', '.join(held)} at t = {point.t[0]:.9g}: degrees of freedom that are held "
            "do not leave a held slip at zero in general; let the slips be zero() there"
        )
    if rates is None:
        return
    contacts, first = tuple(equations.assembly.model.contacts), len(equations.held)
    for i in closed_at(equations, point):
        if abs(rates[first + i]) > AGREES:
            raise ModelError(
                f"{owner}: {contacts[i]} is closed at t = {point.t[0]:.9g}, and degrees of freedom "
                "that are held would open it; use motion='actual', or a rigid deformation in its "
                "place"
            )


class SlipConstraints:
    """Solves for accelerations of the degrees of freedom and multipliers of constraints.

    These are held slips and closed contacts.

    Parameters
    ----------
    M : ndarray, shape (nd, nd)
        Reduced mass matrix.
    H, a_q : ndarray, shape (nv, nd)
        Velocities by rates, and accelerations by accelerations of the degrees of freedom.
    held : list of int
        Which multipliers act.
    """

    def __init__(
        self, V: Variation, M: np.ndarray, H: np.ndarray, a_q: np.ndarray, held: list[int]
    ) -> None:
        self.held, self._V, self._nd = held, V, len(M)
        by_multipliers = H.T @ V.block("motion", "multiplier")[:, held]
        slope = V.block("slip rate", "a")[held] @ a_q + V.block("slip rate", "qdd")[held]
        none = np.zeros((len(held), len(held)))
        self._matrix = np.block([[M, by_multipliers], [slope, none]])

    def solve(self, forces: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the accelerations and multipliers for forces, (nd, k), and slip rates, (nh, k)."""
        found = -np.linalg.solve(self._matrix, np.concatenate([forces, rates]))
        return found[: self._nd], found[self._nd :]

    def applied(self, H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the maps from nodal forces and from slip rates to accelerations, but for signs.

        Shapes (nd, nv) and (nd, nh), zero for slips that are not held.
        """
        nh = len(self.held)
        by_rates = np.zeros((self._nd, self._V.residual("slip rate").size))
        by_rates[:, self.held] = self.solve(np.zeros((self._nd, nh)), np.eye(nh))[0]
        return self.solve(H.T, np.zeros((nh, H.shape[0])))[0], by_rates
