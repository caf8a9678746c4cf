"""Conditions of massless nodes: the laws and loads on each balance, by the forces of the model."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from mbcore.equations.assembly.loads import Action, loads
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace, total
from mbcore.model.quantities import Deformation, Quantity, Role
from mbcore.model.quantities.quantity import with_article
from mbcore.model.strangers import refuse_strangers
from mbcore.model.system import System
from mbcore.model.tables import derivatives


def massless_nodes(model: System) -> list[Element]:
    """Return the massless nodes of a model."""
    return [e for e in model.elements.values() if e.balanced_coordinates()]


def balance_massless_nodes(model: System) -> None:
    """Put the forces on massless nodes into their conditions.

    Raises
    ------
    ModelError
        If something other than laws and loads of places acts on one.
    """
    nodes = massless_nodes(model)
    if not nodes:
        return
    quantities: list[Quantity] = [*model.deformations(), *model.slips()]
    own = {q.name for e in nodes for q in e.deformations.values()}
    lawful = [q for q in quantities if q.laws]
    rates = {q.name: _rate(model, q) for q in quantities if q.name not in own}
    actions = [(rates[q.name], -total(q.laws)) for q in lawful] + loads(model)
    made_of = tuple(law for q in lawful for law in q.laws) + tuple(f for f, _ in model.loads)
    names = tuple(c.name for e in nodes for c, *_ in e.balanced_coordinates())
    forces = (*made_of, *names)
    for element in nodes:
        constraints = [q for q in quantities if q.name not in own and _is_condition(q)]
        _refuse_others(model, element, [(q, rates[q.name]) for q in constraints])
        _refuse_too_few(model, element, [(q, rates[q.name]) for q in lawful])
    if all(_same(forces, element.balanced_forces) for element in nodes):
        return  # other objects would make equations of before seem out of date
    for element in nodes:
        conditions = ca.vertsplit(_conditions(model, element, actions))
        for q, condition in zip(element.deformations.values(), conditions, strict=True):
            q.relation = condition
            q.expression = _in_nodes(model, condition)
    for group in _connected(nodes):
        balances = column(q.expression for e in group for q in e.deformations.values())
        places = column(p for e in group for _, p, _ in e.balanced_coordinates())
        stiffness: ca.SX | None = -derivatives.jacobian(balances, places)
        for element in group:
            together = [node.name for e in group for node in e.nodes()]
            element.take_balance(stiffness, forces, together)
            stiffness = None  # the first states the condition of all


def _connected(nodes: Sequence[Element]) -> list[list[Element]]:
    """Return the massless nodes in groups whose forces depend on each other's places."""
    groups: list[tuple[set[int], list[Element]]] = []
    for element in nodes:
        symbols = {p.element_hash() for _, p, _ in element.balanced_coordinates()}
        for q in element.deformations.values():
            symbols |= {s.element_hash() for s in ca.symvar(q.expression)}
        groups.append((symbols, [element]))
    places = {p.element_hash() for e in nodes for _, p, _ in e.balanced_coordinates()}
    joined: list[tuple[set[int], list[Element]]] = []
    for symbols, members in groups:
        symbols &= places
        meeting = [g for g in joined if g[0] & symbols]
        joined = [g for g in joined if not g[0] & symbols]
        every = [e for _, group in meeting for e in group] + members
        joined.append((symbols.union(*(g[0] for g in meeting)), every))
    return [sorted(group, key=nodes.index) for _, group in joined]


def _same(forces: Sequence[object], others: Sequence[object]) -> bool:
    return len(forces) == len(others) and all(
        one is other or (isinstance(one, str) and one == other)
        for one, other in zip(forces, others, strict=True)
    )


def _title(element: Element) -> str:
    """Return the kind, the name, and the node."""
    return f"{element.title}, {', '.join(node.name for node in element.nodes())}"


def _rate(model: System, q: Quantity) -> ca.SX:
    return model.rate_of(q) if isinstance(q, Deformation) else q.expression


def _is_condition(q: Quantity) -> bool:
    return q.role in (Role.RIGID, Role.PRESCRIBED, Role.ZERO)


def _refuse_others(
    model: System, element: Element, constraints: Sequence[tuple[Quantity, ca.SX]]
) -> None:
    """Refuse what holds, hits or loads a massless node by other than laws of places."""
    velocities = column(v for _, _, v in element.balanced_coordinates())
    title = _title(element)
    for coordinate, *_ in element.balanced_coordinates():
        role = coordinate.role
        if role is not None and role is not Role.DEPENDENT:
            raise ModelError(
                f"{title}: {coordinate.name} is {with_article(role)}, but a massless "
                "node follows from its springs; leave out that role"
            )
    for q, rate in constraints:
        if q.role is not None and depends(rate, velocities):
            raise ModelError(
                f"{title}: {q.name} is {with_article(q.role)} and acts on it, but the node is held "
                f"by laws alone; release {q.name} and give it a spring, or leave out the massless "
                "node"
            )
    for other in model.elements.values():
        if depends(other.kinetic_energy(), velocities):
            raise ModelError(f"{title}: {other.title} has mass there; leave out the massless node")
    places = column(p for _, p, _ in element.balanced_coordinates())
    for contact in model.contacts.values():
        if depends(_in_nodes(model, contact.gap), places):
            raise ModelError(
                f"{title}: contact {contact.name} acts on it; give the contact a compliant law, "
                "or the node mass"
            )


def _refuse_too_few(
    model: System, element: Element, laws: Sequence[tuple[Quantity, ca.SX]]
) -> None:
    """Refuse a node that fewer springs than coordinates hold, and no load pulls: it may turn."""
    velocities = column(v for _, _, v in element.balanced_coordinates())
    acting = [q.name for q, rate in laws if depends(rate, velocities)]
    loaded = any(depends(rate, velocities) for rate, _ in loads(model))
    count = velocities.numel()
    if acting and len(acting) < count and not loaded:
        raise ModelError(
            f"{_title(element)}: {', '.join(acting)} alone "
            f"{'acts' if len(acting) == 1 else 'act'} on its {count} coordinates, so it is free to "
            f"turn about the other ends; give it {count} springs, or fix the other coordinates"
        )


def _conditions(model: System, element: Element, actions: Sequence[Action]) -> ca.SX:
    """Return the force on each coordinate over the stiffness at the start, in m or rad.

    Raises
    ------
    ModelError
        If a law depends on velocities, or on what cannot move a mechanism, or none is there.
    """
    title = _title(element)
    velocities = column(v for _, _, v in element.balanced_coordinates())
    places = column(p for _, p, _ in element.balanced_coordinates())
    acting = [(rate, force) for rate, force in actions if depends(rate, velocities)]
    if not acting:
        raise ModelError(
            f"{title}: no law acts on it; release elongations of elements there and give them "
            "springs"
        )
    forces = derivatives.jtimes(
        column(rate for rate, _ in acting), velocities, column(f for _, f in acting), True
    )
    symbols = model.symbols
    moving: list[ca.SX] = [q.rate for q in symbols.rates_in(forces)]
    moving += [s.velocity for s in symbols.velocities_in(forces)] + symbols.speeds_in(forces)
    if moving:
        raise ModelError(
            f"{title}: a force on it depends on the velocity {moving[0]}; with a damper its place "
            "is a state: prescribe the coordinate by an auxiliary state whose derivative is the "
            "springs' force over the damping"
        )
    values = column(q.value for q in symbols.values_in(forces))
    refuse_strangers(title, forces, values, model)
    stiffness = derivatives.jacobian(_in_nodes(model, forces), places)
    size = _at_start(model, ca.norm_fro(ca.densify(stiffness)))
    if size.is_constant() and not float(size) > 0:
        raise ModelError(
            f"{title}: its springs have the stiffness {float(size):g} N/m at the start, so "
            "nothing says where it is; start it where they act, or give one that holds it"
        )
    return forces / size


def _in_nodes(model: System, expression: ca.SX) -> ca.SX:
    """Replace values of deformations by their formulas."""
    contained = model.symbols.values_in(expression)
    return replace(
        expression, column(q.value for q in contained), column(q.expression for q in contained)
    )


def _at_start(model: System, expression: ca.SX) -> ca.SX:
    """Return an expression at the start, a function of parameters alone."""
    pairs: list[tuple[ca.SX, object]] = [(model.time, 0.0)]
    pairs += [(i.symbol, i.start) for i in model.inputs.values()]
    pairs += [(record.symbol, record.start) for record, _ in model.states.values()]
    nodes = list(model.nodes.values())
    turning = [pair for n in nodes for pair in (*n.definitions(), *n.nodal_speeds())]
    there = replace(
        expression, column(s for s, _ in turning), column(value for _, value in turning)
    )
    for node in nodes:
        for i, coordinate in enumerate(node.quantities):
            pairs.append((node.coordinates[i], coordinate.start))
    return replace(there, column(s for s, _ in pairs), column(ca.SX(v) for _, v in pairs))
