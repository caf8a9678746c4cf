"""The rattleback of [KaneLevinson1982] at a point, against equations derived by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Turn

from mbcore import Equations, linearize
from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.rolling.rattleback import ABOVE, GRAVITY, INERTIA, MASS, SEMI_AXES, model
from mbcore.model.nodes.nodes import Rotation

A2 = np.array(SEMI_AXES) ** 2


@pytest.fixture(scope="module")
def equations() -> Equations:
    stone = model()
    body = stone.nodes["pitch frame"]
    assert isinstance(body, Rotation)
    for i, axis in enumerate("xyz"):
        stone.output(f"omega.{axis}", body.body_angular_velocity[i])
        stone.output(f"alpha.{axis}", body.angular_acceleration[i])
    return stone.equations()


def by_hand(omega: np.ndarray, vertical: np.ndarray) -> tuple[np.ndarray, float]:
    """Angular acceleration on body axes and normal force, from Newton and Euler.

    J ω̇ + ω × J ω = r × F with F = m (d(r × ω)/dt + g γ).
    """
    n = A2 * vertical
    reach = np.sqrt(vertical @ n)
    turning = np.cross(vertical, omega)
    r = np.array([ABOVE, 0, 0]) - n / reach
    r_rate = -A2 * turning / reach + n * (n @ turning) / reach**3
    tilde = -np.cross(np.eye(3), r)  # tilde @ a = r × a
    held = np.cross(r_rate, omega) + np.cross(omega, np.cross(r, omega)) + GRAVITY * vertical
    moment = MASS * np.cross(r, held) - np.cross(omega, INERTIA @ omega)
    alpha = np.linalg.solve(INERTIA - MASS * tilde @ tilde, moment)
    return alpha, float(MASS * (np.cross(r, alpha) + held) @ vertical)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_it_accelerates_as_newton_and_euler_say(equations: Equations, seed: int) -> None:
    random = np.random.default_rng(seed)
    angles, rates = random.uniform(-1, 1, 3), random.uniform(-5, 5, 3)
    names = ("spin", "roll", "pitch")
    start = {f"stone.{n}": a for n, a in zip(names, angles, strict=True)}
    start |= {f"stone.{n}_rate": r for n, r in zip(names, rates, strict=True)}
    point = Evaluation(equations)
    point.start(start)
    shown = dict(zip([o.name for o in equations.outputs], point.output(), strict=True))
    omega, alpha = (np.array([shown[f"{n}.{a}"] for a in "xyz"]) for n in ("omega", "alpha"))
    body = Turn.from_euler("XYZ", angles).as_matrix()
    expected, normal = by_hand(omega, body.T @ [1, 0, 0])
    np.testing.assert_allclose(body.T @ alpha, expected, rtol=1e-11)
    assert shown["normal_force"] == pytest.approx(normal, rel=1e-11)


def rocking(spin: float) -> np.ndarray:
    """Roots of the four rocking modes by linear equations of ``examples/rolling/rattleback.py``."""
    d, J, J_x = SEMI_AXES[0] - ABOVE, INERTIA[1:, 1:], INERTIA[0, 0]
    one, T = np.eye(2), np.array([[0.0, 1.0], [-1.0, 0.0]])
    S = np.diag(A2[1:] / SEMI_AXES[0] - d)
    M = J + MASS * d**2 * one
    C = spin * ((J_x * one - J) @ T - T @ J + MASS * d * S @ T - MASS * d**2 * T)
    K = -(spin**2) * T @ (J_x * one - J) @ T - (MASS * GRAVITY + MASS * d * spin**2) * T @ S @ T
    below = np.hstack([-np.linalg.solve(M, K), -np.linalg.solve(M, C)])
    return np.linalg.eigvals(np.vstack([np.hstack([0 * one, one]), below]))


@pytest.mark.parametrize("spin", [-5.0, 5.0, 2.0])
def test_rocking_grows_for_each_sense_in_another_mode(equations: Equations, spin: float) -> None:
    found = linearize(equations, {"stone.spin_rate": spin}).eigenvalues()
    expected = rocking(spin)
    for root in expected:
        assert np.abs(found - root).min() < 1e-8
    growing = expected[np.argmax(expected.real)]
    assert abs(growing.imag) == pytest.approx(109.4 if spin > 0 else 34.1, rel=0.05)
