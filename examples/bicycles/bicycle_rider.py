"""The rider of the bicycle's FMU: steers by torque, sees the road ahead, and holds the speed.

The rider of Sharp, *On the stability and control of the bicycle*, Appl. Mech. Rev. 61 (2008)
060803: a linear quadratic regulator with preview. About straight riding the sampled bicycle is
s⁺ = A s + B τ with s = (rates and values of lean and steer, yaw ψ, lateral place y), and the road
is at r_k. The torques that make Σ (y - r)² + ρ τ² smallest are

    τ_k = -K s_k + Σ_i f_i r_{k+i},   f_i = (ρ + Bᵀ P B)⁻¹ Bᵀ ((A - B K)ᵀ)^(i-1) c,   y = cᵀ s,

with P from the algebraic Riccati equation. Places and headings are seen from the bicycle: there y
and ψ are zero, and r_i is the road's offset from its own straight course, i steps ahead. So the
road may lead anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import expm, solve_discrete_are

from mbcore import Equations, linearize

STEP = 0.01
"""Communication step and sampling time of the rider, s."""
PREVIEW = 8.0
"""How far ahead the road is seen, s."""
TORQUE_WEIGHT = 0.1
"""ρ: square of a lateral deviation, m, that is as bad as a torque of 1 N.m."""
SPEED_TIME = 1.0
"""Time constant with which the speed is held, s."""
LATERAL = (
    "bicycle.lean_rate",
    "bicycle.steer_rate",
    "bicycle.lean",
    "bicycle.steer",
    "bicycle.yaw",
    "bicycle.y",
)
BALANCE = LATERAL[:4]
PLACE = ("bicycle.x", "bicycle.y", "bicycle.yaw", "bicycle.speed")

Road = Callable[[np.ndarray], np.ndarray]
"""Lateral place y of the road at x."""


class Bicycle(Protocol):
    """The bicycle that is ridden: `examples.cosimulation.Unit`, or whatever has its methods."""

    time: float

    def get(self, names: tuple[str, ...], /) -> list[float]:
        """Return variables."""

    def set(self, values: dict[str, float], /) -> None:
        """Set inputs."""

    def step(self, size: float, /) -> None:
        """Advance the time."""


@dataclass(frozen=True)
class Rider:
    """A controller for one speed.

    Attributes
    ----------
    speed : float
        m/s.
    gains : ndarray, shape (6,)
        K, of the states in ``LATERAL``.
    preview : ndarray, shape (n,)
        f, N.m/m.
    A, B : ndarray, shapes (6, 6), (6, 2)
        What a step does to these states without and with torques at the handlebar and on the frame.
    drive_gain : float
        Driving torque for a unit of speed error, N.m/(m/s).
    """

    speed: float
    gains: np.ndarray
    preview: np.ndarray
    A: np.ndarray
    B: np.ndarray
    drive_gain: float

    def steer(self, unit: Bicycle, road: Road) -> float:
        """Return the torque at the handlebar."""
        x, y, yaw, speed = unit.get(PLACE)
        ahead = max(speed, 0.1) * STEP * np.arange(1, self.preview.size + 1)
        place = x + ahead * np.cos(yaw)
        offset = (road(place) - y) * np.cos(yaw) - (place - x) * np.sin(yaw)
        return float(self.preview @ offset - self.gains[:4] @ unit.get(BALANCE))

    def drive(self, unit: Bicycle) -> float:
        """Return the torque at the rear wheel."""
        [speed] = unit.get(("bicycle.speed",))
        return self.drive_gain * (self.speed - speed)


def train(equations: Equations, speed: float) -> Rider:
    """Design a rider for a speed from the linearized equations of the bicycle."""
    about = linearize(equations, {"bicycle.lean_rate": 0.0, "bicycle.speed": speed})
    states = [about.state_names.index(name) for name in LATERAL]
    inputs = [i.name for i in equations.inputs]
    torques = [inputs.index("steer.torque"), inputs.index("lean.torque")]
    A, B = sampled(
        about.state_matrix[np.ix_(states, states)], about.input_matrix[np.ix_(states, torques)]
    )
    b, c = B[:, :1], np.eye(6)[:, 5:]
    P = solve_discrete_are(A, b, c @ c.T, [[TORQUE_WEIGHT]])
    weight = TORQUE_WEIGHT + float((b.T @ P @ b)[0, 0])
    gains = (b.T @ P @ A / weight)[0]
    loop = A - b @ gains[None, :]
    preview, seen = [], c
    for _ in range(round(PREVIEW / STEP)):
        preview.append((b.T @ seen)[0, 0] / weight)
        seen = loop.T @ seen
    to_speed = about.input_matrix[about.state_names.index("bicycle.speed")]
    drive_gain = 1 / (to_speed[inputs.index("drive.torque")] * SPEED_TIME)
    return Rider(speed, gains, np.array(preview), A, B, drive_gain)


def sampled(A: np.ndarray, B: np.ndarray, step: float = STEP) -> tuple[np.ndarray, np.ndarray]:
    """Return the matrices of a step in which the inputs are held."""
    n, m = B.shape
    whole = expm(step * np.block([[A, B], [np.zeros((m, n + m))]]))
    return whole[:n, :n], whole[:n, n:]
