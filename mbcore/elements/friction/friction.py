"""Dry friction by the force that a joint or contact transmits: sliding, and sticking exactly."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal, TypeAlias

import casadi as ca
import numpy as np

from mbcore.elements.friction.circle import circle
from mbcore.elements.friction.contact_area import contact_area
from mbcore.elements.friction.footing import Rolling, footing, require_pressure, spinning
from mbcore.elements.friction.grips import face_of, grip_of
from mbcore.elements.friction.joint_sliding import Face, Grip
from mbcore.elements.friction.rubbing import Limits, Rubbing, usual_length
from mbcore.elements.friction.stick_slip import stick_and_slide
from mbcore.elements.joints.bearing import Bearing
from mbcore.elements.joints.coupling import Coupling
from mbcore.elements.joints.gear import GearPair
from mbcore.elements.joints.hinge import Hinge, PlanarHinge
from mbcore.elements.joints.joints import Planar, Prismatic, Revolute, Spherical
from mbcore.elements.joints.slide import Slide
from mbcore.model import checks
from mbcore.model.element import Element, SlipRate
from mbcore.model.errors import ModelError
from mbcore.model.nodes.node import Node
from mbcore.model.nodes.nodes import Point
from mbcore.model.ranges import Range
from mbcore.model.system import System
from mbcore.model.variables import Number

OnOneSide: TypeAlias = Element | Revolute | Prismatic | Planar | Spherical
"""What can be on one side of a pin."""


class Friction(Element):
    """Dry friction in a joint, or under what rolls, by the transmitted force.

    While the joint slides, its friction acts against the sliding: in a pin of radius r and with the
    total radial reaction R, in which this friction has its part, the torque μ r |R| in a snug
    bearing, or μ r |R| / √(1 + μ²) in one with play (the friction circle). Where it comes to
    rest, it sticks: its rate is held at zero exactly while the friction that this takes is at most
    that by the ``static`` coefficient. Both changes are events.

        M = μ r |R|   or   M = μ r |R| / √(1 + μ²)

    A body in a planar joint rubs on its normal force N with μ N against the direction in which it
    slides, and with a ``patch`` against its spin, too. It sticks where all of that comes to rest.

    A ball of radius r in its socket turns against the moment μ r |R|, whose direction is that of
    its whole angular velocity in the socket, and sticks where all of that comes to rest.

    A wheel, a ball or a blade on its normal force N slides against the friction μ N, whose
    direction is that of the whole slip, and sticks where it comes to rest: then it rolls, and its
    slips are held. They are released here; the degrees of freedom are those of the sliding body.
    Where N is not positive, the surface would pull, which is an error.

    The slip ``sliding`` of a hinge or slide is its rate, ``sliding_x``, ``sliding_y`` and
    ``sliding_z`` of a spherical joint are the angular velocity of its q relative to p on inertial
    axes, rad/s, ``sliding_x`` and ``sliding_y`` of a planar joint the rates of its displacements.
    Symbols for outputs are ``torque`` (of a spherical joint, shape (3, 1); of a slide, ``force``;
    of a planar joint and of what rolls, ``force`` against each of their slips, N, and with a
    ``patch`` the ``moment`` against their spin, N.m), ``power``, never positive, ``sticks`` and
    ``load``, the sum of the normal forces.

    Parameters
    ----------
    joint : joint, or what rolls
        A PlanarHinge, Hinge, Revolute, Spherical, Bearing, Slide, GearPair or Coupling, or a joint
        by `prismatic` or `planar`, whose motion must be free. A coupling of the displacement of a
        slide and the angle of a hinge is a screw with a square thread, one of two such angles is
        gears. What rolls is a Wheel, PlanarWheel, ThickWheel, Ball, ConvexBody, KnifeEdge or
        PlanarKnifeEdge.
    radius : number or expression, optional
        Radius of the pin, ball or journal, m; for hinges, spherical joints and bearings. Of a
        screw, the mean radius of its thread. Of a prismatic joint in space, half the width at whose
        sides the guide takes the moment about its axis, which counts only then. Of a gear pair, the
        mean distance of the teeth's contact from the pitch point.
    coefficient, static : number or expression
        μ while sliding and while sticking; the latter is by default the former, and not less. Of
        coupled gears with the efficiency η it is (1 - η) / (1 + η).
    viscous : number or expression
        Friction by rate, N.m.s/rad or N.s/m, besides.
    preload : number or expression
        Friction, N.m, or of a slide N, that is there without load too, as of a seal or a nut that
        is tightened; the same while sliding and while sticking.
    fit : {"snug", "loose"}
        Whether the pin touches its bearing all around, or at a line.
    at : Point, optional
        Centre of a hinge's pin, where it is not the one point that both bodies share.
    of : Element or joint, or sequence of these, optional
        All elements at that point on one side of the pin, where something there belongs to neither
        body by its orientation, or to both; the rest is on the other side, with all loads on the
        point. Friction in a slide of this side counts with the slide.
    span : number or expression, optional
        Distance of the two bearings of a shaft, or of the ends of a guide, m: then a bending moment
        counts too. The ends of a guide are on both sides of the point of its slider.
    collar : number or expression, optional
        Mean radius, m, of a collar that takes the axial force of a hinge in space.
    load : number or expression, optional
        Normal force, N, of what rolls in the plane, where it is no constraint force.
    patch : number or expression, optional
        Radius, m, of the small round area at which what rolls in space, or a planar joint, touches.
        Then friction acts against its spin, too, and sliding and spinning weaken the friction
        against each other.

    Raises
    ------
    ModelError
        If the joint is of another kind, its point is not found, or a number is out of its range.
    """

    kind = "friction"
    unseen = "it is a property of its joint"
    _grip: Grip | None
    _face: Face | None

    def __init__(
        self,
        name: str,
        joint: PlanarHinge
        | Hinge
        | Revolute
        | Spherical
        | Bearing
        | Slide
        | Prismatic
        | Planar
        | Coupling
        | GearPair
        | Rolling,
        *,
        coefficient: Number,
        radius: Number | None = None,
        static: Number | None = None,
        viscous: Number = 0.0,
        preload: Number = 0.0,
        fit: Literal["snug", "loose"] = "snug",
        at: Point | None = None,
        of: OnOneSide | Sequence[OnOneSide] | None = None,
        span: Number | None = None,
        collar: Number | None = None,
        load: Number | None = None,
        patch: Number | None = None,
    ) -> None:
        super().__init__(name)
        if fit not in ("snug", "loose"):
            raise ModelError(f"{self.title}: fit is {fit!r}; give 'snug' or 'loose'")
        if at is not None and not isinstance(at, Point):
            raise ModelError(f"{self.title}: at is {at!r}; give the point at which the pin is")
        self.joint, self.fit, self.at, self.of = joint, fit, at, of
        self.radius = self.optional("radius", radius, above=0.0, unit="m")
        self.span = self.optional("span", span, above=0.0, unit="m")
        self.collar = self.optional("collar", collar, above=0.0, unit="m")
        self.coefficient = ca.SX(self.number("coefficient", coefficient, least=0.0))
        self.static = self.coefficient if static is None else self._checked_static(static)
        unit = "N" if isinstance(joint, Slide | Prismatic) else "N.m"
        straight = isinstance(joint, Slide | Prismatic | Planar | Rolling)
        by = "N.s/m" if straight else "N.m.s/rad"
        self.viscous = ca.SX(self.number("viscous", viscous, least=0.0, unit=by))
        self.preload = ca.SX(self.number("preload", preload, least=0.0, unit=unit))
        self.given_load = load if load is None else checks.expression(self.title, "load", load, "N")
        self.patch = self.optional("patch", patch, above=0.0, unit="m")
        self._grip, self._face = None, None
        if isinstance(joint, Rolling | Spherical | Planar) and not self.preload.is_zero():
            raise ModelError(f"{self.title}: preload is for hinges and slides; leave it out")
        if isinstance(joint, Rolling):
            self._refuse_pins()
        elif load is not None:
            raise ModelError(f"{self.title}: load is for what rolls; leave it out")
        elif patch is not None and not isinstance(joint, Planar):
            raise ModelError(
                f"{self.title}: patch is for planar joints and what rolls; leave it out"
            )

    def _checked_static(self, static: Number) -> ca.SX:
        """Return the static coefficient, which parameters must not make less than the other."""
        given = ca.SX(self.number("static", static, least=0.0))
        remedy = "a static coefficient that is not less than the other one"
        kept = Range(self.title, "static minus coefficient", least=0.0, remedy=remedy)
        self.check(given - self.coefficient, partial(self._refuse_less, given), kept)
        return given

    def _refuse_less(self, static: ca.SX, excess: np.ndarray) -> None:
        """Refuse a static coefficient that is less than the other one."""
        if not excess.item() >= 0:
            raise ModelError(
                f"{self.title}: static = {static} is {-excess.item():g} less than "
                f"coefficient = {self.coefficient}; give at least as much"
            )

    def _refuse_pins(self) -> None:
        for what in ("radius", "span", "collar", "at", "of"):
            if getattr(self, what) is not None:
                raise ModelError(f"{self.title}: {what} is for hinges and slides; leave it out")
        if self.fit != "snug":
            raise ModelError(f"{self.title}: fit is for hinges; leave it out")

    @property
    def description(self) -> str:
        """The friction with its joint and coefficient."""
        joint = self.joint
        if isinstance(joint, Spherical):
            of = f"the spherical joint at {joint.point.name}"
        elif isinstance(joint, Prismatic | Planar):
            of = joint.slide.title
        else:
            of = joint.title if isinstance(joint, Element) else joint.hinge.title
        return f"{self.title} of {of} (coefficient {self.coefficient})"

    @property
    def face(self) -> Face:
        """The velocities in a spherical or planar joint, and its force."""
        if self._face is None:
            if not isinstance(self.model, System):
                raise ModelError(f"{self.title}: add it to a model first")
            self._face = face_of(self, self.model)
        return self._face

    @property
    def grip(self) -> Grip:
        """The joint's rate, and its normal forces with their arms."""
        if self._grip is None:
            if not isinstance(self.model, System):
                raise ModelError(f"{self.title}: add it to a model first")
            self._grip = grip_of(self, self.model)
        return self._grip

    def nodes(self) -> list[Node]:
        """Return none, because its force acts on the nodes of its joint."""
        return []

    def acting_on(self) -> tuple[Element, ...]:
        """Return the slide at whose points its force pulls."""
        slide = self.joint.slide if isinstance(self.joint, Prismatic | Planar) else self.joint
        return (slide,) if isinstance(slide, Slide) else ()

    def slip_rates(self) -> dict[str, SlipRate]:
        """Return the joint's rate."""
        if isinstance(self.joint, Rolling):
            return {}
        if isinstance(self.joint, Spherical | Planar):
            return self.face.rates
        return {"sliding": SlipRate(self.grip.rate, self.grip.unit, zero=False)}

    def make_quantities(self) -> None:
        """Make the slip, its law, and the events between sliding and sticking."""
        if not isinstance(self.model, System):
            raise ModelError(f"{self.title}: add it to a model first")
        super().make_quantities()
        self.rubbing_slips = tuple(self.slips.values())
        if isinstance(self.joint, Rolling):
            self._rub(self.model, self.joint)
        elif isinstance(self.joint, Spherical | Planar):
            self._glide(self.model)
        else:
            self._turn(self.model)

    def _rub(self, model: System, element: Rolling) -> None:
        """Let friction act on the slips of what rolls."""
        foot = footing(self.title, element, self.given_load)
        rubbing = foot.rubbing
        if self.patch is not None:
            rubbing = (*rubbing, spinning(self.title, element, self.patch))
        for one in rubbing:
            if one.slip.held is not None:
                raise ModelError(
                    f"{self.title}: {one.slip.name} is held by a condition already, as by another "
                    f"friction; give the {element.title} one friction, and leave hold out"
                )
        self.rubbing_slips = tuple(one.slip for one in rubbing)
        limits = self._limits(foot.load, self.coefficient, self.static, self.viscous)
        friction = stick_and_slide(model, self.name, rubbing, limits)
        self.sticks, self.power, self.load = friction.sticks, friction.power, foot.load
        self.force = ca.vertcat(*(one.force for one in foot.rubbing))
        self.moment = rubbing[-1].slip.force if self.patch is not None else ca.SX(0)
        require_pressure(model, self.name, element, foot.load)

    def _glide(self, model: System) -> None:
        """Let friction act on all velocities of the faces of a joint."""
        face, slips = self.face, list(self.slips.values())
        rubbing = [
            Rubbing(slip, 1 / arm, 1 / usual_length(self, arm))
            for slip, arm in zip(slips, face.arms, strict=True)
        ]
        shares = (self._share(self.coefficient), self._share(self.static))
        limits = self._limits(face.load, *shares, self.viscous / face.arms[0] ** 2)
        friction = stick_and_slide(model, self.name, rubbing, limits)
        self.sticks, self.power, self.load = friction.sticks, friction.power, face.load
        forces = ca.vertcat(*(slip.force for slip in slips))
        if isinstance(self.joint, Planar):
            self.force, self.moment = forces[:2], forces[2:]
        else:
            self.torque = self.force = forces

    def _turn(self, model: System) -> None:
        """Let friction act on the joint's rate."""
        slip = self.slips["sliding"]
        size = self._size()
        rubbing = Rubbing(slip, ca.SX(1), size, size, self.grip.acceleration)
        limits = circle(self._resistance, self.coefficient, self.static, self.viscous, self.preload)
        friction = stick_and_slide(model, self.name, [rubbing], limits)
        self.sticks, self.power, self.load = friction.sticks, friction.power, self.grip.load
        self.torque = self.force = slip.force

    def _size(self) -> float:
        """Natural size of the rate, which says which joints can hold others."""
        radius = ca.SX(1 if self.radius is None else self.radius)
        # 1 m/s where the parts touch
        turns = self.grip.unit == "rad/s" and radius.is_constant()
        return 1 / float(radius) if turns else 1.0

    def _resistance(self, coefficient: ca.SX) -> ca.SX:
        """Return the friction torque or force by a coefficient without the preload."""
        return self._share(coefficient) * self.grip.lever

    def _limits(self, load: ca.SX, coefficient: ca.SX, static: ca.SX, viscous: ca.SX) -> Limits:
        """Return the limits of friction by a normal force."""
        if self.patch is not None:
            return contact_area(load, coefficient, static, viscous)
        return circle(lambda by: by * load, coefficient, static, viscous)

    def _share(self, coefficient: ca.SX) -> ca.SX:
        """Return the friction by the force of the joint, that of the friction circle if loose."""
        return coefficient / ca.sqrt(1 + coefficient**2) if self.fit == "loose" else coefficient
