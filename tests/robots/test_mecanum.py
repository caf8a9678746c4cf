"""Mecanum and omni wheels of robots' files, against closed forms."""

import math
from pathlib import Path

import numpy as np
import pytest

from mbcore import Mecanum, Robot, Rolling, from_urdf
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ModelError
from tests.robots.carts import SKID

pytestmark = pytest.mark.filterwarnings("ignore::mbcore.ModelWarning")
NAMES = ("front_left", "front_right", "rear_left", "rear_right")
X, Y, SENSE = np.array([0.3, 0.3, -0.3, -0.3]), np.array([0.2, -0.2, 0.2, -0.2]), (-1, 1, 1, -1)
R = 0.1
DIAMOND = {n: Mecanum(R, f"{45 * s} deg") for n, s in zip(NAMES, SENSE, strict=True)}


def read(folder: Path, rolling: dict) -> Robot:
    file = folder / "base.urdf"
    file.write_text(SKID)
    return from_urdf(file, rolling=rolling)


def shares(angle: float) -> np.ndarray:
    """Wheel rates by the base's speeds ahead, to the left and of turning."""
    across = np.array(SENSE) * math.tan(angle)
    return np.column_stack([np.ones(4), across, across * X - Y]) / R


@pytest.mark.parametrize("degrees", [45.0, 30.0])
def test_accelerations_and_forces_from_rest(degrees: float, tmp_path: Path) -> None:
    turned = {n: Mecanum(R, f"{degrees * s} deg") for n, s in zip(NAMES, SENSE, strict=True)}
    equations = read(tmp_path, turned).equations()
    torques = np.array([0.3, -0.2, 0.5, 0.1])
    inputs = {f"{n}_axle.torque": t for n, t in zip(NAMES, torques, strict=True)}
    point = Evaluation(equations, None, inputs)
    point.start()
    out = dict(zip((o.name for o in equations.outputs), point.output(), strict=True))
    rates = dict(zip((s.name for s in equations.states), point.derivative(), strict=True))
    # base 8 kg, 0.2 kg.m2, 0.05 m ahead; wheels 0.5 kg, 0.001 upright, 0.002 about the axle
    mass, moment = 8 + 4 * 0.5, 8 * 0.05
    about = 0.2 + 8 * 0.05**2 + 4 * 0.001 + 0.5 * float((X**2 + Y**2).sum())
    inertia = np.array([[mass, 0, 0], [0, mass, moment], [0, moment, about]])
    share = shares(math.radians(degrees))
    speeds = np.linalg.solve(inertia + 0.002 * share.T @ share, share.T @ torques)
    spins = share @ speeds
    for name, spin in zip(NAMES, spins, strict=True):
        if f"{name}_axle.rate" in rates:
            assert rates[f"{name}_axle.rate"] == pytest.approx(spin, rel=1e-11)
    along = (torques - 0.002 * spins) / R
    for name, sense, force in zip(NAMES, SENSE, along, strict=True):
        assert out[f"{name}.force_x"] == pytest.approx(force, rel=1e-11)
        side = sense * math.tan(math.radians(degrees)) * force
        assert out[f"{name}.force_y"] == pytest.approx(side, rel=1e-11)


def test_wheels_turn_as_the_base_moves(tmp_path: Path) -> None:
    equations = read(tmp_path, DIAMOND).equations()
    dofs = [n for n in NAMES if f"{n}_axle.rate" in {s.name for s in equations.states}]
    assert len(dofs) == 3
    twist = np.array([0.4, -0.3, 0.7])
    spins = dict(zip(NAMES, shares(math.pi / 4) @ twist, strict=True))
    point = Evaluation(equations)
    point.start({f"{n}_axle.rate": spins[n] for n in dofs})
    out = dict(zip((o.name for o in equations.outputs), point.output(), strict=True))
    found = [out[f"base.{name}"] for name in ("speed", "side_speed", "yaw_rate")]
    assert found == pytest.approx(twist, rel=1e-12)
    [last] = set(NAMES) - set(dofs)
    rates = dict(zip((s.name for s in equations.states), point.derivative(), strict=True))
    assert rates[f"{last}_axle.angle"] == pytest.approx(spins[last], rel=1e-12)


def test_an_omni_wheel_slides_across(tmp_path: Path) -> None:
    omni = {"front_left": Mecanum(R), "front_right": Mecanum(R)}
    driven = {name: Rolling(R) for name in ("rear_left", "rear_right")}
    equations = read(tmp_path, omni | driven).equations()
    outputs = {o.name for o in equations.outputs}
    assert {"front_left.force_x", "rear_left.force_y"} <= outputs
    point = Evaluation(equations, None, {"rear_left_axle.torque": 0.2})
    point.start()
    out = dict(zip((o.name for o in equations.outputs), point.output(), strict=True))
    assert out["front_left.force_y"] == 0


@pytest.mark.parametrize("rollers", ["90 deg", math.pi / 2, math.nan, "fast", "1 m"])
def test_rollers_that_hold_nothing_are_refused(rollers: float | str) -> None:
    with pytest.raises(ModelError, match="rollers"):
        Mecanum(0.1, rollers)
