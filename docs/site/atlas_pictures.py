"""Pictures of the atlas: an element with its nodes, frames and slips, and each deformation alone.

The model is drawn by the library; what is marked follows from the element's own formulas. A slip's
arrow is the direction in which all nodes move, or the axis about which all bodies turn, where it is
one. A deformation is shown by the smallest motion of the nodes that makes it, while all others keep
their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from mbcore import Model
from mbcore.drawing import annotation
from mbcore.drawing.ghost import ghosted
from mbcore.drawing.layout import Layout, fitted
from mbcore.drawing.projection.camera import Camera, View, camera
from mbcore.drawing.scene import Scene
from mbcore.drawing.start import StartPlace
from mbcore.drawing.still import draw_on, empty_figure
from mbcore.elements import Element
from mbcore.model.expressions import column
from mbcore.model.nodes.nodes import Angle, Point, Rotation
from mbcore.model.quantities import Deformation, Slip

AMOUNT = {"m": 0.16, "rad": 0.5}
"""Shown deformation: of the scene's size, or rad."""
OTHER = 0.4
SLIP = "#2e7d5b"
ACROSS = 2
"""Panels in a row."""


@dataclass(frozen=True)
class Name:
    """A name in a picture: where what it names is, and where it stands, if nothing else does."""

    text: str
    spot: np.ndarray
    shift: tuple[int, int]
    """From the spot, points."""
    tint: str
    style: str = "normal"


class Drawn:
    """A model of the atlas where it starts, ready to be drawn."""

    def __init__(self, model: Model, elements: Sequence[Element], view: View = None) -> None:
        self.model, self.elements, self.view = model, elements, view
        self.scene = Scene(model)
        self.place = StartPlace(model)
        self.planar = self.scene.planar
        self.size = self.scene.size
        self.camera: Camera = camera(view, self.planar, self.scene.up)
        self.description: dict[str, Any] = {**self.scene.description, "name": ""}

    def nodes_and_slips(self) -> Figure:
        """Return the picture with names of points, frames of orientations, and slips."""
        numbers = self.scene.start().numbers
        layout = fitted(self.description, numbers[None, :], Layout(self.view, axes=False))
        figure, axes = empty_figure(self.description, layout)
        draw_on(axes, self.description, numbers, layout)
        named = []
        for orientation, point in self._frames().items():
            spot = self._frame(axes, orientation, point, self._start)
            named.append(Name(orientation.name, spot, (6, 0), annotation.AXIS_COLOURS[1], "italic"))
        for spot, names in self._named_spots():
            axes.plot(*spot, "o", color=annotation.INK, markersize=4, zorder=30, clip_on=False)
            named.append(Name(", ".join(names), spot, (-7, 7), annotation.INK))
        for element in self.elements:
            for name, slip in element.slips.items():
                if (tip := self._slip(axes, element, slip)) is not None:
                    named.append(Name(name, tip, (5, 4), SLIP))
        _unclipped(figure)
        _write(figure, axes, named)
        return figure

    def deformations(self, shown: Sequence[tuple[str, Deformation]]) -> Figure:
        """Return a panel for each deformation; the start is pale behind it."""
        start = self.scene.start().numbers
        configurations = [self.deformed(what) for _, what in shown]
        frames = [self._value(self.scene.expression, x) for x in configurations]
        layout = fitted(self.description, np.array([start, *frames]), Layout(self.view, axes=False))
        width, height = empty_figure(self.description, layout)[0].get_size_inches()
        across = min(ACROSS, len(shown))
        down = -(-len(shown) // across)
        scale = 4.2 / width
        figure = Figure(figsize=(4.2 * across, (height * scale + 0.25) * down))
        pale = ghosted(self.description)
        for i, ((name, _), numbers) in enumerate(zip(shown, frames, strict=True)):
            axes = figure.add_subplot(down, across, i + 1)
            axes.set_aspect("equal")
            draw_on(axes, pale, start, layout, behind=True)
            draw_on(axes, self.description, numbers, layout, before=True)
            for orientation, point in self._frames().items():
                self._frame(axes, orientation, point, configurations[i])
            axes.set_title(name, fontsize=11, color=annotation.INK, pad=2)
        figure.subplots_adjust(0.01, 0.01, 0.99, 0.93, 0.03, 0.18)
        return _unclipped(figure)

    def deformed(self, what: Deformation) -> np.ndarray:
        """Return the coordinates nearest to the start at which one deformation is not zero."""
        strains = [d for e in self.model.elements.values() for d in e.deformations.values()]
        free = [d for d in strains if d is what or d.expression.numel() == 1]
        lengths = [
            ca.sumsqr(n.coordinates)
            for n in self.model.nodes.values()
            if isinstance(n, Rotation) and n.coordinates.numel() == 4
        ]
        conditions = ca.vertcat(*(self._over(d.expression) for d in free), *lengths)
        moving = self._moving()
        jacobian = ca.jacobian(conditions, self._x)
        function = ca.Function("conditions", [self._x], [conditions, jacobian])
        x = self._start.copy()
        target = np.array(function(x)[0].full())[:, 0]
        amount = AMOUNT.get(what.unit, OTHER) * (self.size if what.unit == "m" else 1.0)
        target[next(i for i, d in enumerate(free) if d is what)] += amount
        for _ in range(40):
            value, slope = (np.array(part.full()) for part in function(x))
            x[moving] += np.linalg.pinv(slope[:, moving], rcond=1e-6) @ (target - value[:, 0])
        return x

    @property
    def _x(self) -> ca.SX:
        return column(node.coordinates for node in self.model.nodes.values())

    @property
    def _start(self) -> np.ndarray:
        return self.place.value(self._x)

    def _value(self, expression: ca.SX, coordinates: np.ndarray) -> np.ndarray:
        """Return an expression's value where the nodes have these coordinates."""
        function = ca.Function("value", [self._x], [self._over(expression)])
        return np.array(function(coordinates).full())[:, 0]

    def _over(self, expression: ca.SX) -> ca.SX:
        """Return an expression over the nodes' coordinates alone, parameters at their values."""
        found = self.place.in_coordinates(expression)
        records = list(self.model.parameters.values())
        if not records:
            return found
        symbols, values = zip(*((r.symbol, r.value) for r in records), strict=True)
        return ca.substitute(found, ca.vertcat(*symbols), ca.DM(values))

    def _moving(self) -> np.ndarray:
        """Return which coordinates are not fixed."""
        return np.array([
            coordinate.fixed is None
            for node in self.model.nodes.values()
            for coordinate in node.quantities
        ])  # fmt: skip

    def _points(self) -> list[Point]:
        nodes = [n for n in self.model.nodes.values() if isinstance(n, Point)]
        return [n for n in nodes if n.name != "ground"]

    def _named_spots(self) -> list[tuple[np.ndarray, list[str]]]:
        """Return where points are in the picture, each place once, with the names of its points."""
        found: list[tuple[np.ndarray, list[str]]] = []
        for point in self._points():
            spot = self.camera.flat(self._at(point, self._start))
            for there, names in found:
                if np.linalg.norm(spot - there) < 1e-6 * self.size:
                    names.append(point.name)
                    break
            else:
                found.append((spot, [point.name]))
        return found

    def _frames(self) -> dict[Angle | Rotation, Point]:
        """Return the orientations that are drawn, each with the point at which it is."""
        found: dict[Angle | Rotation, Point] = {}
        for element in self.model.elements.values():
            nodes = element.nodes()
            turns = [n for n in nodes if isinstance(n, Angle | Rotation)]
            points = [n for n in nodes if isinstance(n, Point)]
            pairs = [(p, t) for p, t in element.ends() if t is not None]
            pairs += [(points[0], t) for t in turns if points]
            for point, turn in pairs:
                if turn.name == "ground":
                    continue
                found.setdefault(turn, point)
        return found

    def _at(self, point: Point, coordinates: np.ndarray) -> np.ndarray:
        return np.append(self._value(point.position, coordinates), 0.0)[:3]

    def _frame(
        self, axes: Axes, turn: Angle | Rotation, point: Point, coordinates: np.ndarray
    ) -> np.ndarray:
        """Draw the axes of an orientation; return where its name is to stand."""
        n = 2 if isinstance(turn, Angle) else 3
        matrix = self._value(ca.vec(turn.matrix), coordinates).reshape(n, n).T
        spot = self.camera.flat(self._at(point, coordinates))
        for i, tint in enumerate(annotation.AXIS_COLOURS[:n]):
            along = np.append(matrix[:, i], 0.0)[:3]
            vector = 0.16 * self.size * self.camera.flat(along)
            annotation.draw_arrow(axes, spot, vector, "force", tint, 0.7 * self.size)
        return spot + 0.5 * vector

    def _slip(self, axes: Axes, element: Element, slip: Slip) -> np.ndarray | None:
        """Draw the direction of a slip at the element's contact point; return the arrow's tip."""
        points = [n for n in element.nodes() if isinstance(n, Point)]
        nodes = [n for n in self.model.nodes.values() if n.name != "ground"]
        moved = [n.velocity for n in nodes if isinstance(n, Point)]
        turned = [n.angular_velocity for n in nodes if isinstance(n, Rotation)]
        for of, speeds in (("motion", moved), ("moment", turned)):
            direction = np.zeros(3)
            for speed in speeds:
                slope = self.place.value(ca.gradient(slip.expression, speed))
                direction[: len(slope)] += slope
            size = float(np.linalg.norm(direction))
            if points and size > 1e-9:
                at = getattr(element, "contact", points[-1])
                spot = self.camera.flat(self._at(at, self._start))
                vector = 0.3 * self.size * self.camera.flat(direction / size)
                annotation.draw_arrow(axes, spot, vector, of, SLIP, self.size)
                return spot + vector
        return None


def _write(figure: Figure, axes: Axes, names: Sequence[Name]) -> None:
    """Write names where they cover least of the picture, and none another one."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[::-1, :, :3]
    ink = (pixels < 250).any(axis=2)
    written: list[Bbox] = []
    for name in names:
        across, up = name.shift
        away = max(abs(across), abs(up))
        shifts = [name.shift, (-across, up), (across, -up or away), (-across, -up or away)]
        shifts += [(across, up + 14), (across, up - 14), (-across, up + 14), (-across, up - 14)]
        texts = [_text(axes, name, shift) for shift in shifts]
        boxes = [text.get_window_extent() for text in texts]
        costs = [
            sum(box.overlaps(other) for other in written) * ink.size + _covered(ink, box)
            for box in boxes
        ]
        best = int(np.argmin(costs))
        written.append(boxes[best])
        for i, text in enumerate(texts):
            if i != best:
                text.remove()


def _covered(ink: np.ndarray, box: Bbox) -> int:
    """Return how many pixels of a picture a box covers."""
    x, y = (slice(max(0, int(a)), max(0, int(b))) for a, b in (box.intervalx, box.intervaly))
    return int(ink[y, x].sum())


def _text(axes: Axes, name: Name, shift: tuple[int, int]) -> Annotation:
    return axes.annotate(
        name.text, name.spot, shift, textcoords="offset points", color=name.tint, fontsize=10,
        ha="left" if shift[0] > 0 else "right", va="center", annotation_clip=False, zorder=40,
        style=name.style, path_effects=[withStroke(linewidth=2.5, foreground="white")],
    )  # fmt: skip


def _unclipped(figure: Figure) -> Figure:
    """Let arrows reach beyond the scene."""
    for axes in figure.axes:
        for artist in axes.get_children():
            artist.set_clip_on(False)
    return figure


def save(figure: Figure, file: Any) -> None:
    """Write a picture, with what stands at its edge."""
    figure.savefig(file, dpi=140, bbox_inches="tight", pad_inches=0.05)
