"""Checks that a pin's force depends on nothing at its point that belongs to neither side.

Used by `mbcore.equations.assembly.reactions` alone; it stands apart because it derives no force.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.implicit_laws import CONSTRAINED
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends
from mbcore.model.nodes.nodes import Node
from mbcore.model.parts.reactions import Pull
from mbcore.model.parts.touching import touched
from mbcore.model.quantities import Slip


def refuse_free_forces(assembly: Assembly, pull: Pull) -> None:
    """Refuse forces on a point of two sides that belong to none of its elements."""
    model, point = assembly.model, pull.node
    moving = [i for i, c in enumerate(point.quantities) if c.fixed is None]
    speeds = column(point.velocities[i] for i in moving)
    if not moving:
        return
    if any(depends(velocity, speeds) for _, velocity in model.loads):
        pull.refuse("a load")
    for contact in model.contacts.values():
        places = column(
            x for i in moving for x in (point.coordinates[i], point.quantities[i].value)
        )
        sliding = contact.sliding is not None and depends(contact.sliding, speeds)
        if depends(contact.gap, places) or sliding:
            pull.refuse(f"contact {contact.name}")
    for i in moving:
        if point.quantities[i].laws or point.quantities[i].role in CONSTRAINED:
            pull.refuse(f"the force on {point.quantities[i].name}")
    for element in _unseen(assembly, point):
        pull.refuse(element.title)


def refuse_relations(assembly: Assembly, pull: Pull, side: Iterable[Element]) -> None:
    """Refuse couplings that pull at a point through elements of a side, and are not on it."""
    known = tuple(side)
    values = [q.value for e in known for q in e.deformations.values()]
    rates = [q.rate for e in known for q in e.deformations.values()]
    through = column([*values, *rates, *(q.velocity for e in known for q in e.slips.values())])
    for element in _unseen(assembly, pull.node):
        for q in (*element.deformations.values(), *element.slips.values()):
            if element not in known and q.relation is not None and depends(q.relation, through):
                raise ModelError(
                    f"{pull.owner}: {element.title} pulls at {pull.node.name} through "
                    f"elements on the side {_named(pull)}, so the pin's force is not known; "
                    "give those of the other side as of=, or the pin a point of its own that "
                    "is fixed to one side"
                )


def _named(pull: Pull) -> str:
    return f"of {pull.side.name}" if isinstance(pull.side, Node) else "of of="


def _unseen(assembly: Assembly, point: Node) -> Iterator[Element]:
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
