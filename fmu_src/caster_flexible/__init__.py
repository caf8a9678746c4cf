"""The caster of [SchwabMeijaard2003] 3.3 whose yoke flexes sideways: kinematic shimmy.

x forward, y right, z down, as in that section. The yoke hangs from the hinge B on the airplane
down to the wheel's centre A; the ground lies a wheel's radius below A, so its normal is -z.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Body, Hinge, Model, SpatialBeam, StateName, Wheel
from mbcore.drawing import box, tube
from mbcore.fmi.component import Component, Experiment, Terminal
from mbcore.fmi.page_settings import Page
from mbcore.model.nodes.nodes import Point, Rotation

from ..shared import METAL, shipped_component
from .sketch import icon, picture

NAME = "caster_flexible"
DESCRIPTION = "Caster on a yoke that flexes sideways, no slip and no spin: kinematic shimmy"


@dataclass(frozen=True)
class Parameters:
    """Mass, geometry, and the yoke's bending; SI units."""

    mass: ca.SX
    radius: ca.SX
    length: ca.SX
    """Of the yoke."""
    stiffness: ca.SX
    damping: ca.SX


def model() -> Model:
    """Return the caster with its inputs, parameters and outputs."""
    gear = Model(NAME)
    data = add_parameters(gear)
    travelled = add_inputs(gear)

    length, r = data.length, data.radius
    B, A = gear.point("B", (0, 0, 0)), gear.point("A", (0, 0, length))
    contact = gear.point("contact", (0, 0, length + r))
    top, bottom, wheel_frame = (gear.rotation(n) for n in ("yoke top", "yoke bottom", "wheel"))
    B.x.prescribe(travelled)
    B.y.fix()
    B.z.fix()
    swivel = gear.add(Hinge("swivel", gear.ground, top, axis=(0, 0, 1)))
    yoke, bent = hang(gear, (B, top), (A, bottom), data)
    axle = gear.add(Hinge("axle", bottom, wheel_frame, axis=(0, 1, 0)))
    m = data.mass
    gear.add(
        Body("wheel", A, wheel_frame, mass=m, inertia=(m * r**2 / 4, m * r**2 / 2, m * r**2 / 4))
    )
    # the axle counted to the left makes the wheel's longitudinal direction the forward one
    wheel = gear.add(
        Wheel(
            "tyre",
            A,
            wheel_frame,
            contact,
            radius=r,
            axle=(0, -1, 0),
            surface=lambda c: length + r - c[2],
        )
    )
    wheel.radial.release()
    wheel.spin.zero()

    yoke.bending_z_p.dof(
        "yoke.deflection",
        StateName("yoke.deflection_rate", description="its rate"),
        nominal=0.1,
        rate_nominal=0.1,
        description="deflection δ of A out of the hinge's axis, along the turned y axis",
    )
    swivel.angle.kinematic("wheel.yaw", 0.1, nominal=0.1, description="yaw ψ about z, to the right")
    bent.angle.kinematic(
        "wheel.roll", nominal=0.1, description="roll φ about the turned x axis, to the right"
    )
    axle.angle.kinematic(
        "wheel.pitch", nominal=10.0, description="pitch θ about the axle, falling while rolling"
    )

    show(gear, wheel)
    add_shapes(gear, (B, top), length)
    return gear


def add_parameters(gear: Model) -> Parameters:
    """Add mass and geometry, and how stiff the yoke is."""
    mass = gear.parameter(
        "wheel.mass", 1.0, unit="kg", positive=True, description="mass, uniformly distributed"
    )
    radius = gear.parameter(
        "wheel.radius", 1.0, unit="m", positive=True, tunable=False, description="radius"
    )
    length = gear.parameter(
        "yoke.length", 1.0, unit="m", positive=True, tunable=False, description="from A to B"
    )
    stiffness = gear.parameter(
        "yoke.bending_stiffness",
        10.0,
        unit="N.m2",
        positive=True,
        description="EI of the bending in the plane across the heading",
    )
    damping = gear.parameter(
        "yoke.damping",
        1.336306e-3,
        unit="s",
        minimum=0.0,
        description="β of the stresses S (ε + β dε/dt); 1 % of critical for the fast mode",
    )
    return Parameters(mass, radius, length, stiffness, damping)


def add_inputs(gear: Model) -> ca.SX:
    """Add the speed, and return the place of B, m."""
    acceleration = gear.input(
        "attachment.acceleration",
        0.0,
        unit="m/s2",
        description="forward acceleration of B, the derivative of its speed",
    )
    speed = gear.input(
        "attachment.speed", 1.0, unit="m/s", rate=acceleration, description="forward speed of B"
    )
    return gear.state(
        "attachment.x",
        speed,
        unit="m",
        nominal=10.0,
        visibility="output",
        description="position of B",
    )


def hang(
    gear: Model, top: tuple[Point, Rotation], bottom: tuple[Point, Rotation], data: Parameters
) -> tuple[SpatialBeam, Hinge]:
    """Add the yoke between its ends; return it, and the angle by which it is bent."""
    yoke = gear.add(
        SpatialBeam(
            "yoke",
            *top,
            *bottom,
            y_axis=(0, 1, 0),
            bending_stiffness_z=data.stiffness,
            damping=data.damping,
            elongation="chord",  # an inextensible arc lengthens the wave by 0.01 %
            rest_length=data.length,
        )
    )
    bent = gear.add(Hinge("bent yoke", top[1], bottom[1], axis=(1, 0, 0)))
    for measured in (bent.bending_y, bent.bending_z):
        measured.release()  # the yoke's rigid torsion and bending keep them at zero
    return yoke, bent


def add_shapes(gear: Model, top: tuple[Point, Rotation], length: ca.SX) -> None:
    """Show the hinge of the yoke on the airframe; z points downwards."""
    gear.upwards = (0.0, 0.0, -1.0)
    size = 0.5 * length
    plate = box((0, 0, -0.3 * size), None, (size, size, 0.1 * size), colour=METAL, name="airframe")
    gear.show(plate, at=top[0])
    pin = tube([(0, 0, -0.3 * size), (0, 0, 0.1 * size)], 0.06 * size, name="swivel axis")
    gear.show(pin, at=top)


def show(gear: Model, wheel: Wheel) -> None:
    """Add the outputs."""
    contact = wheel.contact
    gear.output("contact.x", contact.position[0], unit="m", description="contact point")
    gear.output("contact.y", contact.position[1], unit="m", description="contact point")
    for name, force, unit, where in (
        ("force_longitudinal", wheel.longitudinal_force, "N", "force along the heading"),
        ("force_lateral", -wheel.lateral_force, "N", "force to the right of the heading"),
        ("spin_moment", -wheel.spin_moment, "N.m", "moment about z"),
    ):
        gear.output(
            f"contact.{name}", force, unit=unit, description=f"{where}, of the ground on the wheel"
        )


TERMINALS = (
    Terminal(
        "attachment",
        {
            "speed": "attachment.speed",
            "acceleration": "attachment.acceleration",
            "x": "attachment.x",
        },
        "B, which moves forward",
    ),
)

PAGE = Page(
    keys={},
    plots=("wheel.yaw", "yoke.deflection", "contact.force_lateral"),
    ranges={"attachment.speed": (0, 3), "attachment.acceleration": (-1, 1)},
    time_scale=2.0,
)

DOCUMENTATION = """
<p>The caster wheel of Schwab and Meijaard, <i>Dynamics of flexible multibody systems with
non-holonomic constraints</i>, section 3.3, Fig. 7. The attachment B moves forward with the given
speed <math>v</math>. The yoke hangs from a free vertical hinge in B straight down to the wheel's
centre A: no trail, no rake. It is massless, bends only in its yz-plane, across the wheel, and its
chord AB does not change its length. The wheel is a thin uniform disk of mass <math>m</math> and
radius <math>r</math>; a finite contact area allows neither longitudinal nor lateral slip nor spin.
The tyre's radial deflection is free and carries no force; there is no gravity.</p>
<p>Axes: x forward, y right, z down. The wheel's orientation is <math>R_z(ψ) R_x(φ) R_y(θ)</math>;
rolling forward turns it along negative y. Degree of freedom is the deflection <math>δ</math> of A,
along the y axis that turns with the yoke; yaw <math>ψ</math>, roll <math>φ</math> and pitch
<math>θ</math> are kinematic coordinates, driven by the three slips that vanish.</p>
<p>For small motions, with <math>ω = v/r</math>:</p>
<math display="block">
ψ̇ = ω φ,    r φ̇ = δ̇ - v ψ,    θ̇ = -ω
(5/4) m r δ̈ + (1/4) m r v ψ̇ + r Q + M = 0
Q = EI/l³ (12 δ' + 6 l φ'),    M = EI/l³ (6 l δ' + 4 l² φ'),    δ' = δ + β δ̇,    φ' = φ + β φ̇
F = m δ̈ + Q,    S = -(1/4) m r v φ̇
</math>
<p>with the lateral force <math>F</math> and the spin moment <math>S</math> of the ground. With a
rigid yoke the contact point draws a sine of wavelength <math>2π r</math>. With the default values
the eigenvalues are &minus;1.07e&minus;6 &plusmn; 0.8007856 i, the kinematic shimmy with wavelength
7.846 m, and &minus;0.150 &plusmn; 14.985 i, a vibration of the yoke that dies out. The quasi-static
wavelength is</p>
<math display="block">
2π r √(1 + k),    k = ξ (2 ξ + 3) / (3 ξ + 6),    ξ = l/r.
</math>
<p><tt>attachment.acceleration</tt> must be the derivative of <tt>attachment.speed</tt>. Contact
forces are those of the ground on the wheel: along the heading, to its right, and about z. An end of
the yoke that turns by more than 60&deg; relative to its chord is refused.</p>
"""

SYMBOLS = {
    "v": "attachment.speed",
    "δ": "yoke.deflection",
    "ψ": "wheel.yaw",
    "φ": "wheel.roll",
    "θ": "wheel.pitch",
    "m": "wheel.mass",
    "r": "wheel.radius",
    "l": "yoke.length",
    "EI": "yoke.bending_stiffness",
    "β": "yoke.damping",
    "F": "contact.force_lateral",
    "S": "contact.spin_moment",
    "Q, M": "shear force and bending moment of the yoke at the wheel",
    "ω": "rolling speed over the radius",
    "ξ, k": "ratio of yoke and radius, and what follows from it",
    "R_x, R_y, R_z": "rotations about x, y and z",
}
"""Meaning of each symbol in the documentation."""


def component() -> Component:
    """Return the FMU's definition; it shows some seven waves of the shimmy by default."""
    return shipped_component(
        __name__,
        model().equations(),
        Experiment(stop=60.0, step=1e-2, tolerance=1e-6),
        picture,
        icon,
    )
