"""Functions of a model that share values of its derivative, and these values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca

from mbcore.codegen.program import Program

MEASURES = "conditioning"
CHECKED = "virtual_power"
REFINING = "power_error"
"""It is called near singular configurations alone, so that no value is stored for it."""
INDICATORS, FREE_INDICATORS = "indicator", "free_indicator"
_SHARED = 0.5
"""Fraction of the derivative's values that a function must need to share them."""
_SEARCHES = ("newton", "place")
"""Functions of the position problem: they are asked at places where the derivative is not."""
_MORE = 0.25
"""Relative length that conditioning measures may add to the derivative."""
LONG = 5000
"""Statements of measures that are not written a second time beside the derivative's."""


def shared_values(merged: Program, base_name: str) -> tuple[set[str], list[int]]:
    """Return functions that share values of the derivative, and the values that they need."""
    base = set(merged.computed(merged.results[base_name]))
    shares: set[str] = set()
    used: set[int] = set()
    for name, results in merged.results.items():
        needed = set(merged.computed(results))
        if name in (base_name, *_SEARCHES) or len(needed & base) <= _SHARED * len(base) or not base:
            continue
        shares.add(name)
        if name != REFINING:
            used |= used_values(merged, results, base_name)
    return shares, sorted(used)


def used_values(merged: Program, results: list[list[int]], base_name: str) -> set[int]:
    """Return the derivative's values from which results are computed."""
    base = set(merged.computed(merged.results[base_name]))
    own = set(merged.computed(results)) - base
    used = {of for v in own for of in merged.operations[v].of if of in base}
    return used | {v for result in results for v in result if v in base}


def first_of_check(
    merged: Program, shares: set[str], cached: Sequence[int], base_name: str
) -> tuple[list[int], int]:
    """Return shared values, those of the check of virtual power first, and how many these are."""
    if CHECKED not in shares:
        return list(cached), 0
    first = used_values(merged, merged.results[CHECKED], base_name)
    return [*sorted(first), *(v for v in cached if v not in first)], len(first)


def knows_indicators(functions: Mapping[str, ca.Function], merged: Program, base_name: str) -> bool:
    """Return whether most values of indicators are the derivative's, though few of all those."""
    if not {INDICATORS, FREE_INDICATORS} <= set(functions):
        return False
    same = functions[INDICATORS] is functions[FREE_INDICATORS]
    needed = set(merged.computed(merged.results[INDICATORS]))
    base = set(merged.computed(merged.results[base_name]))
    return same and len(needed & base) > _SHARED * len(needed) > 0


def gives_measures(merged: Program, base_name: str) -> bool:
    """Return whether conditioning measures add little to the derivative."""
    if MEASURES not in merged.results:
        return False
    base = merged.computed(merged.results[base_name])
    missing = set(merged.computed(merged.results[MEASURES])) - set(base)
    return 0 < len(missing) < _MORE * len(base)


def measures_alone(merged: Program, measured: bool) -> bool:
    """Return whether the text of the rates gives conditioning measures alone, too.

    That is done where these are long.
    """
    if not measured or merged.branches:
        return False
    return len(merged.computed(merged.results[MEASURES])) >= LONG
