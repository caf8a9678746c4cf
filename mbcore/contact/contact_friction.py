"""Friction of a contact that sticks: a journal slides in its sleeve, a ball on a plane, or rolls.

The normal force is a law; the tangential force is friction while the surfaces slide, and a
constraint force while they stick, a held slip as in joints.

Used by `mbcore.contact.touching` alone; it stands apart because it is an element, whose slip is
added to the model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from mbcore.contact.resting import Normal, let_rest
from mbcore.contact.surfaces import Surface
from mbcore.elements.friction.circle import circle
from mbcore.elements.friction.dry_friction import DryFriction, FrictionLaw
from mbcore.elements.friction.rubbing import Limits, Rubbing
from mbcore.elements.friction.stick_slip import STOPPED
from mbcore.elements.joints.bearing import Bearing
from mbcore.model.element import SlipRate
from mbcore.model.errors import ModelError
from mbcore.model.variables import Number


@dataclass(frozen=True)
class _Accelerated:
    """Rate of the sliding velocity, m/s2, and the motion along the normal."""

    sliding: ca.SX
    normal: Normal


class ContactFriction(DryFriction):
    """Friction between a body and a surface in a bearing, by a law's normal force F.

        |F_t| <= μ_s F  where the surfaces stick,    F_t = μ F v/|v|  where they slide

    Functions such as `mbcore.contact.clearance.clearance` add it. Its slip ``sliding`` is the
    velocity v of the body's surface past the other. While it sticks, the body rolls along that.

    Parameters
    ----------
    bearing : Bearing
        The bearing whose journal is the body.
    law : FrictionLaw
        Its coefficients.
    surface : Surface
        What it touches.
    radius : number or expression
        Of the body, m.
    touches : SX
        Mode, 1 while in contact.
    load, stiffness : SX
        Normal force, N, and its slope over the depth, N/m.

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
        surface: Surface,
        radius: Number,
        touches: ca.SX,
        load: ca.SX,
        stiffness: ca.SX,
    ) -> None:
        super().__init__(name, bearing, law)
        if not self.viscous.is_zero():
            raise ModelError(
                f"{self.title}: viscous is for joints; leave it out, and give a contact its losses "
                "by its law"
            )
        self.bearing, self.surface, self.radius = bearing, surface, ca.SX(radius)
        self._touches, self._load, self._stiffness = touches, load, stiffness

    @property
    def description(self) -> str:
        """The friction with its bearing and coefficient."""
        return self._describe(self.bearing.title)

    def slip_rates(self) -> dict[str, SlipRate]:
        """Return the velocity of the body's surface past the other, and into it."""
        x, y, turn = (self.bearing.deformations[name] for name in ("x", "y", "rotation"))
        *rates, spin = map(self._system.rate_of, (x, y, turn))
        across, closing = self.surface.rates((x.expression, y.expression), rates)
        return {
            "sliding": SlipRate(across + self.radius * spin, zero=False),
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
        at, rates, changes = (
            [q.value for q in (x, y)],
            [q.rate for q in (x, y)],
            [q.acceleration for q in (x, y)],
        )
        sliding, deepened = self.surface.accelerations(at, rates, changes)
        _, deepening = self.surface.rates(at, rates)
        normal = Normal(*self.surface.depth(at), deepening, deepened, self._stiffness)
        return _Accelerated(sliding + self.radius * turn.acceleration, normal)

    def _limits_in_contact(self) -> Limits:
        """Return Coulomb's limits; a law that pulls has no friction."""
        pressing = self._touches * ca.fmax(self._load, 0)
        limits = circle(lambda by: by * pressing, self.coefficient, self.static, ca.SX(0))
        return replace(
            limits, grips=ca.logic_and(self._touches, limits.grips), touches=self._touches
        )
