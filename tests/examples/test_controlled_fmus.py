"""The examples that close a loop around an FMU, step by step."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mbcore.examples.bicycles import caster_shimmy_damper as shimmy
from mbcore.examples.vehicles import vehicle_lane_change as lane_change
from tests.conftest import Archives


@pytest.fixture(scope="module")
def drive(archives: Archives) -> lane_change.Record:
    return lane_change.run(80 / 3.6, 0.9, archives["vehicle", "3.0"].path)


@pytest.fixture(scope="module")
def damper(archives: Archives) -> shimmy.Record:
    return shimmy.run(fmu=archives["caster", "3.0"].path)


def test_track_is_that_of_iso_3888_1() -> None:
    lanes = lane_change.read_lanes(width=2.0)
    assert [(lane.begin, lane.end) for lane in lanes] == [(0, 15), (45, 70), (95, 110), (110, 125)]
    np.testing.assert_allclose([lane.left - lane.right for lane in lanes], [2.45, 2.65, 2.85, 2.85])
    np.testing.assert_allclose([lane.right - lanes[0].right for lane in lanes], [0, 3.5, 0, 0])


@pytest.mark.heavy
def test_vehicle_stays_between_cones(drive: lane_change.Record) -> None:
    assert drive.between_cones
    assert drive.clearance > 0.03
    assert drive.cones_hit == 0
    assert drive.largest_deviation < 0.1
    # it went into the second lane, and to the end
    assert drive.rear_axle[:, 1].max() > 3
    assert drive["chassis.x"][-1] > drive.lanes[-1].end
    np.testing.assert_allclose(drive["chassis.speed"], 80 / 3.6, rtol=0.01)


def test_controller_runs_at_100_hz(drive: lane_change.Record) -> None:
    np.testing.assert_allclose(np.diff(drive.time), 0.01, rtol=1e-9)


def test_friction_is_enough_at_80_km_h(drive: lane_change.Record) -> None:
    assert drive.friction_kept
    assert 0.2 < max(drive.friction_ratios) < 0.9


@pytest.mark.heavy
def test_friction_is_not_claimed_at_130_km_h(archives: Archives) -> None:
    fast = lane_change.run(130 / 3.6, 0.9, archives["vehicle", "3.0"].path)
    assert max(fast.friction_ratios) > 0.9
    assert not fast.friction_kept


@pytest.mark.heavy
def test_friction_of_a_wet_road_is_exceeded_at_80_km_h(archives: Archives) -> None:
    assert not lane_change.run(80 / 3.6, 0.3, archives["vehicle", "3.0"].path).friction_kept


def test_cones_and_corners_outside_are_noticed(drive: lane_change.Record) -> None:
    aside = drive.outline + np.array([0.0, 0.5])
    assert lane_change.least_clearance(aside, drive.lanes) < 0
    assert lane_change.cones_under(aside, lane_change.cones(drive.lanes)) > 0


@pytest.mark.heavy
def test_bare_gear_shimmies_as_derived_by_hand(damper: shimmy.Record) -> None:
    bare = damper.bare.measured
    assert bare.real == pytest.approx(shimmy.BARE.real, rel=1e-3)
    assert bare.imag == pytest.approx(shimmy.BARE.imag, rel=1e-3)


@pytest.mark.heavy
def test_damper_damps_as_linearized(damper: shimmy.Record) -> None:
    measured = damper.damped.measured
    assert damper.continuous.real < 0
    assert measured.real == pytest.approx(damper.continuous.real, abs=2e-3)
    assert measured.imag == pytest.approx(damper.continuous.imag, rel=5e-3)
    # and with sampling in the linear model, far closer
    assert measured.real == pytest.approx(damper.sampled.real, rel=1e-3)
    assert measured.imag == pytest.approx(damper.sampled.imag, rel=1e-4)


@pytest.mark.heavy
def test_figures_are_written(
    drive: lane_change.Record, damper: shimmy.Record, tmp_path: Path
) -> None:
    lane_change.draw(drive, tmp_path / "drive.png")
    shimmy.draw(damper, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"drive.png", "caster_shimmy_damper.png"}
