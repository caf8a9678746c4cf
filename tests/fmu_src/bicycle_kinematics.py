"""The bicycle's kinematics and momentum written down once more, with rotation matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from mbcore.evaluation.evaluation import Evaluation
from tests.fmu_src import bicycle_formulas as published


def named(records: tuple, values: np.ndarray) -> dict[str, float]:
    """Return values by the names of their records."""
    return {record.name: float(value) for record, value in zip(records, values, strict=True)}


class Posture(NamedTuple):
    """Mass centres (4, 3), orientations (4, 3, 3) and contact points (2, 3)."""

    centres: np.ndarray
    turned: np.ndarray
    contacts: np.ndarray


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation matrix by Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def upwards(axle: np.ndarray) -> np.ndarray:
    """Unit vector from the lowest point of a wheel to its centre."""
    up = np.array([0, 0, 1]) - axle[2] * axle
    return up / np.linalg.norm(up)


def posture(point: Evaluation, states: np.ndarray) -> Posture:
    """Return where everything is: rear wheel, rear frame, front frame, front wheel."""
    q = named(point.equations.states, states)
    point.s[:] = states
    point.configure()
    pitch = named(point.equations.outputs, point.output())["bicycle.pitch"]
    d, (x, y, z) = published.DATA, np.eye(3)
    w, c, tilt = (d[f"geometry.{name}"] for name in ("wheelbase", "trail", "tilt"))
    r_R, r_F = d["rear_wheel.radius"], d["front_wheel.radius"]
    frame = about(z, q["bicycle.yaw"]) @ about(x, q["bicycle.lean"]) @ about(y, pitch)
    axis = np.array([-np.sin(tilt), 0, np.cos(tilt)])
    fork = frame @ about(axis, q["bicycle.steer"])
    rear = frame @ about(y, q["bicycle.distance"] / r_R)
    front = fork @ about(y, q["front_wheel.angle"])
    contact = np.array([q["bicycle.x"], q["bicycle.y"], 0])
    rear_centre = contact + r_R * upwards(frame[:, 1])
    pierced = rear_centre + frame @ [w + c, 0, -r_R]  # where the axis meets the ground, upright
    front_centre = pierced + fork @ [-c, 0, r_F]
    place = {n: np.array([d[f"{n}.x"], 0, d[f"{n}.z"]]) for n in ("rear_frame", "front_frame")}
    return Posture(
        np.array([
            rear_centre,
            rear_centre + frame @ (place["rear_frame"] - [0, 0, r_R]),
            pierced + fork @ (place["front_frame"] - [w + c, 0, 0]),
            front_centre,
        ]),
        np.array([rear, frame, fork, front]),
        np.array([contact, front_centre - r_F * upwards(fork[:, 1])]),
    )  # fmt: skip


def inertia(name: str) -> np.ndarray:
    d = published.DATA
    xx, yy = d[f"{name}.inertia_xx"], d[f"{name}.inertia_yy"]
    xz, zz = d.get(f"{name}.inertia_xz", 0.0), d.get(f"{name}.inertia_zz", xx)
    return np.array([[xx, 0, xz], [0, yy, 0], [xz, 0, zz]])


PARTS = ("rear_wheel", "rear_frame", "front_frame", "front_wheel")
STENCIL = ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12))
"""Offsets and weights of a derivative of fourth order."""


def momentum(point: Evaluation, states: np.ndarray, step: float = 1e-3) -> np.ndarray:
    """Return momentum and moment of momentum about the origin, shape (2, 3)."""
    point.s[:] = states
    point.configure()
    flow = point.derivative().copy()
    moved = [(posture(point, states + k * step * flow), weight) for k, weight in STENCIL]
    velocity = sum(weight * found.centres for found, weight in moved) / step
    turning = sum(weight * found.turned for found, weight in moved) / step
    here = posture(point, states)
    total = np.zeros((2, 3))
    for i, name in enumerate(PARTS):
        mass, R = published.DATA[f"{name}.mass"], here.turned[i]
        spin = turning[i] @ R.T
        omega = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        total[0] += mass * velocity[i]
        total[1] += mass * np.cross(here.centres[i], velocity[i]) + R @ inertia(name) @ R.T @ omega
    return total


def ground_forces(shown: Mapping[str, float], headings: np.ndarray) -> np.ndarray:
    """Return the forces on both wheels on inertial axes, shape (2, 3)."""
    forces = []
    for name, along in zip(("rear", "front"), headings, strict=True):
        left = np.array([-along[1], along[0], 0])
        forces.append(
            shown[f"{name}.longitudinal_force"] * along
            + shown[f"{name}.lateral_force"] * left
            + [0, 0, shown[f"{name}.normal_force"]]
        )
    return np.array(forces)


def wheel_headings(here: Posture) -> np.ndarray:
    """Return the directions in which rear and front wheel roll, shape (2, 3)."""
    axles = (here.turned[1][:, 1], here.turned[2][:, 1])
    headings = np.array([np.cross(axle, [0, 0, 1]) for axle in axles])
    return headings / np.linalg.norm(headings, axis=1)[:, None]
