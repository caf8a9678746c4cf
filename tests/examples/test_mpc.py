"""Model-predictive control on the vehicle's FMU, imported by CasADi: plans and the drive."""

from __future__ import annotations

from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from mbcore.examples.controllers import fmu_mpc
from mbcore.examples.vehicles import vehicle_lane_change
from tests.conftest import Archives


@pytest.fixture(scope="module")
def drive(archives: Archives) -> fmu_mpc.Record:
    return fmu_mpc.run(archives["vehicle", "3.0"].path)


def test_imported_function_and_its_jacobian_are_those_by_hand(
    archives: Archives, tmp_path: Path
) -> None:
    fmu = fmu_mpc.imported(archives["vehicle", "3.0"].path, tmp_path / "vehicle")
    hand = fmu_mpc.by_hand()
    state, control = np.array([27.0, 1.0, 2.0, 3.0, 0.2, 0.03]), np.array([0.04, 0.5])
    found, expected = fmu(state, control), hand(state, control)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.array(one), np.array(other), rtol=1e-12, atol=1e-12)
    # by states and controls, at once
    derived = [f.jacobian()(state, control, *map(ca.DM, found)) for f in (fmu, hand)]
    for one, other in zip(*derived, strict=True):
        np.testing.assert_allclose(np.array(one), np.array(other), rtol=1e-10, atol=1e-10)


@pytest.mark.heavy
def test_plans_are_those_of_the_equations_by_hand(drive: fmu_mpc.Record) -> None:
    assert drive.apart < 1e-9
    assert drive.costs[0] == pytest.approx(drive.costs[1], rel=1e-9)
    assert drive.costs[0] > 5  # at the limit, not straight on
    assert drive.predicted < 2e-4


@pytest.mark.heavy
def test_friction_limit_is_used_and_kept(drive: fmu_mpc.Record, archives: Archives) -> None:
    assert 0.499 < drive.friction_ratio < 0.5 + 1e-4
    assert drive.clearance > 0.04
    assert drive["chassis.x"][-1] > 125
    assert drive["chassis.y"].max() > 3.5
    np.testing.assert_allclose(3.6 * drive["chassis.speed"], 100, atol=3)
    # a driver with a path of his own does not keep it
    path = archives["vehicle", "3.0"].path
    assert max(vehicle_lane_change.run(100 / 3.6, 0.5, path).friction_ratios) > 0.6


@pytest.mark.heavy
def test_figure_of_the_drive_is_written(drive: fmu_mpc.Record, tmp_path: Path) -> None:
    fmu_mpc.draw(drive, tmp_path)
    assert (tmp_path / "fmu_mpc.png").stat().st_size > 20_000
