"""The ILTIS on circles: beside its balance by virtual work, and the benchmark's ramp steers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mbcore.examples.vehicles import iltis_by_hand, iltis_handling
from mbcore.fmus.iltis.data import CORNERS, REST
from mbcore.native import compiled

NUMBERS = {  # derived: virtual work by hand; ends of the benchmark's ramp steers
    "understeer gradient (deg/g)": (2.1170, 0.011),  # a sum of parts, which leaves 0.4 %
    "10 m/s: yaw rate per steer (1/s)": (4.1777, 0.005),
    "20 m/s: yaw rate per steer (1/s)": (5.6760, 0.015),
    "40 m/s: yaw rate per steer (1/s)": (4.9730, 0.02),
    "characteristic speed (m/s)": (23.141, 0.08),
    "9.978 m/s, 2 mm: yaw rate, towed (rad/s)": (-0.06253, 1e-5),
    "19.847 m/s, 2 mm: yaw rate, towed (rad/s)": (-0.08564, 1e-4),
    "29.655 m/s, 2 mm: yaw rate, towed (rad/s)": (-0.08484, 2e-4),
    "20 m/s: rack, relative to by hand": (0.0, 1e-8),
    "20 m/s: thrust, relative to by hand": (0.0, 1e-8),
    "20 m/s: roll, relative to by hand": (0.0, 1e-8),
    "20 m/s: loads, relative to by hand": (0.0, 1e-8),
    "two wheels: rack, relative to by hand": (0.0, 1e-7),
    "two wheels: thrust, relative to by hand": (0.0, 1e-7),
    "two wheels: roll, relative to by hand": (0.0, 1e-7),
    "20 m/s: friction used in front": (1.0, 0.01),
    "40 m/s: friction used in front": (1.0, 0.01),
    "events on all branches": (0, 0),
}


def test_balance_by_hand_stands_as_the_benchmark_does() -> None:
    """Loads of the published model's equilibrium, and the toe that was derived for it."""
    at_rest = [0.0, 0.0, 0.0, REST["cabin.z"], REST["cabin.pitch"], 0.0]
    at_rest += [REST[f"{name}.arm_angle"] for name in CORNERS]
    left, wheels = iltis_by_hand.unbalanced(np.array(at_rest), 20.0, 0.0)
    assert wheels.load == pytest.approx([3831.32, 3831.32, 3591.91, 3591.91], abs=0.01)
    toe_out = np.rad2deg(wheels.steer * [1, -1, 1, -1])
    assert toe_out == pytest.approx([0.1027, 0.1027, -0.0497, -0.0497], abs=5e-4)
    # standing wheels have no side forces; rolling ones have some, by their toe
    assert np.abs(left[[1, 3, 5]]).max() < 1e-6
    assert np.abs(left).max() < 10


@pytest.mark.heavy
@pytest.mark.usefixtures("hasty")
def test_circles_meet_the_balance_by_hand_and_published_yaw_rates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Branches of steady motions of a large model, with exponents at each point.

    They take 18 s in Python, five in C, and eleven where its C is new.
    """
    monkeypatch.setenv(compiled.VARIABLE, "c")
    record = iltis_handling.run()
    for key, (expected, accuracy) in NUMBERS.items():
        assert record.numbers[key] == pytest.approx(expected, abs=accuracy), key
    by_hand = sum(record.parts.values()) * np.rad2deg(9.81)
    assert by_hand == pytest.approx(record.numbers["understeer gradient (deg/g)"], rel=5e-3)
    for speed in (20, 40):
        assert record.numbers[f"{speed} m/s: largest real part (1/s)"] < -0.2
        assert record.numbers[f"{speed} m/s: least load of a wheel (N)"] > 500
    for branch in (*record.racks.values(), *record.speeds.values()):
        assert branch.data["stable"].all()
        assert "reached" in branch.ended
    on_two = record.two_wheels
    assert not on_two.data["stable"].any()
    assert (on_two["front_left.load"] == 0).all() and (on_two["rear_left.load"] == 0).all()
    upright = 20 * on_two["yaw.rate"].values
    rigid = 9.81 * np.tan(np.arctan2(0.615, 0.533) - on_two["cabin.roll"].values)
    assert np.abs(upright - rigid).max() < 0.6  # suspensions yield, inner wheels hang
    iltis_handling.draw(record, tmp_path)
    pictures = list(tmp_path.glob("*.png"))
    assert len(pictures) == 2
    assert all(picture.stat().st_size > 10_000 for picture in pictures)
