"""Which nodes elements place: first all that need no tear, then those that open a loop."""

from __future__ import annotations

from mbcore.equations.blocks import SMALL, Entries
from mbcore.equations.dynamics import VelocityProblem
from mbcore.equations.ordering import Pattern, dependency_order
from mbcore.equations.relations import Relations, explicit_placements, torn_placements
from mbcore.equations.speeds import SpeedAssembly


def choose_placements(A: SpeedAssembly) -> Relations:
    """Return the relations of a model: a loop gets tears where they make its unknowns fewer."""
    placed = explicit_placements(A)
    while True:
        relations = Relations(A, placed)
        more = torn_placements(A, placed, _in_large_parts(relations))
        if more is None:
            return relations
        placed = more


def _in_large_parts(relations: Relations) -> set[int]:
    """Columns of parts of the velocity problem that are too large to be solved as they are."""
    problem = VelocityProblem(relations)
    pattern = Pattern(
        [set(row) for row in Entries(problem.J).by_row], relations.groups(kinematic=False)
    )
    parts = dependency_order(pattern)
    single = [p for p in parts if not (len(p.groups) == 1 and len(p.groups[0]) == len(p.rows))]
    return {j for p in single if p.placed or len(p.rows) > SMALL for j in p.columns}
