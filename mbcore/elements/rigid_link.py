"""Points that move with an orientation."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from mbcore.model.element import Element, Strain
from mbcore.model.nodes import Angle, Point, Rotation
from mbcore.model.variables import Number


class RigidLink(Element):
    """A point q that is fixed to the body of a point p and an orientation.

    Deformations ``x``, ``y`` and in space ``z`` (m): displacement of q from its place in the
    body, on the body's axes; rigid unless released.

    Parameters
    ----------
    p, q : Point
        The body's point and the one that is carried.
    orientation : Angle or Rotation
        Orientation of the body.
    offset : sequence of two or three
        Place of q relative to p on the body's axes, m.
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
        self.p, self.orientation, self.q = p, orientation, q
        self.offset = ca.vertcat(*offset)

    def strains(self) -> dict[str, Strain]:
        """Return Rᵀ(q - p) - offset by its components."""
        local = self.orientation.matrix.T @ (self.q.position - self.p.position) - self.offset
        return {axis: Strain(local[i]) for i, axis in enumerate("xyz"[: local.numel()])}
