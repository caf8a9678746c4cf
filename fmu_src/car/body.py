"""The body of the car: six freedoms in space, air, and forces from outside."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Body, Hinge, Model, Speed, StateName
from mbcore.model.nodes.nodes import Point, Rotation

from .data import DataSheet

SPEED = 20.0
"""At which the car starts by default, m/s, and which the design position is made for."""


@dataclass(frozen=True)
class CarBody:
    """The body, with what the wheels are guided by."""

    element: Body
    place: Point
    """Its mass centre."""
    heading: Rotation
    frame: Rotation
    speed: ca.SX
    """Forward, along the heading, m/s."""


def add_body(model: Model, data: DataSheet) -> CarBody:
    """Add the body, with its six degrees of freedom."""
    place = model.point("body", (0, 0, 0))
    heading, tilted = model.rotation("heading"), model.rotation("pitched frame")
    frame = model.rotation("body frame")
    yaw = model.add(Hinge("yaw", model.ground, heading, axis=(0, 0, 1))).angle
    pitch = model.add(Hinge("pitch", heading, tilted, axis=(0, 1, 0))).angle
    roll = model.add(Hinge("roll", tilted, frame, axis=(1, 0, 0))).angle
    for angle, name, about in ((yaw, "yaw", "z"), (pitch, "pitch", "y"), (roll, "roll", "x")):
        angle.dof(
            f"body.{name}",
            StateName(f"{name}.rate", description=f"rate of the {name} angle", visibility="local"),
            nominal=0.1,
            rate_nominal=0.1,
            description=f"{name} angle, about {about}",
        )
    place.z.dof(
        "body.z",
        StateName("body.z_rate", description="rate of body.z", visibility="local"),
        nominal=0.01,
        rate_nominal=0.1,
        description="height of the body's mass centre, 0 in the design position",
    )
    place.x.kinematic("body.x", nominal=10.0, description="place of the body's mass centre")
    place.y.kinematic("body.y", nominal=10.0, description="place of the body's mass centre")
    ahead, left = heading.matrix[:, 0], heading.matrix[:, 1]
    forward = model.add(Speed("forward", ca.dot(ahead, place.velocity))).slip
    sideways = model.add(Speed("sideways", ca.dot(left, place.velocity))).slip
    forward.dof(
        "body.speed",
        SPEED,
        nominal=10.0,
        display_unit="km/h",
        description="forward speed of the body's mass centre, along its heading",
    )
    sideways.dof(
        "body.side_speed",
        description="speed of the body's mass centre to the left of its heading",
    )
    element = model.add(
        Body("car body", place, frame, mass=data["body.mass"], inertia=data.inertia("body"))
    )
    body = CarBody(element, place, heading, frame, forward.velocity)
    _add_air(model, data, body)
    _add_outside_forces(model, body)
    return body


def _add_air(model: Model, data: DataSheet, body: CarBody) -> None:
    """Let the air at rest brake the body, and press it down by its speed ahead."""
    velocity, pressure = body.place.velocity, data["air.density"] / 2
    square = ca.dot(velocity, velocity)
    # the root has no derivative at rest, where this has the derivative zero
    speed = ca.if_else(square > 0, ca.sqrt(square), 0)
    down = pressure * data["downforce.area"] * body.speed**2
    force = -pressure * data["drag.area"] * speed * velocity - body.frame.turned([0, 0, 1]) * down
    model.force(body.place, force)


def _add_outside_forces(model: Model, body: CarBody) -> None:
    forces = [
        model.input(
            f"body.force_{axis}",
            unit="N",
            description=f"at the body's mass centre, along {axis} of the road",
        )
        for axis in "xy"
    ]
    torque = model.input("body.torque_z", unit="N.m", description="on the body, about z")
    model.force(body.place, ca.vertcat(*forces, 0))
    model.moment(body.frame, ca.vertcat(0, 0, torque))
