"""A wheel of a vehicle, `car` or `iltis`, on its axle: its body, torques and brake."""

from __future__ import annotations

import casadi as ca

from mbcore import Body, Hinge, Model, Speed
from mbcore.contact.regularized import Regularization, Regularized, regularize
from mbcore.model.nodes.nodes import Point, Rotation
from mbcore.model.quantities import Deformation

from .wheel_variables import WheelVariables

LIFT_BAND = 1e-9
"""Half width, m, of the hysteresis of a tyre that leaves the road."""
BRAKE_BAND = 1.0
"""Half width, N.m, of that of a brake that slides: 0.1 mm/s of a wheel that would turn against it,
more than solvers leave of rest. The torque itself keeps its limit."""


def torque_inputs(wheels: WheelVariables, name: str, chassis: str) -> tuple[ca.SX, ca.SX]:
    """Add the torque that drives a wheel from a ``chassis``, and that of its brake."""
    drive = wheels.input(
        name,
        "drive_torque",
        unit="N.m",
        description=f"from the {chassis} on the wheel, positive accelerates",
    )
    brake = wheels.input(
        name,
        "brake_torque",
        unit="N.m",
        minimum=0.0,
        description="largest torque between carrier and wheel: opposes its rotation, and "
        "holds at rest",
    )
    return drive, brake


def add_axle(model: Model, name: str, carrier: Rotation) -> tuple[Rotation, Deformation]:
    """Let a wheel turn on its carrier; return its orientation, and the angle."""
    frame = model.rotation(f"{name} wheel frame")
    axle = model.add(Hinge(f"{name} axle", carrier, frame, axis=(0, 1, 0)))
    spin = axle.angle.kinematic(
        f"{name}.angle",
        nominal=10.0,
        visibility="local",
        description="of the wheel relative to its carrier",
    )
    return frame, spin


def add_wheel_body(model: Model, name: str, centre: Point, frame: Rotation) -> None:
    """Add a wheel's mass and inertia, parameters ``wheel.mass`` and so on."""
    mass, diameter, spinning = (
        model.parameters[f"wheel.{what}"].symbol for what in ("mass", "inertia", "spin_inertia")
    )
    inertia = diameter, spinning, diameter
    model.add(Body(f"{name} wheel body", centre, frame, mass=mass, inertia=inertia))


def drive(model: Model, frame: Rotation, carrier: Rotation, chassis: Rotation, by: ca.SX) -> None:
    """Drive a wheel by a torque from a differential on the chassis, by a half shaft."""
    direction = carrier.turned(ca.DM([0, 1, 0]))
    model.moment(frame, by * direction)
    model.moment(chassis, -by * direction)


def add_brake(model: Model, name: str, spin: Deformation, limit: ca.SX) -> Regularized:
    """Add dry friction between carrier and wheel, which sticks elastically."""
    slip = model.add(Speed(f"{name} brake", spin.rate, unit="rad/s")).slip
    stiffness, damping = (
        model.parameters[f"brake.{what}"].symbol for what in ("stiffness", "damping")
    )
    return regularize(
        model,
        slip,
        Regularization(stiffness, damping, compliance=1.0),
        limit=limit,
        name=f"{name}.brake",
        nominal=0.01,
        band=BRAKE_BAND,
    )
