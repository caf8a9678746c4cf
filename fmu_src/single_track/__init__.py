"""A four-wheeled vehicle as a single track: both axles are planar wheels on its centre line.

Seen from above, x forward, y left, as in [SchiehlenEismann] Fig. 1. The rear wheel has unit
radius, so that its rotation is the rolled distance and its rate the speed. The user defines the
road's forces across the wheels, and so the heading.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Body, Model, PlanarHinge, PlanarWheel, RigidLink, StateName
from mbcore.model.nodes.nodes import Angle, Point

from .dry_friction import brake
from .inputs import (
    Forces,
    Parameters,
    add_forces,
    add_parameters,
    add_steering,
)
from .shapes import add_shapes


@dataclass(frozen=True)
class Parts:
    """Nodes and elements of a vehicle."""

    centre: Point
    """C, the mass centre."""
    rear_axle: Point
    heading: Angle
    front_heading: Angle
    """Direction of the front wheel."""
    rolled: Angle
    """Rotation of the rear wheel, whose radius is one."""
    pivot: PlanarHinge
    chassis: Body
    rear: PlanarWheel
    front: PlanarWheel


@dataclass(frozen=True)
class Vehicle:
    """A vehicle whose heading and lateral slips have no roles of their own yet."""

    car: Model
    data: Parameters
    forces: Forces
    parts: Parts
    speed: ca.SX
    """v_H, m/s."""
    steer_angle: ca.SX
    steer_rate: ca.SX
    """Its rate, rad/s; 0 where it follows the speed at once: a share of the acceleration."""
    rear_load: ca.SX
    front_load: ca.SX
    """Static axle loads, N."""

    @property
    def axis(self) -> ca.SX:
        """Direction of the vehicle's longitudinal axis, shape (2, 1)."""
        return self.parts.heading.matrix[:, 0]

    @property
    def side(self) -> ca.SX:
        """Direction to its left, shape (2, 1)."""
        return self.parts.heading.matrix[:, 1]

    def brake(self, applied: ca.SX) -> None:
        """Let the brake act, and show its power; ``applied`` is all other force on v_H, N."""
        force = brake(self.car, "brake", self.speed, self.forces.brake, applied, self.data.mass)
        self.car.load(force, self.speed)
        self.car.output(
            "brake.power",
            force * self.speed,
            unit="W",
            description="power of the brake, which only takes energy",
        )


def describe(name: str, gravity: str, lagging: bool = False) -> Vehicle:
    """Return the vehicle with its inputs and parameters.

    Parameters
    ----------
    gravity : str
        Use of gravity.
    lagging : bool
        Whether the front axle's angle follows the speed by its actuator, not at once.
    """
    car = Model(name)
    steering = add_steering(car, lagging)
    data = add_parameters(car, gravity)
    forces = add_forces(car)
    parts = assemble(car, data)
    speed = give_roles(parts)
    angle = steering.angle(car, speed)
    car.derivative("steer.actuator_angle", steering.actuator_rate(car, speed))
    parts.pivot.angle.prescribe(angle, servo=True)
    weight = data.mass * data.gravity / data.wheelbase
    vehicle = Vehicle(
        car=car,
        data=data,
        forces=forces,
        parts=parts,
        speed=speed,
        steer_angle=angle,
        steer_rate=steering.rate(car, speed),
        rear_load=weight * (data.wheelbase - data.to_mass_centre),
        front_load=weight * data.to_mass_centre,
    )
    car.force(parts.centre, forces.drive * vehicle.axis + forces.load)
    axles = ((parts.rear, parts.heading), (parts.front, parts.front_heading))
    add_shapes(car, parts.heading, axles, parts.rolled.value)
    return vehicle


def assemble(car: Model, data: Parameters) -> Parts:
    """Add the rigid body, C in front of the rear axle R and behind the front axle F, on wheels."""
    l, l_H = data.wheelbase, data.to_mass_centre  # noqa: E741
    C, gamma = car.point("C", (0, 0)), car.angle("chassis")
    R, F = car.point("R", (-l_H, 0)), car.point("F", (l - l_H, 0))
    # Both links start at R, where the rear wheel rolls: small blocks in the velocity problem.
    car.add(RigidLink("wheelbase", R, gamma, F))
    car.add(RigidLink("rear body", R, gamma, C))
    chassis = car.add(Body("chassis", C, gamma, mass=data.mass, inertia=data.inertia))
    front_axle = car.angle("front axle")
    rolled = car.angle("rear rotation")
    locked = car.angle("front rotation", fixed=True)
    pivot = car.add(PlanarHinge("pivot", gamma, front_axle))
    rear = car.add(PlanarWheel("rear wheel", R, gamma, rolled, radius=1.0))
    front = car.add(PlanarWheel("front wheel", F, front_axle, locked, radius=1.0))
    front.longitudinal.release()
    return Parts(C, R, gamma, front_axle, rolled, pivot, chassis, rear, front)


def give_roles(parts: Parts) -> ca.SX:
    """Set the degree of freedom and the kinematic coordinates of C; return the speed v_H, m/s."""
    rolled = parts.rolled.angle.dof(
        StateName("rear.rolled_distance", visibility="local", unit="m"),
        StateName("chassis.speed", description="speed along the vehicle's axis, v_H"),
        rate_start=10.0,
        nominal=10.0,
        rate_nominal=10.0,
        description="distance rolled by the rear axle",
    )
    parts.centre.x.kinematic("chassis.x", nominal=10.0, description="position of C")
    parts.centre.y.kinematic("chassis.y", nominal=10.0, description="position of C")
    return rolled.rate
