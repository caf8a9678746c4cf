"""Drawings of the ILTIS for its FMU's page: one suspension from behind, and the vehicle above."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

from fmu_src.iltis_data import AXLES, GROUND, hard_points
from mbcore.fmi.sketch import ANGLE, BODY, EDGE, FORCE, MOTION, arrow

TYRE = "#333333"


def _rod(axes: Axes, *places: tuple[float, float], color: str = EDGE, width: float = 3) -> None:
    axes.plot(*np.array(places).T, color=color, linewidth=width, solid_capstyle="round")


def _above(axes: Axes) -> None:
    """Draw cabin and wheels from above, x to the right."""
    axes.add_patch(Rectangle((-1.55, -0.5), 3.0, 1.0, facecolor=BODY, edgecolor=EDGE))
    for x in AXLES.values():
        for y in (-0.615, 0.615):
            axes.add_patch(Rectangle((x - 0.36, y - 0.09), 0.72, 0.18, color=TYRE))
    axes.set_aspect("equal")
    axes.set_axis_off()


def icon(axes: Axes) -> None:
    """Draw the vehicle from the right side."""
    axes.add_patch(Rectangle((-1.5, -0.25), 2.95, 0.5, facecolor=BODY, edgecolor=EDGE))
    axes.add_patch(Rectangle((-1.5, 0.25), 1.7, 0.55, facecolor="white", edgecolor=EDGE))
    for x in AXLES.values():
        axes.add_patch(Circle((x, GROUND + 0.36), 0.36, color=TYRE))
        axes.add_patch(Circle((x, GROUND + 0.36), 0.17, color="white"))
    _rod(axes, (-1.8, GROUND), (1.8, GROUND), color="#888888", width=1.5)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_xlim(-1.9, 1.9)
    axes.set_ylim(-1.75, 2.05)


def _suspension(axes: Axes, shift: float) -> None:
    """Draw the left front suspension from behind, y to the left, moved to the right by a shift."""
    at = hard_points("front", 1)

    def seen(place: tuple[float, float, float]) -> tuple[float, float]:
        return shift - 2.2 * place[1], 2.2 * place[2]

    wheel = seen(at.wheel_centre)
    radius = 2.2 * at.radius
    axes.add_patch(
        Rectangle((wheel[0] - 0.1, wheel[1] - radius), 0.2, 2 * radius, color=TYRE, alpha=0.35)
    )
    for begin, end, color in (
        (at.arm_pivot, at.arm_ball, EDGE),
        (at.leaf_pivot, at.leaf_ball, EDGE),
        (at.tie_rod_rack, at.tie_rod_carrier, MOTION),
        (at.damper_cabin, at.damper_arm, ANGLE),
    ):
        _rod(axes, seen(begin), seen(end), color=color, width=2)
    for place in (at.arm_ball, at.leaf_ball, at.wheel_centre):
        _rod(axes, seen(at.wheel_centre), seen(place), color="black", width=4)
    for place in (at.arm_pivot, at.leaf_pivot, at.damper_cabin):
        axes.plot(*seen(place), "o", color="black", markersize=5)
    ground = 2.2 * GROUND
    _rod(axes, (wheel[0] - 0.5, ground), (shift + 0.1, ground), color="#888888", width=1.5)
    arrow(axes, (wheel[0] - 0.2, ground), (wheel[0] - 0.2, ground + 0.5), "load", FORCE)
    for place, text, side in (
        (at.arm_ball, "arm", 0.35),
        (at.damper_arm, "damper", 0.25),
        (at.leaf_pivot, "leaf spring, tie rod", 0.05),
    ):
        x, y = seen(place)
        axes.annotate(text, (x + side, y + 0.12))


def picture(axes: Axes) -> None:
    """Draw the vehicle from above with its axes and signs, and one suspension from behind."""
    _above(axes)
    arrow(axes, (0, 0), (0.8, 0), "x, cabin.speed", MOTION, offset=(-30, 6))
    arrow(axes, (0, 0), (0, 0.42), "y, wind.force_y", FORCE, offset=(-88, -4))
    arrow(axes, (0.83, 0.0), (0.83, 0.35), "rack.displacement", MOTION, offset=(-40, -48))
    arrow(axes, (0.97, 0.72), (0.97, 1.15), "front_left.side_force", FORCE, offset=(-50, 3))
    arrow(axes, (1.35, 0.615), (1.75, 0.615), "front_left.longitudinal_force", FORCE)
    axes.annotate("front_right", (0.65, -0.9), color=TYRE)
    axes.annotate("rear_left", (-1.3, 0.78), color=TYRE)
    axes.annotate("rear_right", (-1.35, -0.9), color=TYRE)
    _suspension(axes, 5.2)
    axes.set_xlim(-1.8, 5.6)
    axes.set_ylim(-1.6, 1.6)
