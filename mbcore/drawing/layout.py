"""Layout of a picture: view, scales and margins; and the shapes at one moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mbcore.drawing.ends import ends_of
from mbcore.drawing.projection.camera import View
from mbcore.model.errors import ModelError

LONGEST_ARROW = 0.18
"""Length of the longest arrow of each kind, in scene sizes."""
MOST_NAMES = 40
LETTER = 0.066
"""Width reserved for a letter, inches."""


@dataclass
class Layout:
    """How a scene is shown; the same layout serves all pictures of a motion.

    Attributes
    ----------
    view : str, pair of number or None
        See `mbcore.drawing.projection.camera.View`.
    axes : bool
        Whether the directions of x, y and z are shown.
    names : bool
        Whether elements are named.
    roles : mapping of str to str
        Text after the name of an element.
    scales : mapping of str to float
        Length of an arrow of one unit, by kind, m.
    reach : ndarray, shape (n, 3), optional
        Points that bound all pictures; those of one picture where absent.
    grounds : sequence of ndarray, each shape (3, 3)
        Three points of each infinite plane.
    side_margin : float
        Room for names at each side, inches.
    notes : sequence of str
        Lines below the picture.
    """

    view: View = None
    axes: bool = True
    names: bool = False
    roles: Mapping[str, str] = field(default_factory=dict)
    scales: Mapping[str, float] = field(default_factory=dict)
    reach: np.ndarray | None = None
    grounds: Sequence[np.ndarray] = ()
    side_margin: float = 0.0
    notes: Sequence[str] = ()


class Parts:
    """The shapes of a description with their numbers at one moment."""

    def __init__(self, description: Mapping[str, Any], numbers: np.ndarray) -> None:
        shapes = description["shapes"]
        ends = [shape["first"] for shape in shapes[1:]] + [description["numbers"]]
        self.description = description
        self.all = [
            (shape, numbers[shape["first"] : end]) for shape, end in zip(shapes, ends, strict=True)
        ]

    def of(self, *kinds: str) -> list[tuple[Mapping[str, Any], np.ndarray]]:
        """Shapes of some kinds that have numbers."""
        return [(s, n) for s, n in self.all if s["kind"] in kinds and np.isfinite(n).all()]

    def grounds(self) -> list[np.ndarray]:
        """Three places of each endless plane, shape (3, 3)."""
        return [n[:9].reshape(3, 3) for s, n in self.of("surface") if s.get("ground")]

    def reach(self) -> np.ndarray:
        """Places that the forms reach, shape (n, 3)."""
        found = [ends_of(s["kind"], s, n) for s, n in self.all if np.isfinite(n).all()]
        return np.concatenate(found) if found else np.zeros((0, 3))


def arrow_scales(description: Mapping[str, Any], frames: np.ndarray) -> dict[str, float]:
    """Return the length of an arrow of one unit by kind, m, so that the longest fits the scene.

    Parameters
    ----------
    frames : ndarray, shape (nt, n)
    """
    largest: dict[str, float] = {}
    for shape in description["shapes"]:
        if shape["kind"] == "arrow":
            vectors = frames[:, shape["first"] + 3 : shape["first"] + 6]
            sizes = np.linalg.norm(vectors, axis=1)
            top = float(sizes[np.isfinite(sizes)].max(initial=0.0))
            largest[shape["of"]] = max(top, largest.get(shape["of"], 0.0))
    long = LONGEST_ARROW * description["size"]
    return {of: long / top for of, top in largest.items() if top > 0}


def fitted(description: Mapping[str, Any], frames: np.ndarray, layout: Layout) -> Layout:
    """Return a layout fitted to all frames, shape (nt, n): with scales of arrows and margins.

    Raises
    ------
    ModelError
        If nothing has a finite place.
    """
    scales = layout.scales or arrow_scales(description, frames)
    places = []
    for numbers in frames:
        parts = Parts(description, numbers)
        places.append(parts.reach())
        for shape, n in parts.of("arrow"):
            places.append(np.array([n[:3], n[:3] + scales.get(shape["of"], 0.0) * n[3:]]))
    found = np.concatenate(places) if places else np.zeros((0, 3))
    found = found[np.isfinite(found).all(axis=1)]
    if not len(found):
        raise ModelError(f"{description['name']}: no shape has a finite place, so nothing is drawn")
    parts = Parts(description, frames[0])
    layout = replace(layout, scales=scales, reach=found, grounds=parts.grounds())
    if not layout.names:
        return layout
    texts = texts_of(parts, layout)
    longest = max((len(line) for text in texts.values() for line in text.split("\n")), default=0)
    left = {n: text for n, text in layout.roles.items() if n not in texts}
    notes = [f"{name}: " + text.replace("\n", " ") for name, text in left.items()]
    return replace(layout, side_margin=LETTER * longest + 0.3, notes=notes)


def places_of_names(parts: Parts) -> dict[str, np.ndarray]:
    """Return the point that each name labels."""
    places: dict[str, np.ndarray] = {}
    for shape, n in parts.of("tube", "line", "disc", "box", "ball", "dot", "surface"):
        name = shape["name"]
        if not name or name in places or shape.get("ground"):
            continue
        if shape["kind"] in ("tube", "line", "surface"):
            points = n[: 3 * (len(n) // 3)].reshape(-1, 3)
            middle = len(points) // 2
            places[name] = points[:2].mean(axis=0) if len(points) == 2 else points[middle]
        else:
            places[name] = n[:3]
    if len(places) > MOST_NAMES:
        raise ModelError(
            f"{parts.description['name']}: {len(places)} names do not fit in one picture, at most "
            f"{MOST_NAMES} do; draw it without names"
        )
    return places


def texts_of(parts: Parts, layout: Layout) -> dict[str, str]:
    """Text at each name."""
    roles = layout.roles
    return {
        name: f"{name}: {roles[name]}" if name in roles else name for name in places_of_names(parts)
    }
