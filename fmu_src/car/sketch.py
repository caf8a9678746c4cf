"""The picture and the icon of the car: axes and signs from above, and a wheel from behind."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

from mbcore.fmi.description.sketch import ANGLE, BODY, EDGE, FORCE, MOTION, arc, arrow

AXLES, HALF_TRACK, RADIUS = {"front": 1.156, "rear": -1.423}, 0.69, 0.315
TYRE, GREY = "#333333", "#888888"
BEHIND = (3.6, -0.55)
"""Where the wheel that is seen from behind touches the road, and how large it is drawn."""
SCALE = 3.0
STEERED, LEANING = 0.25, 0.2
"""Angles of the wheels that are drawn, rad."""
NOTE = 8.5

Place = tuple[float, float]


def _note(axes: Axes, place: Place, text: str, color: str = "black", side: str = "left") -> None:
    axes.text(*place, text, color=color, fontsize=NOTE, ha=side, va="center")


def _wheel(axes: Axes, y: float, x: float, turned: float) -> None:
    """Draw a wheel from above, x upwards and y to the left."""
    tyre = Rectangle(
        (-y - 0.1, x - RADIUS),
        0.2,
        2 * RADIUS,
        angle=math.degrees(turned),
        rotation_point="center",
        color=TYRE,
    )
    axes.add_patch(tyre)


def icon(axes: Axes) -> None:
    """Draw the car from the right side."""
    ground = -0.6
    axes.add_patch(Rectangle((-2.0, -0.32), 3.9, 0.55, facecolor=BODY, edgecolor=EDGE))
    axes.add_patch(Rectangle((-1.5, 0.23), 2.2, 0.5, facecolor="white", edgecolor=EDGE))
    for x in AXLES.values():
        axes.add_patch(Circle((x, ground + 0.33), 0.33, color=TYRE))
        axes.add_patch(Circle((x, ground + 0.33), 0.18, color="white"))
    axes.plot((-2.2, 2.2), (ground, ground), color=GREY, linewidth=1.5)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_xlim(-2.3, 2.3)
    axes.set_ylim(-2.3, 2.3)


def _from_above(axes: Axes) -> None:
    axes.add_patch(Rectangle((-0.5, -2.0), 1.0, 3.9, facecolor=BODY, edgecolor=EDGE))
    for axle, x in AXLES.items():
        for side in (1, -1):
            _wheel(axes, side * HALF_TRACK, x, STEERED if axle == "front" else 0.0)
        _note(axes, (-0.9, x - 0.5), f"{axle}_left", TYRE, "right")
        _note(axes, (0.9, x - 0.5), f"{axle}_right", TYRE)
    arrow(axes, (0, 0), (0, 0.6), "", "black")
    arrow(axes, (0, 0), (-0.6, 0), "", "black")
    axes.plot(0, 0, "o", color="black", markersize=5)
    _note(axes, (0.06, 0.55), "x")
    _note(axes, (-0.45, 0.1), "y")
    _note(axes, (0.06, -0.12), "z up")
    arrow(axes, (0, 1.92), (0, 2.45), "", MOTION)
    _note(axes, (0.08, 2.35), "body.speed", MOTION)
    arrow(axes, (0.95, 0), (0.55, 0), "", MOTION)
    _note(axes, (1.0, 0), "body.force_y", MOTION)
    _forces(axes)


def _forces(axes: Axes) -> None:
    """Draw the forces on the front left wheel along its own axes."""
    x, y = AXLES["front"], HALF_TRACK
    c, s = math.cos(STEERED), math.sin(STEERED)
    arrow(axes, (-y, x), (-y - 1.0 * s, x + 1.0 * c), "", FORCE)
    _note(axes, (-y - 1.0 * s - 0.08, x + 1.0 * c), "force_x", FORCE, "right")
    arrow(axes, (-y, x), (-y - 0.75 * c, x - 0.75 * s), "", FORCE)
    _note(axes, (-y - 0.75 * c - 0.05, x - 0.75 * s), "force_y", FORCE, "right")
    axes.plot((-y, -y), (x, x + 0.85), color=ANGLE, linewidth=0.8, linestyle="--")


def _from_behind(axes: Axes) -> None:
    """Draw a left wheel from behind, which leans to the right."""
    x, y = BEHIND
    height, width = 2 * RADIUS * SCALE, 0.2 * SCALE
    tyre = Rectangle(
        (x - width / 2, y),
        width,
        height,
        angle=-math.degrees(LEANING),
        rotation_point=(x, y),
        color=TYRE,
        alpha=0.25,
    )
    axes.add_patch(tyre)
    axes.plot((x - 0.9, x + 0.9), (y, y), color=GREY, linewidth=1.5)
    axes.plot((x, x), (y, y + 1.25 * height), color=ANGLE, linewidth=0.8, linestyle="--")
    top = (x + 1.25 * height * math.sin(LEANING), y + 1.25 * height * math.cos(LEANING))
    axes.plot((x, top[0]), (y, top[1]), color=ANGLE, linewidth=0.8, linestyle="--")
    right = math.pi / 2
    arc(axes, (x, y), 1.2 * height, (right - LEANING, right), "camber", ANGLE, offset=(8, 6))
    arrow(axes, (x, y - 0.75), (x, y), "", FORCE)
    _note(axes, (x + 0.08, y - 0.5), "load", FORCE)
    arrow(axes, (x, y), (x - 0.8, y), "", FORCE)
    _note(axes, (x - 0.97, y), "force_y", FORCE, "right")
    arrow(axes, (x + 0.75, y - 0.6), (x + 0.75, y), "", MOTION)
    _note(axes, (x + 0.82, y - 0.4), "road_height", MOTION)
    arrow(axes, (x + 0.75, y + 0.6), (x + 0.75, y + 1.1), "", MOTION)
    _note(axes, (x + 0.82, y + 0.85), "travel", MOTION)


def picture(axes: Axes) -> None:
    """Draw the car from above with its axes and signs, and one wheel from behind."""
    _from_above(axes)
    _from_behind(axes)
    _note(axes, (0, -2.35), "from above", side="center")
    _note(axes, (BEHIND[0], -2.35), "wheel, from behind", side="center")
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_xlim(-2.3, 5.4)
    axes.set_ylim(-2.5, 2.6)
