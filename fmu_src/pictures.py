"""What the systems of the FMUs look like, beyond what their elements show."""

from __future__ import annotations

import casadi as ca

from mbcore import Bearing, Model, PlanarWheel
from mbcore.drawing import arrow, ball, box, disc, dot, surface, tube
from mbcore.model.nodes.nodes import Angle, Point, Rotation

RADIUS, WIDTH, HALF_TRACK = 0.31, 0.2, 0.72
"""Of the vehicle's wheels, m."""
GLASS, METAL, RED = "#9fb3c8", "#7c8694", "#c8553d"


def show_road(model: Model) -> None:
    """Show the plane z = 0."""
    corners = [[(a, b, 0) for b in (-1, 1)] for a in (-1, 1)]
    model.show(surface(corners, ground=True, name="road"))


def dress_vehicle(
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
        frame = ca.diagcat(angle.matrix, 1) @ _about_y(rolled / RADIUS)
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


def _about_y(angle: ca.SX) -> ca.SX:
    """Rotation about y, shape (3, 3)."""
    cosine, sine = ca.cos(angle), ca.sin(angle)
    rows = ((cosine, 0, sine), (0, 1, 0), (-sine, 0, cosine))
    return ca.vertcat(*(ca.horzcat(*row) for row in rows))


def dress_caster(
    gear: Model, strut: tuple[Point, Angle], attachment: Point, wheel: PlanarWheel, trail: ca.SX
) -> None:
    """Show wheel and attachment from above, and the ground's force on the wheel."""
    centre, angle = wheel.centre, strut[1]
    wheel.visible = False
    gear.show(box(attachment, None, (0.5 * trail, 0.7 * trail, 0), colour=METAL, name="airframe"))
    gear.show(
        box((0, 0), None, (1.1 * trail, 0.3 * trail, 0), colour="#474c55", name="wheel"),
        at=(centre, angle),
    )
    gear.show(dot(strut[0], mark="hinge", name="swivel axis"))
    gear.show(dot(centre, colour=RED, trail=True, name="path"))
    gear.show(arrow(centre, -angle.matrix[:, 1] * wheel.lateral.force, name="ground's force"))


def dress_flexible_caster(gear: Model, top: tuple[Point, Rotation], length: ca.SX) -> None:
    """Show the hinge of the yoke on the airframe; z points downwards."""
    gear.upwards = (0.0, 0.0, -1.0)
    size = 0.5 * length
    plate = box((0, 0, -0.3 * size), None, (size, size, 0.1 * size), colour=METAL, name="airframe")
    gear.show(plate, at=top[0])
    pin = tube([(0, 0, -0.3 * size), (0, 0, 0.1 * size)], 0.06 * size, name="swivel axis")
    gear.show(pin, at=top)


def dress_slider(crank: Model, joint: Bearing, throw: ca.SX, axis: Point) -> None:
    """Show the slider in its guide, and the crank's disc."""
    sleeve = joint.sleeve
    joint.visible = False
    rails = [tube([(0, y * throw), (7 * throw, y * throw)], colour=METAL) for y in (-0.45, 0.45)]
    crank.show(*rails, at=axis)
    crank.show(box(sleeve, None, (1.3 * throw, 0.8 * throw, 0), name="slider"))


def dress_joint(model: Model, joint: Bearing, radii: tuple[ca.SX, ca.SX]) -> None:
    """Show sleeve and journal by their radii, m, and the journal's force on the sleeve."""
    outer, inner = radii
    model.show(disc(joint.sleeve, joint.sleeve_angle, outer, colour=METAL, name="sleeve"))
    model.show(disc(joint.journal, joint.journal_angle, inner, name="journal"))
    force = joint.sleeve_angle.matrix @ ca.vertcat(joint.x.stress, joint.y.stress)
    model.show(arrow(joint.sleeve, force, name="force on the sleeve"))


def dress_film(
    bearing: Model,
    journal: tuple[ca.SX, ca.SX],
    radii: tuple[ca.SX, ca.SX],
    force: tuple[ca.SX, ca.SX],
) -> None:
    """Show a sleeve with the journal in it, whose place is given, and the film's force."""
    outer, inner = radii
    bearing.show(disc((0, 0), None, 1.35 * outer, colour=METAL, name="sleeve"))
    bearing.show(disc((0, 0), None, outer, colour="#d9c48a", name="film"))
    bearing.show(disc(journal, None, inner, name="journal"))
    bearing.show(dot(journal, colour=RED, trail=True, name="journal's path"))
    bearing.show(arrow((0, 0), ca.vertcat(*force), name="force on the sleeve"))


def dress_bicycle(
    bicycle: Model,
    axes: ca.SX,
    frame: tuple[Point, Rotation],
    fork: tuple[Point, Rotation],
    data: tuple[ca.SX, ca.SX, ca.SX, ca.SX],
) -> None:
    """Show the frame with saddle, and the fork with handlebar.

    Parameters
    ----------
    axes : SX
        Columns: axes of frame and fork at the start, z along the steering axis.
    frame, fork : Point and Rotation
        Rear centre with the frame, steering axis with the fork.
    data : tuple of SX
        Wheelbase, and offsets of the steering axis from the rear centre, and of the front centre
        from it, forward and down the axis, m.
    """
    wheelbase, behind, before, lower = data
    for link in ("rear triangle", "fork blades"):
        bicycle.elements[link].visible = False

    def place(x: float, z: float) -> ca.SX:
        return axes.T @ ca.vertcat(x * wheelbase, 0, z * wheelbase)

    crank, saddle = place(0.42, -0.03), place(0.25, 0.50)
    low, high = (ca.vertcat(behind, 0, part * wheelbase) for part in (0.06, 0.18))
    seat = crank + 0.86 * (saddle - crank)
    thick, blue = 0.016 * wheelbase, "#2f6690"
    rear = ca.SX.zeros(3)
    lines = ((rear, crank), (rear, seat), (crank, saddle), (crank, low), (seat, high))
    for ends in lines:
        bicycle.show(tube(ends, thick, colour=blue, name="frame"), at=frame)
    bicycle.show(tube((low, high), 1.5 * thick, colour=blue, name="head tube"), at=frame)
    top = ball(saddle, axes.T, [part * wheelbase for part in (0.12, 0.06, 0.02)], colour="#474c55")
    bicycle.show(top.named("saddle"), at=frame)
    half, stem = 0.24 * wheelbase, ca.vertcat(0, 0, 0.26 * wheelbase)
    crown = ca.vertcat(0, 0, 0.05 * wheelbase)
    bicycle.show(tube((crown, stem), thick, colour=METAL, name="stem"), at=fork)
    bar = [stem + ca.vertcat(x, y, 0) for x, y in ((-0.1, -half), (0.03, 0), (-0.1, half))]
    bicycle.show(tube(bar, 0.8 * thick, colour=METAL, name="handlebar"), at=fork)
    for side in (-1, 1):
        across = ca.vertcat(0, side * 0.05 * wheelbase, 0)
        blade = (crown + across, ca.vertcat(before, 0, -lower) + across)
        bicycle.show(tube(blade, 0.7 * thick, colour=blue, name="fork"), at=fork)


def dress_cabin(model: Model, place: Point, frame: Rotation) -> None:
    """Show the body of the road vehicle, about its mass centre."""
    hull = box((0.0, 0, 0.12), None, (3.4, 1.05, 0.42), colour="#76805c", name="hull")
    cabin = box((-0.45, 0, 0.6), None, (1.9, 1.25, 0.55), colour="#a9b08f", name="cabin")
    hood = box((1.1, 0, 0.38), None, (1.2, 1.15, 0.12), colour="#76805c", name="hood")
    model.show(hull, hood, cabin, at=(place, frame))
