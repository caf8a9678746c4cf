"""A ball that rolls on a surface, which may move."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np

from mbcore.elements.wheels.rolling_body import RollingBody
from mbcore.elements.wheels.surface import Frame, horizontal_plane
from mbcore.model.errors import ModelError
from mbcore.model.nodes.nodes import Point, Rotation, at_start
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.shapes import COLOURS, ball
from mbcore.model.variables import Number


class Ball(RollingBody):
    """A ball that rolls on a smooth surface g(c) = 0, at rest or moving with a frame.

    Deformations and slips are those of `RollingBody`; the slips ``rolling_x`` and ``rolling_y`` are
    along the surface's x and y axes, turned the shortest way into the tangent plane. They are the
    classical conditions of rolling [NeimarkFufaev]

        v + ω × (c - w) = V + Ω × (c - o)


    Parameters
    ----------
    centre, rotation, contact, surface, frame
        See `RollingBody`.
    radius : number or expression
        m.

    Raises
    ------
    ModelError
        If the radius is not positive and finite, or as for `RollingBody`.
    """

    kind = "ball"

    def __init__(
        self,
        name: str,
        centre: Point,
        rotation: Rotation,
        contact: Point,
        *,
        radius: Number,
        surface: Callable[[ca.SX], ca.SX] = horizontal_plane,
        frame: Frame | None = None,
    ) -> None:
        super().__init__(name, centre, rotation, contact, surface=surface, frame=frame)
        self.radius = self.number("radius", radius, above=0, unit="m")
        self.refuse_start()
        apart = ca.dot(self.surface_at.normal, centre.position - contact.position)
        self.check(at_start(apart, centre, contact, *(self.frame or ())), self._refuse_below)

    def _refuse_below(self, apart: np.ndarray) -> None:
        if float(apart.ravel()[0]) < 0:
            raise ModelError(
                f"{self.title}: its centre {self.centre.name} starts {-float(apart.ravel()[0]):.9g}"
                " m below the surface; start it on the side to which the surface's normal points, "
                "or change the surface's sign"
            )

    def form(self) -> list[Shape]:
        """Return the ball."""
        return [ball(self.centre, self.rotation, self.radius, colour=COLOURS["wheel"])]

    def arm(self, outward: ca.SX) -> ca.SX:
        """Return the radius along the normal."""
        return self.radius * outward
