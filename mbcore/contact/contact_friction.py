"""Friction of a contact that sticks: a journal slides in its sleeve, a ball on a plane, or rolls.

The normal force is a law; the tangential force is friction while the surfaces slide, and a
constraint force while they stick, a held slip as in joints.

Used by `mbcore.contact.touching` alone; it stands apart because it is an element, whose slip is
added to the model.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from mbcore.contact.places import Place
from mbcore.contact.resting import Normal, let_rest
from mbcore.elements.friction.circle import circle
from mbcore.elements.friction.contact_area import contact_area
from mbcore.elements.friction.dry_friction import DryFriction, FrictionLaw
from mbcore.elements.friction.rubbing import Limits, length
from mbcore.elements.friction.stick_slip import STOPPED
from mbcore.elements.joints.bearing import Bearing
from mbcore.elements.wheels.rolling_body import RollingBody
from mbcore.model.errors import ModelError
from mbcore.model.statements import SlipRate
from mbcore.model.variables import Number

BALANCED = 1e-9
"""Part of friction's force that may be missing to what holds a contact at the limit of friction
when it comes to rest: the accuracy of forces at rest."""


class ContactFriction(DryFriction):
    """Friction between a body and a surface, by a law's normal force F.

        |F_t| <= μ_s F  where the surfaces stick,    F_t = μ F v/|v|  where they slide

    Functions such as `mbcore.contact.clearance.clearance` add it. It acts against the velocity v of
    the body's surface past the other: the slip ``sliding`` in the plane, the body's own two in
    space. While it sticks, the body rolls along the surface.

    Parameters
    ----------
    place : Place
        What touches.
    law : FrictionLaw
        Its coefficients.
    touches : SX
        Mode, 1 while in contact.
    load, stiffness : SX
        Normal force, N, and its slope over the depth, N/m.
    patch : number or expression, optional
        Radius of the area that touches, m, against whose spin friction acts, too.

    Raises
    ------
    ModelError
        If a coefficient is out of its range, or the law has a property that a contact lacks.
    """

    joints = (Bearing, RollingBody)
    known_for = "a bearing with clearance, or a body on a surface"
    viscous_unit = "N.s/m"
    preload_unit = None

    def __init__(
        self,
        name: str,
        place: Place,
        law: FrictionLaw,
        *,
        touches: ca.SX,
        load: ca.SX,
        stiffness: ca.SX,
        patch: Number | None = None,
    ) -> None:
        super().__init__(name, place.joint, law)
        if not self.viscous.is_zero():
            raise ModelError(
                f"{self.title}: viscous is for joints; leave it out, and give a contact its losses "
                "by its law"
            )
        self._place, self._patch = place, patch
        self._touches, self._load, self._stiffness = touches, load, stiffness

    @property
    def description(self) -> str:
        """The friction with its joint and coefficient."""
        return self._describe(self._place.joint.title)

    def slip_rates(self) -> dict[str, SlipRate]:
        """Return the velocity of the body's surface into the other, and past it in the plane."""
        return self._place.slip_rates(self._system)

    def make_quantities(self) -> None:
        """Make the slips, their law, and the events between sliding, sticking and rest."""
        super().make_quantities()
        rubbing, motion = self._place.rubbing(self.slips), self._place.motion
        limits = self._limits_in_contact()
        self._rub(rubbing, limits, self._load)
        self.force = ca.vertcat(*(one.force for one in rubbing))
        sticks = ca.logic_and(self.sticks, self._touches)
        speed = length(ca.vertcat(*(one.velocity for one in rubbing)))
        slow = ca.if_else(limits.grips, speed / STOPPED, 2)
        normal = Normal(
            motion.distance, motion.depth, motion.rate, motion.acceleration, self._stiffness
        )
        held = rubbing[0].slip.held
        assert held is not None
        driven = length(self._place.sliding_accelerations())
        balanced = driven <= BALANCED * self.coefficient * ca.fmax(self._load, 0) * held.mobility
        stands = ca.logic_and(slow <= 1, balanced)
        closing = self.slips["closing"]
        resting = let_rest(self._system, self.name, closing, normal, (sticks, stands), slow)
        self.forgets = {**self.forgets, **resting}

    def _limits_in_contact(self) -> Limits:
        """Return Coulomb's limits; a law that pulls has no friction."""
        pressing = self._touches * ca.fmax(self._load, 0)
        if self._patch is None:
            limits = circle(lambda by: by * pressing, self.coefficient, self.static, ca.SX(0))
        else:
            limits = contact_area(pressing, self.coefficient, self.static, ca.SX(0))
        return replace(
            limits, grips=ca.logic_and(self._touches, limits.grips), touches=self._touches
        )
