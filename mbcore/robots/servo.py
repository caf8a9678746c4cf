"""Joints that turn as an input says: servos that hold a commanded speed exactly.

Only `mbcore.robots.assembly` uses it, which knows no inputs.
"""

from __future__ import annotations

from mbcore.model.quantities import Deformation
from mbcore.robots.description import Joint
from mbcore.robots.robot import Robot


def add_servo(robot: Robot, joint: Joint, coordinate: Deformation, start: float) -> None:
    """Prescribe a joint's coordinate by the input ``JOINT.speed``.

    Its integral is the state ``JOINT.angle`` or ``JOINT.displacement``. ``JOINT.acceleration``, the
    rate of the speed, enters the forces; ``JOINT.drive_torque`` or ``JOINT.drive_force`` is what
    the servo needs, N.m or N.
    """
    slides = joint.kind == "prismatic"
    word, unit, force = ("displacement", "m", "N") if slides else ("angle", "rad", "N.m")
    acceleration = robot.input(
        f"{joint.name}.acceleration",
        unit=f"{unit}/s2",
        description=f"rate of the commanded speed of joint {joint.name}",
    )
    speed = robot.input(
        f"{joint.name}.speed",
        unit=f"{unit}/s",
        rate=acceleration,
        description=f"at which a servo moves joint {joint.name}",
    )
    name = f"{joint.name}.{word}"
    moved = robot.state(
        name,
        start=start,
        unit=unit,
        description=f"{word} of joint {joint.name}",
        visibility="output",
    )
    robot.derivative(name, speed)
    coordinate.release().prescribe(moved)
    robot.output(
        f"{joint.name}.drive_{'force' if slides else 'torque'}",
        -coordinate.stress,
        unit=force,
        description=f"of the servo on joint {joint.name}, along its axis",
    )
