"""Mobile robots on a level floor: a base on wheels that roll, seen from above, x forward, y left.

The base moves in the plane; what carries it follows from the inertia forces and the wheels'
compliance. Wheels and casters are each in a file of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore import Body, Model, RigidLink, Speed, Units
from mbcore.model.nodes.nodes import Angle, Point

from .loads import Mass


@dataclass(frozen=True)
class Base:
    """The rigid base, whose speeds have no roles yet."""

    robot: Model
    place: Point
    """Where the robot is: the middle of its driven wheels."""
    heading: Angle
    mass_centre: Point
    mass: Mass
    gravity: ca.SX

    @property
    def ahead(self) -> ca.SX:
        """Direction forward, shape (2, 1)."""
        return self.heading.matrix[:, 0]

    @property
    def left(self) -> ca.SX:
        """Direction to the left, shape (2, 1)."""
        return self.heading.matrix[:, 1]

    def point(self, name: str, place: Sequence[ca.SX | float]) -> Point:
        """Add a point of the base at (x, y) from its place, m."""
        added = self.robot.point(name, tuple(place))
        self.robot.add(RigidLink(f"to_{name}", self.place, self.heading, added)).visible = False
        return added


def add_base(robot: Model, mass: float, inertia: float, ahead: float, height: float) -> Base:
    """Add the base with its parameters and place; start values in kg, kg.m2 and m.

    Parameters
    ----------
    ahead, height : float
        Of the mass centre: ahead of the place, and above the floor.
    """
    m = robot.parameter("body.mass", mass, unit="kg", positive=True, description="mass of the body")
    J = robot.parameter(
        "body.inertia",
        inertia,
        unit="kg.m2",
        positive=True,
        description="of the body with what turns with it, about the vertical, at its mass centre",
    )
    x = length(robot, "body.x", ahead, "place of the mass centre ahead of base.x, base.y")
    h = length(robot, "body.height", height, "height of the mass centre", positive=True)
    gravity = robot.parameter(
        "gravity",
        9.81,
        unit="m/s2",
        positive=True,
        description="acceleration of free fall, for the wheels' loads",
    )
    place, heading = robot.point("base", (0, 0)), robot.angle("heading")
    centre = robot.point("mass centre", (x, 0))
    robot.add(RigidLink("body", place, heading, centre)).visible = False
    robot.add(Body("body mass", centre, heading, mass=m, inertia=J)).visible = False
    place.x.kinematic("base.x", description="place of the base, inertial axes")
    place.y.kinematic("base.y", description="place of the base, inertial axes")
    heading.angle.kinematic("base.yaw", description="heading, to the left")
    return Base(robot, place, heading, centre, Mass(m, centre, h), gravity)


def drive_speeds(base: Base, sideways: bool) -> None:
    """Make the speeds of the base its degrees of freedom; ``sideways`` that to the left, too."""
    robot, velocity = base.robot, base.place.velocity
    ahead = robot.add(Speed("forward", ca.dot(base.ahead, velocity))).slip
    ahead.dof("base.speed", description="speed of the base along its heading")
    if sideways:
        left = robot.add(Speed("sideways", ca.dot(base.left, velocity))).slip
        left.dof("base.side_speed", description="speed of the base to its left")
    turning = robot.add(Speed("turning", base.heading.rate, unit="rad/s")).slip
    turning.dof("base.yaw_rate", description="yaw rate")


def length(
    robot: Model, name: str, value: float, description: str, positive: bool = False
) -> ca.SX:
    """Add a length, shown in mm, that is fixed once a simulation has begun."""
    return robot.parameter(
        name,
        value,
        unit=Units("m", "mm"),
        positive=positive,
        tunable=False,
        description=description,
    )
