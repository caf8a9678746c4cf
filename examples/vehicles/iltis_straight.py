"""The ILTIS in straight driving, linearized: which modes it has, and what moves in them.

Of the states, filters and brakes feel the vehicle or drive it. Places, heading and turns of the
wheels are felt by nothing, and neither is the forward speed: straight driving is steady at any
speed, with one torque against the drag of the wheels' toe. The rest has eight pairs of
eigenvalues: bounce, pitch, roll, yaw with sideslip, and four in which wheels hop on their tyres, in
phase on either axle, or out of phase with both axles alike or opposed.

A mode has the name of what holds most of its kinetic energy,

    T = ½ (m (u² + v²) + I_z r² + m_c ż² + I_y θ̇² + I_x φ̇² + m_w Σ ż_w²),

with the whole vehicle in the plane of the road, the cabin out of it, and the wheels' heights.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mbcore import Equations, Linearization, SteadyMotion, linearize, steady_motion
from mbcore.fmus.iltis.data import CORNERS, hard_points

CABIN, WHEEL, ARM = 1260.0, 57.35, 6.0
"""Masses, kg."""
TOTAL = CABIN + 4 * (WHEEL + ARM)
INERTIAS = {"roll": 130.0, "pitch": 1620.0, "yaw": 1670.0}
"""Of the cabin, kg.m2."""
TORQUES = ("rear_left.drive_torque", "rear_right.drive_torque")
DIRECT = {"steering": 2.0, "road": 2.0}
"""Choices without filters."""
NAMES = (
    "pitch",
    "bounce",
    "yaw and sideslip",
    "roll",
    "hop, rear wheels",
    "hop, front wheels",
    "tramp, axles alike",
    "tramp, axles opposed",
)
"""Tramp is hop in which left and right wheels are out of phase."""


@dataclass(frozen=True)
class Shape:
    """A mode: displacements as complex amplitudes; those of the wheels by corner.

    Attributes
    ----------
    sideways : complex
        Of the cabin's mass centre in space, m; ``yaw`` in rad likewise.
    height, pitch, roll : complex
        Of the cabin, m and rad.
    wheels : mapping of str to complex
        Heights of the wheels, m.
    shares : mapping of str to float
        Of the kinetic energy by name of a mode, and by "speed".
    """

    eigenvalue: complex
    sideways: complex
    yaw: complex
    height: complex
    pitch: complex
    roll: complex
    wheels: dict[str, complex]
    shares: dict[str, float]

    @property
    def name(self) -> str:
        """That of what holds most of the energy."""
        return max(self.shares, key=lambda name: self.shares[name])


@dataclass(frozen=True)
class Straight:
    """Straight driving at one speed, m/s, and its linearization."""

    speed: float
    motion: SteadyMotion
    about: Linearization

    @cached_property
    def kept(self) -> list[int]:
        """Places of the mechanical states that something depends on."""
        about = self.about
        last = 2 * about.degrees_of_freedom - about.generalized_speeds
        return [i for i in range(last) if about.state_names[i] not in about.structural_zeros]

    @cached_property
    def matrix(self) -> np.ndarray:
        """Their matrix, which is all there is to their motion; shape (16, 16)."""
        about = self.about
        others = [
            i
            for i, name in enumerate(about.state_names)
            if i not in self.kept and name not in about.structural_zeros
        ]
        alone = ~about.depends[np.ix_(self.kept, others)].any(axis=0)
        felt = [about.state_names[i] for i, free in zip(others, alone, strict=True) if not free]
        if felt:
            raise ValueError(f"the vehicle's motion depends on {', '.join(felt)}")
        return about.state_matrix[np.ix_(self.kept, self.kept)]

    def eigenvalues(self) -> np.ndarray:
        """Return them, in no order; shape (16,)."""
        return np.linalg.eigvals(self.matrix).astype(complex)

    def without_suspension(self) -> np.ndarray:
        """Return the two eigenvalues of yaw and sideslip while cabin and arms are held."""
        names = self.about.state_names
        held = np.ix_(*[[names.index("yaw.rate"), names.index("cabin.side_speed")]] * 2)
        return np.linalg.eigvals(-np.linalg.solve(self.about.M[held], self.about.C[held])).astype(
            complex
        )

    def shapes(self) -> dict[str, Shape]:
        """Return the oscillating modes by name, those with positive imaginary part."""
        values, vectors = np.linalg.eig(self.matrix)
        found = [
            self._shape(complex(value), vectors[:, i])
            for i, value in enumerate(values)
            if value.imag > 0
        ]
        return {shape.name: shape for shape in found}

    def _shape(self, value: complex, vector: np.ndarray) -> Shape:
        about, names = self.about, list(self.about.state_names)
        state = np.zeros(len(names), complex)
        state[self.kept] = vector
        outputs = [record.name for record in about.equations.outputs]
        shown = about.output_matrix @ state
        yaw = state[names.index("yaw.rate")] / value
        height, pitch, roll = (state[names.index(f"cabin.{n}")] for n in ("z", "pitch", "roll"))
        across = (state[names.index("cabin.side_speed")] + self.speed * yaw) / value
        wheels = {}
        for corner, (axle, side) in CORNERS.items():
            x, y, _ = hard_points(axle, side).wheel_centre
            travel = shown[outputs.index(f"{corner}.travel")]
            wheels[corner] = complex(height - x * pitch + y * roll + travel)
        rates = {n: state[names.index(f"cabin.{n}")] for n in ("speed", "side_speed")}
        energies = _energies(rates, yaw * value, value, (height, pitch, roll), wheels)
        total = sum(energies.values())
        shares = {name: float(part / total) for name, part in energies.items()}
        return Shape(value, across, yaw, height, pitch, roll, wheels, shares)


def _energies(
    rates: dict[str, complex],
    turning: complex,
    value: complex,
    cabin: tuple[complex, complex, complex],
    wheels: dict[str, complex],
) -> dict[str, float]:
    """Return twice the amplitudes of the kinetic energies, by what moves."""
    height, pitch, roll = (abs(value * part) ** 2 for part in cabin)
    plane = TOTAL * abs(rates["side_speed"]) ** 2 + INERTIAS["yaw"] * abs(turning) ** 2
    found = {
        "speed": TOTAL * abs(rates["speed"]) ** 2,
        "yaw and sideslip": plane,
        "bounce": CABIN * height,
        "pitch": INERTIAS["pitch"] * pitch,
        "roll": INERTIAS["roll"] * roll,
    }
    both, apart = {}, {}
    for axle in ("front", "rear"):
        left, right = (value * wheels[f"{axle}_{side}"] for side in ("left", "right"))
        both[axle], apart[axle] = left + right, left - right
    found |= {f"hop, {axle} wheels": WHEEL * abs(sum_) ** 2 / 2 for axle, sum_ in both.items()}
    for name, sign in (("alike", 1), ("opposed", -1)):
        apart_there = apart["front"] + sign * apart["rear"]
        found[f"tramp, axles {name}"] = WHEEL * abs(apart_there) ** 2 / 4
    return found


def straight(equations: Equations, speed: float) -> Straight:
    """Find straight driving at a speed, m/s, with the torques that it takes, and linearize."""
    motion = steady_motion(
        equations, {"cabin.speed": speed, "yaw.rate": 0.0}, find=TORQUES, parameters=DIRECT
    )
    about = linearize(equations, motion.state, parameters=DIRECT, inputs=motion.inputs)
    return Straight(speed, motion, about)
