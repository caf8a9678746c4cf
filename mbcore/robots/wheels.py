"""Wheels of a robot in its model: slips of the material at their lowest points, and forces.

It is apart from `mbcore.robots.from_urdf`, which knows no velocities.
"""

from __future__ import annotations

import math

import casadi as ca

from mbcore.elements.bodies.rigid_link import start_matrix
from mbcore.elements.wheels.rolling_coupling import RollingCoupling
from mbcore.model.quantities import Slip
from mbcore.robots.robot import Robot, RollingWheel
from mbcore.robots.rolling import Mecanum, WheelPlace
from mbcore.robots.support import Support


def add_wheel(robot: Robot, place: WheelPlace, support: Support) -> None:
    """Add a wheel with its slips; those that are not zero are free."""
    link, fork = robot.links[place.joint.child], robot.links[place.joint.parent]
    # The body before the wheel has the same axle and does not spin; both have the same axes where
    # the joint's coordinate is zero.
    axis = link.frame.turn @ place.joint.axis
    offset = float(axis @ link.frame.turn @ place.centre)
    if float((start_matrix(fork.orientation) @ ca.DM(axis))[1]) < 0:  # to the base's right
        axis, offset = -axis, -offset
    axle, up = fork.orientation.turned(ca.DM(axis)), ca.SX([0, 0, 1])
    along = ca.cross(axle, up)
    along /= ca.norm_2(along)
    velocity = link.base.velocity - place.radius * ca.cross(
        link.angular_velocity, ca.cross(along, axle)
    )
    if offset:
        velocity += offset * ca.cross(fork.angular_velocity, axle)
    slips: dict[str, Slip] = {}
    for word, direction in _held_directions(place, along, ca.cross(up, along)):
        name = f"{place.link}.{word}"
        slip = robot.add(RollingCoupling(name, ca.dot(direction, velocity))).slips["slip"]
        if (place.link, word) not in support.zero:
            slip.release()
        slips[word] = slip
    roller = place.said.angle if isinstance(place.said, Mecanum) else None
    wheel = RollingWheel(place.link, place.radius, slips["along"], slips.get("sideways"), roller)
    robot.wheels[place.link] = wheel
    for axis_name, word, force, where in (
        ("x", "along", wheel.longitudinal_force, "along its heading"),
        ("y", "sideways", wheel.lateral_force, "to the left of its heading"),
    ):
        if (place.link, "along" if roller is not None else word) not in support.zero:
            continue
        robot.output(
            f"{place.link}.force_{axis_name}",
            force,
            unit="N",
            description=f"of the ground on wheel {place.link}, {where}",
        )


def _held_directions(place: WheelPlace, along: ca.SX, sideways: ca.SX) -> list[tuple[str, ca.SX]]:
    """Return in which directions the ground holds the wheel's material: of rollers one."""
    if not isinstance(place.said, Mecanum):
        return [("along", along), ("sideways", sideways)]
    turn = place.said.angle
    return [("along", math.cos(turn) * along + math.sin(turn) * sideways)]


def add_outputs(robot: Robot, root: str) -> None:
    """Add the velocity of a base that moves in the plane, on its own axes."""
    base = robot.links[root]
    heading, left = base.orientation.turned((1, 0, 0)), base.orientation.turned((0, 1, 0))
    for name, value, unit, what in (
        ("base.speed", ca.dot(heading, base.velocity), "m/s", "velocity of the base, forward"),
        (
            "base.side_speed",
            ca.dot(left, base.velocity),
            "m/s",
            "velocity of the base to the left",
        ),
        ("base.yaw_rate", base.angular_velocity[2], "rad/s", "rate of the heading"),
    ):
        if name not in robot.outputs:
            robot.output(name, value, unit=unit, description=what)
