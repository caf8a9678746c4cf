"""Friction on all velocities of a joint that slides in several directions at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from mbcore.elements.friction.dry_friction import DryFriction
from mbcore.elements.friction.rubbing import Rubbing, usual_length
from mbcore.model.statements import SlipRate
from mbcore.model.variables import Number


@dataclass(frozen=True)
class Face:
    """The sliding of a joint in several directions at once.

    Attributes
    ----------
    rates : dict of str to SlipRate
        Rates over nodal velocities, m/s or rad/s.
    arms : tuple of SX
        Factor from rates to velocities of the faces, m/s.
    load : SX
        Size of the force between the faces, N.
    """

    rates: dict[str, SlipRate]
    arms: tuple[ca.SX, ...]
    load: ca.SX


class AreaFriction(DryFriction, ABC):
    """Base of friction on several velocities of a joint.

    It acts against the whole velocity of the faces, and sticks where all of that comes to rest.
    """

    preload_unit = None
    patch: Number | None = None
    """Radius of the area that touches, m."""

    @abstractmethod
    def _find_face(self) -> Face:
        """Return the velocities of the faces, and the force between them."""

    @cached_property
    def _face(self) -> Face:
        """The velocities of the faces, and the force between them."""
        return self._find_face()

    def slip_rates(self) -> dict[str, SlipRate]:
        """Return the velocities."""
        return self._face.rates

    def make_quantities(self) -> None:
        """Make the slips, their law, and the events between sliding and sticking."""
        super().make_quantities()
        face = self._face
        rubbing = [
            Rubbing(slip, 1 / arm, 1 / usual_length(self, arm))
            for slip, arm in zip(self.slips.values(), face.arms, strict=True)
        ]
        self._rub(rubbing, self._limits(face.load, face.arms[0], self.patch), face.load)
        self.force = ca.vertcat(*(slip.force for slip in self.slips.values()))
