"""Outputs of a single-track vehicle: outputs and terminals."""

from __future__ import annotations

import casadi as ca

from mbcore import Units
from mbcore.fmi.component import Terminal

from . import Vehicle

BAND = 1e-9
"""How far a friction ratio must pass its limit."""


def show(
    vehicle: Vehicle, friction: str, forces: dict[str, ca.SX] | None = None
) -> dict[str, ca.SX]:
    """Add the outputs of any vehicle; return the friction ratios.

    Parameters
    ----------
    friction : str
        What the road's does to the ratios.
    forces : dict of str to SX, optional
        Of the road on the ``front`` and the ``rear`` axle, N, where those of the wheels' slips are
        not all.
    """
    car, parts, axis, side = vehicle.car, vehicle.parts, vehicle.axis, vehicle.side
    C = parts.centre
    if forces is None:
        forces = {"front": -parts.front.lateral.force, "rear": -parts.rear.lateral.force}
    front_force, rear_force = forces["front"], forces["rear"]
    car.output(
        "front.steer_angle",
        vehicle.steer_angle,
        unit=Units("rad", "deg"),
        description="actual front axle angle",
    )
    car.output(
        "chassis.acceleration_x",
        ca.dot(axis, C.acceleration),
        unit="m/s2",
        description="acceleration of C along the vehicle's axis",
    )
    car.output(
        "chassis.acceleration_y",
        ca.dot(side, C.acceleration),
        unit="m/s2",
        description="acceleration of C to the left",
    )
    car.output(
        "front.lateral_force",
        front_force,
        unit="N",
        description="force of the road on the front axle, normal to the turned wheel, to the left",
    )
    car.output(
        "rear.lateral_force",
        rear_force,
        unit="N",
        description="force of the road on the rear axle, to the left",
    )
    front_ratio = ca.fabs(front_force) / vehicle.front_load
    rear_ratio = ca.fabs(rear_force) / vehicle.rear_load
    car.output(
        "front.friction_ratio",
        front_ratio,
        description=f"lateral force over static axle load; {friction}",
    )
    car.output(
        "rear.friction_ratio",
        rear_ratio,
        description="lateral force over static axle load",
    )
    energy = parts.chassis.kinetic_energy()
    car.output("energy.kinetic", energy, unit="J", description="kinetic energy")
    car.output(
        "drive.power",
        vehicle.forces.drive * ca.dot(axis, C.velocity),
        unit="W",
        description="power of the driving force",
    )
    return {"front": front_ratio, "rear": rear_ratio}


def judge(vehicle: Vehicle, ratios: dict[str, ca.SX]) -> None:
    """Show whether the friction ratios have kept below their limit so far."""
    car, limit = vehicle.car, vehicle.data.friction_limit
    exceeded = ca.SX(0)
    for axle, ratio in ratios.items():
        mode = car.event(f"{axle}.limit_exceeded")
        # it stays: what was not valid once does not become so
        car.event(f"{axle}.limit_exceeded", ca.if_else(mode, 1, ratio - limit), band=BAND)
        exceeded = ca.fmax(exceeded, mode)
    car.output(
        "valid",
        1 - exceeded,
        kind="boolean",
        description="no friction ratio above friction.limit so far",
    )


TERMINALS = (
    Terminal(
        "steer",
        {
            "angle": "steer.angle",
            "rate": "steer.rate",
        },
        "command of the front axle",
    ),
    Terminal(
        "drive",
        {
            "force": "drive.force",
            "speed": "chassis.speed",
            "power": "drive.power",
        },
        "drive along the vehicle",
    ),
    Terminal(
        "brake",
        {
            "force": "brake.force",
            "power": "brake.power",
        },
        "brake",
    ),
    Terminal(
        "chassis",
        {
            "x": "chassis.x",
            "y": "chassis.y",
            "yaw": "chassis.yaw",
        },
        "place and heading",
    ),
)
