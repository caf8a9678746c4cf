"""Judge random bodies on up to six contacts that stick and slide::

    python -m tests.equations.unilateral.feet_survey --count 200

Chains in the plane are judged by all ways in which feet stick and slide, bodies in space by round
cones. Each draw is equal, stopped by name, or wrong; the command ends with 1 where one is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable

from mbcore import ModelError, SimulationError
from tests.contact.test_many_sticking_contacts import compared as planar
from tests.equations.unilateral.test_spatial_feet import compared as spatial

EQUAL = 1e-9
"""Largest error of accelerations, in parts of gravity."""


def in_plane(seed: int) -> tuple[float, str]:
    """Return the error of a chain, and whether any foot sticks."""
    error, sticking = planar(seed)
    return error, "with a foot that sticks" if sticking else "sliding"


def in_space(seed: int) -> tuple[float, str]:
    """Return the error of bodies in space, and whether all feet stick."""
    error, sticks = spatial(seed)
    return error, "sticking" if sticks else "with a foot that slides"


FAMILIES: dict[str, Callable[[int], tuple[float, str]]] = {"plane": in_plane, "space": in_space}


def survey(family: str, seeds: range) -> int:
    """Print what becomes of the draws, and return how many are wrong."""
    kinds, worst, wrong = Counter[str](), {"": 0.0}, 0
    for seed in seeds:
        try:
            error, kind = FAMILIES[family](seed)
        except (SimulationError, ModelError) as stopped:
            kinds["stopped by name"] += 1
            print(f"{family} {seed}: {stopped}", flush=True)
            continue
        kinds[kind] += 1
        worst[kind] = max(worst.get(kind, 0.0), error)
        if not error < EQUAL:
            wrong += 1
            print(f"{family} {seed}, {kind}: {error:.1e}", flush=True)
    for kind, count in kinds.items():
        print(f"{family}: {count} {kind}, largest error {worst.get(kind, 0.0):.1e}", flush=True)
    return wrong


def main() -> int:
    """Survey the seeds asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--families", nargs="*", choices=list(FAMILIES), default=list(FAMILIES))
    asked = parser.parse_args()
    seeds = range(asked.first, asked.first + asked.count)
    return int(any([survey(family, seeds) for family in asked.families]))


if __name__ == "__main__":
    sys.exit(main())
