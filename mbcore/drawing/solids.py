"""Forms of a scene on the axes of a figure: sorted by depth, lightly shaded, with shadows.

Used by `mbcore.drawing.still` alone; it stands apart because it is geometry of solids on a page,
whatever scene they are in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from mbcore.drawing import annotation
from mbcore.drawing.layout import Parts
from mbcore.drawing.projection.camera import Camera
from mbcore.drawing.projection.faces import Face, dot_faces, faces_of
from mbcore.drawing.projection.order import far_to_near

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DOT = 0.008
"""Radius of a point in space, in parts of the scene's size."""


def draw_grounds(axes: Axes, parts: Parts, eye: Camera, reach: np.ndarray) -> None:
    """Draw the visible part of infinite planes."""
    for plane in parts.grounds():
        annotation.draw_ground(
            axes, annotation.ground(plane, reach, parts.description["size"]), eye
        )


def draw_forms(axes: Axes, parts: Parts, eye: Camera) -> None:
    """Draw the faces of all forms, those farther away first, and their shadows on the ground."""
    flat = abs(eye.towards[2]) > 1 - 1e-9 and parts.description["planar"]
    layers: dict[int, list[Face]] = defaultdict(list)
    above: list[np.ndarray] = []
    for i, (shape, n) in enumerate(parts.all):
        if not np.isfinite(n).all():
            continue
        if shape["kind"] == "dot" and not parts.description["planar"]:
            radius = DOT * parts.description["size"]
            solid = [*dot_faces(n, shape, shape["colour"], radius, eye)]
        else:
            solid = [*faces_of(shape["kind"], shape, shape["colour"], n, eye)]
        if shape["kind"] in ("tube", "disc", "box", "ball"):
            above += [face.places for face in solid if face.face is not None]
        layer = i if flat else 0  # in the plane, later elements are above earlier ones
        if shape["kind"] == "surface" and not shape.get("closed"):
            layer = -1  # a ground lies behind all that stands on it
        layers[layer] += solid
    for plane in parts.grounds():
        _draw_shadow(axes, annotation.shadows(plane, above), eye)
    _draw_faces(axes, [f for k in sorted(layers) for f in far_to_near(layers[k], eye)], eye)


def _draw_shadow(axes: Axes, fallen: Sequence[np.ndarray], eye: Camera) -> None:
    """Draw shadows as one area, so that none is darker where two overlap."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    if not fallen:
        return
    loops = [_closed(outline) for outline in _flat(fallen, eye)]
    loops = [
        loop if area >= 0 else loop[::-1] for loop, area in zip(loops, _areas(loops), strict=True)
    ]
    whole = Path(np.concatenate(loops), np.concatenate([_codes(len(loop)) for loop in loops]))
    axes.add_artist(
        PathPatch(whole, facecolor=annotation.SHADOW, alpha=annotation.DIM, linewidth=0, zorder=1.0)
    )


def _draw_faces(axes: Axes, faces: Sequence[Face], eye: Camera) -> None:
    from matplotlib.collections import PathCollection
    from matplotlib.path import Path

    if not faces:
        return
    outlines = _flat([face.places for face in faces], eye)
    paths = [
        Path(_closed(line), _codes(len(line) + 1)) if len(line) > 2 else Path(line)
        for line in outlines
    ]
    axes.add_collection(
        PathCollection(
            paths,
            facecolors=_colours([face.face for face in faces]),
            edgecolors=_colours([face.edge for face in faces]),
            linewidths=[face.width for face in faces],
            joinstyle="round",
            capstyle="round",
            zorder=2.0,
        ),
        autolim=False,
    )


def _flat(outlines: Sequence[np.ndarray], eye: Camera) -> list[np.ndarray]:
    """Return outlines in the picture, all by one product: there are hundreds."""
    ends = np.cumsum([len(places) for places in outlines])[:-1]
    return np.split(eye.flat(np.concatenate(outlines)), ends)


def _closed(outline: np.ndarray) -> np.ndarray:
    return np.concatenate([outline, outline[:1]])


def _areas(loops: Sequence[np.ndarray]) -> np.ndarray:
    """Return twice the areas within closed outlines, negative where they go round clockwise."""
    x, y = np.concatenate(loops).T
    swept = np.append(x[:-1] * y[1:] - x[1:] * y[:-1], 0.0)
    ends = np.cumsum([len(loop) for loop in loops])
    swept[ends - 1] = 0.0  # from one outline to the next
    return np.asarray(np.add.reduceat(swept, np.concatenate([[0], ends[:-1]])))


@cache
def _codes(count: int) -> np.ndarray:
    """Return the commands of a closed outline: the last place is the first one again."""
    from matplotlib.path import Path

    codes = np.full(count, Path.LINETO, dtype=Path.code_type)
    codes[[0, -1]] = Path.MOVETO, Path.CLOSEPOLY
    return codes


def _colours(tints: Sequence[tuple[float, ...] | None]) -> np.ndarray:
    """Return colours with their opacity, shape (n, 4); those that are None cannot be seen."""
    return np.array([(*tint, 1.0) if tint is not None else (0.0,) * 4 for tint in tints])
