"""Ten random mechanisms with friction, each judged by energy, accelerations and laws.

``python -m tests.friction_survey`` does the same for any number of them, with up to six bodies.
"""

import numpy as np
import pytest

from mbcore import simulate
from tests.friction_survey import verdict
from tests.friction_survey.described import modelled
from tests.friction_survey.drafts import rubbed
from tests.friction_survey.modes import FAR, solutions
from tests.friction_survey.verdict import TIGHT, Found, compare, judged
from tests.mechanism_survey.verdict import WrongError

TEN = (0, 1, 3, 4, 5, 6, 7, 8, 16, 19)
"""Seeds with at most four bodies: pins, bearings, slides and screws."""
MOVED = {
    15: ("turns back inside a long step", 3.0),
    158: ("is the degree of freedom of a loop on a wheel that rolls on", 3.0),
    179: ("begins where its law has a second solution, which would move it backwards", 0.5),
}
"""Seeds whose sliding needs care, why, and how long they are followed, s."""
REFUSED = {
    52: "no motion is admitted",
    112: "2 motions of one mode are admitted, with determinants 2.14, -0.139",
    161: "2 motions of one mode are admitted, with determinants 1.92, 2.69e-09",
}
"""Seeds that friction stops at the start, and one on the way, where a second solution comes from
infinity."""
ONE = 3
"""Of one body on a hinge."""


@pytest.mark.heavy
def test_ten_are_equal() -> None:
    """Each takes one to three seconds: it is moved twice in Python, once to its tenth change."""
    found = [judged(seed, 4) for seed in TEN]
    assert [outcome.kind for outcome in found] == ["equal"] * len(TEN)
    facts = [outcome.facts["found"] for outcome in found]
    assert sum(fact.sticks for fact in facts if isinstance(fact, Found)) >= 3


@pytest.mark.heavy
@pytest.mark.parametrize("seed", MOVED)
def test_sliding_that_needs_care(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to six bodies, moved in Python for 3 s at the tolerance 1e-12: 10 s for the longest."""
    until = MOVED[seed][1]
    monkeypatch.setattr(verdict, "ROWS", 1 + round((verdict.ROWS - 1) * until / verdict.UNTIL))
    monkeypatch.setattr(verdict, "UNTIL", until)
    monkeypatch.setattr(verdict, "TRANSITIONS", 1)  # long steps need the care, not short ones
    assert judged(seed).kind == "equal"


@pytest.mark.heavy
@pytest.mark.parametrize("seed", REFUSED)
def test_refusals_are_confirmed(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """161 is moved three times in Python to shortly before its stop, which takes some seconds."""
    monkeypatch.setattr(verdict, "NEARER", verdict.NEARER[-1:])  # the one that is looked at
    outcome = judged(seed)
    assert outcome.kind == "stopped"
    assert f"(confirmed, {REFUSED[seed]}" in outcome.message


@pytest.mark.parametrize(
    ("slope", "expected"),
    [(-3.0, [0.2, 1.0]), (3.0, []), (-1.0, [1 / 3]), (1.0, [1.0]), (-2.0, [0.25, FAR])],
)
def test_all_solutions_are_found(slope: float, expected: list[float]) -> None:
    """Of y = |1 + slope y|/2, by hand; at the slope -2 the second one comes from infinity."""
    start, rows = np.array([1.0]), [np.array([slope])]

    def levers(multipliers: np.ndarray) -> np.ndarray:
        return np.sqrt(multipliers**2 + 1e-200) / 2

    found = np.sort(np.array([y[0] for y in solutions(levers, start, rows)]))
    assert found == pytest.approx(np.array(expected), rel=1e-12)


def test_what_is_wrong_is_seen() -> None:
    made = rubbed(ONE, 4)
    equations = modelled(made).equations(roles="auto")
    run = simulate(equations, 0.3, samples=31, progress=False, max_step=0.03, **TIGHT)  # type: ignore[arg-type]
    columns = {**run.columns, "time": run.time}
    found = Found()
    compare(made, columns, found)
    assert max(found.balance, found.acceleration, found.law) < 1e-9
    name = made.rubbings[0].name
    more = columns | {f"{name}.work": columns[f"{name}.work"] * (1 + 1e-6)}
    with pytest.raises(WrongError, match="energy misses"):
        compare(made, more, Found())
    stronger = columns | {f"{name}.force0": columns[f"{name}.force0"] * (1 + 1e-6)}
    with pytest.raises(WrongError, match="accelerations are wrong"):
        compare(made, stronger, Found())
    with pytest.raises(WrongError, match="gives the power"):
        compare(made, columns | {f"{name}.power": np.full(31, 1e-3)}, Found())
