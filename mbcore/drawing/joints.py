"""Positions of hinges and supports: points at which parts with different rotations meet.

Used by `mbcore.drawing.scene` alone; it stands apart because it looks for nodes that elements
share, and draws nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from mbcore.model.nodes.nodes import Point
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.shapes import Mark, dot
from mbcore.model.system import System


class JointPoints:
    """The points of a model, each with the orientations of the parts attached to it.

    A bar has no orientation node; its own name stands for its orientation.
    """

    def __init__(self, model: System) -> None:
        self._model = model
        self._there: dict[str, set[str]] = {}
        for element in model.elements.values():
            for point, turn in element.ends():
                name = f"bar {element.name}" if turn is None else turn.name
                self._there.setdefault(point.name, set()).add(name)

    def placed(self, shape: Shape) -> Shape | None:
        """Return a shape moved to where its two orientations meet, None if they do not."""
        if not shape.between:
            return shape
        for name, turns in self._there.items():
            if turns.issuperset(shape.between):
                return replace(shape.at(self._point(name)), between=())
        return None

    def symbols(self) -> list[Shape]:
        """Return symbols of supports and hinges of planar points, and of hinges of bars."""
        found = []
        for name, turns in self._there.items():
            point = self._point(name)
            mark = self._mark(point, turns)
            if mark:
                found.append(dot(point, mark=mark, name="" if mark == "hinge" else name))
        return found

    def _mark(self, point: Point, turns: set[str]) -> Mark:
        bars = any(turn.startswith("bar ") for turn in turns)
        if not point.planar:
            return "hinge" if bars and len(turns) > 1 else ""
        fixed = [coordinate.fixed is not None for coordinate in point.quantities]
        if all(fixed):
            return "clamp" if all(map(self._is_fixed, turns)) else "support"
        if any(fixed):
            return "slide_y" if fixed[0] else "slide_x"
        return "hinge" if len(turns) > 1 else ""

    def _is_fixed(self, turn: str) -> bool:
        node = self._model.nodes.get(turn)
        return node is not None and all(
            coordinate.fixed is not None for coordinate in node.quantities
        )

    def _point(self, name: str) -> Point:
        return cast(Point, self._model.nodes[name])
