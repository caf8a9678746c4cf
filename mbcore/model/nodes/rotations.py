"""Quaternions and Euler parameters ([Schwab2002] Appendix B), as CasADi expressions.

A quaternion is a column of four, the scalar part first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps

import casadi as ca
import numpy as np

from mbcore.model import checks


def _once(*sizes: int) -> Callable[[Callable[..., ca.SX]], Callable[..., ca.SX]]:
    """Write a formula of columns of these sizes once, and put arguments into what was written.

    Every operation of CasADi's takes as long as such a call, and the formulas have up to fifty.
    """

    def decorated(formula: Callable[..., ca.SX]) -> Callable[..., ca.SX]:
        symbols = [ca.SX.sym("x", size) for size in sizes]
        written = ca.Function(formula.__name__, symbols, [formula(*symbols)])

        @wraps(formula)
        def call(*arguments: ca.SX) -> ca.SX:
            return written(*arguments)

        return call

    return decorated


@_once(4, 4)
def product(q: ca.SX, p: ca.SX) -> ca.SX:
    """Return the quaternion product q∘p, shape (4, 1), [Schwab2002] (B.2)."""
    scalar = q[0] * p[0] - ca.dot(q[1:], p[1:])
    return ca.vertcat(scalar, q[0] * p[1:] + p[0] * q[1:] + ca.cross(q[1:], p[1:]))


@_once(4)
def adjoint(q: ca.SX) -> ca.SX:
    """Return the adjoint quaternion, the inverse rotation of a unit quaternion, shape (4, 1)."""
    return ca.vertcat(q[0], -q[1:])


@_once(4)
def matrix(q: ca.SX) -> ca.SX:
    """Return the rotation matrix of Euler parameters, shape (3, 3), [Schwab2002] (B.7)."""
    q0, q1, q2, q3 = ca.vertsplit(q)
    return ca.vertcat(
        ca.horzcat(q0**2 + q1**2 - q2**2 - q3**2, 2 * (q1 * q2 - q0 * q3), 2 * (q1 * q3 + q0 * q2)),
        ca.horzcat(2 * (q1 * q2 + q0 * q3), q0**2 - q1**2 + q2**2 - q3**2, 2 * (q2 * q3 - q0 * q1)),
        ca.horzcat(2 * (q1 * q3 - q0 * q2), 2 * (q2 * q3 + q0 * q1), q0**2 - q1**2 - q2**2 + q3**2),
    )


@_once(1)
def planar_matrix(angle: ca.SX) -> ca.SX:
    """Return the planar rotation matrix, shape (2, 2), [Schwab2002] (3.36)."""
    cosine, sine = ca.cos(angle), ca.sin(angle)
    return ca.vertcat(ca.horzcat(cosine, -sine), ca.horzcat(sine, cosine))


@_once(4, 4)
def angular_velocity(q: ca.SX, q_rate: ca.SX) -> ca.SX:
    """Return the angular velocity on space-fixed axes, shape (3, 1), [Schwab2002] (B.13)."""
    return 2 * product(q_rate, adjoint(q))[1:]


@_once(4, 4)
def body_angular_velocity(q: ca.SX, q_rate: ca.SX) -> ca.SX:
    """Return the angular velocity on body-fixed axes, shape (3, 1), [Schwab2002] (B.15)."""
    return 2 * product(adjoint(q), q_rate)[1:]


@_once(4, 3)
def rate(q: ca.SX, omega: ca.SX) -> ca.SX:
    """Return ½ ω∘q, the rate of Euler parameters, shape (4, 1), [Schwab2002] (B.14)."""
    scalar = -ca.dot(q[1:], omega)
    return ca.vertcat(scalar, q[0] * omega + ca.cross(omega, q[1:])) / 2


def about(axis: Sequence[float], angle: float) -> tuple[float, float, float, float]:
    """Return Euler parameters of a rotation by ``angle`` (rad) about ``axis``, [Schwab2002] (B.9).

    Raises
    ------
    ModelError
        If the axis has no direction, or a number is not finite.
    """
    given = checks.direction("rotation", "axis", axis)
    angle = checks.real("rotation", "angle", angle, unit="rad")
    e = given / np.linalg.norm(given)
    x, y, z = (float(c) for c in np.sin(angle / 2) * e)
    return float(np.cos(angle / 2)), x, y, z


def triad(axis: Sequence[float]) -> np.ndarray:
    """Return orthonormal (e_x, e_y, e_z) as columns with e_x along ``axis``, shape (3, 3)."""
    e_x = np.asarray(axis, float) / np.linalg.norm(axis)
    # Turn the order of the axes, so that an axis along a coordinate axis gives the coordinate axes.
    seed = np.roll(np.eye(3)[int(np.argmax(np.abs(e_x)))], 1)
    e_z = np.cross(e_x, seed)
    e_z /= np.linalg.norm(e_z)
    return np.column_stack([e_x, np.cross(e_z, e_x), e_z])
