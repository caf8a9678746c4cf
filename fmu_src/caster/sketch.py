"""Drawings of the swivel wheel for its FMU's page, seen from above."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from mbcore.fmi.description.sketch import ANGLE, EDGE, FORCE, MOTION, arc, arrow, axes_cross


def _gear(axes: Axes, phi: float, u: float) -> tuple[np.ndarray, np.ndarray]:
    foot = np.array([0.0, u])
    centre = foot - np.array([np.cos(phi), np.sin(phi)])
    wheel = Rectangle(
        (centre[0] - 0.28, centre[1] - 0.08),
        0.56,
        0.16,
        angle=np.degrees(phi),
        rotation_point="center",
        color="#333333",
    )
    axes.plot([0, 0], [0, u], color="#888888", linewidth=2, linestyle=":")
    axes.plot(*np.column_stack([foot, centre]), color=EDGE, linewidth=4)
    axes.plot(*foot, "o", color=EDGE, markersize=9)
    axes.add_patch(wheel)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return foot, centre


def icon(axes: Axes) -> None:
    """Draw the swivelled wheel from above."""
    _gear(axes, 0.5, 0.2)
    axes.set_xlim(-1.4, 0.5)
    axes.set_ylim(-0.9, 0.9)


def picture(axes: Axes) -> None:
    """Draw the swivel wheel with its axes and signs."""
    phi = 0.45
    foot, centre = _gear(axes, phi, 0.45)

    across = np.array([-np.sin(phi), np.cos(phi)])
    arrow(axes, np.zeros(2), np.array([0.7, 0.0]), "attachment.speed", MOTION)
    arrow(axes, centre, centre + 0.6 * across, "wheel.lateral_force", FORCE)
    arrow(axes, foot, foot + np.array([0, 0.5]), "u = strut.deflection", ANGLE)
    axes.plot(*np.column_stack([foot, foot - [1.0, 0]]), color="#888888", linewidth=0.8)
    arc(axes, foot, 0.8, (np.pi, np.pi + phi), "φ = swivel.angle", ANGLE, offset=(5, 20))
    torque = (-0.7, 0.9)
    arc(axes, foot, 0.28, torque, "swivel.torque\n(on the strut)", MOTION, offset=(8, 0))
    for text, place in (
        ("C", (0.03, -0.12)),
        ("B", tuple(foot + [0.06, -0.12])),
        ("A", tuple(centre + [0.05, -0.18])),
    ):
        axes.annotate(text, place)
    axes_cross(axes, (-1.6, -0.45), 0.4)
    axes.set_xlim(-1.8, 1.3)
    axes.set_ylim(-0.6, 1.2)
