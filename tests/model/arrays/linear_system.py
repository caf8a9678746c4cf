"""A linear system y' = A y + u, whose motion is known: arrays of all kinds of variables."""

from __future__ import annotations

import casadi as ca
import numpy as np

from mbcore import Model

MATRIX = np.array([[0.0, 1.0], [-4.0, -0.2]])
START = np.array([1.0, -0.5])
WEIGHTS = (3.0, 5.0)


def model() -> Model:
    """Return it with the parameters A and weights, the input u, the state y, and outputs of y."""
    system = Model("linear")
    matrix = system.parameter("A", MATRIX, unit="1/s", description="the system's matrix")
    weights = system.parameter("weights", WEIGHTS, minimum=0)
    u = system.input("u", [0.0, 0.0], unit="m/s")
    y = system.state("y", start=START, unit="m")
    system.derivative("y", matrix @ y + u)
    system.output("weighted", ca.times(weights, y), unit="m")
    system.output("twice", 2 * matrix, unit="1/s")
    return system
