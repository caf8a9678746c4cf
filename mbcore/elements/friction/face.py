"""Friction of a body on a plane, by the normal force of a planar joint."""

from __future__ import annotations

import casadi as ca

from mbcore.elements.friction.area_friction import AreaFriction, Face
from mbcore.elements.friction.dry_friction import FrictionLaw
from mbcore.elements.friction.pin_force import refuse_handmade
from mbcore.elements.friction.rate_friction import size_of
from mbcore.elements.joints.joint_records import Planar
from mbcore.model.statements import SlipRate
from mbcore.model.variables import Number


class FaceFriction(AreaFriction):
    """Friction of a body in a planar joint on its normal force N.

        F = μ N

    It opposes the sliding of the body, and with a ``patch`` its spin, too. The body sticks when
    both come to rest. Slips ``sliding_x`` and ``sliding_y`` are the rates of the joint's
    displacements, ``spin`` that of its angle; ``force`` and ``moment`` are against these, N and
    N.m.

    Parameters
    ----------
    joint : Planar
        A joint by `mbcore.planar`.
    law : FrictionLaw or number or expression
        The law, or its coefficient.
    patch : number or expression, optional
        Radius, m, of the small round contact area. Then sliding reduces the friction against
        spinning, and the other way round.

    Raises
    ------
    ModelError
        If the joint is of another kind, or a number is out of its range.
    """

    joints = (Planar,)
    known_for = "a planar joint"
    viscous_unit = "N.s/m"

    def __init__(
        self,
        name: str,
        joint: Planar,
        law: FrictionLaw | Number,
        *,
        patch: Number | None = None,
    ) -> None:
        super().__init__(name, joint, law)
        self.joint = joint
        self.patch = self.optional("patch", patch, above=0.0, unit="m")

    @property
    def description(self) -> str:
        """The friction with its joint and coefficient."""
        return self._describe(self.joint.slide.title)

    def acting_on(self) -> tuple[object, ...]:
        """Return the slide at whose points its force pulls."""
        return (self.joint.slide,)

    def _find_face(self) -> Face:
        """Return the sliding over the plane, and the normal force."""
        refuse_handmade(self.title, self.joint)
        self._refuse_strange(self.joint)
        arms, rate_of = [ca.SX(1), ca.SX(1)], self._system.rate_of
        rates = {
            f"sliding_{axis}": SlipRate(rate_of(along), "m/s", zero=False)
            for axis, along in zip("xy", self.joint.displacements, strict=True)
        }
        if self.patch is not None:
            rates["spin"] = SlipRate(rate_of(self.joint.angle), "rad/s", zero=False)
            arms.append(ca.SX(self.patch))
        return Face(
            rates, tuple(arms), size_of(self.joint.slide.deformations["displacement"].stress)
        )

    def make_quantities(self) -> None:
        """Make the slips, their law, and the events between sliding and sticking."""
        super().make_quantities()
        self.force, self.moment = self.force[:2], self.force[2:]
