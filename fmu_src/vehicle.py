"""The four-wheeled vehicle of [SchiehlenEismann] Fig. 1: ideal rolling, one degree of freedom.

Neither axle slips across, so that the heading follows from the front axle's angle.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from matplotlib.axes import Axes

from mbcore import Model
from mbcore.fmi.component import Component, Experiment
from mbcore.fmi.description.sketch import ANGLE, FORCE, arrow
from mbcore.fmi.page_settings import Page

from .shared import shipped_component
from .single_track import Vehicle, describe, king_pin, sliding
from .single_track.outputs import TERMINALS, judge, show
from .single_track.page import KEYS, KING_PIN_RANGES, PLOTS, RANGES, REMARKS
from .single_track.sketch import outline, show_axes, show_forces

NAME = "vehicle"
DESCRIPTION = "Vehicle on ideally rolling wheels, steered and driven; path and lateral forces"

STEEPEST = np.pi / 2 - 1e-6
"""Largest angle of the front axle, rad: told by its name before the constraints turn singular."""


def model(slides: bool = False) -> Model:
    """Return the vehicle with its inputs, parameters and outputs.

    With ``slides`` each axle rolls only as long as that takes at most ``friction.limit`` times its
    static load, and slides beyond; with ``speed_law`` its angle follows the speed by the actuator,
    not at once. The FMU's vehicle does not slide, but says that it would.
    """
    if slides:
        return sliding_model()
    vehicle = describe(NAME, "for the friction ratios only")
    car, alpha, heading = vehicle.car, vehicle.steer_angle, vehicle.parts.heading
    heading.angle.kinematic("chassis.yaw", description="heading")
    car.require(
        "front.steer_angle",
        STEEPEST - ca.fabs(alpha),
        "the front axle is turned by 90 degrees or more, where rolling is singular; steer less",
        shown=alpha,
    )
    brake(vehicle)
    car.output("chassis.yaw_rate", heading.rate, unit="rad/s", description="yaw rate")
    told = "above the road's friction, rolling without slip is not to be believed"
    judge(vehicle, show(vehicle, told))
    king_pin.rub(vehicle, vehicle.parts.front.lateral.force)
    return car


def sliding_model() -> Model:
    """Return the vehicle whose axles slide by dry friction where rolling would take more."""
    # An angle that follows the speed at once would jump when a slip is stopped.
    vehicle = describe(NAME, "sets the grip and the friction ratios", lagging=True)
    sliding.free_rear_axle(vehicle)
    forces = sliding.rub(vehicle)
    sliding.brake(vehicle)
    show(vehicle, "never above the road's friction", forces)
    king_pin.rub(vehicle, forces["front"])
    return vehicle.car


def brake(vehicle: Vehicle) -> None:
    """Let the brake act against what else changes v_H, [SchiehlenEismann] (40) without v̇_H."""
    m, l, l_H = vehicle.data.mass, vehicle.data.wheelbase, vehicle.data.to_mass_centre  # noqa: E741
    T = ca.tan(vehicle.steer_angle)
    about_rear = vehicle.data.inertia + m * l_H**2
    turning = about_rear * T * (1 + T**2) * vehicle.steer_rate * vehicle.speed / l**2
    # velocity of C by v_H, [SchiehlenEismann] (34)
    moving = vehicle.axis + l_H / l * T * vehicle.side
    vehicle.brake(vehicle.forces.drive + ca.dot(moving, vehicle.forces.load) - turning)


PAGE = Page(
    keys=KEYS,
    plots=PLOTS,
    remarks=REMARKS,
    ranges={**RANGES, **KING_PIN_RANGES},
)

DOCUMENTATION = """
<p>The actively controlled vehicle of Schiehlen and Eismann, <i>Reduction of nonholonomic
systems</i>, Fig. 1: one rigid body, massless axles, wheels that neither slide nor lift. The rear
axle B neither slips along nor across; the front axle A, turned by <math>α</math>, does not slip
across.</p>
<p>Velocities:</p>
<math display="block">
ẋ = v_H (cos γ - l_H/l tan α sin γ),    ẏ = v_H (sin γ + l_H/l tan α cos γ),
    γ̇ = v_H tan α / l.        (34)
</math>
<p>Motion, with <math>T = tan α</math>:</p>
<math display="block">
(m + (I + m l_H²) T²/l²) v̇_H = f - (I + m l_H²) T sec²α α̇ v_H / l².
</math>
<p>With <tt>speed_law</tt>, <math>α = arctan(v_H/v_L)</math>, the second term moves to the left and
doubles the factor, as in (40).</p>
<p>Steering by <tt>lag</tt>: <math>T_s α̇ = α_s - α</math>; <tt>direct</tt> uses
<tt>steer.angle</tt> and <tt>steer.rate</tt> as they are given, and the rate must be the angle's;
the log reports once that one contradicts it. An angle <math>|α|</math> of 90&deg; and more is
refused.</p>
<p><tt>drive.force</tt> is a force, and a negative one drives backwards in the end. To brake there
is <tt>brake.force</tt>, <math>F ≥ 0</math>, dry friction on <math>v_H</math>: it opposes the motion
with <math>F</math>, and at rest holds against all other forces up to <math>F</math>, also on a
slope. It only takes energy. From <math>v_H</math>, straight ahead, the vehicle stops after <math>m
v_H²/(2 F)</math>.</p>
<p>The king pin, of radius <math>ρ</math>, rubs with <math>μ ρ |F_A| + M_0</math>, where
<math>F_A</math> is the lateral force of the front axle, and <math>M_0</math>,
<tt>steer.preload</tt>, is there without load. Because the angle is given, this friction changes
nothing but <tt>steer.torque</tt>, with which the steering turns the axle; the axle is massless and
has no trail, so that without friction it takes no torque.</p>
<p>The friction ratios are the lateral forces over the static axle loads. Where they exceed the
friction of the road, the vehicle would slide and this model is not to be believed: <tt>valid</tt>
becomes false, for good, where one of them exceeds <tt>friction.limit</tt>. In a steady turn the
front axle's is the larger one, <math>v_H² tan α / (g l cos α)</math>.</p>
"""

SYMBOLS = {
    "x": "chassis.x",
    "y": "chassis.y",
    "γ": "chassis.yaw",
    "v_H": "chassis.speed",
    "α": "front.steer_angle",
    "α_s": "steer.angle",
    "T_s": "steer.time_constant",
    "v_L": "steer.reference_speed",
    "m": "chassis.mass",
    "I": "chassis.inertia",
    "l": "wheelbase",
    "l_H": "rear_to_mass_centre",
    "g": "gravity",
    "f": "drive.force",
    "F": "brake.force",
    "μ": "steer.friction",
    "ρ": "steer.pin_radius",
    "M_0": "steer.preload",
    "F_A": "front.lateral_force",
    "T": "tangent of the steering angle",
}
"""Meaning of each symbol in the documentation."""


def icon(axes: Axes) -> None:
    """Draw the vehicle from above."""
    outline(axes, 0.4)
    axes.set_xlim(-2, 2)
    axes.set_ylim(-2, 2)


def picture(axes: Axes) -> None:
    """Draw the vehicle with its axes and signs."""
    outline(axes, 0.35)

    show_forces(axes, (-50, 6))
    arrow(axes, (-1.25, 0), (-1.25, 1.3), "rear.lateral_force", FORCE)
    arrow(
        axes,
        (1.25, 0),
        (1.25 - 1.3 * np.sin(0.35), 1.3 * np.cos(0.35)),
        "front.lateral_force",
        FORCE,
    )
    ahead = np.array([[1.25, 0], [1.25 + 1.3 * np.cos(0.35), 1.3 * np.sin(0.35)]])
    axes.plot(*ahead.T, color=ANGLE, linewidth=0.8, linestyle="--")
    axes.plot([1.25, 2.55], [0, 0], color=ANGLE, linewidth=0.8, linestyle="--")
    for x, label in ((-1.25, "B"), (0, "C"), (1.25, "A")):
        axes.annotate(label, (x, 0), xytext=(-4, -14), textcoords="offset points")
    show_axes(axes, 1.8)


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
