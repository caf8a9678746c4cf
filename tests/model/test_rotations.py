"""Quaternions and Euler parameters against SciPy's rotations, which are another formulation."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mbcore.model.nodes import nodes, rotations

P, Q = (np.array(q) / np.linalg.norm(q) for q in ([0.4, -0.7, 0.2, 0.9], [-0.3, 0.5, 1.1, 0.6]))
OMEGA = np.array([0.8, -1.7, 0.5])


def of(parameters: np.ndarray) -> Rotation:
    return Rotation.from_quat(np.roll(parameters, -1))  # SciPy has the scalar last


def numbers(expression: ca.SX) -> np.ndarray:
    return np.array(ca.DM(expression)).squeeze()


def test_a_product_turns_by_one_after_the_other() -> None:
    # [Schwab2002] (B.2), (B.7)
    both = of(numbers(rotations.product(ca.SX(Q), ca.SX(P))))
    assert both.as_matrix() == pytest.approx(of(Q).as_matrix() @ of(P).as_matrix(), abs=1e-15)
    assert numbers(rotations.matrix(ca.SX(Q))) == pytest.approx(of(Q).as_matrix(), abs=1e-15)


def test_parameters_of_an_axis_and_an_angle() -> None:
    # [Schwab2002] (3.26), (B.9)
    turned = Rotation.from_rotvec(0.7 * OMEGA / np.linalg.norm(OMEGA))
    found = of(np.array(rotations.about(tuple(OMEGA), 0.7)))
    assert found.as_matrix() == pytest.approx(turned.as_matrix(), abs=1e-15)


def test_norm_condition_is_zero_for_unit_parameters_alone() -> None:
    # [Schwab2002] (3.28)
    node = nodes.Rotation("e")
    [condition] = node.conditions()
    value = ca.Function("norm", [node.coordinates], [condition.expression])
    assert float(value(Q)) == pytest.approx(0.0, abs=1e-15)
    assert float(value(1.1 * Q)) == pytest.approx(0.21, abs=1e-15)


def test_rates_are_those_of_a_body_that_turns() -> None:
    # [Schwab2002] (B.13), (B.14), (B.15)
    step = 1e-4
    there = [Rotation.from_rotvec(h * OMEGA) * of(Q) for h in (-step, step)]
    before, after = (np.roll(r.as_quat(), 1) for r in there)
    before, after = (q * np.sign(q @ Q) for q in (before, after))
    rate = (after - before) / (2 * step)
    assert numbers(rotations.rate(ca.SX(Q), ca.SX(OMEGA))) == pytest.approx(rate, abs=1e-8)
    rate = numbers(rotations.rate(ca.SX(Q), ca.SX(OMEGA)))
    in_space = rotations.angular_velocity(ca.SX(Q), ca.SX(rate))
    on_body = rotations.body_angular_velocity(ca.SX(Q), ca.SX(rate))
    assert numbers(in_space) == pytest.approx(OMEGA, abs=1e-15)
    assert numbers(on_body) == pytest.approx(of(Q).inv().apply(OMEGA), abs=1e-15)
