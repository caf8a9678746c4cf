"""The guide of the car's wheels: velocities are the derivatives of places."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Model
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus.car.guide import Guide, Path

TRAVEL, STEERING, RATES = 0.05, 0.3, (0.2, -0.7)


def guided() -> Model:
    """A carrier that steers and leans as it travels, on a body that is turned and at rest."""
    model = Model("guided")
    body = model.rotation("body", (0.9, 0.1, -0.3, np.sqrt(1 - 0.91)), fixed=True)
    reference = model.point("reference", (0.4, -0.2, 0.3), fixed=True)
    centre, carrier = model.point("centre", (1.6, 0.5, 0.0)), model.rotation("carrier")
    rack = model.angle("rack")

    def turning(travel: ca.SX, angle: ca.SX) -> tuple[ca.SX, ca.SX]:
        return angle - 0.2 * travel - 2.0 * travel**2, -0.5 * travel

    path = Path(ca.DM([1.2, 0.7, -0.3]), lambda travel: (-0.1 * travel, 0.3 * travel), turning)
    guide = model.add(Guide("guide", (reference, body), centre, carrier, rack, path))
    model.add(Body("rack", None, rack, inertia=1.0))
    model.add(Body("wheel", centre, carrier, mass=1.0, inertia=(1, 2, 3)))
    guide.travel.dof("travel", start=TRAVEL, rate_start=RATES[0])
    rack.angle.dof("steering", start=STEERING, rate_start=RATES[1])
    for i in range(3):
        model.output(f"speed {i}", carrier.angular_velocity[i])
        model.output(f"velocity {i}", centre.velocity[i])
        model.output(f"place {i}", centre.position[i])
        for j in range(3):
            model.output(f"matrix {i}{j}", carrier.matrix[i, j])
    return model


def test_angular_velocity_is_the_derivative_of_the_carrier_s_matrix() -> None:
    """Camber turns about the axis that is steered, not about the body's."""
    equations = guided().equations()
    point, step = Evaluation(equations), 1e-5
    names = [output.name for output in equations.outputs]

    def shown(after: float) -> dict[str, float]:
        point.start({"travel": TRAVEL + RATES[0] * after, "steering": STEERING + RATES[1] * after})
        return dict(zip(names, point.output(), strict=True))

    now, later, before = shown(0.0), shown(step), shown(-step)

    def matrix(of: dict[str, float]) -> np.ndarray:
        return np.array([[of[f"matrix {i}{j}"] for j in range(3)] for i in range(3)])

    turning = (matrix(later) - matrix(before)) / (2 * step) @ matrix(now).T
    expected = [turning[2, 1], turning[0, 2], turning[1, 0]]
    assert [now[f"speed {i}"] for i in range(3)] == pytest.approx(expected, abs=1e-8)
    moved = [(later[f"place {i}"] - before[f"place {i}"]) / (2 * step) for i in range(3)]
    assert [now[f"velocity {i}"] for i in range(3)] == pytest.approx(moved, abs=1e-8)
