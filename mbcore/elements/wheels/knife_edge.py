"""Knife edges: blades and skates, which slide along and not sideways, in the plane and in space."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np

from mbcore.elements.wheels.ground import patch
from mbcore.elements.wheels.surface import Frame, Surface, horizontal_plane
from mbcore.model.checks import direction
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.nodes.connection import Connection, joined
from mbcore.model.nodes.node_checks import angles, points, rotations
from mbcore.model.nodes.nodes import Angle, Point, Rotation, at_start
from mbcore.model.nodes.rotations import planar_matrix
from mbcore.model.shapes.shape import THICKNESS, Shape
from mbcore.model.shapes.shapes import COLOURS, arrow, dot, tube
from mbcore.model.statements import Limit, SlipRate, Strain, length
from mbcore.model.variables import Number

UPRIGHT = 1e-6
"""Angle between blade and normal up to which it stands upright, rad."""


def _blade(tip: Point, along: ca.SX, force: ca.SX) -> list[Shape]:
    """The shapes of a blade with the force on it."""
    half = 6 * THICKNESS * along
    return [
        tube([tip.position - half, tip.position + half], colour=COLOURS["wheel"]),
        dot(tip, colour=COLOURS["contact"], trail=True),
        arrow(tip, force),
    ]


class PlanarKnifeEdge(Element):
    """A blade on a horizontal plane: the wheel of [Schwab2002] 3.5 without spin.

    Slips of the point along and across the blade, m/s: ``longitudinal``, free unless forbidden, and
    ``lateral``, zero unless released. The slip forces are those of the blade on the ground.

        s_1 = ẋ cos β + ẏ sin β,   s_2 = ẏ cos β - ẋ sin β

    Parameters
    ----------
    point : Point
        Planar point where the blade touches.
    heading : Angle
        Orientation β: the blade has the direction (cos β, sin β).
    direction : number or expression
        Angle of the blade in the heading's own frame, rad.

    Raises
    ------
    ModelError
        If the point is spatial, or the heading is not an angle.
    """

    kind = "knife edge"

    def __init__(self, name: str, point: Point, heading: Angle, *, direction: Number = 0.0) -> None:
        super().__init__(name)
        points(self.title, True, point=point)
        angles(self.title, heading=heading)
        self.point, self.heading = point, heading
        self.direction = ca.SX(self.number("direction", direction, unit="rad"))

    def connection(self) -> Connection:
        """Return the ground, without nodes, and the blade."""
        return joined(self.title, self, (), (self.point, self.heading), self.point)

    def slip_rates(self) -> dict[str, SlipRate]:
        """Return the components of the point's velocity along and across the blade."""
        axes = planar_matrix(self.heading.value + self.direction)
        along, across = (ca.dot(axes[:, i], self.point.velocity) for i in (0, 1))
        return {"longitudinal": SlipRate(along, zero=False), "lateral": SlipRate(across)}

    def shapes(self) -> list[Shape]:
        """Return the blade, its path, and the slips' forces on it."""
        axes = planar_matrix(self.heading.value + self.direction)
        force = -axes @ ca.vertcat(*(slip.force for slip in self.slips.values()))
        return _blade(self.point, axes[:, 0], force)


class KnifeEdge(Element):
    """A blade whose tip slides along itself and not sideways on a smooth surface g(c) = 0.

    Deformations: ``surface``, the tip is on the surface, rigid; ``tangent``, the sine of the
    blade's angle with the surface, dependent unless it is given a role: make it rigid if nothing
    else prevents the blade from pitching. Slips of the tip relative to the surface, m/s:
    ``longitudinal`` along the blade's projection on the surface, free unless forbidden, and
    ``lateral`` across it, zero unless released.

        ε_1 = g(c),   ε_2 = n·b,   s_1 = (e × n)·v,   s_2 = e·v,   e = n × b / |n × b|

    with the blade b, the surface's normal n, and v relative to the surface.

    Parameters
    ----------
    tip : Point
        Material point of the blade that touches.
    rotation : Rotation
        Orientation of the blade.
    blade : sequence of three
        Direction of the blade in the rotation's frame.
    surface : callable
        g(c), an expression of a place, zero on the surface; its gradient points to the blade's
        side. The plane z = 0 by default.
    frame : pair of Point and Rotation, optional
        Origin and axes of a moving surface; by default the surface is at rest.

    Raises
    ------
    ModelError
        If a node is planar, the blade has no direction or starts along the surface's normal, or
        surface or frame do not fit.
    """

    kind = "knife edge"

    def __init__(
        self,
        name: str,
        tip: Point,
        rotation: Rotation,
        *,
        blade: Sequence[float] = (1, 0, 0),
        surface: Callable[[ca.SX], ca.SX] = horizontal_plane,
        frame: Frame | None = None,
    ) -> None:
        super().__init__(name)
        points(self.title, False, tip=tip)
        rotations(self.title, rotation=rotation)
        self.tip, self.rotation = tip, rotation
        self.surface_at = Surface(self.title, tip, surface, frame)
        self.frame: Frame | None = None if frame is None else (frame[0], frame[1])
        self.blade = rotation.turned(ca.DM(direction(self.title, "blade", blade, "(1, 0, 0)")))
        slope = at_start(self.surface_at.slope, tip, *(self.frame or ()))
        self.check(slope, self.surface_at.refuse_no_normal)
        across = at_start(length(self._across), rotation, tip, *(self.frame or ()))
        self.check(across, self._refuse_upright)

    def _refuse_upright(self, across: np.ndarray) -> None:
        if not float(across.ravel()[0]) > UPRIGHT:
            raise ModelError(
                f"{self.title}: it stands upright, its blade is along the surface's normal; start "
                "it along the surface"
            )

    @property
    def _across(self) -> ca.SX:
        """Direction to the left of the blade along the surface, not normalized."""
        return ca.cross(self.surface_at.normal, self.blade)

    def strains(self) -> dict[str, Strain]:
        """Return the gap of the tip and the sine of the blade's angle with the surface."""
        sine = ca.dot(self.surface_at.normal, self.blade)
        return {
            "surface": Strain(self.surface_at.gap),
            "tangent": Strain(sine, "1", rigid=False),
        }

    def limits(self) -> dict[str, Limit]:
        """Return the limit that the blade does not stand upright."""
        message = "the blade stands upright on the surface; keep it along the surface"
        return {"upright": Limit(length(self._across) - UPRIGHT, message)}

    def connection(self) -> Connection:
        """Return the surface's frame, if any, and the blade; the force acts where they touch."""
        return joined(self.title, self, self.frame or (), (self.tip, self.rotation), self.tip)

    def slip_rates(self) -> dict[str, SlipRate]:
        """Return the tip's velocity relative to the surface, along and across the blade."""
        across = self._across / length(self._across)
        along = ca.cross(across, self.surface_at.normal)
        slip = self.tip.velocity - self.surface_at.velocity
        return {
            "longitudinal": SlipRate(ca.dot(along, slip), zero=False),
            "lateral": SlipRate(ca.dot(across, slip)),
        }

    def shapes(self) -> list[Shape]:
        """Return the blade, the surface about its tip, and the tip's path and force."""
        on = self.surface_at
        across = self._across / length(self._across)
        along = ca.cross(across, on.normal)
        force = on.normal * self.normal_force
        for name, axis in (("longitudinal", along), ("lateral", across)):
            force -= self.slips[name].force * axis
        ground = patch(on.function, self.tip, 30 * THICKNESS, self.frame)
        return [*_blade(self.tip, self.blade, force), ground]

    @property
    def lateral_force(self) -> ca.SX:
        """Force of the surface on the blade to its left along the surface, N."""
        return -self.slips["lateral"].force

    @property
    def normal_force(self) -> ca.SX:
        """Force of the surface on the blade along the normal, N."""
        return -self.deformations["surface"].stress * self.surface_at.slope
