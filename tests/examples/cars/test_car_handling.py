"""The car's understeer, roll and response to steps, beside formulas by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mbcore.examples.cars import car_by_hand, car_handling

HANDLING = {  # by hand: parts of gradient and roll, v δ/(l + K v²), a single track without roll
    "understeer gradient (deg/g)": (0.780, 0.016),  # the sum of parts leaves 1.4 %
    "roll (deg/g)": (8.946, 0.09),
    "step of 10°: yaw rate (deg/s)": (4.255, 0.04),
    "step of 10°: response time (s)": (0.183, 0.03),
}


def test_first_part_of_the_gradient_is_that_of_loads_and_cornering_stiffnesses() -> None:
    """Loads by the levers of the axles, stiffnesses by the coefficients of the property file."""
    shares = np.array([2.578913 - 1.156196, 1.156196]) / 2.578913
    masses = 965.711 * shares + 2 * 31.896
    stiffness = 2 * 21.5 * 4200 * np.sin(2 * np.arctan(masses / 2 * 9.81 / (1.75 * 4200)))
    front, rear = masses / stiffness
    parts = car_by_hand.understeer()
    assert parts["tyres"] == pytest.approx(front - rear, rel=5e-3)
    # without aligning moments, camber and transfer of load the slip angles are m/C alone
    axles = car_by_hand.axles(camber=False, transfer=False)
    slips = car_by_hand.cornering(*axles, aligning=False)[:2]
    assert slips == pytest.approx([-front, -rear], rel=2e-3)


@pytest.mark.heavy
def test_single_track_by_hand_tends_to_its_own_steady_turn() -> None:
    """v δ/(l + K v²) with the gradient of tyres, aligning moments and compliance."""
    parts = car_by_hand.understeer()
    gradient = sum(list(parts.values())[:3])
    turn = car_by_hand.single_track(20.0, lambda t: 0.01, np.linspace(0, 4, 5))
    expected = 20.0 * 0.01 / (2.578913 + gradient * 20.0**2)
    assert turn[-1] == pytest.approx(expected, rel=1e-5)


@pytest.mark.heavy
def test_car_turns_rolls_and_responds_as_by_hand(tmp_path: Path) -> None:
    """The derivatives of the car and its C take most of the time; they are made here."""
    record = car_handling.run()
    assert set(record.numbers) == set(HANDLING)
    for key, (expected, accuracy) in HANDLING.items():
        assert record.numbers[key] == pytest.approx(expected, abs=accuracy), key
    # no more than the friction of its tyres in front: (1.02 + 0.008) and less with load
    across = record.ramp["body.speed"] * record.ramp["yaw.rate"]
    assert 0.7 * 9.81 < across.max() < 1.06 * 9.81
    car_handling.draw(record, tmp_path)
    (picture,) = tmp_path.glob("*.png")
    assert picture.stat().st_size > 10_000
