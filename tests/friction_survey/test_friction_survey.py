"""Ten random mechanisms with friction, each judged by energy, accelerations and laws.

``python -m tests.friction_survey`` does the same for any number of them, with up to six bodies.
"""

import numpy as np
import pytest

from mbcore import simulate
from tests.friction_survey.described import modelled
from tests.friction_survey.drafts import rubbed
from tests.friction_survey.verdict import TIGHT, Found, compare, judged
from tests.mechanism_survey.verdict import WrongError

TEN = (0, 1, 3, 4, 5, 6, 7, 8, 16, 19)
"""Seeds with at most four bodies: pins, bearings, slides and screws."""
REVERSALS = (15, 158)
"""Sliding that turns back inside a long step, and where it is the degree of freedom of a loop on a
wheel that rolls on."""
ONE = 3
"""Of one body on a hinge."""


@pytest.mark.heavy
def test_ten_are_equal() -> None:
    found = [judged(seed, 4) for seed in TEN]
    assert [outcome.kind for outcome in found] == ["equal"] * len(TEN)
    facts = [outcome.facts["found"] for outcome in found]
    assert sum(fact.sticks for fact in facts if isinstance(fact, Found)) >= 3


@pytest.mark.heavy
@pytest.mark.parametrize("seed", REVERSALS)
def test_reversals_keep_the_energy(seed: int) -> None:
    assert judged(seed).kind == "equal"


def test_what_is_wrong_is_seen() -> None:
    made = rubbed(ONE, 4)
    run = simulate(modelled(made).equations(roles="auto"), 0.3, samples=31, progress=False, **TIGHT)  # type: ignore[arg-type]
    columns = {**run.columns, "time": run.time}
    found = Found()
    compare(made, columns, found)
    assert max(found.balance, found.acceleration, found.law) < 1e-9
    name = made.rubbings[0].name
    more = columns | {f"{name}.work": columns[f"{name}.work"] * (1 + 1e-6)}
    with pytest.raises(WrongError, match="energy misses"):
        compare(made, more, Found())
    stronger = columns | {f"{name}.force": columns[f"{name}.force"] * (1 + 1e-6)}
    with pytest.raises(WrongError, match="accelerations are wrong"):
        compare(made, stronger, Found())
    with pytest.raises(WrongError, match="gives the power"):
        compare(made, columns | {f"{name}.power": np.full(31, 1e-3)}, Found())
