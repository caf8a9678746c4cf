"""Friction of a ball in its socket, by the force of a spherical joint."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from mbcore.elements.friction.area_friction import AreaFriction, Face
from mbcore.elements.friction.dry_friction import FrictionLaw
from mbcore.elements.friction.pin_force import OnOneSide, pin_force, refuse_handmade
from mbcore.elements.friction.rate_friction import size_of
from mbcore.elements.joints.joint_records import Spherical
from mbcore.model.errors import ModelError
from mbcore.model.nodes.nodes import Rotation
from mbcore.model.statements import SlipRate
from mbcore.model.variables import Number


class BallFriction(AreaFriction):
    """Friction of a ball of radius r that turns in its socket under the force R.

        M = μ r |R|

    The moment opposes the angular velocity of the ball in the socket; the ball sticks when all its
    components come to rest. Slips ``sliding_x``, ``sliding_y`` and ``sliding_z`` are the
    angular velocity of q relative to p on inertial axes, rad/s, and ``torque``, the same as
    ``force``, is against these, N.m, shape (3, 1).

    Parameters
    ----------
    joint : Spherical
        A spherical joint in space.
    law : FrictionLaw or number or expression
        The law, or its coefficient.
    radius : number or expression
        Radius of the ball, m.
    of : Element or joint, or sequence of these, optional
        All elements at the joint's point on one side, where something there belongs to neither
        body by its orientation, or to both.

    Raises
    ------
    ModelError
        If the joint is one in the plane, or a number is missing or out of its range.
    """

    joints = (Spherical,)
    known_for = "a spherical joint"
    may_fit = True

    def __init__(
        self,
        name: str,
        joint: Spherical,
        law: FrictionLaw | Number,
        *,
        radius: Number | None = None,
        of: OnOneSide | Sequence[OnOneSide] | None = None,
    ) -> None:
        super().__init__(name, joint, law)
        self.joint, self.of = joint, of
        self.radius = self.optional("radius", radius, above=0.0, unit="m")

    @property
    def description(self) -> str:
        """The friction with its joint and coefficient."""
        return self._describe(f"the spherical joint at {self.joint.point.name}")

    @property
    def torque(self) -> ca.SX:
        """The same as ``force``: friction against the angular velocity, N.m, shape (3, 1)."""
        return self.force

    def _find_face(self) -> Face:
        """Return the turning of the ball in its socket, and the force between them."""
        refuse_handmade(self.title, self.joint)
        if self.radius is None:
            raise ModelError(
                f"{self.title}: it has no radius; give that of the ball, m, as in radius=0.01"
            )
        p, q, point = self.joint.p, self.joint.q, self.joint.point
        if not isinstance(p, Rotation) or not isinstance(q, Rotation):
            raise ModelError(
                f"{self.title}: in the plane the spherical joint at {point.name} has one axis; "
                "give a revolute joint"
            )
        self._system.nodes.refuse_strange(self.title, point)
        force = pin_force(self._system, self.title, point, (p, q), self.of)
        turning = ca.vertsplit(q.angular_velocity - p.angular_velocity)
        rates = {
            f"sliding_{axis}": SlipRate(rate, "rad/s", zero=False)
            for axis, rate in zip("xyz", turning, strict=True)
        }
        return Face(rates, 3 * (ca.SX(self.radius),), size_of(force))
