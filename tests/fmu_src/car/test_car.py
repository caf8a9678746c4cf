"""The road car: its equilibrium, signs and limits, from its data sheet and from balances alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from scipy.optimize import brentq

from mbcore import ROAD_CAR_TYRE, Equations, MagicFormula, ModelError, TyreContact, simulate
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import car
from mbcore.fmus.tyre_data import tyre_data
from mbcore.model.errors import SimulationError
from tests.conftest import equations_of

WHEELS = ("front_left", "front_right", "rear_left", "rear_right")
BODY, WHEEL, GRAVITY = 965.711, 31.896, 9.81
TO_FRONT, WHEELBASE = 1.156196, 2.578913
STEADY = 2
"""Item of tyres.transient."""


@pytest.fixture(scope="module")
def equations() -> Equations:
    return equations_of(car.model)


def shown(
    equations: Equations,
    start: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    parameters: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Return the outputs at a start, with steady tyres."""
    given = {"tyres.transient": STEADY, **(parameters or {})}
    point = Evaluation(equations, parameters=given, inputs=dict(inputs or {}))
    point.start(dict(start or {}))
    return {o.name: float(y) for o, y in zip(equations.outputs, point.output(), strict=True)}


def test_it_starts_in_equilibrium(equations: Equations) -> None:
    """Loads by the lever of the axles; drag and rolling resistance alone act."""
    front = BODY * GRAVITY * (WHEELBASE - TO_FRONT) / WHEELBASE / 2 + WHEEL * GRAVITY
    rear = BODY * GRAVITY * TO_FRONT / WHEELBASE / 2 + WHEEL * GRAVITY
    found = shown(equations)
    for wheel, load in zip(WHEELS, (front, front, rear, rear), strict=True):
        assert found[f"{wheel}.load"] == pytest.approx(load, rel=1e-12)
        assert found[f"{wheel}.slip_ratio"] == pytest.approx(0, abs=1e-12)
        assert found[f"{wheel}.in_range"] == 1 and found[f"{wheel}.airborne"] == 0
    assert found["body.acceleration_z"] == pytest.approx(0, abs=1e-12)
    assert found["body.acceleration_y"] == pytest.approx(0, abs=1e-12)
    drag = 1.2 / 2 * 0.65 * 20**2
    resistance = -found["body.acceleration_x"] * (BODY + 4 * WHEEL) - drag
    assert 0 < resistance < 0.02 * (BODY + 4 * WHEEL) * GRAVITY


@pytest.mark.parametrize("speed", [0.0, 5.0, 40.0])
def test_at_other_speeds_tyres_grow_and_stiffen_as_their_file_says(
    equations: Equations, speed: float
) -> None:
    """The load by Q_RE0, Q_V1, Q_V2, Q_FZ2 and VERTICAL_STIFFNESS, at the radius of 20 m/s."""
    found = shown(equations, {"body.speed": speed})

    def load(spin: float, radius: float) -> float:
        free = 0.316 * (0.998 + 0.0007 * (0.316 * spin / 16.7) ** 2)
        pressed = (free - radius) / 0.316
        slope = np.sqrt((205e3 * 0.316 / 4200) ** 2 - 4 * 14)
        stiffer = 1 + 0.045 * 0.316 * spin / 16.7
        return float(stiffer * 4200 * (slope * pressed + 14 * pressed**2))

    (carried,) = {shown(equations)[f"front_{side}.load"] for side in ("left", "right")}
    spin = shown(equations)["front_left.spin_rate"]
    radius = brentq(lambda r: load(spin, r) - carried, 0.25, 0.32, xtol=1e-14)
    expected = load(found["front_left.spin_rate"], radius)
    assert found["front_left.load"] == pytest.approx(expected, rel=1e-9)


def test_signs_are_those_that_are_said(equations: Equations) -> None:
    turned = shown(equations, {"steering.angle": 0.02})
    assert all(turned[f"front_{side}.slip_angle"] < -0.015 for side in ("left", "right"))
    assert all(turned[f"front_{side}.force_y"] > 50 for side in ("left", "right"))
    assert turned["body.acceleration_y"] > 0.5
    # the trail turns the wheels back, against the driver
    assert all(turned[f"front_{side}.moment_z"] < 0 for side in ("left", "right"))

    leaning = shown(equations, {"body.roll": 0.01})  # the left side up, to the right
    assert all(leaning[f"{wheel}.camber"] == pytest.approx(0.01) for wheel in WHEELS)
    upright = shown(equations)  # with conicity and ply steer
    outwards = shown(equations, parameters={"front.camber": 0.01})
    assert outwards["front_left.force_y"] > upright["front_left.force_y"]
    assert outwards["front_right.force_y"] < upright["front_right.force_y"]

    driving = shown(equations, inputs={"rear_left.drive_torque": 100.0})
    assert driving["rear_left.force_x"] == pytest.approx(shown(equations)["rear_left.force_x"])
    locked = shown(equations, {"rear_left.slip_speed": -20.0})
    assert locked["rear_left.spin_rate"] == pytest.approx(0, abs=1e-12)
    assert locked["rear_left.slip_ratio"] == pytest.approx(-1)
    assert locked["rear_left.force_x"] < -1500


@pytest.mark.heavy
def test_tyres_get_the_force_normal_to_the_road() -> None:
    """The load that is shown is that of the ground, and that of the law, as wheels lean by 0.01."""
    made = car.build(tyre_data())
    for name, corner in made.corners.items():
        made.model.output(f"{name}.normal_force", corner.wheel.normal_force, unit="N")
    start = {"body.roll": 0.01, "body.side_speed": -1.2, "yaw.rate": 0.3}
    found = shown(made.model.equations(), start, parameters={"front.camber": -0.05})
    law = MagicFormula.from_tir(ROAD_CAR_TYRE, side="left")
    for wheel in WHEELS:
        angle, ratio, camber, load = (
            ca.SX(found[f"{wheel}.{of}"]) for of in ("slip_angle", "slip_ratio", "camber", "load")
        )
        own = law if wheel.endswith("left") else law.on_other_side()
        forces = own.forces(TyreContact(angle, ratio, camber, load, ca.SX(1)))
        for of, force in (("force_x", forces.longitudinal), ("force_y", forces.lateral)):
            expected = float(ca.evalf(force))
            assert found[f"{wheel}.{of}"] == pytest.approx(expected, rel=1e-9), (wheel, of)
        assert found[f"{wheel}.force_y"] > 1000
        assert found[f"{wheel}.load"] == pytest.approx(found[f"{wheel}.normal_force"], rel=1e-9)


def test_sensor_reads_gravity_and_slope(equations: Equations) -> None:
    """In free fall an inertial sensor reads nothing; on a slope gravity is turned."""
    for slope in (0.0, 0.2):
        found = shown(equations, {"body.speed": 0.0}, {"road.slope": slope})
        x, z = (found[f"sensor.acceleration_{a}"] - found[f"body.acceleration_{a}"] for a in "xz")
        assert (x, z) == pytest.approx((GRAVITY * np.sin(slope), GRAVITY * np.cos(slope)))
    spinning = shown(equations, {"yaw.rate": 2.0, "body.speed": 0.0}, parameters={"sensor.x": 1.5})
    centre = spinning["body.acceleration_x"]
    assert spinning["sensor.acceleration_x"] == pytest.approx(centre - 1.5 * 2.0**2)


def test_paths_steer_and_lean_wheels(equations: Equations) -> None:
    """Toe, bump steer, camber and Ackermann's angles, from their definitions."""
    given = {"front.toe": 0.01, "front.toe_by_travel": 0.2, "front.camber": -0.02}
    travelled = {f"front_{side}.travel": 0.03 for side in ("left", "right")}
    found = shown(equations, travelled, parameters=given)
    for side, sign in (("left", 1), ("right", -1)):
        angle = sign * (0.01 + 0.2 * 0.03)  # toe-in turns a left wheel to the right
        assert found[f"front_{side}.slip_angle"] == pytest.approx(angle, abs=1e-5)
        assert found[f"front_{side}.camber"] == pytest.approx(sign * 0.02, abs=1e-5)
    angle, track = 0.3, 1.38684
    steered = shown(equations, {"steering.angle": angle, "body.speed": 20.0})
    left, right = (-steered[f"front_{side}.slip_angle"] for side in ("left", "right"))
    # the normals of both front wheels meet on the line of the rear axle
    assert 1 / np.tan(right) - 1 / np.tan(left) == pytest.approx(track / WHEELBASE, rel=1e-9)


def test_an_anti_roll_bar_resists_the_difference_of_both_travels(equations: Equations) -> None:
    """6914.88 N.m/rad at tracks of 1.38684 m: ±6914.88·0.01/1.38684² = 35.9527 N, once."""
    found, rest = shown(equations, {"front_left.travel": 0.01}), shown(equations)
    left, right, behind = (
        found[f"{wheel}.suspension_force"] - rest[f"{wheel}.suspension_force"]
        for wheel in WHEELS[:3]
    )
    assert left == pytest.approx(24453.1 * 0.01 + 35.9527, abs=1e-4)
    assert right == pytest.approx(-35.9527, abs=1e-4)
    assert behind == pytest.approx(0, abs=1e-9)


def test_it_rolls_straight_and_loses_what_drag_and_resistance_take(equations: Equations) -> None:
    run = simulate(equations, 0.2, backend="python", samples=11)
    lost = run["body.speed"][0] - run["body.speed"][-1]
    assert 0.03 < lost < 0.1
    assert np.abs(run["body.y"]).max() < 1e-9
    assert np.abs(run["body.z"]).max() < 1e-3


def test_limits_are_refused_by_name(equations: Equations) -> None:
    with pytest.raises((ModelError, SimulationError), match="travel"):
        shown(equations, {"front_left.travel": 0.3})
    with pytest.raises((ModelError, SimulationError), match="spins so fast that its tyre grows"):
        # Q_RE0 + Q_V1 (R_0 Ω/V_0)² is 1.1 at 638 rad/s; rolling radius of about 0.305 m
        shown(equations, {"rear_left.slip_speed": 0.305 * 660 - 20})
    shown(equations, {"rear_left.slip_speed": 0.305 * 610 - 20})
    with pytest.raises((ModelError, SimulationError), match="steered beyond"):
        shown(equations, {"steering.angle": 1.2})


def test_a_tyre_that_the_car_presses_to_its_rim_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "soft.tir"
    text = ROAD_CAR_TYRE.read_text().replace("VERTICAL_STIFFNESS = 205000", "Q_FZ1 = 0.5")
    file.write_text(text.replace("Q_FZ2 = 14.0", "Q_FZ2 = 0").replace("BOTTOM_STIFF", "$"))
    with pytest.raises(ModelError, match=r"soft\.tir: the tyre is pressed to its rim"):
        car.model(file)


def test_tyres_of_both_sides_are_mirror_images(equations: Equations) -> None:
    """Conicity and ply steer of both push outwards or inwards, and not to one side."""
    found = shown(equations)
    for axle in ("front", "rear"):
        left, right = (found[f"{axle}_{side}.force_y"] for side in ("left", "right"))
        assert left == pytest.approx(-right, rel=1e-12) and left != 0


@pytest.mark.heavy
def test_parked_on_a_slope_it_stays_for_a_million_seconds(equations: Equations) -> None:
    """A slope of 20 %, brakes on: at rest after a minute, and no state moves from then on."""
    inputs = {
        "road.slope": np.arctan(0.2),
        **{f"{wheel}.brake_torque": 1500.0 for wheel in WHEELS},
    }
    begin = {"body.speed": 0.0}
    for until in (60.0, 1e6):
        later = simulate(
            equations,
            until,
            backend="c",
            method="rosenbrock",
            inputs=inputs,
            start=begin,
            rtol=1e-8,
            atol=1e-10,
            samples=11,
        )
        begin = {state.name: later.final(state.name) for state in equations.states}
    for state in equations.states:
        moved = np.abs(later[state.name] - later[state.name][0]).max()
        assert moved <= 1e-13 * max(state.nominal, abs(later[state.name][0])), state.name
    assert -0.02 < later["body.x"][-1] < -0.002  # the tyres and the brakes have given way


@pytest.mark.heavy
def test_ranges_of_the_file_are_refused_where_that_is_asked(tmp_path: Path) -> None:
    """With straight wheels all slip angles are arctan(side speed / speed); at 0.2 they end."""
    file = tmp_path / "narrow.tir"
    text = ROAD_CAR_TYRE.read_text()
    file.write_text(re.sub(r"(ALPMAX\s*=).*", r"\1 0.2", text))
    ends = 20.0 * np.tan(0.2)
    beyond = {"body.side_speed": (1 + 1e-6) * ends}
    refusing = car.model(file, "refuse").equations()
    shown(refusing, {"body.side_speed": (1 - 1e-6) * ends})
    with pytest.raises(
        SimulationError, match=r"left: slip angle of the tyre = 0\.2.* to 0\.2 rad; keep"
    ):
        shown(refusing, beyond)
    assert shown(car.model(file).equations(), beyond)["front_left.in_range"] == 0
    with pytest.raises(ModelError, match="limits is 'none'"):
        car.model(file, "none")  # type: ignore[arg-type]
