"""A wheel of finite thickness: a torus, whose tread is crowned, on any smooth surface."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np

from mbcore.elements.rolling_body import RollingBody
from mbcore.elements.surface import Frame, horizontal_plane
from mbcore.model.element import length
from mbcore.model.errors import ModelError
from mbcore.model.nodes import Point, Rotation, at_start
from mbcore.model.variables import Number


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
        self.radius, self.crown_radius = ca.SX(radius), ca.SX(crown_radius)
        self._refuse_radii()
        direction = np.asarray(axle, float)
        if direction.shape != (3,) or not np.isfinite(direction).all() or not direction.any():
            raise ModelError(
                f"{self.title}: its axle is {axle}; give three finite numbers, not all of them zero"
            )
        self.axle = rotation.turned(ca.DM(direction / np.linalg.norm(direction)))
        self._refuse_flat()

    def _refuse_radii(self) -> None:
        if self.radius.is_constant() and not 0 < float(self.radius) < float("inf"):
            raise ModelError(
                f"{self.title}: its radius is {float(self.radius):g}; give a positive number, m"
            )
        rest = self.radius - self.crown_radius
        if self.crown_radius.is_constant() and not 0 <= float(self.crown_radius) < float("inf"):
            raise ModelError(
                f"{self.title}: its crown radius is {float(self.crown_radius):g}; give a number "
                "that is not negative, m"
            )
        if rest.is_constant() and float(rest) < 0:
            raise ModelError(
                f"{self.title}: its crown radius {float(self.crown_radius):g} is above its radius "
                f"{float(self.radius):g}; a wheel is at most a ball: give at most the radius"
            )

    def _refuse_flat(self) -> None:
        nodes = (self.rotation, self.contact, *(self.frame or ()))
        sine = at_start(length(ca.cross(self.axle, self.surface_at.normal)), *nodes)
        ring = self.radius - self.crown_radius
        is_ball = ring.is_constant() and float(ring) == 0
        if sine.is_constant() and float(sine) < 1e-9 and not is_ball:
            raise ModelError(
                f"{self.title}: it lies flat, its axle is along the surface's normal, where it "
                "touches along a circle; start it upright or leaning"
            )

    def arm(self, outward: ca.SX) -> ca.SX:
        """Return the point of the torus with an outward normal."""
        in_plane = outward - ca.dot(outward, self.axle) * self.axle
        ring = self.radius - self.crown_radius
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
