"""The robot on four mecanum wheels, against derivations by hand."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Equations, simulate
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import mecanum

EXACT = {"rtol": 1e-12, "atol": 1e-13}
G, R, MW, IW = 9.81, 0.1, 1.0, 5e-3  # radius, mass and spin inertia of a wheel
M, J, H, A = 30.0, 1.0, 0.2, 0.4  # body; half the wheelbase and half the track
NAMES = ("front_left", "front_right", "rear_left", "rear_right")
X, Y, SENSE = (
    np.array(n) for n in ((0.2, 0.2, -0.2, -0.2), (0.2, -0.2, 0.2, -0.2), (-1, 1, 1, -1))
)


@pytest.fixture(scope="module")
def robot() -> Equations:
    return mecanum.model().equations()


def _at(robot: Equations, speeds: tuple[float, ...], **inputs: float) -> dict[str, float]:
    """Return rates of the speeds and outputs in a state."""
    point = Evaluation(robot, None, {f"{name}.torque": value for name, value in inputs.items()})
    point.start(dict(zip(("base.speed", "base.side_speed", "base.yaw_rate"), speeds, strict=True)))
    out = dict(zip((o.name for o in robot.outputs), point.output(), strict=True))
    return out | dict(zip(("v", "w", "turning"), point.derivative()[:3], strict=True))


def test_wheels_turn_as_the_base_moves(robot: Equations) -> None:
    v, w, turning = 0.7, -0.3, 1.1
    out = _at(robot, (v, w, turning))
    expected = (v + SENSE * w + (SENSE * X - Y) * turning) / R
    assert [out[f"{name}.rate"] for name in NAMES] == pytest.approx(expected, rel=1e-14)


def test_accelerations_and_forces(robot: Equations) -> None:
    v, w, turning = 0.7, -0.3, 1.1
    torques = np.array([0.5, -0.2, 0.9, 0.1])
    out = _at(robot, (v, w, turning), **dict(zip(NAMES, torques, strict=True)))
    m, about = M + 4 * MW, J + 4 * MW * (0.2**2 + 0.2**2)
    effective = m + 4 * IW / R**2
    rates = (
        (torques.sum() / R + m * w * turning) / effective,
        ((SENSE * torques).sum() / R - m * v * turning) / effective,
        ((SENSE * X - Y) * torques).sum() / R / (about + 4 * IW * A**2 / R**2),
    )
    assert [out["v"], out["w"], out["turning"]] == pytest.approx(rates, rel=1e-13)
    # a wheel's spin: I γ̈ = M - r F_x; the force is along its roller
    spins = (rates[0] + SENSE * rates[1] + (SENSE * X - Y) * rates[2]) / R
    along = (torques - IW * spins) / R
    assert [out[f"{name}.force_x"] for name in NAMES] == pytest.approx(along, rel=1e-12)
    assert [out[f"{name}.force_y"] for name in NAMES] == pytest.approx(SENSE * along, rel=1e-12)


def test_loads_balance_weight_and_inertia(robot: Equations) -> None:
    torques = np.array([0.5, 0.4, 0.6, 0.1])
    v, w, turning = 0.7, -0.3, 1.1
    out = _at(robot, (v, w, turning), **dict(zip(NAMES, torques, strict=True)))
    loads = np.array([out[f"{name}.load"] for name in NAMES])
    ahead, left = out["v"] - w * turning, out["w"] + v * turning
    spins = np.array([out[f"{name}.rate"] for name in NAMES])
    spun = 4 * IW * out["v"] / R
    assert loads.sum() == pytest.approx((M + 4 * MW) * G, rel=1e-13)
    assert loads @ X == pytest.approx(-(M * H + 4 * MW * R) * ahead - spun, rel=1e-11)
    assert loads @ Y == pytest.approx(
        -(M * H + 4 * MW * R) * left - IW * spins.sum() * turning, rel=1e-11
    )


def test_power_becomes_kinetic_energy(robot: Equations) -> None:
    out = _at(robot, (0.7, -0.3, 1.1), front_left=0.5, rear_right=-0.2)
    assert out["front_left.power"] == pytest.approx(0.5 * out["front_left.rate"], rel=1e-14)
    speeds = np.array([0.7, -0.3, 1.1])
    inertia = np.diag([M + 4 * MW + 4 * IW / R**2] * 2 + [J + 0.32 * MW + 4 * IW * A**2 / R**2])
    assert out["energy.kinetic"] == pytest.approx(speeds @ inertia @ speeds / 2, rel=1e-14)


@pytest.mark.heavy
def test_servos_drive_a_square_and_odometry_follows(robot: Equations) -> None:
    # four sides of 0.5 m without turning: ahead, left, back, right, each 1 s
    place = [0.0, 0.0]
    for ahead, left in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        speeds = {f"{n}.speed": 5 * (ahead + s * left) for n, s in zip(NAMES, SENSE, strict=True)}
        start = {"base.x": place[0], "base.y": place[1]}
        start |= {"base.speed": 0.5 * ahead, "base.side_speed": 0.5 * left}
        run = simulate(
            robot, 1.0, start=start, parameters={"drive": "speed"}, inputs=speeds, **EXACT
        )
        place = [place[0] + 0.5 * ahead, place[1] + 0.5 * left]
        assert [run["base.x"][-1], run["base.y"][-1]] == pytest.approx(place, abs=1e-12)
        assert run["base.yaw"][-1] == pytest.approx(0, abs=1e-12)
        assert run["odometry.x"][-1] == pytest.approx(0.5 * ahead, abs=1e-12)


@pytest.mark.heavy
def test_contradicting_speeds_are_met_by_least_squares(robot: Equations) -> None:
    commands = np.array([5.0, 3.0, 4.0, 1.0])
    shares = np.column_stack([np.ones(4), SENSE, SENSE * X - Y]) / R
    twist = np.linalg.lstsq(shares, commands, rcond=None)[0]
    start = dict(zip(("base.speed", "base.side_speed", "base.yaw_rate"), twist, strict=True))
    speeds = {f"{n}.speed": c for n, c in zip(NAMES, commands, strict=True)}
    run = simulate(robot, 2.0, start=start, parameters={"drive": "speed"}, inputs=speeds, **EXACT)
    for name, value in start.items():
        assert run[name] == pytest.approx(value, abs=1e-11)
    # on a circle: yaw from the wheels' angles
    assert run["odometry.yaw"] == pytest.approx(run["base.yaw"], abs=1e-11)
    assert run["odometry.y"] == pytest.approx(run["base.y"], abs=1e-10)


def test_rollers_across_the_wheel_are_refused(robot: Equations) -> None:
    with pytest.raises(Exception, match=r"rollers\.angle"):
        simulate(robot, 0.1, parameters={"rollers.angle": 0.0})
