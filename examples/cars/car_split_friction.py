r"""Braking on a road that is slippery on the right, without and with an anti-lock system in Python.

The car is an FMU (FMI 3.0, Co-Simulation), stepped by FMPy every 5 ms. The right wheels have 0.3 of
the friction of the left ones, k_2 = 0.3 k_1. A driver brakes fully from 90 km/h, and steers against
the yaw angle. Without the anti-lock system all wheels lock: forces oppose the sliding alone, so
that steering is of no use, and the larger force on the left turns the car round. (Friction is each
wheel's own, also once the car has turned.)

**The system** holds the slip of each front wheel near that of the greatest force: a brake is
released while its slip is above 12 %, and applied again below 8 %. Both rear brakes have the torque
of the wheel that needs less (select low), so that the rear axle keeps side force on the left.

**What is asked of such systems.** UN Regulation 13-H, annex 6, 5.3.5, asks that the braking rate z,
mean deceleration over g, be at least k_2 and 0.75 (4 k_2 + k_1)/5 on such roads. No braking can
have more than (k_1 + k_2)/2 if the loads are equal on both sides.

Run: python examples/cars/car_split_friction.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore.examples.cars.car_by_hand import GRAVITY, RATIO, TO_FRONT, WHEELBASE
from mbcore.examples.common import figures_folder, head, plain, save, show
from mbcore.examples.cosimulation import Unit, built
from mbcore.examples.vehicles.vehicle_figures import draw_vehicle
from mbcore.fmus import car

STEP, DURATION, BEGIN = 0.005, 9.0, 0.5
"""Of the control, and when the driver brakes, s."""
SPEED, SLIPPERY = 25.0, 0.3
"""At the start, m/s, and friction of the right wheels over that of the left ones."""
WHEELS = ("front_left", "front_right", "rear_left", "rear_right")
DEMAND = np.array([1500.0, 1500.0, 900.0, 900.0])
"""Torques of the brakes that the driver asks for, N.m."""
RELEASE, APPLY = 0.12, 0.08
"""Slips above which a brake is released, and below which it is applied."""
FALL, RISE = 15.0, 4.0
"""Of the torques over what the driver asks for, 1/s."""
SLOWEST = 2.0
"""Speed below which the system leaves the brakes to the driver, m/s."""
ROLLING = 0.308
"""Speed over spin of a free wheel, m."""
STEERING, LOOKING = 12.0, 0.3
"""Angle of the steering wheel over the yaw angle that the driver expects so many seconds later."""
RATED = (0.8, 0.1)
"""Speeds over that at the start between which the braking rate is taken."""
PLACE = ("body.x", "body.y", "body.yaw", "body.speed", "body.side_speed", "yaw.rate")
SPINS, BRAKES, LOADS, SLIPS = (
    tuple(f"{wheel}.{what}" for wheel in WHEELS)
    for what in ("spin_rate", "brake_torque", "load", "slip_ratio")
)


class AntiLock:
    """From spins and speed to the torques of the brakes, every ``STEP``."""

    def __init__(self) -> None:
        self._share = np.ones(4)

    def brake(self, demand: np.ndarray, spins: np.ndarray, speed: float) -> np.ndarray:
        """Return four torques, N.m."""
        if speed < SLOWEST:
            return demand
        slips = 1 - spins * ROLLING / speed
        rates = np.where(slips > RELEASE, -FALL, np.where(slips < APPLY, RISE, 0.0))
        self._share = np.clip(self._share + rates * STEP, 0.0, 1.0)
        self._share[2:] = self._share[2:].min()
        return demand * self._share


@dataclass(frozen=True)
class Braking:
    """Signals over time by name, until the car stands."""

    time: np.ndarray
    signals: dict[str, np.ndarray]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.signals[name]

    @property
    def path(self) -> np.ndarray:
        """Distance along the path since the brakes were applied, m."""
        speed = np.hypot(self["body.speed"], self["body.side_speed"])
        passed = np.concatenate([[0.0], np.cumsum((speed[1:] + speed[:-1]) / 2) * STEP])
        return passed - np.interp(BEGIN, self.time, passed)

    @property
    def rate(self) -> float:
        """Braking rate, from the distance between two speeds."""
        speed = np.hypot(self["body.speed"], self["body.side_speed"])
        first, last = (int(np.argmax(speed <= share * SPEED)) for share in RATED)
        gone = self.path[last] - self.path[first]
        return float((speed[first] ** 2 - speed[last] ** 2) / 2 / GRAVITY / gone)

    @property
    def turned(self) -> float:
        """Largest yaw angle, degrees."""
        return float(np.degrees(np.abs(self["body.yaw"]).max()))


@dataclass(frozen=True)
class Record:
    """Braking without and with the system, and the adhesion of both sides."""

    locked: Braking
    controlled: Braking
    adhesion: tuple[float, float]


def brake(fmu: Path, control: AntiLock | None) -> Braking:
    """Step the FMU until the car stands."""
    names = (*PLACE, *SPINS, *LOADS, *SLIPS)
    start = {"body.speed": SPEED} | {f"{wheel}.road_friction": SLIPPERY for wheel in WHEELS[1::2]}
    rows: list[dict[str, float]] = []
    with Unit(fmu, start) as unit:
        while unit.time < DURATION - STEP / 2:
            now = dict(zip(names, unit.get(names), strict=True))
            demand = DEMAND * (unit.time >= BEGIN)
            if control is not None:
                spins = np.array([now[name] for name in SPINS])
                demand = control.brake(demand, spins, now["body.speed"])
            expected = now["body.yaw"] + LOOKING * now["yaw.rate"]
            angle = float(np.clip(-STEERING * expected, -5.0, 5.0))
            given = dict(zip(BRAKES, map(float, demand), strict=True))
            rows.append({**now, **given, "steer": angle / RATIO, "time": unit.time})
            unit.set({"steering_wheel.angle": angle, **given})
            unit.step(STEP)
            if np.hypot(now["body.speed"], now["body.side_speed"]) < 0.1:
                break
    table = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return Braking(table.pop("time"), table)


def adhesion(loads: np.ndarray) -> tuple[float, float]:
    """Return the greatest longitudinal force over the load, on both sides, by the tyre's file."""
    friction = 1.11 - 0.085 * (loads / 4200 - 1)
    mean = float((friction * loads).sum() / loads.sum())
    return mean, SLIPPERY * mean


def run(fmu: Path | None = None) -> Record:
    """Brake without and with the system.

    Parameters
    ----------
    fmu : Path, optional
        The car, FMI 3.0; by default that in ``build/``, exported where missing.
    """
    fmu = fmu or built(car)
    locked, controlled = brake(fmu, None), brake(fmu, AntiLock())
    loads = np.array([controlled[name][0] for name in LOADS])
    return Record(locked, controlled, adhesion(loads))


ALONE, HELD = "#c4501b", "#1f5fa8"


def _draw_above(axes: Axes, braking: Braking, shade: str, title: str) -> None:
    """Draw the car from above every second, on a road of which the right half is slippery."""
    axes.axhspan(-6, 0, color="#dfeaf2", linewidth=0, zorder=0)
    yaw, steer = braking["body.yaw"], braking["steer"]
    for at in range(0, len(braking.time), round(0.75 / STEP)):
        forward = np.array([np.cos(yaw[at]), np.sin(yaw[at])])
        centre = np.array([braking["body.x"][at], braking["body.y"][at]])
        rear = centre - (WHEELBASE - TO_FRONT) * forward
        draw_vehicle(axes, rear, yaw[at], steer[at], WHEELBASE, shade)
    axes.plot(braking["body.x"], braking["body.y"], color=shade, linewidth=1.2, zorder=3)
    axes.set(xlim=(-4, 90), ylim=(-4, 5), ylabel="y (m)")
    axes.set_aspect("equal")
    axes.set_title(title, loc="left")


def draw(record: Record, folder: Path) -> None:
    """Draw both from above, speeds, yaw angles, and what the system does at the front wheels."""
    figure = Figure(figsize=(12, 11), layout="constrained")
    grid = figure.add_gridspec(4, 2, height_ratios=(0.55, 0.55, 1, 1))
    both = ((record.locked, ALONE, "all wheels lock"), (record.controlled, HELD, "anti-lock"))
    for row, (braking, shade, name) in enumerate(both):
        title = f"From above, {name}: {braking.path[-1]:.0f} m to a stand; shaded is slippery"
        _draw_above(figure.add_subplot(grid[row, :]), braking, shade, title)
    speed, yaw, slips, torques = (figure.add_subplot(grid[2 + i // 2, i % 2]) for i in range(4))
    for braking, shade, name in both:
        along = 3.6 * np.hypot(braking["body.speed"], braking["body.side_speed"])
        speed.plot(braking.time, along, color=shade, linewidth=1.8, label=name)
        yaw.plot(braking.time, np.degrees(braking["body.yaw"]), color=shade, linewidth=1.8)
        steer = RATIO * np.degrees(braking["steer"])
        yaw.plot(braking.time, steer, color=shade, linewidth=1.0, linestyle="--")
    yaw.plot([], [], color="0.3", linewidth=1.8, label="yaw angle")
    yaw.plot([], [], color="0.3", linewidth=1.0, linestyle="--", label="steering wheel")
    for side, shade in (("left", "#4e9a06"), ("right", "#5c3566")):
        one, name = record.controlled, f"front {side}"
        slip, torque = one[f"front_{side}.slip_ratio"], one[f"front_{side}.brake_torque"]
        slips.plot(one.time, -100 * slip, color=shade, linewidth=1.0, label=name)
        torques.plot(one.time, torque, color=shade, linewidth=1.2, label=name)
    rear = record.controlled["rear_left.brake_torque"]
    torques.plot(record.controlled.time, rear, color="0.5", linewidth=1.2, label="both rear")
    slips.set_ylim(-2, 60)
    plain(speed, "", "km/h")
    plain(yaw, "", "°")
    plain(slips, "time (s)", "%")
    plain(torques, "time (s)", "N·m")
    head(speed, "Speed", 2)
    head(yaw, "Yaw angle, and what the driver steers against it", 2)
    head(slips, "Slip with anti-lock", 2)
    head(torques, "Torques of the brakes with anti-lock", 3)
    save(figure, folder, "car_split_friction")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    show(car.model(), folder, "car_split_friction", "Road car on Magic Formula tyres")
    high, low = record.adhesion
    print(f"\nBraking from {3.6 * SPEED:.0f} km/h, adhesion {high:.3f} left and {low:.3f} right")
    print(f"{'':20}{'braking rate':>14}{'distance/m':>14}{'yaw angle/°':>14}")
    for name, braking in (("all wheels lock", record.locked), ("anti-lock", record.controlled)):
        print(f"{name:20}{braking.rate:14.3f}{braking.path[-1]:14.1f}{braking.turned:14.1f}")
    print(f"{'asked':20}{max(low, 0.15 * (4 * low + high)):14.3f}")
    print(f"{'at most':20}{(high + low) / 2:14.3f}")
    draw(record, folder)


if __name__ == "__main__":
    main()
