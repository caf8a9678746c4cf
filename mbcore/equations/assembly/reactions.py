"""Forces of supports and of elements at nodes, from the equations of motion in their rows.

Elements pull along the speeds of a node with their own part of [Schwab2002] (A.15) in its rows:
weight and stresses, less the forces that move them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.implicit_laws import CONSTRAINED
from mbcore.equations.assembly.inertia import ElementInertia, element_inertia
from mbcore.equations.assembly.pull_checks import refuse_free_forces, refuse_relations
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, hashes, replace
from mbcore.model.kinks import gradient, jtimes
from mbcore.model.nodes.nodes import Node, Rotation
from mbcore.model.parts.reactions import Pull
from mbcore.model.parts.touching import is_fixed
from mbcore.model.quantities import Deformation, Quantity, Slip
from mbcore.model.tables import derivatives

Pairs = list[tuple[ca.SX, ca.SX]]
"""Symbols and their meanings."""
_ByHash = dict[int, list[tuple[ca.SX, ca.SX]]]
"""Formulas with their forces, by the hashes of the symbols in them."""


def reactions(assembly: Assembly, v: ca.SX, a: ca.SX, stresses: ca.SX) -> Pairs:
    """Return pairs (symbol, value) of all pulls, and of supports of single coordinates in use.

    Parameters
    ----------
    v, a : SX
        Velocities and accelerations to write them in, in the place of those of the assembly.
    stresses : SX
        Of the velocity problem's rows.
    """
    A = assembly
    forces = NodalForces(A, stresses)
    found = _supports_of_coordinates(A, forces)
    found += [(pull.force, _of_pull(A, forces, pull)) for pull in A.model.reactions]
    if not found:
        return []
    symbols, values = column(s for s, _ in found), column(value for _, value in found)
    return [(symbols, replace(A.resolve(values), column([A.v, A.a]), column([v, a])))]


def _supports_of_coordinates(A: Assembly, forces: NodalForces) -> Pairs:
    """Return pairs (``reaction`` of a fixed coordinate, force of its support)."""
    used = hashes(column([*(o.expression for o in A.model.outputs.values()), A.implicit.laws]))
    found = []
    for node in A.model.nodes.values():
        wanted = [
            (i, c)
            for i, c in enumerate(node.quantities)
            if c.fixed is not None and c.reaction.element_hash() in used
        ]
        for i, coordinate in wanted:
            if isinstance(node, Rotation):
                raise ModelError(
                    f"{coordinate.name}: the reaction on a single Euler parameter is not a moment; "
                    f"output model.reaction({node.name}).moment"
                )
            found.append((coordinate.reaction, forces.of_support(node)[i]))
    return found


def _of_pull(A: Assembly, forces: NodalForces, pull: Pull) -> ca.SX:
    """Return the force of a pull."""
    if pull.side is None:
        return forces.of_constraints(pull.node)
    if pull.in_joint:
        sign, elements, supported = A.model.reactions.in_joint(pull)
        force = sign * forces.of_elements(elements, pull.node)
        return force + sign * forces.of_constraints(pull.node) if supported else force
    elements = A.model.reactions.elements_of(pull)
    if pull.other is not None and A.model.reactions.body(pull) is None:
        refuse_free_forces(A, pull)
    elif pull.whole:
        refuse_relations(A, pull, elements)
    return forces.of_elements(elements, pull.node)


class NodalForces:
    """Forces along the speeds of nodes, fixed ones included, before speeds are replaced.

    Parameters
    ----------
    assembly : Assembly
        The model, over speeds or over coordinates.
    stresses : SX
        Of the velocity problem's rows.
    """

    def __init__(self, assembly: Assembly, stresses: ca.SX) -> None:
        self._A, self._stresses = assembly, stresses
        self._row = {q.name: i for i, q in enumerate(assembly.velocity_rows)}
        self._inertias: dict[str, ElementInertia] = {}
        self._supports: dict[str, ca.SX] = {}

    def of_elements(self, elements: Iterable[Element], node: Node) -> ca.SX:
        """Return what elements pull with at a node, shape (n, 1)."""
        chosen = list(elements)
        force = -self._to_move(chosen, node)  # [Schwab2002] (A.15) of these elements alone
        for element in chosen:
            for q in (*element.deformations.values(), *element.slips.values()):
                rate = self._rate(element, q)
                if depends(rate, node.speeds):
                    stress = self._stress(q) + self._shared(q)
                    force -= derivatives.jtimes(rate, node.speeds, stress, True)
        return force

    def of_support(self, node: Node) -> ca.SX:
        """Return what supports all coordinates of a node, shape (n, 1)."""
        if node.name not in self._supports:
            A = self._A
            force = self._to_move(A.model.elements.values(), node)  # [Schwab2002] (A.15)
            for velocity, action in self._actions:
                if depends(velocity, node.speeds):
                    force -= derivatives.jtimes(velocity, node.speeds, action, True)
            for q, i in self._rows:
                rate = A.nodal_rate(q)
                if depends(rate, node.speeds):
                    force += derivatives.jtimes(rate, node.speeds, self._stresses[i], True)
            self._supports[node.name] = force
        return self._supports[node.name]

    def of_constraints(self, node: Node) -> ca.SX:
        """Return the force of the support, motion and laws of a node's own coordinates, (n, 1).

        Raises
        ------
        ModelError
            If it has none.
        """
        if isinstance(node, Rotation):
            if not is_fixed(node):
                raise ModelError(
                    f"reaction at {node.name}: it is not fixed, so no support carries a moment; "
                    "give a joint, or of=, the elements that pull at it"
                )
            return self.of_support(node)
        parts = [self._on_coordinate(node, i) for i in range(len(node.quantities))]
        if all(part is None for part in parts):
            raise ModelError(
                f"reaction at {node.name}: nothing supports it, because none of its coordinates is "
                "fixed, prescribed or has a law; give a joint, or of=, the elements that pull at it"
            )
        return column(ca.SX(0) if part is None else part for part in parts)

    def _on_coordinate(self, node: Node, i: int) -> ca.SX | None:
        coordinate = node.quantities[i]
        if coordinate.fixed is not None:
            return self.of_support(node)[i]
        if coordinate.laws or coordinate.role in CONSTRAINED:
            return -self._stress(coordinate)
        return None

    def _rate(self, element: Element, q: Quantity) -> ca.SX:
        """Return the rate of an element's quantity over the speeds of nodes.

        A deformation is differentiated by the element's own nodes, not by all of the model.
        """
        nodes = element.nodes()
        if not isinstance(q, Deformation) or q.relation is not None or not nodes:
            return self._A.nodal_rate(q)
        if q.short_rate is not None:
            return q.short_rate
        changing, change = (
            column(node.changing for node in nodes),
            column(n.change for n in nodes),
        )
        return jtimes(q.expression, changing, change)

    def _to_move(self, elements: Iterable[Element], node: Node) -> ca.SX:
        """Return the forces that it takes to move elements at a node, less their weight."""
        force = ca.SX.zeros(node.speeds.numel())
        gravity = self._A.model.gravity
        for element in elements:
            if node not in element.nodes():
                continue
            inertia = self._inertia(element)
            first = 0
            for other in inertia.nodes:
                if other is node:
                    break
                first += int(other.speeds.numel())
            rows = slice(first, first + int(node.speeds.numel()))
            force += inertia.M[rows, :] @ inertia.speed_rates + inertia.h[rows]
            moment = element.first_moment()
            if gravity is not None and moment is not None:
                rate = derivatives.jtimes(moment, node.changing, node.change)
                force -= derivatives.jtimes(rate, node.speeds, gravity, True)
        return force

    def _inertia(self, element: Element) -> ElementInertia:
        if element.name not in self._inertias:
            pairs = [
                pair
                for node in element.nodes()
                if isinstance(node, Rotation)
                for pair in node.coordinate_rates()
            ]
            rates = column(s for s, _ in pairs), column(rate for _, rate in pairs)
            made = element_inertia(element, lambda expression: replace(expression, *rates))
            self._inertias[element.name] = made
        return self._inertias[element.name]

    def _stress(self, q: Quantity) -> ca.SX:
        """Return the force of a quantity's laws or constraint."""
        lawful = q.laws or q.name not in self._row
        return self._A.implicit.of(q) if lawful else self._stresses[self._row[q.name]]

    def _shared(self, q: Quantity) -> ca.SX:
        """Return the stress along a quantity of all that is written in it, and of what holds it."""
        assert isinstance(q, Deformation | Slip)
        rate = q.velocity if isinstance(q, Slip) else q.rate
        stress = ca.SX(0)
        for velocity, force in self._velocities.get(rate.element_hash(), ()):
            stress += derivatives.jtimes(velocity, rate, force, True)
        if isinstance(q, Deformation):
            for formula, force in self._formulas.get(q.value.element_hash(), ()):
                stress += gradient(formula, q.value) * force
        if isinstance(q, Slip) and q.held is not None:
            stress -= q.held.multiplier
        return stress

    @cached_property
    def _velocities(self) -> _ByHash:
        """Velocities written in rates of quantities, with their stresses, by these rates."""
        model = self._A.model
        sliding = [c for c in model.contacts.values() if c.sliding is not None]
        written = [(slip.written, self._stress(slip)) for slip in model.slips()]
        return _by_hash(
            [
                *((velocity, -load) for load, velocity in model.loads),
                *((c.sliding, -c.friction_force) for c in sliding),
                *((velocity, stress) for velocity, stress in written if velocity is not None),
            ]
        )

    @cached_property
    def _formulas(self) -> _ByHash:
        """Relations and gaps written in values, with their stresses, by these values."""
        A = self._A
        of = {q.name: q for q in A.model.deformations()}
        relations = [(r.expression, self._stress(of[name])) for name, r in A.relations.items()]
        gaps = [(c.gap, -c.force) for c in A.model.contacts.values()]
        return _by_hash([*relations, *gaps])

    @cached_property
    def _actions(self) -> list[tuple[ca.SX, ca.SX]]:
        return self._A.actions()

    @cached_property
    def _rows(self) -> list[tuple[Quantity, int]]:
        return [(q, i) for i, q in enumerate(self._A.velocity_rows)]


def _by_hash(pairs: Iterable[tuple[ca.SX, ca.SX]]) -> _ByHash:
    found: _ByHash = {}
    for formula, force in pairs:
        for key in hashes(formula):
            found.setdefault(key, []).append((formula, force))
    return found
