"""The robot that balances on two wheels, against equations of motion by hand."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Equations, simulate
from mbcore.cli.remarks import said
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import balancing_robot
from mbcore.linear import linearize

EXACT = {"rtol": 1e-12, "atol": 1e-13}
G, M, H = 9.81, 10.0, 0.3
JX, JY, JZ = 0.25, 0.2, 0.1
MW, IW, ID, R, B = 1.0, 5e-3, 2.6e-3, 0.1, 0.4


@pytest.fixture(scope="module")
def robot() -> Equations:
    return balancing_robot.model().equations()


def _mass(theta: float) -> np.ndarray:
    """Of the speeds v, ψ̇ and θ̇."""
    sine, cosine = np.sin(theta), np.cos(theta)
    found = np.diag(
        [
            M + 2 * MW + 2 * IW / R**2,
            (M * H**2 + JX) * sine**2
            + JZ * cosine**2
            + 2 * ID
            + MW * B**2 / 2
            + IW * B**2 / (2 * R**2),
            JY + M * H**2,
        ]
    )
    found[0, 2] = found[2, 0] = M * H * cosine
    return found


def _rates(v: float, turning: float, theta: float, rate: float, torques: tuple) -> np.ndarray:
    """Derivatives of the speeds, by Lagrange's equations with quasi-velocities."""
    sine, cosine = np.sin(theta), np.cos(theta)
    total, difference = torques[1] + torques[0], torques[1] - torques[0]
    excess = M * H**2 + JX - JZ
    right = np.array(
        [
            total / R + M * H * sine * (rate**2 + turning**2),
            difference * B / (2 * R)
            - 2 * excess * sine * cosine * rate * turning
            - M * H * sine * v * turning,
            -total + excess * sine * cosine * turning**2 + M * G * H * sine,
        ]
    )
    return np.linalg.solve(_mass(theta), right)


STATES = [(0.0, 0.0, 0.05, 0.0), (0.8, -1.5, 0.6, 2.0), (-1.2, 3.0, -2.5, -1.0)]


@pytest.mark.parametrize(("v", "turning", "theta", "rate"), STATES)
def test_accelerations_by_hand(
    robot: Equations, v: float, turning: float, theta: float, rate: float
) -> None:
    point = Evaluation(robot, None, {"left.torque": 0.7, "right.torque": -0.3})
    point.start(
        {"base.speed": v, "base.yaw_rate": turning, "body.pitch": theta, "body.pitch_rate": rate}
    )
    names = [state.name for state in robot.states]
    found = dict(zip(names, point.derivative(), strict=True))
    expected = _rates(v, turning, theta, rate, (0.7, -0.3))
    for name, value in zip(
        ("base.speed", "base.yaw_rate", "body.pitch_rate"), expected, strict=True
    ):
        assert found[name] == pytest.approx(value, rel=1e-12), name
    # the wheels roll at γ̇ + θ̇
    assert found["left.angle"] == pytest.approx((v - B / 2 * turning) / R - rate, rel=1e-13)
    out = dict(zip((o.name for o in robot.outputs), point.output(), strict=True))
    # vertical: weight and what the body's centre takes, (z: h cos θ)
    lift = -H * (np.sin(theta) * expected[2] + np.cos(theta) * rate**2)
    loads = out["left.load"] + out["right.load"]
    assert loads == pytest.approx((M + 2 * MW) * G + M * lift, rel=1e-12)
    # moment of momentum about the heading, at the floor below the axle
    sine, cosine = np.sin(theta), np.cos(theta)
    across = v * turning + H * (sine * expected[1] + 2 * cosine * rate * turning)
    changed = (
        -M * (R + H * cosine) * across
        - 2 * MW * R * v * turning
        - (JX - JZ) * (np.cos(2 * theta) * rate * turning + sine * cosine * expected[1])
        - JY * rate * turning
        - 2 * IW * v / R * turning
    )
    lifted = (out["left.load"] - out["right.load"]) * B / 2
    assert lifted == pytest.approx(changed, rel=1e-11, abs=1e-11)
    spin = (expected[0] - B / 2 * expected[1]) / R
    assert out["left.force_x"] == pytest.approx((0.7 - IW * spin) / R, rel=1e-11)


def test_upright_it_falls_by_the_known_eigenvalue(robot: Equations) -> None:
    # straight ahead: θ̈ = M g h θ / (J_y + M h² - (M h)²/(M + 2 m + 2 I/r²))
    mass = _mass(0.0)
    effective = mass[2, 2] - mass[0, 2] ** 2 / mass[0, 0]
    expected = np.sqrt(M * G * H / effective)
    linear = linearize.linearize(robot, {"body.pitch": 0.0})
    assert max(linear.eigenvalues().real) == pytest.approx(expected, rel=1e-9)


@pytest.mark.heavy
def test_energy_is_the_work_of_the_drives(robot: Equations) -> None:
    inputs = {"left.torque": 0.2, "right.torque": 0.3}
    run = simulate(robot, 1.0, start={"base.yaw_rate": 1.0}, inputs=inputs, **EXACT)
    turned = {
        side: run[f"{side}.angle"][-1] - run[f"{side}.angle"][0] for side in ("left", "right")
    }
    work = 0.2 * turned["left"] + 0.3 * turned["right"]
    gained = run["energy.total"][-1] - run["energy.total"][0]
    assert gained == pytest.approx(work, abs=1e-10)


@pytest.mark.heavy
def test_odometry_follows_and_the_fall_is_told(robot: Equations) -> None:
    start = {"base.yaw_rate": 2.0, "body.pitch": 0.2}
    run = simulate(robot, 1.0, start=start, inputs={"right.torque": 0.1}, **EXACT)
    for part in ("x", "y", "yaw"):
        assert run[f"odometry.{part}"] == pytest.approx(run[f"base.{part}"], abs=1e-10)
    first = np.argmax(np.abs(run["body.pitch"]) > 1.2)
    assert first > 0
    assert (run["valid"][:first] == 1).all()
    assert run["valid"][-1] == 0


@pytest.mark.heavy
def test_a_servo_turns_the_wheels_in_the_body(robot: Equations) -> None:
    inputs = {"left.speed": 2.0, "right.speed": 3.0}
    with pytest.warns(match="the start is changed"):
        run = simulate(robot, 0.3, parameters={"drive": "speed"}, inputs=inputs, **EXACT)
    assert run["left.rate"][1:] == pytest.approx(2.0, abs=1e-10)
    assert run["right.rate"][1:] == pytest.approx(3.0, abs=1e-10)


def test_a_fall_backwards_is_told_by_its_amount(robot: Equations) -> None:
    """The largest pitch is the start's 0.02 rad; the largest amount is where it has come down."""
    remarks = balancing_robot.PAGE.remarks
    run = simulate(robot, 1.0, start={"body.pitch": -0.1}, progress=False, max_step=0.01)
    (text,) = said(remarks, {"body.pitch_limit": 1.2}, run)
    assert text.startswith(f"not valid: body.pitch reached {run['body.pitch'].min():.3g} at ")
    assert run["body.pitch"].min() < -1.2


@pytest.mark.heavy
def test_the_regulator_keeps_it_upright(robot: Equations) -> None:
    """Eigenvalues follow from the mass matrix by hand; it is led to its targets."""
    inputs = {"target.speed": 0.8, "target.yaw_rate": 1.5}
    balanced = linearize.linearize(robot, {"body.pitch": 0.0}, parameters={"drive": "balance"})
    gains = 2 * np.array([23.0, 3.3, 2.8])  # by pitch, its rate and speed, of both wheels
    pull = np.linalg.solve(_mass(0.0), [1 / R, 0, -1])
    fall = np.linalg.solve(_mass(0.0), [0, 0, M * G * H])
    own = np.array(
        [[0, 1, 0]]
        + [gains * pull[row] + np.array([fall[row], 0, 0]) for row in (2, 0)]
    )  # fmt: skip
    yaw = -2 * 1.4 * B / (2 * R) / _mass(0.0)[1, 1]
    expected = sorted([*np.linalg.eigvals(own).real, yaw])
    assert sorted(balanced.eigenvalues().real) == pytest.approx(expected, rel=1e-9)
    start = {"body.pitch": 0.3}
    run = simulate(robot, 8.0, parameters={"drive": "balance"}, start=start, inputs=inputs)
    assert run["valid"].all()
    assert run["base.speed"][-1] == pytest.approx(0.8, abs=1e-3)
    assert run["base.yaw_rate"][-1] == pytest.approx(1.5, abs=1e-3)
