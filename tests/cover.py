"""Products of FMI version, interface, method and model, thinned to covers of all their pairs.

A fault that shows for one model, in one version or by one method alone is met by every cover of
single values, one that two of these bring about by every cover of pairs. The first is enough where
the code that a test runs has parts for each of them and none for two, as the C of a model and that
of an FMI version: such a test is marked `apart`. The option ``--full-product`` runs all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import prod

import pytest

FACES = {"version", "interface"}
"""Parameters of which one at least is in a product that is thinned."""
LEAST = 3
"""Number of parameters of such a product."""

APART = "apart"
"""Mark of tests of which every value of each parameter is tried, and not every pair of them."""

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


def singles(rows: Sequence[Row]) -> set[int]:
    """Return indices of rows that have all values there are, each about as often as others.

    Those of the parameter with most values are in one row each.
    """
    missing = {value for row in rows for value in row.items()}
    used: Counter[tuple[str, int]] = Counter()
    chosen: set[int] = set()
    while missing:
        best = max(
            range(len(rows)),
            key=lambda i: (
                len(missing & rows[i].items()), -sum(used[value] for value in rows[i].items()), -i,
            ),
        )  # fmt: skip
        chosen.add(best)
        used.update(rows[best].items())
        missing -= rows[best].items()
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
        apart = ordered[0].get_closest_marker(APART) is not None
        if apart or (len(rows[0]) >= LEAST and FACES & rows[0].keys() and is_product(rows)):
            kept = singles(rows) if apart else cover(rows)
            dropped |= {item.nodeid for i, item in enumerate(ordered) if i not in kept}
    return [item for item in items if item.nodeid not in dropped]
