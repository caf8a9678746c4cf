r"""Active anti-roll bars designed from the ILTIS's FMU: linearization, regulator and observer.

About driving straight on, the FMU's directional derivatives give ẋ = A x + B u. By symmetry steer,
bars and differences of the road's height on both sides excite only antisymmetric motions, x = T z:
side speed, yaw, roll, and the differences of left and right arms. The linearization has to keep
them to itself: A T z = T A_z z with A_z = T⁺ A T.

Nobody measures the road, and how much a steered wheel does on a slippery one. So both are
disturbances d with ḋ = -d/T_d + noise (steer, road at the front and the rear axle), and the bars
follow a demand w with the time constant τ and a limit. For steps of h, with held torque,

    ξ = (z, d, m),    ξ₊ = F ξ + G w,    y = H ξ,    m₊ = e^(-h/τ) m + (1 - e^(-h/τ)) w.

The regulator w = -K ξ̂ makes Σ (φ/φ₀)² + (p/p₀)² + (w/w₀)² smallest for roll angle φ and rate p; a
Kalman filter estimates ξ̂ from y: side acceleration, roll, roll and yaw rates, and how much
further the suspensions are in on the left than on the right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.linalg import expm, solve_discrete_are

from mbcore.examples.cosimulation import Unit
from mbcore.examples.dynamics import Dynamics

STEP = 0.005
"""Communication step and sampling time h, s."""
LAG = 0.02
"""τ, s."""
LIMIT = 2000.0
"""Largest torque of both bars together, N.m."""
SETTLING = 3.0
"""Of the vehicle after its start, s."""
AXLES, SIDES = ("front", "rear"), ("left", "right")
TORQUES = tuple(f"{axle}.anti_roll_torque" for axle in AXLES)
ROADS = tuple(f"{axle}_{side}.road_height" for axle in AXLES for side in SIDES)
TRAVELS = tuple(f"{axle}_{side}.travel" for axle in AXLES for side in SIDES)
MEASURED = (
    "cabin.acceleration_y",
    "cabin.roll",
    "cabin.roll_rate",
    "cabin.yaw_rate",
    *TRAVELS,
)
NOISE = (0.4, np.radians(0.2), np.radians(1.2), np.radians(1.2), 4e-3, 4e-3)
"""Of what is measured: m/s2, rad, rad/s, and m for the differences of travels."""
MEMORY = (5.0, 0.2, 0.2)
"""T_d of the steer and of the road at both axles, s."""
WANDER = (2e-4, 3e-3, 3e-3)
"""How far disturbances wander in a step, m."""
ROLL_SIZE, RATE_SIZE, TORQUE_SIZE = np.radians(1.0), np.radians(5.0), 1500.0
"""φ₀, p₀ and w₀: what is as bad as one another."""
ALONE = (
    "yaw.rate",
    "cabin.side_speed",
    "roll.rate",
    "cabin.roll",
    "rack.displacement_filtered",
    "rack.displacement_filtered_rate",
)
PAIRED = ("arm_rate", "arm_angle", "road_height_filtered", "road_height_filtered_rate")
WHEELS = tuple(f"{axle}_{side}" for axle in AXLES for side in SIDES)
APART = (
    "cabin.x",
    "cabin.y",
    "cabin.yaw",
    "wheels.distance",
    *(f"{wheel}.{what}" for wheel in WHEELS for what in ("angle", "brake.deflection")),
)
"""States on which nothing else depends."""


@dataclass(frozen=True)
class Plant:
    """The antisymmetric part of the linearization.

    Attributes
    ----------
    A : ndarray
        Shape (n, n).
    B : ndarray
        By the bars' torque, the rack's displacement and the roads' differences, shape (n, 4).
    C, D : ndarray
        Of side acceleration, roll, roll rate, yaw rate, differences of travels; shape (6, ...).
    front : float
        The front bar's share of the torque.
    closure : float
        Largest entry of A T - T A_z over the largest of A T.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    front: float
    closure: float

    @property
    def static(self) -> np.ndarray:
        """Measurements at rest, for each of the inputs, shape (6, 4)."""
        return self.D - self.C @ np.linalg.solve(self.A, self.B)


def antisymmetric(states: Sequence[str]) -> np.ndarray:
    """Return T, shape (states, n)."""
    columns = [{name: 1.0} for name in ALONE]
    columns += [
        {f"{axle}_left.{what}": 1.0, f"{axle}_right.{what}": -1.0}
        for axle in AXLES
        for what in PAIRED
    ]
    return np.array([[column.get(name, 0.0) for column in columns] for name in states])


def differences(values: np.ndarray) -> np.ndarray:
    """Return measurements, shape (8, ...), with differences left - right in place of travels."""
    return np.concatenate([values[:4], values[4::2] - values[5::2]])


def straight(fmu: Path, speed: float) -> dict[str, float]:
    """Return start values with which the vehicle drives straight on at a speed, m/s.

    Where it stands in equilibrium it does not yet drive in one: the wheels' toe gives side forces.
    """
    names = ("cabin.z", "cabin.pitch", *(f"{wheel}.arm_angle" for wheel in WHEELS))
    with Unit(fmu, {"cabin.speed": speed}, tolerance=1e-10) as car:
        for _ in range(round(SETTLING / 0.05)):
            car.step(0.05)
        return {"cabin.speed": speed, **dict(zip(names, car.get(names), strict=True))}


def linearized(fmu: Path, start: Mapping[str, float], front: float = 0.5) -> Plant:
    """Return the plant about the motion that `straight` gives."""
    inputs = (*TORQUES, "rack.displacement", *ROADS)
    with Dynamics(fmu, start) as dynamics:
        kept = [name for name in dynamics.states if name not in APART]
        rates = [dynamics.rates[dynamics.states.index(name)] for name in kept]
        A, B = dynamics.jacobian(rates, kept), dynamics.jacobian(rates, inputs)
        C, D = dynamics.jacobian(MEASURED, kept), dynamics.jacobian(MEASURED, inputs)
    shares = np.zeros((7, 4))
    shares[:3, :2] = [[front, 0], [1 - front, 0], [0, 1]]
    shares[3:5, 2] = shares[5:7, 3] = 0.5, -0.5
    T = antisymmetric(kept)
    reduced = np.linalg.pinv(T)
    A_z = reduced @ A @ T
    closure = float(np.abs(A @ T - T @ A_z).max() / np.abs(A @ T).max())
    C_z, D_z = differences(C @ T), differences(D @ shares)
    return Plant(A_z, reduced @ B @ shares, C_z, D_z, front, closure)


@dataclass(frozen=True)
class Regulator:
    """Matrices of the docstring above; ``correction`` is the Kalman filter's gain."""

    plant: Plant
    F: np.ndarray
    G: np.ndarray
    H: np.ndarray
    gain: np.ndarray
    """K, shape (n + 4,)."""
    correction: np.ndarray
    """Shape (n + 4, 6)."""

    @property
    def growth(self) -> float:
        """Largest real part of the closed loop's eigenvalues, ln(eigenvalue)/h, but for d's."""
        keep = len(self.F) - 4
        chosen = np.r_[:keep, len(self.F) - 1]
        loop = (self.F - np.outer(self.G, self.gain))[np.ix_(chosen, chosen)]
        return float(np.log(np.abs(np.linalg.eigvals(loop)).max()) / STEP)


def design(plant: Plant) -> Regulator:
    """Return the regulator and its observer."""
    n = len(plant.A)
    whole = np.zeros((n + 4, n + 4))
    whole[:n, :n], whole[:n, n : n + 3], whole[:n, n + 3] = plant.A, plant.B[:, 1:], plant.B[:, 0]
    whole[n : n + 3, n : n + 3] = -np.diag(1 / np.array(MEMORY))
    held, keep = expm(STEP * whole), np.exp(-STEP / LAG)
    G = (1 - keep) * held[:, n + 3]
    F = held.copy()
    F[:, n + 3] *= keep
    H = np.column_stack([plant.C, plant.D[:, 1:], plant.D[:, 0]])
    shown = np.vstack([H[1] / ROLL_SIZE, H[2] / RATE_SIZE])
    effort = np.array([[1 / TORQUE_SIZE**2]])
    worth = solve_discrete_are(F, G[:, None], shown.T @ shown, effort)
    gain = G @ worth @ F / (effort[0, 0] + G @ worth @ G)
    wander, noise = np.zeros((n + 4, 3)), np.diag(np.square(NOISE))
    wander[n : n + 3] = np.diag(WANDER)
    spread = solve_discrete_are(F.T, H.T, wander @ wander.T + 1e-14 * np.eye(n + 4), noise)
    correction = spread @ H.T @ np.linalg.inv(H @ spread @ H.T + noise)
    return Regulator(plant, F, G, H, gain, correction)


class ActiveBars:
    """The controller with its bars: from what is measured to the torques, every ``STEP``.

    Parameters
    ----------
    regulator : Regulator
        From `design`.
    limit : float
        Of the torque of both bars together, N.m.
    """

    def __init__(self, regulator: Regulator, limit: float = LIMIT) -> None:
        self.regulator, self.limit = regulator, limit
        self._expected = np.zeros(len(regulator.F))
        self.torque = 0.0
        """Of both bars, N.m."""

    def follow(self, measured: Sequence[float]) -> Mapping[str, float]:
        """Return the torques from the values of ``MEASURED``."""
        use = self.regulator
        apart = differences(np.array(measured)) - use.H @ self._expected
        estimate = self._expected + use.correction @ apart
        demand = float(np.clip(-use.gain @ estimate, -self.limit, self.limit))
        # the bars' torque is known, not estimated
        estimate[-1] = self.torque
        self._expected = use.F @ estimate + use.G * demand
        self.torque = float(self._expected[-1])
        front = use.plant.front
        return dict(zip(TORQUES, (front * self.torque, (1 - front) * self.torque), strict=True))
