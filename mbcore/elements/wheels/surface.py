"""Smooth surfaces that bodies touch, at rest or moving with a frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import casadi as ca
import numpy as np

from mbcore.model.errors import ModelError
from mbcore.model.kinks import gradient
from mbcore.model.nodes.node_checks import points, rotations
from mbcore.model.nodes.nodes import Point, Rotation, at_start
from mbcore.model.statements import Limit, length
from mbcore.model.tables.lookup import with_corners

Frame: TypeAlias = tuple[Point, Rotation]
"""Frame that a surface moves with: a point and an orientation."""
CEILING = 0.5
"""Component of its normal along -z above which a surface is a ceiling, and no wall."""


def horizontal_plane(c: ca.SX) -> ca.SX:
    """Surface z = 0 with the normal upwards."""
    return c[2]


def followed_limit(distance: ca.SX, size: ca.SX, message: str) -> Limit:
    """Return the limit that a distance is positive; its zeros are located inside steps, too.

    Parameters
    ----------
    distance : SX
        Distance, m, smooth at zero, such as that of a body from its surface.
    size : SX
        Natural size of the distance, m, positive.
    message : str
        Error where the distance vanishes, with the remedy.
    """
    part = distance / size
    return Limit(distance, message, followed=part / ca.sqrt(1 + part * part))


def refuse_corners(owner: str, gap: ca.SX) -> None:
    """Refuse a surface by a table of straight lines, on which nothing rolls.

    Its normal jumps from line to line, and with it the velocity of what rolls on it, by impulses
    that no force contains.

    Raises
    ------
    ModelError
        Naming the table.
    """
    for name in dict.fromkeys(with_corners(gap)):
        raise ModelError(
            f"{owner}: its surface has corners at the points of {name!r}, a table of straight "
            'lines, and rolling needs a curvature; give the table interpolation="smooth"'
        )


def checked_frame(owner: str, frame: Frame | None) -> Frame | None:
    """Return a frame as a pair, None if there is none.

    Raises
    ------
    ModelError
        Naming the owner, if it is no pair of a point and a rotation in space.
    """
    if frame is None:
        return None
    if not isinstance(frame, tuple | list) or len(frame) != 2:
        raise ModelError(f"{owner}: frame is {frame!r}; give a point and a rotation")
    points(owner, False, frame=frame[0])
    rotations(owner, frame=frame[1])
    return frame[0], frame[1]


def material_velocity(frame: Frame, contact: Point) -> ca.SX:
    """Return the velocity of the point of a frame that is at a contact point, (3, 1), m/s."""
    origin, axes = frame
    arm = contact.position - origin.position
    return origin.velocity + ca.cross(axes.angular_velocity, arm)


class Surface:
    """A surface g(c) = 0 at a contact point, as expressions.

    Parameters
    ----------
    owner : str
        Name of the element that touches it, for messages.
    contact : Point
        The geometric contact point c, in space.
    function : callable
        g, an expression of a place, shape (3, 1), zero on the surface; its gradient points to the
        side of what touches it.
    frame : pair of Point and Rotation, optional
        What the surface moves with: its origin and its axes, on which g is written. The surface is
        at rest, on inertial axes, where absent.

    Attributes
    ----------
    function : callable
        g, as given.
    gap : SX
        g at the contact point.
    slope : SX
        Length of the gradient of g there.
    normal : SX
        Unit normal on inertial axes, shape (3, 1).
    velocity, spin : SX
        Of the surface's material point at c, m/s, and its angular velocity, rad/s, shape (3, 1).

    Raises
    ------
    ModelError
        If the frame is not a pair of a point and a rotation in space, or g is not a scalar that
        depends on the place, or it calls a table of straight lines.
    """

    def __init__(
        self,
        owner: str,
        contact: Point,
        function: Callable[[ca.SX], ca.SX] = horizontal_plane,
        frame: Frame | None = None,
    ) -> None:
        frame = checked_frame(owner, frame)
        if not callable(function):
            raise ModelError(f"{owner}: surface is {function!r}; give a function of a place")
        # In a symbol of its own, to differentiate g by the place on the axes of the frame.
        place = ca.SX.sym("place", 3)
        gap = ca.SX(function(place))
        if not gap.is_scalar() or not ca.depends_on(gap, place):
            raise ModelError(
                f"{owner}: its surface gives {gap}; give a function of a place, shape (3, 1), that "
                "is zero on the surface"
            )
        refuse_corners(owner, gap)
        self.owner, self.function = owner, function
        self.matrix = ca.SX.eye(3) if frame is None else frame[1].matrix
        arm = contact.position if frame is None else contact.position - frame[0].position
        local = arm if frame is None else self.matrix.T @ arm
        slope = gradient(gap, place)
        gap, slope = ca.substitute([gap, slope], [place], [local])
        self.slope = length(slope)
        unit = ca.densify(slope / self.slope)
        self.gap, self._local = gap, unit
        self._pole = _pole(at_start(unit[2], contact, *(frame or ())))
        self.normal = unit if frame is None else self.matrix @ unit
        self.velocity = ca.SX.zeros(3)
        self.spin = ca.SX.zeros(3)
        if frame is not None:
            self.spin = frame[1].angular_velocity
            self.velocity = material_velocity(frame, contact)

    def refuse_no_normal(self, slope: np.ndarray) -> None:
        """Refuse a slope of zero, for `Element.check` of ``slope`` at the start."""
        if not float(slope.ravel()[0]) > 0:
            raise ModelError(
                f"{self.owner}: its surface has no normal where it is touched at the start, for "
                "the gradient vanishes there; start elsewhere, or give another function"
            )

    def tangents(self) -> tuple[ca.SX, ca.SX]:
        """Return two unit vectors that span the tangent plane, on inertial axes.

        They are the frame's x and y axes, turned the shortest way that turns its z axis to the
        normal; not defined where the normal is opposite to that. Where it starts near there, as
        that of a ceiling does, they are the same of a frame that is turned half about its x axis.
        """
        # No pair of tangents is smooth on a whole sphere; the pole is put opposite to the start.
        half_turn = ca.diag(ca.vertcat(1, self._pole, self._pole))
        x, y, z = ca.vertsplit(half_turn @ self._local)
        first = ca.vertcat(1 - x * x / (1 + z), -x * y / (1 + z), -x)
        second = ca.vertcat(-x * y / (1 + z), 1 - y * y / (1 + z), -y)
        return self.matrix @ half_turn @ first, self.matrix @ half_turn @ second


def _pole(z: ca.SX) -> ca.SX:
    """Return -1 where a normal starts nearly opposite to the z axis, ``z`` being along it, or 1."""
    if z.is_constant():
        return ca.SX(-1 if float(z) < -CEILING else 1)
    return ca.if_else(z < -CEILING, -1, 1)
