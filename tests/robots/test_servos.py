"""Joints that servos move, and the odometry of wheels, against closed forms."""

import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.robots.odometry import drive
from mbcore import Ground, JointLaws, Mecanum, Robot, Rolling, from_urdf, simulate
from mbcore.model.errors import ModelError
from tests.robots.carts import CART, SKID
from tests.robots.test_mecanum import DIAMOND, NAMES, shares

pytestmark = pytest.mark.filterwarnings("ignore::mbcore.ModelWarning")
WHEELS = {"left_wheel": Rolling(0.1), "right_wheel": Rolling(0.1)}
BOTH = JointLaws(speeds=("left", "right"))


def read(folder: Path, text: str, **options: object) -> Robot:
    file = folder / "cart.urdf"
    file.write_text(text)
    return from_urdf(file, **options)


def test_servos_need_the_torque_of_newton_and_euler(tmp_path: Path) -> None:
    """In a turn from unequal speeds: Σ F = m a - m_b c ψ'², M ψ'' about the axle's middle."""
    robot = read(tmp_path, CART, rolling=WHEELS, joints=BOTH)
    given = {"left.speed": 5.0, "right.speed": 7.0, "right.acceleration": 2.0}
    run = simulate(robot.equations(), until=1e-6, inputs=given)
    v, a, w, turning = 0.6, 0.1, 0.5, 0.5
    push = 9 * a - 8 * 0.05 * w**2
    inertia = 0.2 + 8 * 0.05**2 + 2 * (0.001 + 0.5 * 0.2**2)
    turn = inertia * turning + 8 * 0.05 * v * w
    for side, sign, spun in (("left", -1, 0.0), ("right", 1, 2.0)):
        force = push / 2 + sign * turn / 0.4
        torque = 0.1 * force + 0.002 * spun
        assert run[f"{side}.drive_torque"][0] == pytest.approx(torque, rel=1e-9)


@pytest.mark.heavy
def test_fifty_metres_on_four_casters_are_arcs() -> None:
    """Arcs, turns in place and reversals; the benchmark drives a kilometre of them."""
    length, sections, off = drive(0.05)
    assert length > 50
    assert sections == 12  # of eight ratios
    assert np.abs(off).max() < 1e-9


def test_odometry_is_the_pose_with_true_sizes(tmp_path: Path) -> None:
    robot = read(tmp_path, CART, rolling=WHEELS, joints=BOTH, start={"left": 0.5})
    robot.add_odometry()
    equations = robot.equations()
    given = {"left.speed": 5.0, "right.speed": 7.0}
    run = simulate(equations, until=2, inputs=given, rtol=1e-11, atol=1e-12)
    assert run.final("left.angle") == pytest.approx(10.5, rel=1e-9)
    for name, value in (
        ("x", 0.6 / 0.5 * math.sin(1.0)), ("y", 0.6 / 0.5 * (1 - math.cos(1.0))), ("yaw", 1.0),
    ):  # fmt: skip
        assert run.final(f"base.{name}") == pytest.approx(value, rel=1e-9)
        assert run.final(f"odometry.{name}") == pytest.approx(value, rel=1e-9)
    wrong = {"left_wheel.odometry_radius": 0.102, "odometry.track_factor": 1.1}
    run = simulate(equations, until=2, inputs=given, parameters=wrong)
    assert run.final("odometry.yaw") == pytest.approx(2 * (0.7 - 0.51) / 0.44, rel=1e-9)


@pytest.mark.parametrize("slides", [False, True])
def test_odometry_of_a_skid_steered_cart_is_the_pose(tmp_path: Path, slides: bool) -> None:
    """Side slips that are free do not pull the heading: ψ' = r (ω_right - ω_left)/track."""
    ends = ("front", "rear")
    ground = Ground(friction=0.5) if slides else None
    wheels = {
        f"{end}_{side}": Rolling(0.1, ground=ground if slides else None)
        for end in ends
        for side in ("left", "right")
    }
    robot = read(tmp_path, SKID, rolling=wheels, support="compliant")
    robot.add_odometry()
    assert robot.odometry is not None
    found = robot.odometry()
    places = {"left": -1, "right": 1}
    rates = [10.0 + 2.5 * places[link.split("_")[1]] for link, *_ in found.wheels]
    twist = found.shares @ (0.1 * np.array(rates))
    aside = 0.0 if slides else -0.3 * 1.25  # the front axle alone holds its side
    assert twist == pytest.approx([1.0, aside, 1.25], abs=1e-12)


def test_four_mecanum_wheels_have_one_speed_too_many(tmp_path: Path) -> None:
    joints = JointLaws(speeds=tuple(f"{name}_axle" for name in NAMES))
    robot = read(tmp_path, SKID, rolling=DIAMOND, joints=joints)
    [note] = robot.notes
    assert "rear_right: others determine its slip along" in note
    assert "give one commanded speed less" in note
    robot.add_odometry()
    twist = [0.4, -0.3, 0.2]
    given = {f"{n}_axle.speed": v for n, v in zip(NAMES, shares(math.pi / 4) @ twist, strict=True)}
    run = simulate(robot.equations(), until=2, inputs=given, rtol=1e-11, atol=1e-12)
    sine, versine = math.sin(0.4) / 0.2, (1 - math.cos(0.4)) / 0.2
    for axis, place in (("x", 0.4 * sine + 0.3 * versine), ("y", 0.4 * versine - 0.3 * sine)):
        assert run.final(f"base.{axis}") == pytest.approx(place, rel=1e-9)
        assert run.final(f"odometry.{axis}") == pytest.approx(place, rel=1e-9)
    with pytest.raises(ModelError, match="give one commanded speed less"):
        read(tmp_path, SKID, rolling=DIAMOND, joints=joints, roles="given")


def test_wrong_servos_and_odometry_are_refused(tmp_path: Path) -> None:
    for laws, message in (
        (JointLaws(speeds=("lefty",)), "speeds: no joint with one freedom 'lefty'"),
        (JointLaws(torques=("left",), speeds=("left",)), "is in torques and in speeds"),
    ):
        with pytest.raises(ModelError, match=message):
            read(tmp_path, CART, rolling=WHEELS, joints=laws)
    with pytest.raises(ModelError, match="no wheel rolls"):
        read(tmp_path, CART).add_odometry()
    lonely = read(tmp_path, CART, rolling={"left_wheel": Rolling(0.1)})
    with pytest.raises(ModelError, match="do not determine how the base moves"):
        lonely.add_odometry()
    # four wheels whose rollers stand alike: nothing tells how the base moves along these
    alike = read(tmp_path, SKID, rolling=dict.fromkeys(NAMES, Mecanum(0.1, "45 deg")))
    with pytest.raises(ModelError, match="three with rollers"):
        alike.add_odometry()
