"""The benchmark bicycle: Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007) 1955.

x forward, y left, z up; the paper has y to the right and z down. Rear frame with rider, front frame
(fork and handlebar) and two thin wheels that roll on a horizontal plane. Both frames carry axes
whose z is along the steering axis, so that its tilt can be a parameter.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from fmu_src.bicycle_sketch import icon, picture
from mbcore import Body, Element, Hinge, Model, RigidLink, Strain, Wheel
from mbcore.fmi.component import Component, Experiment
from mbcore.nodes import Point, Rotation, at_start
from mbcore.quantities import Deformation

NAME = "bicycle"
DESCRIPTION = "Benchmark bicycle on rolling wheels: steer, push and drive it; balance and forces"

VANISHING = 1e-300
"""Added to a sum of squares or a product; it changes no value but lets all of it be zero."""


class RolledDistance(Element):
    """The distance that a wheel rolls off: its radius times the angle of its hinge, m."""

    def __init__(self, name: str, hinge: Hinge, radius: ca.SX) -> None:
        super().__init__(name)
        self.angle, self.radius = hinge.strains()["angle"], radius

    def strains(self) -> dict[str, Strain]:
        """Return the distance, which may grow for ever."""
        turned_beyond = self.angle.residual
        assert turned_beyond is not None

        def rolled_beyond(target: ca.SX) -> ca.SX:
            return self.radius * turned_beyond(target / self.radius)

        return {
            "distance": Strain(self.radius * self.angle.expression, "m", rolled_beyond, rigid=False)
        }


@dataclass(frozen=True)
class Inertia:
    """A rigid body of the upright bicycle: mass centre, m, mass, kg, and inertia matrix, kg.m2."""

    place: ca.SX
    mass: ca.SX
    matrix: ca.SX


@dataclass(frozen=True)
class Data:
    """The parameters of a bicycle."""

    wheelbase: ca.SX
    trail: ca.SX
    tilt: ca.SX
    rear_radius: ca.SX
    front_radius: ca.SX
    rear_wheel: Inertia
    front_wheel: Inertia
    rear_frame: Inertia
    front_frame: Inertia

    @property
    def axes(self) -> ca.SX:
        """The frames' axes as columns, shape (3, 3)."""
        sine, cosine = ca.sin(self.tilt), ca.cos(self.tilt)
        return ca.vertcat(
            ca.horzcat(cosine, 0, -sine), ca.horzcat(0, 1, 0), ca.horzcat(sine, 0, cosine)
        )

    @property
    def start(self) -> tuple[ca.SX, ...]:
        """The Euler parameters of these axes."""
        return ca.cos(self.tilt / 2), ca.SX(0), -ca.sin(self.tilt / 2), ca.SX(0)

    @property
    def offsets(self) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Distances of the wheels' centres from the steering axis, and of their feet along it.

        The rear centre is behind the axis, the front one before it and lower.
        """
        sine, cosine = ca.sin(self.tilt), ca.cos(self.tilt)
        behind = cosine * (self.wheelbase + self.trail) - self.rear_radius * sine
        before = self.front_radius * sine - cosine * self.trail
        higher = self.rear_radius - self.front_radius + (behind + before) * sine
        return behind, before, higher / cosine


def _wheel(
    bicycle: Model, name: str, x: ca.SX | float, data: tuple[float, float, float, float]
) -> tuple[ca.SX, Inertia]:
    """Add radius, mass and moments of inertia of a wheel whose contact is at x."""
    radius, mass, across, about = data
    r = bicycle.parameter(
        f"{name}.radius", radius, unit="m", positive=True, tunable=False, description="radius"
    )
    m = bicycle.parameter(f"{name}.mass", mass, unit="kg", minimum=0.0, description="mass")
    xx, yy = (
        bicycle.parameter(
            f"{name}.inertia_{axes}",
            value,
            unit="kg.m2",
            minimum=0.0,
            description=f"moment of inertia about {which}",
        )
        for axes, value, which in (("xx", across, "a diameter"), ("yy", about, "the axle"))
    )
    return r, Inertia(ca.vertcat(x, 0, r), m, ca.diag(ca.vertcat(xx, yy, xx)))


def _frame(
    bicycle: Model, name: str, place: tuple[float, float], mass: float, inertia: dict[str, float]
) -> Inertia:
    """Add place of the mass centre, mass and inertia matrix of a frame."""
    x, z = (
        bicycle.parameter(
            f"{name}.{axis}",
            value,
            unit="m",
            tunable=False,
            description=f"mass centre of the upright bicycle, {where}",
        )
        for axis, value, where in zip(
            "xz", place, ("before the rear contact", "above the ground"), strict=True
        )
    )
    m = bicycle.parameter(f"{name}.mass", mass, unit="kg", minimum=0.0, description="mass")
    xx, xz, yy, zz = (
        bicycle.parameter(
            f"{name}.inertia_{axes}",
            value,
            unit="kg.m2",
            minimum=None if axes == "xz" else 0.0,
            description="element of the inertia matrix about the mass centre, upright bicycle",
        )
        for axes, value in inertia.items()
    )
    bicycle.require(
        f"{name}.inertia_xz",
        xx * zz * (1 + 1e-9) - xz**2 + VANISHING,
        f"its square is more than {name}.inertia_xx times {name}.inertia_zz, which no body has; "
        "make it smaller",
        shown=xz,
    )
    matrix = ca.vertcat(ca.horzcat(xx, 0, xz), ca.horzcat(0, yy, 0), ca.horzcat(xz, 0, zz))
    return Inertia(ca.vertcat(x, 0, z), m, matrix)


def _data(bicycle: Model) -> Data:
    """Add the parameters of Table 1 in the paper."""
    wheelbase = bicycle.parameter(
        "geometry.wheelbase",
        1.02,
        unit="m",
        positive=True,
        tunable=False,
        description="distance of the contact points",
    )
    trail = bicycle.parameter(
        "geometry.trail",
        0.08,
        unit="m",
        tunable=False,
        description="distance of the front contact behind the steering axis, on the ground",
    )
    tilt = bicycle.parameter(
        "geometry.tilt",
        ca.pi / 10,
        unit="rad",
        minimum=-1.5,
        maximum=1.5,
        tunable=False,
        display_unit="deg",
        description="of the steering axis out of the vertical, backwards",
    )
    rear_radius, rear_wheel = _wheel(bicycle, "rear_wheel", 0.0, (0.3, 2.0, 0.0603, 0.12))
    front_radius, front_wheel = _wheel(
        bicycle, "front_wheel", wheelbase, (0.35, 3.0, 0.1405, 0.28)
    )
    return Data(
        wheelbase,
        trail,
        tilt,
        rear_radius,
        front_radius,
        rear_wheel,
        front_wheel,
        _frame(
            bicycle,
            "rear_frame",
            (0.3, 0.9),
            85.0,
            {"xx": 9.2, "xz": -2.4, "yy": 11.0, "zz": 2.8},
        ),
        _frame(
            bicycle,
            "front_frame",
            (0.9, 0.7),
            4.0,
            {"xx": 0.05892, "xz": 0.00756, "yy": 0.06, "zz": 0.00708},
        ),
    )


@dataclass(frozen=True)
class Joints:
    """What moves in the bicycle, before any of it has a role."""

    yaw: Deformation
    lean: Deformation
    pitch: Deformation
    steer: Deformation
    distance: Deformation
    front_angle: Deformation
    heading: Rotation
    frame: Rotation
    rear_contact: Point
    rear: Wheel
    front: Wheel


def _assemble(bicycle: Model, data: Data) -> Joints:
    """Add nodes and elements."""
    yawed, leaned = bicycle.rotation("yawed"), bicycle.rotation("leaned")
    frame, fork, rear_turned, front_turned = (
        bicycle.rotation(name, data.start) for name in ("frame", "fork", "rear", "front")
    )
    r_R, r_F, wheelbase = data.rear_radius, data.front_radius, data.wheelbase
    behind, before, lower = data.offsets
    foot = ca.vertcat(0, 0, r_R) + behind * data.axes[:, 0]
    R, P = bicycle.point("rear centre", (0, 0, r_R)), bicycle.point("rear contact", (0, 0, 0))
    S = bicycle.point("steering axis", ca.vertsplit(foot))
    F = bicycle.point("front centre", (wheelbase, 0, r_F))
    Q = bicycle.point("front contact", (wheelbase, 0, 0))

    yaw = bicycle.add(Hinge("yaw hinge", bicycle.ground, yawed, axis=(0, 0, 1)))
    lean = bicycle.add(Hinge("lean hinge", yawed, leaned, axis=(1, 0, 0)))
    pitch = bicycle.add(Hinge("pitch hinge", leaned, frame, axis=(0, 1, 0)))
    steer = bicycle.add(Hinge("steering head", frame, fork, axis=(0, 0, 1)))
    rear_axle = bicycle.add(Hinge("rear axle", frame, rear_turned, axis=(0, 1, 0)))
    front_axle = bicycle.add(Hinge("front axle", fork, front_turned, axis=(0, 1, 0)))
    rolled = bicycle.add(RolledDistance("rolling", rear_axle, r_R))
    bicycle.add(RigidLink("rear triangle", R, frame, S, offset=(behind, 0, 0)))
    bicycle.add(RigidLink("fork blades", S, fork, F, offset=(before, 0, -lower)))
    rear = bicycle.add(Wheel("rear wheel", R, rear_turned, P, radius=r_R))
    front = bicycle.add(Wheel("front wheel", F, front_turned, Q, radius=r_F))

    for name, point, rotation, of in (
        ("rear wheel's mass", R, rear_turned, data.rear_wheel),
        ("front wheel's mass", F, front_turned, data.front_wheel),
    ):
        bicycle.add(Body(name, point, rotation, mass=of.mass, inertia=of.matrix))
    for name, point, rotation, of in (
        ("rear frame", R, frame, data.rear_frame),
        ("front frame", F, fork, data.front_frame),
    ):
        offset = data.axes.T @ (of.place - at_start(point.position, point))
        matrix = data.axes.T @ of.matrix @ data.axes
        bicycle.add(
            Body(name, point, rotation, mass=of.mass, inertia=matrix, offset=ca.vertsplit(offset))
        )
    return Joints(
        yaw.angle,
        lean.angle,
        pitch.angle,
        steer.angle,
        rolled.distance,
        front_axle.angle,
        yawed,
        frame,
        P,
        rear,
        front,
    )


def model() -> Model:
    """Return the bicycle with its inputs, parameters and outputs."""
    bicycle = Model(NAME)
    g = bicycle.parameter(
        "gravity", 9.81, unit="m/s2", minimum=0.0, description="acceleration of free fall"
    )
    bicycle.gravity = ca.vertcat(0, 0, -g)
    data = _data(bicycle)
    joints = _assemble(bicycle, data)
    _give_roles(joints)
    bicycle.require(
        "bicycle.lean",
        ca.pi / 2 - ca.fabs(joints.lean.value),
        "the bicycle lies on its side; start it less inclined, or balance it",
        shown=joints.lean.value,
    )
    _apply_torques(bicycle, joints, data.rear_radius)
    _show(bicycle, joints, data.tilt)
    return bicycle


def _give_roles(joints: Joints) -> None:
    """Set degrees of freedom and kinematic coordinates; the pitch follows from both contacts."""
    joints.lean.dof(
        "bicycle.lean",
        "bicycle.lean_rate",
        rate_start=0.2,
        nominal=0.1,
        description="lean φ of the rear frame about the heading, to the right",
        rate_description="rate of the lean angle",
    )
    joints.steer.dof(
        "bicycle.steer",
        "bicycle.steer_rate",
        nominal=0.1,
        description="steer angle δ of the front frame about the steering axis, to the left",
        rate_description="rate of the steer angle",
    )
    joints.distance.dof(
        "bicycle.distance",
        "bicycle.speed",
        rate_start=5.0,
        nominal=10.0,
        rate_nominal=10.0,
        value_visibility="local",
        description="radius times angle of the rear wheel relative to the rear frame",
        rate_description="radius times rate of rotation of the rear wheel relative to the frame",
    )
    joints.yaw.kinematic("bicycle.yaw", description="heading of the rear frame, to the left")
    joints.front_angle.kinematic(
        "front_wheel.angle",
        nominal=10.0,
        visibility="local",
        description="of the front wheel relative to the fork, growing while rolling forward",
    )
    joints.rear_contact.x.kinematic("bicycle.x", nominal=10.0, description="rear contact point")
    joints.rear_contact.y.kinematic("bicycle.y", nominal=10.0, description="rear contact point")


def _apply_torques(bicycle: Model, joints: Joints, radius: ca.SX) -> None:
    steer = bicycle.input(
        "steer.torque",
        unit="N.m",
        description="between rear and front frame, on the latter to the left",
    )
    lean = bicycle.input(
        "lean.torque",
        unit="N.m",
        description="on the rear frame about the heading, from outside, to the right",
    )
    drive = bicycle.input(
        "drive.torque",
        unit="N.m",
        description="between rear frame and rear wheel, positive accelerates",
    )
    joints.steer.law(-steer)
    joints.distance.law(-drive / radius)
    bicycle.moment(joints.frame, lean * joints.heading.matrix[:, 0])


def _show(bicycle: Model, joints: Joints, tilt: ca.SX) -> None:
    bicycle.output(
        "bicycle.yaw_rate", joints.yaw.rate, unit="rad/s", description="rate of the heading"
    )
    bicycle.output(
        "bicycle.pitch",
        joints.pitch.value + tilt,
        unit="rad",
        description="pitch of the rear frame about its leaning lateral axis, nose down",
    )
    for name, wheel in (("rear", joints.rear), ("front", joints.front)):
        along, across, up = wheel.longitudinal_force, wheel.lateral_force, wheel.normal_force
        for what, force, where in (
            ("normal", up, "upwards; where it is negative the wheel would lift"),
            ("lateral", across, "to the left of its heading"),
            ("longitudinal", along, "along its heading"),
        ):
            bicycle.output(
                f"{name}.{what}_force",
                force,
                unit="N",
                description=f"of the ground on the {name} wheel, {where}",
            )
        bicycle.output(
            f"{name}.friction_ratio",
            ca.sqrt(along**2 + across**2 + VANISHING) / up,
            description="in-plane over normal force; above the road's friction, rolling without "
            "slip is not to be believed",
        )
    bicycle.output(
        "energy.total",
        bicycle.kinetic_energy + bicycle.potential_energy,
        unit="J",
        description="kinetic and potential energy, the latter zero on the ground",
    )
