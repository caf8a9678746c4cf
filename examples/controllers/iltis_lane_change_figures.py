"""Figures of the ILTIS in the double lane change: courses, and what happens faster and faster."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore.examples.common import head, plain, save
from mbcore.examples.vehicles.lane_change_driver import RUN_OUT, RUN_UP, Lane, cones
from mbcore.examples.vehicles.vehicle_lane_change import cones_under

IDEAL, BARE, KNOWN, CONE = "0.55", "#c4501b", "#1f5fa8", "#f57900"
WHEELS = {
    "front_left": ("#1f5fa8", "-"),
    "front_right": ("#c4501b", "-"),
    "rear_left": ("#1f5fa8", "--"),
    "rear_right": ("#c4501b", "--"),
}
RING = {"markersize": 11, "fillstyle": "none", "markeredgewidth": 1.4}
FAST = 80.0
"""km/h."""


class Course(Protocol):
    """Signals of a drive that are drawn."""

    rear_axle: np.ndarray
    lanes: list[Lane]

    def __getitem__(self, name: str) -> np.ndarray: ...

    def largest(self, name: str) -> float:
        """Return the largest absolute value of a signal."""
        ...

    @property
    def outline(self) -> np.ndarray:
        """Corners of the vehicle, shape (nt, 4, 2)."""
        ...

    @property
    def clearance(self) -> float:
        """Least distance from the lanes' boundaries, m."""
        ...

    @property
    def lightest(self) -> float:
        """Least load of a wheel, N."""
        ...


class Courses(Protocol):
    """Signals of a record that are drawn."""

    slow: Course
    slow_ideal: Course
    ideal: Course
    bare: Mapping[float, Course]
    known: Mapping[float, Course]


def _track(
    axes: Axes, courses: list[tuple[Course, str, str]], title: str, whole: bool = False
) -> None:
    """Draw paths of the rear axle; of the last course, where ``whole``, the corners, too."""
    lanes = courses[0][0].lanes
    for lane in lanes:
        axes.axvspan(lane.begin, lane.end, color="#f4f4f4", linewidth=0, zorder=0)
    axes.plot(*cones(lanes).T, "^", color=CONE, markersize=5, markeredgewidth=0, zorder=4)
    for (course, color, label), style in zip(courses, ("-", "--", "-"), strict=False):
        axes.plot(*course.rear_axle.T, style, color=color, linewidth=1.4, label=label)
    if whole:
        _sides(axes, *courses[-1][:2])
    head(axes, f"{title} (lateral scale stretched)", 5)
    plain(axes, "", "y (m)")


def _sides(axes: Axes, course: Course, color: str) -> None:
    """Draw the paths of the corners, and rings around the cones that come under the vehicle."""
    for corner in range(course.outline.shape[1]):
        label = "its corners" if corner == 0 else None
        axes.plot(*course.outline[:, corner].T, color=color, linewidth=0.6, label=label)
    places = cones(course.lanes)
    hit = [place for place in places if cones_under(course.outline, place[None])]
    axes.plot(*np.reshape(hit, (-1, 2)).T, "o", color=color, **RING, label="cones that it hits")


def draw_course(record: Courses, folder: Path) -> None:
    """Draw paths, steering, roll and loads against the distance."""
    figure = Figure(figsize=(9.4, 13), layout="constrained")
    figure.suptitle("iltis.fmu through the double lane change of ISO 3888-1")
    axes = figure.subplots(5, 1, sharex=True, height_ratios=(1, 1.2, 1, 0.8, 1))
    slow, fast, steering, rolling, loads = axes
    bare, known = record.bare[FAST], record.known[FAST]
    _track(
        slow,
        [(record.slow_ideal, IDEAL, "vehicle.fmu"), (record.slow, BARE, "iltis.fmu")],
        "20 km/h: paths of the rear axle",
    )
    shown = [
        (record.ideal, IDEAL, "vehicle.fmu"),
        (bare, BARE, "iltis.fmu, driver knows its geometry"),
        (known, KNOWN, "driver knows how it turns"),
    ]
    _track(fast, shown, f"{FAST:g} km/h: paths of the rear axle", whole=True)
    for course, color, _ in shown:
        steering.plot(course["x"], np.degrees(course["steer"]), color=color, linewidth=1.4)
    steering.set_title(f"{FAST:g} km/h: angle that the driver wants; colours as above", loc="left")
    plain(steering, "", "angle (°)")
    for course, color, _ in shown[1:]:
        rolling.plot(course["x"], np.degrees(course["cabin.roll"]), color=color, linewidth=1.4)
    rolling.set_title(f"{FAST:g} km/h: roll angle of the ILTIS; colours as above", loc="left")
    plain(rolling, "", "roll (°)")
    for wheel, (color, style) in WHEELS.items():
        load = known[f"{wheel}.load"] / 1000
        name = wheel.replace("_", " ")
        loads.plot(known["x"], load, style, color=color, linewidth=1.3, label=name)
    head(loads, f"{FAST:g} km/h: loads of its wheels, driver knows how it turns", 4)
    loads.set_ylim(bottom=0)
    plain(loads, "x of the mass centre (m)", "load (kN)")
    loads.set_xlim(-RUN_UP, known.lanes[-1].end + RUN_OUT)
    figure.align_ylabels(list(axes))
    save(figure, folder, "iltis_lane_change")


def draw_speeds(record: Courses, folder: Path) -> None:
    """Draw clearance, acceleration, roll and loads against the speed."""
    figure = Figure(figsize=(9.4, 6.6), layout="constrained")
    figure.suptitle("iltis.fmu through the double lane change, faster and faster")
    axes = figure.subplots(2, 2, sharex=True)
    for drives, color, label in (
        (record.bare, BARE, "driver knows its geometry"),
        (record.known, KNOWN, "driver knows how it turns"),
    ):
        for panel, values in zip(
            axes.flat,
            (
                [one.clearance for one in drives.values()],
                [one.largest("cabin.acceleration_y") for one in drives.values()],
                [np.degrees(one.largest("cabin.roll")) for one in drives.values()],
                [one.lightest / 1000 for one in drives.values()],
            ),
            strict=True,
        ):
            panel.plot(list(drives), values, "o-", color=color, markersize=4, label=label)
    axes[0, 0].axhline(0, color="#a40000", linestyle="--", linewidth=1)
    for panel, title, up in zip(
        axes.flat,
        ("Least clearance of its corners", "Lateral acceleration", "Roll angle", "Lightest load"),
        ("distance (m)", "acceleration (m/s²)", "roll (°)", "load (kN)"),
        strict=True,
    ):
        panel.set_title(title, loc="left")
        plain(panel, "speed (km/h)" if panel in axes[1] else "", up)
    figure.legend(
        *axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False
    )
    save(figure, folder, "iltis_lane_change_speeds")
