"""The stress of Euler parameters' norm, [Schwab2002] (B.24), as an output."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Body, Hinge, Model, RigidLink, simulate
from mbcore.evaluation.evaluation import Evaluation

INERTIA = (1.0, 2.0, 2.5)


START = {"body.omega_x": 0.3, "body.omega_y": -1.2, "body.omega_z": 0.7}
EXPECTED = sum(J * w**2 for J, w in zip(INERTIA, START.values(), strict=True))


def tumbling() -> Model:
    model = Model("tumbling")
    body, centre = model.rotation("body"), model.point("centre", (0, 0, 0))
    body.free()
    for coordinate in (centre.x, centre.y, centre.z):
        coordinate.fix(0)
    model.add(Body("body", centre, body, mass=4.0, inertia=INERTIA))
    model.output("stress", body.norm_stress, unit="J")
    return model


def test_free_body_has_twice_its_kinetic_energy_of_rotation() -> None:
    run = simulate(tumbling().equations(), 1.0, start=START, rtol=1e-11, atol=1e-13)
    assert run["stress"] == pytest.approx(EXPECTED, rel=1e-9)


def test_joints_and_massless_parts_do_not_count() -> None:
    """Of ω' = (-0.8, 1.3, 0) with J' = (0.2, 0.3, 0.4): 0.2 0.8² + 0.3 1.3²."""
    model = Model("pendulum", gravity=(0, 0, -9.81))
    first, second = model.rotation("first"), model.rotation("second")
    middle, origin = model.point("middle", (1, 0, 0)), model.point("origin", (0, 0, 0), fixed=True)
    swing = model.add(Hinge("swing", model.ground, first, axis=(0, 1, 0)))
    swing.angle.dof("swing", rate_start=1.3)
    model.add(RigidLink("arm", origin, first, middle))
    model.add(Hinge("twist", first, second, axis=(1, 0, 0))).angle.dof("twist", rate_start=-0.8)
    inertia = (0.2, 0.3, 0.4)
    model.add(Body("load", middle, second, mass=1.5, inertia=inertia, offset=(0.1, 0.2, -0.3)))
    for rotation in (first, second):
        model.output(f"{rotation.name}_stress", rotation.norm_stress, unit="J")
    point = Evaluation(model.equations())
    point.start({})
    assert np.array(point.output()) == pytest.approx([0.0, 0.2 * 0.64 + 0.3 * 1.69], abs=1e-13)


def left(q: np.ndarray) -> np.ndarray:
    """Return the matrix Q of a quaternion."""
    q0, q1, q2, q3 = q
    return np.array([[q0, -q1, -q2, -q3], [q1, q0, -q3, q2], [q2, q3, q0, -q1], [q3, -q2, q1, q0]])


def test_it_is_the_multiplier_of_the_equations_in_euler_parameters() -> None:
    """Four equations of motion and the norm's second rate, [Schwab2002] (B.23), solved here."""
    q = np.array([0.6, 0.2, -0.4, 0.3])
    q /= np.linalg.norm(q)
    turning, moment = np.array([0.3, -1.2, 0.7]), np.array([5.0, -3.0, 8.0])
    rate = left(q) @ np.r_[0.0, turning] / 2  # [Schwab2002] (B.16)
    J, Q, R = np.diag([0.0, *INERTIA]), left(q), left(rate)
    matrix = np.zeros((5, 5))
    matrix[:4, :4], matrix[:4, 4], matrix[4, :4] = 4 * Q @ J @ Q.T, 2 * q, 2 * q
    right = np.r_[2 * Q @ np.r_[0.0, moment] + 8 * R @ J @ R.T @ q, -2 * rate @ rate]
    point = Evaluation(tumbling().equations())
    places = {f"body.e{i}": float(value) for i, value in enumerate(q)}
    point.start({**START, **places})
    assert point.output()[0] == pytest.approx(np.linalg.solve(matrix, right)[4], rel=1e-12)
