"""A wheel of finite thickness: a torus, whose tread is crowned, on any smooth surface."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np

from mbcore.elements.wheels.rolling_body import RollingBody
from mbcore.elements.wheels.surface import Frame, horizontal_plane
from mbcore.model.checks import direction
from mbcore.model.element import Limit, length
from mbcore.model.errors import ModelError
from mbcore.model.nodes.nodes import Point, Rotation
from mbcore.model.nodes.rotations import triad
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.shapes import COLOURS, disc, tube
from mbcore.model.variables import Number

FLAT = 1e-3
"""Angle between axle and normal up to which a wheel lies flat, rad."""


DRAWN = 24
"""Number of points around it in pictures."""


class ThickWheel(RollingBody):
    r"""A wheel whose tread is crowned: a torus that rolls on a smooth surface g(c) = 0.

    The thin wheel of [Schwab2002] 3.6 rounded with the crown radius ρ: the points at the distance
    ρ from a ring of radius r - ρ about the axle e. It touches where its normal is that of the
    surface, so with the surface's unit normal n and its part n_⊥ = n - (n·e) e in the wheel's
    plane, the contact point is

        c = w - ρ n - (r - ρ) n_⊥/|n_⊥|.

    ρ = 0 is the thin wheel, ρ = r a ball. Deformations and slips are those of `RollingBody`; the
    slips are ``longitudinal`` along e × n and ``lateral`` along n × (e × n), and their forces are
    those along these directions, N.

    Parameters
    ----------
    centre, rotation, contact, surface, frame
        See `RollingBody`; the centre is that of the wheel.
    radius : number or expression
        Rolling radius r of the upright wheel, m.
    crown_radius : number or expression
        Radius ρ of the tread's cross-section, 0 ≤ ρ ≤ r, m.
    axle : sequence of three
        Axle in the rotation's frame.

    Raises
    ------
    ModelError
        If a radius is out of range, the axle has no direction, the wheel starts flat on the
        surface, or as for `RollingBody`.
    """

    kind = "thick wheel"
    directions = ("longitudinal", "lateral")

    def __init__(
        self,
        name: str,
        centre: Point,
        rotation: Rotation,
        contact: Point,
        *,
        radius: Number,
        crown_radius: Number,
        axle: Sequence[float] = (0, 1, 0),
        surface: Callable[[ca.SX], ca.SX] = horizontal_plane,
        frame: Frame | None = None,
    ) -> None:
        super().__init__(name, centre, rotation, contact, surface=surface, frame=frame)
        self.radius = ca.SX(self.number("radius", radius, above=0, unit="m"))
        self.crown_radius = ca.SX(self.number("crown_radius", crown_radius, least=0, unit="m"))
        self.check(self.radius - self.crown_radius, self._refuse_crown)
        ring = self.radius - self.crown_radius
        self.keep(ring, "radius less crown_radius", least=0, unit="m")
        self.axis = direction(self.title, "axle", axle, "(0, 1, 0)").tolist()
        self.axle = rotation.turned(ca.DM(self.axis))
        self.refuse_start()

    def _refuse_crown(self, ring: np.ndarray) -> None:
        if not float(ring.ravel()[0]) >= 0:
            raise ModelError(
                f"{self.title}: crown_radius is greater than the radius by "
                f"{-float(ring.ravel()[0]):.9g} m; a wheel is at most a ball, so give at most the "
                "radius"
            )

    def limits(self) -> dict[str, Limit]:
        """Return the limits: it does not lie flat, and it fits the surface."""
        ring = self.radius - self.crown_radius
        if ring.is_constant() and float(ring) == 0:
            return super().limits()
        sine = length(ca.cross(self.axle, self.surface_at.normal))
        message = (
            "it lies flat, its axle is along the surface's normal, so that it touches along a "
            "circle; start it upright or leaning, or let it fall by unilateral contacts of points "
            "on its rim"
        )
        return {"flat": Limit(sine - FLAT, message, followed=sine - FLAT), **super().limits()}

    def form(self) -> list[Shape]:
        """Return the torus, and a disc within."""
        ring = self.radius - self.crown_radius
        frame = self.rotation.matrix @ ca.DM(np.roll(triad(self.axis), -1, axis=1))
        turns = np.linspace(0, 2 * np.pi, DRAWN, endpoint=False)
        around = [ca.DM([np.cos(turn), np.sin(turn), 0]) for turn in turns]
        places = [self.centre.position + ring * (frame @ place) for place in around]
        return [
            tube(places, self.crown_radius, closed=True, colour=COLOURS["wheel"]),
            disc(self.centre, frame, ring),
        ]

    def arm(self, outward: ca.SX) -> ca.SX:
        """Return the point of the torus with an outward normal."""
        ring = self.radius - self.crown_radius
        if ring.is_constant() and float(ring) == 0:
            return self.crown_radius * outward
        in_plane = outward - ca.dot(outward, self.axle) * self.axle
        return self.crown_radius * outward + ring * in_plane / length(in_plane)

    def tangents(self) -> tuple[ca.SX, ca.SX]:
        """Return the longitudinal and the lateral direction."""
        normal = self.surface_at.normal
        along = ca.cross(self.axle, normal)
        along /= length(along)
        return along, ca.cross(normal, along)

    @property
    def longitudinal_force(self) -> ca.SX:
        """Force of the surface on the wheel along e × n, N."""
        return self.tangential_forces[0]

    @property
    def lateral_force(self) -> ca.SX:
        """Force of the surface on the wheel along n × (e × n), N."""
        return self.tangential_forces[1]
