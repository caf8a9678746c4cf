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
from mbcore.model.expressions import column, replace
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
    def speeds(self) -> ca.SX:
        """Independent velocities: those of the coordinates, or an angular velocity, (n, 1)."""
        return self.velocities

    @property
    def speed_rates(self) -> ca.SX:
        """Rates of the speeds, shape (n, 1)."""
        return self.accelerations

    @property
    def speed_names(self) -> list[str]:
        """Names of the speeds."""
        return [handle.name for handle in self.handles]

    @property
    def changing(self) -> ca.SX:
        """All that changes with the node: coordinates, and directions that turn with it, (m, 1)."""
        return self.coordinates

    @property
    def change(self) -> ca.SX:
        """Rate of ``changing`` as an expression of the speeds, shape (m, 1)."""
        return self.velocities

    def definitions(self) -> list[tuple[ca.SX, ca.SX]]:
        """Return symbols that coordinates define, each with its expression."""
        return []

    def nodal_speeds(self) -> list[tuple[ca.SX, ca.SX]]:
        """Return speeds and their rates with their expressions in velocities of coordinates."""
        return []

    def coordinate_rates(self) -> list[tuple[ca.SX, ca.SX]]:
        """Return velocities and accelerations of coordinates as expressions of the speeds."""
        return []

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
    """An orientation in space by four Euler parameters, [Schwab2002] (3.26).

    Formulas are written with symbols for the directions that turn with the node and for its
    angular velocity ω; a direction e changes with ω × e, so no derivative passes the Euler
    parameters that define both.
    """

    labels = ("e0", "e1", "e2", "e3")
    unit = "1"

    def __init__(self, name: str, start: Sequence[Number] = (1.0, 0.0, 0.0, 0.0)) -> None:
        if len(start) != 4:
            raise ModelError(f"rotation {name}: 4 Euler parameters, got {len(start)}")
        super().__init__(name, start)
        self._speeds = _vector(f"{name}.omega")
        self._speed_rates = _vector(f"{name}.omega'")
        self._axes = [_vector(f"{name}.axis_{label}") for label in "xyz"]
        self._directions: list[tuple[tuple[float, ...], ca.SX]] = []
        self._matrix: ca.SX | None = None

    @property
    def speeds(self) -> ca.SX:
        """Angular velocity on space-fixed axes, shape (3, 1), rad/s."""
        return self._speeds

    @property
    def speed_rates(self) -> ca.SX:
        """Angular acceleration on space-fixed axes, shape (3, 1), rad/s2."""
        return self._speed_rates

    @property
    def speed_names(self) -> list[str]:
        """Names of the components of the angular velocity."""
        return [f"{self.name}.omega_{label}" for label in "xyz"]

    @property
    def matrix(self) -> ca.SX:
        """Rotation matrix, shape (3, 3): columns are the body's axes in space."""
        return ca.horzcat(*self._axes)

    def turned(self, vector: Sequence[Number] | ca.SX | ca.DM) -> ca.SX:
        """Return a body-fixed vector on space-fixed axes, shape (3, 1).

        Numbers that are no multiple of a body axis get a symbol of their own.
        """
        given = (
            ca.SX(vector) if isinstance(vector, ca.SX | ca.DM) else ca.vertcat(*map(ca.SX, vector))
        )
        if not given.is_constant():
            return self.matrix @ given
        numbers = tuple(float(c) for c in ca.DM(given).full()[:, 0])
        if sum(c != 0 for c in numbers) <= 1:
            return ca.densify(self.matrix @ ca.sparsify(given))
        for known, symbol in self._directions:
            if known == numbers:
                return symbol
        symbol = _vector(f"{self.name}.direction_{len(self._directions)}")
        self._directions.append((numbers, symbol))
        return symbol

    @property
    def changing(self) -> ca.SX:
        """Euler parameters, axes and further directions, shape (m, 1)."""
        directions = [*self._axes, *(symbol for _, symbol in self._directions)]
        return ca.vertcat(self.coordinates, *directions)

    @property
    def change(self) -> ca.SX:
        """½ ω∘λ [Schwab2002] (B.14), and ω × e of the directions, shape (m, 1)."""
        directions = [*self._axes, *(symbol for _, symbol in self._directions)]
        turning = [ca.cross(self.speeds, e) for e in directions]
        return ca.vertcat(rotations.rate(self.coordinates, self.speeds), *turning)

    def definitions(self) -> list[tuple[ca.SX, ca.SX]]:
        """Return the directions with their expressions in Euler parameters."""
        if self._matrix is None:
            self._matrix = rotations.matrix(self.coordinates)
        matrix = self._matrix
        found = [(self._axes[i], matrix[:, i]) for i in range(3)]
        return found + [(symbol, matrix @ ca.DM(v)) for v, symbol in self._directions]

    def nodal_speeds(self) -> list[tuple[ca.SX, ca.SX]]:
        """Return ω and its rate in the rates of the Euler parameters, [Schwab2002] (B.13)."""
        return [
            (self.speeds, rotations.angular_velocity(self.coordinates, self.velocities)),
            (self.speed_rates, rotations.angular_velocity(self.coordinates, self.accelerations)),
        ]

    def coordinate_rates(self) -> list[tuple[ca.SX, ca.SX]]:
        """Return first and second rates of the Euler parameters in ω and its rate."""
        first = rotations.rate(self.coordinates, self.speeds)
        second = rotations.rate(self.coordinates, self.speed_rates)
        return [
            (self.velocities, first),
            (self.accelerations, second + rotations.rate(first, self.speeds)),
        ]

    @property
    def angular_velocity(self) -> ca.SX:
        """Angular velocity on space-fixed axes, shape (3, 1), rad/s."""
        return self.speeds

    @property
    def angular_acceleration(self) -> ca.SX:
        """Angular acceleration on space-fixed axes, shape (3, 1), rad/s2."""
        return self.speed_rates

    @property
    def body_angular_velocity(self) -> ca.SX:
        """Angular velocity on body-fixed axes, shape (3, 1), rad/s."""
        return self.matrix.T @ self.speeds

    def conditions(self) -> list[Deformation]:
        """Return the norm condition ε_q, [Schwab2002] (3.28), unless the rotation is fixed."""
        if all(handle.fixed is not None for handle in self.handles):
            return []
        norm = ca.dot(self.coordinates, self.coordinates) - 1
        return [Deformation(f"{self.name}.norm", norm, "1", role=Role.RIGID)]


def at_start(expression: ca.SX, *nodes: Node) -> ca.SX:
    """Return ``expression`` in the start configuration, an expression of the parameters."""
    each = list({node.name: node for node in nodes}.values())
    return ca.substitute(
        in_coordinates(expression, *each),
        ca.vertcat(*(node.coordinates for node in each)),
        ca.vertcat(*(node.start for node in each)),
    )


def in_coordinates(expression: ca.SX, *nodes: Node) -> ca.SX:
    """Return ``expression`` in coordinates and their velocities alone.

    Directions, angular velocities and angular accelerations of the nodes are replaced.
    """
    pairs = [pair for node in nodes for pair in (*node.definitions(), *node.nodal_speeds())]
    return replace(expression, column(p[0] for p in pairs), column(p[1] for p in pairs))


def _vector(name: str) -> ca.SX:
    return ca.vertcat(*(ca.SX.sym(f"{name}[{i}]") for i in range(3)))
