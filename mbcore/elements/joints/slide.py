"""The slide: a point that moves along a line of a body, in the plane and in space."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from mbcore.elements.bodies.rigid_link import link_offset
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.nodes import rotations
from mbcore.model.nodes.connection import Connection, joined
from mbcore.model.nodes.nodes import Angle, Point, Rotation
from mbcore.model.shapes.shape import THICKNESS, Shape
from mbcore.model.shapes.shapes import COLOURS, box, tube
from mbcore.model.statements import Placement, Strain
from mbcore.model.variables import Number


class Slide(Element):
    """A point that slides along a straight line of a body.

    The body is given by its reference point p and its orientation R; its line has the direction of
    the axis and passes through the offset. Deformations of Rᵀ (q - p) - offset on the line's own
    axes, m: ``displacement`` along the line, dependent unless it is given a role, and
    ``sideways_y`` and, in space, ``sideways_z``, rigid. The stresses are the components of the
    force with which the point pulls at the body.

        ε = Eᵀ (Rᵀ (x_q - x_p) - a)

    Parameters
    ----------
    p : Point
        Reference point of the body.
    orientation : Angle or Rotation
        Orientation of the body: an angle in the plane, a rotation in space.
    q : Point
        The point that slides.
    axis : sequence of two or three
        Direction of the line on the body's axes; its length does not matter.
    offset : sequence of two or three, optional
        Position of q relative to p, on the body's axes, at zero displacement, m: numbers, or
        expressions of parameters; by default that of the start configuration.

    Raises
    ------
    ModelError
        If planar and spatial nodes are mixed, p and q are the same point, the axis has the wrong
        length or no direction, or the offset has the wrong length or is not finite.
    """

    kind = "slide"

    def __init__(
        self,
        name: str,
        p: Point,
        orientation: Angle | Rotation,
        q: Point,
        *,
        axis: Sequence[float],
        offset: Sequence[Number] | ca.SX | None = None,
    ) -> None:
        super().__init__(name)
        self.p, self.orientation, self.q = p, orientation, q
        self.offset = link_offset(self.title, p, orientation, q, offset)
        self.frame = ca.DM(self._checked_frame(axis))

    def _checked_frame(self, axis: Sequence[float]) -> np.ndarray:
        """Columns: the line's direction and those across, on the body's axes."""
        n = self.p.position.numel()
        try:
            direction = np.asarray(axis, float)
        except (TypeError, ValueError):  # a text, or no numbers
            direction = np.zeros(0)
        if direction.shape != (n,) or not np.isfinite(direction).all() or not direction.any():
            raise ModelError(
                f"slide {self.name}: its axis is {axis}; give {n} finite numbers on the body's "
                "axes, not all of them zero"
            )
        if n == 3:
            return rotations.triad(direction.tolist())
        x, y = direction / np.linalg.norm(direction)
        return np.array([[x, -y], [y, x]])

    def strains(self) -> dict[str, Strain]:
        """Return Rᵀ (q - p) - offset on the axes of the line."""
        place = self.orientation.matrix.T @ (self.q.position - self.p.position)
        parts = ca.vertsplit(self.frame.T @ (place - self.offset))
        names = ("displacement", "sideways_y", "sideways_z")
        return {
            name: Strain(part, rigid=name != "displacement")
            for name, part in zip(names, parts, strict=False)
        }

    def connection(self) -> Connection:
        """Return the body with the line, and the point that slides, where the force acts."""
        return joined(self.title, self, (self.p, self.orientation), (self.q,), self.q)

    def shapes(self) -> list[Shape]:
        """Return the line as a rail, as far as it is used, and a block that slides on it."""
        axes = self.orientation.matrix @ self.frame
        base = self.p.position + self.orientation.matrix @ ca.SX(self.offset)
        moved = ca.dot(axes[:, 0], self.q.position - base)
        ends = (ca.fmin(moved, 0) - 8 * THICKNESS, ca.fmax(moved, 0) + 8 * THICKNESS)
        rail = [base + axes[:, 0] * end for end in ends]
        return [
            tube(rail, 0.5 * THICKNESS, colour=COLOURS["bar"]),
            box(self.q, axes, [6 * THICKNESS, 4 * THICKNESS, 4 * THICKNESS]),
        ]

    def placements(self) -> list[Placement]:
        """Return each point by the other one and the orientation."""
        names = tuple(self.deformations)
        arm = self._turned(self.offset)
        for i, name in enumerate(names):
            arm += self._turned(self.frame[:, i]) * self.deformations[name].value
        return [
            Placement(self.q, (self.p, self.orientation), self.p.position + arm, names),
            Placement(self.p, (self.q, self.orientation), self.q.position - arm, names),
        ]

    def _turned(self, vector: ca.SX | ca.DM) -> ca.SX:
        """A vector on the body's axes, on those of space."""
        if isinstance(self.orientation, Rotation):
            return self.orientation.turned(vector)
        return self.orientation.matrix @ ca.SX(vector)
