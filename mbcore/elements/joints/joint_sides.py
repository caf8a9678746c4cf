"""The two bodies of a joint: checks, start configuration, and the point that ties them.

Joints are described in the start configuration, so everything here refers to it.

Used by `mbcore.elements.joints.joints` alone; it stands apart because it is the part that all kinds
of joints share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import casadi as ca
import numpy as np

from mbcore.elements.bodies.body import Body
from mbcore.elements.bodies.rigid_link import RigidLink, checked_offset, start_matrix
from mbcore.model.checks import text
from mbcore.model.errors import ModelError
from mbcore.model.nodes import rotations
from mbcore.model.nodes.nodes import Angle, Point, Rotation
from mbcore.model.system import System, is_system
from mbcore.model.variables import Number

Place: TypeAlias = Sequence[Number] | tuple[Sequence[Number], Sequence[Number]] | ca.SX
"""A place of the start configuration, or one on each body."""

PLANAR_GROUND = "planar ground"
"""Name of the fixed angle that is the ground of joints in the plane."""
NEGLIGIBLE = 1e-15
"""Rounding error in components of directions and Euler parameters."""


@dataclass(frozen=True)
class Side:
    """One side of a joint; the ground has no point of its own."""

    name: str
    point: Point | None
    orientation: Angle | Rotation

    @property
    def own(self) -> dict[str, Angle | Rotation]:
        """Its orientation by the name of its own point."""
        return {} if self.point is None else {self.point.name: self.orientation}


class Pair:
    """Both sides of a joint, checked.

    Parameters
    ----------
    kind, name : str
        Kind of the joint, for messages, and its name.
    p, q : Body or System
        The bodies; the model means its ground.

    Raises
    ------
    ModelError
        If a side is not a body of a model with point and orientation, or both do not fit together.
    """

    def __init__(self, kind: str, name: str, p: Body | System, q: Body | System) -> None:
        self.kind, self.name, self.title = kind, text(kind, name), f"{kind} {name}"
        bodies = [self._checked(side) for side in (p, q) if not is_system(side)]
        if not bodies:
            raise ModelError(f"{self.title}: both sides are the ground; give a body")
        owner = bodies[0].model
        assert is_system(owner)
        self.model = owner
        if any(side not in (owner, *owner.elements.values()) for side in (p, q)):
            raise ModelError(f"{self.title}: its bodies are of different models")
        if p is q:
            raise ModelError(f"{self.title}: p and q are both body {p.name}; give two bodies")
        self.planar = isinstance(bodies[0].orientation, Angle)
        if isinstance(bodies[-1].orientation, Angle) != self.planar:
            raise ModelError(
                f"{self.title}: of the bodies {', '.join(b.name for b in bodies)} one is planar "
                "and one spatial; give two of the same space"
            )
        self.p, self.q = self._side(p), self._side(q)

    def _checked(self, body: object) -> Body:
        if not isinstance(body, Body):
            raise ModelError(
                f"{self.title}: joins bodies, got {body!r}; give a Body, or the model for its "
                "ground"
            )
        if body.model is None:
            raise ModelError(f"{self.title}: body {body.name} is in no model; call Model.add first")
        if body.reference is None or body.orientation is None:
            missing = "point" if body.reference is None else "orientation"
            raise ModelError(
                f"{self.title}: body {body.name} has no {missing}; "
                f"give the body {'an' if missing == 'orientation' else 'a'} {missing}"
            )
        return body

    def _side(self, of: Body | System) -> Side:
        if is_system(of):
            ground = planar_ground(of) if self.planar else of.ground
            return Side("the ground", None, ground)
        assert isinstance(of, Body) and of.orientation is not None
        return Side(f"body {of.name}", of.reference, of.orientation)

    def renamed(self, addition: str) -> Pair:
        """Return the same pair with a longer name, for the next element."""
        other = object.__new__(Pair)
        other.__dict__.update(self.__dict__)
        other.name = f"{self.name}.{addition}"
        return other

    # Directions

    def axis(self, axis: Sequence[float] | None, local: bool) -> tuple[float, ...]:
        """Return the axis of a hinge in the frame of p; any in the plane."""
        if self.planar:
            if axis is not None:
                raise ModelError(
                    f"{self.title}: its axis is {axis}, but bodies in the plane turn about the "
                    "plane's normal; leave the axis out"
                )
            return (0.0, 0.0, 1.0)
        if axis is None:
            raise ModelError(f"{self.title}: it has no axis; give its direction, three numbers")
        return self._numbers(axis) if local else self.direction(axis)

    def direction(self, axis: Sequence[float], what: str = "axis") -> tuple[float, ...]:
        """Return a direction of the start configuration in the frame of p."""
        given = np.array(self._numbers(axis, what))
        matrix = start_matrix(self.p.orientation)
        if not matrix.is_constant():
            raise ModelError(
                f"{self.title}: the start orientation of {self.p.name} depends on parameters, so "
                f"its {what} has no fixed direction there; start it with numbers"
            )
        turned = np.array(ca.DM(matrix).full()).T @ given
        turned[np.abs(turned) < NEGLIGIBLE * np.abs(turned).max()] = 0.0
        return tuple(float(c) for c in turned)

    def _numbers(self, axis: object, what: str = "axis") -> tuple[float, ...]:
        n = 2 if self.planar else 3
        try:
            given = np.array(axis, float)
        except (TypeError, ValueError):  # no numbers
            given = np.full(0, np.nan)
        if given.shape != (n,) or not np.isfinite(given).all() or not given.any():
            raise ModelError(
                f"{self.title}: its {what} is {axis}; give {n} finite numbers, not all of them zero"
            )
        return tuple(float(c) for c in given)

    # Places

    def local(self, at: Place) -> bool:
        """Return whether ``at`` is a pair of places, one on each body."""
        if not isinstance(at, list | tuple):
            return False
        return any(
            isinstance(c, list | tuple)
            or (isinstance(c, ca.SX | ca.DM | np.ndarray) and max(c.shape, default=1) > 1)
            for c in at
        )

    def default_place(self) -> ca.SX:
        """Return the start of q's own point, or of p's where q is the ground."""
        point = self.p.point if self.q.point is None else self.q.point
        assert point is not None
        return point.start

    def points_apart(self) -> tuple[Point, Point]:
        """Return the points of both sides; the ground gets one at the start of the other side's.

        Raises
        ------
        ModelError
            If both bodies share one point.
        """
        if self.p.point is not None and self.p.point is self.q.point:
            raise ModelError(
                f"{self.title}: both bodies share the point {self.p.point.name}, so nothing could "
                "slide; give each a point of its own"
            )
        p, q = (side.point or self._grounded(self.default_place()) for side in (self.p, self.q))
        return p, q

    def _grounded(self, place: ca.SX) -> Point:
        return self.model.nodes.point(self.name, ca.vertsplit(place), fixed=True)

    def tie(self, offsets: Sequence[ca.SX]) -> Point:
        """Tie a point of q to one of p by rigid links, and return the joint's point.

        If the joint is at a body's own point, that is the joint's point, and no node is added.

        Parameters
        ----------
        offsets : pair of SX
            Result of `offsets`.
        """
        p, q = self.p.point, self.q.point
        of_p, of_q = offsets
        if p is None:
            p, of_p = self._grounded(of_p), 0 * of_p
        if q is None:
            q, of_q = self._grounded(of_q), 0 * of_q
        if p is q:
            return p
        if _nothing(of_q):
            self._link("p", p, self.p.orientation, q, of_p).pulls_on = self.q.own
            return q
        if _nothing(of_p):
            self._link("q", q, self.q.orientation, p, of_q).pulls_on = self.p.own
            return p
        start = p.start + start_matrix(self.p.orientation) @ of_p
        joint = self.model.nodes.point(self.name, ca.vertsplit(start))
        self._link("p", p, self.p.orientation, joint, of_p)
        self._link("q", q, self.q.orientation, joint, of_q)
        return joint

    def _link(
        self, side: str, point: Point, orientation: Angle | Rotation, to: Point, offset: ca.SX
    ) -> RigidLink:
        name = f"{self.name}.{side}"
        return self.model.add(RigidLink(name, point, orientation, to, offset=offset))

    def offsets(self, at: Any) -> list[ca.SX]:
        """Return the joint's position from each body's point, on its axes; inertial for the ground.

        Raises
        ------
        ModelError
            If a place does not fit, or both bodies share a point that is elsewhere.
        """
        given = at if self.local(at) else (at, at)
        if len(given) != 2:
            raise ModelError(f"{self.title}: at holds {len(given)} places; give one for each body")
        found = []
        for side, place in zip((self.p, self.q), given, strict=True):
            column = checked_offset(f"{self.title} on {side.name}", place, side.orientation)
            if side.point is not None and not self.local(at):
                column = start_matrix(side.orientation).T @ (column - side.point.start)
            found.append(ca.densify(column))
        point = self.p.point
        if point is not None and point is self.q.point and not all(map(_nothing, found)):
            raise ModelError(
                f"{self.title}: both bodies share the point {point.name}, but the joint is "
                "elsewhere; place it there, or give each body a point of its own"
            )
        return found


def _nothing(offset: ca.SX) -> bool:
    return bool(offset.is_constant() and offset.is_zero())


def planar_ground(model: System) -> Angle:
    """Return the fixed angle of zero that is the ground in the plane; it is made once."""
    node = model.nodes.get(PLANAR_GROUND)
    return node if isinstance(node, Angle) else model.nodes.angle(PLANAR_GROUND, fixed=True)


def relative_start(p: Rotation, q: Rotation) -> ca.SX:
    """Return the Euler parameters of q relative to p at the start, of length one, shape (4, 1)."""
    relative = rotations.product(rotations.adjoint(p.start), q.start)
    relative /= ca.norm_2(relative)
    if not relative.is_constant():
        return relative
    numbers = np.array(ca.DM(relative).full())
    numbers[np.abs(numbers) < NEGLIGIBLE] = 0.0
    return ca.SX(ca.DM(numbers))
