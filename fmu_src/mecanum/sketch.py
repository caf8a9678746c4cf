"""Drawings of the robot for its FMU's page, seen from above."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Rectangle

from mbcore.fmi.description.sketch import ANGLE, BODY, EDGE, FORCE, MOTION, arc, arrow, axes_cross

_X, _Y = 0.6, 0.62
"""Half wheelbase and half track."""
_LENGTH, _WIDTH = 0.5, 0.24


def _robot(axes: Axes) -> None:
    """Draw body and wheels with the rollers on top of them."""
    axes.add_patch(
        FancyBboxPatch(
            (-0.95, -0.4), 1.9, 0.8, boxstyle="round,pad=0.05", facecolor=BODY, edgecolor=EDGE
        )
    )
    for x in (-_X, _X):
        for y in (-_Y, _Y):
            corner = (x - _LENGTH / 2, y - _WIDTH / 2)
            axes.add_patch(
                Rectangle(corner, _LENGTH, _WIDTH, facecolor="#dddddd", edgecolor="#333333")
            )
            lean = np.sign(x * y) * _WIDTH / 2
            for place in np.linspace(-0.5, 0.5, 5) * (_LENGTH - _WIDTH):
                ends = np.array(
                    [[x + place - lean, y - _WIDTH / 2], [x + place + lean, y + _WIDTH / 2]]
                )
                axes.plot(*ends.T, color="#333333", linewidth=2)
    axes.set_aspect("equal")
    axes.set_axis_off()


def icon(axes: Axes) -> None:
    """Draw the robot from above."""
    _robot(axes)
    axes.set_xlim(-1.15, 1.15)
    axes.set_ylim(-1.15, 1.15)


def picture(axes: Axes) -> None:
    """Draw the robot with its axes and signs; the rollers that touch lean the other way."""
    _robot(axes)
    axes.plot(0, 0, "o", color=EDGE, markersize=4)
    axes.annotate("base.x, base.y", (0, 0), xytext=(-40, -16), textcoords="offset points")
    arrow(axes, (0, 0), (0.5, 0), "base.speed", MOTION, (-30, 5))
    arrow(axes, (0, 0), (0, 0.95), "base.side_speed", MOTION)
    arc(axes, (0, 0), 1.25, (-0.2, 0.2), "base.yaw_rate", MOTION, offset=(6, -4))
    arrow(axes, (_X + 0.3, _Y), (_X + 0.75, _Y), "front_left.torque, .rate", MOTION, (4, -4))
    # The force is along the axis of the roller below.
    tip = np.array([-_X, _Y]) + 0.55 * np.array([1, 1]) / np.sqrt(2)
    arrow(axes, (-_X, _Y), tip, "", FORCE)
    axes.annotate(
        "rear_left.force_x, .force_y",
        tuple(tip),
        (-150, 4),
        textcoords="offset points",
        color=FORCE,
    )
    axes.plot([-_X, -_X + 0.6], [_Y, _Y], color=ANGLE, linewidth=0.8, linestyle="--")
    arc(axes, (-_X, _Y), 0.36, (0, np.pi / 4), "", ANGLE)
    axes.annotate(
        "rollers.angle",
        (-_X + 0.36, _Y + 0.03),
        (-2.3, 0.35),
        color=ANGLE,
        arrowprops={"arrowstyle": "-", "color": ANGLE, "linewidth": 0.6},
    )
    axes_cross(axes, (-2.0, -1.0), 0.35)
    axes.set_xlim(-2.4, 2.9)
    axes.set_ylim(-1.15, 1.45)
