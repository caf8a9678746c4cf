"""Relations between deformations: the quantities in them, and their rates.

A relation is written in symbols of quantities. It is differentiated by their rates, not through
their formulas, because a value may be a state or an unknown of its own: an angle of many turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore.model.expressions import column, depends, replace
from mbcore.model.kinks import gradient
from mbcore.model.nodes.nodes import Coordinate
from mbcore.model.nodes.symbol_registry import SymbolRegistry
from mbcore.model.quantities import Deformation, Quantity, Role
from mbcore.model.system import System


@dataclass(frozen=True)
class Signal:
    """Time, an input or an auxiliary state in a relation, and the symbol of its rate."""

    symbol: ca.SX
    rate: ca.SX


def signals_of(model: System) -> list[Signal]:
    """Return time, inputs and auxiliary states in relations, one signal each."""
    relations = column(ca.SX(q.relation) for q in related(model))
    given = [model.time, *(i.symbol for i in model.inputs.values())]
    given += [record.symbol for record, _ in model.states.values()]
    found = [symbol for symbol in given if depends(relations, symbol)]
    return [Signal(symbol, ca.SX.sym(f"{symbol}:rate")) for symbol in found]


def related(model: System) -> list[Quantity]:
    """Return the quantities that are defined by symbols of others, in the model's order."""
    quantities: list[Quantity] = [*model.deformations(), *model.slips()]
    return [q for q in quantities if q.relation is not None]


@dataclass(frozen=True)
class Relation:
    """A relation Φ in values of deformations; released relations in it are substituted.

    Attributes
    ----------
    expression : SX
        Φ, in ``value`` of ``quantities``, nodes' symbols, signals and parameters.
    quantities : list of Deformation
        Those with a role, each once.
    """

    expression: ca.SX
    quantities: list[Deformation]

    def slopes(self) -> list[tuple[Deformation, ca.SX]]:
        """Return ∂Φ/∂ε of each quantity, in symbols of values."""
        return [(q, gradient(self.expression, q.value)) for q in self.quantities]


def rates_of(
    relations: Sequence[Relation],
    of: Callable[[Deformation], ca.SX],
    along: Callable[[ca.SX], ca.SX],
) -> ca.SX:
    """Return dΦ/dt of relations, shape (k, 1), in symbols of values.

    Parameters
    ----------
    of : callable
        Returns the rate of a quantity.
    along : callable
        Returns the rates of expressions of nodes' symbols and signals, once for all.
    """
    if not relations:
        return ca.SX(0, 1)
    rates = ca.vertsplit(along(column(relation.expression for relation in relations)))
    for i, relation in enumerate(relations):
        for quantity, slope in relation.slopes():
            rates[i] += slope * of(quantity)
    return column(rates)


def relations_of(model: System) -> dict[str, Relation]:
    """Return the relations of a model by the names of their deformations."""
    found: dict[str, Relation] = {}
    for q in related(model):
        if isinstance(q, Deformation) and q.relation is not None:
            found[q.name] = _written_out(q.relation, model.symbols, found)
    return found


def _written_out(
    expression: ca.SX, registry: SymbolRegistry, known: dict[str, Relation]
) -> Relation:
    symbols, values = [], []
    used: dict[str, Deformation] = {}
    for q in registry.values_in(expression):
        inner = known.get(q.name) if q.role is Role.DEPENDENT else None
        if inner is not None:
            symbols.append(q.value)
            values.append(inner.expression)
            used.update((h.name, h) for h in inner.quantities)
        elif isinstance(q, Coordinate) and q.role is None:
            symbols.append(q.value)
            values.append(q.expression)
        else:
            used[q.name] = q
    return Relation(replace(expression, column(symbols), column(values)), list(used.values()))


def quantities_of(relations: Iterable[Relation]) -> list[Deformation]:
    """Return the quantities of several relations, each once."""
    return list({h.name: h for relation in relations for h in relation.quantities}.values())
