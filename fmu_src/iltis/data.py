"""The data sheet of the Bombardier ILTIS, the benchmark vehicle of the IAVSD workshop of 1990.

Lengths in m, x forward, y to the left, z up from the cabin's mass centre in the design position,
which is 0.570 m above the ground. Data as in public models of the benchmark (Kortüm and Sharp,
Multibody Computer Codes in Vehicle System Dynamics, Vehicle System Dynamics 22, supplement, 1993).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import casadi as ca

from mbcore import Model

HEIGHT = 0.570
"""The cabin's mass centre above the ground in the design position."""
GROUND = -HEIGHT
"""z of the level road."""
AXLES = {"front": 0.970, "rear": -1.047}
"""x of the axles."""
RADII = {"front": 0.364325, "rear": 0.363812}
"""Radii of the unloaded wheels, m: 0.356 and what the design load takes."""
WHEEL_HEIGHT = 0.356
"""Of the wheels' centres above the road in the design position, m."""
DESIGN_LOADS = {axle: 460000.0 * (radius - WHEEL_HEIGHT) for axle, radius in RADII.items()}
"""Loads of the tyres, N, in the design position."""
CORNERS = {
    "front_left": ("front", 1),
    "front_right": ("front", -1),
    "rear_left": ("rear", 1),
    "rear_right": ("rear", -1),
}
"""Axle and sign of y of each wheel."""
REST = {
    "cabin.z": -0.0070847015397378,
    "cabin.pitch": 0.0025580797971514,
    "front_left.arm_angle": 0.0303393235865,
    "front_right.arm_angle": 0.0303393235865,
    "rear_left.arm_angle": 0.0140155795303,
    "rear_right.arm_angle": 0.0140155795303,
}
"""Static equilibrium with these data: `examples/vehicles/iltis.py` computes it."""

Place = tuple[float, float, float]


@dataclass(frozen=True)
class HardPoints:
    """Places of one corner in the design position; rear corners mirror the front ones in x."""

    arm_pivot: Place
    arm_ball: Place
    """Of the wheel carrier, at the arm's end."""
    leaf_pivot: Place
    leaf_ball: Place
    """Of the wheel carrier, at the end of the leaf spring, which guides as a rigid link."""
    wheel_centre: Place
    tie_rod_carrier: Place
    tie_rod_rack: Place
    """On the rack in front, on the cabin behind."""
    damper_cabin: Place
    damper_arm: Place
    contact: Place
    arm_mass_centre: Place
    forward: int
    """1 in front, -1 behind."""
    side: int
    """1 on the left, -1 on the right."""
    radius: float

    @property
    def arm_slope(self) -> float:
        """Angle, rad, by which the arm points downwards."""
        down = self.arm_pivot[2] - self.arm_ball[2]
        return math.atan2(down, abs(self.arm_ball[1] - self.arm_pivot[1]))


def hard_points(axle: str, side: int) -> HardPoints:
    """Return the places of one corner."""
    x, forward = AXLES[axle], 1 if axle == "front" else -1

    def place(ahead: float, y: float, above_ground: float) -> Place:
        return (x + forward * ahead, side * y, above_ground - HEIGHT)

    pivot, ball, to_ball = (0.259, 0.302), (0.572, 0.229), 0.16073
    share = 1 - to_ball / ((ball[0] - pivot[0]) ** 2 + (ball[1] - pivot[1]) ** 2) ** 0.5
    middle = tuple(p + share * (b - p) for p, b in zip(pivot, ball, strict=True))
    return HardPoints(
        arm_pivot=place(0, *pivot),
        arm_ball=place(0, *ball),
        leaf_pivot=place(0, 0.1585, 0.600),
        leaf_ball=place(0, 0.488, 0.531),
        wheel_centre=place(0, 0.615, WHEEL_HEIGHT),
        tie_rod_carrier=place(-0.14, 0.448, 0.531),
        tie_rod_rack=place(-0.14, 0.070, 0.600),
        damper_cabin=place(0.075, 0.297, 0.632),
        damper_arm=place(0.075, 0.500, 0.241),
        contact=place(0, 0.615, 0.0),
        arm_mass_centre=place(0, middle[0], middle[1]),
        forward=forward,
        side=side,
        radius=RADII[axle],
    )


def sides(axle: str) -> list[tuple[str, int]]:
    """Return the names of an axle's wheels, with the signs of their y."""
    return [(name, side) for name, (of, side) in CORNERS.items() if of == axle]


@dataclass(frozen=True)
class DataSheet:
    """Parameters of the vehicle, as symbols by their names."""

    model: Model

    def __getitem__(self, name: str) -> ca.SX:
        return self.model.parameters[name].symbol

    def inertia(self, body: str) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Return a body's moments of inertia about its own axes, kg.m2."""
        return (
            self[f"{body}.inertia_x"],
            self[f"{body}.inertia_y"],
            self[f"{body}.inertia_z"],
        )

    def leaf_spring(self, up: ca.SX) -> ca.SX:
        """Return the force, N, that presses a leaf's end down when it is ``up`` above its design.

        Linear, and stiff beyond the bump stop.
        """
        rate, stop = self["leaf.stiffness"], self["leaf.stop_travel"]
        beyond = ca.fmax(up - stop, 0)
        return (
            rate * (up - self["leaf.free_travel"] - beyond) + self["leaf.stop_stiffness"] * beyond
        )

    def rubber(self, length: ca.SX) -> ca.SX:
        """Return the elastic force of a shock absorber, N, tension positive, by its length, m."""
        cubic = ((5.2796e7 * length - 6.7061e7) * length + 2.8397e7) * length - 4.0092e6
        return self["shock.rubber_scale"] * cubic

    def damping(self, rate: ca.SX) -> ca.SX:
        """Return the damping force, N, by the rate of the length, m/s; extension positive."""
        quartic = (((-395651.0 * rate - 59832.25) * rate + 33955.72) * rate + 9945.627) * rate
        low, high = -416.42 + 1844.3 * rate, 1919.1638 + 1634.727 * rate
        law = ca.if_else(rate < -0.2, low, ca.if_else(rate > 0.21, high, quartic))
        return self["shock.damping_scale"] * law


def data_sheet(model: Model, calspan: bool = True) -> DataSheet:
    """Add the parameters to a model, and return them; ``calspan``, with the benchmark's tyre."""

    def left_out(name: str) -> bool:
        return not calspan and name.startswith("tyre.") and name != "tyre.slowest"

    for name, value, unit, description in (
        ("cabin.mass", 1260.0, "kg", "mass of the cabin"),
        ("cabin.inertia_x", 130.0, "kg.m2", "of the cabin about its x-axis"),
        ("cabin.inertia_y", 1620.0, "kg.m2", "of the cabin about its y-axis"),
        ("cabin.inertia_z", 1670.0, "kg.m2", "of the cabin about its z-axis"),
        ("arm.mass", 6.0, "kg", "mass of a suspension arm"),
        ("arm.inertia_x", 0.052099, "kg.m2", "of an arm about its mass centre, across it"),
        ("arm.inertia_y", 0.023235, "kg.m2", "of an arm along itself"),
        ("arm.inertia_z", 0.068864, "kg.m2", "of an arm about its mass centre, across it"),
        ("wheel.mass", 57.35, "kg", "mass of a wheel with its carrier"),
        ("wheel.inertia", 1.2402, "kg.m2", "of a wheel about its diameter"),
        ("wheel.spin_inertia", 1.908, "kg.m2", "of a wheel about its axle"),
        ("leaf.stiffness", 35906.0, "N/m", "rate of a leaf spring at its end"),
        ("leaf.stop_stiffness", 1.0e7, "N/m", "rate beyond the bump stop"),
        ("tyre.stiffness", 460000.0, "N/m", "radial rate of a tyre"),
        ("tyre.A0", 2625.0, "N", "Calspan: cornering stiffness without load"),
        ("tyre.A1", 14.47, "1", "Calspan: its slope"),
        ("tyre.A2", 12930.0, "N", "Calspan: load of its second zero"),
        ("tyre.A3", 2.29, "1", "Calspan: slope of the camber stiffness"),
        ("tyre.A4", 18175.0, "N", "Calspan: load of its second zero"),
        ("tyre.slowest", 1.0, "m/s", "speed to which slips are related below it"),
        ("brake.stiffness", 2.0e5, "N.m/rad", "of a brake that holds"),
        ("brake.damping", 3.0e3, "N.m.s/rad", "of a brake that holds"),
        ("gravity", 9.81, "m/s2", "acceleration of free fall"),
    ):
        if not left_out(name):
            model.parameter(name, value, unit=unit, positive=True, description=description)
    for name, value, unit, description in (
        ("leaf.free_travel", -0.076, "m", "of a leaf's end from the design, where it is unloaded"),
        ("leaf.stop_travel", 0.070, "m", "of a leaf's end from the design, where the stop begins"),
        ("tyre.B1", -0.464e-4, "1/N", "Calspan: slope of the friction coefficient"),
        ("tyre.B3", 1.216, "1", "Calspan: friction coefficient without load"),
        ("tyre.B4", 2.18e-11, "1/N2", "Calspan: curvature of the friction coefficient"),
        ("tyre.SN", 1.0274, "1", "Calspan: skid number, a factor of the friction coefficient"),
        ("tyre.AF1", -0.171e-4, "m/N", "Calspan: aligning torque by load"),
        ("tyre.AF2", 0.171e-4, "m/N", "Calspan: aligning torque by side force"),
    ):
        if not left_out(name):
            model.parameter(name, value, unit=unit, description=description)
    for name, description in (
        ("shock.rubber_scale", "factor of the shock absorbers' elastic force"),
        ("shock.damping_scale", "factor of the shock absorbers' damping"),
    ):
        model.parameter(name, 1.0, minimum=0.0, description=description)
    return DataSheet(model)
