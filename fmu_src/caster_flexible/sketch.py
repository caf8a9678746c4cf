"""Drawings of the caster on a flexible yoke for its FMU's page: from behind, and from the side."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle

from mbcore.fmi.description.sketch import ANGLE, BODY, EDGE, FORCE, MOTION, Place, arrow


def _back_view(axes: Axes, deflection: float, roll: float) -> tuple[np.ndarray, np.ndarray]:
    """Draw y to the right, z down, lengths 1; return wheel centre and contact point."""
    s = np.linspace(0, 1, 40)
    # the cubic that is clamped in B and has the deflection and the slope -roll in A
    line = (3 * s**2 - 2 * s**3) * deflection - (s**3 - s**2) * roll
    centre = np.array([deflection, -1.0])
    spoke = np.array([-np.sin(roll), -np.cos(roll)])
    axes.plot([0, 0], [0.25, -2.2], color="#aaaaaa", linewidth=0.8, linestyle="--")
    axes.plot(line, -s, color=EDGE, linewidth=4, zorder=3)
    axes.plot(*np.column_stack([centre - spoke, centre + spoke]), color="#b0bcc8", linewidth=12)
    axes.plot([0, deflection], [0, -1], "o", color=EDGE, markersize=8, zorder=3)
    axes.plot([-1.1, 1.1], [centre[1] + spoke[1] - 0.03] * 2, color="#888888", linewidth=1.5)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return centre, centre + spoke


def icon(axes: Axes) -> None:
    """Draw the bent yoke and the rolled wheel from behind."""
    _back_view(axes, 0.35, -0.3)
    axes.set_xlim(-1.3, 1.3)
    axes.set_ylim(-2.2, 0.4)


def picture(axes: Axes) -> None:
    """Draw back and side view with axes and signs."""
    centre, contact = _back_view(axes, 0.4, -0.3)

    def vector(start: Place, by: Place, text: str, color: str = "black") -> None:
        arrow(axes, start, (start[0] + by[0], start[1] + by[1]), text, color)

    vector(contact, (0.6, 0), "contact.force_lateral", FORCE)
    vector((0, centre[1]), (centre[0], 0), "", ANGLE)
    vector((0, 0), (0, -0.7), "", ANGLE)
    for text, place in (
        ("yaw ψ", (-0.66, -0.65)),
        ("roll φ, here negative", (0.45, -0.3)),
        ("δ = yoke.deflection", (0.75, -1.05)),
    ):
        axes.annotate(text, place, color=ANGLE)

    side, radius = 4.4, 1.0
    axes.add_patch(Circle((side, -1), radius, facecolor=BODY, edgecolor="#333333"))
    axes.plot([side, side], [0, -1], color=EDGE, linewidth=4)
    axes.plot([side, side], [0, -1], "o", color=EDGE, markersize=8)
    axes.plot([side - 1.4, side + 1.6], [-2.02, -2.02], color="#888888", linewidth=1.5)
    vector((side, 0), (0.9, 0), "attachment.speed", MOTION)
    vector((side, -2), (0.9, 0), "force_longitudinal", FORCE)
    vector((side, -2), (0, -0.5), "spin_moment", FORCE)
    for x, names in ((-0.9, "yz"), (side - 1.9, "xz")):
        vector((x, 0.2), (0.4, 0), names[0])
        vector((x, 0.2), (0, -0.4), names[1])
    for text, place in (
        ("B", (-0.18, 0.08)),
        ("A", (centre[0] + 0.15, centre[1] + 0.12)),
        ("C", (contact[0] - 0.2, contact[1] - 0.22)),
        ("B", (side - 0.2, 0.08)),
        ("A", (side - 0.2, -0.95)),
        ("C", (side - 0.2, -2.25)),
    ):
        axes.annotate(text, place)
    axes.set_xlim(-1.3, 7.0)
    axes.set_ylim(-2.7, 0.6)
