"""The data of the car: a BMW 320i of 1990, as public vehicle models have it.

Masses, inertias, lengths, springs and dampers are those of vehicle 2 of Althoff and Würsching,
CommonRoad: Vehicle Models, version 2020a, Technical University of Munich 2020 (table 6), from
measurements of the US Department of Transportation. Its yaw inertia, 1791.6 kg.m2, is that of the
whole car, from which the wheels' part is taken here. Data missing in that list are marked as
estimated.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Model, Units

CORNERS = {
    "front_left": ("front", 1),
    "front_right": ("front", -1),
    "rear_left": ("rear", 1),
    "rear_right": ("rear", -1),
}
"""Axle and sign of y of each wheel."""
AXLES = ("front", "rear")

POSITIVE = (
    ("body.mass", 965.711, "kg", "mass of the body, which the springs carry"),
    ("body.inertia_xx", 207.265, "kg.m2", "of the body about its x-axis"),
    ("body.inertia_yy", 1565.818, "kg.m2", "of the body about its y-axis"),
    ("body.inertia_zz", 1512.9, "kg.m2", "of the body about its z-axis"),
    ("wheel.mass", 31.896, "kg", "mass of a wheel with its carrier"),
    ("wheel.spin_inertia", 1.7, "kg.m2", "of a wheel about its axle"),
    ("wheel.inertia", 1.0, "kg.m2", "of a wheel about its diameter; estimated"),
    ("front.spring_stiffness", 24453.1, "N/m", "of a front spring, at the wheel"),
    ("rear.spring_stiffness", 19635.5, "N/m", "of a rear spring, at the wheel"),
    ("steering.ratio", 16.0, "1", "of the angles of steering wheel and road wheels; estimated"),
    (
        "steering.compliance",
        4e-5,
        "rad/(N.m)",
        "angle of the road wheels by the torque about both kingpins; estimated",
    ),
    ("steering.inertia", 0.5, "kg.m2", "of rack and column, at the road wheels; estimated"),
    ("air.density", 1.2, "kg/m3", "of the air"),
    ("tyre.slowest", 1.0, "m/s", "speed below which effects of rolling vanish"),
    ("gravity", 9.81, "m/s2", "acceleration of free fall"),
    ("brake.stiffness", 2.0e5, "N.m/rad", "of a brake that holds; estimated"),
    ("brake.damping", 3.0e3, "N.m.s/rad", "of a brake that holds; estimated"),
)
AT_LEAST_ZERO = (
    ("front.damping", 1786.24, "N.s/m", "of a front damper, at the wheel"),
    ("rear.damping", 1649.08, "N.s/m", "of a rear damper, at the wheel"),
    ("front.anti_roll_stiffness", 6914.88, "N.m/rad", "of the front anti-roll bar, by roll"),
    ("rear.anti_roll_stiffness", 2643.60, "N.m/rad", "of the rear anti-roll bar, by roll"),
    ("steering.damping", 200.0, "N.m.s/rad", "of the rack, at the road wheels; estimated"),
    ("drag.area", 0.65, "m2", "drag coefficient times area; estimated"),
    ("downforce.area", 0.0, "m2", "downforce coefficient times area"),
)
LENGTHS = (
    (
        "body.height",
        0.61373,
        "of the body's mass centre above the level road, in the design position",
    ),
    ("wheelbase", 2.578913, "distance of the axles"),
    ("to_front_axle", 1.156196, "from the body's mass centre to the front axle"),
    ("front.track", 1.38684, "distance of the front wheels"),
    ("rear.track", 1.36398, "distance of the rear wheels"),
)
PATHS = (
    ("toe", "rad", "toe-in of each wheel in the design position"),
    ("toe_by_travel", "rad/m", "bump steer: its change with travel"),
    ("toe_by_travel_squared", "rad/m2", "bump steer: its change with the square of travel"),
    ("camber", "rad", "camber in the design position, positive outwards"),
    ("camber_by_travel", "rad/m", "its change with travel"),
    ("camber_by_travel_squared", "rad/m2", "its change with the square of travel"),
    ("outward_by_travel", "1", "displacement of the wheel outwards with travel"),
    ("backward_by_travel", "1", "displacement of the wheel backwards with travel"),
)
"""Paths of the wheels relative to the body, for each axle; all are zero by default."""


@dataclass(frozen=True)
class DataSheet:
    """Parameters of the car, as symbols by their names."""

    model: Model

    def __getitem__(self, name: str) -> ca.SX:
        return self.model.parameters[name].symbol

    def inertia(self, body: str) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Return a body's moments of inertia about its own axes, kg.m2."""
        return tuple(self[f"{body}.inertia_{axis}"] for axis in ("xx", "yy", "zz"))

    def axle_place(self, axle: str) -> ca.SX:
        """Return x of an axle from the body's mass centre, m."""
        ahead = self["to_front_axle"]
        return ahead if axle == "front" else ahead - self["wheelbase"]

    def spring_load(self, axle: str) -> ca.SX:
        """Return the force of a spring that carries the body at rest on the level, N."""
        other = -self.axle_place("rear" if axle == "front" else "front")
        share = other / (self.axle_place(axle) + other)
        return self["body.mass"] * self["gravity"] * share / 2

    def wheel_load(self, axle: str) -> float:
        """Return the load of a tyre on the level, with all parameters at their start, N."""
        load = self.spring_load(axle) + self["wheel.mass"] * self["gravity"]
        return self.at_start(load)[0]

    def at_start(self, expression: ca.SX) -> list[float]:
        """Return the numbers of an expression, with all parameters at their start."""
        symbols = ca.vertcat(*(p.symbol for p in self.model.parameters.values()))
        values = ca.vertcat(*(p.value for p in self.model.parameters.values()))
        return [float(part) for part in ca.vertsplit(ca.substitute(expression, symbols, values))]


def data_sheet(model: Model) -> DataSheet:
    """Add the parameters to a model, and return them."""
    for name, value, unit, description in POSITIVE:
        model.parameter(name, value, unit=unit, positive=True, description=description)
    for name, value, unit, description in AT_LEAST_ZERO:
        model.parameter(name, value, unit=unit, minimum=0.0, description=description)
    for name, value, description in LENGTHS:
        model.parameter(
            name, value, unit="m", positive=True, tunable=False, description=description
        )
    for axle in AXLES:
        for what, unit, description in PATHS:
            name = f"{axle}.{what}"
            shown = Units("rad", "deg") if unit == "rad" else unit
            model.parameter(name, 0.0, unit=shown, tunable=False, description=description)
    for axis, value in zip("xyz", (0.0, 0.0, 0.0), strict=True):
        model.parameter(
            f"sensor.{axis}",
            value,
            unit="m",
            tunable=False,
            description=f"place of the sensor along the body's {axis}-axis, from its mass centre",
        )
    model.parameter(
        "steering.ackermann",
        1.0,
        description="1: the inner wheel is steered more, so that both axles of the wheels point to "
        "one centre on the rear axle's line; 0: both wheels are parallel",
    )
    return DataSheet(model)
