"""A tractor that is steered and draws trailers, all of whose axles roll without slipping sideways.

Seen from above, x forward, y left. The place of the train is the middle of the tractor's rear axle.
Nothing but the speed is free: heading and hitch angles follow it by kinematic coordinates, for any
number of trailers.
"""

from __future__ import annotations

import casadi as ca

from mbcore import Body, Model, PlanarHinge, PlanarWheel, RigidLink, StateName, Units
from mbcore.fmi.component import Component, Experiment, Terminal
from mbcore.fmi.page_settings import Page, Remark
from mbcore.model import checks

from ..lagged_steering import Words, add_commands
from ..mobile_robot import length
from ..shared import shipped_component
from .shapes import add_shapes
from .sketch import icon, picture
from .unit import Unit

NAME = "road_train"
DESCRIPTION = "Tractor with trailers on ideally rolling axles, steered and driven, also backwards"
BAND = 1e-12
"""How far a hitch angle must pass its limit, rad."""
STEERING = Words(
    rate="rate of the commanded angle, used with direct steering",
    angle="commanded angle of the front axle, positive to the left",
    actuator="angle of the front axle by the actuator",
)


def model(trailers: int = 2) -> Model:
    """Return a tractor with a number of trailers, with inputs, parameters and outputs.

    Raises
    ------
    ModelError
        If the number is not a whole one, at least 1.
    """
    trailers = checks.whole("road_train", "trailers", trailers, least=1)
    train = Model(NAME)
    tractor, front = add_tractor(train)
    units = [tractor]
    for number in range(1, trailers + 1):
        units.append(add_trailer(train, number, units[-1], add_hitch(train, units[-1].name)))
    show(train, units, front)
    add_limit(train, units[1:])
    add_shapes(train, units, front)
    return train


def add_tractor(train: Model) -> tuple[Unit, PlanarWheel]:
    """Add the tractor, driven at its mass centre; return it and its front wheel."""
    force, steer = add_inputs(train)
    mass, inertia, ahead = add_body(train, "tractor", (8000.0, 2e4, 1.5))
    wheelbase = length(train, "tractor.wheelbase", 3.8, "from the rear axle to the front one", True)
    axle, heading = train.point("base", (0, 0)), train.angle("heading")
    nose = train.point("front axle", (wheelbase, 0))
    train.add(RigidLink("wheelbase", axle, heading, nose)).visible = False
    train.add(
        Body("tractor body", axle, heading, mass=mass, inertia=inertia, offset=(ahead, 0))
    ).visible = False
    turned, rolled = train.angle("front direction"), train.angle("rolled")
    pivot = train.add(PlanarHinge("pivot", heading, turned))
    pivot.angle.prescribe(steer)
    locked = train.angle("front rotation", fixed=True)
    rear = train.add(PlanarWheel("rear_axle", axle, heading, rolled, radius=1.0))
    front = train.add(PlanarWheel("front_axle", nose, turned, locked, radius=1.0))
    front.longitudinal.release()
    rolled.angle.dof(
        StateName("base.rolled_distance", unit="m"),
        StateName("base.speed", description="speed of the tractor's rear axle"),
        rate_start=2.0,
        nominal=10.0,
        rate_nominal=10.0,
        description="distance rolled by the rear axle",
    )
    axle.x.kinematic("base.x", nominal=10.0, description="middle of the tractor's rear axle")
    axle.y.kinematic("base.y", nominal=10.0, description="middle of the tractor's rear axle")
    heading.angle.kinematic("base.yaw", description="heading of the tractor, to the left")
    train.load(force, rolled.rate)
    return Unit("tractor", axle, heading, rear, wheelbase, ca.SX(0), ca.SX(0)), front


def add_inputs(train: Model) -> tuple[ca.SX, ca.SX]:
    """Add the driving force, N, and the angle of the front axle, rad, with its rate."""
    force = train.input(
        "drive.force", unit="N", description="drives forward along the tractor's axis"
    )
    given = add_commands(train, 0.1, STEERING)
    train.derivative("steer.actuator_angle", (given.angle - given.actuator) / given.lag)
    steer = train.select(given.choice, given.actuator, given.angle)
    train.require(
        "front.steer_angle",
        1.5 - ca.fabs(steer),
        "the front axle is turned by nearly 90 degrees, where rolling is singular; steer less than "
        "1.5 rad",
        shown=steer,
    )
    train.output(
        "front.steer_angle",
        steer,
        unit=Units("rad", "deg"),
        description="actual angle of the front axle",
    )
    return force, steer


def add_body(
    train: Model, name: str, values: tuple[float, float, float]
) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Add mass, kg, inertia, kg.m2, and the place of the mass centre ahead of the axle, m."""
    mass, inertia, ahead = values
    return (
        train.parameter(f"{name}.mass", mass, unit="kg", positive=True, description="mass"),
        train.parameter(
            f"{name}.inertia",
            inertia,
            unit="kg.m2",
            positive=True,
            description="about the vertical, at the mass centre",
        ),
        length(train, f"{name}.to_mass_centre", ahead, "from the rear axle forward"),
    )


def add_hitch(train: Model, name: str) -> ca.SX:
    """Add the place of the hitch of a unit that pulls another, m behind its axle."""
    start = 0.6 if name == "tractor" else 0.8
    return length(train, f"{name}.hitch", start, "from the rear axle to the hitch behind it")


def add_trailer(train: Model, number: int, puller: Unit, hitch: ca.SX) -> Unit:
    """Add a trailer that a unit pulls at its hitch, straight behind it at the start."""
    name = f"trailer_{number}"
    mass, inertia, ahead = add_body(train, name, (6000.0, 1.5e4, 1.0))
    drawbar = length(train, f"{name}.length", 5.0, "from the hitch in front to the axle", True)
    pulled = puller.behind + hitch
    pin = train.point(f"{name} pin", (-pulled, 0))
    train.add(RigidLink(f"{name} coupling", puller.axle, puller.heading, pin)).visible = False
    heading = train.angle(f"{name} heading")
    axle = train.point(f"{name} axle", (-pulled - drawbar, 0))
    train.add(RigidLink(f"{name} drawbar", pin, heading, axle)).visible = False
    train.add(
        Body(f"{name} body", axle, heading, mass=mass, inertia=inertia, offset=(ahead, 0))
    ).visible = False
    joint = train.add(PlanarHinge(f"{name}_hitch", puller.heading, heading))
    locked = train.angle(f"{name} rotation", fixed=True)
    wheel = train.add(PlanarWheel(f"{name}_axle", axle, heading, locked, radius=1.0))
    wheel.longitudinal.release()
    joint.angle.kinematic(
        f"{name}.angle",
        display_unit="deg",
        description="of its hitch, from the unit in front to this one, positive to the left",
    )
    return Unit(name, axle, heading, wheel, drawbar, pulled + drawbar, joint.angle.value)


def show(train: Model, units: list[Unit], front: PlanarWheel) -> None:
    """Add the outputs."""
    tractor, *trailers = units
    train.output("base.yaw_rate", tractor.heading.rate, unit="rad/s", description="of the tractor")
    left = tractor.heading.matrix[:, 1]
    train.output(
        "base.side_speed",
        ca.dot(left, tractor.axle.velocity),
        unit="m/s",
        description="of the tractor's rear axle to its left; none, for it does not slip",
    )
    for name, wheel in (("front", front), ("rear", tractor.wheel)):
        train.output(
            f"{name}.force_y",
            -wheel.lateral.force,
            unit="N",
            nominal=1e3,
            description=f"of the road on the tractor's {name} axle, to the left of its wheels",
        )
    for unit in trailers:
        for axis, place in zip("xy", (unit.axle.position[0], unit.axle.position[1]), strict=True):
            train.output(f"{unit.name}.{axis}", place, unit="m", description="middle of its axle")
        train.output(f"{unit.name}.yaw", unit.heading.value, unit="rad", description="its heading")
        train.output(
            f"{unit.name}.force_y",
            -unit.wheel.lateral.force,
            unit="N",
            nominal=1e3,
            description="of the road on its axle, to its left",
        )
    train.output("energy.kinetic", train.kinetic_energy, unit="J", description="kinetic energy")


def add_limit(train: Model, trailers: list[Unit]) -> None:
    """Tell for good where a hitch angle has passed its limit."""
    limit = train.parameter(
        "hitch.limit",
        1.2,
        unit=Units("rad", "deg"),
        positive=True,
        description="angle at which a trailer touches the unit in front of it",
    )
    folded = ca.SX(0)
    for unit in trailers:
        name = f"{unit.name}.folds"
        mode = train.event(name)
        # it stays: what was not valid once does not become so
        beyond = ca.if_else(mode, 1, ca.fabs(unit.angle) - limit)
        train.event(name, beyond, band=BAND)
        folded = ca.fmax(folded, mode)
    train.output(
        "valid",
        1 - folded,
        kind="boolean",
        description="no hitch angle beyond hitch.limit so far",
    )


TERMINALS = (
    Terminal("steer", {"angle": "steer.angle", "rate": "steer.rate"}, "command of the front axle"),
    Terminal("drive", {"force": "drive.force", "speed": "base.speed"}, "drive of the tractor"),
    Terminal("base", {"x": "base.x", "y": "base.y", "yaw": "base.yaw"}, "place and heading"),
)

DOCUMENTATION = """
<p>A tractor that is steered at its front axle and driven at its rear one, with a chain of trailers,
on a level road. No axle slips sideways, so that the speed <math>v</math> of the tractor's rear axle
is the only freedom. <tt>base.x</tt>, <tt>base.y</tt> is the middle of that axle.</p>
<p>With the wheelbase <math>l_0</math> and the steering angle <math>α</math> the tractor turns at
<math>ψ̇_0 = v tan α / l_0</math>. A unit that moves at <math>v_(i-1)</math> and turns at
<math>ψ̇_(i-1)</math> has its hitch the distance <math>h_(i-1)</math> behind its axle; the trailer
there, turned by the hitch angle <math>θ_i</math>, with its axle <math>l_i</math> behind the hitch,
moves by</p>
<math display="block">
l_i ψ̇_i = -v_(i-1) sin θ_i - h_(i-1) ψ̇_(i-1) cos θ_i,    θ̇_i = ψ̇_i - ψ̇_(i-1)
v_i = v_(i-1) cos θ_i - h_(i-1) ψ̇_(i-1) sin θ_i.
</math>
<p>Forwards hitch angles settle; on a circle with the radius <math>r_0 = l_0/tan α</math> the axles
run at <math>r_i² = r_(i-1)² + h_(i-1)² - l_i²</math>. Backwards they grow: a train must be steered
to be reversed. With a hitch on the axle, <math>h = 0</math>, one trailer can be brought back by the
steering angle <math>α_m</math> only while <math>|sin θ| &lt; l_1 tan α_m / l_0</math>.</p>
<p><tt>valid</tt> becomes false, for good, where a hitch angle passes <tt>hitch.limit</tt>; the
motion goes on as if the units did not touch. <tt>steering</tt> = <tt>lag</tt>: the front axle
follows <tt>steer.angle</tt> with <tt>steer.time_constant</tt>; <tt>direct</tt>: it has
<tt>steer.angle</tt>, and <tt>steer.rate</tt> must be the rate of that. The number of trailers is
chosen where the FMU is made: <tt>mbcore build road_train
--trailers 3</tt>, or <tt>component(trailers=3)</tt>.</p>
"""

SYMBOLS = {
    "v": "base.speed",
    "α": "front.steer_angle",
    "l_0": "tractor.wheelbase",
    "l_i, l_1": "from the hitch in front of a trailer to its axle",
    "h_(i-1), h": "from the axle of a unit to the hitch behind it",
    "θ_i, θ": "hitch angle of a trailer",
    "ψ_0": "base.yaw",
    "ψ_i, ψ_(i-1)": "headings of a trailer and of the unit in front of it",
    "v_i, v_(i-1)": "speeds of their axles",
    "r_0": "radius of the circle of the rear axle of the tractor",
    "r_i, r_(i-1)": "radii of the circles of the other axles",
    "α_m": "largest steering angle",
}
"""Meaning of each symbol in the documentation."""


def page(trailers: int) -> Page:
    """Return the settings of the page."""
    angles = tuple(f"trailer_{n}.angle" for n in range(1, trailers + 1))
    remedy = "units of the train would touch; drive forward"
    return Page(
        keys={
            "left": {"steer.angle": 0.4},
            "right": {"steer.angle": -0.4},
            "up": {"drive.force": 20000},
            "down": {"drive.force": -20000},
        },
        plots=("base.speed", angles, ("front.force_y", "rear.force_y")),
        ranges={
            "steer.angle": (-0.7, 0.7),
            "steer.rate": (-1, 1),
            "drive.force": (-40000, 40000),
            "base.speed": (-10, 20),
            **{angle: (-1.5, 1.5) for angle in angles},
        },
        remarks={"valid": Remark(angles, "hitch.limit", remedy)},
        follow="tractor",
    )


def component(trailers: int = 2) -> Component:
    """Return the FMU's definition, of a train with a number of trailers, driving at 2 m/s."""
    return shipped_component(
        __name__,
        model(trailers).equations(),
        Experiment(stop=20.0, step=1e-2, tolerance=1e-6),
        picture,
        icon,
        page=page(trailers),
    )
