r"""A driver as a model of its own: a path-following controller that becomes an FMU.

Nothing moves in it: inputs, outputs and one state are enough. The path of the rear axle is a double
lane change,

    y_p(x) = w/2 [tanh((x - x₁)/s) - tanh((x - x₂)/s)],

with the heading θ_p = arctan y_p' and the curvature κ_p = y_p''/(1 + y_p'²)^(3/2). The rear axle,
because without side slip it follows a path exactly: with the heading along it, tan α = l κ. With
the lateral error e = (y - y_p) cos θ_p, the heading error θ = ψ - θ_p and the preview d,

    α = arctan(l [κ_p - 2 (e + d θ)/d²]);    linearly e'' + (2/d) e' + (2/d²) e = 0,

damping ratio 0.71. The speed is held by f = m [K_P (v* - v) + K_I z] with ż = v* - v.
"""

from __future__ import annotations

import casadi as ca

from mbcore import Model
from mbcore.fmi.component import Component, Experiment

NAME = "driver"
DESCRIPTION = "Driver who follows a double lane change: place, heading and speed in, controls out"


def path(x: ca.SX, offset: ca.SX, begin: ca.SX, end: ca.SX, length: ca.SX) -> ca.SX:
    """Return y of the path."""
    return offset / 2 * (ca.tanh((x - begin) / length) - ca.tanh((x - end) / length))


def model() -> Model:
    """Return the driver with its inputs, parameters and outputs, named as the vehicle's."""
    driver = Model(NAME)
    x, y, yaw, speed = (
        driver.input(f"chassis.{name}", 0.0, unit=unit, description=f"measured {what}")
        for name, unit, what in (
            ("x", "m", "place of the mass centre"),
            ("y", "m", "place of the mass centre"),
            ("yaw", "rad", "heading"),
            ("speed", "m/s", "speed"),
        )
    )

    def given(name: str, value: float, unit: str, description: str) -> ca.SX:
        return driver.parameter(name, value, unit=unit, positive=True, description=description)

    wanted = given("wanted.speed", 15.0, "m/s", "speed to be held")
    offset = given("path.offset", 3.5, "m", "how far to the left the second lane is")
    begin = given("path.begin", 35.0, "m", "x of the middle of the change to the left")
    end = given("path.end", 90.0, "m", "x of the middle of the change back")
    length = given("path.length", 8.0, "m", "half the length in which most of a change is made")
    preview = given("preview.distance", 8.0, "m", "d of the steering law")
    wheelbase = given("wheelbase", 2.5, "m", "of the vehicle")
    to_centre = given("rear_to_mass_centre", 1.25, "m", "of the vehicle")
    mass = given("chassis.mass", 1200.0, "kg", "of the vehicle")
    proportional = given("speed.gain", 2.0, "1/s", "K_P")
    integral = given("speed.integral_gain", 0.5, "1/s2", "K_I")

    missing = wanted - speed
    behind = driver.state(
        "distance.behind", unit="m", nominal=1.0, description="integral of the speed's error"
    )
    driver.derivative("distance.behind", missing)

    at = ca.SX.sym("x")
    road = path(at, offset, begin, end, length)
    slope = ca.gradient(road, at)
    curvature = ca.gradient(slope, at) / (1 + slope**2) ** 1.5
    rear_x, rear_y = x - to_centre * ca.cos(yaw), y - to_centre * ca.sin(yaw)
    y_p, slope, curvature = ca.substitute([road, slope, curvature], [at], [rear_x])
    heading = ca.atan(slope)
    error = (rear_y - y_p) * ca.cos(heading)
    bend = curvature - 2 * (error + preview * (yaw - heading)) / preview**2
    driver.output(
        "steer.angle", ca.atan(wheelbase * bend), unit="rad", description="axle angle to be steered"
    )
    driver.output(
        "drive.force",
        mass * (proportional * missing + integral * behind),
        unit="N",
        description="driving force",
    )
    driver.output("path.error", error, unit="m", description="rear axle left of the path")
    return driver


def component() -> Component:
    """Return the FMU's definition."""
    return Component(
        NAME, DESCRIPTION, model().equations(), experiment=Experiment(stop=10.0, step=1e-2)
    )
