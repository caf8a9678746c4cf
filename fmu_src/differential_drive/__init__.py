"""A mobile robot with two driven wheels and two casters, all of which roll without slip.

Seen from above, x forward, y left; the place of the robot is the middle of the driven axle. Both
wheels keep the axle from moving sideways, so that two speeds are left; pose, wheels and casters
follow them by kinematic coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Model, PlanarWheel
from mbcore.fmi.component import Component, Experiment
from mbcore.fmi.page_settings import Page

from ..mobile_robot import Base, add_base, drive_speeds, length
from ..mobile_robot.casters import Caster, add_caster, add_data
from ..mobile_robot.drives import add_choice, add_servo
from ..mobile_robot.handling import CAPTIONS, drive_ranges, terminals, two_wheel_keys, used_with
from ..mobile_robot.loads import wheel_loads
from ..mobile_robot.odometry import add_path, nominal
from ..mobile_robot.shapes import show_base, show_caster, show_wheel
from ..mobile_robot.wheels import (
    DrivenWheel,
    add_driven_wheel,
    add_wheel_data,
    show_drive,
    show_forces,
)
from ..shared import shipped_component
from .sketch import icon, picture

NAME = "differential_drive"
DESCRIPTION = "Mobile robot with two driven wheels and two casters, ideal rolling"
SIDES = {"left": 1, "right": -1}


@dataclass(frozen=True)
class Rolling:
    """A driven wheel as it rolls."""

    driven: DrivenWheel
    wheel: PlanarWheel
    torque: ca.SX
    """On the wheel, N.m, whichever way it is driven."""


def model() -> Model:
    """Return the robot with its inputs, parameters and outputs."""
    robot = Model(NAME)
    by_speed = add_choice(robot)["speed"]
    base = add_base(robot, mass=20.0, inertia=0.6, ahead=-0.06, height=0.2)
    drive_speeds(base, sideways=False)
    wheels = add_wheels(base, by_speed)
    casters = add_casters(base)
    show(base, wheels, casters)
    add_odometry(robot, wheels)
    add_shapes(base, wheels, casters)
    return robot


def add_wheels(base: Base, by_speed: ca.SX) -> dict[str, Rolling]:
    """Add both driven wheels, whose axle's sideways force is at the left one."""
    robot = base.robot
    track = length(robot, "track", 0.4, "distance of the driven wheels", positive=True)
    data = add_wheel_data(robot)
    added: dict[str, Rolling] = {}
    for name, side in SIDES.items():
        driven = add_driven_wheel(base, name, (ca.SX(0), side * track / 2), data, by_speed)
        wheel = robot.add(
            PlanarWheel(
                f"{name}_wheel", driven.hub, base.heading, driven.spin, radius=driven.radius
            )
        )
        if added:
            wheel.lateral.release()  # the other wheel keeps the axle from moving sideways
        servo = add_servo(robot, name, driven.spin.rate - driven.drive.shaft.rate, by_speed)
        added[name] = Rolling(driven, wheel, driven.drive.torque - servo.force)
    return added


def add_casters(base: Base) -> tuple[Caster, ...]:
    """Add both casters."""
    robot = base.robot
    x = length(robot, "caster.x", -0.25, "of the casters' pins, ahead of the driven axle")
    y = length(robot, "caster.y", 0.12, "of the pins beside the middle, both sides", positive=True)
    data = add_data(robot)
    robot.require(
        "caster.x",
        ca.fabs(x) - data.trail,
        "must be further from the driven axle than caster.trail, or the robot has no third support",
        shown=x,
        initial=True,
    )
    return tuple(
        add_caster(base, f"caster_{name}", (x, side * y), data) for name, side in SIDES.items()
    )


def show(base: Base, wheels: dict[str, Rolling], casters: tuple[Caster, ...]) -> None:
    """Add the outputs."""
    robot = base.robot
    robot.output(
        "base.side_speed",
        ca.dot(base.left, base.place.velocity),
        unit="m/s",
        description="of the base to its left; none, for the driven wheels do not slip",
    )
    driven = [w.driven for w in wheels.values()]
    parts: list[DrivenWheel | Caster] = [*driven, *casters]
    loads = wheel_loads(
        {part.name: part.support for part in parts},
        [base.mass, *(part.mass for part in parts)],
        [*(w.inertia for w in driven), *(c.spin for c in casters)],
        base.gravity,
        base.place,
    )
    sideways = -wheels["left"].wheel.lateral.force / 2
    for name, w in wheels.items():
        show_drive(robot, w.driven, w.torque)
        show_forces(robot, name, (-w.wheel.longitudinal.force, sideways), loads[name])
    for c in casters:
        forces = (-c.wheel.longitudinal.force, -c.wheel.lateral.force)
        show_forces(robot, c.name, forces, loads[c.name])
    robot.output("energy.kinetic", robot.kinetic_energy, unit="J", description="kinetic energy")


def add_odometry(robot: Model, wheels: dict[str, Rolling]) -> None:
    """Add the pose that a controller computes from the wheels' angles and nominal sizes."""
    radius = nominal(robot, "radius", 0.1, "of the driven wheels")
    track = nominal(robot, "track", 0.4, "distance of the wheels")
    left, right = (wheels[name].driven.spin for name in SIDES)
    yaw = radius * (right.value - left.value) / track
    speed = radius * (right.rate + left.rate) / 2
    add_path(robot, yaw, (speed, 0.0), "the wheels' angles")
    robot.output("odometry.yaw", yaw, unit="rad", description="heading by the wheels' angles")


def add_shapes(base: Base, wheels: dict[str, Rolling], casters: tuple[Caster, ...]) -> None:
    """Show the robot and the floor's forces on its wheels."""
    parameters = base.robot.parameters
    track, back = parameters["track"].symbol, parameters["caster.x"].symbol
    radius = wheels["left"].driven.radius
    size = (1.1 * ca.fabs(back) + 1.5 * radius, 0.85 * track)
    show_base(base, size, 0.9 * radius, 0.5 * back)
    for rolling in wheels.values():
        wheel = rolling.wheel
        wheel.visible = False
        force = -wheel.longitudinal.force * base.ahead
        show_wheel(base, rolling.driven, force)
    for caster in casters:
        show_caster(base, caster)


TERMINALS = terminals({side: f"drive of the {side} wheel" for side in SIDES})

PAGE = Page(
    keys=two_wheel_keys(turning=(0.15, 1.5), driving=(0.6, 5.0)),
    captions=CAPTIONS,
    used_with=used_with(SIDES),
    follow="body",
    plots=(
        "base.speed",
        ("caster_left.angle", "caster_right.angle"),
        ("left.load", "right.load", "caster_left.load", "caster_right.load"),
    ),
    ranges={
        **drive_ranges(SIDES, torque=2, acceleration=20),
        "base.speed": (-2, 2),
        "base.yaw_rate": (-6, 6),
        "body.x": (-0.2, 0.1),
        "caster.swivel_friction": (0, 0.1),
    },
)

DOCUMENTATION = """
<p>A mobile robot on a level floor: a rigid base, two driven wheels on one axle, two casters behind
it. All four wheels roll without slip. <tt>base.x</tt>, <tt>base.y</tt> is the middle of the driven
axle, x forward, y to the left.</p>
<p>The axle does not move sideways, so that speed <math>v</math> and yaw rate <math>ψ̇</math> are the
only degrees of freedom:</p>
<math display="block">
ẋ = v cos ψ,    ẏ = v sin ψ,    r_L γ̇_L = v - b ψ̇/2,    r_R γ̇_R = v + b ψ̇/2.
</math>
<p>A caster whose pin is at <math>(x_c, y_c)</math> turns by the swivel angle <math>φ</math> in the
base and trails at the distance <math>l</math>,</p>
<math display="block">
l φ̇ = (v - y_c ψ̇) (-sin φ) + x_c ψ̇ cos φ - l ψ̇,
</math>
<p>so that it turns over where the robot reverses. Its mass and its swivel friction act on the base;
at rest <tt>caster.swivel_friction</tt> holds up to that moment. Without masses of the casters, with
the total mass <math>m</math>, the mass centre ahead of the axle by <math>c</math>, the inertia
<math>J</math> about the vertical at the axle's middle, the wheels' spin inertia <math>I</math> and
equal radii <math>r</math>:</p>
<math display="block">
(m + 2 I/r²) v̇ = (M_L + M_R)/r + m c ψ̇²
(J + I b²/(2 r²)) ψ̈ = (M_R - M_L) b/(2 r) - m c v ψ̇.
</math>
<p><tt>drive</tt> = <tt>torque</tt>: the wheels feel <tt>left.torque</tt> and <tt>right.torque</tt>.
<tt>speed</tt>: servos turn them at <tt>left.speed</tt> and <tt>right.speed</tt> exactly;
<tt>left.acceleration</tt> must be the derivative of the speed, or 0 with a speed that is given in
steps: at each of these an impulse changes the wheels' rates. <tt>left.drive_torque</tt> is what the
servo needs.</p>
<p>Four wheels on a rigid base are more than three, so that loads follow from stiffness: each wheel
yields in proportion to its load, by <tt>wheel.stiffness</tt> and <tt>caster.stiffness</tt>. Weight,
the inertia forces at the height of the mass centre and the moments of momentum of the wheels are
balanced. A negative load says that the wheel would lift. The sideways force of the axle is shared
evenly by its wheels.</p>
<p><tt>odometry.x</tt>, <tt>.y</tt>, <tt>.yaw</tt> is the pose that a controller has from the
wheels' angles with <tt>odometry.radius</tt> and <tt>odometry.track</tt>; with the true radii and
track it is the true one.</p>
"""

SYMBOLS = {
    "x, y": "base.x, base.y",
    "ψ": "base.yaw",
    "v": "base.speed",
    "b": "track",
    "r_L, r_R, r": "left.radius, right.radius",
    "γ_L, γ_R": "left.angle, right.angle",
    "φ": "caster_left.angle, caster_right.angle",
    "x_c, y_c": "caster.x, caster.y",
    "l": "caster.trail",
    "m": "total mass",
    "c": "place of the total mass centre ahead of the axle",
    "J": "total inertia about the vertical at the axle's middle",
    "I": "wheel.spin_inertia",
    "M_L, M_R": "left.torque, right.torque",
}
"""Meaning of each symbol in the documentation."""


def component() -> Component:
    """Return the FMU's definition; the robot stands until a wheel is driven."""
    return shipped_component(
        __name__,
        model().equations(),
        Experiment(stop=10.0, step=1e-2, tolerance=1e-6),
        picture,
        icon,
    )
