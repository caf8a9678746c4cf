"""Friction velocities: those at which two surfaces rub, and how large it can be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from mbcore.model.element import Element
from mbcore.model.quantities import Slip
from mbcore.model.system import is_system


def usual_length(element: Element, arm: ca.SX) -> float:
    """Return an arm or radius with parameters at their start values, m, for natural sizes.

    It is 1 m where it is zero or depends on more than parameters.
    """
    model = element.model
    return (model.parameters.usual(arm) if is_system(model) else None) or 1.0


@dataclass(frozen=True)
class Rubbing:
    """One of the velocities that rub.

    Attributes
    ----------
    slip : Slip
        A free slip.
    scale : SX
        What the slip is divided by to be a velocity of the touching point, m/s; its friction, N, is
        the slip force times this. In joints with one rate it is 1.
    nominal : float
        Natural size of the slip, in its own unit.
    natural : float
        Natural size of the velocity: 1 m/s, or the rate of a joint whose parts rub as fast.
    acceleration : SX, optional
        Symbol of the slip's rate, of joints that other frictions act on as well.
    """

    slip: Slip
    scale: ca.SX
    nominal: float
    natural: float = 1.0
    acceleration: ca.SX | None = None

    @property
    def velocity(self) -> ca.SX:
        """Velocity of the touching point, m/s."""
        return self.slip.velocity / self.scale

    @property
    def force(self) -> ca.SX:
        """Friction against the velocity, N."""
        return self.slip.force * self.scale


@dataclass(frozen=True)
class Limits:
    """How friction on n velocities is limited, all of it in newtons.

    Attributes
    ----------
    sliding : callable
        Dry friction of a contact that slides in a direction, (n, 1), by a coefficient. The
        direction may have any length but zero; a single one is its sign, or 0 where nothing has
        moved.
    coefficient, static : SX
        Coefficient while it slides, and while it sticks.
    viscous : SX
        Friction besides, by velocity, N.s/m.
    grips : SX
        Whether it can stick.
    excess : callable
        By how much forces (n, 1) that hold the contact exceed what it can take.
    largest : callable
        Largest that each of these n forces can be, n to (n, 1).
    onset : callable
        Direction (n, 1) in which a contact slides if such forces exceed it.
    touches : SX, optional
        Mode of contact, of surfaces that may part.
    """

    sliding: Callable[[ca.SX, ca.SX], ca.SX]
    coefficient: ca.SX
    static: ca.SX
    viscous: ca.SX
    grips: ca.SX
    excess: Callable[[ca.SX], ca.SX]
    largest: Callable[[int], ca.SX]
    onset: Callable[[ca.SX], ca.SX]
    touches: ca.SX | None = None

    def of_two(self, n: int) -> ca.SX | None:
        """Return the dry friction against two velocities that slide, N; None for other n."""
        return self.sliding(ca.SX([1, 0]), self.coefficient)[0] if n == 2 else None


def length(vector: ca.SX) -> ca.SX:
    """Return the length of a vector, with a derivative where it is zero."""
    if vector.numel() == 1:
        return ca.fabs(vector)
    return ca.sqrt(ca.dot(vector, vector) + 1e-200)
