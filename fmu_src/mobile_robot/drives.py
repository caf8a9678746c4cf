"""Drives of wheels: by a torque, or by a servo that gives the wheel a speed."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Model, Speed
from mbcore.model.nodes.nodes import Angle
from mbcore.model.quantities import Slip


@dataclass(frozen=True)
class Drive:
    """How one wheel is driven.

    Attributes
    ----------
    torque : SX
        On the wheel by ``torque``, N.m; 0 with ``speed``.
    shaft : Angle
        Turns as the commanded speed says.
    """

    torque: ca.SX
    shaft: Angle


def add_choice(robot: Model, *further: str) -> dict[str, ca.SX]:
    """Add the enumeration `drive`; return by the name of an item 1 where it is chosen, else 0.

    Parameters
    ----------
    robot : Model
        To which it is added.
    *further : str
        Items beside ``torque`` and ``speed``, each as ``"name: description"``.
    """
    items = (
        "torque: of each wheel as given", "speed: servos turn the wheels as given", *further
    )  # fmt: skip
    names = [item.partition(":")[0] for item in items]
    choice = robot.enumeration("drive", names, description="; ".join(items))
    return {name: ca.eq(choice, number) for number, name in enumerate(names, 1)}


def add_drive(robot: Model, name: str, by_speed: ca.SX) -> Drive:
    """Add the inputs of one wheel, and a shaft that turns with its commanded speed."""
    torque = robot.input(
        f"{name}.torque", unit="N.m", description="of the motor on the wheel, positive forwards"
    )
    acceleration = robot.input(
        f"{name}.acceleration",
        unit="rad/s2",
        description="rate of the commanded speed",
    )
    speed = robot.input(
        f"{name}.speed",
        unit="rad/s",
        rate=acceleration,
        description="commanded spin rate of the wheel",
    )
    turned = robot.state(
        f"{name}.commanded_angle",
        unit="rad",
        description="angle that the commanded speed adds up to",
        visibility="local",
    )
    robot.derivative(f"{name}.commanded_angle", speed)
    shaft = robot.angle(f"{name} shaft")
    shaft.angle.prescribe(turned)
    return Drive((1 - by_speed) * torque, shaft)


def add_servo(robot: Model, name: str, ahead: ca.SX, by_speed: ca.SX) -> Slip:
    """Hold a rate at zero, that of wheels against their shafts, while speeds are commanded."""
    slip = robot.add(Speed(f"{name}_servo", ahead, unit="rad/s")).slip.release()
    return slip.hold(by_speed, name=f"{name}.servo_holds")
