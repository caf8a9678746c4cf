"""Shapes of a vehicle: a body on four wheels, on a road."""

from __future__ import annotations

import casadi as ca

from mbcore import Model, PlanarWheel
from mbcore.drawing import arrow, box, disc, dot, surface
from mbcore.model.nodes.nodes import Angle

from ..shared import RED

RADIUS, WIDTH, HALF_TRACK = 0.31, 0.2, 0.72
"""Of the wheels, m."""
GLASS = "#9fb3c8"


def show_road(model: Model) -> None:
    """Show the plane z = 0."""
    corners = [[(a, b, 0) for b in (-1, 1)] for a in (-1, 1)]
    model.show(surface(corners, ground=True, name="road"))


def add_shapes(
    car: Model, heading: Angle, axles: tuple[tuple[PlanarWheel, Angle], ...], rolled: ca.SX
) -> None:
    """Show a body on four wheels, the road, the axles' paths and the road's forces on them.

    Parameters
    ----------
    axles : pairs of PlanarWheel and Angle
        Rear and front, each with its own heading.
    rolled : SX
        Distance rolled, m.
    """
    rear, front = (wheel.centre.position for wheel, _ in axles)
    middle, length = (rear + front) / 2, car.parameters["wheelbase"].symbol
    ahead, left = heading.matrix[:, 0], heading.matrix[:, 1]
    show_road(car)
    hull = ca.vertcat(middle, 0.5)
    car.show(box(hull, heading, (length + 1.3, 1.15, 0.45), name="body"))
    for wheel, angle in axles:
        wheel.visible = False
        frame = ca.diagcat(angle.matrix, 1) @ about_y(rolled / RADIUS)
        for side in (-1, 1):
            place = wheel.centre.position + side * HALF_TRACK * left
            centre = ca.vertcat(place, RADIUS)
            car.show(disc(centre, frame, RADIUS, WIDTH, axle=(0, 1, 0), name=wheel.name))
    roof = ca.vertcat(middle - 0.2 * ahead, 0.9)
    car.show(box(roof, heading, (0.5 * length, 1.0, 0.35), colour=GLASS, name="cabin"))
    for wheel, angle in axles:
        car.show(dot(wheel.centre, colour=RED, trail=True, name=f"{wheel.name} path"))
        force = -angle.matrix[:, 1] * wheel.lateral.force
        car.show(arrow(wheel.centre, force, name=f"{wheel.name} force"))


def about_y(angle: ca.SX) -> ca.SX:
    """Rotation about y, shape (3, 3)."""
    cosine, sine = ca.cos(angle), ca.sin(angle)
    rows = ((cosine, 0, sine), (0, 1, 0), (-sine, 0, cosine))
    return ca.vertcat(*(ca.horzcat(*row) for row in rows))
