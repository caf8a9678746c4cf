"""Annotations of a picture: grounds, supports, centres of mass, arrows, axes and names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mbcore.drawing.projection.camera import Camera
from mbcore.drawing.projection.faces import INK, colour, lit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GRID, GRID_FILL, SHADOW = "#d3d7ce", "#f5f6f2", "#1c2a10"
DIM = 0.09
"""Opacity of a shadow, below which the grid is seen."""
AXIS_COLOURS = ("#a8443a", "#4d7d4d", "#3f6791")
"""Of x, y and z."""
FEW = 60
"""Number of points above which they are drawn smaller."""
FRONT = 10.0
"""Drawing order of annotations, which lie over the bodies."""


def nice(size: float) -> float:
    """Return the largest of 1, 2, 5 times a power of ten that is at most ``size``."""
    power = 10.0 ** np.floor(np.log10(size))
    return float(power * max(m for m in (1, 2, 5) if m * power <= size * (1 + 1e-12)))


@dataclass(frozen=True)
class Ground:
    """The visible part of an infinite plane, drawn as a grid.

    Attributes
    ----------
    outline : ndarray, shape (4, 3)
    lines : list of ndarray, each shape (2, 3)
    """

    outline: np.ndarray
    lines: list[np.ndarray]


def ground(plane: np.ndarray, reach: np.ndarray, size: float) -> Ground:
    """Return the part of a plane under all places of ``reach``, shape (n, 3).

    Parameters
    ----------
    plane : ndarray, shape (3, 3)
        Three of its places.
    """
    origin, _, first, second = _plane(plane)
    spacing = nice(size / 6)
    local = np.column_stack([(reach - origin) @ first, (reach - origin) @ second])
    low = np.floor((local.min(axis=0) - 0.08 * size) / spacing) * spacing
    high = np.ceil((local.max(axis=0) + 0.08 * size) / spacing) * spacing
    corners = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
    lines = []
    for k, (one, other) in enumerate(((first, second), (second, first))):
        count = round((high[k] - low[k]) / spacing)
        for level in np.linspace(low[k], high[k], count + 1):
            ends = [origin + level * one + end * other for end in (low[1 - k], high[1 - k])]
            lines.append(np.array(ends))
    return Ground(np.array([origin + a * first + b * second for a, b in corners]), lines)


def draw_ground(axes: Axes, drawn: Ground, camera: Camera) -> None:
    """Draw the visible part of an infinite plane."""
    from matplotlib.collections import LineCollection

    outline = camera.flat(drawn.outline)
    axes.fill(*outline.T, facecolor=GRID_FILL, edgecolor="none", zorder=0)
    lines = [camera.flat(ends) for ends in drawn.lines]
    grid = LineCollection(lines, colors=GRID, linewidths=0.6, zorder=0.6)
    axes.add_collection(grid, autolim=False)


def shadows(plane: np.ndarray, outlines: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return outlines, shape (n, 3) each, moved along a plane's normal onto it."""
    origin, normal, _, _ = _plane(plane)
    return [places - np.outer((places - origin) @ normal, normal) for places in outlines]


def _plane(plane: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    a, b, c = plane
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal)
    first = np.eye(3)[int(np.argmin(np.abs(normal)))]
    first = first - (first @ normal) * normal
    first /= np.linalg.norm(first)
    origin = a - ((a @ first) * first + (a @ np.cross(normal, first)) * np.cross(normal, first))
    return origin, normal, first, np.cross(normal, first)


def draw_dots(axes: Axes, dots: Sequence[tuple[np.ndarray, Mapping[str, Any]]]) -> None:
    """Draw points of a planar scene: supports, hinges, centres of mass and others.

    Parameters
    ----------
    dots : sequence of (ndarray, mapping)
        Positions in the picture, and the details of each point.
    """
    from matplotlib.path import Path

    found: dict[str, list[np.ndarray]] = {"hinge": [], "centre": []}
    for place, details in dots:
        mark = details.get("mark", "")
        if mark in ("", *found):
            found.setdefault(mark or details["colour"], []).append(place)
            continue
        _draw_support(axes, place, mark)
        if mark != "clamp":
            found["hinge"].append(place)
    part = min(1.0, FEW / max(len(dots), 1))
    for kind, places in found.items():
        if not places:
            continue
        x, y = np.array(places).T
        if kind in ("hinge", "centre"):
            area, edge = 26 * part if kind == "hinge" else 42 * part, 1.1 * part
            axes.scatter(x, y, s=area, color="white", edgecolors=INK, linewidths=edge, zorder=FRONT)
        else:
            size, edge = 14 * part, 0.5 * part
            axes.scatter(
                x, y, s=size, color=kind, edgecolors="white", linewidths=edge, zorder=FRONT
            )
        if kind == "centre":
            for first in (0, 180):
                wedge: Any = Path.wedge(first, first + 90)
                axes.scatter(x, y, s=area, marker=wedge, color=INK, linewidths=0, zorder=FRONT)


def _draw_support(axes: Axes, place: np.ndarray, mark: str) -> None:
    """Draw a support: a fixed hinge, a clamp, or a slider along x or y."""
    from matplotlib.path import Path

    x, y = place

    def draw(points: list[tuple[float, float]], area: float, **style: Any) -> None:
        codes = [Path.MOVETO, Path.LINETO] * (len(points) // 2) if "color" in style else None
        shape: Any = Path(points, codes)
        axes.scatter(x, y, s=area, marker=shape, linewidths=0.9, zorder=4, **style)

    filled = {"facecolor": "#dfe3e8", "edgecolors": INK}
    if mark == "support":
        draw([(0, 0), (-0.62, -1.0), (0.62, -1.0), (0, 0)], 520, **filled)
        draw(_hatch(-1.0), 940, color=INK)
    elif mark == "clamp":
        block = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5)]
        draw(block, 180, facecolor="#c9ced4", edgecolors=INK, hatch="/////")
    else:
        turned = mark == "slide_y"
        block = [(-0.75, -0.4), (0.75, -0.4), (0.75, 0.4), (-0.75, 0.4), (-0.75, -0.4)]
        draw([(q, p) if turned else (p, q) for p, q in block], 260, **filled)
        draw([(q, p) if turned else (p, q) for p, q in _hatch(-0.33)], 940, color=INK)


def _hatch(level: float) -> list[tuple[float, float]]:
    """Line segments of the hatching below a support."""
    segments = [(-1.0, level), (1.0, level)]
    for k in np.linspace(-0.9, 0.9, 6):
        segments += [(float(k), level), (float(k) - 0.28, level - 0.32)]
    return segments


def draw_arrow(
    axes: Axes, origin: np.ndarray, vector: np.ndarray, of: str, tint: str, size: float
) -> None:
    """Draw an arrow; an arrow of a moment has two heads."""
    from matplotlib.patches import Polygon

    length = float(np.linalg.norm(vector))
    if length < 1e-3 * size:
        return
    along = vector / length
    across = np.array([-along[1], along[0]])
    head = min(0.035 * size, 0.6 * length)
    tip = origin + vector
    edge = lit(colour(tint), 0.25)
    shaft = np.array([origin, tip - 0.8 * head * along])
    draw_line(axes, shaft, tint, 2.0, FRONT + 1)
    for back in (0.0, 0.75 * head) if of == "moment" else (0.0,):
        end = tip - back * along
        corners = np.array(
            [
                end,
                end - head * along + 0.36 * head * across,
                end - head * along - 0.36 * head * across,
            ]
        )
        axes.add_artist(
            Polygon(corners, facecolor=tint, edgecolor=edge, linewidth=0.4, zorder=FRONT + 1)
        )


def draw_line(
    axes: Axes, places: np.ndarray, tint: str, width: float, order: float, alpha: float = 1.0
) -> None:
    """Draw a line through places of the picture, shape (n, 2), without a change of its limits."""
    from matplotlib.lines import Line2D

    axes.add_artist(
        Line2D(
            *places.T,
            color=tint,
            linewidth=width,
            alpha=alpha,
            solid_capstyle="butt",
            zorder=order,
        )
    )


def draw_triad(axes: Axes, corner: np.ndarray, length: float, camera: Camera, planar: bool) -> None:
    """Draw the inertial axes in a corner of the picture."""
    low = np.minimum(camera.flat(np.eye(3)), 0).min(axis=0)
    corner = corner - 0.8 * length * low  # keeps an axis that points downwards in the picture
    for i, (name, tint) in enumerate(zip("xyz", AXIS_COLOURS, strict=True)):
        vector = length * camera.flat(np.eye(3)[i])
        if (planar and i == 2) or np.linalg.norm(vector) < 0.05 * length:
            continue
        axes.annotate(
            "",
            _pair(corner + vector),
            _pair(corner),
            arrowprops={
                "arrowstyle": "-|>",
                "color": tint,
                "linewidth": 1.4,
                "shrinkA": 0,
                "shrinkB": 0,
            },
            zorder=FRONT + 2,
        )
        at = corner + vector * (1 + 0.22 * length / np.linalg.norm(vector))
        x, y = _pair(at)
        axes.text(x, y, name, color=tint, ha="center", va="center", fontsize=9, zorder=FRONT + 2)


def draw_names(
    axes: Axes,
    names: Sequence[tuple[str, np.ndarray]],
    low: np.ndarray,
    high: np.ndarray,
    line: float,
) -> None:
    """Write names in columns at both sides of a picture, with leader lines.

    Parameters
    ----------
    names : sequence of (str, ndarray)
        Texts, and the positions that they label.
    low, high : ndarray, shape (2,)
        Corners of what is drawn.
    line : float
        Height of a line of text, m.
    """
    middle = (low + high) / 2
    gap = 0.3 * line
    left = [entry for entry in names if entry[1][0] <= middle[0]]
    right = [entry for entry in names if entry[1][0] > middle[0]]
    while abs(len(left) - len(right)) > 1:  # equal columns; the innermost change sides
        longer, shorter = (left, right) if len(left) > len(right) else (right, left)
        moved = min(longer, key=lambda entry: abs(entry[1][0] - middle[0]))
        longer.remove(moved)
        shorter.append(moved)
    for entries, x, side in ((left, low[0] - gap, "right"), (right, high[0] + gap, "left")):
        entries.sort(key=lambda entry: entry[1][1])
        heights = [line * (entry[0].count("\n") + 1.3) for entry in entries]
        spots = _spread([float(entry[1][1]) for entry in entries], heights, low[1], high[1])
        for (text, place), y in zip(entries, spots, strict=True):
            axes.annotate(
                text,
                _pair(place),
                (float(x), y),
                ha=side,
                va="center",
                fontsize=8,
                color=INK,
                arrowprops={"arrowstyle": "-", "color": "#8d949c", "linewidth": 0.6, "shrinkB": 2},
                zorder=FRONT + 3,
            )


def _pair(place: np.ndarray) -> tuple[float, float]:
    return float(place[0]), float(place[1])


def _spread(
    wanted: Sequence[float], heights: Sequence[float], low: float, high: float
) -> list[float]:
    """Shift positions as little as texts of these heights need to fit, in the same order."""
    spots: list[float] = []
    for i, y in enumerate(wanted):
        least = low if not i else spots[-1] + (heights[i - 1] + heights[i]) / 2
        spots.append(max(y, least))
    for i in range(len(spots) - 1, -1, -1):
        most = high if i + 1 == len(spots) else spots[i + 1] - (heights[i] + heights[i + 1]) / 2
        spots[i] = min(spots[i], most)
    return spots
