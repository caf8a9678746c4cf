"""A scene: all numbers of a model's shapes in one vector, and what they describe, as JSON.

Everything is in space, three coordinates each, m; planar models are at z = 0. The numbers of a
shape begin at ``first`` of its description:

* ``line``, 3 n numbers: the ``points`` n places; ``tube``, 3 n + 1: then the radius. Some are
  ``closed``.
* ``disc``, 14: frame, radius, width; its axle is the frame's third axis. A frame is its origin and
  its three axes one after the other, 12 numbers.
* ``box``, 15: frame, three full sizes; ``ball``, 15: frame, three semi-axes; ``dot``, 3.
* ``surface``, 3 ``rows`` ``columns``: places row by row; ``ground`` says it is part of a plane.
* ``arrow``, 6: origin and vector, ``of`` a ``"force"``, ``"moment"`` or ``"motion"``.

``trail`` says that the path of the first place is worth seeing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import casadi as ca
import numpy as np

from mbcore.drawing.ends import ends_of
from mbcore.drawing.joints import JointPoints
from mbcore.drawing.start import StartPlace, diagonal
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, replace
from mbcore.model.shapes.shape import THICKNESS, Shape
from mbcore.model.system import System

THIN = 0.008
"""Default thickness of lines, in scene sizes."""
TOGETHER = 1e-9
"""Distance, in scene sizes, below which two ground planes count as one."""


class Solved(Protocol):
    """Equations as a scene needs them; `mbcore.equations.equations.Equations` offers it."""

    def settled(self, expression: ca.SX) -> ca.SX:
        """Return an expression as a function of (t, s, d, u, p, x)."""
        ...

    def function(self, name: str, results: list[ca.SX]) -> ca.Function:
        """Return a function of (t, s, d, u, p, x)."""
        ...


@dataclass(frozen=True)
class Picture:
    """A scene's description with numbers at one moment, shape (n,): what is drawn."""

    description: Mapping[str, Any]
    numbers: np.ndarray


class Scene:
    """The visible shapes of a model.

    Parameters
    ----------
    model : System
        Its elements and the shapes added by ``show``.
    equations : Equations, optional
        Made from the model. Without them there is the start configuration alone, and shapes that
        need velocities or forces are left out.

    Attributes
    ----------
    shapes : tuple of Shape
        In the order of the description.
    size : float
        Diagonal of a box about the scene at the start, m.

    Raises
    ------
    ModelError
        If nothing has a shape, a shape is none, or a number at the start is not finite.
    """

    def __init__(self, model: System, equations: Solved | None = None) -> None:
        self.model, self._equations = model, equations
        self._place = StartPlace(model)
        given = _shapes(model)
        if not given:
            raise ModelError(
                f"model {model.name}: none of its elements has a shape, so there is nothing to "
                "draw; give it some, as in model.show(dot(point)), with dot from mbcore.drawing"
            )
        known = [self._place.knows(shape.numbers, THICKNESS) for shape in given]
        if equations is None:
            given = [shape for shape, seen in zip(given, known, strict=True) if seen]
            known = [True] * len(given)
        rough = self._at_start(given, known, 0.0)
        self.size = _extent(given, rough) or self._place.extent() or 1.0
        thickness = THIN * self.size
        start = self._at_start(given, known, thickness)
        _refuse_not_finite(model.name, given, known, start)
        drawn = _one_ground(given, start, self.size)
        self.shapes = tuple(given[i] for i in drawn)
        self._known = [known[i] for i in drawn]
        self._start = [start[i] for i in drawn]
        self.expression = replace(
            column(shape.numbers for shape in self.shapes), THICKNESS, ca.SX(thickness)
        )

    def _at_start(
        self, shapes: list[Shape], known: list[bool], thickness: float
    ) -> list[np.ndarray]:
        """Numbers of each shape at the start; NaN where they need more than the configuration."""
        seen = [shape for shape, is_known in zip(shapes, known, strict=True) if is_known]
        whole = replace(column(s.numbers for s in seen), THICKNESS, ca.SX(thickness))
        values = iter(
            np.split(self._place.value(whole), np.cumsum([s.numbers.numel() for s in seen])[:-1])
        )
        return [
            next(values) if is_known else np.full(shape.numbers.numel(), np.nan)
            for shape, is_known in zip(shapes, known, strict=True)
        ]

    @cached_property
    def description(self) -> dict[str, Any]:
        """Meaning of the numbers; can be written as JSON."""
        shapes, first = [], 0
        for shape in self.shapes:
            known = {"kind": shape.kind, "name": shape.name, "colour": shape.colour, "first": first}
            shapes.append(known | dict(shape.details))
            first += shape.numbers.numel()
        return {
            "name": self.model.name,
            "planar": self.planar,
            "up": self.up,
            "size": self.size,
            "numbers": first,
            "shapes": shapes,
        }

    @cached_property
    def planar(self) -> bool:
        """Whether all of it is in the plane."""
        nodes = [node for node in self.model.nodes.values() if node is not self.model.ground]
        if nodes:
            return all(len(node.labels) < 4 and _flat(node) for node in nodes)
        pairs = zip(self.shapes, self._start, strict=True)
        places = [ends_of(shape.kind, shape.details, values) for shape, values in pairs]
        return not np.nan_to_num(np.concatenate(places)[:, 2]).any()

    @cached_property
    def up(self) -> list[float]:
        """The direction against gravity, or along z (y in the plane) where there is none."""
        if self.model.upwards is not None:
            return checks.direction(self.model.name, "upwards", self.model.upwards).tolist()
        usual = [0.0, 1.0, 0.0] if self.planar else [0.0, 0.0, 1.0]
        gravity = self.model.gravity
        if gravity is None or not self._place.knows(gravity):
            return usual
        pull = np.append(self._place.value(gravity), 0.0)[:3]
        length = float(np.linalg.norm(pull))
        return [float(-c / length) + 0.0 for c in pull] if length > 0 else usual

    @cached_property
    def function(self) -> ca.Function:
        """The numbers as a function of (t, s, d, u, p, x), shape (n, 1).

        Raises
        ------
        ModelError
            If the scene was made without equations, or a shape holds a strange symbol.
        """
        if self._equations is None:
            raise ModelError(
                f"model {self.model.name}: its scene was made without equations, so that it has no "
                "motion; make it with model.equations()"
            )
        return self._equations.function("scene", [self._equations.settled(self.expression)])

    def start(self) -> Picture:
        """Return the picture of the start; what needs forces or velocities is NaN there."""
        return Picture(self.description, np.concatenate(self._start))


def _flat(node: Any) -> bool:
    return node.coordinates.numel() < 3


def _shapes(model: System) -> list[Shape]:
    """All shapes with their elements' names; default shapes give way to a body's own form."""
    found: list[Shape] = []
    joints = JointPoints(model)
    formed: set[str] = set()
    for element in model.elements.values():
        shapes = element.shapes() if element.visible else []
        for shape in shapes:
            if not isinstance(shape, Shape):
                raise ModelError(
                    f"{element.title}: its shapes() returned {shape!r}; return a list of shapes, "
                    "as in [dot(self.p)]"
                )
            placed = joints.placed(shape)
            if placed is not None:
                found.append(placed.named(element.name))
        if any(map(_is_form, shapes)):
            formed |= {node.name for node in element.nodes()}
    for symbol in ca.symvar(column(shape.numbers for shape in model.shapes if _is_form(shape))):
        formed.add(symbol.name().rpartition(".")[0])
    return [
        shape
        for shape in (*found, *joints.symbols(), *model.shapes)
        if not (shape.unless and shape.unless in formed)
    ]


def _is_form(shape: Shape) -> bool:
    """Whether a shape shows what moves with its nodes."""
    solid = shape.kind in ("tube", "disc", "box", "ball") or (
        shape.kind == "surface" and "closed" in shape.details
    )
    return solid and not shape.unless and not shape.details.get("joint")


def _extent(shapes: list[Shape], numbers: list[np.ndarray]) -> float:
    """Diagonal of a box about all shapes, m; 0 where they are one point."""
    ends = [ends_of(s.kind, s.details, n) for s, n in zip(shapes, numbers, strict=True)]
    return diagonal(np.concatenate([np.zeros((0, 3)), *ends]))


def _refuse_not_finite(
    name: str, shapes: list[Shape], known: list[bool], start: list[np.ndarray]
) -> None:
    for shape, is_known, values in zip(shapes, known, start, strict=True):
        if is_known and not np.isfinite(values).all():
            raise ModelError(
                f"model {name}: the {shape.kind} of {shape.name or 'what is shown'} holds "
                f"{values[~np.isfinite(values)][0]} at the start; start its nodes elsewhere, or "
                "change its shape"
            )


def _one_ground(shapes: list[Shape], numbers: list[np.ndarray], size: float) -> list[int]:
    """Indices of all shapes but the duplicates of an infinite plane."""
    drawn: list[int] = []
    planes: list[tuple[np.ndarray, np.ndarray]] = []
    for i, (shape, values) in enumerate(zip(shapes, numbers, strict=True)):
        if shape.details.get("ground"):
            a, b, c = values[:9].reshape(3, 3)
            normal = np.cross(b - a, c - a)
            normal /= np.linalg.norm(normal)
            if any(
                np.linalg.norm(np.cross(normal, n)) < TOGETHER
                and abs((a - o) @ n) < TOGETHER * size
                for o, n in planes
            ):
                continue
            planes.append((a, normal))
        drawn.append(i)
    return drawn
