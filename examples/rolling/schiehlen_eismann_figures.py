"""Figures of the actively controlled vehicle: where it goes, how fast, and what holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle
from scipy.interpolate import CubicSpline

from mbcore import Result
from mbcore.examples.common import head, plain

HALF_TRACK, WHEEL = 0.22, (0.24, 0.08)
"""Of the vehicles along paths, in wheelbases; length and width of a wheel."""
SHOWN = ("chassis.x", "chassis.y", "chassis.yaw", "front.steer_angle")
FREE = 0.37
"""Least distance of two vehicles that are drawn, between their lines from axle to axle, in
wheelbases."""
REAR_TO_CENTRE = 0.5
"""κ, in wheelbases."""


@dataclass(frozen=True)
class Motion:
    """Contents of one panel.

    Attributes
    ----------
    parts : sequence of Result
        One after the other; each begins at its own time zero.
    title : str
        What is seen.
    stamps : sequence of float
        Times at which the vehicle is drawn, τ.
    slope : bool
        Whether y points down a slope.
    until : float, optional
        Where histories end, τ; with the motion where absent.
    """

    parts: Sequence[Result]
    title: str
    stamps: Sequence[float]
    slope: bool = False
    until: float | None = None


def curves(part: Result) -> CubicSpline:
    """Return x, y, yaw and steering angle as smooth functions of time."""
    kept = np.diff(part.time, prepend=-1.0) > 1e-6  # rows at events stand close together
    values = np.column_stack([part[name][kept] for name in SHOWN])
    return CubicSpline(part.time[kept], values)


def draw_path(axes: Axes, motion: Motion) -> None:
    """Draw the path of C with equal scales, and the vehicle at some times, later ones darker."""
    begun = 0.0
    seen: list[tuple[float, np.ndarray]] = []
    for k, part in enumerate(motion.parts):
        curve, end = curves(part), float(part.time[-1])
        dense = curve(np.linspace(0, end, 6000))
        label = "path of the mass centre C" if not k else None
        axes.plot(dense[:, 0], dense[:, 1], color="C0", linewidth=1.6, zorder=4, label=label)
        closing = k == len(motion.parts) - 1
        for stamp in motion.stamps:
            if begun <= stamp < begun + end or (closing and stamp >= begun + end):
                seen.append((stamp, curve(min(stamp - begun, end))))
        begun += end
    places = apart(seen)
    for (_, state), shade in zip(places, np.linspace(0.3, 0.9, len(places)), strict=True):
        draw_vehicle(axes, *state, shade)
    start = [motion.parts[0][name][0] for name in SHOWN[:2]]
    axes.plot(*start, "ko", markersize=5, zorder=5, label="start")
    axes.set_aspect("equal", adjustable="datalim")
    plain(axes, "x / l", "y / l, down the slope" if motion.slope else "y / l")


def apart(seen: Sequence[tuple[float, np.ndarray]]) -> list[tuple[float, np.ndarray]]:
    """Return the last place of a vehicle, and those before that stand free."""
    kept: list[tuple[float, np.ndarray]] = []
    for stamp, state in (seen[-1], *seen[:-1]):
        if all(distance(state, other) > FREE for _, other in kept):
            kept.append((stamp, state))
    return sorted(kept, key=lambda entry: entry[0])


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """Return how far two vehicles stand apart, between their lines from axle to axle."""
    along = np.linspace(-REAR_TO_CENTRE, 1 - REAR_TO_CENTRE, 21)
    lines = [complex(x, y) + along * np.exp(1j * yaw) for x, y, yaw, _ in (one, other)]
    return float(np.abs(lines[0][:, None] - lines[1]).min())


def draw_vehicle(axes: Axes, x: float, y: float, yaw: float, steer: float, shade: float) -> None:
    """Draw hull, axles and four wheels; ``shade`` between 0, white, and 1, black."""
    tint, place = str(1 - shade), complex(x, y)
    ahead, left = np.exp(1j * yaw), 1j * np.exp(1j * yaw)
    rear = place - REAR_TO_CENTRE * ahead
    corners = [
        rear + a * ahead + b * left
        for a, b in ((-0.2, -0.13), (1.2, -0.13), (1.2, 0.13), (-0.2, 0.13))
    ]
    hull = [(corner.real, corner.imag) for corner in corners]
    axes.add_patch(Polygon(hull, facecolor="white", alpha=0.55, edgecolor="none", zorder=2))
    axes.add_patch(Polygon(hull, fill=False, edgecolor=tint, linewidth=1.0, zorder=3))
    for axle, angle in ((rear, yaw), (rear + ahead, yaw + steer)):
        across = 1j * HALF_TRACK * np.exp(1j * angle)
        ends = np.array([axle - across, axle + across])
        axes.plot(ends.real, ends.imag, color=tint, linewidth=1, zorder=3)
        for end in ends:
            corner = (end.real - WHEEL[0] / 2, end.imag - WHEEL[1] / 2)
            axes.add_patch(
                Rectangle(
                    corner,
                    *WHEEL,
                    angle=np.degrees(angle),
                    rotation_point="center",
                    color=tint,
                    linewidth=0,
                    zorder=3,
                )
            )


def draw_histories(upper: Axes, lower: Axes, motion: Motion) -> None:
    """Draw the speed, and the lateral forces of the axles."""
    begun = 0.0
    for k, part in enumerate(motion.parts):
        time = begun + part.time
        upper.plot(time, part["chassis.speed"], color="C0")
        for axle, color in (("front", "C3"), ("rear", "C2")):
            label = None if k else f"{axle} axle"
            lower.plot(time, part[f"{axle}.lateral_force"], color=color, label=label)
        begun = float(time[-1])
    for axes in (upper, lower):
        axes.axhline(0, color="black", linewidth=0.6)
        axes.set_xlim(0, motion.until or begun)
    plain(upper, "", "speed $v / v_L$")
    plain(lower, "time $t / (l/v_L)$", "force / ($m v_L^2/l$)")
    upper.set_title("Speed along its axis", loc="left")
    head(lower, "Lateral forces that keep it from slipping", 2)
    upper.figure.align_ylabels([upper, lower])


def draw_motion(motion: Motion) -> Figure:
    """Draw path and histories of one motion."""
    figure = Figure(figsize=(10, 5.4), layout="constrained")
    figure.suptitle(motion.title)
    grid = figure.add_gridspec(2, 2, width_ratios=(1.15, 1))
    path = figure.add_subplot(grid[:, 0])
    draw_path(path, motion)
    head(path, "Seen from above, later ones darker", 2)
    upper = figure.add_subplot(grid[0, 1])
    draw_histories(upper, figure.add_subplot(grid[1, 1], sharex=upper), motion)
    return figure


def draw_bang_bang(title: str, motions: Sequence[Motion]) -> Figure:
    """Draw two motions with their histories side by side."""
    figure = Figure(figsize=(10, 9.4), layout="constrained")
    figure.suptitle(title)
    grid = figure.add_gridspec(3, 2, height_ratios=(2.2, 1, 1))
    for column, motion in enumerate(motions):
        path = figure.add_subplot(grid[0, column])
        draw_path(path, motion)
        head(path, motion.title, 2)
        upper = figure.add_subplot(grid[1, column])
        lower = figure.add_subplot(grid[2, column], sharex=upper)
        draw_histories(upper, lower, motion)
    return figure
