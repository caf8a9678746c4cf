"""A wheel of finite thickness: a torus, whose tread is crowned, on any smooth surface."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np

from mbcore.elements.wheels.rolling_body import RollingBody
from mbcore.elements.wheels.surface import Frame, horizontal_plane
from mbcore.model.checks import direction
from mbcore.model.errors import ModelError
from mbcore.model.nodes.nodes import Point, Rotation
from mbcore.model.nodes.rotations import triad
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.shapes import COLOURS, disc, tube
from mbcore.model.statements import Limit, length
from mbcore.model.variables import Number

FLAT = 1e-3
"""Angle between axle and normal up to which a wheel lies flat, rad."""
TIP = 1e-9
"""Crown radius, in parts of the radius, of a tread without an arc."""

DRAWN = 24
"""Number of points around it in pictures."""


class ThickWheel(RollingBody):
    r"""A wheel whose tread is crowned: a torus that rolls on a smooth surface g(c) = 0.

    The thin wheel of [Schwab2002] 3.6 rounded with the crown radius ρ: the points at the distance
    ρ from a ring of radius r - ρ about the axle e. It touches where its normal is that of the
    surface, so with the surface's unit normal n and its part n_⊥ = n - (n·e) e in the wheel's
    plane, the contact point is

        c = w - ρ n - (r - ρ cos γ) n_⊥/|n_⊥| - ρ sin γ e.

    With the cone angle γ its tread is locally a cone of that angle: the normal of its middle, at
    the radius r in the wheel's plane, is turned by γ towards the axle.

    ρ = 0 is the thin wheel, ρ = r a ball, ρ > r a barrel, whose tread is flatter than a ball; it
    ends in tips on the axle, on which it cannot roll. Deformations and slips are those of
    `RollingBody`; the slips are ``longitudinal`` along e × n and ``lateral`` along n × (e × n), and
    their forces are those along these directions, N.

    Parameters
    ----------
    centre, rotation, contact, surface, frame
        See `RollingBody`; the centre is that of the wheel.
    radius : number or expression
        Rolling radius r of the upright wheel, m.
    crown_radius : number or expression
        Radius ρ of the tread's cross-section, not negative, m.
    axle : sequence of three
        Axle in the rotation's frame.
    cone : number or expression
        Angle γ, rad, of the tread to the axle; positive where it becomes thinner along the axle.

    Raises
    ------
    ModelError
        If a radius is out of range, the axle has no direction, an edge is given a cone, the wheel
        starts flat on the surface or on a tip, or as for `RollingBody`.
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
        cone: Number = 0.0,
        surface: Callable[[ca.SX], ca.SX] = horizontal_plane,
        frame: Frame | None = None,
    ) -> None:
        super().__init__(name, centre, rotation, contact, surface=surface, frame=frame)
        self.radius = ca.SX(self.number("radius", radius, above=0, unit="m"))
        self.crown_radius = ca.SX(self.number("crown_radius", crown_radius, least=0, unit="m"))
        self.cone = ca.SX(self.number("cone", cone, above=-np.pi / 2, below=np.pi / 2, unit="rad"))
        if self.crown_radius.is_zero() and self.cone.is_constant() and not self.cone.is_zero():
            raise ModelError(
                f"{self.title}: with crown_radius = 0 it touches on its edge, where "
                f"cone = {float(self.cone):g} rad changes nothing; give a crown_radius, or leave "
                "the cone out"
            )
        self._ring = self.radius - self.crown_radius * ca.cos(self.cone)
        self.axis = direction(self.title, "axle", axle, "(0, 1, 0)").tolist()
        self.axle = rotation.turned(ca.DM(self.axis))
        self.refuse_start()

    def limits(self) -> dict[str, Limit]:
        """Return the limits: it does not lie flat, and it fits the surface."""
        ring = self._ring
        if ring.is_constant() and float(ring) == 0:
            return super().limits()
        sine = length(ca.cross(self.axle, self.surface_at.normal))
        # A flat tread, ρ > r, ends in a tip where its arc meets the axle.
        least = ca.fmax(0, -ring / ca.fmax(self.crown_radius, TIP * self.radius))
        margin = sine - least - FLAT
        tip = (
            "it lies on the end of its tread, where the arc of the crown radius meets the axle; "
            "start it upright or leaning, or take a crown_radius of at most the radius"
        )
        flat = (
            "it lies flat, its axle is along the surface's normal, so that it touches along a "
            "circle; start it upright or leaning, or let it fall by unilateral contacts of points "
            "on its rim"
        )
        message = tip if ring.is_constant() and float(ring) < 0 else flat
        return {"flat": Limit(margin, message, followed=margin), **super().limits()}

    def form(self) -> list[Shape]:
        """Return the torus, and a disc within."""
        ring = self._ring
        frame = self.rotation.matrix @ ca.DM(np.roll(triad(self.axis), -1, axis=1))
        turns = np.linspace(0, 2 * np.pi, DRAWN, endpoint=False)
        around = [ca.DM([np.cos(turn), np.sin(turn), 0]) for turn in turns]
        numbers = all(x.is_constant() for x in (self.crown_radius, self.radius, self.cone))
        if numbers and float(ring) < 0:
            return self._barrel(frame)
        middle = self.centre.position - self._aside
        places = [middle + ring * (frame @ place) for place in around]
        return [
            tube(places, self.crown_radius, closed=True, colour=COLOURS["wheel"]),
            disc(self.centre, frame, ring),
        ]

    def _barrel(self, frame: ca.SX) -> list[Shape]:
        """Return hoops of a tread whose arc is flatter than a ball, the middle one a disc."""
        ρ, r, γ = (float(x) for x in (self.crown_radius, self.radius, self.cone))
        hoops: list[Shape] = [disc(self.centre, frame, self.radius)]
        reach = min(r / (2 * ρ), 0.5)
        for angle in γ + np.linspace(-reach, reach, 5):
            out = float(self._ring) + ρ * np.cos(angle)
            beside = ρ * (np.sin(angle) - np.sin(γ))
            turns = np.linspace(0, 2 * np.pi, DRAWN, endpoint=False)
            around = [(out * np.cos(turn), out * np.sin(turn), beside) for turn in turns]
            places = [self.centre.position + frame @ ca.DM(place) for place in around]
            hoops.append(tube(places, 0.02 * r, closed=True, colour=COLOURS["wheel"]))
        return hoops

    def arm(self, outward: ca.SX) -> ca.SX:
        """Return the point of the torus with an outward normal."""
        ring = self._ring
        if ring.is_constant() and float(ring) == 0:
            return self.crown_radius * outward - self._aside
        in_plane = outward - ca.dot(outward, self.axle) * self.axle
        return self.crown_radius * outward + ring * in_plane / length(in_plane) - self._aside

    @property
    def _aside(self) -> ca.SX:
        """Distance of the wheel's plane from that of the arcs' centres, ρ sin γ e."""
        return self.crown_radius * ca.sin(self.cone) * self.axle

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
