"""What FMUs need of memory and threads: no more after a million steps, the same bytes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.conftest import FIXED_STEP, OK, Archives, Instance
from tests.fmi.calls.test_fmu_repeatability import STATM, resident_bytes

STEP, EACH = 1e-3, 1000
"""Size of a fixed step in s, and how many of them a communication step has."""


@pytest.mark.heavy
def test_a_million_fixed_steps_need_no_more_memory(archives: Archives) -> None:
    if not STATM.exists():
        pytest.skip(f"no {STATM} here to read the resident memory from")
    with Instance(archives["vehicle", "3.0"]) as fmu:
        given = {"solver.method": FIXED_STEP, "solver.step": STEP, "drive.force": 10.0}
        assert fmu.initialize(given) == OK
        begin = 0
        for k in range(1000):
            assert fmu.set({"steer.angle": 0.02 * (k % 7 - 3)}) == OK
            assert fmu.step(EACH * STEP) == OK, fmu.said
            if k == 100:
                begin = resident_bytes()
        # a number that each step left behind would be 7 MB; the interpreter's own garbage varies
        assert resident_bytes() - begin < 1_000_000


def driven(fmu: Instance) -> bytes:
    """Drive a caster by a torque that changes at each step; return all values at the end."""
    assert fmu.initialize({"swivel.angle": 0.3}) == OK
    for k in range(30):
        assert fmu.set({"swivel.torque": 0.01 * (k % 5)}) == OK
        assert fmu.step(0.1) == OK, fmu.said
    return fmu.bytes()


@pytest.mark.heavy
def test_a_hundred_instances_in_four_threads(archives: Archives) -> None:
    archive = archives["caster", "3.0"]
    with Instance(archive) as alone:
        expected = driven(alone)
    instances = [Instance(archive) for _ in range(100)]
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(driven, instances))
    for fmu in instances:
        fmu.fmu.freeInstance()
    assert made == [expected] * 100
