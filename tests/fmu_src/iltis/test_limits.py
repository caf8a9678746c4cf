"""The limits of the ILTIS' suspension: its carrier moved by hand, as far as three conditions go."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mbcore.fmus.iltis.limits import BUMP, RACK, REBOUND
from tests.fmu_src.iltis.test_geometry import AT

pytestmark = pytest.mark.heavy

STEP = 0.04
"""Of the arm's angle, rad."""


class Carrier:
    """The left front carrier, whose rotation follows the arm; heights above the ground."""

    def __init__(self, rack: float) -> None:
        self.inner = AT["rack"] + [0, rack, 0]

    def held(self, turn: np.ndarray, bump: float) -> np.ndarray:
        """How far the leaf's end is off its plane and circle, and the tie rod off its length."""
        ball = self.ball(bump)
        leaf, rod = (
            ball + Rotation.from_rotvec(turn).apply(AT[name] - AT["arm ball"])
            for name in ("leaf ball", "tie rod")
        )
        return np.array(
            [
                leaf[0],
                np.linalg.norm(leaf - AT["leaf pivot"])
                - np.linalg.norm(AT["leaf ball"] - AT["leaf pivot"]),
                np.linalg.norm(rod - self.inner) - np.linalg.norm(AT["tie rod"] - AT["rack"]),
            ]
        )

    @staticmethod
    def ball(bump: float) -> np.ndarray:
        arm = Rotation.from_rotvec([bump, 0, 0])
        return AT["arm pivot"] + arm.apply(AT["arm ball"] - AT["arm pivot"])

    def slope(self, turn: np.ndarray, bump: float) -> np.ndarray:
        """Return the derivative of the conditions by small rotations after the present one."""
        columns = []
        for axis in 1e-6 * np.eye(3):
            turned = [
                (Rotation.from_rotvec(s * axis) * Rotation.from_rotvec(turn)).as_rotvec()
                for s in (1, -1)
            ]
            columns.append((self.held(turned[0], bump) - self.held(turned[1], bump)) / 2e-6)
        return np.array(columns).T

    def solve(self, turn: np.ndarray, bump: float) -> np.ndarray | None:
        """Return the rotation nearby that meets the conditions, None where there is none."""
        for _ in range(12):
            left = self.held(turn, bump)
            if np.abs(left).max() < 1e-11:
                return turn
            by = Rotation.from_rotvec(-np.linalg.solve(self.slope(turn, bump), left))
            turn = (by * Rotation.from_rotvec(turn)).as_rotvec()
        return None

    def course(self, until: float) -> np.ndarray:
        """Return travel and determinant while the arm turns, (n, 2)."""
        turn, found = self.solve(np.zeros(3), 0.0), []
        for bump in np.sign(until) * np.arange(0, abs(until), STEP):
            assert turn is not None
            turn = self.solve(turn, float(bump))
            assert turn is not None, f"locked at {bump}"
            centre = self.ball(bump) + Rotation.from_rotvec(turn).apply(
                AT["wheel"] - AT["arm ball"]
            )
            found.append((centre[2] - AT["wheel"][2], np.linalg.det(self.slope(turn, float(bump)))))
        return np.array(found)


@pytest.mark.parametrize("rack", [-RACK, 0.0, RACK])
def test_the_geometry_is_regular_within_its_limits(rack: float) -> None:
    design = Carrier(0.0).course(STEP)[0, 1]
    down, up = Carrier(rack).course(-0.95), Carrier(rack).course(1.1)
    assert down[-1, 0] < REBOUND and up[-1, 0] > BUMP
    for travel, determinant in (*down, *up):
        if REBOUND <= travel <= BUMP:
            assert determinant / design > 1 / 6


def test_the_limits_leave_a_margin_to_where_the_geometry_ends() -> None:
    """The wheel turns back at the ends of its travel; the inner tie rod locks beyond 77 mm."""
    assert Carrier(0.0).course(-1.8)[:, 0].min() == pytest.approx(-0.284, abs=1e-3)
    assert Carrier(0.0).course(1.9)[:, 0].max() == pytest.approx(0.388, abs=1e-3)
    assert Carrier(-0.077).solve(np.zeros(3), 0.0) is not None
    assert Carrier(-0.0785).solve(np.zeros(3), 0.0) is None
    assert REBOUND > -0.284 + 0.05 and BUMP < 0.388 - 0.05 and RACK < 0.077
