"""The clearance joint with its axes and signs, its clearance and its forces, and its icon."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle

from mbcore.fmi.description.sketch import BODY, EDGE, FORCE, MOTION, arc, arrow, axes_cross

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
    """Draw the joint with its axes and signs, its clearance and the forces on the sleeve."""
    journal = _joint(axes)
    axes.plot(*journal, "o", color="white", markersize=4)
    axes.plot(0, 0, "+", color=EDGE, markersize=9)
    _motion(axes, journal)
    _clearance(axes)
    towards = np.array([np.cos(_ANGLE), np.sin(_ANGLE)])
    across = np.array([-towards[1], towards[0]])
    contact = _SLEEVE * towards
    arrow(axes, contact, contact + 0.72 * towards, "contact.normal_force", FORCE)
    arrow(axes, contact, contact + 0.72 * across, "", FORCE)
    name = "contact.friction_force"
    axes.annotate(
        name, tuple(contact + 0.74 * across), (0.65, 1.55), color=FORCE, arrowprops=_lead(0)
    )
    arrow(axes, (_WALL, -0.5), (1.9, -0.5), "sleeve.force_x", FORCE)
    arrow(axes, (-0.5, _WALL - 0.1), (-0.5, 1.8), "sleeve.force_y", FORCE, (-90, 0))
    arc(axes, (0, 0), 1.45, (np.radians(178), np.radians(222)), "sleeve.torque", FORCE, (-88, -14))
    axes.annotate("sleeve", (-0.21, -1.2), color=EDGE)
    axes_cross(axes, (-2.8, -1.6), 0.4)
    axes.set_xlim(-3.0, 3.6)
    axes.set_ylim(-1.8, 2.0)


def _motion(axes: Axes, journal: np.ndarray) -> None:
    for reach, place, name in (
        ((0.45, 0.0), (1.75, 0.05), "journal.x, journal.x_rate"),
        ((0.0, 0.45), (-2.9, 1.1), "journal.y, journal.y_rate"),
    ):
        tip = journal + reach
        arrow(axes, journal, tip, "", MOTION)
        side = 0 if place[0] > 0 else 1
        axes.annotate(name, tuple(tip), place, color=MOTION, arrowprops=_lead(side, MOTION))
    turn = (np.radians(150), np.radians(250))
    arc(axes, journal, 0.42, turn, "", MOTION)
    left = journal + 0.42 * np.array([np.cos(np.radians(180)), np.sin(np.radians(180))])
    axes.annotate(
        "journal.angle", tuple(left), (-2.9, 0.15), color=MOTION, arrowprops=_lead(1, MOTION)
    )


def _clearance(axes: Axes) -> None:
    """Draw the journal where it is concentric, and its distance c to the sleeve."""
    axes.add_patch(Circle((0, 0), _JOURNAL, fill=False, edgecolor=EDGE, linestyle=":", linewidth=1))
    down = np.array([np.cos(np.radians(250)), np.sin(np.radians(250))])
    ends = [radius * down for radius in (_JOURNAL, _SLEEVE)]
    both = {"arrowstyle": "<|-|>", "color": EDGE, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 8}
    axes.annotate("", tuple(ends[1]), tuple(ends[0]), arrowprops=both)
    axes.annotate(
        "c", tuple((ends[0] + ends[1]) / 2), (7, -4), textcoords="offset points", color=EDGE
    )


def _lead(side: float, color: str = FORCE) -> dict[str, object]:
    """Return a line from a name's left (0) or right (1) side that ends at what it names."""
    return {
        "arrowstyle": "-", "color": color, "linewidth": 0.6, "relpos": (side, 0.4), "shrinkB": 1,
    }  # fmt: skip
