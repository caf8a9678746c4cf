"""Values that are needed only while a condition holds, so that C leaves them out otherwise.

``if_else_zero(c, a)`` needs ``a`` only where ``c`` is not zero, and so do all values that nothing
but ``a`` needs. Where these are many, a branch saves more than it costs.

Used by `mbcore.codegen.program` alone; it stands apart because it knows nothing of C.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush

import casadi as ca

LEAST = 64
"""Number of values that are worth a branch, which costs some ten of them where it is mispredicted.
"""

Guard = frozenset[int]
"""Conditions, all of which must hold."""
ALWAYS: Guard = frozenset()


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
    found: dict[int, Guard] = dict.fromkeys(results, ALWAYS)
    for v in sorted(codes, reverse=True):
        for k, value in enumerate(needs[v]):
            here = found[v]
            if codes[v] == ca.OP_IF_ELSE_ZERO and k == 1:
                here = here | {needs[v][0]}
            found[value] = found.get(value, here) & here
    return _worthwhile({v: guard for v, guard in found.items() if guard and v in codes})


def _worthwhile(found: Mapping[int, Guard]) -> dict[int, Guard]:
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
    guard : mapping of int to frozenset of int
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
            # What is always needed first: so a run begins when all that it needs is there.
            here = min((g for g in ready if ready[g]), key=lambda g: (bool(g), ready[g][0]))
        v = heappop(ready[here])
        found.append(v)
        for user in users[v]:
            waiting[user] -= 1
            if not waiting[user]:
                heappush(ready.setdefault(guard.get(user, ALWAYS), []), user)
    return found
