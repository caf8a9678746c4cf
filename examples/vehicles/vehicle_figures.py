"""A vehicle from above in figures of paths, on axes of equal scales."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from mbcore.examples.vehicles.lane_change_driver import FRONT_OVERHANG, REAR_OVERHANG, WIDTH

TYRE, BREADTH = 0.7, 0.25
"""Of the wheels, m."""


def draw_vehicle(
    axes: Axes,
    rear_axle: np.ndarray,
    yaw: float,
    steer: float,
    wheelbase: float,
    color: str,
    label: str = "",
) -> None:
    """Draw chassis and wheels.

    Parameters
    ----------
    rear_axle : ndarray, shape (2,)
        Its middle, m.
    yaw, steer : float
        Of the vehicle, and of the front wheels on it, rad.
    wheelbase : float
        m.
    color, label : str
        Of the chassis.
    """
    forward = np.array([np.cos(yaw), np.sin(yaw)])
    left = np.array([-forward[1], forward[0]])
    length = REAR_OVERHANG + wheelbase + FRONT_OVERHANG
    middle, side = (wheelbase + FRONT_OVERHANG - REAR_OVERHANG) / 2, (WIDTH - BREADTH) / 2
    parts = [(middle, 0.0, length, WIDTH, 0.0, color, label)]
    for along, turn in ((0.0, 0.0), (wheelbase, steer)):
        parts += [(along, across, TYRE, BREADTH, turn, "0.15", "") for across in (-side, side)]
    for along, across, long, wide, turn, shade, name in parts:
        corner = rear_axle + along * forward + across * left - (long / 2, wide / 2)
        angle = float(np.degrees(yaw + turn))
        axes.add_patch(
            Rectangle(
                corner, long, wide, angle=angle, rotation_point="center",
                facecolor=shade, linewidth=0, alpha=0.6, label=name, zorder=2,
            )
        )  # fmt: skip
