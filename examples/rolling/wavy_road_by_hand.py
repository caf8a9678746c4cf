r"""Small motions of a disk towed over waves, derived by hand: see ``wavy_road.py``.

Along its way the disk is upright and heads along x. α is the slope under it, s = sin α, c = cos α,
n = (-s, 0, c) the normal, w = contact + r n the centre, and v the speed with which it is towed.
The centre moves with V = v/c = r Ω along the slope, Ω the angular velocity. The contact's forces
follow from the vertical motion and from the moment about the axle,

    F_z = m g + m v α̇/c²,    c F_x = -I_p Ω̇/r - s F_z.

Lateral quantities change sign in the mirror y → -y, the others do not, so the latter are these to
the first order. The axle is (ε_x, 1, ε_z), the arm from centre to contact d = -r (n - (n·ε) e_y),
the angular velocity (Ω ε_x + ε̇_z, Ω, Ω ε_z - ε̇_x). Rolling and the moments about x and z give

    ẏ = -r [s (Ω ε_z - ε̇_x) + c (Ω ε_x + ε̇_z)],    F_y = m ÿ,
    (I_p Ω ε_x)˙ + I_d ε̈_z = r (n·ε) F_z + r c F_y,
    (I_p Ω ε_z)˙ - I_d ε̈_x = r s F_y - r (n·ε) F_x.

Units are those of mass, radius and gravity: m = r = g = 1, I_p = 1/2, I_d = 1/4.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

POLAR, DIAMETRAL = 0.5, 0.25
"""I_p and I_d of a thin disk."""


def contact(place: np.ndarray, a: float, k: np.ndarray) -> np.ndarray:
    """Return the contact's x for that of the centre, by Newton's method; of any shape."""
    x = np.array(place, float)
    for _ in range(30):
        slope, bend = -a * k * np.sin(k * x), -a * k**2 * np.cos(k * x)
        angle = np.arctan(slope)
        x = x - (x - np.sin(angle) - place) / (1 - np.cos(angle) * bend / (1 + slope**2))
    return x


def rates(
    time: np.ndarray, a: float, k: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the matrix of (ε_x, ε_z, ε̇_x, ε̇_z)˙, shape (n, 4, 4), and the normal force, (n,)."""
    x = contact(v * time, a, k)
    slope, bend = -a * k * np.sin(k * x), -a * k**2 * np.cos(k * x)
    steepness = 1 + slope**2
    c, s = 1 / np.sqrt(steepness), slope / np.sqrt(steepness)
    by_x = bend / steepness  # of α
    x_rate = v / (1 - c * by_x)
    rate = by_x * x_rate  # of α
    spin, spin_rate = v / c, v * s / c**2 * rate
    up = 1 + v * rate / c**2
    forward = (-POLAR * spin_rate - s * up) / c
    zero = np.zeros_like(c)
    # F_y = s ε̈_x - c ε̈_z + lateral
    lateral = -np.array(
        [
            c * spin_rate - s * rate * spin,
            s * spin_rate + c * rate * spin,
            c * spin - c * rate,
            s * spin - s * rate,
        ]
    )
    tilt = np.array([-s, c, zero, zero])
    about_x = tilt * up + c * lateral - POLAR * np.array([spin_rate, zero, spin, zero])
    about_z = -tilt * forward + s * lateral - POLAR * np.array([zero, spin_rate, zero, spin])
    mass = np.array([[-c * s, DIAMETRAL + c**2], [-DIAMETRAL - s**2, s * c]])
    moments = np.array([about_x, about_z])
    accelerations = np.linalg.solve(np.moveaxis(mass, -1, 0), np.moveaxis(moments, -1, 0))
    velocities = np.broadcast_to(np.hstack([np.zeros((2, 2)), np.eye(2)]), (c.size, 2, 4))
    return np.concatenate([velocities, accelerations], axis=1), up * c - forward * s


def growth(a: float, k: np.ndarray, v: np.ndarray, steps: int = 120) -> np.ndarray:
    """Return the largest real part of the exponents, shape (n,), by classical Runge-Kutta steps."""
    period = 2 * np.pi / (k * v)
    h = period / steps
    width = h[:, None, None]
    matrix = np.broadcast_to(np.eye(4), (v.size, 4, 4))
    now = rates(0 * h, a, k, v)[0]
    for i in range(steps):
        half, then = (rates(part * h, a, k, v)[0] for part in (i + 0.5, i + 1))
        first = now @ matrix
        second = half @ (matrix + width / 2 * first)
        third = half @ (matrix + width / 2 * second)
        last = then @ (matrix + width * third)
        matrix, now = matrix + width / 6 * (first + 2 * second + 2 * third + last), then
    largest = np.abs(np.linalg.eigvals(matrix)).max(axis=1)
    return np.log(largest) / period


def least_normal_force(a: float, k: np.ndarray, v: np.ndarray, steps: int = 40) -> np.ndarray:
    """Return the least normal force along a wave, shape (n,); negative where the disk lifts."""
    times = np.arange(steps) / steps * 2 * np.pi
    return np.min([rates(t / (k * v), a, k, v)[1] for t in times], axis=0)


def multipliers(a: float, k: float, v: float) -> np.ndarray:
    """Return the four Floquet multipliers, integrated at tolerances of 1e-12."""
    wave, speed = np.array([k]), np.array([v])

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        [matrix] = rates(np.array([t]), a, wave, speed)[0]
        return np.asarray(matrix @ y.reshape(4, 4)).ravel()

    period = 2 * np.pi / (k * v)
    run = solve_ivp(rate, (0, period), np.eye(4).ravel(), "DOP853", rtol=1e-12, atol=1e-13)
    return np.linalg.eigvals(run.y[:, -1].reshape(4, 4))
