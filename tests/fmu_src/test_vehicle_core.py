"""The vehicle of [SchiehlenEismann] by ``simulate``: (32) to (55) and Table 1.

Dimensionless numbers (l = m = v_L = 1, κ = 0.5, i² = 0.09) from (42) integrated at relative
tolerances of 1e-12; equations of motion and lateral forces in closed form.
"""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Equations, Result, simulate
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import vehicle
from tests.conftest import equations_of

LAG, DIRECT, SPEED_LAW = 1, 2, 3
DIMENSIONLESS = {
    "steering": SPEED_LAW,
    "steer.reference_speed": 1.0,
    "chassis.mass": 1.0,
    "chassis.inertia": 0.09,
    "wheelbase": 1.0,
    "rear_to_mass_centre": 0.5,
}
MASS, INERTIA, BASE, REAR, LIMIT_SPEED = 1200.0, 675.0, 2.5, 1.25, 10.0
"""m, I, l, l_H and v_L, the vehicle's own values."""


@pytest.fixture(scope="module")
def equations() -> Equations:
    return equations_of(vehicle.model)


def run(equations: Equations, until: float, **values: float) -> Result:
    """Simulate the dimensionless vehicle; start values and inputs by the last part of a name."""
    names = {"speed": "chassis.speed", "yaw": "chassis.yaw", "x": "chassis.x", "y": "chassis.y"}
    inputs = {"force": "drive.force", "slope": "load.force_y"}
    return simulate(
        equations,
        until,
        start={"chassis.speed": 0.0} | {names[k]: v for k, v in values.items() if k in names},
        inputs={inputs[k]: v for k, v in values.items() if k in inputs},
        parameters=DIMENSIONLESS,
        rtol=1e-12,
        atol=1e-14,
        progress=False,
    )


def state(motion: Result) -> dict[str, float]:
    return {name: motion.final(f"chassis.{name}") for name in ("x", "y", "yaw", "speed")}


def test_circle(equations: Equations) -> None:
    # [SchiehlenEismann] (48), (49)
    motion = run(equations, 2 * np.pi / 0.8**2, speed=0.8)
    assert motion.time[-1] == pytest.approx(9.8174770, abs=1e-7)
    assert state(motion) == pytest.approx(
        {"x": 0.0, "y": 0.0, "yaw": 2 * np.pi, "speed": 0.8}, abs=1e-10
    )
    # the centre of [SchiehlenEismann] (49) with its misprint put right
    distance = np.hypot(motion["chassis.x"] + 0.5, motion["chassis.y"] - 1.25)
    assert distance == pytest.approx(1.3462912, abs=1e-7)
    assert motion["front.lateral_force"] == pytest.approx(0.3278400, abs=1e-7)
    assert motion["rear.lateral_force"] == pytest.approx(0.256, abs=1e-12)


@pytest.mark.parametrize(
    ("plan", "end", "forces"),
    [
        pytest.param(
            ((2.661, 1), (2.661, -1), (2.661, 1), (2.661, -1)),
            (1.9332277377, -0.0033800180, 12.5640659747, 0.0),
            (5.067449, 2.420998),
            id="displacement",
        ),
        pytest.param(
            ((1.5, 1), (3.0, -1), (1.5, 1)),
            (1.3771406342, 0.0057535190, 3.1499483514, 0.0),
            (1.797293, 0.959727),
            id="turning",
        ),
    ],
)
def test_table_1(
    equations: Equations,
    plan: tuple[tuple[float, float], ...],
    end: tuple[float, ...],
    forces: tuple[float, float],
) -> None:
    # [SchiehlenEismann] (52)
    at = {"x": 0.0, "y": 0.0, "yaw": 0.0, "speed": 0.0}
    largest = np.zeros(2)
    for duration, force in plan:
        motion = run(equations, duration, force=force, **at)
        at = state(motion)
        for i, axle in enumerate(("front", "rear")):
            largest[i] = max(largest[i], np.abs(motion[f"{axle}.lateral_force"]).max())
    assert tuple(at.values()) == pytest.approx(end, abs=1e-9)
    assert tuple(largest) == pytest.approx(forces, abs=1e-6)


def test_jumping_input_with_breaks_agrees_with_the_intervals(equations: Equations) -> None:
    switched = [2.661, 5.322, 7.983]
    motion = simulate(
        equations,
        10.644,
        start={"chassis.speed": 0.0},
        parameters=DIMENSIONLESS,
        inputs={"drive.force": lambda t: 1.0 if np.searchsorted(switched, t) % 2 == 0 else -1.0},
        breaks=switched,
        rtol=1e-12,
        atol=1e-14,
        progress=False,
    )
    assert motion.final("chassis.x") == pytest.approx(1.9332277377, abs=1e-8)
    assert motion.final("chassis.yaw") == pytest.approx(12.5640659747, abs=1e-8)


def test_slope(equations: Equations) -> None:
    # [SchiehlenEismann] (54), (55)
    motion = run(equations, 6.7020997804, yaw=np.pi / 4, slope=0.5)
    assert state(motion) == pytest.approx(
        {"x": -1.9358473769, "y": 0.0, "yaw": 4.5074541891, "speed": 0.0}, abs=1e-9
    )
    v = motion["chassis.speed"]
    assert 0.34 * v**4 + v**2 - motion["chassis.y"] == pytest.approx(0.0, abs=1e-12)


def test_self_restraining_changes_direction_once_and_comes_to_rest(equations: Equations) -> None:
    motion = run(equations, 200.0, yaw=-1.75, slope=0.5)
    v, turned = motion["chassis.speed"], motion["chassis.yaw"] - np.pi
    assert np.sum(v[1:-1] * v[2:] < 0) == 1
    # near rest v = -(γ - π)/κ and γ' = v²: algebraic, 1/(γ - π) falls by 1/κ² in a unit of time
    late = motion.time > 100
    assert np.all(v[late] > 0) and np.all(turned[late] < 0)
    assert v[late] == pytest.approx(-2 * turned[late], rel=0.01)
    fall = np.diff(1 / turned[late]) / np.diff(motion.time[late])
    assert fall == pytest.approx(-4.0, rel=0.02)


def random_point(equations: Equations, steering: int) -> tuple[Evaluation, dict[str, float]]:
    """Return the vehicle at a random point in forward and backward motion, and its values."""
    random = np.random.default_rng(steering)
    values = {
        "speed": random.uniform(-12, 12),
        "yaw": random.uniform(-7, 7),
        "actuator": random.uniform(-1.2, 1.2),
        "angle": random.uniform(-1.2, 1.2),
        "rate": random.uniform(-3, 3),
        "drive": random.uniform(-3e3, 3e3),
        "load_x": random.uniform(-3e3, 3e3),
        "load_y": random.uniform(-3e3, 3e3),
    }
    point = Evaluation(
        equations,
        parameters={"steering": steering},
        inputs={
            "steer.angle": values["angle"],
            "steer.rate": values["rate"],
            "drive.force": values["drive"],
            "load.force_x": values["load_x"],
            "load.force_y": values["load_y"],
        },
    )
    point.start(
        {
            "chassis.speed": values["speed"],
            "chassis.yaw": values["yaw"],
            "steer.actuator_angle": values["actuator"],
        }
    )
    return point, values


@pytest.mark.parametrize("steering", [LAG, DIRECT, SPEED_LAW])
def test_motion_and_forces_against_the_closed_form(equations: Equations, steering: int) -> None:
    # [SchiehlenEismann] (34), (36), (40)
    point, q = random_point(equations, steering)
    v, yaw = q["speed"], q["yaw"]
    alpha, alpha_rate = {
        LAG: (q["actuator"], (q["angle"] - q["actuator"]) / 0.05),
        DIRECT: (q["angle"], q["rate"]),
        SPEED_LAW: (np.arctan(v / LIMIT_SPEED), 0.0),
    }[steering]
    T = np.tan(alpha)
    turning = INERTIA + MASS * REAR**2
    along = q["load_x"] * np.cos(yaw) + q["load_y"] * np.sin(yaw)
    across = -q["load_x"] * np.sin(yaw) + q["load_y"] * np.cos(yaw)
    force = q["drive"] + along + across * REAR / BASE * T
    # [m + (I + m l_H²) T²/l²] v' = f - (I + m l_H²) T (sec²α α') v / l²; in (36) sec²α α' = v'/v_L
    if steering == SPEED_LAW:
        v_rate = force / (MASS + 2 * turning * T**2 / BASE**2)  # (40)
        tangent_rate = v_rate / LIMIT_SPEED
    else:
        tangent_rate = alpha_rate / np.cos(alpha) ** 2
        v_rate = (force - turning * T * tangent_rate * v / BASE**2) / (
            MASS + turning * T**2 / BASE**2
        )
    yaw_rate = v * T / BASE
    yaw_acceleration = (v_rate * T + v * tangent_rate) / BASE
    lateral = REAR * yaw_acceleration + v * yaw_rate
    front = (INERTIA * yaw_acceleration + REAR * (MASS * lateral - across)) / (BASE * np.cos(alpha))
    rear = MASS * lateral - across - front * np.cos(alpha)

    rates = dict(zip((s.name for s in equations.states), point.derivative(), strict=True))
    assert rates["chassis.speed"] == pytest.approx(v_rate, rel=1e-10)
    assert rates["chassis.yaw"] == pytest.approx(yaw_rate, rel=1e-10)
    # (34)
    sideways = REAR / BASE * T
    assert rates["chassis.x"] == pytest.approx(v * (np.cos(yaw) - sideways * np.sin(yaw)), rel=1e-9)
    assert rates["chassis.y"] == pytest.approx(v * (np.sin(yaw) + sideways * np.cos(yaw)), rel=1e-9)
    shown = dict(zip((o.name for o in equations.outputs), point.output(), strict=True))
    assert shown["front.steer_angle"] == pytest.approx(alpha, rel=1e-12)
    assert shown["chassis.acceleration_y"] == pytest.approx(lateral, rel=1e-9)
    assert shown["front.lateral_force"] == pytest.approx(front, rel=1e-9)
    assert shown["rear.lateral_force"] == pytest.approx(rear, rel=1e-9)


def test_friction_ratios_relate_each_force_to_its_own_axle_s_load(equations: Equations) -> None:
    """In a steady turn v²/(R g) at the rear, and by 1/cos α more in front, wherever C is."""
    alpha, v, to_rear = 0.2, 6.0, 1.0
    radius = BASE / np.tan(alpha)
    point = Evaluation(
        equations,
        parameters={"steering": DIRECT, "rear_to_mass_centre": to_rear},
        inputs={"steer.angle": alpha},
    )
    point.start({"chassis.speed": v})
    shown = {o.name: y for o, y in zip(equations.outputs, point.output(), strict=True)}
    expected = v**2 / (radius * 9.81)
    assert shown["rear.friction_ratio"] == pytest.approx(expected, rel=1e-12)
    assert shown["front.friction_ratio"] == pytest.approx(expected / np.cos(alpha), rel=1e-12)


@pytest.mark.parametrize("yaw", [3.2, -9.0, 40.0])
def test_far_start_is_not_turned_inside_out(equations: Equations, yaw: float) -> None:
    point = Evaluation(equations)
    point.start({"chassis.x": 5000.0, "chassis.y": -300.0, "chassis.yaw": yaw})
    place = dict(zip(equations.coordinate_names, point.x, strict=True))
    assert place["F.x"] - place["R.x"] == pytest.approx(BASE * np.cos(yaw), abs=1e-9)
    assert place["F.y"] - place["R.y"] == pytest.approx(BASE * np.sin(yaw), abs=1e-9)


@pytest.mark.heavy
def test_event_whose_indicator_starts_at_zero_is_found() -> None:
    car = vehicle.model()
    car.event("standstill", car.nodes["rear rotation"].velocities)
    motion = simulate(
        car.equations(),
        6.0,
        start={"chassis.speed": 0.0},
        parameters=DIMENSIONLESS,
        inputs={"drive.force": lambda t: 1.0 - t},
        rtol=1e-11,
        atol=1e-13,
        progress=False,
    )
    times = [time for time, name in motion.events if name == "standstill"]
    # the impulse t - t²/2 of (52) is back at zero at t = 2
    assert times == pytest.approx([0.0, 2.0], abs=1e-9)
