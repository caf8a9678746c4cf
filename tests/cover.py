"""Products of FMI version, interface, method and model, thinned to covers of all their pairs.

A fault that shows for one model, in one version or by one method alone is met by every cover of
single values, one that two of these bring about by every cover of pairs. The option
``--full-product`` runs all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import prod

import pytest

FACES = {"version", "interface"}
"""Parameters of which one at least is in a product that is thinned."""
LEAST = 3
"""Number of parameters of such a product."""

Row = Mapping[str, int]
"""Which value each parameter has."""


def numbered(cases: Sequence[Mapping[str, object]]) -> list[Row]:
    """Return cases with a number in place of each value, in the order in which they appear."""
    seen: dict[str, list[str]] = defaultdict(list)
    rows = []
    for case in cases:
        row = {}
        for name, value in case.items():
            values, written = seen[name], repr(value)
            if written not in values:
                values.append(written)
            row[name] = values.index(written)
        rows.append(row)
    return rows


def pairs(row: Row) -> set[tuple[tuple[str, int], ...]]:
    """Return the pairs of values of two parameters."""
    return set(combinations(sorted(row.items()), 2))


def is_product(rows: Sequence[Row]) -> bool:
    """Return whether rows are all combinations of values of the same parameters."""
    values: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        for name, value in row.items():
            values[name].add(value)
    return len(rows) == prod(map(len, values.values())) and all(
        row.keys() == values.keys() for row in rows
    )


def cover(rows: Sequence[Row]) -> set[int]:
    """Return indices of rows that have all pairs there are, preferring the first ones."""
    missing = set().union(*map(pairs, rows))
    chosen: set[int] = set()
    while missing:
        best = max(range(len(rows)), key=lambda i: (len(pairs(rows[i]) & missing), -i))
        chosen.add(best)
        missing -= pairs(rows[best])
    return chosen


def thinned(items: Sequence[pytest.Function]) -> list[pytest.Function]:
    """Return tests without those of a product that its cover of pairs can do without.

    Heavy ones are chosen last.
    """
    groups: dict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if hasattr(item, "callspec"):
            groups[item.nodeid.partition("[")[0]].append(item)
    dropped: set[str] = set()
    for group in groups.values():
        ordered = sorted(group, key=lambda item: item.get_closest_marker("heavy") is not None)
        rows = numbered([item.callspec.params for item in ordered])
        if len(rows[0]) >= LEAST and FACES & rows[0].keys() and is_product(rows):
            kept = cover(rows)
            dropped |= {item.nodeid for i, item in enumerate(ordered) if i not in kept}
    return [item for item in items if item.nodeid not in dropped]
