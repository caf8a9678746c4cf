r"""The vehicle's FMU driven through the double lane change of ISO 3888-1 by a controller.

The FMU (FMI 3.0, Co-Simulation) is stepped by FMPy: every 10 ms the controller reads the position,
heading and speed, and sets the steering angle and the driving force.

Path: a spline y(x) of the rear axle, with the least integral of y''² + s² y'''² such that the
vehicle's sides keep a margin to the cones; a quadratic programme. The rear axle, because without
side slip it follows the path exactly: with the heading along the path, tan α = l κ.

Steering: the path's curvature where the vehicle will be after the lag of the steering, and a
pure-pursuit term for the deviation. With lateral error e and heading error θ, the error expected
at the distance d ahead is e + d θ, and the arc that ends at the path from there has the curvature

    κ = κ_path - 2 (e + d θ) / d²;    linearly e'' + (2/d) e' + (2/d²) e = 0, damping ratio 0.71.

Speed: drive.force proportional to the error.

The vehicle's wheels never slide, so the model would pass the track at any speed. The criterion is
the friction ratio, lateral force over static axle load: above the friction of the road, the result
is not valid.

Run: python examples/vehicles/vehicle_lane_change.py [--speed 80] [--friction 0.9] [--figures DIR]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from mbcore.examples.common import ABOVE, plain, save, show
from mbcore.examples.cosimulation import Unit, built
from mbcore.examples.vehicles.lane_change_driver import (
    FRONT_OVERHANG,
    REAR_OVERHANG,
    RUN_OUT,
    RUN_UP,
    STEP,
    WIDTH,
    Course,
    Driver,
    Lane,
    cones,
    plan,
    read_lanes,
)
from mbcore.examples.vehicles.vehicle_figures import draw_vehicle
from mbcore.fmus import vehicle


@dataclass(frozen=True)
class Record:
    """A drive: signals over time by name, and what came of it."""

    speed: float
    """Wanted, m/s."""
    friction: float
    time: np.ndarray
    signals: dict[str, np.ndarray]
    lanes: list[Lane]
    course: Course
    rear_axle: np.ndarray
    """Shape (nt, 2)."""
    outline: np.ndarray
    """Corners of the vehicle, shape (nt, 4, 2)."""
    clearance: float
    """Least distance of the corners from the lanes' boundaries, negative outside, m."""
    cones_hit: int

    def __getitem__(self, name: str) -> np.ndarray:
        return self.signals[name]

    @property
    def wheelbase(self) -> float:
        """Distance of the axles, m."""
        length = float(np.linalg.norm(self.outline[0, 1] - self.outline[0, 0]))
        return length - REAR_OVERHANG - FRONT_OVERHANG

    @property
    def largest_deviation(self) -> float:
        """Largest distance of the rear axle from the path, m."""
        return float(np.abs(self["deviation"]).max())

    @property
    def between_cones(self) -> bool:
        """Whether all corners stayed in the lanes and no cone came under the vehicle."""
        return self.clearance > 0 and self.cones_hit == 0

    @property
    def friction_ratios(self) -> tuple[float, float]:
        """Largest ones, front and rear."""
        front, rear = (float(self[f"{axle}.friction_ratio"].max()) for axle in ("front", "rear"))
        return front, rear

    @property
    def friction_kept(self) -> bool:
        """Whether the road could give the forces."""
        return max(self.friction_ratios) <= self.friction


PARAMETERS = (
    "wheelbase",
    "rear_to_mass_centre",
    "chassis.mass",
    "steer.time_constant",
)
MEASURED = ("chassis.x", "chassis.y", "chassis.yaw", "chassis.speed")
RECORDED = (
    *MEASURED,
    "front.steer_angle",
    "front.lateral_force",
    "rear.lateral_force",
    "front.friction_ratio",
    "rear.friction_ratio",
)


def run(speed: float = 80 / 3.6, friction: float = 0.9, fmu: Path | None = None) -> Record:
    """Drive through the track.

    Parameters
    ----------
    speed : float
        To be held, m/s.
    friction : float
        Coefficient of friction of the road, with which the friction ratios are compared.
    fmu : Path, optional
        The vehicle, FMI 3.0; by default that in ``build/``, exported where missing.
    """
    lanes = read_lanes()
    start = {"chassis.x": -RUN_UP, "chassis.speed": speed, "steer.angle": 0.0}
    with Unit(fmu or built(vehicle), start) as car:
        wheelbase, to_mass_centre, mass, lag = car.get(PARAMETERS)
        course = plan(lanes, wheelbase)
        driver = Driver(course, speed, wheelbase, to_mass_centre, mass, lag)
        names = ("time", *RECORDED, "steer.angle", "drive.force", "deviation")
        rows = []
        while True:
            x, y, yaw, v = car.get(MEASURED)
            angle, force = driver.steer(x, y, yaw, v), driver.drive(v)
            car.set({"steer.angle": angle, "drive.force": force})
            rows.append([car.time, *car.get(RECORDED), angle, force, driver.deviation(x, y, yaw)])
            if x > lanes[-1].end + RUN_OUT or abs(yaw) > np.pi / 2:
                break
            car.step(STEP)
    signals = dict(zip(names, np.array(rows).T, strict=True))
    centre = np.column_stack([signals["chassis.x"], signals["chassis.y"]])
    forward = np.column_stack([np.cos(signals["chassis.yaw"]), np.sin(signals["chassis.yaw"])])
    rear_axle = centre - to_mass_centre * forward
    outline = corners(rear_axle, forward, wheelbase)
    return Record(
        speed,
        friction,
        signals["time"],
        signals,
        lanes,
        course,
        rear_axle,
        outline,
        least_clearance(outline, lanes),
        cones_under(outline, cones(lanes)),
    )


def corners(rear_axle: np.ndarray, forward: np.ndarray, wheelbase: float) -> np.ndarray:
    """Return the vehicle's corners from its rear axle and direction, shape (nt, 4, 2)."""
    left = np.column_stack([-forward[:, 1], forward[:, 0]])
    found = [
        rear_axle + along * forward + side * WIDTH / 2 * left
        for along, side in (
            (-REAR_OVERHANG, -1),
            (wheelbase + FRONT_OVERHANG, -1),
            (wheelbase + FRONT_OVERHANG, 1),
            (-REAR_OVERHANG, 1),
        )
    ]
    return np.stack(found, axis=1)


def least_clearance(outline: np.ndarray, lanes: Iterable[Lane]) -> float:
    """Return the corners' least distance from the lanes' boundaries, negative outside, m."""
    x, y = outline[..., 0], outline[..., 1]
    least = np.inf
    for lane in lanes:
        inside = (x >= lane.begin) & (x <= lane.end)
        least = min(least, (lane.left - y[inside]).min(), (y[inside] - lane.right).min())
    return float(least)


def cones_under(outline: np.ndarray, places: np.ndarray) -> int:
    """Return how many of the cones come under a vehicle with these corners."""
    edges = np.roll(outline, -1, axis=1) - outline
    apart = places[None, :, None, :] - outline[:, None, :, :]
    left_of_edge = edges[:, None, :, 0] * apart[..., 1] - edges[:, None, :, 1] * apart[..., 0] > 0
    return int(left_of_edge.all(axis=2).any(axis=0).sum())


FRONT, REAR, CHASSIS, CONE = "#c4501b", "#1f5fa8", "#204a87", "#f57900"


def _draw_track(axes: Axes, record: Record) -> None:
    for lane in record.lanes:
        for y in (lane.left, lane.right):
            axes.plot([lane.begin, lane.end], [y, y], color="#c8c8c8", linewidth=0.8, zorder=1)
        axes.axvspan(lane.begin, lane.end, color="#f4f4f4", linewidth=0, zorder=0)
    axes.plot(*cones(record.lanes).T, "^", color=CONE, markersize=5, markeredgewidth=0, zorder=4)
    axes.plot(*record.rear_axle.T, color="black", linewidth=1.1, zorder=3)
    x = record["chassis.x"]
    for instant in np.arange(-20, record.lanes[-1].end + 11, 10.0):
        at = int(np.argmin(np.abs(x - instant)))
        yaw, steer = record["chassis.yaw"][at], record["front.steer_angle"][at]
        draw_vehicle(axes, record.rear_axle[at], yaw, steer, record.wheelbase, CHASSIS)
    axes.legend(
        [
            Line2D([], [], linestyle="", marker="^", color=CONE),
            Line2D([], [], color="black", linewidth=1.1),
            Polygon([(0, 0)], facecolor=CHASSIS, alpha=0.6),
        ],
        ["cones", "path of the rear axle", "vehicle every 10 m"],
        loc="lower right",
        bbox_to_anchor=(1, 1),
        ncols=3,
        frameon=False,
        borderaxespad=0.1,
    )
    axes.set_ylim(-2.2, 5.8)
    axes.set_aspect("equal")
    axes.set_title("Vehicle from above", loc="left")
    plain(axes, "", "y (m)")


def _legend(axes: Axes, columns: int) -> None:
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1, 1),
        ncols=columns,
        frameon=False,
        borderaxespad=0.1,
    )


def draw(record: Record, path: Path) -> None:
    """Draw path, steering, forces and friction ratios, all against the distance; write a file."""
    figure = Figure(figsize=(12, 9.4), layout="constrained")
    axes = figure.subplots(4, 1, sharex=True, height_ratios=(0.35, 1, 1, 1))
    track, steering, forces, ratios = axes
    x = record["chassis.x"]
    figure.suptitle(
        f"vehicle.fmu through the double lane change of ISO 3888-1 at {3.6 * record.speed:.0f} km/h"
    )
    _draw_track(track, record)

    steering.plot(
        x,
        np.degrees(record["steer.angle"]),
        color="#999999",
        linewidth=1.2,
        drawstyle="steps-post",
        label="commanded",
    )
    steering.plot(
        x, np.degrees(record["front.steer_angle"]), color="#5c3566", linewidth=1.5, label="actual"
    )
    steering.set_title("Steering angle of the front axle", loc="left")
    _legend(steering, 2)
    plain(steering, "", "angle (°)")

    for axle, color in (("front", FRONT), ("rear", REAR)):
        force, ratio = record[f"{axle}.lateral_force"], record[f"{axle}.friction_ratio"]
        forces.plot(x, force / 1000, color=color, linewidth=1.5, label=axle)
        ratios.plot(
            x, ratio, color=color, linewidth=1.5, label=f"{axle}, at most {ratio.max():.2f}"
        )
    forces.set_title("Lateral force of the road on the axles", loc="left")
    _legend(forces, 2)
    plain(forces, "", "force (kN)")

    ratios.axhline(
        record.friction,
        color="#a40000",
        linestyle="--",
        linewidth=1.2,
        label=f"friction of the road, {record.friction:g}",
    )
    ratios.set_ylim(0, 1.12 * max(record.friction, *record.friction_ratios))
    ratios.set_title("Friction ratio", loc="left")
    _legend(ratios, 3)
    plain(ratios, "x of the mass centre (m)", "lateral force / axle load")
    ratios.set_xlim(-RUN_UP, record.lanes[-1].end + RUN_OUT)
    figure.align_ylabels(list(axes))
    save(figure, path.parent, path.stem)


def main() -> None:
    """Drive, print and draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--speed", type=float, default=80.0, help="km/h (default: 80)")
    parser.add_argument("--friction", type=float, default=0.9, help="of the road (default: 0.9)")
    parser.add_argument(
        "--figures", type=Path, default=Path("figures"), metavar="DIR", help="where figures go"
    )
    given = parser.parse_args()
    record = run(given.speed / 3.6, given.friction)

    front, rear = record.friction_ratios
    slowest, fastest = (3.6 * f(record["chassis.speed"]) for f in (np.min, np.max))
    print(f"\nISO 3888-1 double lane change at {given.speed:g} km/h")
    print(f"speed held                     {slowest:.2f} to {fastest:.2f} km/h")
    print(f"largest deviation from path    {100 * record.largest_deviation:.1f} cm")
    print(
        f"between the cones              {'yes' if record.between_cones else 'NO'}, "
        f"least clearance {100 * record.clearance:.1f} cm, cones hit: {record.cones_hit}"
    )
    print(f"largest friction ratios        front {front:.3f}, rear {rear:.3f}")
    print(
        f"friction limit {record.friction:g}             "
        + ("kept" if record.friction_kept else "EXCEEDED: the tyres would slide; do not believe it")
    )
    given.figures.mkdir(parents=True, exist_ok=True)
    show(vehicle.model(), given.figures, "vehicle_lane_change", "Vehicle without slip", view=ABOVE)
    target = given.figures / "vehicle_lane_change.png"
    draw(record, target)


if __name__ == "__main__":
    main()
