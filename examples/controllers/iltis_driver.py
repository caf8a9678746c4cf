r"""The driver of the lane change in the ILTIS: what he measures and sets, and takes the car for.

The driver of `examples.vehicles.lane_change_driver` steers angles δ of a front axle. The rack moves
by s = -i δ, for the tie rods are behind the axle, and the geometry of the data sheet gives i: with
the king pin's direction k through the arm's ball a, a tie rod along t that ends at o on the
carrier, and a turn θ about k,

    t · (θ k × (o - a)) = t · (s e_y),    δ = θ k_z,    i = |t · (k × (o - a))| / |t_y k_z|.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from mbcore.examples.controllers.iltis_roll_design import ALONE, linearized
from mbcore.examples.cosimulation import Unit
from mbcore.examples.vehicles.lane_change_driver import (
    RUN_OUT,
    RUN_UP,
    STEP,
    Course,
    Driver,
    Lane,
    cones,
)
from mbcore.examples.vehicles.vehicle_lane_change import cones_under, corners, least_clearance
from mbcore.fmus.iltis.data import AXLES, CORNERS, hard_points

WHEELBASE = AXLES["front"] - AXLES["rear"]
REAR_TO_CABIN = -AXLES["rear"]
"""From the rear axle to the cabin's mass centre, which the driver follows, m."""
MASS = 1260.0 + 4 * (6.0 + 57.35)
LAG = 2 * 0.02
"""Of the filtered steering, s."""
RADIUS = 0.356
LOADS = tuple(f"{wheel}.load" for wheel in CORNERS)
RECORDED = (
    "cabin.roll",
    "cabin.yaw_rate",
    "cabin.acceleration_y",
    *LOADS,
    *(f"{wheel}.slip_angle" for wheel in CORNERS),
)


@dataclass(frozen=True)
class Drive:
    """A drive: signals by name, with ``x``, ``y``, ``yaw``, ``speed`` and ``steer``."""

    wanted: float
    """Speed, m/s."""
    time: np.ndarray
    signals: dict[str, np.ndarray]
    lanes: list[Lane]
    rear_axle: np.ndarray
    """Shape (nt, 2)."""

    def __getitem__(self, name: str) -> np.ndarray:
        return self.signals[name]

    def largest(self, name: str) -> float:
        """Return the largest absolute value of a signal."""
        return float(np.abs(self[name]).max())

    @property
    def outline(self) -> np.ndarray:
        """Corners of the vehicle, shape (nt, 4, 2)."""
        forward = np.column_stack([np.cos(self["yaw"]), np.sin(self["yaw"])])
        return corners(self.rear_axle, forward, WHEELBASE)

    @property
    def clearance(self) -> float:
        """Least distance of the corners from the lanes' boundaries, negative outside, m."""
        return least_clearance(self.outline, self.lanes)

    @property
    def cones_hit(self) -> int:
        """How many cones came under the vehicle."""
        return cones_under(self.outline, cones(self.lanes))

    @property
    def passed(self) -> bool:
        """Whether it stayed in the lanes, to the end."""
        arrived = self["x"][-1] > self.lanes[-1].end
        return bool(arrived and self.clearance > 0 and self.cones_hit == 0)

    @property
    def lightest(self) -> float:
        """Least load of a wheel, N."""
        return float(min(self[name].min() for name in LOADS))


@dataclass(frozen=True)
class Car:
    """The driver's measured variables by name, and his model of the car."""

    fmu: Path
    place: tuple[str, str, str, str]
    recorded: tuple[str, ...] = ()
    given: Mapping[str, float] = field(default_factory=dict)
    """Start values."""
    ratio: float | None = None
    """Of rack and wheels, m; None where the angle is the input."""
    wheelbase: float = WHEELBASE
    followed: float = REAR_TO_CABIN
    """How far the point that is to follow the path is behind the mass centre, m."""

    def inputs(self, angle: float, force: float) -> dict[str, float]:
        """Return the inputs for an angle of the front axle, rad, and a driving force, N."""
        if self.ratio is None:
            return {"steer.angle": angle, "drive.force": force}
        torques = {f"{wheel}.drive_torque": force * RADIUS / 4 for wheel in CORNERS}
        return {"rack.displacement": -self.ratio * angle, **torques}


def rack_ratio() -> float:
    """Return i, m."""
    at = hard_points("front", 1)
    ball, pin, outer, inner = (
        np.array(place)
        for place in (at.arm_ball, at.leaf_ball, at.tie_rod_carrier, at.tie_rod_rack)
    )
    k = (pin - ball) / np.linalg.norm(pin - ball)
    rod = outer - inner
    return float(abs(rod @ np.cross(k, outer - ball)) / abs(rod[1] * k[2]))


def the_iltis(fmu: Path) -> Car:
    """Return the ILTIS for a driver who knows its geometry."""
    place = ("cabin.x", "cabin.y", "cabin.yaw", "cabin.speed")
    return Car(fmu, place, RECORDED, ratio=rack_ratio())


def got_to_know(car: Car, speed: float) -> Car:
    """Return the ILTIS for a driver who knows how it turns at a speed, m/s."""
    plant = linearized(car.fmu, {"cabin.speed": speed})
    steady = -np.linalg.solve(plant.A, plant.B[:, 1])
    yaw_rate, side_speed = (steady[ALONE.index(n)] for n in ("yaw.rate", "cabin.side_speed"))
    wheelbase = -speed / (yaw_rate * rack_ratio())
    return replace(car, wheelbase=float(wheelbase), followed=float(side_speed / yaw_rate))


def the_ideal(fmu: Path) -> Car:
    """Return `vehicle.fmu` with the size, the mass and the lag of the ILTIS."""
    place = ("chassis.x", "chassis.y", "chassis.yaw", "chassis.speed")
    given = {
        "wheelbase": WHEELBASE,
        "rear_to_mass_centre": REAR_TO_CABIN,
        "chassis.mass": MASS,
        "steer.time_constant": LAG,
    }
    return Car(fmu, place, given=given)


def drive(car: Car, course: Course, lanes: list[Lane], speed: float) -> Drive:
    """Drive through the track at a speed, m/s, until its end or across it."""
    x_name, _, _, speed_name = car.place
    driver = Driver(course, speed, car.wheelbase, car.followed, MASS, LAG)
    names = ("time", "x", "y", "yaw", "speed", "steer", *car.recorded)
    rows: list[Sequence[float]] = []
    with Unit(car.fmu, {**car.given, x_name: -RUN_UP, speed_name: speed}) as unit:
        while True:
            x, y, yaw, v = unit.get(car.place)
            angle = driver.steer(x, y, yaw, v)
            rows.append([unit.time, x, y, yaw, v, angle, *unit.get(car.recorded)])
            if x > lanes[-1].end + RUN_OUT or abs(yaw) > np.pi / 2:
                break
            unit.set(car.inputs(angle, driver.drive(v)))
            unit.step(STEP)
    signals = dict(zip(names, np.array(rows).T, strict=True))
    forward = np.column_stack([np.cos(signals["yaw"]), np.sin(signals["yaw"])])
    rear = np.column_stack([signals["x"], signals["y"]]) - REAR_TO_CABIN * forward
    return Drive(speed, signals.pop("time"), signals, lanes, rear)
