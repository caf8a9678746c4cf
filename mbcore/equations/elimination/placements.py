"""The choice of placements: nodes that need no tear first, then those that open a loop."""

from __future__ import annotations

from mbcore.equations.assembly.speeds import SpeedAssembly
from mbcore.equations.elimination.blocks import SMALL
from mbcore.equations.elimination.entries import Entries
from mbcore.equations.elimination.ordering import Pattern, dependency_order
from mbcore.equations.elimination.relations import Placed, Relations
from mbcore.model.element import Element
from mbcore.model.nodes.nodes import Rotation


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
    velocity = _large(relations, kinematic=False)
    return (
        velocity | _large(relations, kinematic=True) if relations.assembly.kinematic else velocity
    )


def _large(relations: Relations, kinematic: bool) -> set[int]:
    rows = Entries(relations.jacobian(kinematic)).by_row
    parts = dependency_order(Pattern([set(row) for row in rows], relations.groups(kinematic)))
    single = [p for p in parts if not (len(p.groups) == 1 and len(p.groups[0]) == len(p.rows))]
    return {j for p in single if p.placed or len(p.rows) > SMALL for j in p.columns}


def explicit_placements(A: SpeedAssembly) -> list[Placed]:
    """Choose placements without a tear, each node once, without a circle; from ground outwards.

    Dependent deformations in couplings are not tears here: the coupling determines them.
    """
    chosen = _Choice(A)
    coupled = {q.name for q in A.coupled}
    candidates = [c for e in A.model.elements.values() for c in _candidates(A, e)]
    candidates = [c for c in candidates if all(q.name in coupled for q in c.tears)]
    known = {n for n, columns in A.columns.items() if not columns}
    pending = True
    while pending:
        pending = False
        for c in candidates:
            if {o.name for o in c.placement.others} <= known and chosen.take(c):
                known.add(c.placement.node.name)
                pending = True
    for c in candidates:
        chosen.take(c)
    return chosen.ordered()


def torn_placements(A: SpeedAssembly, placed: list[Placed], among: set[int]) -> list[Placed] | None:
    """Add placements with tears for nodes whose speeds are all in ``among``; None where none is.

    A node with a coordinate that has a role may be placed, too: that role is a condition then,
    which closes the loop. Conditions that find the rest of its coordinates would be singular where
    the node's element has turned.
    """
    if not among:
        return None
    chosen = _Choice(A)
    for p in placed:
        chosen.take(p)
    found = [c for e in A.model.elements.values() for c in _candidates(A, e, also_given=True)]
    found = [c for c in found if c.tears or c.given]
    found = [c for c in found if c.unknown <= among and len(c.tears) < len(c.unknown)]
    added = [chosen.take(c) for c in sorted(found, key=_unknown_left)]
    return chosen.ordered() if any(added) else None


def _unknown_left(c: Placed) -> tuple[bool, int]:
    """Order of torn placements: first those without a coordinate that has a role of its own."""
    return c.given, len(c.tears) - len(c.unknown)


class _Choice:
    """Placements taken so far: one for each node, no circle, each strain used once."""

    def __init__(self, A: SpeedAssembly) -> None:
        self._by_node: dict[str, Placed] = {}
        self._strains: set[str] = set()
        self._grounded = {n for n, columns in A.columns.items() if not columns}
        self._needed: set[str] = set()

    def take(self, c: Placed) -> bool:
        name = c.placement.node.name
        if name in self._by_node or not self._strains.isdisjoint(q.name for q in c.strains):
            return False
        others = [o.name for o in c.placement.others]
        circle = name in self._needed or name in others
        if circle and any(self._leads_to(other, name) for other in others):
            return False
        self._needed.update(others)
        if self._grounded.issuperset(others):
            self._grounded.add(name)
        self._by_node[name] = c
        self._strains |= {q.name for q in c.strains}
        return True

    def _leads_to(self, name: str, goal: str) -> bool:
        stack = [name]
        while stack:
            here = stack.pop()
            if here == goal:
                return True
            if here in self._by_node:
                stack += [o.name for o in self._by_node[here].placement.others]
        return False

    def ordered(self) -> list[Placed]:
        """Return them so that each comes after those it needs."""
        done: dict[str, None] = {}
        for start in self._by_node:
            stack = [start]
            while stack:
                name = stack[-1]
                others = self._by_node[name].placement.others
                ahead = [o.name for o in others if o.name in self._by_node and o.name not in done]
                if ahead:
                    stack += ahead
                else:
                    done[stack.pop()] = None
        return [self._by_node[name] for name in done]


def _candidates(A: SpeedAssembly, element: Element, also_given: bool = False) -> list[Placed]:
    found = []
    for placement in element.placements():
        node, columns = placement.node, A.columns[placement.node.name]
        if isinstance(node, Rotation) and node.freedom:
            continue
        strains = tuple(element.deformations[name] for name in placement.strains)
        zero = tuple(element.deformations[name] for name in placement.zero)
        whole = len(columns) == node.speeds.numel()
        fits = all(q.is_zero for q in zero)
        more = tuple(q for q in zero if q not in strains)
        candidate = Placed(placement, strains, tuple(columns), more)
        if whole and fits and (also_given or not candidate.given):
            found.append(candidate)
    return found
