"""Symbols in users' expressions that belong to nothing in the model, and their refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, hashes
from mbcore.model.nodes.node import Coordinate
from mbcore.model.system import System

Settle = Callable[[ca.SX], ca.SX]


def refuse_stray_symbols(A: Assembly, settled: Settle, known: ca.SX) -> None:
    """Refuse laws, loads, outputs, states and events with symbols that are not the model's.

    Only expressions with a symbol other than the model's usual ones are settled, and all of them
    at once: a common part, perhaps the whole dynamics, is then visited once.

    Parameters
    ----------
    settled : callable
        Returns a user's expression as a function of ``known``.
    known : SX
        Arguments of the equations' functions.

    Raises
    ------
    ModelError
        Naming the law, load, state, event, output or requirement, its symbols and what to do.
    """
    model = A.model
    arguments = hashes(known)
    common = arguments | hashes(column(_common(A)))
    unusual = [
        (owner, expression) for owner, expression in _written(A) if not hashes(expression) <= common
    ]

    def strays(expression: ca.SX) -> list[ca.SX]:
        left = A.in_coordinates(settled(expression))
        return [s for s in ca.symvar(left) if s.element_hash() not in arguments]

    if not unusual or not strays(column(ca.vec(expression) for _, expression in unusual)):
        return
    for owner, expression in unusual:
        stray = strays(expression)
        if stray:
            names = ", ".join(sorted({s.name() for s in stray}))
            raise ModelError(
                f"model {model.name}, {owner}: unknown symbols {names}; {_remedy(model, stray)}"
            )


def _common(A: Assembly) -> Iterator[ca.SX]:
    for node in A.model.nodes.values():
        yield from (node.changing, node.velocities, node.speeds)
    for q in A.quantities():
        yield q.rate
        yield q.dual
    for q in (*A.model.deformations(), *A.model.coordinates()):
        yield from (q.value, q.rate)
    for c in A.model.coordinates():
        if c.fixed is not None:
            yield c.reaction


def _written(A: Assembly) -> Iterator[tuple[str, ca.SX]]:
    """Users' expressions with their names; forces first, since others depend on them."""
    model = A.model
    for q in A.quantities():
        for law in q.laws:
            yield f"law on {q.name}", law
    for force, velocity in model.loads:
        yield f"load on {velocity}", force
    for name, (_, derivative) in model.states.items():
        yield f"derivative of state {name}", derivative
    for name, event in model.events.items():
        yield f"indicator of event {name}", event.indicator
    for name, output in model.outputs.items():
        yield f"output {name}", output.expression
    for name, requirement in model.requirements.items():
        yield f"requirement {name}", requirement.expression


def _remedy(model: System, stray: list[ca.SX]) -> str:
    """Return what to write instead."""
    keys = {s.element_hash() for s in stray}
    for c in model.coordinates():
        if c.dual.element_hash() in keys:
            return _of_coordinate(c)
    return (
        "they belong to no quantity of this model, but perhaps to another model or to an element "
        "that was not added; use symbols of this model's parameters, inputs, states and "
        "handles only"
    )


def _of_coordinate(c: Coordinate) -> str:
    if c.fixed is not None:
        return f"{c.name} is fixed and its support's force is {c.name}.reaction, so use that"
    return (
        f"{c.name} has no role and so no stress; make it a constraint or a degree of freedom, or "
        "use the stress of the element that acts on it"
    )
