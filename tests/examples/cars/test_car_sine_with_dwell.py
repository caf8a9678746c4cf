"""The car in the sine with dwell: the steer of the rule, and a small one by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mbcore.examples.cars import car_sine_with_dwell
from mbcore.examples.cars.car_sine_with_dwell import steer

PEAKS = {  # linear single track with relaxation, by hand; it does not roll, and turns 8 % more
    "small steer: first peak of the yaw rate (deg/s)": (1.568, 0.19),
    "small steer: second peak (deg/s)": (-1.629, 0.16),
    "small steer: time of the first peak (s)": (0.450, 0.02),
}


def test_steer_is_a_period_of_a_sine_that_dwells_at_its_second_peak() -> None:
    quarter = 0.25 / 0.7
    for time, value in ((0, 0), (1, 1), (2, 0), (3, -1)):
        assert steer(time * quarter) == pytest.approx(value, abs=1e-12)
    assert steer(3 * quarter + 0.5) == pytest.approx(-1)
    assert steer(3.5 * quarter + 0.5) == pytest.approx(-np.sqrt(0.5))
    assert steer(4 * quarter + 0.5) == 0.0


@pytest.mark.heavy
@pytest.mark.usefixtures("car_made_once")
def test_car_keeps_the_rule_until_its_tyres_slide(tmp_path: Path) -> None:
    """The car is steered by several amplitudes, up to one at which it slides for seconds."""
    record = car_sine_with_dwell.run()
    # 16 (2.5789/22.222² + 0.780 deg/g / 9.81) 2.943, with the gradient of the test of handling
    assert np.degrees(record.unit) == pytest.approx(17.83, abs=0.03)
    assert set(record.numbers) == set(PEAKS)
    for key, (expected, accuracy) in PEAKS.items():
        assert record.numbers[key] == pytest.approx(expected, abs=accuracy), key
    for factor, run in record.runs.items():
        drift = np.degrees(abs(np.arctan2(run.final("body.side_speed"), run.final("body.speed"))))
        # a car that keeps the rule goes straight on; else it slides still
        assert drift < 1 if car_sine_with_dwell.kept(run, factor) else drift > 2, factor
        # no more than the greatest friction of the tyres, 1.03 and more at small loads
        assert np.hypot(run["body.acceleration_x"], run["body.acceleration_y"]).max() < 1.15 * 9.81
    assert car_sine_with_dwell.kept(record.runs[4.0], 4.0)
    assert car_sine_with_dwell.kept(record.runs[6.5], 6.5)
    assert not car_sine_with_dwell.kept(record.runs[8.0], 8.0)
    car_sine_with_dwell.draw(record, tmp_path)
    (picture,) = tmp_path.glob("*.png")
    assert picture.stat().st_size > 10_000
