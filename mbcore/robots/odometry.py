"""The pose that a controller computes from the angles of wheels, with sizes as it assumes them.

It is apart from `mbcore.robots.robot`, whose method adds it. Where wheels do not steer, the base's
twist is linear in their rates with constant factors, those of the least squares of their slips:

    slips = A (v_x, v_y, ψ̇) + B γ̇ = 0,    (v_x, v_y, ψ̇) = -(Aᵀ A)⁻¹ Aᵀ B γ̇,

A and B by the geometry of the file. The slips along wheels, and the side slips that are zero, come
first. Side slips that are free, as on a skid-steered cart, decide only on what these leave open. So
the heading follows from the wheels' angles, without integration.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from mbcore.model.errors import ModelError
from mbcore.robots.rolling import WheelPlace
from mbcore.robots.support import PlanarKinematics

RANK = 1e-9
"""Singular values below it, in parts of the largest, are zero."""


@dataclass(frozen=True)
class Odometry:
    """How the twist follows from rates of joints times radii of their wheels.

    Attributes
    ----------
    wheels : tuple of (str, str, float)
        Link, joint and radius, m, of each wheel.
    shares : array (3, n)
        Of v_x and v_y on the base's axes, and of the yaw rate.
    """

    wheels: tuple[tuple[str, str, float], ...]
    shares: np.ndarray


def odometry(
    motion: PlanarKinematics, wheels: Sequence[WheelPlace], zero: Collection[tuple[str, str]]
) -> Odometry:
    """Return how the twist follows from the wheels that do not steer.

    Parameters
    ----------
    zero : collection of (str, str)
        Links and directions of the slips that are zero.

    Raises
    ------
    ModelError
        If they do not determine it.
    """
    straight = [w for w in wheels if w.joint.name in motion.columns and motion.driven(w)]
    rows = motion.rows(straight, {}) if straight else []
    factors = np.array([row.factors for row in rows]).reshape(-1, len(motion.columns))
    sizes = np.linalg.svd(factors[:, :3], compute_uv=False)
    if len(sizes) < 3 or sizes[2] <= RANK * sizes[0]:
        names = ", ".join(wheel.link for wheel in straight) or "none"
        raise ModelError(
            f"odometry: the wheels that do not steer ({names}) do not determine how the base "
            "moves; it needs two that are driven on one axle, or three with rollers"
        )
    first = np.array([r.direction == "along" or (r.wheel.link, r.direction) in zero for r in rows])
    twist, left_open = _least_squares(factors[first, :3], factors[first, 3:])
    base, spins = factors[~first, :3], factors[~first, 3:]
    if left_open.shape[1]:
        twist = twist + left_open @ _least_squares(base @ left_open, base @ twist + spins)[0]
    joints = [motion.columns.index(wheel.joint.name) - 3 for wheel in straight]
    shares = twist[:, joints] / np.array([wheel.radius for wheel in straight])
    names_of = tuple((w.link, w.joint.name, w.radius) for w in straight)
    return Odometry(names_of, np.where(np.abs(shares) < 1e-12, 0.0, shares))


def _least_squares(base: np.ndarray, spins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the twist by unit rates, and what of it is left open, an orthonormal basis."""
    _, sizes, turned = np.linalg.svd(base)
    rank = int(np.sum(sizes > RANK * max(sizes, default=0.0)))
    return -np.linalg.pinv(base, rcond=RANK) @ spins, turned[rank:].T
