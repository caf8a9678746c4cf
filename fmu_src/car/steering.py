"""The steering of the car: column, compliance and rack as one freedom at the road wheels."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Body, Model, StateName, Units
from mbcore.model.nodes.nodes import Angle

from .data import DataSheet


@dataclass(frozen=True)
class Steering:
    """Steering of the front wheels, and constraints of the rear ones."""

    rack: Angle
    """Its value is the mean angle of the front wheels, rad."""
    straight: Angle
    """That does not turn, for the rear wheels."""
    torque: ca.SX
    """Of the steering wheel on the column, at the steering wheel, N.m."""


def add_steering(model: Model, data: DataSheet) -> Steering:
    """Add the rack behind the compliant column, whose other end is the given angle."""
    wheel = model.input(
        "steering_wheel.angle",
        unit=Units("rad", "deg"),
        description="of the steering wheel, positive to the left",
    )
    rack = model.angle("rack")
    model.add(Body("steering inertia", None, rack, inertia=data["steering.inertia"]))
    angle = rack.angle.dof(
        StateName("steering.angle", unit="rad", display_unit="deg"),
        StateName("steering.rate", description="its rate", visibility="local"),
        nominal=0.1,
        description="mean steering angle of the front wheels, positive to the left",
    )
    twisted = wheel / data["steering.ratio"] - angle.value
    torque = twisted / data["steering.compliance"]
    angle.law(data["steering.damping"] * angle.rate - torque)
    return Steering(rack, model.angle("straight", fixed=True), torque / data["steering.ratio"])


def ackermann(data: DataSheet, side: int, mean: ca.SX) -> ca.SX:
    """Return the angle of a front wheel, rad, by the mean one; side 1 left, -1 right."""
    apart = data["steering.ackermann"] * data["front.track"] / 2 / data["wheelbase"]
    return ca.atan2(ca.sin(mean), ca.cos(mean) - side * apart * ca.sin(mean))
