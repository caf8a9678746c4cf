"""The ILTIS's FMU with active bars, with yaw control and in the double lane change: numbers.

The references are by hand, from the data sheet: balance of moments, cornering stiffness, geometry;
and limits of FMVSS 126.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

from mbcore.examples.controllers import iltis_anti_roll, iltis_lane_change, iltis_yaw_control
from mbcore.examples.controllers.iltis_driver import rack_ratio
from tests.conftest import Archives


@pytest.fixture(scope="module")
def fmu(archives: Archives) -> Path:
    """The ILTIS, FMI 3.0."""
    return archives["iltis", "3.0"].path


@pytest.fixture(scope="module")
def bars(fmu: Path) -> iltis_anti_roll.Record:
    return iltis_anti_roll.run(fmu)


@pytest.fixture(scope="module")
def lanes(fmu: Path, archives: Archives) -> iltis_lane_change.Record:
    return iltis_lane_change.run(
        fmu, archives["vehicle", "3.0"].path, (40.0, 60.0, 70.0, 80.0, 100.0)
    )


@pytest.fixture(scope="module")
def yaw(fmu: Path) -> iltis_yaw_control.Record:
    return iltis_yaw_control.run(fmu, (3.5, 4.5, 6.5))


def test_rack_ratio_is_that_of_a_tie_rod_that_keeps_its_length() -> None:
    ball, pin = np.array([0.970, 0.572, 0.229]), np.array([0.970, 0.488, 0.531])
    outer, inner = np.array([0.830, 0.448, 0.531]), np.array([0.830, 0.070, 0.600])
    k = (pin - ball) / np.linalg.norm(pin - ball)

    def turned(vector: np.ndarray, angle: float) -> np.ndarray:
        across = np.cross(k, vector)
        along = k * (k @ vector) * (1 - np.cos(angle))
        return vector * np.cos(angle) + across * np.sin(angle) + along

    def longer(angle: float, rack: float) -> float:
        end = ball + turned(outer - ball, angle) - inner - np.array([0.0, rack, 0.0])
        return float(np.linalg.norm(end) - np.linalg.norm(outer - inner))

    angles = []
    for rack in (1e-4, -1e-4):
        axle = turned(np.array([0.0, 1.0, 0.0]), brentq(longer, -0.1, 0.1, (rack,), xtol=1e-15))
        angles.append(np.arctan2(-axle[0], axle[1]))
    # to the left turns the wheels to the right
    assert rack_ratio() == pytest.approx(-2e-4 / (angles[0] - angles[1]), rel=1e-5)


@pytest.mark.heavy
def test_closed_loop_moves_as_the_directional_derivatives_say(
    bars: iltis_anti_roll.Record,
) -> None:
    assert bars.regulator.plant.closure < 1e-12
    assert bars.regulator.growth < -4
    assert bars.apart < 1e-4


@pytest.mark.heavy
def test_bars_keep_the_body_upright(bars: iltis_anti_roll.Record) -> None:
    off, on = (bars.slalom[name].largest("cabin.roll") for name in ("off", "on"))
    assert np.degrees(off) > 2
    assert on < 0.1 * off
    off, on = (bars.bump[name].largest("cabin.roll") for name in ("off", "on"))
    assert on < 0.4 * off
    off, on = (bars.bump[name].largest("cabin.roll_rate") for name in ("off", "on"))
    assert on < 0.4 * off
    assert bars.slalom["on"].largest("torque") < 1000


@pytest.mark.heavy
@pytest.mark.parametrize("name", iltis_anti_roll.SHARES)
def test_bars_share_out_the_moment_of_the_loads(bars: iltis_anti_roll.Record, name: str) -> None:
    motion = bars.handling[name]
    at = motion.at(3.0)
    moment = 2 * 0.615 * (motion.transfer("front")[at] + motion.transfer("rear")[at])
    # m a h of the whole vehicle; the rest is that of the loads' places, which move
    assert moment == pytest.approx(1513.4 * 0.53273 * 3.0, rel=0.03)
    front = motion.transfer("front")[at] / (motion.transfer("front") + motion.transfer("rear"))[at]
    low, high = {"front": (0.8, 1), "both": (0.45, 0.55), "rear": (0, 0.2)}[name]
    assert low < front < high


@pytest.mark.heavy
def test_torque_in_front_understeers_and_behind_oversteers(bars: iltis_anti_roll.Record) -> None:
    angles = {}
    for name in iltis_anti_roll.SHARES:
        motion = bars.handling[name]
        at = motion.at(3.0)
        angles[name] = motion.understeer[at]
        # slip angles of Calspan's tyres at these loads; the rest is camber and steering geometry
        by_hand = iltis_anti_roll.understeer_by_hand(motion, at)
        assert angles[name] == pytest.approx(by_hand, rel=0.08)
    assert angles["front"] > angles["both"] + 2e-3
    assert angles["both"] > angles["rear"] + 2e-3
    # in the end the rear axle, of which one wheel is nearly off the ground, gives way first
    assert bars.handling["rear"].understeer[-1] < -0.01
    assert bars.handling["front"].understeer[-1] > 0.03


@pytest.mark.heavy
def test_slow_lane_change_is_that_of_the_vehicle_without_slip(
    lanes: iltis_lane_change.Record,
) -> None:
    assert lanes.slow.passed
    assert lanes.slow_ideal.passed
    assert lanes.slow.largest("cabin.acceleration_y") < 0.3
    assert lanes.apart < 0.01
    assert lanes.slow.rear_axle[:, 1].max() > 3.5


@pytest.mark.heavy
def test_driver_learns_what_is_known_by_hand(lanes: iltis_lane_change.Record) -> None:
    assert lanes.wheelbase == pytest.approx(2.017, rel=0.01)
    # m_r/C_r: load of a rear tyre over g, and 40163 N/rad by Calspan's law
    assert lanes.slip_free == pytest.approx(3591.91 / 9.81 / 40163, rel=0.01)


@pytest.mark.heavy
def test_faster_it_comes_late_and_rolls(lanes: iltis_lane_change.Record) -> None:
    assert lanes.ideal.passed
    assert iltis_lane_change.last_passed(lanes.bare) == 40
    assert iltis_lane_change.last_passed(lanes.known) == 70
    for drives in (lanes.bare, lanes.known):
        clearances = [drive.clearance for drive in drives.values()]
        rolls = [drive.largest("cabin.roll") for drive in drives.values()]
        assert clearances == sorted(clearances, reverse=True)
        assert rolls == sorted(rolls)
        # it tends to slide, not to fall: no wheel leaves the ground
        assert min(drive.lightest for drive in drives.values()) > 500


def test_sine_dwells_at_its_second_peak() -> None:
    # of FMVSS 126: 0.7 Hz, 0.5 s
    steer = {0.4: 0.0, 0.5 + 0.25 / 0.7: 1.0, 0.5 + 0.75 / 0.7: -1.0, 0.99 + 0.75 / 0.7: -1.0}
    steer |= {1.0 + 5 / 6 / 0.7: -np.sin(np.pi / 3), 1.0 + 1 / 0.7: 0.0, 3.0: 0.0}
    for time, expected in steer.items():
        assert iltis_yaw_control.sine_with_dwell(time, 1.0) == pytest.approx(expected, abs=1e-9)


@pytest.mark.heavy
def test_yaw_acceleration_by_a_wheel_is_that_by_hand(yaw: iltis_yaw_control.Record) -> None:
    power = yaw.known.power
    # half the track over radius and moment of inertia, that of turning wheels among it
    inertia = 1670 + 4 * (57.35 * (0.615**2 + 1.0185) + 1.24 + 1.908 * (0.615 / 0.356) ** 2)
    inertia += 4 * (6 * (0.4155**2 + 1.0185) + 0.069)
    expected = 0.615 / 0.356 / inertia
    assert np.sign(power).tolist() == [-1, 1, -1, 1]
    assert np.abs(power).mean() == pytest.approx(expected, rel=3e-3)


@pytest.mark.heavy
def test_brakes_keep_from_spinning(yaw: iltis_yaw_control.Record) -> None:
    for factor in (4.5, 6.5):
        bare, held = yaw.bare[factor], yaw.controlled[factor]
        assert not bare.stable
        assert np.degrees(np.abs(bare["cabin.yaw"]).max()) > 90
        # FMVSS 126 allows 0.35 and 0.20
        assert held.remaining(1.0) < 0.1
        assert held.remaining(1.75) < 0.05
        assert np.degrees(np.abs(held["cabin.yaw"]).max()) < 40
        # no more than half a wheel's load
        for wheel in iltis_yaw_control.WHEELS:
            most = 0.5 * 0.36 * held[f"{wheel}.load"].max()
            assert held[f"{wheel}.brake_torque"].max() <= most
    assert yaw.bare[3.5].stable
    assert yaw.controlled[6.5].shift > 1.83


@pytest.mark.heavy
def test_figures_of_the_iltis_are_written(
    bars: iltis_anti_roll.Record,
    lanes: iltis_lane_change.Record,
    yaw: iltis_yaw_control.Record,
    tmp_path: Path,
) -> None:
    iltis_yaw_control.report(yaw)
    iltis_yaw_control.draw(yaw, tmp_path)
    iltis_anti_roll.report(bars)
    iltis_anti_roll.draw_motions(bars.slalom, bars.bump, tmp_path)
    iltis_anti_roll.draw_handling(bars.handling, tmp_path)
    iltis_lane_change.report(lanes)
    iltis_lane_change.draw_course(lanes, tmp_path)
    iltis_lane_change.draw_speeds(lanes, tmp_path)
    assert {path.stem for path in tmp_path.iterdir()} == {
        "iltis_anti_roll",
        "iltis_anti_roll_handling",
        "iltis_lane_change",
        "iltis_lane_change_speeds",
        "iltis_yaw_control",
    }
