"""Still pictures by Matplotlib: forms in parallel projection, sorted by depth, lightly shaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mbcore.drawing import annotation
from mbcore.drawing.layout import Layout, Parts, fitted, places_of_names, texts_of
from mbcore.drawing.projection.camera import Camera, camera
from mbcore.drawing.solids import draw_forms, draw_grounds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

UNITS = {"force": "N", "moment": "N.m", "motion": "m/s"}
WIDTH, HEIGHT = 6.4, 5.0
"""Width and height at most of what is seen, inches."""
TITLE, TRIAD, LINE = 0.3, 0.75, 0.16
"""Room for a title, for the axes and for a line of text, inches."""


def draw_still(
    description: Mapping[str, Any],
    numbers: np.ndarray,
    layout: Layout,
    *,
    trails: Sequence[tuple[str, np.ndarray]] = (),
    caption: str = "",
) -> Figure:
    """Draw a scene at one moment.

    Parameters
    ----------
    description : mapping
        Of `mbcore.drawing.scene.Scene`.
    numbers : ndarray, shape (n,)
    trails : sequence of (str, ndarray)
        Colours and paths, each shape (nt, 3).
    caption : str
        Words behind the name in the title.

    Returns
    -------
    Figure
        Not shown and not saved; call ``figure.savefig``.
    """
    layout = layout if layout.reach is not None else fitted(description, numbers[None, :], layout)
    figure, axes = empty_figure(description, layout)
    draw_on(axes, description, numbers, layout, trails=trails, caption=caption)
    return figure


def empty_figure(description: Mapping[str, Any], layout: Layout) -> tuple[Figure, Axes]:
    """Return a figure of the size that a fitted layout needs, and its axes."""
    from matplotlib.figure import Figure

    area = Area(description, layout)
    width, height = (area.high - area.low) / area.inch
    figure = Figure(figsize=(width, height + TITLE))
    return figure, figure.add_axes((0.0, 0.0, 1.0, height / (height + TITLE)))


class Area:
    """The area that a picture shows.

    Attributes
    ----------
    box : pair of ndarray, each shape (2,)
        Corners of the drawn scene with a margin, m.
    inch : float
        Length that an inch of the picture stands for, m.
    low, high : ndarray, shape (2,)
        Corners of the picture, with margins for names, axes and scales, m.
    """

    def __init__(self, description: Mapping[str, Any], layout: Layout) -> None:
        low, high = self.box = _box(description, layout)
        self.inch = float(max((high[0] - low[0]) / WIDTH, (high[1] - low[1]) / HEIGHT))
        below = self.inch * (TRIAD if layout.axes else 0.4 if layout.scales else 0.0)
        below += self.inch * LINE * max(len(layout.notes) - 3, 0)
        side = self.inch * layout.side_margin
        self.low, self.high = low - np.array([side, below]), high + np.array([side, 0.0])


def _box(description: Mapping[str, Any], layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners of the drawn scene with a margin, m."""
    assert layout.reach is not None
    eye = camera(layout.view, description["planar"], description["up"])
    places = [eye.flat(layout.reach)]
    for plane in layout.grounds:
        drawn = annotation.ground(plane, layout.reach, description["size"])
        places.append(eye.flat(drawn.outline))
    found = np.concatenate(places)
    low, high = found.min(axis=0), found.max(axis=0)
    margin = 0.05 * max(description["size"], float((high - low).max()))
    least = 0.12 * float((high - low).max())  # a straight mechanism has no extent across
    middle, half = (low + high) / 2, np.maximum((high - low) / 2, least)
    return middle - half - margin, middle + half + margin


def draw_on(
    axes: Axes,
    description: Mapping[str, Any],
    numbers: np.ndarray,
    layout: Layout,
    *,
    trails: Sequence[tuple[str, np.ndarray]] = (),
    caption: str = "",
    behind: bool = False,
    before: bool = False,
) -> None:
    """Draw a scene at one moment on axes of a figure; `draw_still` says with what.

    Parameters
    ----------
    behind, before : bool
        Whether it is the background or the foreground of two pictures; shared parts are drawn once.
    """
    if not before:
        draw_under(axes, description, numbers, layout)
    draw_scene(axes, description, numbers, layout, trails=trails)
    if not behind:
        area = Area(description, layout)
        draw_around(axes, description, numbers, layout, area)
        draw_title(axes, description, area, caption)


def draw_under(
    axes: Axes, description: Mapping[str, Any], numbers: np.ndarray, layout: Layout
) -> None:
    """Draw the ground, which stays as it is while the layout does."""
    eye = camera(layout.view, description["planar"], description["up"])
    assert layout.reach is not None
    draw_grounds(axes, Parts(description, numbers), eye, layout.reach)


def draw_scene(
    axes: Axes,
    description: Mapping[str, Any],
    numbers: np.ndarray,
    layout: Layout,
    *,
    trails: Sequence[tuple[str, np.ndarray]] = (),
) -> None:
    """Draw what moves; arguments are those of `draw_on`."""
    eye = camera(layout.view, description["planar"], description["up"])
    parts, size = Parts(description, numbers), float(description["size"])
    for tint, path in trails:
        annotation.draw_line(axes, eye.flat(path), tint, 1.1, 1.5, alpha=0.75)
    draw_forms(axes, parts, eye)
    if description["planar"]:
        annotation.draw_dots(axes, [(eye.flat(n), shape) for shape, n in parts.of("dot")])
    for shape, n in parts.of("arrow"):
        vector = layout.scales.get(shape["of"], 0.0) * eye.flat(n[3:])
        annotation.draw_arrow(axes, eye.flat(n[:3]), vector, shape["of"], shape["colour"], size)


def draw_around(
    axes: Axes,
    description: Mapping[str, Any],
    numbers: np.ndarray,
    layout: Layout,
    area: Area,
) -> None:
    """Draw names, the directions of the axes and the scales of arrows, and set the limits."""
    eye = camera(layout.view, description["planar"], description["up"])
    parts = Parts(description, numbers)
    if layout.names:
        _draw_names(axes, parts, layout, eye, area)
    _draw_legends(axes, parts, layout, eye, area)
    axes.set_xlim(area.low[0], area.high[0])
    axes.set_ylim(area.low[1], area.high[1])
    axes.set_axis_off()


def draw_title(axes: Axes, description: Mapping[str, Any], area: Area, caption: str) -> Text:
    """Write the title above the picture, and return it."""
    return axes.text(
        (area.low[0] + area.high[0]) / 2,
        area.high[1],
        f"{description['name']}{caption}",
        ha="center",
        va="bottom",
        fontsize=10,
        color=annotation.INK,
    )


def _draw_names(axes: Axes, parts: Parts, layout: Layout, eye: Camera, area: Area) -> None:
    texts, places = texts_of(parts, layout), places_of_names(parts)
    inch = area.inch
    names = [(text, eye.flat(places[name])) for name, text in texts.items()]
    annotation.draw_names(axes, names, *area.box, LINE * inch)
    for i, note in enumerate(layout.notes):
        y = area.low[1] + inch * LINE * (len(layout.notes) - i - 0.3)
        x = area.box[0][0] + 1.4 * inch
        axes.text(x, y, note, fontsize=8, color=annotation.INK, va="center")


def _draw_legends(axes: Axes, parts: Parts, layout: Layout, eye: Camera, area: Area) -> None:
    """Draw axes and the scales of arrows below."""
    low, inch = area.box[0], area.inch
    kinds = [of for of in UNITS if of in layout.scales and _has_arrows(parts, of)]
    if layout.axes:
        corner = low + inch * np.array([0.35, 0.28 - TRIAD])
        annotation.draw_triad(axes, corner, 0.42 * inch, eye, parts.description["planar"])
    x, y = low[0] + (1.4 if layout.axes else 0.2) * inch, low[1] - 0.25 * inch
    for of in kinds:
        value = annotation.nice(0.8 * inch / layout.scales[of])
        length = layout.scales[of] * value
        tint = next(s["colour"] for s, _ in parts.all if s["kind"] == "arrow" and s["of"] == of)
        size = float(parts.description["size"])
        annotation.draw_arrow(axes, np.array([x, y]), np.array([length, 0]), of, tint, size)
        text = f"{of} {value:g} {UNITS[of]}"
        axes.text(x + length + 0.1 * inch, y, text, va="center", fontsize=8, color=annotation.INK)
        x += length + 1.6 * inch


def _has_arrows(parts: Parts, of: str) -> bool:
    return any(shape["of"] == of for shape, _ in parts.of("arrow"))
