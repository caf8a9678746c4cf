"""One wheel of the car: guide, spring, tyre, drive and brake; placed four times."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Model, Tyre, TyreLaw, Wheel
from mbcore.contact.regularized import Regularized
from mbcore.model.nodes.nodes import Point, Rotation
from mbcore.model.quantities import Deformation

from ..road_wheel import LIFT_BAND, add_axle, add_brake, add_wheel_body, drive
from ..tyre_data import TyreData
from .body import SPEED, CarBody
from .data import CORNERS, DataSheet
from .guide import Guide, Path
from .inputs import Controls
from .steering import Steering, ackermann


@dataclass(frozen=True)
class Corner:
    """A wheel with its outputs."""

    guide: Guide
    wheel: Wheel
    tyre: Tyre
    law: TyreLaw
    spin: Deformation
    brake: Regularized
    airborne: ca.SX


def add_corner(
    model: Model,
    name: str,
    body: CarBody,
    steering: Steering,
    tyre: TyreData,
    given: Controls,
) -> Corner:
    """Add a wheel to the body."""
    data = DataSheet(model)
    guide = _add_guide(model, name, body, steering, tyre)
    frame, spin = add_axle(model, name, guide.carrier)
    # Of the slip, not of the spin, so that wheels roll at any speed of the start.
    _, radius = tyre.rolling(data.wheel_load(CORNERS[name][0]), SPEED)
    slip = radius * spin.rate - ca.dot(body.heading.matrix[:, 0], guide.centre.velocity)
    model.speed(
        f"{name}.slip_speed",
        slip,
        visibility="local",
        nominal=1.0,
        description="rolling radius times rate of rotation, less the wheel's speed ahead",
    )
    add_wheel_body(model, name, guide.centre, frame)
    wheel = _add_wheel(model, name, data, guide.centre, frame, tyre, given)
    law = tyre.law(CORNERS[name][1], given.friction)
    on_road = Tyre(
        wheel,
        law,
        radial_stiffness=tyre.radial_stiffness,
        radial_damping=tyre.radial_damping,
        slowest=data["tyre.slowest"],
        transient=given.relaxing,
    )
    drive(model, frame, guide.carrier, body.frame, given.drive_torque)
    brake = add_brake(model, name, spin, given.brake_torque)
    assert on_road.deflection is not None
    airborne = model.event(f"{name}.lifted", -on_road.deflection, band=LIFT_BAND)
    return Corner(guide, wheel, on_road, law, spin, brake, airborne)


def _add_guide(model: Model, name: str, body: CarBody, steering: Steering, tyre: TyreData) -> Guide:
    axle, side = CORNERS[name]
    data = DataSheet(model)
    x, y = data.axle_place(axle), side * data[f"{axle}.track"] / 2
    # so that the body has its height, and nothing moves at the start
    height, _ = tyre.rolling(data.wheel_load(axle), SPEED)
    offset = ca.vertcat(x, y, height - data["body.height"])

    def displacement(travel: ca.SX) -> tuple[ca.SX, ca.SX]:
        back, out = data[f"{axle}.backward_by_travel"], data[f"{axle}.outward_by_travel"]
        return -back * travel, side * out * travel

    def turning(travel: ca.SX, angle: ca.SX) -> tuple[ca.SX, ca.SX]:
        def polynomial(what: str) -> ca.SX:
            terms = ("", "_by_travel", "_by_travel_squared")
            factors = [data[f"{axle}.{what}{term}"] for term in terms]
            return factors[0] + travel * (factors[1] + travel * factors[2])

        steered = ackermann(data, side, angle) if axle == "front" else angle
        # toe-in turns a left wheel to the right; camber outwards leans it to the left
        return steered - side * polynomial("toe"), -side * polynomial("camber")

    centre = model.point(f"{name} wheel centre", data.at_start(offset))
    carrier = model.rotation(f"{name} carrier")
    path = Path(offset, displacement, turning)
    of = steering.rack if axle == "front" else steering.straight
    guide = Guide(f"{name} guide", (body.place, body.frame), centre, carrier, of, path)
    return model.add(guide)


def _add_wheel(
    model: Model,
    name: str,
    data: DataSheet,
    centre: Point,
    frame: Rotation,
    tyre: TyreData,
    given: Controls,
) -> Wheel:
    """Put a wheel on the road, whose height is given."""
    x, y, z = (float(part) for part in ca.vertsplit(centre.start))
    contact = model.point(f"{name} contact", (x, y, z - tyre.radius))
    height = data["body.height"]
    wheel = model.add(
        Wheel(
            name,  # states of the tyre begin with it
            centre,
            frame,
            contact,
            radius=tyre.radius,
            surface=lambda place: place[2] + height - given.ground(place),
            width=0.2,
        )
    )
    wheel.deformations["surface"].prescribe(given.road_height)
    wheel.longitudinal.release()
    wheel.lateral.release()
    return wheel
