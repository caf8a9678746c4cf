"""Which nodes elements place: first all that need no tear, then those that open a loop."""

from __future__ import annotations

import casadi as ca

from mbcore.equations.blocks import SMALL
from mbcore.equations.configuration import position_jacobian
from mbcore.equations.entries import Entries
from mbcore.equations.ordering import Pattern, dependency_order
from mbcore.equations.relations import Relations, explicit_placements, torn_placements
from mbcore.equations.speeds import SpeedAssembly
from mbcore.equations.velocity import VelocityProblem


def choose_placements(A: SpeedAssembly) -> Relations:
    """Return the relations of a model: a loop gets tears where they make its unknowns fewer."""
    placed = explicit_placements(A)
    while True:
        relations = Relations(A, placed)
        more = torn_placements(A, placed, _in_large_parts(relations))
        if more is None:
            A.winding.update(relations.followed_values())
            return relations
        placed = more


def _in_large_parts(relations: Relations) -> set[int]:
    """Columns of parts of both problems that are too large to be solved as they are."""
    velocity = _large(VelocityProblem(relations).J, relations.groups(kinematic=False))
    if not relations.assembly.kinematic:
        return velocity
    return velocity | _large(position_jacobian(relations), relations.groups(kinematic=True))


def _large(J: ca.SX, groups: list[tuple[list[int], list[int]]]) -> set[int]:
    parts = dependency_order(Pattern([set(row) for row in Entries(J).by_row], groups))
    single = [p for p in parts if not (len(p.groups) == 1 and len(p.groups[0]) == len(p.rows))]
    return {j for p in single if p.placed or len(p.rows) > SMALL for j in p.columns}
