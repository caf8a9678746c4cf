"""Friction of rigid parts that stay in contact: they slide and stick as joints do.

The normal force is the constraint force that keeps the gap closed. Impacts have friction of their
own, see `mbcore.equations.unilateral.impulses`.

Used by `mbcore.contact.impact` alone; it stands apart because it is an element, whose velocity the
model knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import casadi as ca

from mbcore.elements.friction.circle import circle
from mbcore.elements.friction.dry_friction import DryFriction, FrictionLaw
from mbcore.elements.friction.rubbing import Rubbing
from mbcore.model.errors import ModelError
from mbcore.model.speed import Speed


class ImpactFriction(DryFriction):
    """Friction between rigid parts in permanent contact, by their contact force λ.

        |F_t| <= μ_s λ  where they stick,    F_t = μ λ v/|v|  where they slide

    `mbcore.contact.impact.unilateral_contact` adds it. ``force`` is against the sliding velocity v,
    with a part for each of its directions.

    Parameters
    ----------
    sliding : sequence of Speed
        The velocity v, in space in two directions.
    law : FrictionLaw
        Its coefficients.
    closed : SX
        Mode, 1 while the parts stay in contact.
    load : SX
        Symbol of λ, N.

    Raises
    ------
    ModelError
        If a coefficient is out of its range, or the law has a property that a contact lacks.
    """

    joints = (Speed,)
    known_for = "a sliding velocity"
    viscous_unit = "N.s/m"
    preload_unit = None

    def __init__(
        self, name: str, sliding: Sequence[Speed], law: FrictionLaw, *, closed: ca.SX, load: ca.SX
    ) -> None:
        super().__init__(name, sliding[0], law)
        if not self.viscous.is_zero():
            raise ModelError(f"{self.title}: viscous is for joints; leave it out")
        self._sliding, self._closed, self._load = sliding, closed, load

    @property
    def description(self) -> str:
        """The friction with its velocity and coefficient."""
        return self._describe(" and ".join(speed.title for speed in self._sliding))

    def make_quantities(self) -> None:
        """Let friction act on the velocity while the parts stay in contact."""
        super().make_quantities()
        slips = [speed.slips["slip"] for speed in self._sliding]
        pressing = self._closed * ca.fmax(self._load, 0)
        limits = circle(lambda by: by * pressing, self.coefficient, self.static, ca.SX(0))
        grips = ca.logic_and(self._closed, limits.grips)
        limits = replace(limits, grips=grips, touches=self._closed)
        self._rub([Rubbing(slip, ca.SX(1), 1.0) for slip in slips], limits, self._load)
        self.force = ca.vertcat(*(slip.force for slip in slips))
