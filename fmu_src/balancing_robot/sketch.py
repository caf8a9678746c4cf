"""Drawings of the robot for its FMU's page, from its right side."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

from mbcore.fmi.description.sketch import ANGLE, BODY, EDGE, FORCE, MOTION, arc, arrow

_RADIUS, _HEIGHT = 0.4, 1.0


def _robot(axes: Axes, pitch: float) -> np.ndarray:
    """Draw wheel and body; return the direction of the body."""
    axes.plot([-1.6, 1.9], [0, 0], color="#888888", linewidth=1.2)
    up = np.array([np.sin(pitch), np.cos(pitch)])
    axes.add_patch(
        Rectangle(
            (-0.17, _RADIUS - 0.1),
            0.34,
            2.0,
            angle=-np.degrees(pitch),
            rotation_point=(0.0, _RADIUS),
            facecolor=BODY,
            edgecolor=EDGE,
        )
    )
    axes.add_patch(Circle((0, _RADIUS), _RADIUS, facecolor="#cccccc", edgecolor="#333333"))
    axes.plot(0, _RADIUS, "o", color=EDGE, markersize=5)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return up


def icon(axes: Axes) -> None:
    """Draw the robot from its side."""
    _robot(axes, 0.25)
    axes.set_xlim(-1.3, 1.5)
    axes.set_ylim(-0.2, 2.6)


def picture(axes: Axes) -> None:
    """Draw the robot with its axes and signs."""
    up = _robot(axes, 0.3)
    axle = np.array([0.0, _RADIUS])
    axes.plot([0, 0], [_RADIUS, 2.25], color=ANGLE, linewidth=0.8, linestyle="--")
    arc(axes, axle, 1.75, (np.pi / 2, np.pi / 2 - 0.3), "body.pitch", ANGLE, (-84, 4))
    centre = axle + _HEIGHT * up
    axes.plot(*centre, "o", color=EDGE, markersize=6)
    beside = np.array([up[1], -up[0]]) * 0.42  # the height is measured beside the body
    axes.annotate(
        "", tuple(centre + beside), tuple(axle + beside),
        arrowprops={"arrowstyle": "<->", "color": EDGE, "shrinkA": 0, "shrinkB": 0},
    )  # fmt: skip
    middle = (axle + centre) / 2 + beside
    axes.annotate("body.height", tuple(middle), (8, -4), textcoords="offset points", color=EDGE)
    arrow(axes, (0, _RADIUS), (1.1, _RADIUS), "base.speed", MOTION)
    arc(axes, axle, 0.52, (2.5, 1.9), "right.torque, on the wheel", MOTION, (-160, 2))
    arrow(axes, (0, 0), (0.8, 0), "right.force_x", FORCE, (4, -12))
    arrow(axes, (0, -0.6), (0, -0.02), "", FORCE)
    axes.annotate("right.load", (0, -0.6), (6, 0), textcoords="offset points", color=FORCE)
    arrow(axes, (-1.9, 0.1), (-1.5, 0.1), "x")
    arrow(axes, (-1.9, 0.1), (-1.9, 0.5), "z")
    axes.set_xlim(-2.6, 2.6)
    axes.set_ylim(-0.75, 2.75)
