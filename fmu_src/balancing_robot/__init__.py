"""A robot that balances on two driven wheels which roll without slip.

x forward, y left, z up; the place of the robot is the middle of its axle. The body turns about the
axle; speed, yaw rate and pitch are free, pose and wheels follow by kinematic coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from mbcore import Body, Hinge, Model, RigidLink, Speed, StateName, Units
from mbcore.fmi.component import Component, Experiment
from mbcore.fmi.page_settings import Page, Remark
from mbcore.model.quantities import Slip

from ..mobile_robot import length
from ..mobile_robot.drives import add_choice, add_drive, add_servo
from ..mobile_robot.handling import CAPTIONS, drive_ranges, terminals, two_wheel_keys, used_with
from ..mobile_robot.odometry import add_path, nominal
from ..shared import shipped_component
from .parts import BalancingWheel, Frames
from .regulator import BALANCE, regulated_torques
from .shapes import add_shapes
from .sketch import icon, picture

NAME = "balancing_robot"
DESCRIPTION = "Robot that balances on two driven wheels, ideal rolling"
SIDES = {"left": 1, "right": -1}
BAND = 1e-12
"""How far the pitch must pass its limit, rad."""


@dataclass(frozen=True)
class Sizes:
    """Radii of the wheels by their side, and their distance, m."""

    radii: dict[str, ca.SX]
    track: ca.SX


def model() -> Model:
    """Return the robot with its inputs, parameters and outputs."""
    robot = Model(NAME)
    gravity = robot.parameter(
        "gravity", 9.81, unit="m/s2", positive=True, description="acceleration of free fall"
    )
    robot.gravity = ca.vertcat(0, 0, -gravity)
    chosen = add_choice(robot, BALANCE)
    sizes = Sizes(
        {
            side: length(robot, f"{side}.radius", 0.1, f"of the {side} wheel", True)
            for side in SIDES
        },
        length(robot, "track", 0.4, "distance of the wheels", True),
    )
    frames = add_frames(robot, sizes)
    add_body(robot, frames)
    wheels = add_wheels(robot, frames, sizes, chosen)
    sideways = give_roles(robot, frames)
    show(robot, frames, wheels, sideways, chosen["speed"])
    add_odometry(robot, frames, wheels)
    add_limit(robot, frames)
    add_shapes(robot, frames, wheels, sizes.track)
    return robot


def add_frames(robot: Model, sizes: Sizes) -> Frames:
    """Add the axle's middle, the heading, the level frame and the body's."""
    axle = robot.point("axle", (0, 0, sum(sizes.radii.values(), ca.SX(0)) / 2))
    heading, level, body = (robot.rotation(name) for name in ("heading", "level", "body frame"))
    yaw = robot.add(Hinge("yaw", robot.ground, heading, axis=(0, 0, 1))).angle
    robot.add(Hinge("roll", heading, level, axis=(1, 0, 0)))
    pitch = robot.add(Hinge("pitch", level, body, axis=(0, 1, 0))).angle
    yaw.kinematic("base.yaw", description="heading, to the left")
    return Frames(axle, heading, level, body, pitch)


def add_body(robot: Model, frames: Frames) -> None:
    """Add the body, whose mass centre is above the axle where it is upright."""
    mass = robot.parameter("body.mass", 10.0, unit="kg", positive=True, description="of the body")
    height = length(robot, "body.height", 0.3, "of its mass centre above the axle", True)
    inertia = [
        robot.parameter(
            f"body.inertia_{axis}",
            value,
            unit="kg.m2",
            positive=True,
            description=f"at the mass centre, about the body's {axis}-axis",
        )
        for axis, value in (("x", 0.25), ("y", 0.2), ("z", 0.1))
    ]
    place = (0, 0, height)
    robot.add(
        Body("body", frames.axle, frames.body, mass=mass, inertia=inertia, offset=place)
    ).visible = False


def add_wheels(
    robot: Model, frames: Frames, sizes: Sizes, chosen: dict[str, ca.SX]
) -> list[BalancingWheel]:
    """Add both wheels, driven from the body, on the floor and rolling."""
    regulated = regulated_torques(robot, frames)
    mass = robot.parameter("wheel.mass", 1.0, unit="kg", positive=True, description="of a wheel")
    spin = robot.parameter(
        "wheel.spin_inertia", 5e-3, unit="kg.m2", positive=True, description="about its axle"
    )
    across = robot.parameter(
        "wheel.inertia", 2.6e-3, unit="kg.m2", positive=True, description="about a diameter"
    )
    added = []
    for name, side in SIDES.items():
        radius = sizes.radii[name]
        hub = robot.point(f"{name} hub", (0, side * sizes.track / 2, radius))
        robot.add(RigidLink(f"{name} axle", frames.axle, frames.level, hub)).visible = False
        hub.z.fix()
        turned = robot.rotation(f"{name} wheel")
        joint = robot.add(Hinge(f"{name}_hinge", frames.body, turned, axis=(0, 1, 0))).angle
        inertia = (across, spin, across)
        robot.add(Body(f"{name} mass", hub, turned, mass=mass, inertia=inertia)).visible = False
        joint.kinematic(
            f"{name}.angle",
            nominal=10.0,
            description="of the wheel in the body, as its encoder reads",
        )
        rolling = ca.dot(frames.ahead, hub.velocity) - radius * (joint.rate + frames.pitch.rate)
        rolls = robot.add(Speed(f"{name}_rolling", rolling, zero=True)).slip
        drive = add_drive(robot, name, chosen["speed"])
        given = (1 - chosen["balance"]) * drive.torque
        drive = replace(drive, torque=given + chosen["balance"] * regulated[name])
        robot.load(drive.torque, joint.rate)
        added.append(BalancingWheel(name, hub, turned, radius, drive, joint.rate, rolls))
    return added


def give_roles(robot: Model, frames: Frames) -> Slip:
    """Set degrees of freedom and kinematic coordinates; return the slip sideways."""
    axle = frames.axle
    left = frames.heading.matrix[:, 1]
    # The floor holds the wheels below the axle: its side force turns the robot over, too.
    rolling_over = ca.dot(frames.ahead, frames.level.angular_velocity)
    on_floor = ca.dot(left, axle.velocity) + axle.position[2] * rolling_over
    sideways = robot.add(Speed("sideways", on_floor, zero=True)).slip
    forward = robot.add(Speed("forward", ca.dot(frames.ahead, axle.velocity))).slip
    forward.dof("base.speed", description="speed of the axle along the heading")
    turning = frames.heading.angular_velocity[2]
    robot.add(Speed("turning", turning, unit="rad/s")).slip.dof(
        "base.yaw_rate", description="yaw rate"
    )
    frames.pitch.dof(
        StateName("body.pitch", display_unit="deg"),
        StateName("body.pitch_rate", description="rate of the pitch"),
        start=0.02,
        nominal=0.1,
        description="of the body about the axle, forward positive; 0 upright",
    )
    axle.x.kinematic("base.x", description="middle of the axle, inertial axes")
    axle.y.kinematic("base.y", description="middle of the axle, inertial axes")
    return sideways


def show(
    robot: Model,
    frames: Frames,
    wheels: list[BalancingWheel],
    sideways: Slip,
    by_speed: ca.SX,
) -> None:
    """Add the outputs, and the servos, whose torques are among them."""
    left = frames.heading.matrix[:, 1]
    robot.output(
        "base.side_speed",
        ca.dot(left, frames.axle.velocity),
        unit="m/s",
        description="of the axle to its left; none, for the wheels do not slip",
    )
    for wheel in wheels:
        name, rate = wheel.name, wheel.rate
        servo = add_servo(robot, name, rate - wheel.drive.shaft.rate, by_speed)
        torque = wheel.drive.torque - servo.force
        robot.output(f"{name}.rate", rate, unit="rad/s", description="of the wheel in the body")
        robot.output(
            f"{name}.drive_torque",
            torque,
            unit="N.m",
            description="on the wheel, whichever way it is driven; the body feels the opposite",
        )
        robot.output(f"{name}.power", torque * rate, unit="W", description="of the drive")
        forces = {
            "force_x": (-wheel.rolls.force, "of the floor on the wheel, forward"),
            "force_y": (-sideways.force / 2, "of the floor on the wheel, to the left"),
            "load": (wheel.hub.z.reaction, "of the floor on the wheel, upwards"),
        }
        for of, (force, description) in forces.items():
            robot.output(f"{name}.{of}", force, unit="N", nominal=100.0, description=description)
    energy = robot.kinetic_energy + robot.potential_energy
    robot.output("energy.total", energy, unit="J", description="kinetic and potential energy")


def add_odometry(robot: Model, frames: Frames, wheels: list[BalancingWheel]) -> None:
    """Add the pose that a controller computes from encoders, the pitch and nominal sizes."""
    radius = nominal(robot, "radius", 0.1, "of the wheels")
    track = nominal(robot, "track", 0.4, "distance of the wheels")
    left, right = wheels
    speed = radius * ((left.rate + right.rate) / 2 + frames.pitch.rate)
    yaw = robot.state(
        "odometry.yaw", unit="rad", description="heading by the encoders", visibility="output"
    )
    robot.derivative("odometry.yaw", radius * (right.rate - left.rate) / track)
    add_path(robot, yaw, (speed, 0.0), "encoders and pitch")


def add_limit(robot: Model, frames: Frames) -> None:
    """Tell for good where the body has come down."""
    limit = robot.parameter(
        "body.pitch_limit",
        1.2,
        unit=Units("rad", "deg"),
        positive=True,
        description="pitch at which the body touches the floor",
    )
    fallen = robot.event("body.falls")
    # it stays: what was not valid once does not become so
    beyond = ca.if_else(fallen, 1, ca.fabs(frames.pitch.value) - limit)
    robot.event("body.falls", beyond, band=BAND)
    robot.output(
        "valid",
        1 - fallen,
        kind="boolean",
        description="no pitch beyond body.pitch_limit so far",
    )


TERMINALS = terminals({side: f"drive of the {side} wheel, from the body" for side in SIDES})

TARGETS = {
    "left": {"target.yaw_rate": 1.5},
    "right": {"target.yaw_rate": -1.5},
    "up": {"target.speed": 0.8},
    "down": {"target.speed": -0.8},
}
"""Of keys where the regulator acts."""
BY_HAND = two_wheel_keys(turning=(0.2, 1.5), driving=(0.3, 3.0))

PAGE = Page(
    keys={key: TARGETS[key] | values for key, values in BY_HAND.items()},
    captions=CAPTIONS,
    opening={"drive": "balance"},
    used_with=used_with(SIDES)
    | {f"target.{of}": ("drive", "balance") for of in ("speed", "yaw_rate")},
    follow="body",
    plots=("body.pitch", "base.speed", ("left.load", "right.load")),
    ranges={
        **drive_ranges(SIDES, torque=4, acceleration=50),
        "target.speed": (-2, 2),
        "target.yaw_rate": (-4, 4),
        "body.pitch": (-1, 1),
        "body.pitch_rate": (-3, 3),
        "base.speed": (-2, 2),
        "base.yaw_rate": (-6, 6),
    },
    remarks={
        "valid": Remark(("body.pitch",), "body.pitch_limit", "the body has come down; start again")
    },
)

DOCUMENTATION = """
<p>A body on two wheels that roll without slip on a level floor, driven against the body. The wheels
do not slip sideways either, so that the speed <math>v</math> of the axle, the yaw rate
<math>ψ̇</math> and the pitch <math>θ</math> are free; <tt>base.x</tt>, <tt>base.y</tt> is the middle
of the axle. By default it starts at 0.02 rad and falls
forward, unless it is controlled.</p>
<p>With the mass <math>M</math> of the body, its centre <math>h</math> above the axle, inertias
<math>J_x</math>, <math>J_y</math>, <math>J_z</math> there, wheels of the mass <math>m</math>, the
radius <math>r</math> and the inertias <math>I</math> about the axle and <math>I_d</math> across it,
the track <math>b</math> and the torques <math>M_L</math> and <math>M_R</math>:</p>
<math display="block">
(M + 2 m + 2 I/r²) v̇ + M h (cos θ θ̈ - sin θ (θ̇² + ψ̇²)) = (M_L + M_R)/r
(J_y + M h²) θ̈ + M h cos θ v̇ - (M h² + J_x - J_z) sin θ cos θ ψ̇² - M g h sin θ = -(M_L + M_R)
</math>
<math display="block">
((M h² + J_x) sin²θ + J_z cos²θ + 2 I_d + m b²/2 + I b²/(2 r²)) ψ̈
    + 2 (M h² + J_x - J_z) sin θ cos θ θ̇ ψ̇ + M h sin θ v ψ̇ = (M_R - M_L) b/(2 r).
</math>
<p><tt>left.angle</tt> and <tt>left.rate</tt> are those of the wheel in the body, as an encoder
reads them: a wheel rolls at <math>γ̇ + θ̇</math>. <tt>drive</tt> = <tt>torque</tt>: the wheels feel
<tt>left.torque</tt> and <tt>right.torque</tt>. <tt>speed</tt>: servos turn them in the body at
<tt>left.speed</tt> and <tt>right.speed</tt> exactly; <tt>left.acceleration</tt> must be the
derivative of the speed, or 0 with a speed that is given in steps: at each of these an impulse
changes the rates. <tt>balance</tt>: a regulator keeps the robot upright and leads it to
<tt>target.speed</tt> and <tt>target.yaw_rate</tt>. It gives the wheels the torques</p>
<math display="block">
M_L = k_θ θ + k_q θ̇ + k_v (v - v_t) - k_ψ (ψ̇_t - ψ̇)
M_R = k_θ θ + k_q θ̇ + k_v (v - v_t) + k_ψ (ψ̇_t - ψ̇)
</math>
<p>with the gains <tt>regulator.pitch</tt>, <tt>.pitch_rate</tt>, <tt>.speed</tt> and
<tt>.yaw_rate</tt>, by default those of a linear quadratic regulator of the upright robot. The page
opens with it; choose <tt>torque</tt> to balance the robot by hand.</p>
<p><tt>valid</tt> becomes false, for good, where the pitch passes <tt>body.pitch_limit</tt>; the
motion goes on as if there were no floor. The sideways force of the axle is shared evenly by its
wheels. Where the radii differ the axle is taken as level all the same, and the moment of both
forward forces about the axle, of their difference times half that of the radii, is left out.
<tt>odometry.x</tt>, <tt>.y</tt>, <tt>.yaw</tt> is the pose that a controller has from encoders
and pitch with <tt>odometry.radius</tt> and <tt>odometry.track</tt>.</p>
"""

SYMBOLS = {
    "v": "base.speed",
    "ψ": "base.yaw",
    "θ": "body.pitch",
    "γ": "left.angle, right.angle",
    "M, h": "body.mass, body.height",
    "J_x, J_y, J_z": "body.inertia_x, body.inertia_y, body.inertia_z",
    "m": "wheel.mass",
    "I, I_d": "wheel.spin_inertia, wheel.inertia",
    "r, b": "left.radius, right.radius, track",
    "g": "gravity",
    "M_L, M_R": "left.drive_torque, right.drive_torque",
    "k_θ, k_q": "regulator.pitch, regulator.pitch_rate",
    "k_v, k_ψ": "regulator.speed, regulator.yaw_rate",
    "v_t, ψ_t": "target.speed, target.yaw_rate",
}
"""Meaning of each symbol in the documentation."""


def component() -> Component:
    """Return the FMU's definition; the robot falls unless it is controlled."""
    return shipped_component(
        __name__,
        model().equations(),
        Experiment(stop=2.0, step=1e-2, tolerance=1e-6),
        picture,
        icon,
    )
