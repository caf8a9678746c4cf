"""Friction on the one rate of a joint: of pins, guides, threads and teeth."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from mbcore.elements.friction.circle import circle
from mbcore.elements.friction.dry_friction import DryFriction
from mbcore.elements.friction.rubbing import Rubbing
from mbcore.model.statements import SlipRate
from mbcore.model.variables import Number

NOTHING = 1e-200
"""Square of a force, N², that gives the length of a force of zero a derivative."""


@dataclass(frozen=True)
class Grip:
    """The sliding of a joint.

    Attributes
    ----------
    rate : SX
        The joint's rate over nodal velocities, in ``unit``.
    load : SX
        Sum of the normal forces, N; of coupled gears the coupling's force.
    lever : SX
        Sum of the normal forces times their arms, N.m; in a slide, and of coupled gears, ``load``.
    acceleration : SX
        Symbol of the rate's rate.
    """

    rate: ca.SX
    unit: str
    load: ca.SX
    lever: ca.SX
    acceleration: ca.SX


class RateFriction(DryFriction, ABC):
    """Base of friction on one rate of a joint, the slip ``sliding``.

    While the joint slides, its friction acts against the sliding. Where it comes to rest, it
    sticks: its rate is held at zero exactly while the friction that this takes is at most that by
    the ``static`` coefficient. Both changes are events.
    """

    radius: Number | None = None
    """Arm, m, of the normal forces of a joint that turns."""

    @abstractmethod
    def _find_grip(self) -> Grip:
        """Return the joint's rate, and its normal forces with their arms."""

    @cached_property
    def _grip(self) -> Grip:
        """The joint's rate, and its normal forces with their arms."""
        return self._find_grip()

    @property
    def torque(self) -> ca.SX:
        """The same as ``force``: friction against the joint's rate, N.m, or of a slide N."""
        return self.force

    def slip_rates(self) -> dict[str, SlipRate]:
        """Return the joint's rate."""
        return {"sliding": SlipRate(self._grip.rate, self._grip.unit, zero=False)}

    def make_quantities(self) -> None:
        """Make the slip, its law, and the events between sliding and sticking."""
        super().make_quantities()
        slip, grip, size = self.slips["sliding"], self._grip, self._size()
        rubbing = Rubbing(slip, ca.SX(1), size, size, grip.acceleration)
        limits = circle(
            lambda by: self._share(by) * grip.lever,
            self.coefficient,
            self.static,
            self.viscous,
            self.preload,
        )
        self._rub([rubbing], limits, grip.load)
        self.force = slip.force

    def _size(self) -> float:
        """Natural size of the rate, which says which joints can hold others."""
        radius = ca.SX(1 if self.radius is None else self.radius)
        # 1 m/s where the parts touch
        turns = self._grip.unit == "rad/s" and radius.is_constant()
        return 1 / float(radius) if turns else 1.0


def size_of(force: ca.SX) -> ca.SX:
    """Return the length of a force, with a derivative where it is zero."""
    return ca.sqrt(ca.dot(force, force) + NOTHING)
