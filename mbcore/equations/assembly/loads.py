"""Loads and contacts of a model as forces with the velocities of their power, and gravity.

Used by `mbcore.equations.assembly.assembly` alone; it stands apart because all this is read
from the model before any index set exists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import casadi as ca

from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, hashes, replace, scalars
from mbcore.model.kinks import gradient, jtimes
from mbcore.model.nodes.nodes import Rotation
from mbcore.model.quantities.deformations import Deformation
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
    pressed, rubbed = pressing_actions(model), rubbing_actions(model)
    return [action for pair in zip(pressed, rubbed, strict=True) for action in pair if action]


def pressing_actions(model: System) -> list[Action]:
    """Return normal forces of unilateral contacts; errors as those of `contact_actions`."""
    rates = _Rates(model) if model.contacts else None
    return [(rates.of_gap(c), c.force) for c in model.contacts.values() if rates is not None]


def rubbing_actions(model: System) -> list[Action | None]:
    """Return tangential forces of unilateral contacts; None where there is no friction."""
    rates = _Rates(model) if model.contacts else None
    return [
        None if c.sliding is None else (rates.nodal(c.sliding), c.friction_force)
        for c in model.contacts.values()
        if rates is not None
    ]


def gravity_energy(model: System, place: Callable[[ca.SX], ca.SX]) -> ca.SX:
    """Potential energy of gravity, J; ``place`` replaces coordinates that are fixed.

    Raises
    ------
    ModelError
        If an element is planar and gravity spatial, or the other way round.
    """
    gravity, energy = model.gravity, ca.SX(0)
    if gravity is None:
        return energy
    for element in model.elements.values():
        moment = element.first_moment()
        if moment is None:
            continue
        if moment.shape != gravity.shape:
            raise ModelError(
                f"element {element.name} has {moment.numel()} dimensions, but gravity has "
                f"{gravity.numel()} components; give Model(gravity=) {moment.numel()}"
            )
        energy -= ca.dot(gravity, place(moment))
    return energy


class _Rates:
    """Rates of users' symbols over nodal velocities, found by the symbols that formulas contain."""

    def __init__(self, model: System) -> None:
        self._model = model
        deformations = model.deformations()
        self._by_rate = {q.rate.element_hash(): q for q in deformations}
        self._by_value = {q.value.element_hash(): (i, q) for i, q in enumerate(deformations)}
        self._by_velocity = {s.velocity.element_hash(): s for s in model.slips()}
        nodes = list(model.nodes.values())
        turning = [n.speeds for n in nodes if isinstance(n, Rotation)]
        self._velocities = hashes(column([*(n.velocities for n in nodes), *turning]))
        undecided = [c.rate for c in model.coordinates() if c.role is None]
        self._rates = hashes(column([*undecided, *(q.rate for q in deformations)]))
        changing = [
            pair
            for node in nodes
            for pair in zip(scalars(node.changing), scalars(node.change), strict=True)
        ]
        self._changes = {symbol.element_hash(): (symbol, change) for symbol, change in changing}
        self._places = {
            value.element_hash(): (i, value, speed)
            for i, (value, speed) in enumerate(self._all_places())
        }

    def _rate_of(self, deformation: Deformation) -> ca.SX:
        """Return D'(x) ẋ of a deformation over the nodal velocities that it contains."""
        keys = [s.element_hash() for s in ca.symvar(deformation.expression)]
        found = [self._changes[key] for key in keys if key in self._changes]
        symbols = column(symbol for symbol, _ in found)
        return jtimes(deformation.expression, symbols, column(change for _, change in found))

    def _holds_velocity(self, expression: ca.SX) -> bool:
        return bool(hashes(expression) & self._velocities)

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
                pairs.append((symbol, self._rate_of(self._by_rate[key])))
        found = replace(velocity, column(h for h, _ in pairs), column(e for _, e in pairs))
        if not self._holds_velocity(found):
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
        keys = hashes(contact.gap)
        if keys & (self._rates | self._velocities):
            raise ModelError(
                f"contact {contact.name}: its gap depends on a velocity; give a distance"
            )
        rate = ca.SX(0)
        for key in sorted(keys & self._by_value.keys(), key=lambda key: self._by_value[key][0]):
            q = self._by_value[key][1]
            rate += gradient(contact.gap, q.value) * self._rate_of(q)
        for key in sorted(keys & self._places.keys(), key=lambda key: self._places[key][0]):
            _, value, speed = self._places[key]
            rate += gradient(contact.gap, value) * speed
        if not self._holds_velocity(rate):
            raise ModelError(f"contact {contact.name}: its gap {contact.gap} depends on no place")
        return rate

    def _all_places(self) -> Iterable[tuple[ca.SX, ca.SX]]:
        """Symbols that change with the nodes, and those of coordinates without a role."""
        for node in self._model.nodes.values():
            yield from zip(scalars(node.changing), scalars(node.change), strict=True)
            for i, c in enumerate(node.quantities):
                if c.role is None:
                    yield c.value, node.velocities[i]
