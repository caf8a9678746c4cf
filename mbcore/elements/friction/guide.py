"""Friction of guides: by the forces across a slide, at both ends, and at the sides of its width."""

from __future__ import annotations

import casadi as ca

from mbcore.elements.friction.dry_friction import FrictionLaw
from mbcore.elements.friction.pin_force import refuse_handmade
from mbcore.elements.friction.rate_friction import Grip, RateFriction, size_of
from mbcore.elements.joints.hinge import Hinge, PlanarHinge
from mbcore.elements.joints.joint_records import Prismatic
from mbcore.elements.joints.slide import Slide
from mbcore.model.errors import ModelError
from mbcore.model.expressions import total
from mbcore.model.variables import Number


class GuideFriction(RateFriction):
    """Friction of a guide by its normal force N.

        F = μ N

    With a ``span`` b the guide touches at two ends, which take the moment M as well: the normal
    forces are |N/2 + M/b| and |N/2 - M/b|.

    Parameters
    ----------
    joint : Slide or Prismatic
        The guide; its displacement must be free.
    law : FrictionLaw or number or expression
        The law, or its coefficient.
    span : number or expression, optional
        Distance of the ends of a prismatic joint, m, on both sides of the point of its slider.
    radius : number or expression, optional
        Half the width, m, of a prismatic joint in space; its sides then take the moment about its
        axis, which otherwise causes no friction.

    Raises
    ------
    ModelError
        If the joint is of another kind, or a number is out of its range.
    """

    joints = (Slide, Prismatic)
    known_for = "a slide or a prismatic joint"
    viscous_unit = "N.s/m"
    preload_unit = "N"

    def __init__(
        self,
        name: str,
        joint: Slide | Prismatic,
        law: FrictionLaw | Number,
        *,
        span: Number | None = None,
        radius: Number | None = None,
    ) -> None:
        super().__init__(name, joint, law)
        self.joint = joint
        self.span = self.optional("span", span, above=0.0, unit="m")
        self.radius = self.optional("radius", radius, above=0.0, unit="m")

    @property
    def slide(self) -> Slide:
        """The slide, that of a prismatic joint."""
        return self.joint.slide if isinstance(self.joint, Prismatic) else self.joint

    @property
    def description(self) -> str:
        """The friction with its joint and coefficient."""
        return self._describe(self.slide.title)

    def acting_on(self) -> tuple[object, ...]:
        """Return the slide at whose points its force pulls."""
        return (self.slide,)

    def _find_grip(self) -> Grip:
        """Return the sliding along the guide, and its forces."""
        refuse_handmade(self.title, self.joint)
        self._refuse_strange(self.joint)
        load = total(map(size_of, self._loads()))
        along = self.slide.deformations["displacement"]
        return Grip(self._system.rate_of(along), "m/s", load, load, along.acceleration)

    def _loads(self) -> list[ca.SX]:
        """Return the normal forces on the slide's axes: at its ends, and those of its width."""
        slide = self.slide
        names = [name for name in slide.deformations if name.startswith("sideways")]
        normal = ca.vertcat(*(slide.deformations[name].stress for name in names))
        sizes = [name for name in ("span", "radius") if getattr(self, name) is not None]
        if not sizes:
            return [normal]
        if not isinstance(self.joint, Prismatic):
            raise ModelError(
                f"{self.title}: {sizes[0]} is a size of a guide that keeps its slider from "
                "turning; give the prismatic joint, whose hinge takes that moment"
            )
        about_axis, couple = self._moments(slide, self.joint.hinge)
        loads = [normal]
        if self.span is not None:
            loads = [normal / 2 + couple / self.span, normal / 2 - couple / self.span]
        return loads if self.radius is None else [*loads, about_axis / self.radius]

    def _moments(self, slide: Slide, hinge: Hinge | PlanarHinge) -> tuple[ca.SX, ca.SX]:
        """Return the moment about the guide's axis, and what its ends take, N.m."""
        moment = ca.vertcat(*(q.stress for q in hinge.deformations.values()))
        if isinstance(hinge, PlanarHinge):
            self._refuse("radius", self.radius, "hinges, and guides in space")
            return moment, moment
        about = slide.frame.T @ hinge.frame @ moment
        return about[0], ca.vertcat(about[2], -about[1])
