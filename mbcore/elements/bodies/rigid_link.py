"""The rigid link: a point that moves with a body, in the plane and in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca

from mbcore.model import checks
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.nodes.connection import Connection, joined
from mbcore.model.nodes.node_checks import node
from mbcore.model.nodes.nodes import Angle, Point, Rotation, at_start
from mbcore.model.quantities import Role
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.shapes import COLOURS, tube
from mbcore.model.statements import Placement, Strain
from mbcore.model.variables import Number


class RigidLink(Element):
    """A point that is fixed to a body, at an offset on the body's axes.

    The body is given by its reference point p and its orientation R. Deformations ``x``, ``y`` and,
    in space, ``z`` are the components of Rᵀ (q - p) - offset on the body's axes, m. All are rigid
    by default: a prescribed one moves the point along its axis, one that is a degree of freedom
    makes a prismatic joint, a released one may carry a spring. The stresses are the
    components, on the same axes, of the force with which the point pulls at the body; the body
    pulls at the point with the opposite force.

        ε = Rᵀ (x_q - x_p) - a

    Parameters
    ----------
    p : Point
        Reference point of the body.
    orientation : Angle or Rotation
        Orientation of the body: an angle in the plane, a rotation in space.
    q : Point
        The point that is fixed to the body; several links may start at the same p.
    offset : sequence of two or three, optional
        Position of q relative to p on the body's axes, m: numbers, or expressions of parameters;
        by default that of the start configuration.

    Raises
    ------
    ModelError
        If planar and spatial nodes are mixed, p and q are the same point, or the offset has the
        wrong length or is not finite.
    """

    kind = "rigid link"

    def __init__(
        self,
        name: str,
        p: Point,
        orientation: Angle | Rotation,
        q: Point,
        *,
        offset: Sequence[Number] | ca.SX | None = None,
    ) -> None:
        super().__init__(name)
        self.p, self.orientation, self.q = p, orientation, q
        self.offset = link_offset(self.title, p, orientation, q, offset)

    def strains(self) -> dict[str, Strain]:
        """Return Rᵀ (q - p) - offset by the names of the axes."""
        place = self.orientation.matrix.T @ (self.q.position - self.p.position)
        strains = ca.vertsplit(place - self.offset)
        return {axis: Strain(strain) for axis, strain in zip("xyz", strains, strict=False)}

    def shapes(self) -> list[Shape]:
        """Return a bar between the points, unless they coincide."""
        if self.offset.is_constant() and self.offset.is_zero():
            return []
        return [tube([self.p, self.q], colour=COLOURS["link"])]

    def connection(self) -> Connection:
        """Return the body, and the point that moves with it, where the force acts."""
        return joined(self.title, self, (self.p, self.orientation), (self.q,), self.q)

    def ends(self) -> list[tuple[Point, Angle | Rotation | None]]:
        """Return both points, which turn with the body unless the link is compliant."""
        rigid = all(q.role is Role.RIGID for q in self.deformations.values())
        return [(self.p, self.orientation), *([(self.q, self.orientation)] if rigid else [])]

    def placements(self) -> list[Placement]:
        """Return each point by the other one and the orientation."""
        names = tuple(self.deformations)
        moved = ca.vertcat(*(self.deformations[name].value for name in names))
        if isinstance(self.orientation, Rotation):
            # The symbol of the turned offset keeps its rate ω × e short; rigid strains vanish.
            arm = self.orientation.turned(self.offset) + self.orientation.matrix @ moved
        else:
            arm = self.orientation.matrix @ (self.offset + moved)
        # Both ways: which point is known first depends on the mechanism, not on the link.
        return [
            Placement(self.q, (self.p, self.orientation), self.p.position + arm, names),
            Placement(self.p, (self.q, self.orientation), self.q.position - arm, names),
        ]


def start_matrix(orientation: Angle | Rotation) -> ca.SX:
    """Return the rotation matrix at the start, for Euler parameters of any norm."""
    matrix = at_start(orientation.matrix, orientation)
    if isinstance(orientation, Rotation):
        matrix /= ca.dot(orientation.start, orientation.start)
    return matrix


def link_offset(
    owner: str,
    p: Point,
    orientation: Angle | Rotation,
    q: Point,
    offset: Sequence[Number] | ca.SX | None,
) -> ca.SX:
    """Return the offset of a point of a body on the body's axes, m, by default that at the start.

    Raises
    ------
    ModelError
        If a node is of another kind or space, both points are one, or the offset does not fit; the
        message begins with ``owner``.
    """
    node(owner, "p", p, Point)
    node(owner, "orientation", orientation, Angle, Rotation)
    node(owner, "q", q, Point)
    planar = [p.planar, isinstance(orientation, Angle), q.planar]
    if len(set(planar)) > 1:
        spaces = ", ".join(
            f"{given.name} is {'planar' if flat else 'spatial'}"
            for given, flat in zip((p, orientation, q), planar, strict=True)
        )
        raise ModelError(
            f"{owner}: {spaces}; give two points of two coordinates and an angle, or two points of "
            "three coordinates and a rotation"
        )
    if p is q:
        raise ModelError(f"{owner}: p and q are both {p.name}; give two points")
    if offset is None:
        offset = start_matrix(orientation).T @ at_start(q.position - p.position, p, q)
    return checked_offset(owner, offset, orientation)


def checked_offset(
    owner: str, offset: Sequence[Number] | ca.SX, orientation: Angle | Rotation
) -> ca.SX:
    """Return an offset on the axes of a body as a column, m.

    Raises
    ------
    ModelError
        If it is not one number or expression for each axis, or a number is not finite; the message
        begins with ``owner``.
    """
    axes = 2 if isinstance(orientation, Angle) else 3
    try:
        given = offset if isinstance(offset, str) else checks.in_unit(owner, "offset", offset, "m")
        parts: Any = ca.vertsplit(given) if isinstance(given, ca.SX | ca.DM) else given
        column = ca.densify(ca.vertcat(*(ca.SX(part) for part in parts)))
    except (TypeError, NotImplementedError):  # not a sequence, or not one of numbers
        column = ca.SX(0, 1)
    if column.shape != (axes, 1):
        where = "in the plane" if axes == 2 else "in space"
        raise ModelError(
            f"{owner}: its offset is {offset}; give {axes} numbers or expressions, m, one for each "
            f"axis of a body {where}"
        )
    for axis, part in zip("xyz", ca.vertsplit(column), strict=False):
        if part.is_constant() and not part.is_regular():
            raise ModelError(
                f"{owner}: its offset along {axis} is {float(part)}; give a finite number, m"
            )
    return column
