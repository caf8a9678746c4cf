"""The clearance joint with its axes and signs, and its icon."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Arc, Circle

from mbcore.fmi.description.sketch import BODY, EDGE, FORCE, MOTION, arrow, axes_cross

_SLEEVE, _JOURNAL, _WALL = 1.0, 0.7, 1.3
_ANGLE = np.radians(40)


def _joint(axes: Axes) -> np.ndarray:
    """Draw sleeve and journal; return the journal's centre."""
    journal = (_SLEEVE - _JOURNAL) * np.array([np.cos(_ANGLE), np.sin(_ANGLE)])
    axes.add_patch(Circle((0, 0), _WALL, facecolor=BODY, edgecolor=EDGE))
    axes.add_patch(Circle((0, 0), _SLEEVE, facecolor="white", edgecolor=EDGE))
    axes.add_patch(Circle(tuple(journal), _JOURNAL, facecolor="#729fcf", edgecolor="#333333"))
    axes.set_aspect("equal")
    axes.set_axis_off()
    return journal


def icon(axes: Axes) -> None:
    """Draw journal and sleeve."""
    _joint(axes)
    axes.set_xlim(-1.5, 1.5)
    axes.set_ylim(-1.5, 1.5)


def picture(axes: Axes) -> None:
    """Draw the joint with its axes and signs."""
    journal = _joint(axes)
    axes.plot(*journal, "o", color="white", markersize=4)
    axes.plot(0, 0, "+", color=EDGE, markersize=9)
    line = {"arrowstyle": "-", "color": MOTION, "linewidth": 0.6}
    for reach, place, name in (
        ((0.5, 0.0), (1.75, 0.55), "journal.x, journal.x_rate"),
        ((0.0, 0.45), (0.9, 1.5), "journal.y, journal.y_rate"),
    ):
        tip = journal + reach
        arrow(axes, journal, tip, "", MOTION)
        axes.annotate(name, tuple(tip), place, color=MOTION, arrowprops=line)
    axes.add_patch(Arc(tuple(journal), 0.8, 0.8, theta1=150, theta2=235, color=MOTION))
    foot = journal + 0.4 * np.array([np.cos(np.radians(235)), np.sin(np.radians(235))])
    arrow(axes, foot, foot + [0.08, -0.05], "", MOTION)
    axes.annotate(
        "journal.angle", tuple(journal + [-0.35, -0.18]), (-2.9, 0.7), color=MOTION, arrowprops=line
    )
    arrow(axes, (_WALL, -0.4), (1.9, -0.4), "sleeve.force_x", FORCE)
    arrow(axes, (-0.5, _WALL - 0.1), (-0.5, 1.8), "sleeve.force_y", FORCE, (-90, 0))
    axes.add_patch(Arc((0, 0), 2.9, 2.9, theta1=185, theta2=225, color=FORCE))
    end = 1.45 * np.array([np.cos(np.radians(225)), np.sin(np.radians(225))])
    arrow(axes, end, end + [0.08, -0.07], "sleeve.torque", FORCE, (-88, -8))
    axes.annotate("sleeve", (-0.25, -1.2), color=EDGE)
    axes_cross(axes, (-2.8, -1.6), 0.4)
    axes.set_xlim(-3.0, 3.6)
    axes.set_ylim(-1.8, 2.0)
