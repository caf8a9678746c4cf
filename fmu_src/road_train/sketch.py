"""Drawings of the train for its FMU's page, seen from above."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

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

_WHEELBASE, _HITCH, _DRAWBAR = 1.0, 0.25, 1.25


def _box(
    axes: Axes, middle: np.ndarray, size: tuple[float, float], angle: float, colour: str, edge: str
) -> None:
    axes.add_patch(
        Rectangle(
            (middle[0] - size[0] / 2, middle[1] - size[1] / 2),
            *size,
            angle=np.degrees(angle),
            rotation_point="center",
            facecolor=colour,
            edgecolor=edge,
        )
    )


def _axle(axes: Axes, middle: np.ndarray, body: float, wheel: float) -> None:
    """Draw both wheels of an axle."""
    across = np.array([-np.sin(body), np.cos(body)])
    for side in (-1, 1):
        _box(axes, middle + side * 0.28 * across, (0.28, 0.1), wheel, "#333333", "#333333")


def _train(axes: Axes, steer: float, angles: tuple[float, ...]) -> list[np.ndarray]:
    """Draw a train; return the middles of its axles and its hitches, one after another."""
    place, heading = np.zeros(2), 0.0
    _box(axes, place + [0.45, 0], (1.35, 0.5), 0.0, BODY, EDGE)
    _axle(axes, place + [_WHEELBASE, 0], 0.0, steer)
    _axle(axes, place, 0.0, 0.0)
    found = [place]
    for turn in angles:
        hitch = place - _HITCH * np.array([np.cos(heading), np.sin(heading)])
        axes.plot(*np.column_stack([place, hitch]), color=EDGE, linewidth=2)
        heading += turn
        ahead = np.array([np.cos(heading), np.sin(heading)])
        place = hitch - _DRAWBAR * ahead
        axes.plot(*np.column_stack([place, hitch]), color=EDGE, linewidth=2)
        _box(axes, place + 0.25 * ahead, (1.2, 0.5), heading, BODY, EDGE)
        _axle(axes, place, heading, heading)
        axes.plot(*hitch, "o", color=EDGE, markersize=5)
        found += [hitch, place]
    axes.set_aspect("equal")
    axes.set_axis_off()
    return found


def icon(axes: Axes) -> None:
    """Draw the train from above."""
    _train(axes, 0.4, (-0.5,))
    axes.set_xlim(-2.2, 1.5)
    axes.set_ylim(-1.2, 2.2)


def picture(axes: Axes) -> None:
    """Draw the train with its axes and signs."""
    steer, turn = 0.35, 0.45
    base, hitch, trailer = _train(axes, steer, (turn,))
    leader = {"arrowstyle": "-", "color": "black", "linewidth": 0.6}
    axes.plot(*trailer, "o", color=EDGE, markersize=4)
    axes.plot(*base, "o", color=EDGE, markersize=4)
    axes.annotate(
        "base.x, base.y", tuple(base), (12, -58), textcoords="offset points", arrowprops=leader
    )
    front = base + [_WHEELBASE, 0]
    arrow(axes, base, base + [0.7, 0], "base.speed", MOTION, (-42, 5))
    arrow(axes, front + [0.25, 0], front + [0.65, 0], "drive.force", MOTION, (4, -12))
    end = front + 0.9 * np.array([np.cos(steer), np.sin(steer)])
    axes.plot(*np.column_stack([front, end]), color=ANGLE, linewidth=0.8, linestyle="--")
    arc(axes, front, 0.75, (0.0, steer), "steer.angle", ANGLE, (8, 6))
    back = hitch - [1.1, 0]
    axes.plot(*np.column_stack([hitch, back]), color=ANGLE, linewidth=0.8, linestyle="--")
    arc(axes, hitch, 0.9, (np.pi, np.pi + turn), "trailer_1.angle", ANGLE, (-126, 12))
    across = np.array([-np.sin(turn), np.cos(turn)])
    start = trailer + 0.35 * across
    arrow(axes, start, start + 0.45 * across, "trailer_1.force_y", FORCE, (-60, 6))
    arrow(axes, base + [0, 0.35], base + [0, 0.8], "rear.force_y", FORCE)
    axes.annotate(
        "trailer_1.x, .y",
        tuple(trailer),
        (24, -44),
        textcoords="offset points",
        color="black",
        arrowprops=leader,
    )
    axes_cross(axes, (-2.6, -1.2), 0.35)
    axes.set_xlim(-2.9, 2.6)
    axes.set_ylim(-1.35, 1.1)
