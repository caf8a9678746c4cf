"""Branches of large motions of the excited pendulum, by continuation over the driving speed."""

from __future__ import annotations

import pytest

from mbcore.examples.vibration import excited_pendulum_branches as branches
from mbcore.examples.vibration.excited_pendulum import NATURAL, Pendulum


@pytest.mark.heavy
@pytest.mark.usefixtures("evaluated_in_c")
@pytest.mark.parametrize(
    ("begin", "end", "start", "kind", "speed"),
    # [Schwab2002] (4.18) and its variational equation, solved with det(Φ ∓ I) = 0 at
    # tolerances of 1e-12
    [
        (0.878, 0.89, {"phi": -0.08858658, "phi_rate": 2.91684391}, "fold", 0.88144009),
        (1.17, 1.155, {"phi": -0.05418265, "phi_rate": -3.26586605}, "flip", 1.16216831),
    ],
)
def test_branches_turn_and_lose_stability_where_the_equation_by_hand_says(
    begin: float, end: float, start: dict[str, float], kind: str, speed: float
) -> None:
    found = branches.follow(Pendulum(), begin, end, start)
    assert [event.kind for event in found.events] == [kind]
    assert found.events[0].value / NATURAL == pytest.approx(speed, abs=2e-7)  # integrated at 1e-7
