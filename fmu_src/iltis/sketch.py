"""Drawings of the ILTIS for its FMU's page: the vehicle from above, one suspension from behind."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

from mbcore.fmi.description.sketch import ANGLE, BODY, EDGE, FORCE, MOTION, arrow

from .data import AXLES, GROUND, HardPoints, hard_points

TYRE, RAIL, GREY = "#333333", "#c17d11", "#888888"
HALF_TRACK = 0.615
BESIDE, SCALE = 4.35, 2.6
"""Where the middle of the vehicle is in the suspension's drawing, and how much larger that is."""
NOTE = 8.5
"""Size of the texts."""

Place = tuple[float, float]


def _rod(axes: Axes, *places: Place, color: str = EDGE, width: float = 3) -> None:
    axes.plot(*np.array(places).T, color=color, linewidth=width, solid_capstyle="round")


def _note(axes: Axes, place: Place, text: str, color: str = "black", side: str = "left") -> None:
    axes.text(*place, text, color=color, fontsize=NOTE, ha=side, va="center")


def icon(axes: Axes) -> None:
    """Draw the vehicle from the right side."""
    axes.add_patch(Rectangle((-1.5, -0.25), 2.95, 0.5, facecolor=BODY, edgecolor=EDGE))
    axes.add_patch(Rectangle((-1.5, 0.25), 1.7, 0.55, facecolor="white", edgecolor=EDGE))
    for x in AXLES.values():
        axes.add_patch(Circle((x, GROUND + 0.36), 0.36, color=TYRE))
        axes.add_patch(Circle((x, GROUND + 0.36), 0.17, color="white"))
    _rod(axes, (-1.8, GROUND), (1.8, GROUND), color=GREY, width=1.5)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_xlim(-1.9, 1.9)
    axes.set_ylim(-1.75, 2.05)


def _vehicle(axes: Axes) -> None:
    """Draw cabin, wheels, rack and tie rods from above, x upwards and y to the left."""
    axes.add_patch(Rectangle((-0.36, -1.5), 0.72, 2.85, facecolor=BODY, edgecolor=EDGE))
    for axle, x in AXLES.items():
        for side in (1, -1):
            y = side * HALF_TRACK
            axes.add_patch(Rectangle((-y - 0.09, x - 0.36), 0.18, 0.72, color=TYRE))
            at = hard_points(axle, side)
            inner, outer = at.tie_rod_rack, at.tie_rod_carrier
            _rod(axes, (-inner[1], inner[0]), (-outer[1], outer[0]), color=RAIL, width=2)
            _rod(axes, (-outer[1], outer[0]), (-y, x), color="black", width=2)
    rack = hard_points("front", 1).tie_rod_rack[0]
    _rod(axes, (-0.2, rack), (0.2, rack), color=RAIL, width=5)


def _signs(axes: Axes) -> None:
    """Draw axes, inputs and outputs into the vehicle from above."""
    arrow(axes, (0, 0), (0, 0.55), "", "black")
    arrow(axes, (0, 0), (-0.5, 0), "", "black")
    axes.plot(0, 0, "o", color="black", markersize=5)
    _note(axes, (0.05, 0.5), "x")
    _note(axes, (-0.5, 0.1), "y")
    _note(axes, (0.05, -0.12), "z up")
    _note(axes, (0, 1.18), "front", side="center")
    _note(axes, (0, -1.4), "rear", side="center")
    arrow(axes, (0, 1.38), (0, 1.85), "", MOTION)
    _note(axes, (0.07, 1.75), "cabin.speed", MOTION)
    x = hard_points("front", 1).tie_rod_rack[0]
    arrow(axes, (0.17, x - 0.1), (-0.22, x - 0.1), "", MOTION)
    _note(axes, (-0.8, x - 0.42), "rack.displacement", MOTION, "right")
    axes.plot((-0.77, -0.24), (x - 0.4, x - 0.13), color=MOTION, linewidth=0.7)
    arrow(axes, (0.85, 0), (0.4, 0), "", MOTION)
    _note(axes, (0.9, 0), "wind.force_y", MOTION)
    for (axle, place), (side, name) in (
        ((axle, place), pair)
        for axle, place in AXLES.items()
        for pair in ((1, "left"), (-1, "right"))
    ):
        _note(
            axes,
            (-0.75 * side, place - 0.25 if side > 0 else place),
            f"{axle}_{name}",
            TYRE,
            "right" if side > 0 else "left",
        )
    front = AXLES["front"]
    arrow(axes, (-HALF_TRACK, front), (-1.1, front), "", FORCE)
    _note(axes, (-1.13, front), "side_force", FORCE, "right")
    arrow(axes, (-HALF_TRACK, front + 0.3), (-HALF_TRACK, 1.75), "", FORCE)
    _note(axes, (-0.7, 1.65), "longitudinal_force", FORCE, "right")


def _seen(place: tuple[float, float, float]) -> Place:
    """Return where a place is seen from behind, y to the left."""
    return BESIDE - SCALE * place[1], SCALE * place[2] + 0.25


def _suspension(axes: Axes, at: HardPoints) -> None:
    """Draw a suspension from behind."""
    wheel, width = _seen(at.wheel_centre), 0.17 * SCALE
    radius = SCALE * at.radius
    corner = (wheel[0] - width / 2, wheel[1] - radius)
    axes.add_patch(Rectangle(corner, width, 2 * radius, color=TYRE, alpha=0.25))
    top = _seen((0, 0.34, 0.09))
    axes.add_patch(
        Rectangle(
            (top[0], _seen(at.arm_pivot)[1] - 0.1),
            BESIDE + 0.1 - top[0],
            top[1] - _seen(at.arm_pivot)[1] + 0.1,
            facecolor=BODY,
            edgecolor="none",
        )
    )
    for place in (at.arm_ball, at.leaf_ball):
        _rod(axes, wheel, _seen(place), color="black", width=4)
    for begin, end, color, thick in (
        (at.arm_pivot, at.arm_ball, EDGE, 4),
        (at.leaf_pivot, at.leaf_ball, EDGE, 2.5),
        (at.damper_cabin, at.damper_arm, ANGLE, 2.5),
    ):
        _rod(axes, _seen(begin), _seen(end), color=color, width=thick)
    rod = [np.array(_seen(place)) + (0, 0.05) for place in (at.tie_rod_rack, at.tie_rod_carrier)]
    _rod(axes, tuple(rod[0]), tuple(rod[1]), color=RAIL, width=2.5)
    for place in (at.arm_pivot, at.leaf_pivot, at.damper_cabin):
        axes.plot(*_seen(place), "o", color="black", markersize=5)
    _rod(axes, (corner[0] - 0.35, corner[1]), (BESIDE + 0.1, corner[1]), color=GREY, width=1.5)


def _parts(axes: Axes, at: HardPoints) -> None:
    """Name the parts of the suspension, and its signs."""
    wheel = _seen(at.wheel_centre)
    ground = wheel[1] - SCALE * at.radius
    for text, place, to, color in (
        ("tie rod", _seen((0, 0.28, 0.0)), (3.65, 1.05), RAIL),
        ("leaf spring", _seen((0, 0.3, 0.0)), (4.45, -0.1), EDGE),
        ("shock absorber", _seen((0, 0.4, -0.14)), (4.45, -0.42), ANGLE),
        ("arm", _seen((0, 0.36, -0.29)), (4.45, -0.75), EDGE),
        ("carrier", _seen((0, 0.55, -0.13)), (2.2, 0.85), "black"),
        ("cabin", _seen((0, 0.05, 0.05)), (4.45, 0.35), EDGE),
    ):
        axes.annotate(
            text,
            place,
            to,
            color=color,
            fontsize=NOTE,
            va="center",
            arrowprops={"arrowstyle": "-", "color": color, "linewidth": 0.7},
        )
    arrow(axes, (wheel[0], ground - 0.45), (wheel[0], ground), "", FORCE)
    _note(axes, (wheel[0] + 0.08, ground - 0.3), "load", FORCE)
    arrow(axes, (wheel[0] + 0.9, ground - 0.45), (wheel[0] + 0.9, ground), "", MOTION)
    _note(axes, (wheel[0] + 0.98, ground - 0.3), "road_height", MOTION)
    arrow(axes, (wheel[0] - 0.35, wheel[1] - 0.2), (wheel[0] - 0.35, wheel[1] + 0.3), "", ANGLE)
    _note(axes, (wheel[0] - 0.42, wheel[1] + 0.05), "travel", ANGLE, "right")


def picture(axes: Axes) -> None:
    """Draw the vehicle from above with its axes and signs, and one suspension from behind."""
    at = hard_points("front", 1)
    _vehicle(axes)
    _signs(axes)
    _suspension(axes, at)
    _parts(axes, at)
    _note(axes, (0, -1.95), "from above", side="center")
    _note(axes, (3.4, -1.95), "front left suspension, from behind", side="center")
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_xlim(-2.1, 5.4)
    axes.set_ylim(-2.1, 1.95)
