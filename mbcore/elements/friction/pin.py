"""Friction of pins and journals: by the force between both sides of a hinge or bearing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import casadi as ca

from mbcore.elements.friction.dry_friction import FrictionLaw
from mbcore.elements.friction.pin_force import OnOneSide, pin_force, refuse_handmade
from mbcore.elements.friction.rate_friction import Grip, RateFriction, size_of
from mbcore.elements.joints.bearing import Bearing
from mbcore.elements.joints.hinge import Hinge, PlanarHinge
from mbcore.elements.joints.joint_records import Revolute
from mbcore.model.errors import ModelError
from mbcore.model.expressions import total
from mbcore.model.nodes.nodes import Point
from mbcore.model.variables import Number

Pinned: TypeAlias = PlanarHinge | Hinge | Revolute | Bearing
"""Joints with a pin or a journal."""


class PinFriction(RateFriction):
    """Friction of a pin of radius r by the radial reaction R, which includes the friction itself.

        M = μ r |R|   or   M = μ r |R| / √(1 + μ²)

    The first holds for a snug bearing, the second for a bearing with clearance (the friction
    circle). The sides of the pin are those of its joint.

    Parameters
    ----------
    joint : PlanarHinge, Hinge, Revolute or Bearing
        A joint whose angle is free.
    law : FrictionLaw or number or expression
        The law, or its coefficient.
    radius : number or expression
        Radius of the pin or journal, m.
    at : Point, optional
        Centre of a hinge's pin, unless both bodies share exactly one point.
    of : Element or joint, or sequence of these, optional
        All elements at that point on one side of the pin, if something there belongs to neither
        body by its orientation, or to both; the others are on the other side, with all loads on
        the point. Friction in a slide of this side counts with the slide.
    span : number or expression, optional
        Distance of the two bearings of a shaft in space, m: then a bending moment counts too.
    collar : number or expression, optional
        Mean radius, m, of a collar that takes the axial force of a hinge in space.

    Raises
    ------
    ModelError
        If the joint is of another kind, its point is not found, or a number is out of its range.
    """

    joints = (PlanarHinge, Hinge, Revolute, Bearing)
    known_for = "a hinge, a revolute joint or a bearing"
    may_fit = True

    def __init__(
        self,
        name: str,
        joint: Pinned,
        law: FrictionLaw | Number,
        *,
        radius: Number | None = None,
        at: Point | None = None,
        of: OnOneSide | Sequence[OnOneSide] | None = None,
        span: Number | None = None,
        collar: Number | None = None,
    ) -> None:
        super().__init__(name, joint, law)
        if at is not None and not isinstance(at, Point):
            raise ModelError(f"{self.title}: at is {at!r}; give the point at which the pin is")
        self.joint, self.at, self.of = joint, at, of
        self.radius = self.optional("radius", radius, above=0.0, unit="m")
        self.span = self.optional("span", span, above=0.0, unit="m")
        self.collar = self.optional("collar", collar, above=0.0, unit="m")

    @property
    def description(self) -> str:
        """The friction with its joint and coefficient."""
        joint = self.joint
        return self._describe((joint.hinge if isinstance(joint, Revolute) else joint).title)

    def _find_grip(self) -> Grip:
        """Return the turning of the pin, and its forces."""
        joint = self.joint
        refuse_handmade(self.title, joint)
        self._refuse_strange(joint)
        if self.radius is None:
            what = "bearing" if isinstance(joint, Bearing) else "hinge"
            arm = "journal" if isinstance(joint, Bearing) else "pin"
            raise ModelError(
                f"{self.title}: it has no radius; give that of the {what}'s {arm}, m, as in "
                "radius=0.01"
            )
        if not isinstance(joint, Hinge) and not isinstance(
            joint.hinge if isinstance(joint, Revolute) else joint, Hinge
        ):
            self._refuse("span", self.span, "hinges in space and guides")
            self._refuse("collar", self.collar, "hinges in space")
        if isinstance(joint, Bearing):
            return self._of_journal(joint, self.radius)
        return self._of_hinge(joint, self.radius)

    def _of_journal(self, joint: Bearing, radius: Number) -> Grip:
        self._refuse("at", self.at, "hinges")
        self._refuse("of", self.of, "hinges")
        force = self._system.reactions.at(joint.journal, joint)
        turn, size = joint.deformations["rotation"], size_of(force)
        return Grip(self._system.rate_of(turn), "rad/s", size, radius * size, turn.acceleration)

    def _of_hinge(self, joint: PlanarHinge | Hinge | Revolute, radius: Number) -> Grip:
        model, hinge = self._system, joint.hinge if isinstance(joint, Revolute) else joint
        if self.at is not None:
            model.nodes.refuse_strange(self.title, self.at)
        own = joint.point if isinstance(joint, Revolute) else None
        point = self.at or own or self._shared_point(hinge)
        force = pin_force(model, self.title, point, (hinge.p, hinge.q), self.of)
        angle = hinge.deformations["angle"]
        rate = model.rate_of(angle)
        if isinstance(hinge, PlanarHinge):
            size = size_of(force)
            return Grip(rate, "rad/s", size, radius * size, angle.acceleration)
        axis, y, z = hinge.axes()
        radial, axial = force - axis * ca.dot(axis, force), ca.dot(axis, force)
        loads = [radial]
        if self.span is not None:
            about_y, about_z = (hinge.deformations[f"bending_{k}"].stress for k in "yz")
            couple = (about_y * z - about_z * y) / self.span
            loads = [radial / 2 + couple, radial / 2 - couple]
        load = total(map(size_of, loads))
        lever = radius * load
        if self.collar is not None:
            lever += self.collar * size_of(axial)
        return Grip(rate, "rad/s", load, lever, angle.acceleration)

    def _shared_point(self, hinge: Hinge | PlanarHinge) -> Point:
        """Return the one point at which elements of both orientations meet."""
        found = self._system.reactions.meeting(hinge.p, hinge.q)
        if len(found) != 1:
            names = ", ".join(point.name for point in found) or "none"
            raise ModelError(
                f"{self.title}: the points that both sides of hinge {hinge.name} share are "
                f"{names}; give the centre of the pin as at="
            )
        return found[0]
