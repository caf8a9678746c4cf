"""Nodes: the places and orientations that elements share, with their coordinates.

A node owns the symbols of its coordinates, velocities and accelerations; elements write their
formulas with them. A coordinate is unknown unless it is fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import casadi as ca

from mbcore.model import rotations
from mbcore.model.errors import ModelError
from mbcore.model.quantities import Deformation, Role
from mbcore.model.variables import Number


class Coordinate(Deformation):
    """One coordinate of a node; it may be fixed, or serve as a generalized deformation.

    ``reaction`` stands for the force of the support on a fixed coordinate.
    """

    def __init__(self, name: str, symbol: ca.SX, unit: str, start: ca.SX) -> None:
        super().__init__(name, symbol, unit, role=None)
        self.start = start
        self.fixed: ca.SX | None = None
        self.reaction = ca.SX.sym(f"{name}:reaction")

    def _start(self) -> float:
        return float(self.start) if self.start.is_constant() else 0.0

    def fix(self, value: Number | None = None) -> Coordinate:
        """Keep the coordinate at ``value`` (x^o), by default where it starts."""
        self.fixed = self.start if value is None else ca.SX(value)
        self.start = self.fixed
        self.role = None
        return self


class Node:
    """Coordinates that belong together; shapes are (n, 1)."""

    labels: ClassVar[tuple[str, ...]] = ()
    unit: ClassVar[str] = "m"

    def __init__(self, name: str, start: Sequence[Number]) -> None:
        self.name = name
        n = len(start)
        full = [f"{name}.{label}" for label in self.labels[:n]]
        self.coordinates = ca.vertcat(*(ca.SX.sym(f) for f in full))
        self.velocities = ca.vertcat(*(ca.SX.sym(f"{f}'") for f in full))
        self.accelerations = ca.vertcat(*(ca.SX.sym(f"{f}''") for f in full))
        self.handles = [
            Coordinate(f, self.coordinates[i], self.unit, ca.SX(start[i]))
            for i, f in enumerate(full)
        ]

    @property
    def start(self) -> ca.SX:
        """Start coordinates, expressions of the parameters, shape (n, 1)."""
        return ca.densify(ca.vertcat(*(handle.start for handle in self.handles)))

    def fix(self) -> Node:
        """Fix all coordinates where they start."""
        for handle in self.handles:
            handle.fix()
        return self

    def conditions(self) -> list[Deformation]:
        """Return the deformations that belong to the node itself."""
        return []

    def __getattr__(self, label: str) -> Coordinate:
        labels = type(self).labels
        if label in labels and label in labels[: len(self.__dict__.get("handles", ()))]:
            return self.handles[labels.index(label)]
        raise AttributeError(f"{type(self).__name__} has no {label!r}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} {self.name}>"


class Point(Node):
    """A place in the plane (x, y) or in space (x, y, z)."""

    labels = ("x", "y", "z")
    x: Coordinate
    y: Coordinate
    z: Coordinate

    def __init__(self, name: str, start: Sequence[Number]) -> None:
        if len(start) not in (2, 3):
            raise ModelError(f"point {name}: 2 or 3 start coordinates, got {len(start)}")
        super().__init__(name, start)

    @property
    def position(self) -> ca.SX:
        """Position, shape (2, 1) or (3, 1), m."""
        return self.coordinates

    @property
    def velocity(self) -> ca.SX:
        """Velocity, m/s."""
        return self.velocities

    @property
    def acceleration(self) -> ca.SX:
        """Acceleration, m/s2."""
        return self.accelerations

    @property
    def planar(self) -> bool:
        """Whether the point lives in the plane."""
        return self.coordinates.numel() == 2


class Angle(Node):
    """An orientation in the plane, one angle that may wind."""

    labels = ("angle",)
    unit = "rad"
    angle: Coordinate

    def __init__(self, name: str, start: Number = 0.0) -> None:
        super().__init__(name, (start,))

    @property
    def value(self) -> ca.SX:
        """The angle, rad."""
        return self.coordinates

    @property
    def rate(self) -> ca.SX:
        """Angular velocity, rad/s."""
        return self.velocities

    @property
    def acceleration(self) -> ca.SX:
        """Angular acceleration, rad/s2."""
        return self.accelerations

    @property
    def matrix(self) -> ca.SX:
        """Rotation matrix, shape (2, 2)."""
        return rotations.planar_matrix(self.coordinates)


class Rotation(Node):
    """An orientation in space by four Euler parameters, [Schwab2002] (3.26)."""

    labels = ("e0", "e1", "e2", "e3")
    unit = "1"

    def __init__(self, name: str, start: Sequence[Number] = (1.0, 0.0, 0.0, 0.0)) -> None:
        if len(start) != 4:
            raise ModelError(f"rotation {name}: 4 Euler parameters, got {len(start)}")
        super().__init__(name, start)

    @property
    def matrix(self) -> ca.SX:
        """Rotation matrix, shape (3, 3)."""
        return rotations.matrix(self.coordinates)

    @property
    def angular_velocity(self) -> ca.SX:
        """Angular velocity on space-fixed axes, shape (3, 1), rad/s."""
        return rotations.angular_velocity(self.coordinates, self.velocities)

    @property
    def body_angular_velocity(self) -> ca.SX:
        """Angular velocity on body-fixed axes, shape (3, 1), rad/s."""
        return rotations.body_angular_velocity(self.coordinates, self.velocities)

    def conditions(self) -> list[Deformation]:
        """Return the norm condition ε_q, [Schwab2002] (3.28), unless the rotation is fixed."""
        if all(handle.fixed is not None for handle in self.handles):
            return []
        norm = ca.dot(self.coordinates, self.coordinates) - 1
        return [Deformation(f"{self.name}.norm", norm, "1", role=Role.RIGID)]


def at_start(expression: ca.SX, *nodes: Node) -> ca.SX:
    """Return ``expression`` in the start configuration, an expression of the parameters."""
    each = {node.name: node for node in nodes}.values()
    return ca.substitute(
        expression,
        ca.vertcat(*(node.coordinates for node in each)),
        ca.vertcat(*(node.start for node in each)),
    )
