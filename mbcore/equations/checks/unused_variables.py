"""Inputs, parameters and auxiliary states that nothing uses: named in one warning.

A variable that no law, load or motion takes leaves a model that runs and does not respond. A
symbol in any expression of the model counts as used, also in shapes, because the page draws these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from types import FunctionType, MethodType, ModuleType

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.model import wording
from mbcore.model.errors import warn_user
from mbcore.model.expressions import column, hashes, symbolic
from mbcore.model.interface.interface import Interface
from mbcore.model.nodes.symbol_registry import SymbolRegistry
from mbcore.model.system import System
from mbcore.model.variables import Discrete, Input, Parameter, State

NOTHING_USES = "nothing uses it"
"""End of the description of such a variable in an FMU."""
LISTED = 8
"""Most names of a kind in the warning."""


def unused_variables(A: Assembly) -> dict[str, tuple[str, ...]]:
    """Return the names of parameters, inputs and auxiliary states that nothing uses, by kind.

    An auxiliary state that follows the mechanism's motion, or that importers see as an output, is a
    result by itself, and so is any state of a model without a mechanism. Another one is used where
    something that is used takes it, so a filter whose value is forgotten is unused, and so is its
    input. An input that is a rate belongs to the input whose rate it is.
    """
    model = A.model
    if not (model.parameters or model.inputs or model.states):
        return {}
    live = _live(A, hashes(column(map(_stacked, written(model)))))
    found = _missing(model, live)
    if any(found.values()):
        # Expressions that elements keep of their arguments, and shapes: longer to find, and seldom
        # needed.
        live = _live(A, live | hashes(column(map(_stacked, _kept(model)))))
        found = _missing(model, live)
    return {kind: names for kind, names in found.items() if names}


def warn_of_unused(name: str, unused: Mapping[str, tuple[str, ...]]) -> None:
    """Issue one ``ModelWarning`` that names all that nothing uses in the model ``name``."""
    if not unused:
        return
    each = [
        f"the {kind}{'s' * (len(names) > 1)} {wording.listed(names, LISTED)}"
        for kind, names in unused.items()
    ]
    many = sum(map(len, unused.values())) > 1
    take = "them" if many else "it"
    seen = '; a state that is only to be read gets visibility="output"' if "state" in unused else ""
    warn_user(
        f"{name}: nothing uses {wording.listed(each)}, so that {'their' if many else 'its'} values "
        f"change nothing; write {take} into a law, a load, a motion or an output, or leave {take} "
        f"out{seen}"
    )


def _missing(model: System, live: set[int]) -> dict[str, tuple[str, ...]]:
    rates = {record.rate.name for record in model.inputs.values() if record.rate is not None}
    unused_inputs = [r.name for r in model.inputs.values() if not _is_in(r.symbol, live)]
    return {
        "parameter": tuple(r.name for r in model.parameters.values() if not _is_in(r.symbol, live)),
        "input": tuple(name for name in unused_inputs if name not in rates),
        "state": tuple(r.name for r, _ in model.states.values() if not _is_in(r.symbol, live)),
    }


def _is_in(symbol: ca.SX, live: set[int]) -> bool:
    return symbol.element_hash() in live


def _live(A: Assembly, live: set[int]) -> set[int]:
    """Return the used symbols, with those in the derivatives of used auxiliary states."""
    model, live = A.model, set(live)
    # what motion does not reach; states that it does are taken out, one after the other
    aside = hashes(column([A.z, A.u, A.p, model.time])) if A.coordinates else set()
    left = [(record, hashes(derivative)) for record, derivative in model.states.values()]
    while True:
        read = [(r, within) for r, within in left if r.visibility == "output" or within - aside]
        aside -= {record.symbol.element_hash() for record, within in read if within - aside}
        used = read or [pair for pair in left if _is_in(pair[0].symbol, live)]
        if not used:
            return live
        names = {record.name for record, _ in used}
        left = [pair for pair in left if pair[0].name not in names]
        for record, within in used:
            live |= within | {record.symbol.element_hash()}
            if record.start_input is not None:
                live.add(model.inputs[record.start_input].symbol.element_hash())


def _stacked(expression: ca.SX) -> ca.SX:
    return ca.vec(symbolic(expression))


def written(model: System) -> Iterator[ca.SX]:
    """Yield what users write: forces, motions, starts, outputs, events and requirements."""
    if model.gravity is not None:
        yield model.gravity
    for force, velocity in model.loads:
        yield from (force, velocity)
    for coordinate in model.coordinates():
        yield coordinate.start
    for q in model.deformations():
        yield from (q.target, q.expression)
    for quantity in (*model.deformations(), *model.slips()):
        yield from quantity.laws
    for element in model.elements.values():
        yield element.kinetic_energy()
        moment = element.first_moment()
        if moment is not None:
            yield moment
    yield from _shown(model)


def _shown(model: System) -> Iterator[ca.SX]:
    for output in model.outputs.values():
        yield output.expression
    for requirement in (*model.requirements.values(), *model.limits()):
        yield from (requirement.expression, requirement.shown)
    for event in model.interface.declared()["event"].values():
        yield event.indicator  # type: ignore[attr-defined]
        for _, value in (*event.rising, *event.falling):  # type: ignore[attr-defined]
            yield value


_PLAIN = (
    bool, int, float, complex, str, bytes, type(None), type, ModuleType, FunctionType, MethodType,
    Enum, ca.DM, ca.MX, ca.Function,
    SymbolRegistry, Interface, Parameter, Input, State, Discrete,  # these hold every variable
)  # fmt: skip


def _kept(model: System) -> Iterator[ca.SX]:
    """Yield all expressions that elements, nodes, contacts and shapes hold."""
    interface = model.interface
    parts = (interface.parameters, interface.inputs, interface.states, interface.discretes)
    seen = {id(part) for part in (*parts, interface.filters, interface.events, interface.outputs)}
    left: list[object] = [model]
    while left:
        item = left.pop()
        if isinstance(item, ca.SX):
            yield item
        if isinstance(item, (*_PLAIN, ca.SX)) or id(item) in seen:
            continue
        seen.add(id(item))
        left += getattr(item, "__dict__", {}).values()
        if isinstance(item, dict):
            left += item.values()
        elif isinstance(item, list | tuple | set | frozenset):
            left += item
