"""Random mechanisms of many kinds, each equal to the judge's or refused by name.

Some of them have all pairs of kinds that a hundred have, which ``--full-product`` runs;
``python -m tests.mechanism_survey`` does the same for any number, with up to ten bodies.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from mbcore import simulate
from mbcore.evaluation.singularities import SingularityError
from mbcore.model.errors import SimulationError
from mbcore.results.result import Result
from tests.conftest import FURTHER
from tests.mechanism_survey.described import Described, measured
from tests.mechanism_survey.drafts import varied
from tests.mechanism_survey.maximal import Mechanism
from tests.mechanism_survey.verdict import (
    BEFORE,
    GOOD,
    Outcome,
    WrongError,
    check_course,
    compared,
    ended,
    judged,
    moved,
)
from tests.mechanism_survey.workers import outcomes

HANDFUL = (7, 20)
"""Seeds of which two bodies are equal, and quick."""


def test_a_handful_is_equal() -> None:
    found = [judged(seed, 2) for seed in HANDFUL]
    assert [outcome.kind for outcome in found] == ["equal"] * len(HANDFUL)
    assert max(outcome.error for outcome in found) < 1e-10


PAIRS = (5, 8, 10, 16, 17, 21, 22, 30, 42, 43, 44, 53, 67, 73, 75)
"""Seeds that have all kinds of parts, and all pairs of them, which the first hundred have."""
GROUPS = [
    pytest.param(PAIRS, id="pairs"),
    *(
        pytest.param(range(first, first + 10), id=str(first), marks=FURTHER)
        for first in range(0, 100, 10)
    ),
]


def most_bodies(seed: int) -> int:
    """Return how many bodies the mechanism of a seed has at most."""
    return 2 if seed % 4 else 3


@pytest.mark.heavy
def test_a_few_seeds_have_all_pairs_of_parts() -> None:
    pairs = {}
    for seed in range(100):
        made = varied(seed, most_bodies(seed))
        kinds = {type(part).__name__ for part in (*made.joints, *made.forces)}
        pairs[seed] = {*combinations(sorted(kinds), 2), *((kind, kind) for kind in kinds)}
    assert set().union(*(pairs[seed] for seed in PAIRS)) == set().union(*pairs.values())


@pytest.mark.heavy
@pytest.mark.parametrize("seeds", GROUPS)
def test_all_are_equal_or_refused_by_name(seeds: Sequence[int]) -> None:
    """Each takes a second: its equations, and a motion that is judged throughout."""
    found = [judged(seed, most_bodies(seed)) for seed in seeds]
    wrong = [outcome for outcome in found if outcome.kind not in GOOD]
    assert not wrong
    assert sum(outcome.kind == "equal" for outcome in found) >= 0.6 * len(seeds)


@pytest.mark.heavy
def test_a_loop_that_is_opened_stands_beside_one_that_is_not() -> None:
    # two beams' bodies with a bar, and a bar's hinge with a blade: once an IndexError
    made = varied(1068, 5)
    parts = [type(part).__name__ for part in (*made.joints, *made.forces)]
    assert parts == ["Axle", "Tie", "Blade", "Bar", "ElasticBeam", "ElasticBeam", "Load"]
    equations = Described(made).model.equations(roles="auto")
    error, message = moved(made, equations, 1068, 0.15)
    assert 0 < error < 1e-10 and not message


@pytest.mark.heavy
def test_a_loop_is_torn_anew_where_only_its_parts_become_singular() -> None:
    """A wheel leans until two of its conditions place its contact point no longer, at 0.4005 s.

    Its mechanism and its degrees of freedom stay as regular as they were. Accelerations were wrong
    by 1e-6 there, for what they are divided by was not watched.
    """
    made = varied(500007)
    equations = Described(made).model.equations(roles="auto")
    error, message = moved(made, equations, 500007, 0.42)
    assert 0 < error < 1e-10 and not message
    rates = np.random.default_rng([500007, 1]).standard_normal(equations.dofs)
    start = {q.name: float(v) for q, v in zip(equations.states, rates, strict=False)}
    run = simulate(equations, 0.42, start=start, samples=3, progress=False)
    assert {what for _, what in run.switches} == {"in another order"}
    assert run.switches[-1][0] == pytest.approx(0.4, abs=5e-4)
    with pytest.raises(SingularityError, match=r"order of elimination does not.*'switch'") as stop:
        simulate(equations, 0.42, start=start, samples=3, singular="stop", progress=False)
    assert stop.value.time == pytest.approx(0.400495, abs=2e-5)


def test_what_comes_before_a_stop_is_judged_to_its_end() -> None:
    """A motion that is stopped by name is judged as near to the stop as it can be run."""
    asked: list[float] = []

    def run(end: float) -> Result:
        asked.append(end)
        if end > 0.29999:
            raise SimulationError("a wheel falls flat at t = 0.3: it stands")
        return simulate(equations, end, samples=3, progress=False)

    equations = Described(varied(1, 2)).model.equations(roles="auto")
    found, end, message = ended(run, 0.5)
    assert message.endswith("it stands") and found.time[-1] == end
    assert end == 0.3 * (1 - BEFORE[2]) and len(asked) == 4


def motion() -> tuple[Mechanism, dict[str, np.ndarray], np.ndarray]:
    made = varied(1, 2)
    run = simulate(Described(made).model.equations(roles="auto"), 0.3, samples=31, progress=False)
    return made, dict(run.columns), run.time


def test_what_is_wrong_is_seen() -> None:
    made, columns, time = motion()
    assert compared(made, columns, time) < 1e-12
    heavier = replace(made.bodies[2], mass=made.bodies[2].mass * 1.001)
    other = replace(made, bodies=[*made.bodies[:2], heavier])
    with pytest.raises(WrongError, match="accelerations are wrong"):
        compared(other, columns, time)
    moved = columns | {"1.x0": columns["1.x0"] + 1e-7}
    with pytest.raises(WrongError, match="joints are apart by 1e-07"):
        compared(made, moved, time)
    faster = columns | {"1.v0": columns["1.v0"] + 1e-7}
    with pytest.raises(WrongError, match="velocities miss the constraints"):
        compared(made, faster, time)
    # a mechanism that stands still for a while keeps all constraints and equations
    still = {name: np.where(np.arange(31) > 15, v[15], v) for name, v in columns.items()}
    rows = [measured(made, still, row, float(t)) for row, t in enumerate(time)]
    with pytest.raises(WrongError, match="places change"):
        check_course(rows, time)


def outcome(seed: int) -> Outcome:
    if seed == 1:
        while True:
            pass
    if seed == 2:
        raise SystemExit(3)
    return Outcome(seed, "equal")


@pytest.mark.heavy
def test_workers_end_what_has_no_end_and_go_on() -> None:
    found = {o.seed: o for o in outcomes(outcome, range(5), 2, 0.2)}
    assert [found[seed].kind for seed in range(5)] == ["equal", "slow", "raw", "equal", "equal"]
    assert "3" in found[2].message
