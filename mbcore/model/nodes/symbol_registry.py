"""The quantity or place of each symbol in a user's expression."""

from __future__ import annotations

from typing import Any

import casadi as ca

from mbcore.model.nodes.node import Node
from mbcore.model.nodes.orientation import DIRECTION
from mbcore.model.quantities import Deformation, Quantity, Slip
from mbcore.model.tables.lookup import Lookup


class SymbolRegistry:
    """The symbols of a model's deformations, coordinates, slips and nodes, as they are added."""

    def __init__(self) -> None:
        self._quantities: list[Quantity] = []
        self._nodes: list[Node] = []
        self._clear()

    def _clear(self) -> None:
        self._by_value: dict[int, Deformation] = {}
        self._by_rate: dict[int, Deformation] = {}
        self._by_velocity: dict[int, Slip] = {}
        self._places: dict[int, Node] = {}
        self._speeds: set[int] = set()
        self._sorted = 0, 0  # numbers of quantities and nodes in these tables

    def __getstate__(self) -> dict[str, Any]:
        return {"_quantities": self._quantities, "_nodes": self._nodes}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Hashes of symbols are those of one process, so the tables are made anew when needed.
        self.__dict__.update(state)
        self._clear()
        Lookup.made = True  # perhaps by the process that pickled the model

    def add_node(self, node: Node) -> None:
        """Register a node with its coordinates."""
        for coordinate in node.quantities:
            self.add(coordinate)
        self._nodes.append(node)

    def add(self, quantity: Quantity) -> None:
        """Register a deformation or a slip."""
        self._quantities.append(quantity)

    def _sort(self) -> None:
        """Bring the tables up to date."""
        quantities, nodes = self._sorted
        for quantity in self._quantities[quantities:]:
            self._sort_quantity(quantity)
        for node in self._nodes[nodes:]:
            self._places |= dict.fromkeys(_keys(node.changing), node)
            self._speeds |= {*_keys(node.velocities), *_keys(node.speeds)}
        self._sorted = len(self._quantities), len(self._nodes)

    def _sort_quantity(self, quantity: Quantity) -> None:
        if isinstance(quantity, Slip):
            self._by_velocity[quantity.velocity.element_hash()] = quantity
        elif isinstance(quantity, Deformation):
            self._by_value[quantity.value.element_hash()] = quantity
            self._by_rate[quantity.rate.element_hash()] = quantity

    def values_in(self, expression: ca.SX) -> list[Deformation]:
        """Return the deformations whose ``value`` an expression holds."""
        self._sort()
        return [self._by_value[k] for k in _keys(expression) if k in self._by_value]

    def rates_in(self, expression: ca.SX) -> list[Deformation]:
        """Return the deformations whose ``rate`` an expression holds."""
        self._sort()
        return [self._by_rate[k] for k in _keys(expression) if k in self._by_rate]

    def velocities_in(self, expression: ca.SX) -> list[Slip]:
        """Return the slips whose ``velocity`` an expression holds."""
        self._sort()
        return [self._by_velocity[k] for k in _keys(expression) if k in self._by_velocity]

    def places_in(self, expression: ca.SX) -> list[ca.SX]:
        """Return coordinates of nodes, and directions that turn with them, in an expression."""
        symbols = self._placed_symbols(expression)
        return [s for s in symbols if s.element_hash() in self._places]

    def nodes_in(self, expression: ca.SX) -> list[Node]:
        """Return the nodes whose coordinates or directions an expression holds, each once."""
        keys = [symbol.element_hash() for symbol in self._placed_symbols(expression)]
        return [*dict.fromkeys(self._places[k] for k in keys if k in self._places)]

    def _placed_symbols(self, expression: ca.SX) -> list[ca.SX]:
        """Return all symbols of an expression, once the places of directions are known."""
        self._sort()
        symbols: list[ca.SX] = ca.symvar(expression)
        # Rotations make symbols of directions on demand, also after the node was registered.
        if any(DIRECTION in s.name() and s.element_hash() not in self._places for s in symbols):
            for node in self._nodes:
                self._places |= dict.fromkeys(_keys(node.changing), node)
        return symbols

    def speeds_in(self, expression: ca.SX) -> list[ca.SX]:
        """Return the velocities and angular velocities of nodes that an expression holds."""
        self._sort()
        return [s for s in ca.symvar(expression) if s.element_hash() in self._speeds]


def _keys(expression: ca.SX) -> list[int]:
    return [symbol.element_hash() for symbol in ca.symvar(expression)]
