"""Wheels of a robot in its model: slips of the material at their lowest points, and forces.

It is apart from `mbcore.robots.from_urdf`, which knows no velocities.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import casadi as ca

from mbcore.contact.regularized import regularize, regularize_pair
from mbcore.elements.bodies.rigid_link import start_matrix
from mbcore.elements.tyres.tyre import Tyre
from mbcore.elements.wheels.rolling_coupling import RollingCoupling
from mbcore.elements.wheels.wheel import Wheel
from mbcore.model.errors import ModelError
from mbcore.model.quantities import Role, Slip
from mbcore.robots.robot import Robot, RollingWheel
from mbcore.robots.rolling import Mecanum, WheelPlace
from mbcore.robots.support import Support
from mbcore.robots.wheel_friction import WheelFriction


@dataclass(frozen=True)
class _Axle:
    """An axle that points to the base's left, on the axes of both orientations it joins.

    ``offset`` is that of the wheel's middle along it, m.
    """

    axis: ca.DM
    offset: float


def add_wheel(robot: Robot, place: WheelPlace, support: Support, root: str) -> None:
    """Add a wheel with its slips; those that are not zero are free."""
    link, fork = robot.links[place.joint.child], robot.links[place.joint.parent]
    axle = _axle(robot, place)
    across, up = fork.orientation.turned(axle.axis), ca.SX([0, 0, 1])
    along = ca.cross(across, up)
    along /= ca.norm_2(along)
    spoke = ca.cross(along, across)
    beside = axle.offset * across if axle.offset else ca.SX.zeros(3)
    contact = link.base.position - robot.links[root].base.position + beside - place.radius * spoke
    ground = place.said.ground
    if ground is not None and ground.tyre is not None:
        slips = _tyre_slips(robot, place, axle)
        robot.wheels[place.link] = RollingWheel(place.link, place.radius, *slips, contact=contact)
        return
    velocity = link.base.velocity - place.radius * ca.cross(link.angular_velocity, spoke)
    if axle.offset:
        velocity += axle.offset * ca.cross(fork.angular_velocity, across)
    added: dict[str, Slip] = {}
    for word, direction in _held_directions(place, along, ca.cross(up, along)):
        name = f"{place.link}.{word}"
        slip = robot.add(RollingCoupling(name, ca.dot(direction, velocity))).slips["slip"]
        if (place.link, word) not in support.zero:
            slip.release()
        added[word] = slip
    roller = place.said.angle if isinstance(place.said, Mecanum) else None
    robot.wheels[place.link] = RollingWheel(
        place.link, place.radius, added["along"], added.get("sideways"), roller, contact
    )


def _axle(robot: Robot, place: WheelPlace) -> _Axle:
    link, fork = robot.links[place.joint.child], robot.links[place.joint.parent]
    # The body before the wheel has the same axle and does not spin; both have the same axes where
    # the joint's coordinate is zero.
    axis = link.frame.turn @ place.joint.axis
    offset = float(axis @ link.frame.turn @ place.centre)
    if float((start_matrix(fork.orientation) @ ca.DM(axis))[1]) < 0:  # to the base's right
        axis, offset = -axis, -offset
    return _Axle(ca.DM(axis), offset)


def _tyre_slips(robot: Robot, place: WheelPlace, axle: _Axle) -> tuple[Slip, Slip]:
    """Add a `Wheel` whose spoke ends on the ground; return its free slips along and sideways."""
    link = robot.links[place.joint.child]
    centre = link.base
    if axle.offset:
        centre = robot.link_point(f"{place.link}.middle", place.joint.child, place.centre.tolist())
    start = [float(x) for x in ca.vertsplit(centre.start)]
    contact = robot.point(f"{place.link}.contact", (start[0], start[1], 0.0))
    axis = [float(x) for x in ca.vertsplit(axle.axis)]
    wheel = robot.add(
        Wheel(
            f"{place.link}.tyre", centre, link.orientation, contact, radius=place.radius, axle=axis
        )
    )
    wheel.visible = False
    wheel.deformations["radial"].release()  # the base keeps its height
    return wheel.slips["longitudinal"].release(), wheel.slips["lateral"].release()


def add_ground(robot: Robot, place: WheelPlace, load: ca.SX | None) -> None:
    """Add what a wheel's `Ground` says to its free slips.

    Raises
    ------
    ModelError
        If a law needs a load that is not determined.
    """
    wheel = robot.wheels[place.link] = replace(robot.wheels[place.link], load=load)
    ground = place.said.ground
    if ground is None or not ground.slides:
        return
    if load is None and ground.by_load:
        raise ModelError(
            f"from_urdf: rolling: the law of wheel {place.link} needs its load, which only three "
            'wheels that carry determine; give support="compliant", or name three with this one'
        )
    if ground.tyre is not None:
        element = robot.elements[f"{place.link}.tyre"]
        assert isinstance(element, Wheel)
        tyre = Tyre(element, ground.tyre, load=load)
        robot.wheels[place.link] = replace(wheel, tyre=tyre)
    elif ground.regularize is None:
        assert ground.friction is not None
        robot.add(WheelFriction(f"{place.link}.friction", wheel, ground.friction))
    elif (limit := ground.limit(load)) is None or wheel.sideways is None:
        for word, slip in (("along", wheel.along), ("sideways", wheel.sideways)):
            if slip is not None:
                name = f"{place.link}.{word}"
                regularize(robot, slip, ground.regularize, limit=limit, name=name)
    else:
        slips = (wheel.along, wheel.sideways)
        names = [f"{place.link}.{word}" for word in ("along", "sideways")]
        regularize_pair(robot, slips, ground.regularize, limit=limit, names=names)


def _held_directions(place: WheelPlace, along: ca.SX, sideways: ca.SX) -> list[tuple[str, ca.SX]]:
    """Return in which directions the ground holds the wheel's material: of rollers one."""
    if not isinstance(place.said, Mecanum):
        return [("along", along), ("sideways", sideways)]
    turn = place.said.angle
    return [("along", math.cos(turn) * along + math.sin(turn) * sideways)]


def add_outputs(robot: Robot, root: str, support: Support, loads: Mapping[str, ca.SX]) -> None:
    """Add forces and loads of wheels, and the velocity of the base on its own axes."""
    for wheel in robot.wheels.values():
        for axis, slip, force, where in (
            ("x", wheel.along, wheel.longitudinal_force, "along its heading"),
            ("y", wheel.sideways or wheel.along, wheel.lateral_force, "to the left of its heading"),
        ):
            if slip.role is Role.FREE and not slip.laws:
                continue  # no force
            robot.output(
                f"{wheel.link}.force_{axis}",
                force,
                unit="N",
                description=f"of the ground on wheel {wheel.link}, {where}",
            )
        if wheel.link in loads:
            robot.output(
                f"{wheel.link}.load",
                loads[wheel.link],
                unit="N",
                description=f"of the ground on wheel {wheel.link}, upwards; it would lift if < 0",
            )
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
        # Where no slip is zero, the rate of the heading is a state of this name.
        if name != "base.yaw_rate" or "base.yaw" in support.following:
            robot.output(name, value, unit=unit, description=what)
