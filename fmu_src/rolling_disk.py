"""The rolling disk of [SchwabMeijaard2003] 3.2: thin, uniform, on a horizontal plane, no slip.

x and y in the plane, z up. Three hinges at the disk's centre turn it: yaw about z, lean about the
turned x axis, pitch about the axle. Two kinematic coordinates follow the contact point.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from matplotlib.axes import Axes

from mbcore import Body, Hinge, Model, StateName, Wheel
from mbcore.fmi.component import Component, Experiment, Terminal
from mbcore.fmi.description.sketch import ANGLE, BODY, EDGE, FORCE, MOTION, arrow
from mbcore.fmi.page_settings import Page
from mbcore.model.quantities import Deformation

from .shared import shipped_component

NAME = "rolling_disk"
DESCRIPTION = "Thin disk that rolls without slip on a plane: path, contact forces, energy"

VANISHING = 1e-300
"""Square of a force, N2, that changes no value but keeps the root's derivative finite at zero."""


def model() -> Model:
    """Return the rolling disk with its inputs, parameters and outputs."""
    disk = Model(NAME)
    m = disk.parameter(
        "disk.mass", 1.0, unit="kg", positive=True, description="mass, uniformly distributed"
    )
    r = disk.parameter(
        "disk.radius", 1.0, unit="m", positive=True, tunable=False, description="radius"
    )
    g = disk.parameter(
        "gravity", 1.0, unit="m/s2", positive=True, description="acceleration of free fall"
    )
    disk.gravity = ca.vertcat(0, 0, -g)
    axle_torque = disk.input(
        "axle.torque", unit="N.m", description="external torque about the disk's axle"
    )
    yaw_torque = disk.input(
        "yaw.torque", unit="N.m", description="external torque about the vertical"
    )

    yawed, leaned, body = (disk.rotation(name) for name in ("yawed", "leaned", "body"))
    centre, contact = disk.point("centre", (0, 0, r)), disk.point("contact", (0, 0, 0))
    yaw = disk.add(Hinge("yaw hinge", disk.ground, yawed, axis=(0, 0, 1))).angle
    lean = disk.add(Hinge("lean hinge", yawed, leaned, axis=(1, 0, 0))).angle
    pitch = disk.add(Hinge("pitch hinge", leaned, body, axis=(0, 1, 0))).angle
    wheel = disk.add(Wheel("wheel", centre, body, contact, radius=r))
    disk.add(Body("disk", centre, body, mass=m, inertia=(m * r**2 / 4, m * r**2 / 2, m * r**2 / 4)))

    give_roles(yaw, lean, pitch)
    contact.x.kinematic("contact.x", description="contact point")
    contact.y.kinematic("contact.y", description="contact point")
    # their powers are torque times angular velocity about the axle and about the vertical
    disk.moment(body, axle_torque * wheel.axle + ca.vertcat(0, 0, yaw_torque))

    show(disk, wheel)
    return disk


def give_roles(yaw: Deformation, lean: Deformation, pitch: Deformation) -> None:
    """Make the three angles degrees of freedom."""
    yaw.dof(
        "disk.yaw",
        StateName("disk.yaw_rate", description="rate of the yaw angle"),
        description="heading ψ about the vertical, to the left",
    )
    lean.dof(
        "disk.lean",
        StateName("disk.lean_rate", description="rate of the lean angle"),
        rate_start=-0.01,
        description="lean φ about the heading, to the right",
    )
    pitch.dof(
        "disk.pitch",
        StateName("disk.pitch_rate", description="rate of the pitch angle"),
        rate_start=0.4116,
        nominal=10.0,
        description="pitch θ about the axle, growing where the disk rolls forward",
    )


def show(disk: Model, wheel: Wheel) -> None:
    """Add the forces at the contact, and the energy."""
    along, across, up = wheel.longitudinal_force, wheel.lateral_force, wheel.normal_force
    for name, force, where in (
        ("longitudinal", along, "along the heading"),
        ("lateral", across, "to the left of the heading"),
        ("normal", up, "upwards; where it is negative the disk would lift"),
    ):
        disk.output(f"contact.force_{name}", force, unit="N", description=f"on the disk, {where}")
    disk.output(
        "contact.friction_ratio",
        ca.sqrt(along**2 + across**2 + VANISHING) / up,
        description="in-plane over normal force; above the plane's friction, rolling without "
        "slip is not to be believed",
    )
    disk.output(
        "energy.total",
        disk.kinetic_energy + disk.potential_energy,
        unit="J",
        description="kinetic and potential energy, the latter zero with the centre in the plane",
    )


TERMINALS = (
    Terminal(
        "axle",
        {
            "torque": "axle.torque",
            "angle": "disk.pitch",
            "rate": "disk.pitch_rate",
        },
        "rotation about the disk's axle",
    ),
    Terminal(
        "yaw",
        {
            "torque": "yaw.torque",
            "angle": "disk.yaw",
            "rate": "disk.yaw_rate",
        },
        "rotation about the vertical",
    ),
)

PAGE = Page(
    keys={
        "left": {"yaw.torque": 0.05},
        "right": {"yaw.torque": -0.05},
        "up": {"axle.torque": 0.05},
        "down": {"axle.torque": -0.05},
    },
    plots=("disk.lean", ("disk.yaw_rate", "disk.pitch_rate"), "contact.force_normal"),
    ranges={
        "axle.torque": (-0.2, 0.2),
        "yaw.torque": (-0.2, 0.2),
        "disk.lean": (-1.2, 1.2),
        "disk.pitch_rate": (-2, 2),
        "disk.yaw_rate": (-2, 2),
        "disk.lean_rate": (-1, 1),
    },
    time_scale=2.0,
)

DOCUMENTATION = """
<p>The disk of Schwab and Meijaard, <i>Dynamics of flexible multibody systems with non-holonomic
constraints</i>, section 3.2. A thin uniform disk of mass <math>m</math> and radius <math>r</math>
rolls on a horizontal plane without slip. Its orientation is <math>R_z(ψ) R_x(φ) R_y(θ)</math>: yaw
<math>ψ</math> about the vertical, lean <math>φ</math> about the heading (positive to the right),
pitch <math>θ</math> about the axle; they are the degrees of freedom. The contact point, a geometric
point that travels, moves by</p>
<math display="block">
ẋ = r cos ψ θ̇,    ẏ = r sin ψ θ̇;
</math>
<p>its coordinates are kinematic, so the state has eight entries.</p>
<p>Constraints: the velocity of the disk's material point at the contact is zero. Motion with
<math>Ω = θ̇ + sin φ ψ̇</math> about the axle and torques <math>T_a</math> (axle), <math>T_y</math>
(vertical):</p>
<math display="block">
(3/2) m r² Ω̇ = T_a + T_y sin φ - m r² cos φ φ̇ ψ̇
(5/4) m r² φ̈ = m g r sin φ + (3/2) m r² cos φ Ω ψ̇ - (1/4) m r² sin φ cos φ ψ̇²
(1/4) m r² (cos φ ψ̈ - 2 sin φ φ̇ ψ̇) = T_y cos φ - (1/2) m r² Ω φ̇
</math>
<p>The torques are external ones: their virtual power is <math>T_a (θ̇ + sin φ ψ̇) + T_y (ψ̇ + sin φ
θ̇)</math>, and their reaction does not act on the disk.</p>
<p>Straight rolling with speed <math>v</math> is stable above <math>v = √(g r/3)</math>: the only
eigenvalues that are not zero are <math>λ² = (4/5)(g/r)(1 - 3 v²/(g r))</math>. The default
experiment starts upright below it: the disk turns in sharply, rises again, turns the other way, and
the contact point draws the quasi-periodic figure of Fig. 5. There the in-plane force reaches 0.5216
of the normal one.</p>
<p>The plane pulls the disk down rather than let it lift: where <tt>contact.force_normal</tt> is
negative, the model is not to be believed. A lean of 90&deg;, at which the disk would fall flat, is
refused.</p>
"""

SYMBOLS = {
    "ψ": "disk.yaw",
    "φ": "disk.lean",
    "θ": "disk.pitch",
    "x": "contact.x",
    "y": "contact.y",
    "m": "disk.mass",
    "r": "disk.radius",
    "g": "gravity",
    "T_a": "axle.torque",
    "T_y": "yaw.torque",
    "Ω": "angular velocity of the disk about its axle",
    "R_x, R_y, R_z": "rotations about x, y and z",
    "v": "speed of straight rolling",
    "λ": "eigenvalue of small motions about it",
}
"""Meaning of each symbol in the documentation."""


def _project(points: np.ndarray) -> np.ndarray:
    """Seen from behind, above and the right: columns along x, y, z on the picture's axes."""
    return points @ np.array([[0.75, 0.35], [-0.6, 0.42], [0.0, 0.9]])


def _disk(axes: Axes, heading: float, lean: float) -> np.ndarray:
    """Draw a disk of radius 1 on the plane; return its heading, left and spoke as rows."""
    along = np.array([np.cos(heading), np.sin(heading), 0.0])
    left = np.array([-np.sin(heading), np.cos(heading), 0.0])
    spoke = np.array([0.0, 0.0, np.cos(lean)]) - np.sin(lean) * left
    angle = np.linspace(0, 2 * np.pi, 121)[:, None]
    rim = _project(spoke + np.cos(angle) * spoke + np.sin(angle) * along)
    axes.fill(*rim.T, facecolor=BODY, edgecolor=EDGE, linewidth=2)
    axes.plot(*_project(np.array([spoke])).T, "o", color=EDGE, markersize=4)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return np.array([along, left, spoke])


def _plane(axes: Axes, x: tuple[float, float], y: tuple[float, float]) -> None:
    corners = np.array([[x[i], y[j], 0.0] for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))])
    axes.fill(*_project(corners).T, color="#f0f0ec", zorder=-1)


def icon(axes: Axes) -> None:
    """Draw the leaning disk and its path."""
    _plane(axes, (-1.6, 1.3), (-1.2, 1.2))
    turn = np.linspace(-1.1, 0, 40)[:, None]
    path = np.hstack([1.5 * np.sin(turn), 1.5 - 1.5 * np.cos(turn), 0 * turn])
    axes.plot(*_project(path).T, color=MOTION, linewidth=3)
    _disk(axes, 0.0, -0.35)


def picture(axes: Axes) -> None:
    """Draw the disk with its axes and signs."""
    _plane(axes, (-1.6, 2.2), (-1.7, 2.0))
    along, left, spoke = _disk(axes, -0.2, 0.35)
    up = np.array([0.0, 0.0, 1.0])

    def vector(
        start: np.ndarray,
        by: np.ndarray,
        text: str,
        color: str = "black",
        offset: tuple[float, float] = (4, 3),
    ) -> None:
        tail, head = _project(np.array([start, start + by]))
        arrow(axes, tail, head, text, color, offset)

    contact = np.zeros(3)
    vector(contact, 1.5 * along, "force_longitudinal", FORCE)
    vector(contact, 1.5 * left, "force_lateral", FORCE, (-78, 0))
    vector(contact - 0.5 * up, 0.5 * up, "force_normal", FORCE, (5, -26))
    axle = np.cross(spoke, along)
    vector(spoke, 1.3 * axle, "axle.torque, pitch θ", ANGLE, (-126, 2))
    vector(spoke, 1.5 * up, "yaw.torque, yaw ψ", ANGLE)
    vector(spoke, 1.6 * along, "heading, lean φ", ANGLE)
    origin = np.array([-1.4, -1.5, 0.0])
    for direction, text in zip(np.eye(3), "xyz", strict=True):
        vector(origin, 0.5 * direction, text)
    axes.annotate("contact.x, contact.y", (0, 0), xytext=(-132, -16), textcoords="offset points")
    axes.set_xlim(-2.4, 2.9)
    axes.set_ylim(-1.4, 2.8)


def component() -> Component:
    """Return the FMU's definition; it shows the quasi-periodic path by default."""
    return shipped_component(
        __name__,
        model().equations(),
        Experiment(stop=87.0, step=1e-2, tolerance=1e-8),
        picture,
        icon,
    )
