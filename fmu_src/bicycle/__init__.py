"""The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab, Proc. R. Soc. A 463 (2007).

x forward, y left, z up; the paper has y to the right and z down. A rear frame with its rider, a
front frame (fork and handlebar) and two thin wheels that roll on a horizontal plane, joined by
three hinges. Three more hinges turn the rear frame: yaw, lean and pitch, the last of which follows
from the two contacts.
"""

from __future__ import annotations

import casadi as ca

from mbcore import Model, StateName
from mbcore.fmi.component import Component, Experiment, Terminal
from mbcore.fmi.page_settings import Page

from ..shared import shipped_component
from .joints import Joints, assemble
from .parameters import Bicycle, bicycle_parameters
from .sketch import icon, picture

NAME = "bicycle"
DESCRIPTION = "Benchmark bicycle on rolling wheels: steer, push and drive it; balance and forces"

VANISHING = 1e-300
"""Square of a force, N2, that changes no value but keeps the root's derivative finite at zero."""

LARGEST_LEAN = 1.3
"""rad; beyond, there need not be a pitch at which both wheels touch the ground."""

CROSSWISE = 0.02
"""Cosine of the angle between the wheels' headings: told by name before rolling is singular."""


def give_roles(joints: Joints) -> None:
    """Set the degrees of freedom and the kinematic coordinates."""
    joints.lean.dof(
        "bicycle.lean",
        StateName("bicycle.lean_rate", description="rate of the lean angle"),
        rate_start=0.2,
        nominal=0.1,
        description="lean φ of the rear frame about its heading, to the right",
    )
    joints.steer.dof(
        "bicycle.steer",
        StateName("bicycle.steer_rate", description="rate of the steer angle"),
        nominal=0.1,
        description="steer angle δ of the front frame about the steering axis, to the left",
    )
    joints.rolled.dof(
        StateName("bicycle.distance", visibility="local"),
        StateName(
            "bicycle.speed",
            description="radius of the rear wheel times its rate of rotation relative to the "
            "rear frame, positive forward",
        ),
        rate_start=5.0,
        nominal=10.0,
        rate_nominal=10.0,
        description="radius of the rear wheel times its angle relative to the rear frame",
    )
    joints.yaw.kinematic("bicycle.yaw", description="heading ψ of the rear frame, to the left")
    joints.front_angle.kinematic(
        "front_wheel.angle",
        nominal=10.0,
        visibility="local",
        description="of the front wheel relative to the fork, growing while it rolls forward",
    )
    joints.rear_contact.x.kinematic("bicycle.x", nominal=10.0, description="rear contact point")
    joints.rear_contact.y.kinematic("bicycle.y", nominal=10.0, description="rear contact point")


def limit(bicycle: Model, joints: Joints, data: Bicycle) -> None:
    """Refuse impossible motions by name."""
    bicycle.require(
        "bicycle.lean",
        LARGEST_LEAN - ca.fabs(joints.lean.value),
        "the bicycle falls on its side; start it less inclined, or balance it by steer.torque",
        shown=joints.lean.value,
    )
    headings = ca.dot(joints.rear.tangent_direction, joints.front.tangent_direction)
    bicycle.require(
        "bicycle.steer",
        headings / (data.rear_radius * data.front_radius) - CROSSWISE,
        "the front wheel stands across the rear one, where rolling is singular; start it "
        "straighter, or balance it by steer.torque",
        shown=joints.steer.value,
    )


def apply_torques(bicycle: Model, joints: Joints, rear_radius: ca.SX) -> None:
    """Add the three torques as inputs."""
    steer = bicycle.input(
        "steer.torque",
        unit="N.m",
        description="between rear and front frame, on the front frame to the left",
    )
    lean = bicycle.input(
        "lean.torque",
        unit="N.m",
        description="on the rear frame about its heading, from outside, to the right",
    )
    drive = bicycle.input(
        "drive.torque",
        unit="N.m",
        description="between rear frame and rear wheel, positive accelerates",
    )
    joints.steer.law(-steer)
    joints.rolled.law(-drive / rear_radius)
    bicycle.moment(joints.frame, lean * joints.heading.matrix[:, 0])


def show(bicycle: Model, joints: Joints, tilt: ca.SX) -> None:
    """Add the outputs."""
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
            ("lateral", across, "to the left of its own heading"),
            ("longitudinal", along, "along its own heading"),
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


def model() -> Model:
    """Return the bicycle with its inputs, parameters and outputs."""
    bicycle = Model(NAME)
    g = bicycle.parameter(
        "gravity", 9.81, unit="m/s2", minimum=0.0, description="acceleration of free fall"
    )
    bicycle.gravity = ca.vertcat(0, 0, -g)
    data = bicycle_parameters(bicycle)
    joints = assemble(bicycle, data)
    give_roles(joints)
    limit(bicycle, joints, data)
    apply_torques(bicycle, joints, data.rear_radius)
    show(bicycle, joints, data.tilt)
    return bicycle


TERMINALS = (
    Terminal(
        "steer",
        {
            "torque": "steer.torque",
            "angle": "bicycle.steer",
            "rate": "bicycle.steer_rate",
        },
        "handlebar",
    ),
    Terminal(
        "lean",
        {
            "torque": "lean.torque",
            "angle": "bicycle.lean",
            "rate": "bicycle.lean_rate",
        },
        "rear frame about the forward axis",
    ),
)

PAGE = Page(
    keys={
        "left": {"steer.torque": 1.5},
        "right": {"steer.torque": -1.5},
        "up": {"drive.torque": 20},
        "down": {"drive.torque": -20},
        "q": {"lean.torque": -60},
        "e": {"lean.torque": 60},
    },
    plots=(
        ("bicycle.lean", "bicycle.steer"),
        "bicycle.speed",
        ("front.lateral_force", "rear.lateral_force"),
    ),
    ranges={
        "steer.torque": (-5, 5),
        "lean.torque": (-100, 100),
        "drive.torque": (-40, 40),
        "bicycle.speed": (0.5, 12),
        "bicycle.lean": (-0.5, 0.5),
        "bicycle.steer": (-0.5, 0.5),
    },
)

DOCUMENTATION = """
<p>The bicycle of Whipple as set up by Meijaard, Papadopoulos, Ruina and Schwab, <i>Linearized
dynamics equations for the balance and steer of a bicycle: a benchmark and review</i>, Proc. R. Soc.
A 463 (2007) 1955&ndash;1982; the parameters are by default those of its Table 1. Four rigid bodies:
rear wheel, rear frame with the rider, front frame (fork and handlebar), front wheel. The wheels are
knife-edged and roll on a horizontal plane without slip. Nothing damps or rubs.</p>
<p>The rear frame is turned by yaw <math>ψ</math> about the vertical, lean <math>φ</math> about its
heading (positive to the right) and pitch about its lateral axis, the front frame by the steer angle
<math>δ</math> about the steering axis (positive to the left). The pitch follows from the two
contacts. Degrees of freedom are <math>φ</math>, <math>δ</math> and the rolled distance; heading,
rear contact point and the front wheel's angle are kinematic: they change only as the wheels roll.
The paper has y to the right and z down: its steer angle, and with it the off-diagonal elements
below, have the other sign.</p>
<p>The model is nonlinear. About straight upright riding with speed <math>v</math>, with <math>q =
(φ, δ)</math> and the torques <math>f = (T_φ, T_δ)</math>:</p>
<math display="block">
M q̈ + v C_1 q̇ + (g K_0 + v² K_2) q = f
M = [80.81722 -2.319413; -2.319413 0.297842] "kg m²",
C_1 = [0 -33.866414; 0.850356 1.685404] "kg m"
K_0 = [-80.95 2.599517; 2.599517 -0.803295] "kg m",    K_2 = [0 -76.597346; 0 2.654315] "kg"
</math>
<p>with the default parameters. Without a rider's torque the bicycle is then stable by itself
between the weave speed 4.292 m/s and the capsize speed 6.024 m/s. The default experiment pushes it
to the right at 5 m/s: it steers into the fall and gets up again. Below and above these speeds it
needs a <tt>steer.torque</tt> that depends on lean, steer angle and their rates.</p>
<p><tt>bicycle.speed</tt> is the rear wheel's radius times its rate of rotation relative to the rear
frame; where the frame pitches, the contact point moves at a slightly different speed.
<tt>drive.torque</tt> and <tt>steer.torque</tt> act between parts of the bicycle,
<tt>lean.torque</tt> acts from outside. Frame data are given for the upright bicycle.</p>
<p>Forces are those of the ground on the wheels. Where a normal force is negative, or a friction
ratio larger than the road's friction, the model is not to be believed. A lean of more than 1.3 rad
is refused, and so are wheels that stand across each other.</p>
"""

SYMBOLS = {
    "ψ": "bicycle.yaw",
    "φ": "bicycle.lean",
    "δ": "bicycle.steer",
    "q": "bicycle.lean, bicycle.steer",
    "T_φ": "lean.torque",
    "T_δ": "steer.torque",
    "f": "lean.torque, steer.torque",
    "v": "bicycle.speed",
    "g": "gravity",
    "M": "mass matrix",
    "C_1": "matrix of the velocities, times the speed",
    "K_0, K_2": "stiffness matrices of the weight and of the centrifugal forces",
}
"""Meaning of each symbol in the documentation."""


def component() -> Component:
    """Return the FMU's definition; a pushed bicycle gets up again by default."""
    return shipped_component(
        __name__,
        model().equations(),
        Experiment(stop=10.0, step=1e-2, tolerance=1e-6),
        picture,
        icon,
    )
