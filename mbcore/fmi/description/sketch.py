"""Small drawings for FMUs' pages: arrows with names, and the axes' directions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch

Place = Sequence[float] | np.ndarray
"""Two coordinates."""

MOTION, FORCE, ANGLE = "#a40000", "#4e9a06", "#5c3566"
"""Colours of prescribed motions and loads, of calculated forces, of angles and deflections."""
BODY, EDGE = "#dbe7f3", "#204a87"
"""Colours of bodies and their edges."""


def arrow(
    axes: Axes,
    start: Place,
    end: Place,
    text: str,
    color: str = "black",
    offset: tuple[float, float] = (4, 3),
) -> None:
    """Draw an arrow from start to end with a name at its head, ``offset`` points away."""
    axes.add_patch(
        FancyArrowPatch(
            (start[0], start[1]), (end[0], end[1]), arrowstyle="-|>", mutation_scale=13, color=color
        )
    )
    axes.annotate(text, (end[0], end[1]), xytext=offset, textcoords="offset points", color=color)


def arc(
    axes: Axes,
    centre: Place,
    radius: float,
    angles: tuple[float, float],
    text: str,
    color: str = ANGLE,
    offset: tuple[float, float] = (4, 3),
) -> None:
    """Draw an angle as an arc with a head, from the first to the second of ``angles`` (rad).

    The name stands ``offset`` points away from the arc's middle.
    """
    turn = np.linspace(*angles, 40)
    x, y = centre[0] + radius * np.cos(turn), centre[1] + radius * np.sin(turn)
    axes.plot(x[:-2], y[:-2], color=color, linewidth=1.2)
    axes.add_patch(
        FancyArrowPatch(
            (x[-6], y[-6]),
            (x[-1], y[-1]),
            arrowstyle="-|>",
            mutation_scale=11,
            color=color,
            shrinkA=0,
            shrinkB=0,
        )
    )
    middle = (x[20], y[20])
    axes.annotate(text, middle, xytext=offset, textcoords="offset points", color=color, va="center")


def axes_cross(axes: Axes, origin: Place, size: float) -> None:
    """Draw the directions of x (to the right) and y (up)."""
    x, y = origin
    arrow(axes, origin, (x + size, y), "x")
    arrow(axes, origin, (x, y + size), "y")
