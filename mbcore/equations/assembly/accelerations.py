"""Accelerations of deformations for outputs and events; they are refused in forces and motions."""

from __future__ import annotations

from collections.abc import Iterator

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, symbolic
from mbcore.model.kinks import jtimes
from mbcore.model.quantities import Deformation
from mbcore.model.system import System


def observed_accelerations(A: Assembly) -> list[tuple[ca.SX, ca.SX]]:
    """Return pairs (symbol, expression in velocities and accelerations) for outputs and events.

    The expression is ε̈ = D'(x) a + (D''(x) v) v, for every role; it is made only for symbols in
    outputs, requirements and events.
    """
    model = A.model
    observed = [o.expression for o in model.outputs.values()]
    observed += [e for r in model.requirements.values() for e in (r.expression, r.shown)]
    observed += [e.indicator for e in model.events.values()]
    observed += [v for e in model.events.values() for _, v in (*e.rising, *e.falling)]
    found = _by_symbol(model)
    used = [found[h] for h in _symbols(column(map(symbolic, observed))) if h in found]
    pairs = []
    for q in used:
        # Over places: a relation over states and unknown values would lack the rates of these.
        relation = A.relations.get(q.name)
        rate = A.rate(q) if relation is None else A.along(Assembly.related(A, relation))
        if depends(rate, column(s.rate for s in A.signals)):
            raise ModelError(
                f"{q.name}: its acceleration is not available, because its relation contains time, "
                "inputs or auxiliary states; show those of the deformations in it"
            )
        pairs.append((q.acceleration, A.along(rate) + jtimes(rate, A.v, A.a)))
    return pairs


def refuse_accelerations(model: System) -> None:
    """Refuse accelerations in laws, loads, motions, gaps and auxiliary states.

    Raises
    ------
    ModelError
        Naming where, which acceleration, and what to do.
    """
    symbols = {h: q.acceleration.name() for h, q in _by_symbol(model).items()}
    for node in model.nodes.values():
        for symbol in ca.vertsplit(ca.vertcat(node.accelerations, node.speed_rates)):
            symbols[symbol.element_hash()] = symbol.name()
    for what, expression, remedy in _moving(model):
        for key in _symbols(expression):
            if key in symbols:
                raise ModelError(
                    f"{what} depends on the acceleration {symbols[key]}, which follows from it in "
                    f"turn; {remedy}, and show accelerations in outputs only"
                )


def _moving(model: System) -> Iterator[tuple[str, ca.SX, str]]:
    """Expressions that determine accelerations, each with its name and what to write instead."""
    values = "use values, rates and slips; a force in proportion to an acceleration is a mass"
    for q in (*model.deformations(), *model.slips()):
        for law in q.laws:
            yield f"{q.name}: its law", law, values
        if isinstance(q, Deformation):
            yield f"{q.name}: its motion", ca.SX(q.target), "use time, inputs and states"
    for load, velocity in model.loads:
        yield f"model {model.name}: a load on {velocity}", ca.SX(load), values
    for name, (_, derivative) in model.states.items():
        yield f"state {name}: its derivative", ca.SX(derivative), "use values, rates and slips"
    for contact in model.contacts.values():
        yield f"contact {contact.name}: its gap", ca.SX(contact.gap), "give a distance"


def _by_symbol(model: System) -> dict[int, Deformation]:
    every = [*model.deformations(), *model.coordinates()]
    return {q.acceleration.element_hash(): q for q in every}


def _symbols(expression: ca.SX) -> list[int]:
    return [symbol.element_hash() for symbol in ca.symvar(symbolic(expression))]
