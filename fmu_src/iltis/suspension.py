"""One suspension of the ILTIS: arm, carrier, leaf spring, tie rod and damper; placed four times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from mbcore import Body, Hinge, Model, RigidLink, StateName, Truss
from mbcore.model.nodes.nodes import Point, Rotation
from mbcore.model.quantities import Deformation

from .data import DataSheet, HardPoints, Place


@dataclass(frozen=True)
class Cabin:
    """The cabin, to which the suspensions are fixed."""

    body: Body
    place: Point
    """Its mass centre."""
    heading: Rotation
    frame: Rotation
    speed: ca.SX
    """Forward, along the heading, m/s."""
    rest: Mapping[str, float]
    """Static equilibrium: the states' start values by name."""


@dataclass(frozen=True)
class Suspension:
    """A wheel carrier on its suspension."""

    carrier: Rotation
    centre: Point
    """Of the wheel."""
    arm: Deformation
    """Its angle, rad, positive in bump."""
    leaf: Deformation
    """The leaf's end along the cabin's z, m."""
    leaf_rod: Deformation
    shock: Deformation
    travel: ca.SX
    """Of the wheel centre along the cabin's z, from the design position, m."""


@dataclass(frozen=True)
class _Corner:
    """Where a suspension is built: the names of its nodes and elements begin with its own."""

    model: Model
    name: str
    at: HardPoints
    cabin: Cabin
    data: DataSheet

    def point(self, what: str, place: Place) -> Point:
        return self.model.point(f"{self.name} {what}", place)

    def of_cabin(self, what: str, place: Place) -> Point:
        return self.cabin.body.point(f"{self.name} {what}", place)

    def link(self, what: str, p: Point, frame: Rotation, q: Point) -> RigidLink:
        return self.model.add(RigidLink(f"{self.name} {what}", p, frame, q))

    def rod(self, what: str, p: Point, q: Point) -> Deformation:
        return self.model.add(Truss(f"{self.name} {what}", p, q)).elongation


def suspend(
    model: Model,
    name: str,
    at: HardPoints,
    cabin: Cabin,
    data: DataSheet,
    rack: ca.SX | None,
    anti_roll_torque: ca.SX,
) -> Suspension:
    """Add a suspension to the model.

    Parameters
    ----------
    rack : SX or None
        Displacement of the tie rod's inner end along y, m; None where it is fixed to the cabin.
    anti_roll_torque : SX
        On the left arm downwards and on the right one upwards, N.m.
    """
    corner = _Corner(model, name, at, cabin, data)
    pivot, arm, angle = _add_arm(corner)
    angle.law(at.side * anti_roll_torque)
    ball = corner.point("arm ball", at.arm_ball)
    corner.link("arm end", pivot, arm, ball)
    carrier = model.rotation(f"{name} carrier")
    leaf, leaf_rod = _add_leaf_spring(corner, carrier, ball)
    _add_tie_rod(corner, carrier, ball, rack)
    centre = corner.point("wheel centre", at.wheel_centre)
    corner.link("hub", ball, carrier, centre)
    place = cabin.frame.matrix.T @ (centre.position - cabin.place.position)
    travel = place[2] - at.wheel_centre[2]
    shock = _add_damper(corner, pivot, arm)
    return Suspension(carrier, centre, angle, leaf, leaf_rod, shock, travel)


def _add_arm(corner: _Corner) -> tuple[Point, Rotation, Deformation]:
    """Hinge the arm to the cabin; its angle is a degree of freedom."""
    model, name, at, data = corner.model, corner.name, corner.at, corner.data
    pivot, arm = corner.of_cabin("arm pivot", at.arm_pivot), model.rotation(f"{name} arm")
    frame = corner.cabin.frame
    hinge = model.add(Hinge(f"{name} arm hinge", frame, arm, axis=(at.side, 0, 0)))
    model.add(
        Body(
            f"{name} arm body",
            pivot,
            arm,
            mass=data["arm.mass"],
            inertia=_turned(data.inertia("arm"), -at.side * at.arm_slope),
            offset=[c - p for c, p in zip(at.arm_mass_centre, at.arm_pivot, strict=True)],
        )
    )
    angle = hinge.angle.dof(
        StateName(f"{name}.arm_angle", visibility="local"),
        StateName(f"{name}.arm_rate", description="its rate", visibility="local"),
        start=corner.cabin.rest[f"{name}.arm_angle"],
        nominal=0.1,
        description="angle of the suspension arm, positive in bump",
    )
    return pivot, arm, angle


def _turned(moments: tuple[ca.SX, ca.SX, ca.SX], angle: float) -> ca.SX:
    """Return the inertia of principal moments whose y- and z-axes are turned about x."""
    x, y, z = moments
    c, s = ca.cos(angle), ca.sin(angle)
    yz = c * s * (y - z)
    return ca.vertcat(
        ca.horzcat(x, 0, 0),
        ca.horzcat(0, c**2 * y + s**2 * z, yz),
        ca.horzcat(0, yz, s**2 * y + c**2 * z),
    )


def _add_leaf_spring(
    corner: _Corner, carrier: Rotation, ball: Point
) -> tuple[Deformation, Deformation]:
    """Guide the carrier by a rigid rod in a plane of the cabin, sprung along the cabin's z."""
    pivot = corner.of_cabin("leaf pivot", corner.at.leaf_pivot)
    end = corner.point("leaf ball", corner.at.leaf_ball)
    corner.link("king pin", ball, carrier, end)
    leaf = corner.link("leaf", pivot, corner.cabin.frame, end)
    leaf.y.release()
    leaf.z.release().law(corner.data.leaf_spring(leaf.z.value))
    return leaf.z, corner.rod("leaf rod", pivot, end)


def _add_tie_rod(corner: _Corner, carrier: Rotation, ball: Point, rack: ca.SX | None) -> None:
    outer = corner.point("tie rod outer end", corner.at.tie_rod_carrier)
    corner.link("steering arm", ball, carrier, outer)
    inner = corner.point("tie rod inner end", corner.at.tie_rod_rack)
    seat = corner.link("rack", corner.cabin.place, corner.cabin.frame, inner)
    if rack is not None:
        seat.y.prescribe(rack)
    corner.rod("tie rod", inner, outer)


def _add_damper(corner: _Corner, pivot: Point, arm: Rotation) -> Deformation:
    at, data = corner.at, corner.data
    top = corner.of_cabin("damper top", at.damper_cabin)
    foot = corner.point("damper foot", at.damper_arm)
    corner.link("damper seat", pivot, arm, foot)
    shock = corner.rod("shock absorber", top, foot).release()
    length = ca.norm_2(ca.DM(at.damper_arm) - ca.DM(at.damper_cabin))
    return shock.law(data.rubber(length + shock.value) + data.damping(shock.rate))
