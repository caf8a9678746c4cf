"""Numbers of expressions where a model starts, before it has equations.

Used by `mbcore.drawing.scene` alone; it stands apart because it evaluates expressions, and draws
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from mbcore.model.expressions import Substitution, column
from mbcore.model.nodes.nodes import Point
from mbcore.model.system import System

ROUNDING = 1e-12
"""Relative rounding error of differences of positions."""


class StartPlace:
    """The start of a model: its nodes where they start, parameters and inputs at their values.

    Parameters
    ----------
    parameters : mapping of str to float
        Values that differ.
    """

    def __init__(self, model: System, parameters: Mapping[str, float] | None = None) -> None:
        nodes = self._nodes = list(model.nodes.values())
        own = [(q.value, q.expression) for q in model.deformations()]
        own += [(c.value, c.expression) for c in model.coordinates()]
        self._quantities = _pairs(own)
        self._directions = _pairs([pair for node in nodes for pair in node.definitions()])
        x = column(node.coordinates for node in nodes)
        plain = [(model.time, ca.SX(0))]
        plain += [(record.symbol, ca.SX(record.start)) for record in model.inputs.values()]
        plain += [(record.symbol, ca.SX(record.start)) for record in model.discretes.values()]
        plain += [(record.symbol, ca.SX(record.start)) for record, _ in model.states.values()]
        self._others = _pairs(plain)
        given = dict(parameters or {})
        p = column(record.symbol for record in model.parameters.values())
        values = [given.get(record.name, record.value) for record in model.parameters.values()]
        place = ca.Function("place", [p], [column(node.start for node in nodes)])(values)
        self._symbols, self._values = [x, p], [np.array(place.full())[:, 0], np.array(values)]
        self._known = {s.element_hash() for part in self._symbols for s in ca.symvar(part)}

    def in_coordinates(self, expression: ca.SX) -> ca.SX:
        """Return an expression in coordinates and parameters, as far as it can be."""
        for pairs in (self._quantities, self._directions, self._others):
            expression = pairs(expression)
        return expression

    def knows(self, expression: ca.SX, *others: ca.SX) -> bool:
        """Return whether the start configuration determines an expression, given others."""
        known = self._known | {other.element_hash() for other in others}
        left = ca.symvar(self.in_coordinates(expression))
        return all(symbol.element_hash() in known for symbol in left)

    def value(self, expression: ca.SX) -> np.ndarray:
        """Return an expression's value, shape (n,)."""
        function = ca.Function("start", self._symbols, [self.in_coordinates(expression)])
        return np.array(ca.DM(function(*self._values)).full())[:, 0]

    def extent(self) -> float:
        """Return the diagonal of a box about all points of the model, m; 0 for one."""
        values, places, first = self._values[0], [], 0
        for node in self._nodes:
            count = node.coordinates.numel()
            if isinstance(node, Point):
                places.append(np.append(values[first : first + count], 0.0)[:3])
            first += count
        return diagonal(np.array(places).reshape(-1, 3))


def diagonal(places: np.ndarray) -> float:
    """Return the diagonal of a box about places, shape (n, 3), m; 0 but for rounding is 0."""
    seen = places[np.isfinite(places).all(axis=1)]
    if not len(seen):
        return 0.0
    size = float(np.linalg.norm(np.ptp(seen, axis=0)))
    return size if size > ROUNDING * float(np.abs(seen).max()) else 0.0


def _pairs(pairs: list[tuple[ca.SX, ca.SX]]) -> Substitution:
    return Substitution(column(symbol for symbol, _ in pairs), column(value for _, value in pairs))
