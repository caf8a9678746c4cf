"""Points and angles, and all kinds of nodes to import from one place."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, replace
from mbcore.model.nodes import rotations
from mbcore.model.nodes.node import Coordinate as Coordinate
from mbcore.model.nodes.node import Node as Node
from mbcore.model.nodes.orientation import Rotation as Rotation
from mbcore.model.variables import Number


class Point(Node):
    """A place in the plane (x, y) or in space (x, y, z); `Model.point` makes one.

    Its ``name`` is unique; it starts at ``start``, two or three coordinates, m.

    Raises
    ------
    ModelError
        If the number of coordinates is not two or three.
    """

    labels = ("x", "y", "z")
    x: Coordinate
    y: Coordinate
    z: Coordinate

    def __init__(self, name: str, start: Sequence[Number]) -> None:
        if len(start) not in (2, 3):
            raise ModelError(f"point {name}: 2 or 3 start coordinates, got {len(start)}")
        super().__init__(name, start)
        self.drawn: ca.SX | None = None
        """Where pictures show what is centred there, (x, y, 0), m, if not at its position."""

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
        """Whether the point is in the plane, not in space."""
        return self.coordinates.numel() == 2


class Angle(Node):
    """An orientation in the plane, one angle of any number of turns; `Model.angle` makes one.

    Its ``name`` is unique; it starts at ``start``, rad.
    """

    labels = ("angle",)
    unit = "rad"
    angle: Coordinate

    def __init__(self, name: str, start: Number = 0.0) -> None:
        turned = checks.number(f"angle {name}", "start", start, unit="rad")
        checks.warn_of_degrees(f"angle {name}", "start", turned)
        super().__init__(name, (turned,))

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
