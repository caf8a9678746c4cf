"""A slider-crank driven by a motor: periods that follow from the motion itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mbcore.examples.vibration import motor_driven
from mbcore.vibration import periodic_solution


@pytest.fixture(scope="module")
def by_hand() -> motor_driven.ByHand:
    return motor_driven.by_hand()


@pytest.mark.heavy
def test_motor_and_rigid_mechanism_meet_the_equation_of_one_freedom(
    by_hand: motor_driven.ByHand,
) -> None:
    start = {"crank.angle": 0.0, "crank.speed": 150.0}
    found = periodic_solution(
        motor_driven.motor_driven(0), 2 * np.pi / 150, guess=start, autonomous=True
    )
    assert found.period == pytest.approx(by_hand.period, rel=1e-10)
    assert motor_driven.unevenness(found) == pytest.approx(by_hand.unevenness, abs=1e-5)
    assert np.abs(found.multipliers) == pytest.approx([1.0, by_hand.multiplier], rel=1e-9)
    assert found.neutral == 1
    assert found.stable
    turned = found["crank.angle"](found.period) - found["crank.angle"](0.0)
    assert turned == pytest.approx(2 * np.pi, abs=1e-9)


def test_quasistatic_formula_is_near_where_the_speed_is_nearly_uniform(
    by_hand: motor_driven.ByHand,
) -> None:
    _, speeds, mean = motor_driven.quasistatic()
    assert mean == pytest.approx(by_hand.mean, rel=0.015)
    assert np.ptp(speeds) / mean == pytest.approx(by_hand.unevenness, rel=0.02)


@pytest.mark.heavy
@pytest.mark.usefixtures("evaluated_in_c")
def test_rod_about_the_motors_rotation_bends_as_in_the_full_equations(tmp_path: Path) -> None:
    record = motor_driven.run()
    numbers = record.numbers
    full = numbers["elastic: half range of v/l"]
    assert numbers["led by the motor: half range of v/l"] == pytest.approx(full, rel=0.01)
    assert abs(numbers["uniform speed: half range of v/l"] / full - 1) > 0.02
    assert record.elastic.stable
    assert record.elastic.residual < 1e-10
    motor_driven.draw(record, tmp_path)
    assert len(list(tmp_path.glob("*.png"))) == 3
