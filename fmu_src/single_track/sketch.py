"""Pictures of a single-track vehicle from above."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon, Rectangle

from mbcore.fmi.description.sketch import ANGLE, BODY, EDGE, MOTION, arc, arrow, axes_cross


def outline(axes: Axes, steer: float) -> None:
    """Draw chassis and wheels from above."""
    body = [(-1.6, -0.7), (1.3, -0.7), (1.7, -0.4), (1.7, 0.4), (1.3, 0.7), (-1.6, 0.7)]
    axes.add_patch(Polygon(body, facecolor=BODY, edgecolor=EDGE, linewidth=1.5))
    for x, angle in ((-1.25, 0.0), (1.25, steer)):
        for y in (-0.75, 0.75):
            wheel = Rectangle(
                (x - 0.3, y - 0.1),
                0.6,
                0.2,
                angle=np.degrees(angle),
                rotation_point="center",
                color="#333333",
            )
            axes.add_patch(wheel)
    axes.set_aspect("equal")
    axes.set_axis_off()


def show_forces(axes: Axes, drive_offset: tuple[float, float]) -> None:
    """Draw the forces that are given; the offset is that of the first one's name, points."""
    arrow(axes, (0, 0), (0.9, 0), "drive.force", MOTION, offset=drive_offset)
    arrow(axes, (0, 0), (-0.9, 0), "brake.force", MOTION, offset=(-2, 6))
    arrow(axes, (0, -0.35), (0.8, -0.35), "load.force_x (at C)", MOTION, offset=(-66, -14))
    arrow(axes, (0, 0), (0, 0.6), "load.force_y", MOTION, offset=(5, -8))


def show_axes(axes: Axes, top: float) -> None:
    """Draw the steering angle, the axes and the centre line; ``top`` ends the picture, m."""
    arc(axes, (1.25, 0), 1.1, (0, 0.35), "steer.angle", ANGLE, offset=(14, 0))
    axes_cross(axes, (-2.6, -1.6), 1.0)
    axes.plot([-1.25, 0, 1.25], [0, 0, 0], "ko-", markersize=4, linewidth=0.8)
    axes.set_xlim(-3, 3.6)
    axes.set_ylim(-2.0, top)
