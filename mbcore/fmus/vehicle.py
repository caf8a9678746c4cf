"""The four-wheeled vehicle of [SchiehlenEismann] Fig. 1: ideal rolling, one degree of freedom.

Seen from above, x forward, y left. Both axles are single planar wheels on the centre line. The
rear wheel has unit radius, so that its rotation is the rolled distance and its rate the speed.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon, Rectangle

from mbcore import Body, Model, PlanarHinge, PlanarWheel, RigidLink
from mbcore.fmi.component import Component, Experiment, Terminal
from mbcore.fmi.sketch import ANGLE, BODY, EDGE, FORCE, MOTION, arc, arrow, axes_cross
from mbcore.fmus import AUTHOR, COPYRIGHT, VERSION
from mbcore.fmus.brake import brake
from mbcore.fmus.pages import PAGES
from mbcore.fmus.pictures import dress_vehicle
from mbcore.model.nodes import Angle, Point

NAME = "vehicle"
DESCRIPTION = "Vehicle on ideally rolling wheels, steered and driven; path and lateral forces"

BAND = 1e-9
"""How far a friction ratio must pass its limit."""
STEEPEST = np.pi / 2 - 1e-6
"""Largest angle of the front axle, rad: told by its name before the constraints turn singular."""


@dataclass(frozen=True)
class Vehicle:
    """A vehicle whose heading and lateral slips have no roles of their own yet."""

    car: Model
    centre: Point
    """C, the mass centre."""
    rear_axle: Point
    heading: Angle
    rear: PlanarWheel
    front: PlanarWheel
    chassis: Body
    steer_angle: ca.SX
    steer_rate: ca.SX
    """Its rate, rad/s; 0 with ``speed_law``, where it is a share of the acceleration."""
    drive: ca.SX
    load: ca.SX
    """Further force at C, N, shape (2, 1)."""
    brake_force: ca.SX
    speed: ca.SX
    """v_H, m/s."""
    rear_load: ca.SX
    front_load: ca.SX
    """Static axle loads, N."""

    @property
    def axis(self) -> ca.SX:
        """Direction of the vehicle's longitudinal axis, shape (2, 1)."""
        return ca.vertcat(ca.cos(self.heading.value), ca.sin(self.heading.value))

    @property
    def side(self) -> ca.SX:
        """Direction to its left, shape (2, 1)."""
        return ca.vertcat(-self.axis[1], self.axis[0])

    def value(self, parameter: str) -> ca.SX:
        """Return a parameter's symbol."""
        return self.car.parameters[parameter].symbol

    def brake(self, applied: ca.SX) -> None:
        """Let the brake act, and show its power; ``applied`` is all other force on v_H, N."""
        mass = self.value("chassis.mass")
        force = brake(self.car, "brake", self.speed, self.brake_force, applied, mass)
        self.car.load(force, self.speed)
        self.car.output(
            "brake.power",
            force * self.speed,
            unit="W",
            description="power of the brake, which only takes energy",
        )


def describe(name: str, gravity: str) -> Vehicle:
    """Return the vehicle with its inputs and parameters; ``gravity`` says what that is for."""
    car = Model(name)
    steering = car.enumeration(
        "steering",
        ["lag", "direct", "speed_law"],
        description="lag: first-order actuator; direct: angle and rate as given; "
        "speed_law: arctan(speed / reference speed)",
    )
    lag = car.parameter(
        "steer.time_constant",
        0.05,
        unit="s",
        positive=True,
        description="time constant of the steering actuator",
    )
    v_L = car.parameter(
        "steer.reference_speed",
        10,
        unit="m/s",
        positive=True,
        display_unit="km/h",
        description="v_L of the speed law",
    )
    m = car.parameter("chassis.mass", 1200, unit="kg", positive=True, description="mass")
    I = car.parameter(  # noqa: E741
        "chassis.inertia",
        675,
        unit="kg.m2",
        positive=True,
        description="moment of inertia about the vertical through the mass centre",
    )
    l = car.parameter(  # noqa: E741
        "wheelbase", 2.5, unit="m", positive=True, tunable=False, description="distance of axles"
    )
    l_H = car.parameter(
        "rear_to_mass_centre",
        1.25,
        unit="m",
        positive=True,
        tunable=False,
        description="distance from rear axle to mass centre",
    )
    g = car.parameter(
        "gravity",
        9.81,
        unit="m/s2",
        positive=True,
        description=f"acceleration of free fall, {gravity}",
    )
    car.parameter(
        "friction.limit",
        0.9,
        positive=True,
        description="friction ratio above which the motion is not valid",
    )
    car.require(
        "rear_to_mass_centre",
        l - l_H,
        "must be shorter than the wheelbase",
        shown=l_H,
        initial=True,
    )

    rate = car.input(
        "steer.rate",
        0.0,
        unit="rad/s",
        description="rate of the commanded axle angle, used with direct steering",
    )
    command = car.input(
        "steer.angle",
        unit="rad",
        rate=rate,
        display_unit="deg",
        description="commanded front axle angle, positive left",
    )
    drive = car.input(
        "drive.force",
        unit="N",
        description="driving force along the vehicle's axis at C; a negative one drives backwards, "
        "to brake there is brake.force",
    )
    brake_force = car.input(
        "brake.force",
        unit="N",
        minimum=0.0,
        description="largest force of the brake: opposes the motion, and holds at rest",
    )
    load_x = car.input("load.force_x", unit="N", description="further force at C, inertial x")
    load_y = car.input("load.force_y", unit="N", description="further force at C, inertial y")
    actuator = car.state(
        "steer.actuator_angle",
        unit="rad",
        nominal=0.1,
        display_unit="deg",
        description="axle angle of the lag actuator",
    )
    car.derivative("steer.actuator_angle", (command - actuator) / lag)

    # One rigid body, C in front of the rear axle R and behind the front axle F.
    C, gamma = car.point("C", (0, 0)), car.angle("chassis")
    R, F = car.point("R", (-l_H, 0)), car.point("F", (l - l_H, 0))
    # Both links start at R, where the rear wheel rolls: small blocks in the velocity problem.
    car.add(RigidLink("wheelbase", R, gamma, F))
    car.add(RigidLink("rear body", R, gamma, C))
    chassis = car.add(Body("chassis", C, gamma, mass=m, inertia=I))
    front_axle = car.angle("front axle")
    rolled = car.angle("rear rotation")
    locked = car.angle("front rotation", fixed=True)
    pivot = car.add(PlanarHinge("pivot", gamma, front_axle))
    rear = car.add(PlanarWheel("rear wheel", R, gamma, rolled, radius=1.0))
    front = car.add(PlanarWheel("front wheel", F, front_axle, locked, radius=1.0))
    front.longitudinal.release()

    speed = rolled.angle.dof(
        "rear.rolled_distance",
        "chassis.speed",
        rate_start=10.0,
        nominal=10.0,
        rate_nominal=10.0,
        unit="m",
        value_visibility="local",
        description="distance rolled by the rear axle",
        rate_description="speed along the vehicle's axis, v_H",
    ).rate
    C.x.kinematic("chassis.x", nominal=10.0, description="position of C")
    C.y.kinematic("chassis.y", nominal=10.0, description="position of C")
    alpha = car.select(steering, actuator, command, ca.atan(speed / v_L))
    pivot.angle.prescribe(alpha, servo=True)
    load, weight = ca.vertcat(load_x, load_y), m * g / l
    vehicle = Vehicle(
        car=car,
        centre=C,
        rear_axle=R,
        heading=gamma,
        rear=rear,
        front=front,
        chassis=chassis,
        steer_angle=alpha,
        steer_rate=car.select(steering, (command - actuator) / lag, rate, 0),
        drive=drive,
        load=load,
        brake_force=brake_force,
        speed=speed,
        rear_load=weight * (l - l_H),
        front_load=weight * l_H,
    )
    car.force(C, drive * vehicle.axis + load)
    dress_vehicle(car, gamma, ((rear, gamma), (front, front_axle)), rolled.value)
    return vehicle


def show(vehicle: Vehicle, friction: str) -> None:
    """Add the outputs of any vehicle; ``friction`` says what the road's does to the ratios."""
    car, C, axis, side = vehicle.car, vehicle.centre, vehicle.axis, vehicle.side
    rear_force, front_force = -vehicle.rear.lateral.force, -vehicle.front.lateral.force
    car.output(
        "front.steer_angle",
        vehicle.steer_angle,
        unit="rad",
        display_unit="deg",
        description="actual front axle angle",
    )
    car.output(
        "chassis.acceleration_x",
        ca.dot(axis, C.acceleration),
        unit="m/s2",
        description="acceleration of C along the vehicle's axis",
    )
    car.output(
        "chassis.acceleration_y",
        ca.dot(side, C.acceleration),
        unit="m/s2",
        description="acceleration of C to the left",
    )
    car.output(
        "front.lateral_force",
        front_force,
        unit="N",
        description="force of the road on the front axle, normal to the turned wheel, to the left",
    )
    car.output(
        "rear.lateral_force",
        rear_force,
        unit="N",
        description="force of the road on the rear axle, to the left",
    )
    front_ratio = ca.fabs(front_force) / vehicle.front_load
    rear_ratio = ca.fabs(rear_force) / vehicle.rear_load
    car.output(
        "front.friction_ratio",
        front_ratio,
        description=f"lateral force over static axle load; {friction}",
    )
    car.output(
        "rear.friction_ratio",
        rear_ratio,
        description="lateral force over static axle load",
    )
    energy = vehicle.chassis.kinetic_energy()
    car.output("energy.kinetic", energy, unit="J", description="kinetic energy")
    car.output(
        "drive.power",
        vehicle.drive * ca.dot(axis, C.velocity),
        unit="W",
        description="power of the driving force",
    )
    _judge(vehicle, {"front": front_ratio, "rear": rear_ratio})


def _judge(vehicle: Vehicle, ratios: dict[str, ca.SX]) -> None:
    """Show whether the friction ratios have kept below their limit so far."""
    car, limit = vehicle.car, vehicle.value("friction.limit")
    exceeded = ca.SX(0)
    for axle, ratio in ratios.items():
        mode = car.event(f"{axle}.limit_exceeded")
        # it stays: what was not valid once does not become so
        car.event(f"{axle}.limit_exceeded", ca.if_else(mode, 1, ratio - limit), band=BAND)
        exceeded = ca.fmax(exceeded, mode)
    car.output(
        "valid",
        1 - exceeded,
        kind="boolean",
        description="no friction ratio above friction.limit so far",
    )


def model() -> Model:
    """Return the vehicle with its inputs, parameters and outputs."""
    vehicle = describe(NAME, "for the friction ratios only")
    car, alpha = vehicle.car, vehicle.steer_angle
    vehicle.heading.angle.kinematic("chassis.yaw", description="heading")
    car.require(
        "front.steer_angle",
        STEEPEST - ca.fabs(alpha),
        "the front axle is turned by 90 degrees or more, where rolling is singular; steer less",
        shown=alpha,
    )

    m, I = vehicle.value("chassis.mass"), vehicle.value("chassis.inertia")  # noqa: E741
    l, l_H = vehicle.value("wheelbase"), vehicle.value("rear_to_mass_centre")  # noqa: E741
    T = ca.tan(alpha)
    about_rear = I + m * l_H**2
    turning = about_rear * T * (1 + T**2) * vehicle.steer_rate * vehicle.speed / l**2
    moving = vehicle.axis + l_H / l * T * vehicle.side  # velocity of C by v_H, (34)
    vehicle.brake(vehicle.drive + ca.dot(moving, vehicle.load) - turning)

    car.output("chassis.yaw_rate", vehicle.heading.rate, unit="rad/s", description="yaw rate")
    show(vehicle, "above the road's friction, rolling without slip is not to be believed")
    return car


TERMINALS = (
    Terminal(
        "steer",
        {
            "angle": "steer.angle",
            "rate": "steer.rate",
        },
        "command of the front axle",
    ),
    Terminal(
        "drive",
        {
            "force": "drive.force",
            "speed": "chassis.speed",
            "power": "drive.power",
        },
        "drive along the vehicle",
    ),
    Terminal(
        "brake",
        {
            "force": "brake.force",
            "power": "brake.power",
        },
        "brake",
    ),
    Terminal(
        "chassis",
        {
            "x": "chassis.x",
            "y": "chassis.y",
            "yaw": "chassis.yaw",
        },
        "place and heading",
    ),
)

DOCUMENTATION = """
<p>The actively controlled vehicle of Schiehlen and Eismann, <i>Reduction of nonholonomic
systems</i>, Fig. 1: one rigid body, massless axles, wheels that neither slide nor lift. The rear
axle B neither slips along nor across; the front axle A, turned by &alpha;, does not slip
across.</p>
<p>Velocities (34): &#7819; = v<sub>H</sub> [cos &gamma; &minus; (l<sub>H</sub>/l) tan &alpha;
sin &gamma;], &#7823; = v<sub>H</sub> [sin &gamma; + (l<sub>H</sub>/l) tan &alpha; cos &gamma;],
d&gamma;/dt = v<sub>H</sub> tan &alpha; / l.</p>
<p>Motion, with T = tan &alpha;: [m + (I + m l<sub>H</sub>&sup2;) T&sup2;/l&sup2;]
dv<sub>H</sub>/dt = f &minus; (I + m l<sub>H</sub>&sup2;) T sec&sup2;&alpha; (d&alpha;/dt)
v<sub>H</sub>/l&sup2;. With <tt>speed_law</tt>, &alpha; = arctan(v<sub>H</sub>/v<sub>L</sub>), the
second term moves to the left and doubles the factor, as in (40).</p>
<p>Steering by <tt>lag</tt>: T<sub>s</sub> d&alpha;/dt = <tt>steer.angle</tt> &minus; &alpha;;
<tt>direct</tt> uses <tt>steer.angle</tt> and <tt>steer.rate</tt> as they are given, and the rate
must be the angle's; one that contradicts it is told in the log, once. |&alpha;| &ge; 90&deg; is
refused.</p>
<p><tt>drive.force</tt> is a force, and a negative one drives backwards in the end. To brake there
is <tt>brake.force</tt> F &ge; 0, dry friction on v<sub>H</sub>: it opposes the motion with F, and
at rest holds against all other forces up to F, also on a slope. It only takes energy. From
v<sub>H</sub>, straight ahead, the vehicle stops after m v<sub>H</sub>&sup2;/(2F).</p>
<p>The friction ratios are the lateral forces over the static axle loads. Where they exceed the
friction of the road, the vehicle would slide and this model is not to be believed: <tt>valid</tt>
becomes false, for good, where one of them exceeds <tt>friction.limit</tt>. In a steady turn the
front axle's is the larger one, v<sub>H</sub>&sup2; tan &alpha; / (g l cos &alpha;).</p>
"""


def outline(axes: Axes, steer: float) -> None:
    """Draw chassis and wheels from above."""
    body = [(-1.6, -0.7), (1.3, -0.7), (1.7, -0.4), (1.7, 0.4), (1.3, 0.7), (-1.6, 0.7)]
    axes.add_patch(Polygon(body, facecolor=BODY, edgecolor=EDGE, linewidth=1.5))
    for x, angle in ((-1.25, 0.0), (1.25, steer)):
        for y in (-0.75, 0.75):
            wheel = Rectangle(
                (x - 0.3, y - 0.1),
                0.6,
                0.2,
                angle=np.degrees(angle),
                rotation_point="center",
                color="#333333",
            )
            axes.add_patch(wheel)
    axes.set_aspect("equal")
    axes.set_axis_off()


def icon(axes: Axes) -> None:
    """Draw the vehicle from above."""
    outline(axes, 0.4)
    axes.set_xlim(-2, 2)
    axes.set_ylim(-2, 2)


def picture(axes: Axes) -> None:
    """Draw the vehicle with its axes and signs."""
    outline(axes, 0.35)

    arrow(axes, (0, 0), (0.9, 0), "drive.force", MOTION, offset=(-50, 6))
    arrow(axes, (0, 0), (-0.9, 0), "brake.force", MOTION, offset=(-2, 6))
    arrow(axes, (0, -0.35), (0.8, -0.35), "load.force_x (at C)", MOTION, offset=(-66, -14))
    arrow(axes, (0, 0), (0, 0.6), "load.force_y", MOTION, offset=(5, -8))
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
    arc(axes, (1.25, 0), 1.1, (0, 0.35), "steer.angle", ANGLE, offset=(14, 0))
    axes_cross(axes, (-2.6, -1.6), 1.0)
    axes.plot([-1.25, 0, 1.25], [0, 0, 0], "ko-", markersize=4, linewidth=0.8)
    for x, label in ((-1.25, "B"), (0, "C"), (1.25, "A")):
        axes.annotate(label, (x, 0), xytext=(-4, -14), textcoords="offset points")
    axes.set_xlim(-3, 3.6)
    axes.set_ylim(-2.0, 1.8)


def component() -> Component:
    """Return the FMU's definition; it drives straight on by default."""
    return Component(
        name=NAME,
        description=DESCRIPTION,
        equations=model().equations(),
        experiment=Experiment(stop=10.0, step=1e-3, tolerance=1e-6),
        documentation=DOCUMENTATION,
        picture=picture,
        icon=icon,
        twins=True,
        starts=True,
        terminals=TERMINALS,
        aliases={"chassis.yaw_rate": "der(chassis.yaw)"},
        author=AUTHOR,
        version=VERSION,
        copyright=COPYRIGHT,
        page=PAGES[NAME],
    )
