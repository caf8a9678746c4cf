"""The king pin about which the front axle is steered, and its dry friction.

The axle's angle is prescribed and the axle has no mass, so that the road's force goes straight
through the pin. Friction there changes the torque of the steering, and no motion.
"""

from __future__ import annotations

import casadi as ca

from mbcore import Units

from . import Vehicle


def rub(vehicle: Vehicle, force: ca.SX) -> None:
    """Show the torque that steers, which the pin's friction resists.

    Parameters
    ----------
    force : SX
        Lateral force of the road on the front axle, N, which the pin transmits.
    """
    car = vehicle.car
    coefficient = car.parameter(
        "steer.friction", 0.0, minimum=0.0, description="friction coefficient of the king pin"
    )
    radius = car.parameter(
        "steer.pin_radius",
        0.02,
        unit=Units("m", "mm"),
        positive=True,
        description="radius of the king pin",
    )
    preload = car.parameter(
        "steer.preload",
        0.0,
        unit="N.m",
        minimum=0.0,
        description="friction torque in the king pin that is there without load",
    )
    resisting = coefficient * radius * ca.fabs(force) + preload
    car.output(
        "steer.torque",
        ca.sign(vehicle.parts.pivot.angle.rate) * resisting,
        unit="N.m",
        description="of the steering on the front axle, against the king pin's friction; 0 while "
        "the angle does not change",
    )
