"""The robot on two driven wheels and two casters, against derivations by hand."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Equations, simulate
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import differential_drive

EXACT = {"rtol": 1e-12, "atol": 1e-13}
G = 9.81
M, J, C, H = 20.0, 0.6, -0.06, 0.2  # body: mass, inertia, place and height of the mass centre
B, R, MW, IW = 0.4, 0.1, 1.0, 5e-3  # track, radius, mass and spin inertia of a driven wheel
XC, YC, L = -0.25, 0.12, 0.03  # pin of a caster, trail
RC, MC, JC, IC = 0.04, 0.3, 2e-4, 1e-4  # radius, mass, inertias of a caster
BARE = {f"caster.{name}": 0.0 for name in ("mass", "inertia", "spin_inertia")}


@pytest.fixture(scope="module")
def robot() -> Equations:
    return differential_drive.model().equations()


def _caster(phi: float, y: float) -> tuple[np.ndarray, ...]:
    """Velocity of the wheel's centre, rates of fork and spin: each by v and ψ̇."""
    along, across = np.array([np.cos(phi), np.sin(phi)]), np.array([-np.sin(phi), np.cos(phi)])
    pin = np.array([[1.0, -y], [0.0, XC]])
    fork = across @ pin / L  # without side slip l (φ̇ + ψ̇) is the pin's velocity across
    return pin - L * np.outer(across, fork), fork, along @ pin / RC


def _inertia(angles: np.ndarray) -> np.ndarray:
    """Mass matrix of v and ψ̇ at swivel angles of both casters."""
    found = np.diag([M + 2 * MW, J + M * C**2 + MW * B**2 / 2])
    for side in (1, -1):
        spin = np.array([1.0, -side * B / 2]) / R
        found += IW * np.outer(spin, spin)
    for phi, y in zip(angles, (YC, -YC), strict=True):
        place, fork, spin = _caster(phi, y)
        found += MC * place.T @ place + JC * np.outer(fork, fork) + IC * np.outer(spin, spin)
    return found


def _started(
    robot: Equations,
    start: dict[str, float],
    inputs: dict[str, float] | None = None,
    parameters: dict[str, float] | None = None,
) -> Evaluation:
    point = Evaluation(robot, parameters, inputs)
    point.start(start)
    return point


def _outputs(robot: Equations, point: Evaluation) -> dict[str, float]:
    return dict(zip((o.name for o in robot.outputs), point.output(), strict=True))


def test_mass_matrix_is_that_by_hand(robot: Equations) -> None:
    for angles in ((0.0, 0.0), (0.8, -2.5)):
        point = _started(robot, {"caster_left.angle": angles[0], "caster_right.angle": angles[1]})
        assert point.mass()[0] == pytest.approx(_inertia(np.array(angles)), rel=1e-14, abs=1e-15)


def test_accelerations_without_masses_of_the_casters(robot: Equations) -> None:
    v, w, left, right = 0.9, 1.7, 0.5, -0.2
    point = _started(
        robot,
        {"base.speed": v, "base.yaw_rate": w},
        {"left.torque": left, "right.torque": right},
        BARE,
    )
    about = J + M * C**2 + MW * B**2 / 2 + IW * B**2 / (2 * R**2)
    expected = (
        ((left + right) / R + M * C * w**2) / (M + 2 * MW + 2 * IW / R**2),
        ((right - left) * B / (2 * R) - M * C * v * w) / about,
    )
    assert point.derivative()[:2] == pytest.approx(expected, rel=1e-13)


@pytest.mark.heavy
def test_work_of_the_drives_becomes_kinetic_energy(robot: Equations) -> None:
    drives = {"left.torque": 0.3, "right.torque": 0.36}
    run = simulate(robot, 4.0, start={"caster_left.angle": 2.0}, inputs=drives, **EXACT)
    work = 0.3 * run["left.angle"][-1] + 0.36 * run["right.angle"][-1]
    assert run["energy.kinetic"][-1] == pytest.approx(work, rel=1e-11)


@pytest.mark.heavy
def test_casters_turn_over_where_the_robot_reverses(robot: Equations) -> None:
    # φ̇ = -(v/l) sin φ, so that tan(φ/2) grows by exp(-v t/l)
    start = {"base.speed": -0.2, "caster_left.angle": 1e-3, "caster_right.angle": -0.4}
    held = {"drive": "speed", **BARE}
    speeds = {"left.speed": -2.0, "right.speed": -2.0}
    run = simulate(robot, 1.0, start=start, parameters=held, inputs=speeds, **EXACT)
    growth = np.exp(0.2 * run.time / L)
    for name, angle in (("caster_left.angle", 1e-3), ("caster_right.angle", -0.4)):
        expected = 2 * np.arctan(np.tan(angle / 2) * growth)
        assert run[name] == pytest.approx(expected, abs=1e-9)


@pytest.mark.heavy
def test_servos_turn_the_wheels_and_odometry_follows(robot: Equations) -> None:
    start = {"base.speed": 0.4, "base.yaw_rate": 0.5}
    speeds = {"left.speed": 3.0, "right.speed": 5.0}
    run = simulate(robot, 20.0, start=start, parameters={"drive": "speed"}, inputs=speeds, **EXACT)
    yaw = 0.5 * run.time
    assert run["base.yaw"] == pytest.approx(yaw, abs=1e-10)
    assert run["base.x"] == pytest.approx(0.8 * np.sin(yaw), abs=1e-10)
    assert run["base.y"] == pytest.approx(0.8 - 0.8 * np.cos(yaw), abs=1e-10)
    for part in ("x", "y", "yaw"):
        assert run[f"odometry.{part}"] == pytest.approx(run[f"base.{part}"], abs=1e-10)


@pytest.mark.heavy
def test_a_servo_takes_the_torque_of_the_acceleration(robot: Equations) -> None:
    parameters = {"drive": "speed", **BARE}
    inputs = {f"{side}.acceleration": 2.0 for side in ("left", "right")}
    run = simulate(robot, 0.01, parameters=parameters, inputs=inputs, **EXACT)
    expected = 2.0 * ((M + 2 * MW) * R**2 / 2 + IW)
    assert run["left.drive_torque"][0] == pytest.approx(expected, rel=1e-12)
    assert run["left.force_x"][0] == pytest.approx((M + 2 * MW) * 2.0 * R / 2, rel=1e-12)


@pytest.mark.heavy
def test_unequal_wheels_turn_the_robot_but_not_its_odometry(robot: Equations) -> None:
    start = {"base.speed": 5 * (0.102 + 0.1) / 2, "base.yaw_rate": 5 * (0.102 - 0.1) / B}
    parameters = {"drive": "speed", "right.radius": 0.102}
    speeds = {"left.speed": 5.0, "right.speed": 5.0}
    run = simulate(robot, 10.0, start=start, parameters=parameters, inputs=speeds, **EXACT)
    assert run["base.yaw"][-1] == pytest.approx(50 * 0.002 / B, abs=1e-11)
    assert run["odometry.yaw"][-1] == pytest.approx(0.0, abs=1e-11)
    assert run["odometry.x"][-1] == pytest.approx(5.0, abs=1e-10)


@pytest.mark.heavy
def test_swivel_friction_holds_up_to_its_moment(robot: Equations) -> None:
    # casters across: 2 M δv/r is the work of the drives, 2 M_f δv/l that of the pins
    friction = 0.02
    threshold = friction * R / L
    parameters = {**BARE, "caster.swivel_friction": friction}
    start = {"caster_left.angle": np.pi / 2, "caster_right.angle": -np.pi / 2}
    for torque in (0.99 * threshold, 1.01 * threshold):
        drives = {"left.torque": torque, "right.torque": torque}
        run = simulate(robot, 0.2, start=start, parameters=parameters, inputs=drives, **EXACT)
        if torque < threshold:
            assert np.ptp(run["base.x"]) == 0
            assert np.ptp(run["caster_left.angle"]) == 0
        else:
            expected = (2 * torque / R - 2 * friction / L) / (M + 2 * MW + 2 * IW / R**2)
            rate = run["base.speed"][1] / run.time[1]
            assert rate == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("turning", [0.0, 1.5])
def test_loads_balance_weight_and_inertia(robot: Equations, turning: float) -> None:
    v, torque = 0.8, 0.6
    point = _started(
        robot,
        {"base.speed": v, "base.yaw_rate": turning},
        {"left.torque": torque, "right.torque": torque},
        BARE,
    )
    rates, out = point.derivative()[:2], _outputs(robot, point)
    names = ("left", "right", "caster_left", "caster_right")
    loads = np.array([out[f"{name}.load"] for name in names])
    x = np.array([0, 0, XC - L, XC - L])
    y = np.array([B / 2, -B / 2, YC, -YC])
    ahead, left = rates[0] - C * turning**2, v * turning + C * rates[1]
    spin_rate = 2 * v / R  # the sum of both wheels, which turn over with the yaw rate
    # the wheels' masses are at the hubs, which have the axle's acceleration on average
    wheels = 2 * MW * R
    hubs = v * turning
    assert loads.sum() == pytest.approx((M + 2 * MW) * G, rel=1e-13)
    assert loads @ x == pytest.approx(
        M * (G * C - H * ahead) - wheels * rates[0] - 2 * IW * rates[0] / R, rel=1e-12
    )
    assert loads @ y == pytest.approx(
        -M * H * left - wheels * hubs - IW * spin_rate * turning, rel=1e-12, abs=1e-12
    )
    # four loads of a rigid base on equal springs: a + b x + c y
    assert (loads[0] - loads[1]) / B == pytest.approx((loads[2] - loads[3]) / (2 * YC), abs=1e-10)


def test_a_pin_above_the_axle_is_refused(robot: Equations) -> None:
    with pytest.raises(Exception, match=r"caster\.x.*further from the driven axle"):
        simulate(robot, 0.1, parameters={"caster.x": 0.01})


def test_keys_turn_wheels_by_either_drive(robot: Equations) -> None:
    """Each key sets speeds and torques of the same signs; a steady command goes v = r γ̇."""
    for effect in (differential_drive.PAGE.keys or {}).values():
        torques, speeds = (
            [effect[f"{side}.{what}"] for side in ("left", "right")] for what in ("torque", "speed")
        )
        assert np.linalg.matrix_rank([torques, speeds]) == 1 and np.dot(torques, speeds) > 0
    point = _started(robot, {}, differential_drive.PAGE.keys["up"], {"drive": 2})
    assert point.s[0] == pytest.approx(R * 5.0, rel=1e-12)
