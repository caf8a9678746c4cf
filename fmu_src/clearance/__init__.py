"""A clearance joint as a force element for other tools, [Schwab2002] 5.1 to 5.3, Appendix C.

The motion of a journal and of its sleeve goes in, the forces on both come out, all on inertial
axes, for any planar mechanism. There are no continuous states; where the surfaces began to stick is
discrete memory.
"""

from __future__ import annotations

import casadi as ca

from mbcore import Model, Units, drawing
from mbcore.elements.joints.bearing import enlargement, journal_in_sleeve
from mbcore.fmi.component import Component, Experiment, Terminal
from mbcore.fmi.page_settings import Page
from mbcore.model.nodes import rotations

from ..shared import RED, shipped_component
from .forces import Forces, add_forces
from .motion import Motion, add_motion
from .parameters import Sizes, add_parameters
from .sketch import icon, picture

NAME = "clearance"
DESCRIPTION = "Journal with clearance in a sleeve as a force element: motion in, forces out"


def model() -> Model:
    """Return the joint with its inputs, parameters and outputs; no node moves in it."""
    joint = Model(NAME)
    motion = add_motion(joint)
    data = add_parameters(joint)
    forces = add_forces(joint, motion, data)
    show(joint, motion, forces)
    add_shapes(joint, motion, data.sizes, forces)
    return joint


def show(joint: Model, motion: Motion, forces: Forces) -> None:
    """Add the outputs."""
    on = {
        "journal": (-forces.x, -forces.y, forces.journal_torque),
        "sleeve": (forces.x, forces.y, forces.sleeve_torque),
    }
    for part, values in on.items():
        for axis, force in zip("xy", values, strict=False):
            joint.output(
                f"{part}.force_{axis}",
                force,
                unit="N",
                description=f"on the {part}, at its centre",
                nominal=1e4,
            )
        joint.output(
            f"{part}.torque",
            values[2],
            unit="N.m",
            description=f"on the {part}, about its centre",
            nominal=1.0,
        )
    normal = forces.normal
    joint.output("contact", normal.touches, kind="boolean", description="in contact now")
    joint.output(
        "sticks",
        forces.sticks,
        kind="boolean",
        description="the journal rolls along the sleeve or rests",
    )
    joint.output(
        "contact.depth",
        ca.fmax(normal.depth, 0),
        unit="m",
        description="of the local deformation",
        nominal=1e-4,
    )
    joint.output(
        "contact.normal_force",
        normal.force,
        unit="N",
        description="positive where the parts push each other",
        nominal=1e4,
    )
    joint.output(
        "contact.friction_force",
        forces.tangential,
        unit="N",
        description="on the sleeve, counter-clockwise positive",
        nominal=1e3,
    )
    joint.output(
        "contact.angle",
        ca.if_else(normal.touches, motion.angle, 0),
        unit=Units("rad", "deg"),
        description="direction from the sleeve's centre to the contact, -180 to 180 deg; else 0",
    )


def add_shapes(joint: Model, motion: Motion, sizes: Sizes, forces: Forces) -> None:
    """Show the journal in its sleeve, whose centre stays in the picture, and the force."""
    sleeve = joint.point("sleeve", (0, 0), fixed=True)  # a node makes the picture a planar one
    joint.show(
        *journal_in_sleeve(
            sleeve,
            motion.place,
            rotations.planar_matrix(motion.turn + motion.journal_turn),
            sizes.journal_radius,
            sizes.clearance,
        )
    )
    times = enlargement(sizes.journal_radius, sizes.clearance)
    shown = ca.vertcat(*motion.place) * times
    joint.show(drawing.dot(shown, colour=RED, trail=True, name="journal's path"))
    force = ca.vertcat(forces.x, forces.y)
    joint.show(drawing.arrow(sleeve, force, name="force on the sleeve"))


TERMINALS = tuple(
    Terminal(
        part,
        {
            name: f"{part}.{name}"
            for name in (
                *("x", "y", "angle", "x_rate", "y_rate", "angle_rate"),
                *("force_x", "force_y", "torque"),
            )
        },
        f"motion of the {part} and what it feels",
    )
    for part in ("journal", "sleeve")
)

PAGE = Page(
    keys={
        "left": {"journal.x": -0.51e-3},
        "right": {"journal.x": 0.51e-3},
        "up": {"journal.y": 0.51e-3},
        "down": {"journal.y": -0.51e-3},
    },
    plots=(
        ("sleeve.force_x", "sleeve.force_y"),
        ("contact.normal_force", "contact.friction_force"),
        "contact.depth",
    ),
    ranges={
        **{f"journal.{axis}": (-0.52e-3, 0.52e-3) for axis in "xy"},
        **{f"sleeve.{axis}": (-0.52e-3, 0.52e-3) for axis in "xy"},
        **{f"{part}.{axis}_rate": (-1, 1) for part in ("journal", "sleeve") for axis in "xy"},
        **{f"{part}.angle": (-3.2, 3.2) for part in ("journal", "sleeve")},
        **{f"{part}.angle_rate": (-500, 500) for part in ("journal", "sleeve")},
    },
)

DOCUMENTATION = """
<p>Journal and sleeve with the radial clearance <math>c</math>, as Schwab's thesis has it in its
chapter 5, between two bodies of any planar mechanism. Motion of both bodies goes in, on inertial
axes; what both feel comes out: forces at their centres and torques about these. <math>d</math> is
the way from the sleeve's centre to the journal's, <math>r</math> its length, smooth within 1e-12 m
of the centre, and <math>n</math> its direction; <math>t</math> is across it, counter-clockwise. In
contact, <math>δ = r - c > 0</math>, the sleeve feels</p>
<math display="block">
F n + F_t t,    M = F_t (R + r),
</math>
<p>the journal of radius <math>R</math> the opposite force, and <math>-F_t R</math>.</p>
<p><b>Normal force.</b> <tt>hertz</tt>:</p>
<math display="block">
F = max(0, K δ^(3/2) (1 + 3 (1 - e²) δ̇ / (4 δ̇⁻))),
</math>
<p>with <math>K</math> of (5.3) for two spheres of radii <math>R</math> and <math>-(R + c)</math>.
The approach speed <math>δ̇⁻</math> is stored when a contact begins, and never taken below 1 mm/s;
a simulation that starts in contact takes the present one. <tt>linear</tt>:
<math>F = k δ + b δ̇</math>, not clipped.</p>
<p><b>Friction.</b> The journal's surface moves past the sleeve's with
<math>v = ḋ·t + R ω_j - (R + r) ω_s</math>. A contact begins in stick: a spring and a damper hold
the places that met,</p>
<math display="block">
F_t = k_t s + d_t v,    |F_t| ≤ μ_s F,    s = s_0 + r α + R φ,
</math>
<p>where <math>α</math> is the angle by which the journal has rolled along the sleeve since then and
<math>φ</math> by which it has turned in it; where stick began is discrete memory, stored anew after
60°. The surfaces slide where the limit is reached and <math>v</math> still stretches the spring:
then <math>F_t = μ F</math> along the sliding. They stick again where <math>v</math> changes its
sign. A force element cannot hold two bodies together exactly: a load shifts them by what it is over
<math>k_t</math>, and they stay there. <math>s</math> is exact at a constant depth; where the depth
changes while <math>α</math> is large it is off by <math>α</math> times the change. The energy is
then off by <math>∫ F_t α dr</math>, lost or made.</p>
<p><tt>lubricated</tt>: force and drag of the oil film of Appendix C, see the FMU
<tt>journal_bearing</tt>, on the axes of the turning sleeve; the journal feels the opposite force
and the moment that balances. There is no contact, and an eccentricity beyond 0.9999 of the
clearance is refused.</p>
<p><b>Coupling.</b> Dry contacts are stiff: with hardened steel a contact lasts some 0.1 ms, and the
communication interval must be a small part of that. With held inputs the error is of first order in
the interval, with linear inputs (<tt>fmi2SetRealInputDerivatives</tt>) of second order. In Model
Exchange the master's solver integrates bodies and forces together.</p>
"""

SYMBOLS = {
    "d": "way from the centre of the sleeve to that of the journal",
    "r": "distance of the centres",
    "n, t": "direction of d, and across it",
    "δ": "contact.depth",
    "δ̇⁻": "contact.impact_speed",
    "c": "clearance.radius",
    "R": "journal.radius",
    "F": "contact.normal_force",
    "F_t": "contact.friction_force",
    "M": "sleeve.torque",
    "K": "stiffness of Hertz's contact",
    "e": "contact.restitution",
    "k, b": "contact.stiffness, contact.damping",
    "μ, μ_s": "friction.coefficient, friction.static",
    "k_t, d_t": "friction.stiffness, friction.damping",
    "v": "sliding speed of the journal's surface past the sleeve's",
    "ω_j, ω_s": "journal.angle_rate, sleeve.angle_rate",
    "s, s_0": "elongation of the tangential spring, and where stick began",
    "α, φ": "angles by which the journal has rolled and turned in the sleeve since then",
}
"""Meaning of each symbol in the documentation."""


def component() -> Component:
    """Return the FMU's definition; nothing moves of itself in it."""
    return shipped_component(
        __name__,
        model().equations(),
        Experiment(stop=0.01, step=1e-5, tolerance=1e-6),
        picture,
        icon,
    )
