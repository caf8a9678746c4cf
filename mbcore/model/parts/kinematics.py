"""The quantities of a model's nodes and elements, and velocities as expressions of them."""

from __future__ import annotations

import casadi as ca

from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, hashes, replace
from mbcore.model.kinks import jtimes
from mbcore.model.nodes.nodes import Coordinate
from mbcore.model.nodes.symbol_registry import SymbolRegistry
from mbcore.model.parts.elements import Elements
from mbcore.model.parts.nodes import Nodes
from mbcore.model.quantities import Deformation, Slip
from mbcore.model.tables import derivatives


class Kinematics:
    """All deformations and slips of a model, wherever they come from.

    Parameters
    ----------
    nodes, elements
        Parts of the model.
    symbols : SymbolRegistry
        Which quantity each of their symbols stands for.
    """

    def __init__(self, nodes: Nodes, elements: Elements, symbols: SymbolRegistry) -> None:
        self._nodes, self._elements, self.symbols = nodes, elements, symbols

    def deformations(self) -> list[Deformation]:
        """Return all deformations: of elements, conditions of nodes, and coordinates in use."""
        found: list[Deformation] = []
        for element in self._elements.values():
            found += element.deformations.values()
        for node in self._nodes.values():
            found += node.conditions()
        # A coordinate without a role is an unknown of the position problem, no deformation.
        found += [c for c in self._nodes.coordinates() if c.role is not None]
        return found

    def slips(self) -> list[Slip]:
        """Return all slips: the elements', and the angular velocities of free rotations."""
        found = [slip for element in self._elements.values() for slip in element.slips.values()]
        return found + [slip for node in self._nodes.values() for slip in node.slips()]

    def rate_of(self, deformation: Deformation) -> ca.SX:
        """Return D'(x) ẋ of a deformation over all nodal velocities, with fixed ones."""
        nodes = self.symbols.nodes_in(deformation.expression)
        places = column(node.changing for node in nodes)
        return jtimes(deformation.expression, places, column(node.change for node in nodes))

    def linear_velocity(self, expression: ca.SX, what: str) -> ca.SX:
        """Return an expression that is linear in velocities, over those of nodes.

        Rates of deformations, velocities of slips and coordinates' symbols are replaced.

        Raises
        ------
        ModelError
            If it holds no velocity or is not linear in them; ``what`` names it.
        """
        present = hashes(expression)
        pairs = [(q.rate, self.rate_of(q)) for q in self.symbols.rates_in(expression)]
        pairs += [(s.velocity, s.expression) for s in self.symbols.velocities_in(expression)]
        spins = [spin for node in self._nodes.free_rotations() for spin in node.slips()]
        pairs += [(s.velocity, s.expression) for s in spins if s.velocity.element_hash() in present]
        values = self.symbols.values_in(expression)
        pairs += [(c.value, c.expression) for c in values if isinstance(c, Coordinate)]
        found = replace(expression, column(h for h, _ in pairs), column(e for _, e in pairs))
        velocities = column(self.symbols.speeds_in(found))
        if not depends(found, velocities):
            raise ModelError(
                f"{what}: {expression} holds no velocity; write it with velocities of nodes, rates "
                "of deformations or slips"
            )
        still = replace(found, velocities, ca.SX.zeros(velocities.numel()))
        # Linear means: a constant Jacobian, and no part that is left at rest.
        if (
            depends(derivatives.jacobian(found, velocities), velocities)
            or not ca.simplify(still).is_zero()
        ):
            raise ModelError(
                f"{what}: {expression} is not linear in velocities; each term must be a velocity "
                "times a factor without velocities"
            )
        return found
