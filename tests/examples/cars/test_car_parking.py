"""The car on a slope: weight along it, springs of the tyres, and rolling back by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from mbcore.examples.cars import car_parking

PARKING = {  # m g sin(arctan 0.15), m = 965.711 + 4 * 31.896; F/c - σ S_H; (m g sin β - ΣM/r)/m'
    "parked: sum of forces (N)": (1590.9845785, 1e-6),
    "parked: front tyre's deflection (mm)": (1.2043, 0.012),  # linear: 0.5 % apart
    "rolls back: acceleration (m/s2)": (-1.2722, 0.004),
    "moved from 100 s to 1e6 s (m)": (0.0, 1e-12),
    "speed after 1e6 s (m/s)": (0.0, 1e-15),
}


def test_deflection_by_hand_is_that_of_the_file() -> None:
    """At the nominal load, 360 kN/m and the slip stiffness 21.5 times the load."""
    assert car_parking.deflection_by_hand(0.0, 4200.0) == pytest.approx(
        21.5 * 4200 / 360e3 * 3e-4, rel=1e-12
    )
    grown = car_parking.deflection_by_hand(360.0, 4200.0)
    assert grown - car_parking.deflection_by_hand(0.0, 4200.0) == pytest.approx(1e-3)


@pytest.mark.heavy
@pytest.mark.usefixtures("car_made_once")
def test_parked_car_stands_on_its_tyres_and_rolls_back_as_by_hand(tmp_path: Path) -> None:
    """The C of a car on a slope takes most of the time, where it is the first to be compiled."""
    record = car_parking.run()
    assert set(record.numbers) == set(PARKING)
    for key, (expected, accuracy) in PARKING.items():
        assert record.numbers[key] == pytest.approx(expected, abs=accuracy), key
    speed = record.drive["body.speed"]
    assert speed.min() < -2.4 and speed.max() > 7  # back, and uphill
    car_parking.draw(record, tmp_path)
    (picture,) = tmp_path.glob("*.png")
    assert picture.stat().st_size > 10_000
