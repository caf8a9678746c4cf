"""Signs of what the ILTIS shows: forces of the road, of dampers and of the leaf springs' links."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mbcore import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import iltis
from tests.conftest import equations_of

WHEELS = ("front_left", "front_right", "rear_left", "rear_right")
NO_LATERAL_SLIP = 2
CABIN, WHEEL_AND_ARM = 1260.0, 57.35 + 6.0


@pytest.fixture(scope="module")
def equations() -> Equations:
    return equations_of(iltis.model)


def shown(
    equations: Equations,
    start: Mapping[str, float],
    inputs: Mapping[str, float] | None = None,
    tyres: int = 1,
) -> dict[str, float]:
    """Return the outputs at a start with the default equilibrium else."""
    point = Evaluation(equations, parameters={"tyres": tyres}, inputs=dict(inputs or {}))
    point.start(dict(start))
    return {o.name: float(y) for o, y in zip(equations.outputs, point.output(), strict=True)}


@pytest.mark.heavy
def test_forces_point_where_they_are_said_to(equations: Equations) -> None:
    """By momentum and by the levers of the suspension, from the data sheet alone."""
    # side wind on wheels that may not slip: the road holds against it, but for what is accelerated;
    # the cabin rolls about its wheels, which are accelerated less than it
    wind = 1000.0
    held = shown(equations, {"cabin.speed": 0.0}, {"wind.force_y": wind}, NO_LATERAL_SLIP)
    road = sum(held[f"{wheel}.side_force"] for wheel in WHEELS)
    rate = held["cabin.acceleration_y"]
    assert road < -200
    assert CABIN * rate < wind + road < (CABIN + 4 * WHEEL_AND_ARM) * rate

    # a wheel that goes down pulls its damper apart
    rest = shown(equations, {"cabin.speed": 0.0})
    down = shown(equations, {"cabin.speed": 0.0, "front_left.arm_rate": -0.5})
    assert down["front_left.damper_force"] > 0 > rest["front_left.damper_force"]

    # drifting to the right, all tyres push to the left. Below the arm's ball that turns the left
    # carrier's top against its link, and pulls the right one's away from it
    drift = shown(equations, {"cabin.speed": 20.0, "cabin.side_speed": -1.0})
    assert all(drift[f"{wheel}.side_force"] > 1000 for wheel in WHEELS)
    for axle in ("front", "rear"):
        left, right = (drift[f"{axle}_{side}.leaf_rod_force"] for side in ("left", "right"))
        assert left < rest[f"{axle}_left.leaf_rod_force"] - 500
        assert right > rest[f"{axle}_right.leaf_rod_force"] + 500
