"""The swivel wheel of [Schwab2002] 3.5.2: a caster behind a strut that flexes sideways.

Seen from above, x forward, y left. The attachment C moves forward; the strut's foot B lies beside
it by the deflection u; the wheel centre A trails at the distance l, swivelled by φ.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore import Bearing, Body, Friction, Model, PlanarWheel, RigidLink, StateName
from mbcore.drawing import arrow, box, disc, dot, line, surface, tube
from mbcore.fmi.component import Component, Experiment, Terminal
from mbcore.fmi.page_settings import Page
from mbcore.model.nodes.nodes import Angle, Point
from mbcore.model.shapes.shape import Shape

from ..shared import METAL, RED, shipped_component
from .sketch import icon, picture

NAME = "caster"
DESCRIPTION = "Swivel wheel that may shimmy: a caster on a laterally flexible strut, no side slip"


@dataclass(frozen=True)
class Parameters:
    """Mass, geometry, springs and dampers; SI units."""

    mass: ca.SX
    gyration_radius: ca.SX
    to_mass_centre: ca.SX
    """Distance from the wheel centre A, towards the swivel axis B."""
    to_swivel: ca.SX
    """Distance from A."""
    stiffness: ca.SX
    damping: ca.SX
    """Of the strut, sideways."""
    swivel_stiffness: ca.SX
    swivel_damping: ca.SX


def model(friction: bool = False) -> Model:
    """Return the swivel wheel with its inputs, parameters and outputs.

    ``friction`` adds that of the swivel's pin, which is none by its parameters' start values.
    """
    gear = Model(NAME)
    data = add_parameters(gear)
    travelled, torque = add_inputs(gear)

    l = data.to_swivel  # noqa: E741
    C, airframe = gear.point("C", (0, 0)), gear.angle("airframe", fixed=True)
    B, strut = gear.point("B", (0, 0)), gear.angle("strut")
    A = gear.point("A", (-l, 0))
    locked = gear.angle("wheel rotation", fixed=True)
    C.x.prescribe(travelled)
    C.y.fix()
    swivel = gear.add(Bearing("swivel", C, airframe, B, strut))
    gear.add(RigidLink("trail", B, strut, A)).visible = False  # the fork is seen
    inertia = data.mass * data.gyration_radius**2
    place = (data.to_mass_centre, 0)
    gear.add(Body("wheel and strut", A, strut, mass=data.mass, inertia=inertia, offset=place))
    wheel = gear.add(PlanarWheel("wheel", A, strut, locked, radius=1.0))
    wheel.longitudinal.release()

    swivel.y.dof(
        "strut.deflection",
        StateName("strut.deflection_rate", description="its rate"),
        nominal=0.1,
        rate_nominal=0.1,
        description="lateral deflection u of the strut, to the left",
    ).spring(data.stiffness, data.damping)
    angle = swivel.rotation.kinematic(
        "swivel.angle", 0.1, nominal=0.1, description="swivel angle, counter-clockwise"
    )
    angle.spring(data.swivel_stiffness, data.swivel_damping).law(-torque)

    show(gear, swivel, wheel)
    add_shapes(gear, (B, strut), C, wheel, l)
    if friction:
        add_friction(gear, swivel)
    return gear


def add_friction(gear: Model, swivel: Bearing) -> None:
    """Add the friction of the swivel's pin, by the force that it transmits and by a preload."""
    coefficient = gear.parameter(
        "swivel.friction", 0.0, minimum=0.0, description="friction coefficient of the swivel's pin"
    )
    radius = gear.parameter(
        "swivel.pin_radius", 0.05, unit="m", positive=True, description="radius of the swivel's pin"
    )
    preload = gear.parameter(
        "swivel.preload",
        0.0,
        unit="N.m",
        minimum=0.0,
        description="friction torque in the swivel that is there without load",
    )
    rubbing = gear.add(
        Friction("swivel.friction", swivel, radius=radius, coefficient=coefficient, preload=preload)
    )
    gear.output(
        "swivel.friction_torque",
        rubbing.torque,
        unit="N.m",
        description="of the swivel's pin, positive against a positive rate",
    )


def add_parameters(gear: Model) -> Parameters:
    """Add mass, geometry, springs and dampers."""
    mass = gear.parameter(
        "wheel.mass", 1.0, unit="kg", positive=True, description="mass of strut and wheel"
    )
    gyration_radius = gear.parameter(
        "wheel.gyration_radius",
        np.sqrt(0.21),
        unit="m",
        minimum=0.0,
        tunable=False,
        description="radius of gyration of strut and wheel about their mass centre",
    )
    to_mass_centre = gear.parameter(
        "wheel.to_mass_centre",
        0.2,
        unit="m",
        tunable=False,
        description="distance from wheel centre A to mass centre G, towards the swivel",
    )
    to_swivel = gear.parameter(
        "wheel.to_swivel",
        1.0,
        unit="m",
        positive=True,
        tunable=False,
        description="distance from wheel centre A to swivel axis B",
    )
    gear.require(
        "wheel.gyration_radius",
        to_mass_centre**2 + gyration_radius**2,
        "and wheel.to_mass_centre must not both be zero: nothing would resist the swivelling",
        shown=gyration_radius,
        initial=True,
    )
    stiffness = gear.parameter(
        "strut.stiffness", 0.3, unit="N/m", minimum=0.0, description="lateral stiffness"
    )
    damping = gear.parameter(
        "strut.damping", 0.0, unit="N.s/m", minimum=0.0, description="lateral damping"
    )
    swivel_damping = gear.parameter(
        "swivel.damping", 0.0, unit="N.m.s/rad", minimum=0.0, description="about the swivel axis"
    )
    swivel_stiffness = gear.parameter(
        "swivel.stiffness", 0.0, unit="N.m/rad", minimum=0.0, description="about the swivel axis"
    )
    return Parameters(
        mass,
        gyration_radius,
        to_mass_centre,
        to_swivel,
        stiffness,
        damping,
        swivel_stiffness,
        swivel_damping,
    )


def add_inputs(gear: Model) -> tuple[ca.SX, ca.SX]:
    """Add speed and torque; return the place of C, m, and the torque, N.m."""
    acceleration = gear.input(
        "attachment.acceleration",
        0.0,
        unit="m/s2",
        description="forward acceleration of C, the derivative of its speed",
    )
    speed = gear.input(
        "attachment.speed", 1.0, unit="m/s", rate=acceleration, description="forward speed of C"
    )
    torque = gear.input(
        "swivel.torque",
        0.0,
        unit="N.m",
        description="on the strut, positive along the swivel angle; reacts on the airframe",
    )
    travelled = gear.state(
        "attachment.x",
        speed,
        unit="m",
        nominal=10.0,
        visibility="output",
        description="position of C",
    )
    return travelled, torque


def add_shapes(
    gear: Model, strut: tuple[Point, Angle], attachment: Point, wheel: PlanarWheel, trail: ca.SX
) -> None:
    """Show wheel, fork and airframe above the ground, and the ground's force on the wheel."""
    centre, angle = wheel.centre, strut[1]
    wheel.visible = False
    radius, top = 0.45 * trail, 1.1 * trail
    tyre = disc((0, 0, radius), None, radius, 0.24 * trail, axle=(0, 1, 0), name="wheel")
    gear.show(tyre, at=(centre, angle))
    for side in (-0.2 * trail, 0.2 * trail):
        knee = (0.5 * trail, side, 0.95 * top)
        blade = [(0, side, radius), knee, (trail, 0, 0.95 * top)]
        gear.show(tube(blade, 0.03 * trail, name="fork"), at=(centre, angle))
    pin = tube([(0, 0, 0.85 * top), (0, 0, 1.08 * top)], 0.06 * trail, colour=METAL, name="swivel")
    axis = line([(0, 0, 0), (0, 0, 0.85 * top)], name="swivel's axis")
    gear.show(pin, axis, line([(0, 0, 0), (-trail, 0, 0)], name="trail"), at=strut)
    gear.show(_bent_strut(attachment, strut[0], 1.5 * top, 1.08 * top, 0.04 * trail))
    corners = [[(a, b, 0) for b in (-1, 1)] for a in (-1, 1)]
    gear.show(surface(corners, ground=True, name="ground"))
    sizes = (0.5 * trail, 0.9 * trail, 0.12 * trail)
    gear.show(box((0, 0, 1.55 * top), None, sizes, colour=METAL, name="airframe"), at=attachment)
    gear.show(dot(strut[0], mark="hinge", name="swivel axis"))
    gear.show(dot(centre, colour=RED, trail=True, name="path"))
    gear.show(arrow(centre, -angle.matrix[:, 1] * wheel.lateral.force, name="ground's force"))


def _bent_strut(attachment: Point, foot: Point, above: ca.SX, below: ca.SX, radius: ca.SX) -> Shape:
    """Return a strut clamped at both ends, bent so far as its foot lies beside the attachment."""
    places = []
    for along in np.linspace(0.0, 1.0, 9):
        share = along**2 * (3 - 2 * along)  # a beam with both ends upright
        beside = attachment.position + share * (foot.position - attachment.position)
        places.append(ca.vertcat(beside, above + along * (below - above)))
    return tube(places, radius, name="strut")


def show(gear: Model, swivel: Bearing, wheel: PlanarWheel) -> None:
    """Add the outputs."""
    centre, angle, deflection = wheel.centre, swivel.rotation, swivel.y
    gear.output("swivel.rate", angle.rate, unit="rad/s", description="rate of the swivel angle")
    gear.output("wheel.x", centre.position[0], unit="m", description="wheel centre")
    gear.output("wheel.y", centre.position[1], unit="m", description="wheel centre")
    gear.output(
        "wheel.lateral_force",
        -wheel.lateral.force,
        unit="N",
        description="force of the ground on the wheel along its axle, to the left",
    )
    gear.output(
        "attachment.force_x", swivel.x.stress, unit="N", description="of the gear on the airframe"
    )
    gear.output(
        "attachment.force_y", deflection.stress, unit="N", description="of the gear on the airframe"
    )
    gear.output(
        "attachment.torque",
        angle.stress - deflection.value * swivel.x.stress,
        unit="N.m",
        description="moment of the gear on the airframe about C",
    )


TERMINALS = (
    Terminal(
        "attachment",
        {
            "speed": "attachment.speed",
            "acceleration": "attachment.acceleration",
            "x": "attachment.x",
            "force_x": "attachment.force_x",
            "force_y": "attachment.force_y",
            "torque": "attachment.torque",
        },
        "C, where the airframe moves the gear and bears its forces",
    ),
    Terminal(
        "swivel",
        {
            "torque": "swivel.torque",
            "angle": "swivel.angle",
            "rate": "swivel.rate",
        },
        "swivel axis, for a damper or a motor",
    ),
)

PAGE = Page(
    keys={"left": {"swivel.torque": 0.1}, "right": {"swivel.torque": -0.1}},
    plots=("swivel.angle", "strut.deflection", "wheel.lateral_force"),
    ranges={
        "swivel.torque": (-0.5, 0.5),
        "attachment.speed": (0, 3),
        "attachment.acceleration": (-1, 1),
        "strut.damping": (0, 1),
        "swivel.damping": (0, 0.5),
        "swivel.stiffness": (0, 1),
    },
    time_scale=2.0,
    spatial=True,  # fork, swivel and strut stand above the ground
)

DOCUMENTATION = """
<p>Den Hartog's landing wheel in the form of Schwab and Meijaard. C moves forward with the given
speed <math>v</math>. The strut's foot B lies to the left of C by <math>u</math>, held by a spring
<math>k</math>; the wheel centre A is at <math>(x_C - l cos φ, u - l sin φ)</math> and does not slip
along its axle:</p>
<math display="block">
l φ̇ = u̇ cos φ - v sin φ.
</math>
<p>Degree of freedom <math>u</math>, kinematic coordinate <math>φ</math>; reduced mass <math>m
(sin²φ + cos²φ (a² + r²)/l²)</math>, regular at every angle. A torque <math>τ</math> about the
swivel axis acts on <math>u</math> through <math>τ cos φ / l</math>.</p>
<p>About straight running the motion is stable where <math>a (l - a) > r²</math>; with the default
values it shimmies: eigenvalues &minus;0.9175 and 0.0588 &plusmn; 1.1421 i.</p>
<p>With <tt>swivel.friction</tt> the swivel's pin rubs with the torque <math>μ ρ |R|</math>, and
sticks where that suffices. Small motions and this friction grow or shrink together, so that there
is no threshold. <tt>swivel.preload</tt> is a friction torque that is there without load: it holds
small motions, and above a threshold the wheel shimmies.</p>
<p><tt>attachment.acceleration</tt> must be the derivative of <tt>attachment.speed</tt>.</p>
"""

SYMBOLS = {
    "v": "attachment.speed",
    "x_C": "attachment.x",
    "u": "strut.deflection",
    "φ": "swivel.angle",
    "τ": "swivel.torque",
    "k": "strut.stiffness",
    "m": "wheel.mass",
    "r": "wheel.gyration_radius",
    "a": "wheel.to_mass_centre",
    "l": "wheel.to_swivel",
    "μ": "swivel.friction",
    "ρ": "swivel.pin_radius",
    "R": "radial force of the swivel's pin",
}
"""Meaning of each symbol in the documentation."""


def component() -> Component:
    """Return the FMU's definition; it shows growing shimmy by default."""
    return shipped_component(
        __name__,
        model(friction=True).equations(),
        Experiment(stop=40.0, step=1e-2, tolerance=1e-6),
        picture,
        icon,
    )
