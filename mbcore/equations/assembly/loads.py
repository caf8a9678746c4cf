"""Loads and contacts of a model as forces with nodal velocities on which they do power.

Used by `mbcore.equations.assembly.assembly` alone; it stands apart because loads and contacts are
read from the model before any index set exists.
"""

from __future__ import annotations

from collections.abc import Iterable

import casadi as ca

from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace
from mbcore.model.kinks import gradient
from mbcore.model.nodes.nodes import Rotation
from mbcore.model.quantities.unilateral import Unilateral
from mbcore.model.system import System

Action = tuple[ca.SX, ca.SX]
"""A nodal velocity and the force that does power on it."""


def loads(model: System) -> list[Action]:
    """Return the loads.

    Raises
    ------
    ModelError
        If a load does power on no velocity.
    """
    if not model.loads:
        return []
    rates = _Rates(model)
    return [(rates.nodal(velocity), load) for load, velocity in model.loads]


def contact_actions(model: System) -> list[Action]:
    """Return normal and tangential forces of unilateral contacts.

    Raises
    ------
    ModelError
        If a gap depends on no place, or on a velocity.
    """
    if not model.contacts:
        return []
    rates = _Rates(model)
    found = []
    for contact in model.contacts.values():
        found.append((rates.of_gap(contact), contact.force))
        if contact.sliding is not None:
            found.append((rates.nodal(contact.sliding), contact.tangential))
    return found


class _Rates:
    """Rates of users' symbols over nodal velocities."""

    def __init__(self, model: System) -> None:
        self._model = model
        deformations = model.deformations()
        self._by_rate = {q.rate.element_hash(): q for q in deformations}
        self._by_value = {q.value.element_hash(): q for q in deformations}
        self._by_velocity = {s.velocity.element_hash(): s for s in model.slips()}
        nodes = list(model.nodes.values())
        turning = [n.speeds for n in nodes if isinstance(n, Rotation)]
        self._velocities = column([*(n.velocities for n in nodes), *turning])

    def nodal(self, velocity: ca.SX) -> ca.SX:
        """Replace symbols of rates and slips by expressions of nodal velocities.

        Raises
        ------
        ModelError
            If no nodal velocity is left, so that a force on it would do no work.
        """
        pairs = []
        for symbol in ca.symvar(velocity):
            key = symbol.element_hash()
            if key in self._by_velocity:
                pairs.append((symbol, self._by_velocity[key].expression))
            elif key in self._by_rate:
                pairs.append((symbol, self._model.rate_of(self._by_rate[key])))
        found = replace(velocity, column(h for h, _ in pairs), column(e for _, e in pairs))
        if not depends(found, self._velocities):
            raise ModelError(
                f"a load of model {self._model.name!r} does power on {velocity}, which holds no "
                "velocity; give the velocity or rate of a node, deformation or slip"
            )
        return found

    def of_gap(self, contact: Unilateral) -> ca.SX:
        """Rate of a gap as a virtual velocity, at constant time and inputs.

        Raises
        ------
        ModelError
            If the gap depends on no place, or on a velocity.
        """
        symbols = {s.element_hash(): s for s in ca.symvar(contact.gap)}
        rates = [c.rate for c in self._model.coordinates() if c.role is None]
        rates += [q.rate for q in self._model.deformations()]
        if depends(contact.gap, column([*rates, self._velocities])):
            raise ModelError(
                f"contact {contact.name}: its gap depends on a velocity; give a distance"
            )
        rate = ca.SX(0)
        for key, q in self._by_value.items():
            if key in symbols:
                rate += gradient(contact.gap, q.value) * self._model.rate_of(q)
        for value, speed in self._places():
            if depends(contact.gap, value):
                rate += ca.dot(gradient(contact.gap, value), speed)
        if not depends(rate, self._velocities):
            raise ModelError(f"contact {contact.name}: its gap {contact.gap} depends on no place")
        return rate

    def _places(self) -> Iterable[tuple[ca.SX, ca.SX]]:
        """Symbols that change with the nodes, and those of coordinates without a role."""
        for node in self._model.nodes.values():
            yield node.changing, node.change
            for i, c in enumerate(node.quantities):
                if c.role is None:
                    yield c.value, node.velocities[i]
