"""The body of the car: six freedoms in space, air, and forces from outside."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Body, Model
from mbcore.model.nodes.nodes import Point, Rotation

from ..vehicle_frame import add_frame
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
    at = add_frame(model, "body", {})
    at.forward.dof(
        "body.speed",
        SPEED,
        nominal=10.0,
        display_unit="km/h",
        description="forward speed of the body's mass centre, along its heading",
    )
    at.sideways.dof(
        "body.side_speed",
        description="speed of the body's mass centre to the left of its heading",
    )
    element = model.add(
        Body("car body", at.place, at.frame, mass=data["body.mass"], inertia=data.inertia("body"))
    )
    body = CarBody(element, at.place, at.heading, at.frame, at.forward.velocity)
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
