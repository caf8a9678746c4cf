"""Implicit laws: those of deformations and slips whose force depends on constraint forces.

Such a force acts on the constraint forces in turn, so it is an unknown of its own here, and
`mbcore.equations.implicit_forces` solves for it.

It stands apart from `mbcore.equations.assembly.assembly` because it reads the model's laws before
any force exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore.model.expressions import column, depends, total
from mbcore.model.quantities import Quantity, Role, Slip
from mbcore.model.system import System

CONSTRAINED = (Role.RIGID, Role.PRESCRIBED, Role.ZERO)
"""Roles whose forces follow from constraints."""


@dataclass(frozen=True)
class ImplicitLaws:
    """The nl implicit laws.

    Attributes
    ----------
    quantities : tuple of Quantity
        Those on which they act.
    titles : tuple of str
        What messages call the elements of these.
    forces, laws : SX
        Symbols of their forces, and what the laws say of these, in users' symbols, shape (nl, 1).
    loosens : SX
        Modes: 1 where a law goes on from the force that held its slip, shape (nl, 1).
    """

    quantities: tuple[Quantity, ...]
    titles: tuple[str, ...]
    forces: ca.SX
    laws: ca.SX
    loosens: ca.SX

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the quantities."""
        return tuple(q.name for q in self.quantities)

    def of(self, q: Quantity) -> ca.SX:
        """Return the force of a quantity's laws: a symbol where these are implicit."""
        if q.name in self.names:
            return self.forces[self.names.index(q.name)]
        return total(q.laws)


def constraint_forces(model: System) -> ca.SX:
    """Return the symbols of all forces that follow from constraints, shape (k, 1)."""
    found = [q.dual for q in (*model.deformations(), *model.slips()) if q.role in CONSTRAINED]
    found += [s.held.multiplier for s in model.slips() if s.held is not None]
    found += [c.reaction for c in model.coordinates() if c.fixed is not None]
    found += [reaction.force for reaction in model.reactions]
    for contact in model.contacts.values():
        found += [contact.force, contact.tangential]
    return column(found)


def implicit_laws(model: System, lawful: Sequence[Quantity]) -> ImplicitLaws:
    """Return the implicit laws on ``lawful`` quantities."""
    constrained = constraint_forces(model)

    def depending(quantities: Iterable[Quantity]) -> list[Quantity]:
        return [q for q in quantities if q.laws and depends(total(q.laws), constrained)]

    found = depending(lawful)
    of = {
        q.name: element.description
        for element in model.elements.values()
        for q in (*element.deformations.values(), *element.slips.values())
    }
    return ImplicitLaws(
        tuple(found),
        tuple(of.get(q.name, q.name) for q in found),
        column(ca.SX.sym(f"{q.name}:law") for q in found),
        column(total(q.laws) for q in found),
        column(_loosens(q) for q in found),
    )


def _loosens(q: Quantity) -> ca.SX:
    held = q.held if isinstance(q, Slip) else None
    return ca.SX(0) if held is None else held.loosens
