"""Axles that slide: heading and the rear axle's slip as degrees of freedom, and dry friction."""

from __future__ import annotations

import casadi as ca
import numpy as np

from mbcore import Friction, PlanarHinge, PlanarKnifeEdge, PlanarWheel, StateName
from mbcore.drawing import arrow

from . import Vehicle


def free_rear_axle(vehicle: Vehicle) -> ca.SX:
    """Make sideways rolling and heading degrees of freedom; return the rear slip velocity, m/s."""
    car, parts = vehicle.car, vehicle.parts
    sideways = car.angle("rear sideways rotation")
    across = car.add(
        PlanarWheel(
            "rear sideways",
            parts.rear_axle,
            parts.heading,
            sideways,
            radius=1.0,
            direction=np.pi / 2,
        )
    )
    across.lateral.release()
    across.visible = False  # it stands for the axle's slip; only its force is seen
    car.show(*(shape for shape in across.shapes() if shape.kind == "arrow"))
    slip = sideways.angle.dof(
        StateName("rear.lateral_distance", visibility="local", unit="m"),
        StateName(
            "rear.slip_velocity",
            description="lateral slip velocity at the rear contact, positive to the left",
        ),
        nominal=1.0,
        rate_nominal=0.1,
        description="distance rolled sideways by the rear axle",
    ).rate
    parts.heading.angle.dof(
        "chassis.yaw",
        StateName("chassis.yaw_rate", description="yaw rate"),
        rate_nominal=0.1,
        description="heading",
    )
    return slip


def rub(vehicle: Vehicle) -> dict[str, ca.SX]:
    """Let each axle roll up to the road's friction and slide beyond; return lateral forces, N."""
    car, parts, found = vehicle.car, vehicle.parts, {}
    for axle, wheel, heading, load in (
        ("front", parts.front, parts.front_heading, vehicle.front_load),
        ("rear", parts.rear, parts.heading, vehicle.rear_load),
    ):
        wheel.lateral.release()  # a blade takes its place, which rubs across only
        blade = car.add(PlanarKnifeEdge(f"{axle}.blade", wheel.centre, heading))
        blade.visible = False
        coefficient = vehicle.data.friction_limit
        friction = car.add(Friction(f"{axle}.friction", blade, coefficient=coefficient, load=load))
        found[axle] = -blade.slips["lateral"].force
        car.show(arrow(wheel.centre, heading.matrix[:, 1] * found[axle], name=f"{axle} friction"))
        car.output(
            f"{axle}.sliding",
            1 - friction.sticks,
            kind="boolean",
            description=f"whether the {axle} axle slides",
        )
    car.output(
        "front.slip_velocity",
        parts.front.lateral.velocity,
        unit="m/s",
        description="lateral slip velocity at the front contact, to the left of the turned wheel",
    )
    return found


def brake(vehicle: Vehicle) -> None:
    """Let the brake act as a friction of the rear axle that needs no load, and show its power."""
    car, parts = vehicle.car, vehicle.parts
    frame = car.angle("brake frame", fixed=True)
    turning = car.add(PlanarHinge("brake hinge", frame, parts.rolled))
    friction = car.add(
        Friction(
            "brake",
            turning,
            radius=1.0,  # that of the rear wheel, so that a torque is a force
            coefficient=0.0,
            preload=vehicle.forces.brake,
            at=parts.rear_axle,
            of=parts.rear,
        )
    )
    car.output(
        "brake.power",
        friction.power,
        unit="W",
        description="power of the brake, which only takes energy",
    )
