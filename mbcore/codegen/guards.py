"""Values that are needed only while a condition holds, so that C leaves them out otherwise.

``if_else_zero(c, a)`` needs ``a`` only where ``c`` is not zero, and so do all values that nothing
but ``a`` needs. Where these are many, a branch saves more than it costs.

Used by `mbcore.codegen.statements` and `mbcore.codegen.blocks`; it stands apart because it knows
nothing of C.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from heapq import heappop, heappush
from itertools import takewhile

import casadi as ca

LEAST = 64
"""Number of values that are worth a branch, which costs some ten of them where it is mispredicted.
"""

Guard = tuple[int, ...]
"""Conditions, all of which must hold, from the outermost one on."""
ALWAYS: Guard = ()


def guards(
    codes: Mapping[int, int], needs: Mapping[int, Sequence[int]], results: Iterable[int]
) -> dict[int, Guard]:
    """Return the conditions of each value that is needed only where none of these is zero.

    A condition may have conditions itself. Where these do not hold, it is zero.

    Parameters
    ----------
    codes : mapping of int to int
        CasADi's codes of the operations that give the values.
    needs : mapping of int to sequence of int
        The values that each of them takes, all less than its own number.
    results : iterable of int
        Values that are always needed.
    """
    found: dict[int, frozenset[int]] = dict.fromkeys(results, frozenset())
    implied = _implied(codes, needs)
    for v in sorted(codes, reverse=True):
        for k, value in enumerate(needs[v]):
            here = found[v]
            if codes[v] == ca.OP_IF_ELSE_ZERO and k == 1:
                here = here | implied(needs[v][0])
            found[value] = found.get(value, here) & here
    kept = _worthwhile({v: guard for v, guard in found.items() if guard and v in codes})
    return {v: tuple(sorted(guard)) for v, guard in kept.items()}


def _implied(
    codes: Mapping[int, int], needs: Mapping[int, Sequence[int]]
) -> Callable[[int], frozenset[int]]:
    """Return a function that says which conditions hold where one does, itself included."""

    @cache
    def implied(condition: int) -> frozenset[int]:
        outer = codes.get(condition) == ca.OP_IF_ELSE_ZERO
        others = implied(needs[condition][0]) if outer else frozenset[int]()
        return frozenset({condition}) | others

    return implied


def _worthwhile(found: Mapping[int, frozenset[int]]) -> dict[int, frozenset[int]]:
    """Leave out conditions that serve few values, and guards of few values."""
    served = Counter(condition for guard in found.values() for condition in guard)
    kept = {
        v: frozenset(c for c in guard if served[c] >= LEAST) for v, guard in found.items() if guard
    }
    sizes = Counter(kept.values())
    for guard in sorted(sizes, key=len, reverse=True):
        outer = guard
        while outer and sizes[outer] < LEAST:
            rarest = min(outer, key=lambda c: (served[c], c))
            sizes[outer - {rarest}] += sizes[outer]
            outer = outer - {rarest}
        if outer != guard:
            kept = {v: outer if own == guard else own for v, own in kept.items()}
    return {v: guard for v, guard in kept.items() if guard}


def places(
    codes: Mapping[int, int], needs: Mapping[int, Sequence[int]], guard: Mapping[int, Guard]
) -> dict[int, Guard]:
    """Return the conditions under which each value is computed: those of `guards`, or more.

    What is zero unless a condition holds is computed where that one guards what it takes, and is
    zero elsewhere.
    """
    found = dict(guard)
    for v, code in codes.items():
        if code == ca.OP_IF_ELSE_ZERO:
            condition, value = needs[v]
            inner = guard.get(value, ALWAYS)
            if condition in inner and set(guard.get(v, ALWAYS)) < set(inner):
                found[v] = inner
    return found


def in_runs(
    order: Sequence[int], needs: Mapping[int, Sequence[int]], guard: Mapping[int, Guard]
) -> list[int]:
    """Return an order in which values with one guard follow each other, as far as that can be.

    Parameters
    ----------
    order : sequence of int
        Values, each after those that it needs.
    needs : mapping of int to sequence of int
        The values that each of them takes, others included.
    guard : mapping of int to tuple of int
        Conditions of those that have some.
    """
    if not guard:
        return list(order)
    users: dict[int, list[int]] = {v: [] for v in order}
    waiting = dict.fromkeys(order, 0)
    for v in order:
        for value in {*needs[v], *guard.get(v, ALWAYS)} & users.keys():
            users[value].append(v)
            waiting[v] += 1
    ready: dict[Guard, list[int]] = {}
    for v in order:
        if not waiting[v]:
            heappush(ready.setdefault(guard.get(v, ALWAYS), []), v)
    found: list[int] = []
    here = ALWAYS
    while len(found) < len(order):
        if not ready.get(here):
            # What the outer conditions need first: so a run begins when all that it needs is there.
            here = min(
                (g for g in ready if ready[g]),
                key=lambda g: (-shared(here, g), len(g), ready[g][0]),
            )
        v = heappop(ready[here])
        found.append(v)
        for user in users[v]:
            waiting[user] -= 1
            if not waiting[user]:
                heappush(ready.setdefault(guard.get(user, ALWAYS), []), user)
    return found


def shared(one: Guard, other: Guard) -> int:
    """Return how many of their outermost conditions two guards have in common."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in same)
