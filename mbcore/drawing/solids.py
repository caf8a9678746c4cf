"""Forms of a scene on the axes of a figure: sorted by depth, lightly shaded, with shadows.

Used by `mbcore.drawing.still` alone; it stands apart because it is geometry of solids on a page,
whatever scene they are in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

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
    """Draw the visible part of infinite planes, with the shadows of bodies above them."""
    for plane in parts.grounds():
        ground = annotation.ground(plane, reach, parts.description["size"])
        annotation.draw_ground(axes, ground, eye)
        above = [
            face.places
            for solid, m in parts.of("tube", "disc", "box", "ball")
            for face in faces_of(solid["kind"], solid, solid["colour"], m, eye)
            if face.face is not None
        ]
        fallen = [eye.flat(places) for places in annotation.shadows(plane, above)]
        tints = [annotation.SHADOW] * len(fallen)
        _add(axes, fallen, tints, tints, None, 0.5)


def draw_faces(axes: Axes, parts: Parts, eye: Camera) -> None:
    """Draw the faces of all forms, those farther away first."""
    flat = abs(eye.towards[2]) > 1 - 1e-9 and parts.description["planar"]
    layers: dict[int, list[Face]] = defaultdict(list)
    for i, (shape, n) in enumerate(parts.all):
        if not np.isfinite(n).all():
            continue
        if shape["kind"] == "dot" and not parts.description["planar"]:
            radius = DOT * parts.description["size"]
            solid = dot_faces(n, shape, shape["colour"], radius, eye)
        else:
            solid = faces_of(shape["kind"], shape, shape["colour"], n, eye)
        layer = i if flat else 0  # in the plane, later elements are above earlier ones
        if shape["kind"] == "surface" and not shape.get("closed"):
            layer = -1  # a ground lies behind all that stands on it
        layers[layer] += solid
    faces = [face for layer in sorted(layers) for face in far_to_near(layers[layer], eye)]
    _add(
        axes,
        [eye.flat(face.places) for face in faces],
        [face.face if face.face is not None else "none" for face in faces],
        [face.edge if face.edge is not None else "none" for face in faces],
        [face.width for face in faces],
        2.0,
    )


def _add(
    axes: Axes,
    outlines: Sequence[np.ndarray],
    insides: Sequence[Any],
    edges: Sequence[Any],
    widths: Sequence[float] | None,
    order: float,
) -> None:
    from matplotlib.collections import PolyCollection

    if outlines:
        axes.add_collection(
            PolyCollection(
                list(outlines),
                facecolors=list(insides),
                edgecolors=list(edges),
                linewidths=0.3 if widths is None else list(widths),
                joinstyle="round",
                capstyle="round",
                zorder=order,
            ),
            autolim=False,
        )
