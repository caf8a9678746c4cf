"""Drawings of the robot for its FMU's page, seen from above."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Rectangle

from mbcore.fmi.description.sketch import (
    ANGLE,
    BODY,
    EDGE,
    FORCE,
    MOTION,
    arc,
    arrow,
    axes_cross,
)

_TRACK, _CASTER, _TRAIL = 1.2, (-0.75, 0.36), 0.28


def _wheel(axes: Axes, centre: tuple[float, float], length: float, angle: float = 0.0) -> None:
    width = 0.4 * length
    place = (centre[0] - length / 2, centre[1] - width / 2)
    axes.add_patch(
        Rectangle(
            place,
            length,
            width,
            angle=np.degrees(angle),
            rotation_point="center",
            color="#333333",
        )
    )


def _robot(axes: Axes, swivel: float) -> None:
    """Draw body, driven wheels and casters."""
    axes.add_patch(
        FancyBboxPatch(
            (-0.95, -0.45), 1.35, 0.9, boxstyle="round,pad=0.05", facecolor=BODY, edgecolor=EDGE
        )
    )
    for side in (-1, 1):
        _wheel(axes, (0.0, side * _TRACK / 2), 0.45)
        pin = np.array([_CASTER[0], side * _CASTER[1]])
        centre = pin - _TRAIL * np.array([np.cos(swivel), np.sin(swivel)])
        axes.plot(*np.column_stack([pin, centre]), color=EDGE, linewidth=2)
        axes.plot(*pin, "o", color=EDGE, markersize=5)
        _wheel(axes, tuple(centre), 0.22, swivel)
    axes.set_aspect("equal")
    axes.set_axis_off()


def icon(axes: Axes) -> None:
    """Draw the robot from above."""
    _robot(axes, 0.5)
    axes.set_xlim(-1.3, 0.8)
    axes.set_ylim(-1.05, 1.05)


def picture(axes: Axes) -> None:
    """Draw the robot with its axes and signs."""
    swivel = 0.5
    _robot(axes, swivel)
    axes.plot([0, 0], [-_TRACK / 2, _TRACK / 2], color=EDGE, linewidth=1)
    axes.plot(0, 0, "o", color=EDGE, markersize=4)
    axes.annotate(
        "base.x, base.y",
        (0, 0),
        xytext=(28, -24),
        textcoords="offset points",
        arrowprops={"arrowstyle": "-", "color": "black", "linewidth": 0.6},
    )
    arrow(axes, (0, 0), (0.9, 0), "base.speed", MOTION)
    arc(axes, (0, 0), 0.62, (0.15, 0.9), "base.yaw_rate", MOTION, offset=(5, 2))
    for name, side in (("left", 1), ("right", -1)):
        y = side * _TRACK / 2
        arrow(axes, (0.25, y), (0.75, y), f"{name}.torque, {name}.rate", MOTION, (6, -4))
    y = _TRACK / 2
    arrow(axes, (0, y + 0.08), (0, y + 0.45), "left.force_y", FORCE)
    arrow(axes, (-0.1, y + 0.14), (-0.5, y + 0.14), "left.force_x < 0", FORCE, (-98, -3))
    pin = np.array(_CASTER)
    axes.plot([pin[0], pin[0] - 0.75], [pin[1], pin[1]], color=ANGLE, linewidth=0.8, ls="--")
    arc(axes, pin, 0.62, (np.pi, np.pi + swivel), "caster_left.angle", ANGLE, offset=(-105, 0))
    axes_cross(axes, (-1.7, -1.1), 0.35)
    axes.set_xlim(-2.5, 2.1)
    axes.set_ylim(-1.25, 1.25)
