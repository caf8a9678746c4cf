"""Forces of supports and of elements at nodes, from the equations of motion in their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.implicit_laws import CONSTRAINED
from mbcore.equations.assembly.speeds import SpeedAssembly
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace, total
from mbcore.model.kinks import gradient
from mbcore.model.nodes.nodes import Point
from mbcore.model.parts.reactions import Reaction, touched
from mbcore.model.quantities import Deformation, Quantity, Slip
from mbcore.model.system import System

Pairs = list[tuple[ca.SX, ca.SX]]
"""Symbols and their meanings."""


def support_reactions(assembly: Assembly, v: ca.SX, a: ca.SX, stresses: ca.SX) -> Pairs:
    """Return pairs (coordinate, force of the support) for the reactions in outputs and laws.

    [Schwab2002] (A.15) in the rows of fixed coordinates, at velocities ``v``, accelerations ``a``
    and ``stresses`` of the velocity problem's rows.
    """
    A, model = assembly, assembly.model
    used = column([*(o.expression for o in model.outputs.values()), A.implicit.laws])
    wanted = [f for f in A.fixed if depends(used, f[0].reaction)]
    if not wanted:
        return []
    for coordinate, *_ in wanted if isinstance(A, SpeedAssembly) else ():
        if coordinate.unit != "m" and coordinate.unit != "rad":
            raise ModelError(
                f"{coordinate.name}: the reaction on a single Euler parameter is no moment; give "
                "the stresses of a hinge to the fixed rotation instead"
            )
    place = column(x for _, x, _ in wanted)
    speed = column(s for _, _, s in wanted)
    needed = _to_move(A, model.elements.values(), place, speed)
    for velocity, action in A.actions():
        needed -= ca.jtimes(velocity, speed, action, True)
    for i, q in enumerate(A.velocity_rows):
        needed += ca.jtimes(A.nodal_rate(q), speed, stresses[i], True)
    reactions = replace(A.resolve(needed), column([A.v, A.a]), column([v, a]))
    return [(coordinate.reaction, reactions[i]) for i, (coordinate, _, _) in enumerate(wanted)]


def element_reactions(assembly: Assembly, v: ca.SX, a: ca.SX, stresses: ca.SX) -> Pairs:
    """Return pairs (force, its value) for the reactions of `mbcore.model.parts.reactions`.

    What elements pull with at a point is what [Schwab2002] (A.15) says of them alone in the
    point's rows: weight and stresses, less what it takes to move them.
    """
    A, found = assembly, []
    row = {q.name: i for i, q in enumerate(A.velocity_rows)}
    for reaction in A.model.reactions:
        point, elements = reaction.point, A.model.reactions.elements_of(reaction)
        if reaction.other is not None and reaction.body is None:
            _refuse_free_forces(A, reaction)
        elif reaction.owner:
            _refuse_relations(A, reaction, elements)
        force = -_to_move(A, elements, point.coordinates, point.velocities)
        for element in elements:
            for q in (*element.deformations.values(), *element.slips.values()):
                lawful = q.laws or q.name not in row
                stress = A.implicit.of(q) if lawful else stresses[row[q.name]]
                stress -= _driving(A.model, q)
                force -= ca.jtimes(A.nodal_rate(q), point.velocities, stress, True)
        value = replace(A.resolve(force), column([A.v, A.a]), column([v, a]))
        found.append((reaction.force, value))
    return found


def _driving(model: System, q: Quantity) -> ca.SX:
    """Return the force along a deformation or slip of loads, contacts, and what holds it."""
    assert isinstance(q, Deformation | Slip)
    rate = q.velocity if isinstance(q, Slip) else q.rate
    force = total(ca.jtimes(velocity, rate, load, True) for load, velocity in model.loads)
    for contact in model.contacts.values():
        if isinstance(q, Deformation):
            force += gradient(contact.gap, q.value) * contact.force
        if contact.sliding is not None:
            force += ca.jtimes(contact.sliding, rate, contact.tangential, True)
    if isinstance(q, Slip) and q.held is not None:
        force += q.held.multiplier
    return force


def _refuse_free_forces(assembly: Assembly, reaction: Reaction) -> None:
    """Refuse forces on a point of two sides that belong to none of its elements."""
    model, point = assembly.model, reaction.point
    moving = [i for i, c in enumerate(point.quantities) if c.fixed is None]
    speeds = column(point.velocities[i] for i in moving)
    if not moving:
        return
    if any(depends(velocity, speeds) for _, velocity in model.loads):
        reaction.refuse("a load")
    for contact in model.contacts.values():
        places = column(
            x for i in moving for x in (point.coordinates[i], point.quantities[i].value)
        )
        sliding = contact.sliding is not None and depends(contact.sliding, speeds)
        if depends(contact.gap, places) or sliding:
            reaction.refuse(f"contact {contact.name}")
    for i in moving:
        if point.quantities[i].laws or point.quantities[i].role in CONSTRAINED:
            reaction.refuse(f"the force on {point.quantities[i].name}")
    for element in _unseen(assembly, point):
        reaction.refuse(element.title)


def _refuse_relations(assembly: Assembly, reaction: Reaction, side: Iterable[Element]) -> None:
    """Refuse couplings that pull at a point through elements of a side, and are not on it."""
    known = tuple(side)
    values = [q.value for e in known for q in e.deformations.values()]
    rates = [q.rate for e in known for q in e.deformations.values()]
    through = column([*values, *rates, *(q.velocity for e in known for q in e.slips.values())])
    for element in _unseen(assembly, reaction.point):
        for q in (*element.deformations.values(), *element.slips.values()):
            if element not in known and q.relation is not None and depends(q.relation, through):
                raise ModelError(
                    f"{reaction.owner}: {element.title} pulls at {reaction.point.name} through "
                    f"elements on the side {_named(reaction)}, so the pin's force is not known; "
                    "give those of the other side as of=, or the pin a point of its own that "
                    "is fixed to one side"
                )


def _named(reaction: Reaction) -> str:
    side = reaction.side
    return "of of=" if isinstance(side, tuple) else f"of {side.name}"


def _unseen(assembly: Assembly, point: Point) -> Iterator[Element]:
    """Yield the elements that pull at a point without touching it."""
    moving = [i for i, c in enumerate(point.quantities) if c.fixed is None]
    speeds = column(point.velocities[i] for i in moving)
    for element in assembly.model.elements.values():
        if point in touched(element):
            continue
        for q in (*element.deformations.values(), *element.slips.values()):
            held = isinstance(q, Slip) and q.held is not None
            pulls = q.laws or q.role in CONSTRAINED or held
            if pulls and depends(assembly.nodal_rate(q), speeds):
                yield element
                break


def _to_move(A: Assembly, elements: Iterable[Element], place: ca.SX, speed: ca.SX) -> ca.SX:
    """Return the forces along ``speed`` that it takes to move elements, less their weight."""
    gravity = A.model.gravity
    parts = list(elements)
    energy = A.unplaced(total(e.kinetic_energy() for e in parts))
    momentum = ca.gradient(energy, speed)
    changing, change, speeds, speed_rates = A.all_motions()
    needed = (
        ca.jtimes(momentum, changing, change)
        + ca.jtimes(momentum, speeds, speed_rates)
        - ca.gradient(energy, place)
    )
    for element in parts:
        moment = element.first_moment()
        if gravity is not None and moment is not None:
            needed -= ca.gradient(ca.dot(gravity, moment), place)
    return needed
