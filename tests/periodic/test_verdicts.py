"""The verdict on an orbit's stability depends neither on segments nor on the tolerance."""

from __future__ import annotations

import pytest

from benchmarks.analyses.verdicts import orbits, told


@pytest.mark.parametrize(
    ("name", "segments"),
    [
        ("Duffing, between", 10),
        ("ball on a table, other phase", 10),
        # an impact leaves its segment on the way
        pytest.param("impact oscillator", 50, marks=pytest.mark.heavy),
    ],
)
def test_unstable_orbits_have_one_verdict(name: str, segments: int) -> None:
    # all of them, and all segments and tolerances: python -m benchmarks.analyses.verdicts
    _, apart, wrong = told(orbits()[name], (1, segments), (1e-11, 1e-6))
    assert not wrong
    assert apart < 10
