"""A double lane change where the road turns to ice for a while: a vehicle slides and recovers.

The FMU vehicle_grip is driven through the track of ISO 3888-1 by the controller of
``vehicle_lane_change.py``, which knows nothing of friction. Each axle's friction is an input: that
of the road where the axle is, 0.9 or on ice 0.1. Where the controller asks for more lateral force
than the ice gives, the axle slides; its force stays on the limit. Back on the dry road, the contact
sticks again as soon as its force, spring and damper together, is within the limit, and the
controller brings the vehicle back to its path. The same drive without ice is shown beside it, and
one over a metre of ice more: by then the vehicle stands too far across, and spins.

The forces stay within friction times axle load throughout, and the lateral slip velocities show
where the axles slide: without sliding they are of the order of ε.

Run: python examples/vehicles/vehicle_on_ice.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore import Model
from mbcore.drawing import surface
from mbcore.examples.common import figures_folder, head, plain, save
from mbcore.examples.cosimulation import Unit, built
from mbcore.examples.drive_picture import Stretch, add_cones, show_drive, show_slips
from mbcore.examples.vehicles.lane_change_driver import (
    RUN_OUT,
    RUN_UP,
    Course,
    Driver,
    Lane,
    cones,
    plan,
    read_lanes,
)
from mbcore.examples.vehicles.vehicle_figures import draw_vehicle
from mbcore.examples.vehicles.vehicle_lane_change import MEASURED, PARAMETERS
from mbcore.fmus import vehicle_grip

SPEED = 80 / 3.6
DRY, ICE = 0.9, 0.1
ICY, LONGER, NOWHERE = (26.0, 41.0), (26.0, 42.0), (0.0, -1.0)
"""Where the road is ice, x, m: an example, a metre more, and a dry road."""
SLIDES = 0.01
"""Lateral slip velocity, m/s, above which an axle visibly slides."""
RECORDED = (
    *MEASURED,
    *(
        f"{axle}.{what}"
        for axle in ("front", "rear")
        for what in ("lateral_force", "friction_ratio", "slip_velocity")
    ),
)


GIVEN = ("steer.angle", "front.friction", "rear.friction")
SEEN = Stretch(begin=3.02, times=(3.12, 3.5), origin=37.5)
"""Of the picture: the vehicle leaves the ice, and its rear slides out on the dry road."""


def friction(x: float, icy: tuple[float, float]) -> float:
    """Return the friction of the road at x."""
    return ICE if icy[0] <= x <= icy[1] else DRY


@dataclass(frozen=True)
class Drive:
    """Signals over time by name, and where the vehicle was."""

    signals: dict[str, np.ndarray]
    lanes: list[Lane]
    course: Course
    rear_axle: np.ndarray
    """Shape (nt, 2)."""
    wheelbase: float

    def __getitem__(self, name: str) -> np.ndarray:
        return self.signals[name]

    def sliding(self, axle: str) -> np.ndarray:
        """Return where an axle slides, shape (nt,)."""
        return np.abs(self[f"{axle}.slip_velocity"]) > SLIDES


@dataclass(frozen=True)
class Record:
    """The drive over ice, that over a metre more of it, and that on the dry road."""

    icy: Drive
    longer: Drive
    dry: Drive

    @property
    def numbers(self) -> dict[str, float]:
        """Results by name."""
        ice, dry = self.icy, self.dry
        sliding = ice.sliding("front") | ice.sliding("rear")
        over = [
            np.max(ice[f"{axle}.friction_ratio"] - ice[f"{axle}.friction"])
            for axle in ("front", "rear")
        ]
        moving = ice["time"][sliding]
        return {
            "largest deviation, dry (m)": float(np.abs(dry["deviation"]).max()),
            "largest deviation, ice (m)": float(np.abs(ice["deviation"]).max()),
            "deviation at the end, ice (m)": float(abs(ice["deviation"][-1])),
            "largest slip velocity, dry (m/s)": _fastest(dry),
            "largest slip velocity, ice (m/s)": _fastest(ice),
            "sliding begins at (s)": float(moving[0]),
            "sliding ends at (s)": float(moving[-1]),
            "heading at the end, a metre more (deg)": float(
                np.degrees(self.longer["chassis.yaw"][-1])
            ),
            "largest friction ratio beyond the road's": float(max(over)),
            "front ratio on ice": float(
                ice["front.friction_ratio"][ice["front.friction"] < DRY].max()
            ),
        }


def _fastest(drive: Drive) -> float:
    return float(max(np.abs(drive[f"{axle}.slip_velocity"]).max() for axle in ("front", "rear")))


def drive(icy: tuple[float, float], fmu: Path | None = None) -> Drive:
    """Drive through the track with ice between two x; the FMU in ``build/`` by default."""
    lanes = read_lanes()
    start = {"chassis.x": -RUN_UP, "chassis.speed": SPEED, "steer.angle": 0.0}
    with Unit(fmu or built(vehicle_grip), start) as car:
        wheelbase, to_mass_centre, mass, lag = car.get(PARAMETERS)
        course = plan(lanes, wheelbase)
        driver = Driver(course, SPEED, wheelbase, to_mass_centre, mass, lag)
        names = ("time", *RECORDED, "front.friction", "rear.friction", "steer.angle", "deviation")
        rows = []
        while True:
            x, y, yaw, v = car.get(MEASURED)
            rear = driver.rear_axle(x, y, yaw)[0]
            road = [friction(at, icy) for at in (rear + wheelbase * np.cos(yaw), rear)]
            angle = driver.steer(x, y, yaw, v)
            car.set(
                {
                    "steer.angle": angle,
                    "drive.force": driver.drive(v),
                    "front.friction": road[0],
                    "rear.friction": road[1],
                }
            )
            shown = car.get(RECORDED)
            rows.append([car.time, *shown, *road, angle, driver.deviation(x, y, yaw)])
            if x > lanes[-1].end + RUN_OUT or abs(yaw) > np.pi / 2:
                break
            car.step()
    signals = dict(zip(names, np.array(rows).T, strict=True))
    centre = np.column_stack([signals["chassis.x"], signals["chassis.y"]])
    forward = np.column_stack([np.cos(signals["chassis.yaw"]), np.sin(signals["chassis.yaw"])])
    return Drive(signals, lanes, course, centre - to_mass_centre * forward, wheelbase)


def run(fmu: Path | None = None) -> Record:
    """Drive over ice, over more of it, and on the dry road."""
    return Record(drive(ICY, fmu), drive(LONGER, fmu), drive(NOWHERE, fmu))


FRONT, REAR, SPUN, ROAD_ICE, CONE = "#c4501b", "#1f5fa8", "#a40000", "#cfe5f5", "#f57900"


def _draw_paths(axes: Axes, record: Record) -> None:
    for drive, color, label in (
        (record.dry, "#999999", "path, dry road"),
        (record.icy, "black", f"path, ice to {ICY[1]:g} m"),
        (record.longer, SPUN, f"path, ice to {LONGER[1]:g} m: spins"),
    ):
        axes.plot(*drive.rear_axle.T, color=color, linewidth=1.3, label=label)
    for drive, color, label in (
        (record.longer, SPUN, ""),
        (record.icy, "#204a87", f"vehicle, ice to {ICY[1]:g} m, every 0.45 s"),
    ):
        instants = np.arange(0, drive["time"][-1] + 1e-9, 0.45)
        for k, at in enumerate(np.searchsorted(drive["time"], instants - 1e-6)):
            yaw, steer = drive["chassis.yaw"][at], drive["steer.angle"][at]
            place = drive.rear_axle[at]
            draw_vehicle(axes, place, yaw, steer, drive.wheelbase, color, "" if k else label)
    marks = {"color": CONE, "markersize": 5, "markeredgewidth": 0, "linestyle": ""}
    axes.plot(*cones(record.icy.lanes).T, "^", label="cones", **marks)
    axes.axvspan(
        *ICY, color=ROAD_ICE, linewidth=0, zorder=0, label="ice, {:g} m to {:g} m".format(*ICY)
    )
    axes.set(xlim=(10, 110), ylim=(-2.5, 12.5))
    axes.set_aspect("equal")
    head(axes, "Vehicle from above, and the path of its rear axle", 3)
    plain(axes, "x (m)", "y (m)")


def draw(record: Record, folder: Path) -> None:
    """Draw paths, steering, lateral forces with their limits, and slip velocities over x."""
    figure = Figure(figsize=(12, 10.5), layout="constrained")
    axes = figure.subplots(4, 1, height_ratios=(1.1, 0.8, 1, 1))
    paths, steering, forces, slips = axes
    ice, x = record.icy, record.icy["chassis.x"]
    for place in axes[1:]:
        place.axvspan(*ICY, color=ROAD_ICE, linewidth=0, zorder=0)
    _draw_paths(paths, record)
    for drive, color, label in (
        (record.dry, "#999999", "dry road"),
        (ice, "#5c3566", f"ice to {ICY[1]:g} m"),
    ):
        steering.plot(
            drive["chassis.x"], np.degrees(drive["steer.angle"]), color=color, label=label
        )
    head(steering, "Commanded steering angle", 2)
    plain(steering, "", "angle (°)")
    for axle, color in (("front", FRONT), ("rear", REAR)):
        force, ratio = ice[f"{axle}.lateral_force"], ice[f"{axle}.friction_ratio"]
        largest = np.argmax(ratio)
        limit = ice[f"{axle}.friction"] * abs(force[largest]) / ratio[largest] / 1000
        forces.plot(x, force / 1000, color=color, label=f"{axle} axle")
        for sign in (1, -1):
            forces.plot(x, sign * limit, ":", color=color, linewidth=1.0, drawstyle="steps-post")
        slips.plot(x, ice[f"{axle}.slip_velocity"], color=color, label=f"{axle} axle")
    told = f"Lateral forces of the road, ice to {ICY[1]:g} m; dotted: ± friction times axle load"
    head(forces, told, 2)
    plain(forces, "", "force (kN)")
    head(slips, f"Lateral slip velocities, ice to {ICY[1]:g} m", 2)
    plain(slips, "x of the mass centre (m)", "velocity (m/s)")
    for place in axes[1:]:
        place.set_xlim(-RUN_UP, ice.lanes[-1].end + RUN_OUT)
        place.tick_params(labelbottom=place is slips)
    figure.align_ylabels(list(axes))
    save(figure, folder, "vehicle_on_ice")


def _on_track(lanes: list[Lane]) -> Model:
    """Return the vehicle, its slips, cones and ice."""
    car = vehicle_grip.model()
    # Without extent in the last picture, which is drawn over the first: no car lies under ice.
    shown = ca.if_else(car.time < SEEN.times[0] - SEEN.begin + 0.01, 1, 0)
    for x in np.arange(SEEN.origin, ICY[1] + 0.1, 0.5) - SEEN.origin:
        strip = [[(x + shown * w, 1.0 + shown * y, 0) for y in (0, 3.8)] for w in (0, 0.5)]
        car.show(surface(strip, name="ice", colour="#2f7fd0"))
    add_cones(car, lanes, 44.0, 46.0, SEEN)
    show_slips(car)
    return car


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    show_drive(
        _on_track(record.icy.lanes),
        record.icy["time"],
        record.icy,
        GIVEN,
        SEEN,
        folder,
        "vehicle_on_ice",
        "Off the ice (blue) its rear slips outwards (green), held by forces (red)",
    )
    print(f"\nDouble lane change at {3.6 * SPEED:.0f} km/h, ice from {ICY[0]:g} to {ICY[1]:g} m")
    for name, value in record.numbers.items():
        print(f"{name:44}{value:12.4g}")
    draw(record, folder)


if __name__ == "__main__":
    main()
