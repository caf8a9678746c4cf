"""A shape of a scene: its numbers are expressions of the nodes' coordinates, so it moves with them.

Parameters, time and inputs may enter as well. `mbcore.model.shapes.shapes` makes shapes, and
`mbcore.drawing` collects those of a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import casadi as ca
import numpy as np

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.nodes.nodes import Angle, Point, Rotation
from mbcore.model.variables import Number

Place: TypeAlias = Point | ca.SX | ca.DM | Sequence[Number]
"""A point, or two or three coordinates; planar ones are at z = 0."""
Turn: TypeAlias = Angle | Rotation | ca.SX | ca.DM | np.ndarray | None
"""An orientation: a node, or a rotation matrix (2, 2) or (3, 3); None for the inertial axes."""

THICKNESS = ca.SX.sym("thickness")
"""Symbol of the default thickness of lines, a part of the scene's size."""


@dataclass(frozen=True)
class Shape:
    """One shape, made by the functions of `mbcore.model.shapes.shapes`.

    Attributes
    ----------
    kind : str
        ``line``, ``tube``, ``disc``, ``box``, ``ball``, ``dot``, ``surface`` or ``arrow``.
    numbers : SX, shape (n, 1)
        Its numbers, in the order that `mbcore.drawing.scene` documents; lengths in m.
    colour : str
        ``"#rrggbb"``.
    name : str
        Name of its owner, by default that of the element that returns it.
    details : mapping
        Further data: ``points``, ``closed``, ``rows``, ``columns``, ``of``, ``trail``, ``ground``.
    unless : str
        Name of an orientation: the shape is left out if another shape moves with that.
    between : pair of str, or nothing
        Names of two orientations: the shape, about the origin, is drawn at each point where
        elements with both orientations meet, and left out if there is none.
    """

    kind: str
    numbers: ca.SX
    colour: str
    name: str = ""
    details: Mapping[str, object] = field(default_factory=dict)
    unless: str = ""
    between: tuple[str, ...] = ()

    def at(self, place: Place, turn: Turn = None) -> Shape:
        """Return the shape attached to a frame; its present numbers are relative to that."""
        origin, matrix = position(place), axes(turn)
        vectors = _vectors(self)
        parts = []
        for first, is_point in vectors:
            moved = matrix @ self.numbers[first : first + 3]
            parts.append(origin + moved if is_point else moved)
        rest = self.numbers[3 * len(vectors) :]
        return replace(self, numbers=ca.densify(ca.vertcat(*parts, rest)))

    def named(self, name: str) -> Shape:
        """Return the shape with this name, unless it has one."""
        return self if self.name else replace(self, name=name)


def _vectors(shape: Shape) -> list[tuple[int, bool]]:
    """Places of the vectors among the numbers, and whether each is a point."""
    if shape.kind in ("disc", "box", "ball"):
        return [(0, True), (3, False), (6, False), (9, False)]
    if shape.kind == "arrow":
        return [(0, True), (3, False)]
    return [(3 * i, True) for i in range(shape.numbers.numel() // 3)]


def position(place: Place) -> ca.SX:
    """Return a place or vector in space, shape (3, 1); planar ones at z = 0.

    Raises
    ------
    ModelError
        If it has not two or three components, or one is not finite.
    """
    if isinstance(place, Point):
        column = place.position
    elif isinstance(place, ca.SX) and place.shape in ((2, 1), (3, 1)) and not place.is_constant():
        column = ca.densify(place)  # many places of one shape; scenes see whether they are finite
    else:
        column = checks.vector("shape", "place", place, (2, 3), "(0, 0, 1)", "m")
    return column if column.numel() == 3 else ca.vertcat(column, 0)


def axes(turn: Turn) -> ca.SX:
    """Return a rotation matrix in space, shape (3, 3), whose columns are the axes."""
    if turn is None:
        return ca.SX.eye(3)
    given = turn.matrix if isinstance(turn, Angle | Rotation) else turn
    matrix = checks.matrix("shape", "turn", given)
    if matrix.shape == (2, 2):
        return ca.densify(ca.diagcat(matrix, 1))
    if matrix.shape != (3, 3):
        raise ModelError(
            f"shape: its turn has the shape {matrix.shape}; give an angle, a rotation or a "
            "rotation matrix of (2, 2) or (3, 3)"
        )
    return matrix
