"""Where a body touches a surface: how it moves there, and on what its contact forces act.

`BearingPlace` is in the plane, on the surfaces of `mbcore.contact.surfaces`; `BodyPlace` is in
space, where what rolls has its surface.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import casadi as ca

from mbcore.contact.surfaces import Surface
from mbcore.elements.friction.footing import footing, spinning
from mbcore.elements.friction.rubbing import Rubbing
from mbcore.elements.joints.bearing import Bearing
from mbcore.elements.wheels.rolling_body import RollingBody
from mbcore.model.quantities import Role, Slip
from mbcore.model.statements import SlipRate
from mbcore.model.system import System
from mbcore.model.variables import Number


@dataclass(frozen=True)
class Motion:
    """Motion of a body past a surface.

    Attributes
    ----------
    distance, depth : SX
        A distance with the rounding errors of the depth, and the depth, m.
    rate, acceleration : SX
        Of the depth, m/s and m/s2.
    sliding : SX
        Velocities of the body's surface past the other, m/s, one in the plane and two in space.
    """

    distance: ca.SX
    depth: ca.SX
    rate: ca.SX
    acceleration: ca.SX
    sliding: ca.SX


class Place(Protocol):
    """Where a body touches a surface."""

    @property
    def joint(self) -> Bearing | RollingBody:
        """The element that has the body and the surface."""

    @property
    def motion(self) -> Motion:
        """Motion of the body past the surface."""

    def sliding_accelerations(self) -> ca.SX:
        """Return the derivatives of the sliding velocities, m/s2; in space where these vanish."""

    def slip_rates(self, model: System) -> dict[str, SlipRate]:
        """Return the slips that friction adds: ``closing`` is into the surface."""

    def rubbing(self, slips: Mapping[str, Slip]) -> Sequence[Rubbing]:
        """Return the velocities on which friction acts, given the slips that it has added."""

    def act(self, force: ca.SX, tangential: ca.SX | None) -> None:
        """Let forces act, N: a normal one, positive where the parts push, and against the sliding.

        The latter is None where friction acts by itself.
        """


@dataclass(frozen=True)
class BearingPlace:
    """A bearing, its surface, and the radius of what slides there, m; None without friction."""

    joint: Bearing
    surface: Surface
    radius: Number | None

    @cached_property
    def motion(self) -> Motion:
        """Motion of the body past the surface."""
        x, y = self.joint.x, self.joint.y
        at, rates = (x.value, y.value), (x.rate, y.rate)
        sliding, rate = self.surface.rates(at, rates)
        if self.radius is not None:
            sliding = sliding + self.radius * self.joint.rotation.rate
        deepened = self.surface.accelerations(at, rates, (x.acceleration, y.acceleration))[1]
        return Motion(*self.surface.depth(at), rate, deepened, sliding)

    @property
    def direction(self) -> tuple[ca.SX, ca.SX]:
        """The direction into the surface, a unit vector on its axes."""
        return self.surface.into((self.joint.x.value, self.joint.y.value))

    def slip_rates(self, model: System) -> dict[str, SlipRate]:
        """Return the velocity of the body's surface past the other, and into it."""
        x, y, turn = (self.joint.deformations[name] for name in ("x", "y", "rotation"))
        *rates, spin = map(model.rate_of, (x, y, turn))
        across, closing = self.surface.rates((x.expression, y.expression), rates)
        return {
            "sliding": SlipRate(across + self._arm * spin, zero=False),
            "closing": SlipRate(closing, zero=False),
        }

    def sliding_accelerations(self) -> ca.SX:
        """Return the derivative of the sliding velocity, m/s2."""
        x, y, turn = (self.joint.deformations[name] for name in ("x", "y", "rotation"))
        at, rates = (x.value, y.value), (x.rate, y.rate)
        changed = self.surface.accelerations(at, rates, (x.acceleration, y.acceleration))[0]
        return changed + self._arm * turn.acceleration

    def rubbing(self, slips: Mapping[str, Slip]) -> Sequence[Rubbing]:
        """Return the sliding with its acceleration."""
        return [Rubbing(slips["sliding"], ca.SX(1), 1.0, 1.0, self.sliding_accelerations())]

    def act(self, force: ca.SX, tangential: ca.SX | None) -> None:
        """Let forces act on the bearing's x and y, and a moment on a rotation that may turn."""
        (along, across), rotation = self.direction, self.joint.rotation
        friction = ca.SX(0) if tangential is None else tangential
        self.joint.x.law(force * along - friction * across)
        self.joint.y.law(force * across + friction * along)
        turns = rotation.role not in (Role.RIGID, Role.PRESCRIBED)
        if self.radius is not None and tangential is not None and turns:
            rotation.law(tangential * self.radius)

    @property
    def _arm(self) -> Number:
        assert self.radius is not None
        return self.radius


@dataclass(frozen=True)
class BodyPlace:
    """A body of any convex shape on its surface, whose ``normal`` is free.

    With a ``patch``, the radius of the area that touches, m, it rubs by its spin, too.
    """

    joint: RollingBody
    patch: Number | None = None

    @cached_property
    def motion(self) -> Motion:
        """Motion of the body past the surface."""
        normal, outward = self.joint.deformations["normal"], self.joint.surface_at.normal
        arm = ca.fabs(ca.dot(outward, self.joint.arm(-outward)))
        velocities = (self.joint.slips[name].velocity for name in self.joint.directions)
        sliding = ca.vertcat(*velocities)
        return Motion(arm, -normal.value, -normal.rate, -normal.acceleration, sliding)

    def sliding_accelerations(self) -> ca.SX:
        """Return the accelerations along the slips' directions, m/s2, where nothing slides."""
        body, on = self.joint, self.joint.surface_at
        lever, turning = body.contact.position - body.centre.position, body.rotation
        wandering = body.contact.velocity - body.centre.velocity
        found = body.centre.acceleration + ca.cross(turning.angular_acceleration, lever)
        found += ca.cross(turning.angular_velocity, wandering)
        if body.frame is not None:
            origin, axes = body.frame
            arm = body.contact.position - origin.position
            found -= origin.acceleration + ca.cross(axes.angular_acceleration, arm)
            found -= ca.cross(on.spin, body.contact.velocity - origin.velocity)
        return ca.vertcat(*(ca.dot(tangent, found) for tangent in body.tangents()))

    def slip_rates(self, model: System) -> dict[str, SlipRate]:
        """Return the velocity into the surface; the body has its slips along it."""
        closing = -model.rate_of(self.joint.deformations["normal"])
        return {"closing": SlipRate(closing, zero=False)}

    def rubbing(self, slips: Mapping[str, Slip]) -> Sequence[Rubbing]:
        """Return the body's slips, which friction releases."""
        title = self.joint.title
        found = footing(title, self.joint, None).rubbing
        if self.patch is not None:
            found = (*found, spinning(title, self.joint, self.patch))
        return found

    def act(self, force: ca.SX, tangential: ca.SX | None) -> None:
        """Let forces act on the distance from the surface, and on slips, which it releases."""
        self.joint.deformations["normal"].law(-force)
        if tangential is not None:
            names = self.joint.directions
            for name, against in zip(names, ca.vertsplit(tangential), strict=True):
                self.joint.slips[name].release().law(against)
