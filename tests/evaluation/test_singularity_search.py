"""Which singular configuration, or limit, a step is said to reach; measures are formulas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.singularities import (
    LimitReachedError,
    SingularityError,
    approach,
    find_singularity,
)
from mbcore.model.errors import ConfigurationError
from mbcore.simulation.singularity_crossing import SingularityCrossing


@dataclass
class Measured:
    """What the search asks of a point that moves, with measures as functions of time.

    Without a configuration from ``ends`` on, s.
    """

    measures: list[Callable[[float], float]]
    ends: float = np.inf
    limits: int = 0
    time: float = 0.0
    conditioning: Any = field(init=False)
    evaluation: Any = field(init=False)

    def __post_init__(self) -> None:
        """Note the measures at the beginning."""
        first = np.array([measure(0.0) for measure in self.measures])
        self.conditioning = SimpleNamespace(
            scale=first.copy(),
            accepted=first.copy(),
            lowest=first.copy(),
            highest=first.copy(),
            limits=self.limits,
            smallest=lambda sizes: (int(np.argmin(sizes)), float(np.min(sizes))),
            nearest_limit=lambda sizes: None,
        )
        equations = SimpleNamespace(
            name="measured",
            conditioning_names=[f"block {i}" for i in range(first.size)],
            requirements=[SimpleNamespace(name="stop", message="turn back")],
            followed=(0,),
            assembly=SimpleNamespace(independent=[]),
        )
        self.evaluation = SimpleNamespace(
            conditioning=self.conditioning,
            equations=equations,
            accepted_time=0.0,
            conditioning_measures=lambda: np.array([m(self.time) for m in self.measures]),
        )

    def move(self, t: float, s: np.ndarray) -> None:
        """Go to a time."""
        if t >= self.ends:
            raise ConfigurationError("measured: no configuration")
        self.time = t
        sizes = np.abs(self.evaluation.conditioning_measures())
        self.conditioning.lowest = np.minimum(self.conditioning.lowest, sizes)
        self.conditioning.highest = np.maximum(self.conditioning.highest, sizes)


def search(run: Measured, uncertainty: float = 1e-4) -> object:
    """Return what a step of one second reaches."""
    moving = cast(MovingPoint, run)
    return find_singularity(moving, lambda t: np.zeros(0), 0.0, 1.0, uncertainty, True)


@pytest.mark.parametrize("size", [0.3, 0.02])
def test_a_step_to_where_there_is_no_configuration_is_said_to_be_singular(size: float) -> None:
    """One whose smallest measure has fallen to less than half of its largest, at its last place."""
    run = Measured([lambda t: 1.0 - (1.0 - size) * t], ends=0.75)
    run.conditioning.lowest = np.array([size])
    found = search(run)
    assert isinstance(found, SingularityError)
    assert "reaches a singular configuration at t = 0.75" in str(found)
    assert found.time == pytest.approx(0.75, abs=1e-8)


def test_a_step_to_where_there_is_none_of_other_causes_is_refused_as_it_is() -> None:
    run = Measured([lambda t: 1.0 - 0.2 * t], ends=0.75)
    with pytest.raises(ConfigurationError, match="no configuration"):
        search(run)


def test_a_limit_that_is_reached_says_more_than_a_block() -> None:
    """Of both, the block would vanish first: at 0.1 s, the limit at 0.5 s."""
    sizes: list[Callable[[float], float]] = [lambda t: 0.5 - t, lambda t: 0.1 - t]
    run = Measured(sizes, limits=1)
    found = approach(cast(MovingPoint, run), np.array([-1.0, -1.0]), 1.0)
    assert isinstance(found, LimitReachedError)
    assert str(found).startswith("measured: stop is reached at t = 0.5: turn back")


def test_of_two_limits_passed_on_the_way_the_earlier_one_is_named() -> None:
    """Lines through zero at 0.8 s and, for the one of the higher number, at 0.25 s."""
    sizes: list[Callable[[float], float]] = [lambda t: 0.8 - t, lambda t: 0.25 - t]
    run = Measured(sizes, limits=2, time=1.0)
    equations = run.evaluation.equations
    equations.requirements.append(SimpleNamespace(name="wall", message="keep off"))
    equations.followed = (0, 1)
    run.evaluation.x = np.zeros(0)
    crossing: Any = object.__new__(SingularityCrossing)
    crossing._run, crossing._side = run, np.ones(2)
    crossing.before, crossing.after = 0.0, 1.0
    crossing._extrapolated = lambda t: np.array([size(t) for size in sizes])
    found = crossing.limit_beyond()
    assert isinstance(found, LimitReachedError)
    assert str(found).startswith("measured: wall is reached at t = 0.25: keep off")


@pytest.mark.parametrize(("uncertainty", "stops"), [(1e-2, True), (1e-3, False)])
def test_a_minimum_within_the_error_of_the_interpolant_counts_as_a_zero(
    uncertainty: float, stops: bool
) -> None:
    """A dip to 3e-3 of the largest measure, which is 0.3 of those at the ends: it may be none."""
    run = Measured([lambda t: 3e-3 + 7e-3 * (2 * t - 1) ** 2])
    run.conditioning.scale = np.ones(1)
    found = search(run, uncertainty)
    assert isinstance(found, SingularityError) == stops
    if isinstance(found, SingularityError):
        assert found.time == pytest.approx(0.5, abs=1e-6)
