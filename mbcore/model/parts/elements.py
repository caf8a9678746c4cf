"""The elements of a model."""

from __future__ import annotations

from typing import NoReturn

from mbcore.model.checks import Check
from mbcore.model.element import AnyElement, Element, Owner
from mbcore.model.errors import ModelError
from mbcore.model.interface.declared import named
from mbcore.model.near_names import unknown
from mbcore.model.nodes.symbol_registry import SymbolRegistry
from mbcore.model.parts.nodes import Nodes
from mbcore.model.quantities import Role
from mbcore.model.statements import Limit
from mbcore.model.variables import Requirement


class Elements(dict[str, Element]):
    """Elements by name.

    Parameters
    ----------
    nodes : Nodes
        Those that elements may connect.
    symbols : SymbolRegistry
        Where the symbols of deformations and slips are registered.
    """

    def __init__(self, nodes: Nodes, symbols: SymbolRegistry) -> None:
        super().__init__()
        self._nodes, self._symbols = nodes, symbols

    def __missing__(self, name: object) -> NoReturn:
        raise KeyError(unknown("element", name, self))

    def add(self, element: AnyElement, model: Owner) -> AnyElement:
        """Add an element to its ``model``, and make its deformations and slips.

        Raises
        ------
        ModelError
            If it is not an element, its name exists, or one of its nodes belongs to another model.
        """
        if not isinstance(element, Element):
            raise ModelError(
                f"model {model.name}: {element!r} is not an element; make one, as in "
                "model.add(Truss('rod', p, q)); nodes are in the model already"
            )
        named(self.get(element.name, element).kind, element.name, self)
        for node in element.nodes():
            self._nodes.refuse_strange(f"element {element.name}", node)
        # An element may ask its model while it states formulas, and is added only if that succeeds.
        element.model = model
        element.make_quantities()
        self[element.name] = element
        for quantity in (*element.deformations.values(), *element.slips.values()):
            self._symbols.add(quantity)
        for slip in element.slips.values():
            slip.model = model
        return element

    def checks(self) -> list[Check]:
        """Return the checks that wait for the parameters' start values."""
        return [check for element in self.values() for check in element.checks]

    def limits(self) -> list[Requirement]:
        """Return the conditions of elements that can deform or slip."""
        found = []
        for element in self.values():
            # A rigid element keeps the shape that it starts with, so its limits hold or do not
            # hold once and for all; a relation moves with what it relates.
            rigid = all(
                q.role is Role.RIGID and q.relation is None for q in element.deformations.values()
            )
            if rigid and not element.slips:
                continue
            for key, stated in element.limits().items():
                limit = Limit(*stated)
                found.append(
                    Requirement(
                        f"{element.name}.{key}",
                        limit.condition,
                        limit.message,
                        limit.condition if limit.shown is None else limit.shown,
                        severity=limit.severity,
                        followed=limit.followed,
                    )
                )
        return found
