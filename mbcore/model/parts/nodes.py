"""The nodes of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, TypeVar

import casadi as ca

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.interface.declared import named
from mbcore.model.near_names import unknown
from mbcore.model.nodes.nodes import Angle, Coordinate, Node, Point, Rotation
from mbcore.model.nodes.symbol_registry import SymbolRegistry
from mbcore.model.quantities.free_rotation import FreeRotation
from mbcore.model.variables import Number, Requirement

AnyNode = TypeVar("AnyNode", bound=Node)


class Nodes(dict[str, Node]):
    """Nodes by name, the ground among them.

    Parameters
    ----------
    model : str
        Name of the model, for messages.
    symbols : SymbolRegistry
        Where the symbols of the nodes are registered.

    Attributes
    ----------
    ground : Rotation
        The inertial frame, which is fixed.
    """

    def __init__(self, model: str, symbols: SymbolRegistry) -> None:
        super().__init__()
        self.model, self._symbols = model, symbols
        self.ground = self.add(Rotation("ground"), fixed=True)

    def __missing__(self, name: object) -> NoReturn:
        raise KeyError(unknown("node", name, self))

    def add(self, node: AnyNode, fixed: bool = False) -> AnyNode:
        """Add a node, and fix it where it starts if it is ``fixed``.

        Raises
        ------
        ModelError
            If its name exists.
        """
        named(type(self.get(node.name, node)).__name__.lower(), node.name, self)
        self[node.name] = node
        self._symbols.add_node(node)
        if fixed:
            node.fix()
        return node

    def point(
        self, name: str, start: Sequence[Number] = (0.0, 0.0), *, fixed: bool = False
    ) -> Point:
        """Add a point and return it.

        Parameters
        ----------
        name : str
            Unique among the nodes.
        start : sequence of two or three
            Where it starts, m: two coordinates in the plane, three in space.
        fixed : bool
            Whether it stays there.
        """
        place = checks.vector(f"point {name}", "start", start, (2, 3), "(0, 0) or (0, 0, 0)", "m")
        return self.add(Point(name, ca.vertsplit(place)), fixed)

    def angle(self, name: str, start: Number = 0.0, *, fixed: bool = False) -> Angle:
        """Add an orientation in the plane and return it.

        Its ``name`` is unique among the nodes; it starts at ``start``, rad, and stays there where
        it is ``fixed``.
        """
        return self.add(Angle(name, start), fixed)

    def rotation(
        self, name: str, start: Sequence[Number] = (1.0, 0.0, 0.0, 0.0), *, fixed: bool = False
    ) -> Rotation:
        """Add an orientation in space and return it.

        Its ``name`` is unique among the nodes; ``start`` are four Euler parameters, which it keeps
        where it is ``fixed``.
        """
        return self.add(Rotation(name, start), fixed)

    def refuse_strange(self, owner: str, node: Node) -> None:
        """Refuse a node of another model.

        Raises
        ------
        ModelError
            Naming the ``owner``, as messages call it, and the node.
        """
        if self.get(node.name) is not node:
            raise ModelError(
                f"{owner}: {node!r} is not a node of this model, {self.model}; use nodes that its "
                "point, angle and rotation have made"
            )

    def coordinates(self) -> list[Coordinate]:
        """Return all coordinates, in the nodes' order."""
        return [coordinate for node in self.values() for coordinate in node.quantities]

    def free_rotations(self) -> list[Rotation]:
        """Return the rotations that are free."""
        return [n for n in self.values() if isinstance(n, Rotation) and n.freedom]

    def checks(self) -> list[checks.Check]:
        """Return the checks that wait for the parameters' start values."""
        return [check for node in self.values() for check in node.checks]

    def limits(self) -> list[Requirement]:
        """Return the conditions that free rotations put on their start."""
        return [_some_length(rotation.freedom) for rotation in self.free_rotations()]


def _some_length(freedom: FreeRotation | None) -> Requirement:
    assert freedom is not None
    return Requirement(
        f"{freedom.name}.e",
        freedom.squares,
        "the Euler parameters e0, e1, e2 and e3 are all zero, which is not an orientation; start "
        "with 1, 0, 0, 0",
        freedom.squares,
        start=True,
    )
