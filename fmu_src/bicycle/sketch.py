"""Drawings of a bicycle for its FMU's page: from the right side, and leaning from behind."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Arc, Circle, Ellipse

from mbcore.fmi.description.sketch import ANGLE, EDGE, FORCE, MOTION, Place, arrow

TILT = np.pi / 10
REAR, FRONT = np.array([0.0, 0.3]), np.array([1.02, 0.35])
"""Centres of the wheels, x and z, m; the tyres touch z = 0."""
TYRE, LINE = "#333333", "#888888"


def _axis(height: float) -> np.ndarray:
    """Point of the steering axis at a height."""
    return np.array([1.1 - height * np.tan(TILT), height])


def _xy(place: Place) -> tuple[float, float]:
    return float(place[0]), float(place[1])


def _tube(axes: Axes, *places: Place, color: str = EDGE, width: float = 3) -> None:
    line = np.array([np.asarray(place, float) for place in places])
    axes.plot(*line.T, color=color, linewidth=width, solid_capstyle="round")


def _from_the_right(axes: Axes) -> None:
    """Draw the bicycle, x to the right and z up."""
    for centre in (REAR, FRONT):
        axes.add_patch(Circle(_xy(centre), centre[1], fill=False, edgecolor=TYRE, linewidth=3))
        axes.plot(*centre, "o", color=TYRE, markersize=5)
    crank, saddle = np.array([0.43, 0.28]), np.array([0.28, 0.78])
    _tube(axes, REAR, crank, saddle, REAR)
    _tube(axes, crank, _axis(0.62))
    _tube(axes, saddle, _axis(0.8))
    _tube(axes, saddle, saddle + [-0.03, 0.1])
    _tube(axes, (0.14, 0.89), (0.34, 0.89), width=5)
    bar = _axis(0.95)
    _tube(axes, FRONT, _axis(0.62), bar, bar + [-0.14, 0.02], color=MOTION)
    axes.set_aspect("equal")
    axes.set_axis_off()


def icon(axes: Axes) -> None:
    """Draw the bicycle from the right side."""
    _from_the_right(axes)
    _tube(axes, (-0.35, -0.04), (1.42, -0.04), color=LINE, width=1.5)
    axes.set_xlim(-0.4, 1.47)
    axes.set_ylim(-0.45, 1.42)


def picture(axes: Axes) -> None:
    """Draw both views with axes, signs and dimensions."""
    _tube(axes, (-0.6, -0.02), (1.9, -0.02), color=LINE, width=1.5)
    _from_the_right(axes)
    _dimensions(axes)
    _mass_centre(axes, (0.3, 0.98), "rear_frame.x, .z", (-0.35, 1.05))
    _mass_centre(axes, (0.9, 0.7), "front_frame.x, .z", (1.15, 0.8))
    along = np.array([-np.sin(TILT), np.cos(TILT)])
    arrow(axes, _axis(1.0), _axis(1.0) + 0.32 * along, "steer.torque, steer δ", ANGLE)
    arrow(axes, (1.48, 0.35), (1.9, 0.35), "lean.torque, lean φ", ANGLE, offset=(-57, 8))
    turn = np.radians(np.linspace(190, 115, 30))
    axes.plot(*(REAR[:, None] + 0.38 * np.array([np.cos(turn), np.sin(turn)])), color=ANGLE)
    last = REAR + 0.38 * np.array([np.cos(turn[-1]), np.sin(turn[-1])])
    arrow(axes, last - [0.02, 0.01], last + [0.09, 0.03], "drive.torque", ANGLE, offset=(-92, 2))
    for name, x in (("rear", 0.0), ("front", 1.02)):
        arrow(axes, (x, 0), (x, 0.24), "", FORCE)
        arrow(axes, (x, 0), (x + 0.32, 0), "", FORCE)
        axes.annotate(f"{name} forces", (x + 0.12, -0.16), color=FORCE)
    _cross(axes, (-0.75, -0.5), "xz")
    _from_behind(axes, 2.75, 0.3)
    axes.set_xlim(-0.85, 3.45)
    axes.set_ylim(-0.65, 1.55)


def _cross(axes: Axes, origin: Place, names: str, size: float = 0.3) -> None:
    x, y = origin
    if names[0] == "y":
        arrow(axes, origin, (x - size, y), names[0], offset=(-4, 6))
    else:
        arrow(axes, origin, (x + size, y), names[0])
    arrow(axes, origin, (x, y + size), names[1])


def _mass_centre(axes: Axes, place: Place, text: str, at: Place) -> None:
    axes.plot(*place, "o", color="black", markersize=6, zorder=4)
    axes.plot(*place, "o", color="white", markersize=2, zorder=5)
    axes.annotate(text, (place[0], place[1]), xytext=(at[0], at[1]))


def _dimensions(axes: Axes) -> None:
    """Draw steering axis, tilt, wheelbase and trail."""
    _tube(axes, _axis(-0.1), _axis(1.42), color=LINE, width=0.8)
    foot = _axis(0.0)
    axes.plot([foot[0]] * 2, [0, 1.0], color=LINE, linewidth=0.8, linestyle=":")
    tilt = float(np.degrees(TILT))
    axes.add_patch(Arc(_xy(foot), 1.7, 1.7, theta1=90, theta2=90 + tilt, color=LINE))
    axes.annotate("tilt", (0.93, 0.9))
    for begin, end, height, text in (
        (0.0, 1.02, -0.36, "geometry.wheelbase"),
        (1.02, 1.1, -0.36, "geometry.trail"),
    ):
        for x in (begin, end):
            axes.plot([x, x], [-0.04, height - 0.04], color=LINE, linewidth=0.8)
        axes.plot([begin, end], [height, height], color="black", linewidth=1)
        middle = (begin + end) / 2 if end - begin > 0.5 else end + 0.03
        axes.annotate(text, (middle, height + 0.03), ha="center" if end - begin > 0.5 else "left")


def _from_behind(axes: Axes, x: float, lean: float) -> None:
    """Draw wheels and frame that lean to the right; y to the left, z up."""
    spoke = np.array([np.sin(lean), np.cos(lean)])
    foot = np.array([x, 0.0])
    _tube(axes, foot + [-0.55, -0.02], foot + [0.65, -0.02], color=LINE, width=1.5)
    axes.add_patch(
        Ellipse(
            (x + 0.3 * spoke[0], 0.3 * spoke[1]),
            0.07,
            0.6,
            angle=-float(np.degrees(lean)),
            fill=False,
            edgecolor=TYRE,
            linewidth=3,
        )
    )
    _tube(axes, foot + 0.3 * spoke, foot + 0.9 * spoke)
    bar = foot + 0.98 * spoke
    across = np.array([np.cos(lean), -np.sin(lean)])
    _tube(axes, bar - 0.24 * across, bar + 0.24 * across, color=MOTION)
    axes.plot([x, x], [0, 1.25], color=LINE, linewidth=0.8, linestyle=":")
    angle = float(np.degrees(lean))
    axes.add_patch(Arc(_xy(foot), 2.3, 2.3, theta1=90 - angle, theta2=90, color=ANGLE))
    axes.annotate("lean φ", (x + 0.08, 1.2), color=ANGLE)
    arrow(axes, foot, foot + [0, 0.32], "normal", FORCE, offset=(-44, 0))
    arrow(axes, foot, foot + [-0.42, 0], "lateral", FORCE, offset=(-10, 6))
    _cross(axes, (x + 0.5, -0.5), "yz")
