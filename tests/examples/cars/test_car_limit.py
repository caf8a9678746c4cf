"""The car tends to ideal rolling, by whose equations the vehicle is tested on its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad

from mbcore.examples.cars import car_limit
from mbcore.examples.cars.ideal_rolling import SHIFTS

SOFTNESS = (1 / 32, 1 / 64)
"""Of the example's five those that are nearest to the limit, where terms of second order are least
and an order that is not one shows most."""

LOOSER = car_limit.STEADILY | {"rtol": 1e-6, "atol": 1e-7}
"""Ten times the example's tolerances: a fifth of the steps, and differences that stay within 1e-8
of themselves, while their orders are asserted to some hundredths."""

EXPECTED = {"LKX": 4, "LKY": 4, "LCZ": 4, "LONGITUDINAL_STIFFNESS": 16, "LATERAL_STIFFNESS": 16}
"""How much larger coefficients are at a softness of 1/4."""


def test_steering_is_the_integral_of_its_rate() -> None:
    for time in (0.2, 1.1, 2.7, 3.5, 3.9):
        turned, _ = quad(car_limit.steer_rate, 0, time, points=[0.5, 3.5], epsabs=1e-13)
        assert turned == pytest.approx(car_limit.steer(time), abs=1e-10)


def test_tyres_are_as_stiff_as_is_said() -> None:
    """Along and across 1/ε of the file's; the relaxation length is slip over carcass stiffness."""
    plain, stiff = (car_limit.tyre(one).left.coefficients for one in (1.0, 0.25))
    for name, expected in EXPECTED.items():
        assert stiff[name] == expected * plain[name]
    assert all(plain[name] == 0 for name in (*SHIFTS, "LTR"))


@pytest.mark.heavy
def test_the_order_is_one_in_all_that_is_soft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each car has equations of its own, which are made and compiled: the softest are left out."""
    monkeypatch.setattr(car_limit, "SHADES", car_limit.SHADES[: len(SOFTNESS)])
    monkeypatch.setattr(car_limit, "STEADILY", LOOSER)
    record = car_limit.run(SOFTNESS)
    for name in car_limit.COMPARED:
        missing = record.largest(name)
        assert np.log2(missing[:-1] / missing[1:]) == pytest.approx(1.0, abs=0.05), name
        assert record.numbers[f"order of {name}"] == pytest.approx(1.0, abs=0.02)
    assert np.abs(record.limit["chassis.y"]).max() > 2.0  # a motion to be compared
    assert record.largest("y")[-1] < 0.01
    car_limit.draw(record, tmp_path)
    (picture,) = tmp_path.glob("*.png")
    assert picture.stat().st_size > 10_000
