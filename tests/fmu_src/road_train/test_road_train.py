"""The tractor with trailers, against closed forms of [SchiehlenEismann] and of towed axles."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Equations, ModelError, simulate
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import road_train

EXACT = {"rtol": 1e-12, "atol": 1e-13}
DIRECT = {"steering": 2.0}
L0, H0, L1, H1 = 3.8, 0.6, 5.0, 0.8  # wheelbase and hitch of the tractor, those of a trailer
M0, J0, C0, M1, J1, C1 = 8000.0, 2e4, 1.5, 6000.0, 1.5e4, 1.0


@pytest.fixture(scope="module")
def train() -> Equations:
    return road_train.model(1).equations()


def _circle(steer: float, trailers: int) -> tuple[np.ndarray, np.ndarray]:
    """Hitch angles and axles' radii on a circle to the left; all axles point to its middle."""
    radius, hitch, angles, radii = L0 / np.tan(steer), H0, [], []
    for _ in range(trailers):
        pin = np.hypot(radius, hitch)
        ahead = np.sqrt(pin**2 - L1**2)
        # the hitch is behind the unit's radius by atan(h/r), ahead of the trailer's by asin(l/p)
        angles.append(-np.arctan2(hitch, radius) - np.arcsin(L1 / pin))
        radius, hitch = ahead, H1
        radii.append(radius)
    return np.array(angles), np.array(radii)


def test_rates_and_energy_by_hand(train: Equations) -> None:
    v, steer, theta = 3.0, 0.2, -0.4
    point = Evaluation(train, DIRECT, {"steer.angle": steer})
    point.start({"base.speed": v, "trailer_1.angle": theta})
    names = [state.name for state in train.states]
    rates = dict(zip(names, point.derivative(), strict=True))
    out = dict(zip((o.name for o in train.outputs), point.output(), strict=True))
    turning = v * np.tan(steer) / L0
    towed = (-v * np.sin(theta) - H0 * turning * np.cos(theta)) / L1
    assert rates["base.yaw"] == pytest.approx(turning, rel=1e-14)
    assert rates["trailer_1.angle"] == pytest.approx(towed - turning, rel=1e-13)
    speed = v * np.cos(theta) - H0 * turning * np.sin(theta)
    energy = (
        M0 * (v**2 + (C0 * turning) ** 2)
        + J0 * turning**2
        + M1 * (speed**2 + (C1 * towed) ** 2)
        + J1 * towed**2
    ) / 2
    assert out["energy.kinetic"] == pytest.approx(energy, rel=1e-14)


@pytest.mark.heavy
def test_work_of_the_drive_becomes_kinetic_energy(train: Equations) -> None:
    start = {"trailer_1.angle": 0.5, "base.speed": 1.0}
    inputs = {"drive.force": 3000.0, "steer.angle": 0.3}
    run = simulate(train, 3.0, start=start, parameters=DIRECT, inputs=inputs, **EXACT)
    gained = run["energy.kinetic"][-1] - run["energy.kinetic"][0]
    assert gained == pytest.approx(3000.0 * run["base.rolled_distance"][-1], rel=1e-11)


@pytest.mark.heavy
def test_five_trailers_follow_a_circle() -> None:
    train = road_train.model(5).equations()
    steer = 0.2
    angles, radii = _circle(steer, 5)
    start = {f"trailer_{i + 1}.angle": angle for i, angle in enumerate(angles)}
    start |= {"base.speed": 2.0}
    # without a drive the steady speed is kept: kinetic energy is
    inputs = {"steer.angle": steer}
    run = simulate(train, 20.0, start=start, parameters=DIRECT, inputs=inputs, **EXACT)
    middle = np.array([0.0, L0 / np.tan(steer)])
    for i, (angle, radius) in enumerate(zip(angles, radii, strict=True)):
        assert run[f"trailer_{i + 1}.angle"] == pytest.approx(angle, abs=1e-11)
        place = np.column_stack([run[f"trailer_{i + 1}.x"], run[f"trailer_{i + 1}.y"]])
        assert np.linalg.norm(place - middle, axis=1) == pytest.approx(radius, abs=1e-10)


def test_rates_vanish_on_the_circle() -> None:
    train = road_train.model(5).equations()
    angles, _ = _circle(0.2, 5)
    point = Evaluation(train, DIRECT, {"steer.angle": 0.2})
    point.start({f"trailer_{i + 1}.angle": angle for i, angle in enumerate(angles)})
    rates = dict(zip((s.name for s in train.states), point.derivative(), strict=True))
    turned = np.array([rates[f"trailer_{i + 1}.angle"] for i in range(5)])
    assert turned == pytest.approx(0, abs=1e-15)


def test_beyond_recovery_a_reversed_trailer_folds_whatever_the_steering(train: Equations) -> None:
    # hitch on the axle: sin θ = l_1 tan α_m / l_0 is where full lock just holds the angle
    largest = 0.6
    critical = np.arcsin(L1 * np.tan(largest) / L0)
    for theta, back in ((critical - 1e-9, True), (critical + 1e-9, False)):
        point = Evaluation(train, DIRECT | {"tractor.hitch": 0.0}, {"steer.angle": -largest})
        point.start({"base.speed": -1.0, "trailer_1.angle": theta})
        rates = dict(zip((s.name for s in train.states), point.derivative(), strict=True))
        assert (rates["trailer_1.angle"] < 0) == back


@pytest.mark.heavy
def test_folding_is_located(train: Equations) -> None:
    # straight back with a hitch on the axle: tan(θ/2) grows by exp(v t/l)
    start = {"base.speed": -1.0, "trailer_1.angle": 0.01}
    parameters = {"tractor.hitch": 0.0, "trailer_1.mass": 1e-6, "trailer_1.inertia": 1e-6}
    run = simulate(train, 30.0, start=start, parameters=parameters, **EXACT)
    when = [time for time, name, *_ in run.events if name == "trailer_1.folds"]
    expected = L1 * np.log(np.tan(0.6) / np.tan(0.005))
    assert when == pytest.approx([expected], abs=1e-9)
    assert run["valid"][0] == 1
    assert run["valid"][-1] == 0


@pytest.mark.parametrize("number", [0, 1.5, True])
def test_numbers_of_trailers_that_are_none_are_refused(number: float) -> None:
    with pytest.raises(ModelError, match="trailers"):
        road_train.model(number)  # type: ignore[arg-type]
