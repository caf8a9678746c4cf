"""Wheels that roll: planar [Schwab2002] 3.5, and in space on any smooth surface 3.6."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np

from mbcore.elements.wheels.ground import patch
from mbcore.elements.wheels.surface import (
    Frame,
    checked_frame,
    followed_limit,
    horizontal_plane,
    material_velocity,
    refuse_corners,
)
from mbcore.model import checks
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.expressions import depends
from mbcore.model.kinks import gradient
from mbcore.model.nodes import node_checks
from mbcore.model.nodes.connection import Connection, joined
from mbcore.model.nodes.nodes import Angle, Point, Rotation, at_start
from mbcore.model.nodes.rotations import planar_matrix
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.shapes import COLOURS, arrow, box, disc, dot
from mbcore.model.statements import Limit, SlipRate, Strain, length
from mbcore.model.tables import derivatives
from mbcore.model.variables import Number


class PlanarWheel(Element):
    """An upright disk on a horizontal plane, in a planar model, [Schwab2002] (3.37).

    Slips ``longitudinal`` and ``lateral`` (m/s), both zero unless released. The slip forces are
    those of the wheel on the ground.

        s_1 = e_d·v - r γ̇,   s_2 = e_w·v,   e_d = (cos β, sin β),   e_w = (-sin β, cos β)

    Parameters
    ----------
    centre : Point
        Planar centre of the wheel.
    heading : Angle
        Orientation β: the driving direction is (cos β, sin β), the axle is to its left.
    spin : Angle
        Rotation γ about the axle.
    radius : number or expression
        r, m.
    direction : number or expression
        Angle of the driving direction in the heading's own frame, rad.

    Raises
    ------
    ModelError
        If a node is spatial, the radius not positive or the direction not finite.
    """

    kind = "wheel"

    def __init__(
        self,
        name: str,
        centre: Point,
        heading: Angle,
        spin: Angle,
        *,
        radius: Number,
        direction: Number = 0.0,
    ) -> None:
        super().__init__(name)
        node_checks.points(self.title, planar=True, centre=centre)
        node_checks.angles(self.title, heading=heading, spin=spin)
        self.centre, self.heading, self.spin = centre, heading, spin
        self.radius = self.number("radius", radius, above=0, unit="m")
        self.direction = self.number("direction", direction, unit="rad")

    def connection(self) -> Connection:
        """Return the ground, without nodes, and the wheel, whose spin is across the plane."""
        return joined(self.title, self, (), (self.centre, self.heading), self.centre)

    def slip_rates(self) -> dict[str, SlipRate]:
        """Return [Schwab2002] (3.37)."""
        axes = planar_matrix(self.heading.value + self.direction)
        e_d, e_w = axes[:, 0], axes[:, 1]
        return {
            "longitudinal": SlipRate(
                ca.dot(e_d, self.centre.velocity) - self.spin.rate * self.radius
            ),
            "lateral": SlipRate(ca.dot(e_w, self.centre.velocity)),
        }

    def shapes(self) -> list[Shape]:
        """Return the wheel from above, its path and the slips' forces on it."""
        axes = planar_matrix(self.heading.value + self.direction)
        sizes = (2 * self.radius, 0.4 * self.radius, 0)
        force = -axes @ ca.vertcat(*(slip.force for slip in self.slips.values()))
        return [
            box(self.centre, axes, sizes, colour=COLOURS["wheel"]),
            dot(self.centre, colour=COLOURS["contact"], trail=True),
            arrow(self.centre, force),
        ]


class Wheel(Element):
    """An infinitesimally thin disk that rolls on a smooth surface g(c) = 0, [Schwab2002] 3.6.

    Deformations: ``radial`` and ``sideways``, [Schwab2002] (3.48); ``surface``, the contact point
    is on the surface; ``tangent``, the longitudinal tangent lies in the tangent plane. Slips:
    ``longitudinal`` and ``lateral``, [Schwab2002] (3.51), zero unless released, and ``spin`` about
    the normal, free unless forbidden ([SchwabMeijaard2003] 3.3).

    The stresses are not scaled: physical contact forces are λ_1|r|, λ_2|r||n| and σ_3|n|. Those
    of the ground on the wheel are given by ``longitudinal_force``, ``lateral_force``,
    ``normal_force`` and ``spin_moment``.

        ε_1 = (r·r - r_0²)/(2 r_0),   ε_2 = e_w·r,   ε_3 = g(c),   ε_4 = (r × e_w)·n
        s_1 = (r × e_w)·(ẇ + ω × r),   s_2 = (n × (r × e_w))·ċ,   s_3 = n·ω / |n|

    with the spoke r = c - w, the axle e_w and the gradient n of g. On a surface that moves with a
    frame, velocities and ω are relative to it, and its forces act on the frame.

    Parameters
    ----------
    centre, contact : Point
        Wheel centre w and contact point c, a geometric point that travels.
    rotation : Rotation
        Orientation of the wheel (or of its fork, if that does not matter).
    axle : sequence of three
        Axle in the rotation's frame.
    radius : number or expression
        r_0, m.
    surface : callable
        g(c), an expression of the contact point, zero on the surface; its gradient is the normal,
        which points to the wheel's side. The plane z = 0 by default.
    width : number or expression
        Of the wheel in pictures, m; it touches in its middle.
    frame : pair of Point and Rotation, optional
        Origin and axes of a moving surface, such as a turntable, a ship's deck or a belt, on which
        g is written; by default the surface is at rest.

    Raises
    ------
    ModelError
        If a node is planar, the axle zero, the radius not positive, the surface no function of the
        place, the frame not a pair of a point and a rotation in space, or if the wheel starts flat
        on the surface or not on its side.
    """

    kind = "wheel"

    def __init__(
        self,
        name: str,
        centre: Point,
        rotation: Rotation,
        contact: Point,
        *,
        radius: Number,
        axle: Sequence[float] = (0, 1, 0),
        surface: Callable[[ca.SX], ca.SX] = horizontal_plane,
        width: Number = 0.0,
        frame: Frame | None = None,
    ) -> None:
        super().__init__(name)
        self.frame = checked_frame(self.title, frame)
        self.width = self.number("width", width, least=0, unit="m")
        node_checks.points(self.title, planar=False, centre=centre, contact=contact)
        node_checks.rotations(self.title, rotation=rotation)
        axis = checks.direction(self.title, "axle", axle, "(0, 1, 0)")
        self.centre, self.rotation, self.contact = centre, rotation, contact
        self.radius_0 = ca.SX(self.number("radius", radius, above=0, unit="m"))
        self.radius = contact.position - centre.position
        self.surface_function, self.axis = surface, axis
        self.lies = ca.SX(0)  # a FlatContact says whether it lies flat
        self.axle = rotation.turned(ca.DM(axis / np.linalg.norm(axis)))
        self.gap = self._gap(surface, contact)
        self.normal = gradient(self.gap, contact.position)
        self._refuse_flat()
        self.check(
            at_start(
                ca.vertcat(
                    length(self.radius),
                    self._gap(surface, centre),
                    -ca.dot(self.normal, self.radius),
                ),
                centre,
                contact,
                *(self.frame or ()),
            ),
            self._refuse_below,
        )

    def _gap(self, surface: Callable[[ca.SX], ca.SX], point: Point) -> ca.SX:
        if not callable(surface):
            raise ModelError(
                f"{self.title}: surface is {surface!r}; give a function of a place that is zero on "
                "the surface, as in lambda c: c[2]"
            )
        place = point.position
        if self.frame is not None:
            origin, axes = self.frame
            place = axes.matrix.T @ (place - origin.position)
        gap = checks.expression(self.title, "surface(place)", surface(place))
        if not depends(gap, point.position):
            raise ModelError(
                f"{self.title}: surface(place) = {gap} does not depend on the place; give a "
                "function that is zero on the surface, as in lambda c: c[2]"
            )
        refuse_corners(self.title, gap)
        return gap

    def _refuse_below(self, values: np.ndarray) -> None:
        distance, above, towards = values.ravel()
        if not distance > 0:
            raise ModelError(
                f"{self.title}: {self.centre.name} and {self.contact.name} start in one place; "
                "start the centre one radius away from the contact point"
            )
        if above <= 0 and towards <= 0:
            raise ModelError(
                f"{self.title}: its centre {self.centre.name} starts below the surface, which is "
                f"{above:.9g} there; start it on the side to which the surface's normal points, or "
                "change the surface's sign"
            )

    def _refuse_flat(self) -> None:
        nodes = (self.rotation, self.contact, *(self.frame or ()))
        sine = length(ca.cross(self.axle, self.normal)) / length(self.normal)
        start = at_start(sine, *nodes)
        if start.is_constant() and float(start) < 1e-9:
            raise ModelError(
                f"wheel {self.name}: it lies flat, its axle is along the surface's normal; "
                "start it upright or leaning"
            )

    def limits(self) -> dict[str, Limit]:
        """Return the limits: the disk is above the surface and touches it at one point only.

        Along t = r × e_w the disk has the curvature of its radius, the surface that of the
        gradient's change H; where -r·n + tᵀ H t vanishes, the condition of tangency is singular.
        """
        r, t = self.radius, self.tangent_direction
        slope = length(self.normal)
        height = (self.gap - ca.dot(self.normal, r)) / slope
        flat = (
            "the wheel falls flat: its centre comes down to the surface, which a disk with one "
            "contact point cannot represent; keep it inclined, roll a ThickWheel, let it lie "
            "there by a FlatContact, or let it fall by unilateral contacts of points on its rim"
        )
        found = {"side": followed_limit(height, self.radius_0, flat)}
        # On a plane the gradient is constant, and the condition is that of ``side``.
        curved = derivatives.jtimes(self.normal, self.contact.position, t)
        if not ca.simplify(curved).is_zero():
            apart = (ca.dot(t, curved) - ca.dot(self.normal, r)) / slope
            found["fits"] = followed_limit(
                apart,
                self.radius_0,
                "the surface is more curved than the wheel where it touches, so that the wheel "
                "would touch elsewhere, too; take a smaller wheel or a flatter surface",
            )
        return found

    @property
    def tangent_direction(self) -> ca.SX:
        """Longitudinal tangent r × e_w, not normalized."""
        return ca.cross(self.radius, self.axle)

    @property
    def contour_rate(self) -> ca.SX:
        """Rate at which the contact point goes around the wheel, rad/s, positive forwards."""
        along = self.tangent_direction / length(self.tangent_direction)
        omega = self.rotation.angular_velocity
        material = self.centre.velocity + ca.cross(omega, self.radius)
        return ca.dot(along, self.contact.velocity - material) / length(self.radius)

    def strains(self) -> dict[str, Strain]:
        """Return [Schwab2002] (3.48), and conditions that replace [Schwab2002] (3.49)."""
        r = self.radius
        return {
            # [Schwab2002] (3.48)
            "radial": Strain((ca.dot(r, r) - self.radius_0**2) / self.radius_0 / 2),
            "sideways": Strain(ca.dot(self.axle, r)),
            "surface": Strain(self.gap),
            "tangent": Strain(ca.dot(self.tangent_direction, self.normal)),
        }

    def connection(self) -> Connection:
        """Return the surface's frame, if any, and the wheel; the force acts where it touches."""
        frame = self.frame or ()
        return joined(self.title, self, frame, (self.centre, self.rotation), self.contact)

    def slip_rates(self) -> dict[str, SlipRate]:
        """Return [Schwab2002] (3.51) and the spin slip."""
        omega = self.rotation.angular_velocity
        material = self.centre.velocity + ca.cross(omega, self.radius)
        travelling = self.contact.velocity
        if self.frame is not None:
            on_surface = material_velocity(self.frame, self.contact)
            material, travelling = material - on_surface, travelling - on_surface
            omega = omega - self.frame[1].angular_velocity
        sideways = ca.cross(self.normal, self.tangent_direction)
        return {  # [Schwab2002] (3.51)
            "longitudinal": SlipRate(ca.dot(self.tangent_direction, material), "m2/s"),
            # The contact point travels, and crosswise it moves with the material point.
            "lateral": SlipRate(ca.dot(sideways, travelling), "m2/s"),
            "spin": SlipRate(ca.dot(self.normal, omega) / length(self.normal), "rad/s", zero=False),
        }

    def shapes(self) -> list[Shape]:
        """Return the disk, the ground about its contact point, and the contact's path and force."""
        normal = self.normal / length(self.normal)
        along = self.tangent_direction / length(self.radius)
        force = (
            self.normal_force * normal
            + self.longitudinal_force * along
            + self.lateral_force * ca.cross(normal, along)
        )
        return [
            disc(self.centre, self.rotation, self.radius_0, self.width, axle=self.axis.tolist()),
            patch(self.surface_function, self.contact, self.radius_0, self.frame),
            dot(self.contact, colour=COLOURS["contact"], trail=True),
            arrow(self.contact, force),
        ]

    @property
    def longitudinal_force(self) -> ca.SX:
        """Force of the ground on the wheel along r × e_w, N."""
        return -self.slips["longitudinal"].force * length(self.radius)

    @property
    def lateral_force(self) -> ca.SX:
        """Force of the ground on the wheel along n × (r × e_w), N."""
        scale = length(self.radius) * length(self.normal)
        return -self.slips["lateral"].force * scale

    @property
    def normal_force(self) -> ca.SX:
        """Force of the ground on the wheel along the normal, N."""
        return -self.deformations["surface"].stress * length(self.normal)

    @property
    def spin_moment(self) -> ca.SX:
        """Moment of the ground on the wheel about the normal, N.m."""
        return -self.slips["spin"].force
