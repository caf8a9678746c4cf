"""Driven wheels of a mobile robot: parameters, nodes, drives and outputs that all have."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Body, Model
from mbcore.model.nodes.nodes import Angle, Point

from . import Base, length
from .drives import Drive, add_drive
from .loads import Mass, Spin, Support


@dataclass(frozen=True)
class WheelData:
    """Parameters that all driven wheels share; SI units."""

    mass: ca.SX
    spin_inertia: ca.SX
    stiffness: ca.SX


@dataclass(frozen=True)
class DrivenWheel:
    """A driven wheel, which does not roll yet."""

    name: str
    hub: Point
    spin: Angle
    radius: ca.SX
    drive: Drive
    support: Support
    mass: Mass
    inertia: Spin


def add_wheel_data(robot: Model) -> WheelData:
    """Add the parameters of all driven wheels."""
    return WheelData(
        robot.parameter("wheel.mass", 1.0, unit="kg", minimum=0.0, description="of a driven wheel"),
        robot.parameter(
            "wheel.spin_inertia",
            5e-3,
            unit="kg.m2",
            positive=True,
            description="of a driven wheel with its motor, about its axle",
        ),
        robot.parameter(
            "wheel.stiffness",
            1e5,
            unit="N/m",
            positive=True,
            description="vertical, of a driven wheel with the floor; the ratio shares the load",
        ),
    )


def add_driven_wheel(
    base: Base, name: str, place: tuple[ca.SX, ca.SX], data: WheelData, by_speed: ca.SX
) -> DrivenWheel:
    """Add hub, spin and drive of a wheel at a place of the base, whose axle is to the left."""
    robot = base.robot
    radius = length(robot, f"{name}.radius", 0.1, f"of the {name} wheel", positive=True)
    hub, spin = base.point(f"{name} hub", place), robot.angle(f"{name} spin")
    robot.add(Body(f"{name} mass", hub, None, mass=data.mass)).visible = False
    robot.add(Body(f"{name} spin inertia", None, spin, inertia=data.spin_inertia))
    spin.angle.kinematic(
        f"{name}.angle", nominal=10.0, description="angle by which the wheel has turned"
    )
    drive = add_drive(robot, name, by_speed)
    robot.load(drive.torque, spin.rate)
    return DrivenWheel(
        name,
        hub,
        spin,
        radius,
        drive,
        Support(hub, data.stiffness),
        Mass(data.mass, hub, radius),
        Spin(data.spin_inertia, spin, base.heading),
    )


def show_drive(robot: Model, wheel: DrivenWheel, torque: ca.SX) -> None:
    """Add the outputs of a drive; the torque is on the wheel, whichever way it is driven, N.m."""
    name, rate = wheel.name, wheel.spin.rate
    robot.output(f"{name}.rate", rate, unit="rad/s", description="spin rate, forwards")
    robot.output(
        f"{name}.drive_torque",
        torque,
        unit="N.m",
        description="on the wheel, whichever way it is driven",
    )
    robot.output(f"{name}.power", torque * rate, unit="W", description="of the drive")


def show_forces(robot: Model, name: str, forces: tuple[ca.SX, ca.SX], load: ca.SX) -> None:
    """Add the forces of the floor on a wheel, forward and to the left of it, and its load, N."""
    for axis, force, where in zip("xy", forces, ("forward", "to the left"), strict=True):
        robot.output(
            f"{name}.force_{axis}",
            force,
            unit="N",
            description=f"of the floor on the wheel, {where} of it",
        )
    robot.output(
        f"{name}.load",
        load,
        unit="N",
        nominal=100.0,
        description="of the floor on the wheel, upwards; where it is negative the wheel would lift",
    )
