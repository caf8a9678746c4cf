"""How exactly parts rest under CVODE: the time of rest beside that of Co-Simulation."""

from __future__ import annotations

import math
from collections.abc import Iterable

from tests.conftest import OK, Instance
from tests.exchange_survey.alone import rest, rest_by_cvode
from tests.exchange_survey.masters import Cvode, run
from tests.exchange_survey.models import FAMILIES, Family, drawn
from tests.exchange_survey.unit import Unit
from tests.exchange_survey.verdict import EARLY, archive, ends, losses, reference

SOON = 1e-6
"""Difference of times that is asked for, s."""
ALONE = ("drop", "hung", "incline", "gate", "disk", "lively")
"""Families whose gap has the same law in all flights, so that CVODE can follow it alone."""


def off(family: Family, start: dict[str, float], version: str, tolerance: float) -> float:
    """Return how far off the time of rest is, s; of a lifted part, what its impacts have lost.

    The latter in parts of itself.
    """
    unit = archive(family.make().name, version)
    right = reference(unit, family, start)
    with Instance(unit, "ModelExchange") as instance:
        instance.enter_initialization(start)
        assert instance.call("ExitInitializationMode") == OK, instance.said
        run(Unit(instance), Cvode(tolerance), family.stop, family)
        (_, times), lost = ends(instance, family), losses(instance, family)
    if family.lifted:
        return max(abs(a / b - 1) for a, b in zip(lost, right.losses, strict=True))
    return max(abs(a - b) for a, b in zip(times, right.times, strict=True))


def off_alone(name: str, start: dict[str, float], tolerance: float) -> float:
    """Return how far off the time of rest is by CVODE alone, s; NaN where it cannot be."""
    make = FAMILIES[name].fall
    if name not in ALONE or make is None:
        return math.nan
    fall = make(start)
    return abs(rest_by_cvode(fall, start["e"], tolerance) - rest(fall, start["e"]))


def survey(seeds: Iterable[int], tolerance: float) -> int:
    """Print for each family whose sequence of impacts is determinate how exactly it rests.

    Returns 1 where one with constant forces is farther off than rounding explains.
    """
    found: dict[str, list[float]] = {}
    alone: dict[str, list[float]] = {}
    for seed in seeds:
        name, start = drawn(seed)
        if FAMILIES[name].determinate:
            version = "3.0" if seed // len(FAMILIES) % 2 else "2.0"
            found.setdefault(name, []).append(off(FAMILIES[name], start, version, tolerance))
            alone.setdefault(name, []).append(off_alone(name, start, tolerance))
    bad = 0
    print(
        f"CVODE, tolerance {tolerance:g}: models, within {SOON:g} s, farthest; by CVODE alone "
        f"within {SOON:g} s, farthest; of lifted parts, parts of what is lost"
    )
    for name, offs in found.items():
        soon, farthest = sum(late <= SOON for late in offs), max(offs)
        bad += FAMILIES[name].ballistic and farthest > EARLY
        by_itself = [sum(late <= SOON for late in alone[name]), max(alone[name])]
        print(
            f"{name:10s} {len(offs):4d} {soon:4d} {farthest:10.2g} "
            f"{by_itself[0]:4d} {by_itself[1]:10.2g}"
        )
    still = [late for name, offs in found.items() if not FAMILIES[name].driven for late in offs]
    soon = sum(late <= SOON for late in still)
    print(f"floors at rest: {soon} of {len(still)} within {SOON:g} s, farthest {max(still):.2g} s")
    return int(bad > 0)
