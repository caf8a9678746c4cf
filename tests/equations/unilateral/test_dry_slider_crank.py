"""A slider-crank with a dry clearance that sticks: work, and cost at loose tolerances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.simulation.sticking import FIRST, FRICTIONS, TURN, crank, first
from mbcore import Equations, simulate

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def equations() -> Equations:
    return crank("linear", FRICTIONS["exact"])


def test_kinetic_energy_is_the_work_of_drive_contact_and_friction(equations: Equations) -> None:
    accuracy: dict[str, Any] = {"backend": "c", "rtol": 1e-11, "atol": 1e-13}
    run = simulate(equations, 100 * TURN, samples=200, **accuracy)
    balance = run["energy"] + run["rubbed"] + run["pressed"] - run["driven"]
    assert np.ptp(balance) < 1e-8 * run.final("rubbed")


def test_what_sticks_does_not_come_loose_by_errors_of_loose_tolerances(
    equations: Equations,
) -> None:
    """Each contact that sticks begins to slide once, by the force that exceeds its friction."""
    tight, loose = first(equations, 1e-11), first(equations, 1e-6)
    begun = [[name for _, name in run.events if name.endswith(".slides")] for run in (tight, loose)]
    assert len(begun[0]) == len(begun[1]) > 0
    assert loose["joint.x"] == pytest.approx(tight["joint.x"], abs=1e-6)
    assert tight.time[-1] == FIRST
