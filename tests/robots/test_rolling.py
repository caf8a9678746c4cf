"""Robots on wheels: rolling without slip against closed forms, and what is told of the wheels."""

import math
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from mbcore import Caster, Ground, JointLaws, Robot, Rolling, from_urdf, simulate
from mbcore.model.errors import ModelError, ModelWarning
from tests.robots.carts import AXLE, CART, SKID, STEERED, SWIVELLING, TWO_SWIVELS

pytestmark = pytest.mark.filterwarnings("ignore::mbcore.ModelWarning")
WHEELS = {"left_wheel": Rolling(radius=0.1), "right_wheel": Rolling(radius=0.1)}
CORNER = {"corner": Caster(radius=0.05, trail=0.04, swivel=0.8)}
TIGHT = {"rtol": 1e-12, "atol": 1e-12}


def read(folder: Path, text: str, **options: object) -> Robot:
    file = folder / "cart.urdf"
    file.write_text(text)
    return from_urdf(file, **options)


def drive(robot: Robot, left: float, right: float, until: float) -> None:
    """Turn both wheels by these angles, from rest to rest."""
    share = robot.time / until - ca.sin(2 * math.pi * robot.time / until) / (2 * math.pi)
    for name, angle in (("left", left), ("right", right)):
        robot.joints[name].coordinate.release().prescribe(angle * share)


@pytest.mark.parametrize(("left", "right"), [(6.0, 10.0), (5.0, -5.0), (-7.0, -3.0)])
def test_constant_ratios_make_arcs(left: float, right: float, tmp_path: Path) -> None:
    robot = read(tmp_path, CART, rolling=WHEELS | CORNER)
    drive(robot, left, right, 2.0)
    run = simulate(robot.equations(), until=2, **TIGHT)
    yaw, path = 0.1 * (right - left) / 0.4, 0.1 * (left + right) / 2
    radius = path / yaw
    expected = (radius * math.sin(yaw), radius * (1 - math.cos(yaw)), yaw)
    found = [run.final(f"base.{name}") for name in ("x", "y", "yaw")]
    assert found == pytest.approx(expected, abs=1e-9)
    assert found[2] == pytest.approx(yaw, abs=1e-13)


@pytest.mark.parametrize(
    ("text", "casters", "angle", "trail"),
    [
        (CART, {"corner": Caster(radius=0.05, trail=0.04)}, "corner.swivel.angle", 0.04),
        (SWIVELLING, {"caster": Caster(radius=0.05)}, "swivel.angle", 0.04),
    ],
)
def test_a_caster_aligns(
    text: str, casters: dict, angle: str, trail: float, tmp_path: Path
) -> None:
    """φ' = -(v/l) sin φ of a caster behind a pivot that moves straight: tan(φ/2) decays."""
    robot = read(tmp_path, text, rolling=WHEELS | casters)
    drive(robot, 1.0, 1.0, 1.0)
    start = 0.8
    run = simulate(robot.equations(), until=1, start={angle: start}, **TIGHT)
    turned = math.tan(start / 2) * math.exp(-0.1 / trail)
    assert run.final(angle) == pytest.approx(2 * math.atan(turned), abs=1e-9)
    force = run["corner.wheel.force_x" if text is CART else "caster.force_x"][-1]
    assert force == pytest.approx(0, abs=1e-12)  # it has no mass


@pytest.mark.parametrize("order", [("caster", "front_caster"), ("front_caster", "caster")])
def test_wheels_on_free_swivels_are_casters(order: tuple[str, str], tmp_path: Path) -> None:
    """Both align as a caster does, behind a pivot that moves straight, and none slides."""
    wheels = WHEELS | dict.fromkeys(order, Rolling(radius=0.05))
    robot = read(tmp_path, TWO_SWIVELS, rolling=wheels)
    assert not any("caster carries no side force" in note for note in robot.notes)
    drive(robot, 1.0, 1.0, 1.0)
    start = {"swivel.angle": 0.8, "front.angle": -0.5}
    run = simulate(robot.equations(), until=1, start=start, **TIGHT)
    for name, trail in (("swivel.angle", 0.04), ("front.angle", 0.03)):
        turned = math.tan(start[name] / 2) * math.exp(-0.1 / trail)
        assert run.final(name) == pytest.approx(2 * math.atan(turned), abs=1e-9)


def test_swivels_that_are_steered_do_not_adapt(tmp_path: Path) -> None:
    """Of three headings that are given, one is too many, with a trail too."""
    wheels = WHEELS | dict.fromkeys(("caster", "front_caster"), Rolling(radius=0.05))
    servos = JointLaws(speeds=["swivel", "front"])
    robot = read(tmp_path, TWO_SWIVELS, rolling=wheels, joints=servos)
    assert "front_caster carries no side force, since with left_wheel, caster the base" in (
        "\n".join(robot.notes)
    )


def test_torques_accelerate_mass_and_wheels(tmp_path: Path) -> None:
    """(m + 2 I/r²) a = 2 T/r straight ahead; the ground pushes each wheel by T/r - I a/r²."""
    robot = read(tmp_path, CART, rolling=WHEELS)
    run = simulate(
        robot.equations(), until=1, inputs={"left.torque": 0.3, "right.torque": 0.3}, **TIGHT
    )
    acceleration = 2 * 0.3 / 0.1 / (9 + 2 * 0.002 / 0.01)
    assert run.final("base.speed") == pytest.approx(acceleration, rel=1e-10)
    force = 0.3 / 0.1 - 0.002 * acceleration / 0.01
    assert run["left_wheel.force_x"][-1] == pytest.approx(force, rel=1e-10)


def test_the_ground_does_no_work(tmp_path: Path) -> None:
    robot = read(tmp_path, CART, rolling=WHEELS | CORNER)
    robot.output("energy", robot.kinetic_energy, unit="J")
    torques = {"left.torque": 0.2, "right.torque": 0.5}
    run = simulate(robot.equations(), until=2, inputs=torques, **TIGHT)
    work = sum(
        torque * run.final(name.replace("torque", "angle")) for name, torque in torques.items()
    )
    assert run["energy"][-1] == pytest.approx(work, rel=1e-9)
    # in a turn the side force carries the centripetal force of the whole: m (a_y of the centre)
    assert abs(run["left_wheel.force_y"][-1]) > 0.5


def test_guesses_and_redundant_slips_are_told(tmp_path: Path) -> None:
    rolling = {"left_wheel": Rolling(), "right_wheel": Rolling(radius=0.098)} | CORNER
    with pytest.warns(ModelWarning) as told:
        robot = read(tmp_path, CART, rolling=rolling)
    assert {str(warning.message) for warning in told} == set(robot.notes)
    text = "\n".join(robot.notes)
    for part in (
        "link left_wheel: the radius 0.1 m is that of its collision cylinder",
        "wheel right_wheel is 2 mm above the ground",
        "wheel right_wheel carries no side force, since its side slip follows from that of",
        "joints corner.swivel and corner.wheel",
    ):
        assert part in text
    assert float(robot.links["base"].base.start[2]) == pytest.approx(0.1)


def test_a_held_base_is_told_where_something_could_roll(tmp_path: Path) -> None:
    told = "no link rolls: base base is held; give rolling= (--rolling LINK), or floating=True"
    with pytest.warns(ModelWarning, match="no link rolls"):
        assert any(note.startswith(told) for note in read(tmp_path, CART).notes)
    arm = CART.replace('"continuous"', '"revolute"').replace(
        AXLE, AXLE + '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    )
    limbs = "base base is held, though 2 limbs hang on it: left_wheel, right_wheel; give floating"
    assert any(note.startswith(limbs) for note in read(tmp_path, arm).notes)
    for text, options in ((arm, {}), (CART, {"floating": True}), (CART, {"rolling": WHEELS})):
        assert not any("no link rolls" in note for note in read(tmp_path, text, **options).notes)


def test_skid_steering_is_told_by_names(tmp_path: Path) -> None:
    wheels = [f"{end}_{side}" for end in ("front", "rear") for side in ("left", "right")]
    robot = read(tmp_path, SKID, rolling=dict.fromkeys(wheels, Rolling()))
    text = "\n".join(robot.notes)
    assert (
        "wheel rear_left carries no side force, since with front_left the base could not turn"
        in text
    )
    run = simulate(robot.equations(), until=1, inputs={"front_right_axle.torque": 0.5})
    assert run.final("base.yaw") > 0.1
    held = {name: Rolling(sideways=name.endswith("left") or None) for name in wheels}
    with pytest.raises(ModelError, match="rear_left cannot keep from sliding sideways"):
        read(tmp_path, SKID, rolling=held)


def test_a_joint_along_the_axle_does_not_steer(tmp_path: Path) -> None:
    """The rear axle holds the cart, though a ring turns its wheels; one front wheel steers it."""
    names = [f"{end}_{side}" for end in ("front", "rear") for side in ("left", "right")]
    rolling = dict.fromkeys(names, Rolling(radius=0.1))
    robot = read(tmp_path, STEERED, rolling=rolling)
    for name in ("rear_right", "front_right"):
        assert any(note.startswith(f"wheel {name} carries no side") for note in robot.notes)
    steered = {"left_kingpin.angle": 0.3}
    run = simulate(robot.equations(), until=1, start=steered, inputs={"rear_left_axle.torque": 0.5})
    slope = math.tan(run.final("left_kingpin.angle"))
    turned = run["base.speed"][-1] * slope / (0.6 + 0.2 * slope)
    assert run["base.side_speed"][-1] == pytest.approx(0, abs=1e-12)
    assert run["base.yaw_rate"][-1] == pytest.approx(turned, rel=1e-9)
    assert turned > 0.01
    both = {name: Rolling(radius=0.1, sideways=name.startswith("front")) for name in names}
    with pytest.raises(ModelError, match=r"depend on each other: front_left, .*couple the joints"):
        read(tmp_path, STEERED, rolling=both)


def test_unequal_wheels_turn_a_straight_path(tmp_path: Path) -> None:
    """Of UMBmark's errors: yaw = (r_r θ - r_l θ)/b by wheels that turn alike."""
    rolling = {"left_wheel": Rolling(radius=0.1), "right_wheel": Rolling(radius=0.102)}
    robot = read(tmp_path, CART, rolling=rolling)
    drive(robot, 10.0, 10.0, 1.0)
    run = simulate(robot.equations(), until=1, **TIGHT)
    assert run.final("base.yaw") == pytest.approx(10 * 0.002 / 0.4, abs=1e-13)


TWO_RADII = CART.replace(
    "</collision>",
    '</collision><collision><geometry><sphere radius="0.2"/></geometry></collision>', 1,
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            CART,
            {"rolling": {"wheel_left": Rolling()}},
            "no link 'wheel_left'; there is base",
        ),
        (CART, {"rolling": {"corner": Rolling()}}, "link corner has no axle"),
        (CART, {"rolling": {"left_wheel": 0.1}}, "give Rolling"),
        (CART, {"rolling": ["left_wheel"]}, "give wheels by their links"),
        (CART, {"start": ["left"]}, "give values by joints"),
        (CART, {"rolling": WHEELS | {"corner": Caster(radius=0.05)}}, "needs a trail"),
        (CART, {"rolling": CORNER}, "no wheel turns on a joint"),
        (SWIVELLING, {"rolling": WHEELS | {"caster": Caster()}}, "no radius; give one"),
        (TWO_RADII, {"rolling": {"left_wheel": Rolling()}}, "2 radii, 0.1 to 0.2 m; give one"),
        (CART, {"rolling": WHEELS, "floating": True}, "leave floating out"),
        (
            CART.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 0 1"/>'),
            {"rolling": WHEELS},
            "the axle of wheel left_wheel is vertical",
        ),
    ],
)
def test_wrong_wheels_are_refused(text: str, options: dict, message: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=message):
        read(tmp_path, text, **options)


def test_a_radius_is_positive() -> None:
    with pytest.raises(ModelError, match="radius"):
        Rolling(radius=-0.1)
    with pytest.raises(ModelError, match="trail"):
        Caster(trail=0)


def test_slips_may_be_regularized(tmp_path: Path) -> None:
    """A free slip sideways takes a law: a viscous one on a skidding axle resists the turn."""
    wheels = [f"{end}_{side}" for end in ("front", "rear") for side in ("left", "right")]
    turned = []
    for viscosity in (0.0, 50.0):
        robot = read(tmp_path, SKID, rolling=dict.fromkeys(wheels, Rolling()))
        for name in ("rear_left", "rear_right"):
            slip = robot.wheels[name].sideways
            slip.law(viscosity * slip.velocity)
        run = simulate(robot.equations(), until=1, inputs={"front_right_axle.torque": 0.5})
        turned.append(run.final("base.yaw"))
    assert 0 < turned[1] < 0.9 * turned[0]
    assert np.isfinite(turned).all()


def test_sizes_are_texts_with_units_too() -> None:
    assert Rolling(radius="100 mm", width="3 cm") == Rolling(radius=0.1, width=0.03)
    swivel = Caster(radius="5 cm", trail="30 mm", swivel="90 deg").swivel
    assert swivel == pytest.approx(math.pi / 2)
    assert Ground(stiffness="1 kN/m", friction="50 %").stiffness == 1000
    with pytest.raises(ModelError, match=r"Rolling: radius = -0\.1 m"):
        Rolling(radius="-10 cm")
    with pytest.raises(ModelError, match="Rolling: sideways = 'no'; give True, False, or None"):
        Rolling(radius=0.1, sideways="no")  # type: ignore[arg-type]
