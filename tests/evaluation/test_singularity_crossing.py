"""What a step tells of singular configurations inside it, before it and behind it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.singularities import approach, find_singularity
from mbcore.simulation.singularity_crossing import SingularityCrossing
from tests.singular_models import GRAVITY, pendulum


def low(since: float) -> np.ndarray:
    """Rate and height of the pendulum's bob about its lowest point, where it moves at √(2 g)."""
    return np.array([2 * GRAVITY * since, -1 + GRAVITY * since**2])


def test_a_zero_is_seen_between_ends_that_do_not_show_it() -> None:
    """About as far on both sides of the lowest point measures are alike; next to it they vanish."""
    evaluation = Evaluation(pendulum("y").equations())
    evaluation.start(dict(zip(("w", "q"), low(-0.05), strict=True)))
    run = MovingPoint(evaluation, {})
    evaluation.accept()
    found = find_singularity(run, lambda t: low(t - 0.05), 0.0, 0.104, 1e-3, look_inside=True)
    assert found is not None
    assert found.time == pytest.approx(0.05, abs=1e-6)


def approaching(sizes: list[float]) -> Any:
    """A run at t = 2 with two measures, as far as `approach` asks it."""
    conditioning = SimpleNamespace(accepted=np.array(sizes), scale=np.ones(2), limits=0)
    equations = SimpleNamespace(
        name="two",
        limits=(),
        conditioning_names=["first", "second"],
        assembly=SimpleNamespace(independent=[]),
    )
    return SimpleNamespace(
        evaluation=SimpleNamespace(
            conditioning=conditioning, accepted_time=2.0, equations=equations
        )
    )


@pytest.mark.parametrize("order", [1, -1])
def test_the_measure_that_vanishes_first_is_named(order: int) -> None:
    """0.4 falls by 8 per second, 0.1 by 1: the larger one is gone in 0.05 s, the other in 0.1."""
    found = approach(approaching([0.4, 0.1][::order]), np.array([-8.0, -1.0])[::order], 0.2)
    assert found is not None
    assert found.block == (0 if order > 0 else 1)
    assert found.time == pytest.approx(2.05, abs=1e-12)
    assert approach(approaching([0.4, 0.1]), np.array([-0.8, -0.2]), 0.2) is None


def test_an_event_since_the_last_passage_lets_nothing_be_known_before_it() -> None:
    """Rates have jumped; what was extrapolated across the last passage says nothing any more."""
    run = SimpleNamespace(events=[(1.5, "impact")])
    known = [(t, np.zeros(1)) for t in np.linspace(0.5, 1.0, 9)]
    crossing = SingularityCrossing.__new__(SingularityCrossing)
    crossing._run = run  # type: ignore[assignment]
    crossing._previous = SimpleNamespace(_run=run, before=1.2, known=known)  # type: ignore[assignment]
    assert crossing._known_before(0.8) == []
    run.events = [(1.1, "impact")]
    assert [t for t, _ in crossing._known_before(0.8)] == pytest.approx(np.linspace(0.5, 1, 9)[3:])
