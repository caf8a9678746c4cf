"""A hundred random mechanisms: their energy changes by the work done, or an error says why not.

`mechanism_survey.py` does the same for any number of them, with up to eight bodies.
"""

import pytest
from mechanism_survey import survey

GIVEN_UP = 600
"""Seconds that only a run without end takes, however busy the machine is."""
MOST_BODIES = 4


@pytest.mark.heavy
@pytest.mark.parametrize("first", range(0, 100, 10))
def test_energy_is_kept_or_an_error_says_why_not(first: int) -> None:
    found = [survey(seed, GIVEN_UP, MOST_BODIES) for seed in range(first, first + 10)]
    wrong = [o for o in found if o.kind not in ("kept", "refused", "stopped")]
    assert not wrong
    assert sum(o.kind == "kept" for o in found) >= 3
