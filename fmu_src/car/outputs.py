"""Outputs of the car: outputs and terminals."""

from __future__ import annotations

import casadi as ca

from mbcore import Model, Units
from mbcore.fmi.component import Terminal

from ..vehicle_frame import show_motion
from ..wheel_variables import WheelVariables
from .body import CarBody
from .data import CORNERS, DataSheet
from .steering import Steering
from .wheel import Corner

RANGE_BAND = 1e-9
"""How far, relative to a range, an argument of the tyre must pass its end to be outside of it."""


def show_body(model: Model, data: DataSheet, body: CarBody, steering: Steering) -> None:
    """Add the body's rates and accelerations in its own axes, and the sensor's readings."""
    turning, acceleration = show_motion(model, "body", body.place, body.frame)
    across = body.frame.matrix.T
    place = ca.vertcat(*(data[f"sensor.{axis}"] for axis in "xyz"))
    swinging = ca.cross(across @ body.frame.angular_acceleration, place)
    swinging += ca.cross(turning, ca.cross(turning, place))
    felt = acceleration + swinging - across @ model.gravity
    for i, axis in enumerate("xyz"):
        model.output(
            f"sensor.acceleration_{axis}",
            felt[i],
            unit="m/s2",
            description=f"at the sensor, along the body's {axis}-axis, less gravity, as an "
            "inertial sensor reads it",
        )
    model.output("sensor.yaw_rate", turning[2], unit="rad/s", description="about the body's z-axis")
    model.output(
        "steering_wheel.torque",
        steering.torque,
        unit="N.m",
        description="of the driver on the steering wheel, to the left",
    )


def show_corner(wheels: WheelVariables, name: str, corner: Corner, spring: ca.SX) -> None:
    """Add what happens at one wheel."""
    tyre, model = corner.tyre, wheels.model
    measured = tyre.contact
    for what, expression, unit, description in (
        ("spin_rate", corner.spin.rate, "rad/s", "of the wheel about its axle, on its carrier"),
        ("slip_ratio", measured.slip_ratio, "1", "positive where it drives"),
        ("slip_angle", measured.slip_angle, "rad", "positive where it moves to the left"),
        ("camber", measured.camber, "rad", "positive where the wheel leans to the right"),
        ("load", tyre.load, "N", "of the road on the wheel, along its normal"),
        ("force_x", tyre.forces.longitudinal, "N", "of the road on the wheel, forward"),
        ("force_y", tyre.forces.lateral, "N", "of the road on the wheel, to the left"),
        ("moment_x", tyre.forces.overturning_moment, "N.m", "about the contact point, overturning"),
        (
            "moment_y",
            tyre.forces.rolling_resistance,
            "N.m",
            "about the contact point, rolling resistance",
        ),
        ("moment_z", tyre.forces.aligning_moment, "N.m", "about the contact point, aligning"),
        ("suspension_force", spring, "N", "of spring, damper and anti-roll bar, down on the wheel"),
        ("brake.torque", corner.brake.force, "N.m", "of the carrier on the wheel, against x"),
    ):
        shown: str | Units = Units("rad", "deg") if unit == "rad" else unit
        wheels.output(name, what, expression, unit=shown, description=description)
    wheels.output(
        name,
        "airborne",
        corner.airborne,
        kind="boolean",
        description="the tyre has left the road",
    )
    margin = corner.law.margin(corner.tyre.contact)
    outside = ca.SX(0)
    if margin is not None:
        outside = model.event(f"{name}.left_range", -margin, band=RANGE_BAND)
    wheels.output(
        name,
        "in_range",
        1 - outside,
        kind="boolean",
        description="the tyre's arguments are inside its law's ranges",
    )


TERMINALS = tuple(
    Terminal(
        name,
        {
            what: f"{name}.{what}"
            for what in (
                "drive_torque",
                "brake_torque",
                "road_height",
                "road_rate",
                "road_friction",
                "load",
                "force_x",
                "force_y",
                "moment_x",
                "moment_y",
                "moment_z",
                "spin_rate",
            )
        },
        "wheel on its road",
    )
    for name in CORNERS
)
