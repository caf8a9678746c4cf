"""Three cars through one lane change: kinematics, understeer by hand, and two laws of one slope."""

from __future__ import annotations

from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import quad

from mbcore import TyreContact
from mbcore.examples.cars import car_lane_change
from mbcore.fmus.tyre_data import TyreData


@pytest.fixture(scope="module")
def tyres() -> dict[str, TyreData]:
    return car_lane_change.tyres()


def forces(tyre: TyreData, ratio: float, angle: float, load: float) -> np.ndarray:
    """Return F_x, F_y and M_z."""
    given = TyreContact(ca.SX(angle), ca.SX(ratio), ca.SX(0), ca.SX(load), ca.SX(1))
    found = tyre.left.forces(given)
    rows = ca.vertcat(found.longitudinal, found.lateral, found.aligning_moment)
    return np.array(ca.evalf(rows)).ravel()


def test_kinematic_path_is_that_of_its_steer() -> None:
    """y'' = δ/l for small angles, twice integrated; the turned path gains in second order."""
    for time in (0.3, 2.0, 3.9):
        turned, _ = quad(lambda t: car_lane_change.steer_rate(10.0, 0.5, t), 0, time, epsabs=1e-13)
        assert turned == pytest.approx(car_lane_change.steer(10.0, 0.5, time), abs=1e-12)
    x, y, yaw, speed = car_lane_change.kinematic(10.0)
    assert yaw[-1] == pytest.approx(0, abs=1e-12)
    assert y[-1] == pytest.approx(3.5, rel=5e-3)
    assert speed[0] == speed[-1] == 10.0 and speed.min() < 10.0  # turning takes its share
    assert x[-1] == pytest.approx(70.0, rel=1e-2)


@pytest.mark.parametrize("load", [1500.0, 2900.0, 5000.0])
def test_brush_has_slopes_friction_and_trail_of_the_magic_formula(
    tyres: dict[str, TyreData], load: float
) -> None:
    """Stiffnesses (4.E15), (4.E25), friction (4.E23) from the numbers of the property file."""
    heavier = load / 4200 - 1
    along = load * (21.5 - 0.4 * heavier) * np.exp(0.22 * heavier)
    across = 21.5 * 4200 * np.sin(2 * np.arctan(load / (1.75 * 4200)))
    small = 1e-6
    for tyre in tyres.values():
        assert forces(tyre, small, 0, load)[0] == pytest.approx(small * along, rel=1e-4)
        found = forces(tyre, 0, small, load)
        assert found[1] == pytest.approx(-small * across, rel=1e-4)
        trail = load * 0.316 / 4200 * (0.112 - 0.004 * heavier)
        assert found[2] == pytest.approx(small * across * trail, rel=1e-2)  # the trail is shifted
    # beyond, all bristles slide
    sliding = forces(tyres["brush"], 0, 0.5, load)
    assert sliding[1:] == pytest.approx([-(1.02 - 0.12 * heavier) * load, 0], rel=1e-9, abs=1e-9)


def test_brush_goes_with_road_and_side(tyres: dict[str, TyreData]) -> None:
    brush = tyres["brush"]
    half = TyreData("half", brush.law(-1, ca.SX(0.5)), brush.radius, brush.rim)
    assert forces(half, 0, 0.5, 2900.0)[1] == pytest.approx(
        forces(brush, 0, 0.5, 2900.0)[1] / 2, rel=1e-9
    )


@pytest.mark.heavy
def test_all_agree_when_slow_and_part_as_by_hand(tmp_path: Path) -> None:
    """Cars on two kinds of tyres have equations of their own, which are made and compiled."""
    record = car_lane_change.run()
    for speed, rolled in record.rolling.items():
        by_hand = car_lane_change.kinematic(speed)
        for name, row in zip(("x", "y", "yaw", "speed"), by_hand, strict=True):
            np.testing.assert_allclose(rolled[f"chassis.{name}"], row, atol=1e-9)
    for tyre in record.cars:  # understeer by hand leaves 1.4 %, as in car_handling
        assert record.missing(tyre, 5.0) == pytest.approx(record.expected(5.0), rel=0.02)
        assert record.missing(tyre, 10.0) == pytest.approx(record.expected(10.0), rel=0.04)
    # the brush softens with α|α|, so that both tyres part in the second degree; the third fades
    orders = np.log2(record.apart()[:-1] / record.apart()[1:])
    assert np.all(np.diff(np.abs(orders - 2)) < 0)
    assert orders[-1] == pytest.approx(2.0, abs=0.03)
    car_lane_change.draw(record, tmp_path)
    (picture,) = tmp_path.glob("*.png")
    assert picture.stat().st_size > 10_000
