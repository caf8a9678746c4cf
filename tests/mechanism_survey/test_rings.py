"""Multipliers that close loops need no measure: they keep all digits where the loop's is large.

The equations' matrix [A, -Kᵀ; -K, -C] is regular wherever that of the closing conditions, K, is.
"""

import pytest

from tests.mechanism_survey.rings import found

REGULAR, TOLERABLE = 3e-3, 1e-8
"""The measure from which on accelerations have eight digits."""


def test_a_loop_of_a_joint_that_is_nearly_straight_keeps_its_digits() -> None:
    ring = found(6)  # bent by 1e-5 rad, with parts of 3e-5 of the others' mass
    assert ring.by_multipliers and ring.measure > REGULAR
    assert ring.error < TOLERABLE


@pytest.mark.heavy
def test_no_ring_loses_digits_by_its_multipliers() -> None:
    rings = [found(seed) for seed in (*range(12), *range(100, 112))]
    closed = [ring for ring in rings if ring.by_multipliers and ring.measure > REGULAR]
    assert len(closed) >= 8
    assert max(ring.error for ring in closed) < TOLERABLE
