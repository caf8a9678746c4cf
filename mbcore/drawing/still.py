"""Still pictures by Matplotlib: forms in parallel projection, sorted by depth, lightly shaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mbcore.drawing import marks
from mbcore.drawing.camera import Camera, View, camera
from mbcore.drawing.ends import ends_of
from mbcore.drawing.faces import Face, dot_faces, faces_of
from mbcore.model.errors import ModelError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LONGEST_ARROW = 0.18
"""Of the arrows of one kind, in parts of the scene's size."""
DOT = 0.008
"""Radius of a point in space, in parts of the scene's size."""
UNITS = {"force": "N", "moment": "N.m", "motion": "m/s"}
MOST_NAMES = 40
WIDTH, HEIGHT = 6.4, 5.0
"""Width and height at most of what is seen, inches."""
TITLE, TRIAD, LINE, LETTER = 0.3, 0.75, 0.16, 0.066
"""Room for a title, for the axes, for a line of text and for a letter, inches."""


@dataclass
class Look:
    """How a scene is looked at; the same for all pictures of a motion.

    Attributes
    ----------
    view : str, pair of number or None
        See `mbcore.drawing.camera.View`.
    axes : bool
        Whether the directions of x, y and z are shown.
    names : bool
        Whether elements are named.
    roles : mapping of str to str
        What is written behind names.
    scales : mapping of str to float
        Length of an arrow of one unit by what it is of, m.
    reach : ndarray, shape (n, 3), optional
        Places that all pictures reach; those of one picture where absent.
    grounds : sequence of ndarray, each shape (3, 3)
        Three places of each endless plane.
    beside : float
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
    beside: float = 0.0
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
    """Return the length of an arrow of one unit by what it is of, m: the longest looks well.

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


def fitted(description: Mapping[str, Any], frames: np.ndarray, look: Look) -> Look:
    """Return a look with scales of arrows and room for all frames, shape (nt, n).

    Raises
    ------
    ModelError
        If nothing has a finite place.
    """
    scales = look.scales or arrow_scales(description, frames)
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
    look = replace(look, scales=scales, reach=found, grounds=parts.grounds())
    if not look.names:
        return look
    texts = _texts(parts, look)
    longest = max((len(line) for text in texts.values() for line in text.split("\n")), default=0)
    left = {n: text for n, text in look.roles.items() if n not in texts}
    notes = [f"{name}: " + text.replace("\n", " ") for name, text in left.items()]
    return replace(look, beside=LETTER * longest + 0.3, notes=notes)


def draw_still(
    description: Mapping[str, Any],
    numbers: np.ndarray,
    look: Look,
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
        What stands behind the name in the title.

    Returns
    -------
    Figure
        Not shown and not saved; call ``figure.savefig``.
    """
    look = look if look.reach is not None else fitted(description, numbers[None, :], look)
    figure, axes = empty_figure(description, look)
    draw_on(axes, description, numbers, look, trails=trails, caption=caption)
    return figure


def empty_figure(description: Mapping[str, Any], look: Look) -> tuple[Figure, Axes]:
    """Return a figure of the size that a fitted look needs, and its axes."""
    from matplotlib.figure import Figure

    low, high = _limits(description, look)
    inch = _inch(description, look)
    width, height = (high - low) / inch
    figure = Figure(figsize=(width, height + TITLE))
    return figure, figure.add_axes((0.0, 0.0, 1.0, height / (height + TITLE)))


def _inch(description: Mapping[str, Any], look: Look) -> float:
    """What an inch of the picture is, m."""
    low, high = _box(description, look)
    return float(max((high[0] - low[0]) / WIDTH, (high[1] - low[1]) / HEIGHT))


def _limits(description: Mapping[str, Any], look: Look) -> tuple[np.ndarray, np.ndarray]:
    """Corners of a picture, with room for names, axes and scales, m."""
    low, high = _box(description, look)
    inch = _inch(description, look)
    below = inch * (TRIAD if look.axes else 0.4 if look.scales else 0.0)
    below += inch * LINE * max(len(look.notes) - 3, 0)
    beside = inch * look.beside
    return low - np.array([beside, below]), high + np.array([beside, 0.0])


def _box(description: Mapping[str, Any], look: Look) -> tuple[np.ndarray, np.ndarray]:
    """Corners of what is drawn, with a margin, m."""
    assert look.reach is not None
    eye = camera(look.view, description["planar"], description["up"])
    places = [eye.flat(look.reach)]
    for plane in look.grounds:
        drawn = marks.ground(plane, look.reach, description["size"])
        places.append(eye.flat(drawn.outline))
    found = np.concatenate(places)
    low, high = found.min(axis=0), found.max(axis=0)
    margin = 0.05 * max(description["size"], float((high - low).max()))
    least = 0.12 * float((high - low).max())  # of a straight mechanism seen along its line
    middle, half = (low + high) / 2, np.maximum((high - low) / 2, least)
    return middle - half - margin, middle + half + margin


def draw_on(
    axes: Axes,
    description: Mapping[str, Any],
    numbers: np.ndarray,
    look: Look,
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
        Whether it is drawn behind another one, or before one: what both share is drawn once.
    """
    eye = camera(look.view, description["planar"], description["up"])
    parts, size = Parts(description, numbers), float(description["size"])
    assert look.reach is not None
    box = _box(description, look)
    if not before:
        _draw_grounds(axes, parts, eye, look.reach)
    for tint, path in trails:
        axes.plot(*eye.flat(path).T, color=tint, linewidth=1.1, alpha=0.75, zorder=1.5)
    _draw_faces(axes, parts, eye)
    if description["planar"]:
        marks.draw_dots(axes, [(eye.flat(n), shape) for shape, n in parts.of("dot")])
    for shape, n in parts.of("arrow"):
        vector = look.scales.get(shape["of"], 0.0) * eye.flat(n[3:])
        marks.draw_arrow(axes, eye.flat(n[:3]), vector, shape["of"], shape["colour"], size)
    if behind:
        return
    if look.names:
        _draw_names(axes, parts, look, eye, box)
    _draw_legends(axes, parts, look, eye, box)
    low, high = _limits(description, look)
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_axis_off()
    title = f"{description['name']}{caption}"
    axes.text(
        (low[0] + high[0]) / 2,
        high[1],
        title,
        ha="center",
        va="bottom",
        fontsize=10,
        color=marks.INK,
    )


def _draw_grounds(axes: Axes, parts: Parts, eye: Camera, reach: np.ndarray) -> None:
    for plane in parts.grounds():
        marks.draw_ground(axes, marks.ground(plane, reach, parts.description["size"]), eye)
        above = [
            face.places
            for solid, m in parts.of("tube", "disc", "box", "ball")
            for face in faces_of(solid["kind"], solid, solid["colour"], m, eye)
            if face.face is not None
        ]
        fallen = [eye.flat(places) for places in marks.shadows(plane, above)]
        _add(axes, fallen, [marks.SHADOW] * len(fallen), [marks.SHADOW] * len(fallen), None, 0.5)


def _draw_faces(axes: Axes, parts: Parts, eye: Camera) -> None:
    flat = abs(eye.towards[2]) > 1 - 1e-9 and parts.description["planar"]
    faces: list[tuple[float, int, Face]] = []
    for i, (shape, n) in enumerate(parts.all):
        if not np.isfinite(n).all():
            continue
        if shape["kind"] == "dot" and not parts.description["planar"]:
            radius = DOT * parts.description["size"]
            solid = dot_faces(n, shape, shape["colour"], radius, eye)
        else:
            solid = faces_of(shape["kind"], shape, shape["colour"], n, eye)
        for face in solid:
            order = i if flat else 0  # in the plane, later elements are above earlier ones
            if shape["kind"] == "surface" and not shape.get("closed"):
                order = -1  # what stands on it is not cut by it
            faces.append((face.depth(eye), order, face))
    faces.sort(key=lambda entry: (entry[1], entry[0]))
    _add(
        axes,
        [eye.flat(face.places) for _, _, face in faces],
        [face.face if face.face is not None else "none" for _, _, face in faces],
        [face.edge if face.edge is not None else "none" for _, _, face in faces],
        [face.width for _, _, face in faces],
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


def _named(parts: Parts) -> dict[str, np.ndarray]:
    """A place for each name."""
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


def _texts(parts: Parts, look: Look) -> dict[str, str]:
    """What is written at each name."""
    roles = look.roles
    return {name: f"{name}: {roles[name]}" if name in roles else name for name in _named(parts)}


def _draw_names(
    axes: Axes, parts: Parts, look: Look, eye: Camera, box: tuple[np.ndarray, np.ndarray]
) -> None:
    texts, places = _texts(parts, look), _named(parts)
    inch = _inch(parts.description, look)
    names = [(text, eye.flat(places[name])) for name, text in texts.items()]
    marks.draw_names(axes, names, *box, LINE * inch)
    low, _ = _limits(parts.description, look)
    for i, note in enumerate(look.notes):
        y = low[1] + inch * LINE * (len(look.notes) - i - 0.3)
        x = box[0][0] + 1.4 * inch
        axes.text(x, y, note, fontsize=8, color=marks.INK, va="center")


def _draw_legends(
    axes: Axes, parts: Parts, look: Look, eye: Camera, box: tuple[np.ndarray, np.ndarray]
) -> None:
    """Draw axes and the scales of arrows below."""
    low = box[0]
    inch = _inch(parts.description, look)
    kinds = [of for of in UNITS if of in look.scales and _shown(parts, of)]
    if look.axes:
        corner = low + inch * np.array([0.35, 0.28 - TRIAD])
        marks.draw_triad(axes, corner, 0.42 * inch, eye, parts.description["planar"])
    x, y = low[0] + (1.4 if look.axes else 0.2) * inch, low[1] - 0.25 * inch
    for of in kinds:
        value = marks.nice(0.8 * inch / look.scales[of])
        length = look.scales[of] * value
        tint = next(s["colour"] for s, _ in parts.all if s["kind"] == "arrow" and s["of"] == of)
        size = float(parts.description["size"])
        marks.draw_arrow(axes, np.array([x, y]), np.array([length, 0]), of, tint, size)
        text = f"{of} {value:g} {UNITS[of]}"
        axes.text(x + length + 0.1 * inch, y, text, va="center", fontsize=8, color=marks.INK)
        x += length + 1.6 * inch


def _shown(parts: Parts, of: str) -> bool:
    return any(shape["of"] == of for shape, _ in parts.of("arrow"))
