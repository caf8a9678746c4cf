"""The ILTIS over a bump and on random roads: exact means, linearity, and linear responses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mbcore.examples.vehicles import iltis_road
from mbcore.examples.vehicles.iltis_road_profiles import Bump, RandomRoad
from tests.built import in_c

ROAD = RandomRoad(roughness=16e-6, speed=20.0)


def test_random_road_has_the_spectrum_of_its_class() -> None:
    """By hand: the integral of G(n0) (n/n0)^-2 from n_1 to n_2 is G(n0) n0² (1/n_1 - 1/n_2)."""
    dense = RandomRoad(16e-6, 20.0, period=400.0, harmonics=(200, 10000))
    first, last = 199.5 / 400 / 20, 10000.5 / 400 / 20
    wanted = 16e-6 * 0.1**2 * (1 / first - 1 / last)
    amplitudes = dense.amplitudes()
    for side in ("left", "right"):
        mean_square = np.sum(np.abs(amplitudes[f"front_{side}"]) ** 2) / 2
        assert mean_square == pytest.approx(wanted, rel=0.03)  # both tracks vary with the phases
    both = sum(np.abs(amplitudes[f"front_{side}"]) ** 2 for side in ("left", "right"))
    assert np.sum(both) / 4 == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("road", [ROAD, Bump(0.05, 1.0, 20.0)])
def test_roads_have_their_exact_rates_and_meet_the_rear_wheels_later(
    road: RandomRoad | Bump,
) -> None:
    inputs, step = road.inputs(), 1e-5
    height, rate = inputs["front_left.road_height"], inputs["front_left.road_rate"]
    behind = inputs["rear_left.road_height"]
    assert callable(height) and callable(rate) and callable(behind)
    for t in (0.215, 0.23, 1.7):  # on the bump, and beside it
        slope = (height(t + step) - height(t - step)) / (2 * step)
        assert rate(t) == pytest.approx(slope, rel=1e-6, abs=1e-9)
        if isinstance(road, Bump) or t > 1.2:
            assert behind(t + 2.017 / 20) == pytest.approx(height(t), abs=1e-12)
    assert height(0.0) == rate(0.0) == 0.0
    if isinstance(road, Bump):
        assert height(0.225) == pytest.approx(0.05, abs=1e-12)


@pytest.fixture(scope="module")
def record() -> iltis_road.Record:
    in_c(iltis_road.equations())
    return iltis_road.run(bumps=["10 m/s"], roads=[iltis_road.FAINT, "A"])


@pytest.mark.heavy
def test_bumps_leave_no_momentum_and_small_ones_double(record: iltis_road.Record) -> None:
    numbers = record.numbers
    doubled = [name for name in numbers if name.endswith("bump twice as high")]
    assert len(doubled) == 4
    for name in doubled:
        assert numbers[name] == pytest.approx(2.0, abs=0.01), name
    assert numbers["bump, 10 m/s: mean of all loads / weight"] == pytest.approx(1.0, abs=3e-5)
    assert numbers["bump, 10 m/s: largest roll (deg)"] < 1e-3
    assert 0.05 < numbers["bump, 10 m/s: front left in the air (s)"] < 0.2
    motion = record.bumps["10 m/s"]
    assert motion.final("cabin.acceleration_z") == pytest.approx(0.0, abs=1e-3)
    assert all(motion[f"{name}.load"].min() >= 0 for name in ("front_left", "rear_left"))


@pytest.mark.heavy
def test_responses_to_random_roads_are_the_linear_ones(
    record: iltis_road.Record, tmp_path: Path
) -> None:
    faint = record.rides[iltis_road.FAINT]
    for name in iltis_road.QUANTITIES:
        assert faint.apart(name) < 5e-3, name
        assert faint.rms(name) == pytest.approx(faint.linear_rms(name), rel=1e-3), name
        rms = record.rides["A"].rms(name)
        assert rms == pytest.approx(record.rides["A"].linear_rms(name), rel=0.03), name
        assert record.rides["A"].linear_rms(name) == pytest.approx(100 * faint.linear_rms(name))
    for road in (iltis_road.FAINT, "A"):
        name = f"{road}: mean of all loads / weight"
        assert record.numbers[name] == pytest.approx(1.0, abs=2e-5)
    iltis_road.draw(record, tmp_path)
    pictures = list(tmp_path.glob("*.png"))
    assert len(pictures) == 2
    assert all(picture.stat().st_size > 10_000 for picture in pictures)
