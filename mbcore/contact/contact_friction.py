"""Friction of a contact that sticks: the journal of a clearance slides in its sleeve, or rolls.

The normal force is a law; the tangential force is friction while the surfaces slide, and a
constraint force while they stick, a held slip as in joints.

Used by `mbcore.contact.clearance` alone; it stands apart because it is an element, whose slip is
added to the model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from mbcore.contact.resting import Normal, let_rest
from mbcore.elements.friction.circle import circle
from mbcore.elements.friction.dry_friction import DryFriction, FrictionLaw
from mbcore.elements.friction.rubbing import Limits, Rubbing
from mbcore.elements.friction.stick_slip import STOPPED
from mbcore.elements.joints.bearing import Bearing
from mbcore.model.element import SlipRate
from mbcore.model.errors import ModelError
from mbcore.model.variables import Number

SMOOTHING = 1e-12
"""Radius, m, within which the eccentricity is smoothed: a centred journal has no direction."""


@dataclass(frozen=True)
class _Accelerated:
    """Rate of the sliding velocity, m/s2, and the motion along the normal."""

    sliding: ca.SX
    normal: Normal


class ContactFriction(DryFriction):
    """Friction between journal and sleeve of a bearing with clearance, by a law's normal force F.

        |F_t| <= μ_s F  where the surfaces stick,    F_t = μ F v/|v|  where they slide

    `mbcore.contact.clearance.clearance` adds it. Its slip ``sliding`` is the velocity v of the
    journal's surface past the sleeve's. While it sticks, the journal rolls along the sleeve.

    Parameters
    ----------
    bearing : Bearing
        The bearing with the clearance.
    law : FrictionLaw
        Its coefficients.
    journal_radius : number or expression
        m.
    touches : SX
        Mode, 1 while in contact.
    load, stiffness : SX
        Normal force, N, and its slope over the depth, N/m.
    gap : number or expression
        Radial clearance, m.

    Raises
    ------
    ModelError
        If a coefficient is out of its range, or the law has what a contact has not.
    """

    joints = (Bearing,)
    known_for = "a bearing with clearance"
    viscous_unit = "N.s/m"
    preload_unit = None

    def __init__(
        self,
        name: str,
        bearing: Bearing,
        law: FrictionLaw,
        *,
        journal_radius: Number,
        touches: ca.SX,
        load: ca.SX,
        stiffness: ca.SX,
        gap: Number,
    ) -> None:
        super().__init__(name, bearing, law)
        if not self.viscous.is_zero():
            raise ModelError(
                f"{self.title}: viscous is for joints; leave it out, and give a contact its losses "
                "by its law"
            )
        self.bearing, self.journal_radius = bearing, ca.SX(journal_radius)
        self._touches, self._load, self._stiffness, self._gap = touches, load, stiffness, gap

    @property
    def description(self) -> str:
        """The friction with its bearing and coefficient."""
        return self._describe(self.bearing.title)

    def slip_rates(self) -> dict[str, SlipRate]:
        """Return the velocity of the journal's surface past the sleeve's, and into it."""
        x, y, turn = (self.bearing.deformations[name] for name in ("x", "y", "rotation"))
        x_rate, y_rate, spin = map(self._system.rate_of, (x, y, turn))
        r = eccentricity(x.expression, y.expression)
        across = (x.expression * y_rate - y.expression * x_rate) / r
        closing = (x.expression * x_rate + y.expression * y_rate) / r
        return {
            "sliding": SlipRate(across + self.journal_radius * spin, zero=False),
            "closing": SlipRate(closing, zero=False),
        }

    def make_quantities(self) -> None:
        """Make the slips, their law, and the events between sliding, sticking and rest."""
        super().make_quantities()
        slip, motion = self.slips["sliding"], self._motion()
        rubbing = Rubbing(slip, ca.SX(1), 1.0, 1.0, motion.sliding)
        limits = self._limits_in_contact()
        self._rub([rubbing], limits, self._load)
        self.force = slip.force
        sticks = ca.logic_and(self.sticks, self._touches)
        slow = ca.if_else(limits.grips, ca.fabs(slip.velocity) / STOPPED, 2)
        closing = self.slips["closing"]
        resting = let_rest(self._system, self.name, closing, motion.normal, sticks, slow)
        self.forgets = {**self.forgets, **resting}

    def _motion(self) -> _Accelerated:
        """Return the rate of the sliding velocity, and the motion along the normal."""
        x, y, turn = (self.bearing.deformations[name] for name in ("x", "y", "rotation"))
        r = eccentricity(x.value, y.value)
        across = (x.value * y.rate - y.value * x.rate) / r
        opening = (x.value * x.rate + y.value * y.rate) / r
        turned = (x.value * y.acceleration - y.value * x.acceleration) / r
        opened = (x.value * x.acceleration + y.value * y.acceleration) / r
        opened += (x.rate**2 + y.rate**2 - opening**2) / r
        sliding = turned - across * opening / r + self.journal_radius * turn.acceleration
        depth = r - self._gap
        return _Accelerated(sliding, Normal(r, depth, opening, opened, self._stiffness))

    def _limits_in_contact(self) -> Limits:
        """Return Coulomb's limits; a law that pulls has no friction."""
        pressing = self._touches * ca.fmax(self._load, 0)
        limits = circle(lambda by: by * pressing, self.coefficient, self.static, ca.SX(0))
        return replace(
            limits, grips=ca.logic_and(self._touches, limits.grips), touches=self._touches
        )


def eccentricity(x: ca.SX, y: ca.SX) -> ca.SX:
    """Return the distance of the centres, m, smooth at zero."""
    return ca.sqrt(x**2 + y**2 + SMOOTHING**2)
