"""The loads of a model: forces and moments that belong to no element."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from mbcore.model import checks
from mbcore.model.nodes import node_checks
from mbcore.model.nodes.nodes import Angle, Point, Rotation
from mbcore.model.parts.nodes import Nodes
from mbcore.model.variables import Number


class Loads(list[tuple[ca.SX, ca.SX]]):
    """Forces and moments, each with the velocity on which it does power, both of shape (n, 1)."""

    def __init__(self, nodes: Nodes) -> None:
        super().__init__()
        self._nodes = nodes

    def force(self, point: Point, force: Sequence[Number] | ca.SX) -> None:
        """Add a force on a point, on inertial axes, N.

        Raises
        ------
        ModelError
            If it is not a point of this model, or the force is not a vector of its space.
        """
        node_checks.node(f"model {self._nodes.model}, force", "point", point, Point)
        owner = f"force on {point.name}"
        self._nodes.refuse_strange(owner, point)
        vector = checks.vector(owner, "force", force, point.position.numel(), unit="N")
        self.append((vector, point.velocity))

    def moment(self, node: Angle | Rotation, moment: Number | Sequence[Number] | ca.SX) -> None:
        """Add a moment on an orientation, on inertial axes, N.m.

        Raises
        ------
        ModelError
            If it is not an orientation of this model, or the moment not of its space.
        """
        node_checks.node(f"model {self._nodes.model}, moment", "node", node, Angle, Rotation)
        owner = f"moment on {node.name}"
        self._nodes.refuse_strange(owner, node)
        if isinstance(node, Angle):
            self.append((checks.expression(owner, "moment", moment, "N.m"), node.rate))
        else:
            vector = checks.vector(owner, "moment", moment, 3, "(0, 0, 1)", "N.m")
            self.append((vector, node.angular_velocity))

    def generalized(self, force: Number, velocity: ca.SX) -> None:
        """Add a generalized force by its power ``force * velocity``, W.

        Raises
        ------
        ModelError
            If one of them is not a scalar.
        """
        owner = f"load of model {self._nodes.model}"
        given = checks.expression(owner, "velocity", velocity)
        self.append((checks.expression(owner, "force", force), given))
