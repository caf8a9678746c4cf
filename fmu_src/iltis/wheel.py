"""One wheel of the ILTIS on its carrier: tyre, rolling, drive and brake; placed four times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore import Model, RollingCoupling, Speed, Tyre, Wheel
from mbcore.model.nodes.nodes import Point, Rotation
from mbcore.model.quantities import Slip

from ..road_wheel import LIFT_BAND, add_axle, add_brake, add_wheel_body, drive
from .data import DataSheet, HardPoints
from .suspension import Cabin, Suspension
from .tyres import NO_LATERAL_SLIP, Tyres

ROLLING, PRESCRIBED = 1, 2
"""Items of the choice ``wheels``."""


@dataclass(frozen=True)
class Controls:
    """Drive of a wheel, and its rolling."""

    road_height: ca.SX
    drive_torque: ca.SX
    brake_torque: ca.SX
    tyres: ca.SX
    on: Tyres
    """The tyres of the vehicle."""
    standing: bool
    """Whether it cannot go away, for its equilibrium."""
    wheels: ca.SX
    prescribed_speed: ca.SX
    """Speed, m/s, of the surface of a shaft that turns the wheels where they are prescribed."""


@dataclass(frozen=True)
class WheelOnTyre:
    """A wheel, with its outputs."""

    wheel: Wheel
    tyre: Tyre
    rolling: RollingCoupling
    gap: ca.SX
    """By how much the loaded radius is longer than the unloaded one, m; negative on the road."""
    pressed: ca.SX
    """Force of a spring that pulls where the tyre has left the road, N."""
    airborne: ca.SX


def add_wheel(
    model: Model,
    name: str,
    at: HardPoints,
    cabin: Cabin,
    suspension: Suspension,
    data: DataSheet,
    given: Controls,
) -> WheelOnTyre:
    """Add a wheel to its suspension's carrier."""
    frame, spin = add_axle(model, name, suspension.carrier)
    add_wheel_body(model, name, suspension.centre, frame)
    wheel, tyre = _add_tyre(model, name, at, suspension.centre, frame, data, given)
    spoke = ca.norm_2(wheel.radius)
    slip = wheel.longitudinal.velocity / spoke
    driven = at.radius * spin.rate - given.prescribed_speed
    condition = ca.if_else(ca.eq(given.wheels, PRESCRIBED), driven, slip)
    rolling = model.add(RollingCoupling(f"{name} rolling", condition))
    drive(model, frame, suspension.carrier, cabin.frame, given.drive_torque)
    add_brake(model, name, spin, given.brake_torque)
    gap = spoke - at.radius
    stretched = given.on.stretched(tyre, gap)
    airborne = model.event(f"{name}.lifted", stretched, band=LIFT_BAND)
    pressed = -given.on.stiffness(data) * stretched
    return WheelOnTyre(wheel, tyre, rolling, gap, pressed, airborne)


def _add_tyre(
    model: Model,
    name: str,
    at: HardPoints,
    centre: Point,
    frame: Rotation,
    data: DataSheet,
    given: Controls,
) -> tuple[Wheel, Tyre]:
    """Put the wheel on the road, whose height is given, with the tyre of the choice."""
    contact = model.point(f"{name} contact", at.contact)
    wheel = model.add(
        Wheel(
            f"{name} wheel",
            centre,
            frame,
            contact,
            radius=at.radius,
            surface=lambda place: place[2] - given.on.ground,
            width=0.19,
        )
    )
    wheel.deformations["surface"].prescribe(given.road_height)
    wheel.longitudinal.release()
    wheel.lateral.release()
    tyre = given.on.put_on(wheel, at.side, data, given.tyres, given.standing)
    return wheel, tyre


def hold_axle(model: Model, name: str, wheels: Sequence[WheelOnTyre], tyres: ca.SX) -> Slip:
    """Hold the mean lateral slip of an axle's wheels at zero where ``tyres`` says so.

    Each wheel's own slip cannot be held: at rest, bump by dz turns a front wheel outwards by
    0.171 rad/m dz and puts its contact outwards by 0.218 dz, so that both wheels of the axle would
    roll apart like exp(0.783 x/m) over the distance x. The slips are those of the wheels' own
    points at the contact. That of the contact point, as in [Schwab2002] (3.51), differs by the rate
    at which the spoke is pressed times the camber; its rate would need the acceleration of the
    road.
    """
    mean = ca.SX(0)
    for rolling in wheels:
        wheel = rolling.wheel
        sideways = ca.cross(wheel.normal, wheel.tangent_direction)
        own = wheel.centre.velocity + ca.cross(wheel.rotation.angular_velocity, wheel.radius)
        mean += ca.dot(sideways, own) / ca.norm_2(sideways) / len(wheels)
    slip = model.add(Speed(f"{name} held slip", mean)).slip
    return slip.hold(ca.eq(tyres, NO_LATERAL_SLIP), name=f"{name}.slip_held")
