"""The vehicle of [SchiehlenEismann] Fig. 1 on wheels that slide where the road gives no more.

As ``vehicle``, but the lateral slips are free and regularized, [Deppler] (3), with a friction limit
at each axle. A second wheel at the rear axle, rolling sideways, makes the lateral rolled distance a
degree of freedom; its rate is the lateral slip velocity.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from matplotlib.axes import Axes

from mbcore import Model
from mbcore.contact.regularized import Regularization, regularize
from mbcore.fmi.component import Component, Experiment
from mbcore.fmi.description.sketch import ANGLE, FORCE, arrow
from mbcore.fmi.page_settings import Page

from .shared import shipped_component
from .single_track import Vehicle, describe, king_pin
from .single_track.outputs import TERMINALS, judge, show
from .single_track.page import KEYS, KING_PIN_RANGES, RANGES, REMARKS
from .single_track.sketch import outline, show_axes, show_forces
from .single_track.sliding import free_rear_axle

NAME = "vehicle_grip"
DESCRIPTION = "Vehicle whose axles stick, slide and recover: regularized rolling with dry friction"

BAND = 1e-6
"""Half width of the sliding events' hysteresis, N."""


@dataclass(frozen=True)
class Contact:
    """How stiff and damped the axles' contacts are, [Deppler] (3); SI units."""

    stiffness: ca.SX
    damping: ca.SX
    exponent: ca.SX
    compliance: ca.SX


def model() -> Model:
    """Return the vehicle with its inputs, parameters and outputs."""
    vehicle = describe(NAME, "sets the grip and the friction ratios")
    friction = add_friction(vehicle.car)
    data = add_contact_parameters(vehicle.car)
    slip = free_rear_axle(vehicle)
    lateral = {
        axle: -add_contact(vehicle, axle, data, friction[axle]) for axle in ("front", "rear")
    }
    vehicle.car.output(
        "front.slip_velocity",
        vehicle.parts.front.lateral.velocity,
        unit="m/s",
        description="lateral slip velocity at the front contact, to the left of the turned wheel",
    )
    brake(vehicle, slip, lateral["front"])
    judge(vehicle, show(vehicle, "never above the road's friction"))
    king_pin.rub(vehicle, lateral["front"])
    return vehicle.car


def add_friction(car: Model) -> dict[str, ca.SX]:
    """Add the friction coefficients of the road under the axles."""
    return {
        axle: car.input(
            f"{axle}.friction",
            0.9,
            minimum=0.0,
            description=f"friction coefficient of the road under the {axle} axle",
        )
        for axle in ("front", "rear")
    }


def add_contact_parameters(car: Model) -> Contact:
    """Add the parameters of the regularized contacts."""
    stiffness = car.parameter(
        "contact.stiffness",
        1000.0,
        unit="N/m",
        minimum=0.0,
        description="c; lateral stiffness c/eps of an axle's contact",
    )
    damping = car.parameter(
        "contact.damping",
        1500.0,
        unit="N.s/m",
        positive=True,
        description="d; lateral damping d/eps^kappa",
    )
    exponent = car.parameter(
        "contact.damping_exponent",
        0.5,
        minimum=0.0,
        maximum=1.0,
        description="kappa: 1/2 principal, 1 strong damping",
    )
    compliance = car.parameter(
        "contact.compliance",
        1e-3,
        positive=True,
        description="eps: the smaller, the closer to ideal rolling, and the stiffer",
    )
    return Contact(stiffness, damping, exponent, compliance)


def add_contact(vehicle: Vehicle, axle: str, data: Contact, friction: ca.SX) -> ca.SX:
    """Let an axle's lateral slip be resisted up to its friction; return the contact's force, N."""
    wheel, load = {
        "front": (vehicle.parts.front, vehicle.front_load),
        "rear": (vehicle.parts.rear, vehicle.rear_load),
    }[axle]
    contact = regularize(
        vehicle.car,
        wheel.lateral,
        Regularization(data.stiffness, data.damping, data.compliance, data.exponent),
        limit=friction * load,
        name=f"{axle}.contact",
        band=BAND,
    )
    vehicle.car.output(
        f"{axle}.sliding",
        contact.sliding,
        kind="boolean",
        description=f"whether the {axle} axle slides",
    )
    return contact.force


def brake(vehicle: Vehicle, slip: ca.SX, front_force: ca.SX) -> None:
    """Let the brake act; ``slip`` is the rear axle's, m/s, ``front_force`` lateral, N."""
    rate = vehicle.parts.heading.rate
    centripetal = vehicle.data.mass * rate * (slip + vehicle.data.to_mass_centre * rate)
    vehicle.brake(
        vehicle.forces.drive
        + ca.dot(vehicle.axis, vehicle.forces.load)
        + centripetal
        - front_force * ca.sin(vehicle.steer_angle)
    )


PAGE = Page(
    keys={
        **KEYS,
        "i": {"front.friction": 0.1, "rear.friction": 0.1},
        "o": {"rear.friction": 0.3},
    },
    captions={"i": "ice under both axles", "o": "less grip at the rear"},
    plots=(
        "chassis.speed",
        ("front.lateral_force", "rear.lateral_force"),
        ("front.slip_velocity", "rear.slip_velocity"),
    ),
    remarks=REMARKS,
    ranges={
        **RANGES,
        **KING_PIN_RANGES,
        "front.friction": (0, 1.2),
        "rear.friction": (0, 1.2),
    },
)

DOCUMENTATION = """
<p>The vehicle of Schiehlen and Eismann, <i>Reduction of nonholonomic systems</i>, Fig. 1, as in
<tt>vehicle</tt>: one rigid body, massless axles. But the axles are not ideal guides: their lateral
slips <math>s</math> are regularized after Deppler, Fidlin and Braun, <i>Regularization of
nonholonomic constraints in multibody systems</i>, (3), and limited by the friction of the road. The
rear axle rolls freely along the vehicle; no heading and no steering angle is singular.</p>
<p>Each axle's contact has a lateral deflection <math>z</math> and the force <math>-λ</math> on the
vehicle, positive to the left:</p>
<math display="block">
λ* = c/ε z + d/ε^κ s,    λ = λ* min(1, μ N/|λ*|),    ż = (λ - c/ε z) ε^κ/d,
N_front = m g l_H/l,    N_rear = m g (l - l_H)/l
</math>
<p>with the road's friction <math>μ</math> and the static axle load <math>N</math>. Within the limit
<math>ż = s</math>: the axle sticks to the road or rolls, and follows the ideal guide up to terms of
order <math>ε</math>. Beyond the limit it slides with <math>s - ż</math>, and <math>z</math> goes to
the limit's deflection. The force never exceeds <math>μ N</math> and is continuous, and the contact
only takes energy.</p>
<p>Equations of motion, with the longitudinal and the lateral velocity <math>v_H</math> and
<math>w</math> of the rear axle, the yaw rate <math>r</math> and the lateral forces
<math>F_front</math>, <math>F_rear</math> of the road:</p>
<math display="block">
m (v̇_H - r (w + l_H r)) = f - F_front sin α
m (ẇ + l_H ṙ + v_H r) = F_rear + F_front cos α
I ṙ = (l - l_H) F_front cos α - l_H F_rear
s_rear = w,    s_front = (w + l r) cos α - v_H sin α
</math>
<p>Further forces at C as given.</p>
<p>Steering by <tt>lag</tt>: <math>T_s α̇ = α_s - α</math>; <tt>direct</tt> uses
<tt>steer.angle</tt> as it is given; <tt>speed_law</tt> <math>α = arctan(v_H/v_L)</math>. To start
on a bend, start with the yaw rate <math>v_H tan α / l</math>, else the contacts bring it about with
a shock.</p>
<p>The default contact is as stiff as 1000 kN/m at each axle and nearly critically damped. Over 0.9
friction a gentle turn is that of <tt>vehicle</tt>; on ice, 0.1, a turn by 0.05 rad at 10 m/s needs
twice the force there is, and the front axle slides. Smaller <math>ε</math> is closer to ideal
rolling and stiffer: choose <tt>rosenbrock</tt> there.</p>
<p><tt>brake.force</tt> opposes <math>v_H</math> and holds at rest, as in <tt>vehicle</tt>; it takes
nothing of the lateral friction. <tt>valid</tt> becomes false where a friction ratio exceeds
<tt>friction.limit</tt>, which needs a road with more friction than that.</p>
<p>The king pin, of radius <math>ρ</math> and friction coefficient <math>ν</math>, resists the
steering with <math>ν ρ |F_front| + M_0</math>, as in <tt>vehicle</tt>; this changes nothing but
<tt>steer.torque</tt>.</p>
"""

SYMBOLS = {
    "v_H": "chassis.speed",
    "w": "rear.slip_velocity",
    "r": "chassis.yaw_rate",
    "α": "front.steer_angle",
    "α_s": "steer.angle",
    "T_s": "steer.time_constant",
    "v_L": "steer.reference_speed",
    "z": "front.contact.deflection, rear.contact.deflection",
    "s": "front.slip_velocity, rear.slip_velocity",
    "s_front": "front.slip_velocity",
    "s_rear": "rear.slip_velocity",
    "F_front": "front.lateral_force",
    "F_rear": "rear.lateral_force",
    "μ": "front.friction, rear.friction",
    "c": "contact.stiffness",
    "d": "contact.damping",
    "κ": "contact.damping_exponent",
    "ε": "contact.compliance",
    "m": "chassis.mass",
    "I": "chassis.inertia",
    "l": "wheelbase",
    "l_H": "rear_to_mass_centre",
    "g": "gravity",
    "f": "drive.force",
    "ν": "steer.friction",
    "ρ": "steer.pin_radius",
    "M_0": "steer.preload",
    "λ": "force of an axle on the road, to the left",
    "λ*": "what it would be without a limit",
    "N, N_front, N_rear": "static load of an axle",
}
"""Meaning of each symbol in the documentation."""


def icon(axes: Axes) -> None:
    """Draw the vehicle on two skid marks."""
    x = np.linspace(-2, -1.25, 30)
    for y in (-0.75, 0.75):
        axes.plot(x, y + 0.9 * (x + 1.25) ** 2, color="#888888", linewidth=3)
    outline(axes, -0.4)
    axes.set_xlim(-2, 2)
    axes.set_ylim(-2, 2)


def picture(axes: Axes) -> None:
    """Draw the vehicle with its axes and signs."""
    outline(axes, 0.35)
    turned = np.array([np.cos(0.35), np.sin(0.35)])
    left = np.array([-turned[1], turned[0]])
    front, rear = np.array([1.25, 0.0]), np.array([-1.25, 0.0])
    show_forces(axes, (-56, 5))
    arrow(axes, rear, rear + (0, 1.6), "rear.lateral_force", FORCE, offset=(-50, 4))
    behind = rear - (0.25, 0)
    arrow(axes, behind, behind + (0, 1.1), "rear.slip_velocity", ANGLE, offset=(-112, 2))
    arrow(axes, front, front + 1.6 * left, "front.lateral_force", FORCE)
    beside = front + 0.25 * turned
    arrow(axes, beside, beside + 1.1 * left, "front.slip_velocity", ANGLE)
    for line in (np.array([front, front + 1.3 * turned]), np.array([front, front + (1.3, 0)])):
        axes.plot(*line.T, color=ANGLE, linewidth=0.8, linestyle="--")
    for x, label in ((-1.25, "B"), (0, "C"), (1.25, "A")):
        axes.annotate(label, (x, 0), xytext=(-4, -14), textcoords="offset points")
    show_axes(axes, 2.2)


def component() -> Component:
    """Return the FMU's definition; it drives straight on by default."""
    return shipped_component(
        __name__,
        model().equations(),
        Experiment(stop=10.0, step=1e-3, tolerance=1e-6),
        picture,
        icon,
        terminals=TERMINALS,
    )
