"""Base of rigid bodies of any shape that roll on a surface.

A convex body touches where its outward normal is opposite to that of the surface. So the arm from
its centre to the contact point is a function of that normal and of its orientation, and the
position of the centre is explicit: there is no condition of tangency to solve.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import casadi as ca
import numpy as np

from mbcore.elements.wheels.ground import patch
from mbcore.elements.wheels.surface import Frame, Surface, followed_limit, horizontal_plane
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.nodes.connection import Connection, joined
from mbcore.model.nodes.node_checks import points, rotations
from mbcore.model.nodes.nodes import Node, Point, Rotation, at_start
from mbcore.model.quantities import Role
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.shapes import COLOURS, arrow, dot
from mbcore.model.statements import Limit, Placement, SlipRate, Strain, length
from mbcore.model.tables import derivatives


class RollingBody(Element):
    """Base of rolling bodies: a subclass states its arm and the directions of its slips.

    Deformations, all rigid: ``surface``, the contact point is on the surface; ``normal``, the
    distance of the body from the surface, m; two of the contact point along the slips'
    directions, m, whose stresses vanish. A released ``normal`` with a law makes a compliant
    contact. Slips of the body relative to the surface, m/s: two along the surface, zero unless
    released, and ``spin`` about the normal, rad/s, free unless forbidden.

    Parameters
    ----------
    centre, contact : Point
        Point of the body from which its shape is described, and contact point, a geometric point
        that travels.
    rotation : Rotation
        Orientation of the body.
    surface : callable
        g(c), an expression of the contact point, zero on the surface; its gradient is the normal,
        which points to the body's side. The plane z = 0 by default.
    frame : pair of Point and Rotation, optional
        Origin and axes of a moving surface; by default the surface is at rest.

    Raises
    ------
    ModelError
        If a node is planar, surface or frame do not fit, or the surface is more curved than the
        body at the first contact point.
    """

    kind = "rolling body"
    directions: ClassVar[tuple[str, str]] = ("rolling_x", "rolling_y")
    """Names of the slips along the surface."""

    def __init__(
        self,
        name: str,
        centre: Point,
        rotation: Rotation,
        contact: Point,
        *,
        surface: Callable[[ca.SX], ca.SX] = horizontal_plane,
        frame: Frame | None = None,
    ) -> None:
        super().__init__(name)
        points(self.title, False, centre=centre, contact=contact)
        rotations(self.title, rotation=rotation)
        if centre is contact:
            raise ModelError(
                f"{self.title}: centre and contact are both {centre.name}; give two points"
            )
        self.centre, self.rotation, self.contact = centre, rotation, contact
        self.surface_at = Surface(self.title, contact, surface, frame)
        self.frame: Frame | None = None if frame is None else (frame[0], frame[1])

    def arm(self, outward: ca.SX) -> ca.SX:
        """Return the contact point relative to the centre, (3, 1), m; ``outward`` is its normal."""
        raise NotImplementedError

    def tangents(self) -> tuple[ca.SX, ca.SX]:
        """Return the unit directions of the slips along the surface."""
        return self.surface_at.tangents()

    @property
    def _touching(self) -> list[Node]:
        """Nodes on which the contact point depends."""
        return [self.rotation, self.contact, *(self.frame or ())]

    def refuse_start(self) -> None:
        """Refuse a start that violates a limit; call it at the end of a subclass' initialization.

        Raises
        ------
        ModelError
            With the limit's message.
        """
        slope = at_start(self.surface_at.slope, *self._touching)
        self.check(slope, self.surface_at.refuse_no_normal)
        for limit in self.limits().values():
            # The default binds the message of this round, not of the last one.
            def refuse(value: np.ndarray, message: str = limit.message) -> None:
                if not float(value.ravel()[0]) > 0:
                    raise ModelError(f"{self.title}: at the start, {message}")

            self.check(at_start(limit.condition, *self._touching), refuse)

    def limits(self) -> dict[str, Limit]:
        """Return the limits: it fits the surface and, with a released normal, is above it."""
        normal = self.deformations.get("normal")
        if normal is None or normal.role is Role.RIGID:
            return self._fits()
        through = (
            "the surface has gone through the middle of the body; give the normal deformation a "
            "law that is stiff enough, or start the body on the side to which the surface's normal "
            "points"
        )
        outward = self.surface_at.normal
        half = ca.dot(outward, self.arm(outward) - self.arm(-outward)) / 2
        return {"side": followed_limit(half + normal.expression, half, through), **self._fits()}

    def _fits(self) -> dict[str, Limit]:
        """Return the limit that the body is more curved than the surface at the contact point."""
        first, second = self.tangents()
        touching = self.contact.position - self.arm(-self.surface_at.normal)
        columns = [derivatives.jtimes(touching, self.contact.position, t) for t in (first, second)]
        inner = [[ca.dot(t, column) for column in columns] for t in (first, second)]
        determinant = inner[0][0] * inner[1][1] - inner[0][1] * inner[1][0]
        if determinant.is_constant():  # a plane, to which every convex body fits
            return {}
        # Positive definite, with two rows: determinant and trace are positive.
        least = ca.fmin(determinant, inner[0][0] + inner[1][1])
        message = (
            "the surface is more curved than the body where it touches, so that the body would "
            "touch elsewhere, too; take a smaller body or a flatter surface"
        )
        return {"fits": Limit(least, message)}

    def strains(self) -> dict[str, Strain]:
        """Return the gap of the contact point, and the displacement of the body from it."""
        normal = self.surface_at.normal
        apart = self.centre.position - self.contact.position + self.arm(-normal)
        found = {"surface": Strain(self.surface_at.gap), "normal": Strain(ca.dot(normal, apart))}
        for name, tangent in zip(self.directions, self.tangents(), strict=True):
            found[f"contact_{name}"] = Strain(ca.dot(tangent, apart))
        return found

    def placements(self) -> list[Placement]:
        """Return the place of the centre, given the contact point and the orientations."""
        names = ("normal", *(f"contact_{name}" for name in self.directions))
        axes = (self.surface_at.normal, *self.tangents())
        place = self.contact.position - self.arm(-self.surface_at.normal)
        for name, axis in zip(names, axes, strict=True):
            place += axis * self.deformations[name].value
        others = (self.contact, self.rotation, *(self.frame or ()))
        return [Placement(self.centre, others, place, names)]

    def connection(self) -> Connection:
        """Return the surface's frame, if any, and the body; the force acts where they touch."""
        return joined(
            self.title, self, self.frame or (), (self.centre, self.rotation), self.contact
        )

    def slip_rates(self) -> dict[str, SlipRate]:
        """Return the velocity of the body's material point relative to the surface's."""
        on, turning = self.surface_at, self.rotation.angular_velocity
        lever = self.contact.position - self.centre.position
        slip = self.centre.velocity + ca.cross(turning, lever) - on.velocity
        found = {
            name: SlipRate(ca.dot(tangent, slip))
            for name, tangent in zip(self.directions, self.tangents(), strict=True)
        }
        pivoting = ca.dot(on.normal, turning - on.spin)
        return found | {"spin": SlipRate(pivoting, "rad/s", zero=False)}

    def shapes(self) -> list[Shape]:
        """Return the body, the surface about its contact, and the contact's path and force."""
        on = self.surface_at
        force = self.normal_force * on.normal
        for part, tangent in zip(
            ca.vertsplit(self.tangential_forces), self.tangents(), strict=True
        ):
            force += part * tangent
        reach = 1.5 * length(self.contact.position - self.centre.position)
        return [
            *self.form(),
            patch(on.function, self.contact, reach, self.frame),
            dot(self.contact, colour=COLOURS["contact"], trail=True),
            arrow(self.contact, force),
        ]

    def form(self) -> list[Shape]:
        """Return the shape of the body itself."""
        raise NotImplementedError

    @property
    def normal_force(self) -> ca.SX:
        """Force of the surface on the body along the normal, N."""
        return -self.deformations["normal"].stress

    @property
    def tangential_forces(self) -> ca.SX:
        """Forces of the surface on the body along the slips' directions, shape (2, 1), N."""
        return -ca.vertcat(*(self.slips[name].force for name in self.directions))

    @property
    def spin_moment(self) -> ca.SX:
        """Moment of the surface on the body about the normal, N.m."""
        return -self.slips["spin"].force
