"""The suspension of the ILTIS beside its geometry by hand: three conditions on a carrier."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import fsolve
from scipy.spatial.transform import Rotation

from mbcore import assemble
from mbcore.fmus import iltis
from mbcore.fmus.iltis.data import REST
from tests.conftest import equations_of

SPOKE = 0.356
PLACES = {  # front left, heights above the ground: the benchmark's data sheet
    "arm pivot": (0, 0.259, 0.302),
    "arm ball": (0, 0.572, 0.229),
    "leaf pivot": (0, 0.1585, 0.600),
    "leaf ball": (0, 0.488, 0.531),
    "tie rod": (-0.14, 0.448, 0.531),
    "rack": (-0.14, 0.070, 0.600),
    "wheel": (0, 0.615, 0.356),
}
AT = {name: np.array(place) for name, place in PLACES.items()}


def carrier(bump: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the wheel's centre and its axle by the angle of the arm, by hand."""
    arm = Rotation.from_rotvec([bump, 0, 0])
    ball = AT["arm pivot"] + arm.apply(AT["arm ball"] - AT["arm pivot"])

    def held(turn: np.ndarray) -> list[float]:
        def moved(name: str) -> np.ndarray:
            return ball + Rotation.from_rotvec(turn).apply(AT[name] - AT["arm ball"])

        def stretch(name: str, to: str) -> float:
            now = np.linalg.norm(moved(name) - AT[to])
            return float(now - np.linalg.norm(AT[name] - AT[to]))

        return [
            moved("leaf ball")[0],
            stretch("leaf ball", "leaf pivot"),
            stretch("tie rod", "rack"),
        ]

    turned = Rotation.from_rotvec(fsolve(held, 1e-3 * np.ones(3), xtol=1e-12))
    return ball + turned.apply(AT["wheel"] - AT["arm ball"]), turned.apply([0, 1, 0])


def test_a_pair_of_front_wheels_rolls_apart() -> None:
    # toe out over bump and track over bump, whose ratio is the rate over the distance
    def out(bump: float) -> tuple[float, float, float]:
        centre, axle = carrier(bump)
        down = np.array([0, 0, -1]) + axle[2] * axle
        contact = centre + SPOKE * down / np.linalg.norm(down)
        return centre[2], np.arctan2(-axle[0], axle[1]), contact[1]

    rest, h = REST["front_left.arm_angle"], 1e-5
    (low, toe_low, y_low), (high, toe_high, y_high) = out(rest - h), out(rest + h)
    assert (toe_high - toe_low) / (high - low) == pytest.approx(0.171, abs=5e-4)
    assert (y_high - y_low) / (high - low) == pytest.approx(0.218, abs=5e-4)
    assert np.degrees(out(rest)[1]) == pytest.approx(0.1027, abs=1e-4)  # as the benchmark has it


@pytest.mark.heavy
def test_suspension_moves_as_by_hand() -> None:
    equations = equations_of(iltis.model)
    level = {"cabin.pitch": 0.0, "cabin.z": 0.0, "cabin.speed": 0.0}
    for bump in (-0.3, -0.1, REST["front_left.arm_angle"], 0.2):
        shown = assemble(equations, start=level | {"front_left.arm_angle": bump}).outputs
        centre, axle = carrier(bump)
        assert shown["front_left.travel"] == pytest.approx(centre[2] - SPOKE, abs=1e-10)
        assert shown["front_left.camber"] == pytest.approx(np.arcsin(axle[2]), abs=1e-10)
