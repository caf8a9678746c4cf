"""A mobile robot on four mecanum wheels, which moves in any direction.

Seen from above, x forward, y left. The rollers of a wheel turn freely, so that the floor holds it
along the axis of the roller that touches, and nowhere else. Three speeds of the base are left; all
four wheels follow them.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Model, Speed, Units
from mbcore.fmi.component import Component, Experiment
from mbcore.fmi.page_settings import Page

from ..mobile_robot import Base, add_base, drive_speeds, length
from ..mobile_robot.drives import add_choice, add_servo
from ..mobile_robot.handling import drive_ranges, keys_of, terminals, used_with
from ..mobile_robot.loads import wheel_loads
from ..mobile_robot.odometry import add_path, nominal
from ..mobile_robot.shapes import show_base, show_wheel
from ..mobile_robot.wheels import (
    DrivenWheel,
    add_driven_wheel,
    add_wheel_data,
    show_drive,
    show_forces,
)
from ..shared import shipped_component
from .sketch import icon, picture

NAME = "mecanum"
DESCRIPTION = "Mobile robot on four mecanum wheels, free to move sideways"
PLACES = {
    "front_left": (1, 1),
    "front_right": (1, -1),
    "rear_left": (-1, 1),
    "rear_right": (-1, -1),
}
"""Signs of the wheels' places ahead and to the left."""


@dataclass(frozen=True)
class Mecanum:
    """A mecanum wheel as it rolls."""

    driven: DrivenWheel
    shares: tuple[ca.SX, ca.SX, ca.SX]
    """Of the base's speeds ahead, to the left and of turning in the wheel's rate."""
    force: ca.SX
    """Of the floor on the wheel, on its own axes, N, shape (2, 1)."""


def model() -> Model:
    """Return the robot with its inputs, parameters and outputs."""
    robot = Model(NAME)
    by_speed = add_choice(robot)["speed"]
    base = add_base(robot, mass=30.0, inertia=1.0, ahead=0.0, height=0.2)
    drive_speeds(base, sideways=True)
    wheels = add_wheels(base, by_speed)
    show(base, wheels, add_servos(base, wheels, by_speed))
    add_odometry(robot, wheels)
    add_shapes(base, wheels)
    return robot


def add_wheels(base: Base, by_speed: ca.SX) -> list[Mecanum]:
    """Add the wheels; the axes of the rollers that touch form a diamond."""
    robot = base.robot
    wheelbase = length(robot, "wheelbase", 0.4, "from the rear axle to the front one", True)
    track = length(robot, "track", 0.4, "distance of left and right wheels", True)
    angle = robot.parameter(
        "rollers.angle",
        0.7853981633974483,
        unit=Units("rad", "deg"),
        minimum=0.0,
        maximum=1.4,
        tunable=False,
        description="of a touching roller's axis against the driving direction, more than 0",
    )
    robot.require(
        "rollers.angle",
        angle - 0.05,
        "must be at least 0.05 rad, or the wheels do not hold the robot sideways",
        shown=angle,
        initial=True,
    )
    data = add_wheel_data(robot)
    added = []
    for name, (ahead, left) in PLACES.items():
        place = (ahead * wheelbase / 2, left * track / 2)
        driven = add_driven_wheel(base, name, place, data, by_speed)
        side = -ahead * left
        own = ca.vertcat(ca.cos(angle), side * ca.sin(angle))
        roller = base.heading.matrix @ own
        along = ca.dot(roller, driven.hub.velocity)
        rolling = driven.radius * driven.spin.rate * ca.cos(angle)
        held = robot.add(Speed(f"{name}_roller", along - rolling, zero=True)).slip
        across = side * ca.tan(angle)
        turning = place[0] * across - place[1]
        shares = tuple(part / driven.radius for part in (ca.SX(1), across, turning))
        added.append(Mecanum(driven, shares, -held.force * own))
    return added


def add_servos(base: Base, wheels: list[Mecanum], by_speed: ca.SX) -> list[ca.SX]:
    """Hold the base to the wheels' commanded speeds by least squares; return the torques, N.m."""
    robot = base.robot
    held = []
    for i, name in enumerate(("forward", "sideways", "turning")):
        error = sum(
            (w.shares[i] * (w.driven.spin.rate - w.driven.drive.shaft.rate) for w in wheels),
            ca.SX(0),
        )
        # the radius makes it a rate again; its size is of no account
        scaled = wheels[0].driven.radius * error
        held.append(add_servo(robot, name, scaled, by_speed).force)
    radius = wheels[0].driven.radius
    return [
        w.driven.drive.torque
        - sum((f * radius * share for f, share in zip(held, w.shares, strict=True)), ca.SX(0))
        for w in wheels
    ]


def show(base: Base, wheels: list[Mecanum], torques: list[ca.SX]) -> None:
    """Add the outputs."""
    robot = base.robot
    driven = [w.driven for w in wheels]
    loads = wheel_loads(
        {w.name: w.support for w in driven},
        [base.mass, *(w.mass for w in driven)],
        [w.inertia for w in driven],
        base.gravity,
        base.place,
    )
    for wheel, torque in zip(wheels, torques, strict=True):
        name = wheel.driven.name
        show_drive(robot, wheel.driven, torque)
        show_forces(robot, name, (wheel.force[0], wheel.force[1]), loads[name])
    robot.output("energy.kinetic", robot.kinetic_energy, unit="J", description="kinetic energy")


def add_odometry(robot: Model, wheels: list[Mecanum]) -> None:
    """Add the pose that a controller computes from the wheels' rates and nominal sizes."""
    radius = nominal(robot, "radius", 0.1, "of the wheels")
    reach = nominal(robot, "reach", 0.4, "half the track and half the wheelbase")
    ahead, left, yaw = ca.SX(0), ca.SX(0), ca.SX(0)
    for wheel, (front, side) in zip(wheels, PLACES.values(), strict=True):
        spin = wheel.driven.spin
        ahead += radius * spin.rate / 4
        left -= front * side * radius * spin.rate / 4
        yaw -= side * radius * spin.value / (4 * reach)
    add_path(robot, yaw, (ahead, left), "the wheels' rates")
    robot.output("odometry.yaw", yaw, unit="rad", description="heading by the wheels' angles")


def add_shapes(base: Base, wheels: list[Mecanum]) -> None:
    """Show the robot and the floor's forces on its wheels."""
    parameters = base.robot.parameters
    wheelbase, track = parameters["wheelbase"].symbol, parameters["track"].symbol
    radius = wheels[0].driven.radius
    show_base(base, (wheelbase + 2.4 * radius, track - 0.7 * radius), 0.6 * radius)
    for wheel in wheels:
        show_wheel(base, wheel.driven, base.heading.matrix @ wheel.force)


TERMINALS = terminals({name: f"drive of the {name.replace('_', ' ')} wheel" for name in PLACES})

PAGE = Page(
    keys={
        "left": keys_of({n: -0.5 * a * b for n, (a, b) in PLACES.items()}, 5.0),
        "right": keys_of({n: 0.5 * a * b for n, (a, b) in PLACES.items()}, 5.0),
        "up": keys_of(dict.fromkeys(PLACES, 0.5), 5.0),
        "down": keys_of(dict.fromkeys(PLACES, -0.5), 5.0),
        "q": keys_of({n: -0.2 * b for n, (_, b) in PLACES.items()}, 2.0),
        "e": keys_of({n: 0.2 * b for n, (_, b) in PLACES.items()}, 2.0),
    },
    captions={
        "left": "to the left",
        "right": "to the right",
        "up": "forward",
        "down": "back",
        "q": "turn left",
        "e": "turn right",
    },
    used_with=used_with(PLACES),
    follow="body",
    plots=(
        ("base.speed", "base.side_speed"),
        tuple(f"{n}.rate" for n in PLACES),
        tuple(f"{n}.load" for n in PLACES),
    ),
    ranges={
        **drive_ranges(PLACES, torque=2, acceleration=20),
        "base.speed": (-2, 2),
        "base.side_speed": (-2, 2),
        "base.yaw_rate": (-4, 4),
        "body.x": (-0.15, 0.15),
        "rollers.angle": (0.2, 1.2),
    },
)

DOCUMENTATION = """
<p>A mobile robot on a level floor: a rigid base on four mecanum wheels. The rollers around a wheel
turn freely about axes that make the angle <math>δ</math> with the driving direction; the floor
holds a wheel along the axis of the roller that touches, and lets it go across it. The rollers have
no inertia and touch in the middle of the wheel.</p>
<p>The speeds <math>v</math> ahead, <math>w</math> to the left and the yaw rate <math>ψ̇</math> are
degrees of freedom. A wheel of the radius <math>r_i</math> at <math>(x_i, y_i)</math> from
<tt>base.x</tt>, <tt>base.y</tt>, the middle of the wheels, turns at</p>
<math display="block">
r_i γ̇_i = v + s_i w tan δ + (s_i x_i tan δ - y_i) ψ̇,
</math>
<p>with <math>s_i = -1</math> of front left and rear right, 1 of the others: the axes of the rollers
that touch form a diamond, those of the rollers on top of the wheels an X. With the total mass
<math>m</math> and its centre in the middle, the inertia <math>J</math> about it, the wheels' spin
inertia <math>I</math>, equal radii, <math>δ</math> = 45&deg; and half the wheelbase and half the
track together <math>a</math>, the torques <math>M_i</math> of the wheels give</p>
<math display="block">
(m + 4 I/r²) v̇ = Σ M_i/r + m w ψ̇
(m + 4 I/r²) ẇ = Σ s_i M_i/r - m v ψ̇
(J + 4 I a²/r²) ψ̈ = Σ (s_i x_i - y_i) M_i/r.
</math>
<p><tt>drive</tt> = <tt>torque</tt>: each wheel feels its <tt>torque</tt>. <tt>speed</tt>: servos
turn the wheels at <tt>front_left.speed</tt> and the others. Four commands for three freedoms may
contradict each other; the wheels then turn as near to them as they can, by least squares.
<tt>acceleration</tt> must be the derivative of <tt>speed</tt>, or 0 with a speed that is given in
steps: at each of these an impulse changes the wheels' rates. <tt>drive_torque</tt> is what the
servo needs.</p>
<p>The force of the floor on a wheel is along the axis of its roller. Four wheels on a rigid base
are more than three, so that loads follow from stiffness: each wheel yields in proportion to its
load. Weight, the inertia forces at the height of the mass centre and the moments of momentum of the
wheels are balanced. A negative load says that the wheel would lift.</p>
<p><tt>odometry.x</tt>, <tt>.y</tt>, <tt>.yaw</tt> is the pose that a controller has from the
wheels' angles with <tt>odometry.radius</tt> and <tt>odometry.reach</tt>, for rollers at 45&deg;;
with the true sizes it is the true one.</p>
"""

SYMBOLS = {
    "v": "base.speed",
    "w": "base.side_speed",
    "ψ": "base.yaw",
    "δ": "rollers.angle",
    "γ_i": "angles of the wheels",
    "r_i, r": "radii of the wheels",
    "x_i, y_i": "place of a wheel ahead and to the left of the middle",
    "s_i": "sense of a wheel's rollers",
    "a": "half the wheelbase and half the track",
    "m, J": "total mass, and inertia about the vertical at the middle",
    "I": "wheel.spin_inertia",
    "M_i": "torques of the wheels",
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
