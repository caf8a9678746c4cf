"""The rigid link: a point at a fixed place of a body."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from mbcore.elements.base import Element, Strain
from mbcore.errors import ModelError
from mbcore.nodes import Angle, Point, Rotation
from mbcore.variables import Number


class RigidLink(Element):
    """A point q that moves with the body of point p and an orientation.

    Deformations ``x``, ``y`` and, in space, ``z`` (m): where q is on the body's axes, beyond its
    place. All are rigid unless they are released or have another role. Their stresses are the
    components of the force with which q pulls at the body, on the body's axes.

    Parameters
    ----------
    p : Point
        The body's reference point.
    orientation : Angle or Rotation
        The body's orientation.
    q : Point
        The point that moves with it.
    offset : sequence of two or three
        Place of q relative to p on the body's axes, m, numbers or expressions.

    Raises
    ------
    ModelError
        If points, orientation and offset are not of the same space.
    """

    def __init__(
        self,
        name: str,
        p: Point,
        orientation: Angle | Rotation,
        q: Point,
        *,
        offset: Sequence[Number],
    ) -> None:
        super().__init__(name)
        planar = isinstance(orientation, Angle)
        for point in (p, q):
            if point.planar != planar:
                raise ModelError(
                    f"rigid link {name}: {point.name} and {orientation.name} are not of the same "
                    "space; give points of two coordinates with an angle, of three with a rotation"
                )
        if len(offset) != p.position.numel():
            raise ModelError(
                f"rigid link {name}: the offset has {len(offset)} components, the points have "
                f"{p.position.numel()}; give one for each"
            )
        self.p, self.orientation, self.q = p, orientation, q
        self.offset = ca.vertcat(*offset)

    def strains(self) -> dict[str, Strain]:
        """Return the components of Rᵀ (q - p) - offset."""
        r = self.orientation.matrix.T @ (self.q.position - self.p.position) - self.offset
        return dict(zip("xyz", map(Strain, ca.vertsplit(r)), strict=False))
