r"""Exact rods and cables, for comparison: Reissner's equations integrated, and closed forms.

With the force n, the rotation θ of the section and the moment M along the unstrained length s,

    r' = (1 + (n·t)/EA) t,   θ' = κ + M/EI,   M' = -r' × n,   n' = -w,   t = (cos θ, sin θ),

w the load per length, κ the unstrained curvature; E. Reissner, On one-dimensional finite-strain
beam theory: the plane problem, J. Appl. Math. Phys. (ZAMP) 23 (1972) 795-804, without shear. What
is unknown at one end is found by shooting at the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad_vec, solve_ivp
from scipy.optimize import brentq, root
from scipy.spatial.transform import Rotation as Turn

Tip = tuple[float, float, float]
"""x and y, m, and rotation, rad."""


@dataclass(frozen=True)
class Rod:
    """A uniform rod: bending stiffness EI, N.m2, axial EA, N, curvature κ, 1/m, and load w, N/m."""

    EI: float = 1.0
    EA: float = np.inf
    curvature: float = 0.0
    weight: tuple[float, float] = (0.0, 0.0)

    def end(self, length: float, begin: Sequence[float], force: Sequence[float]) -> np.ndarray:
        """Return x, y, θ, M at the other end, of a rod that begins so with the force n.

        A negative length goes from the far end back.
        """

        def rate(_: float, z: np.ndarray) -> list[float]:
            c, s = np.cos(z[2]), np.sin(z[2])
            stretch = 1 + (z[4] * c + z[5] * s) / self.EA
            bent = self.curvature + z[3] / self.EI
            moment = -stretch * (c * z[5] - s * z[4])
            return [stretch * c, stretch * s, bent, moment, -self.weight[0], -self.weight[1]]

        start = np.concatenate([begin, force])
        z = solve_ivp(rate, (0, length), start, "DOP853", rtol=1e-11, atol=1e-12).y
        return z[:4, -1]


def shoot(misses: Callable[[np.ndarray], Sequence[float]], guess: Sequence[float]) -> np.ndarray:
    """Return the unknowns with which nothing is missed.

    Raises
    ------
    ArithmeticError
        If none are found from this guess.
    """
    found = root(misses, np.asarray(guess, float), tol=1e-11)
    missed = float(np.abs(misses(found.x)).max())
    if missed > 1e-7:
        raise ArithmeticError(f"missed by {missed:.3g}: {found.message}")
    return np.asarray(found.x)


def cantilever(rod: Rod, force: float, guess: float = 1.0) -> Tip:
    """Return the tip of a cantilever of length 1 along x, under a tip force along y."""

    def base(rotation: float) -> np.ndarray:
        return rod.end(-1.0, (0, 0, rotation, 0), (0, force))

    rotation = float(shoot(lambda u: [base(u[0])[2]], [guess])[0])
    x, y = -base(rotation)[:2]
    return float(x), float(y), rotation


def follower(rod: Rod, force: float) -> Tip:
    """Return the tip of a cantilever of length 1 under a tip force that stays across it."""
    x, y, rotation, _ = rod.end(-1.0, (0, 0, 0, 0), (0, force))
    c, s = np.cos(-rotation), np.sin(-rotation)
    return float(-(c * x - s * y)), float(-(s * x + c * y)), float(-rotation)


def toggle(rod: Rod, half: float, rise: float, load: float) -> tuple[float, float]:
    """Return sinking and thrust of Williams' toggle: two clamped members, loaded at the top."""
    length, slope = np.hypot(half, rise), np.arctan2(rise, half)
    size = rod.EI / length**2

    def top(u: np.ndarray, load: float) -> np.ndarray:
        begin = (0, 0, slope, u[0] * size * length)
        return rod.end(length, begin, (u[1] * size, -load / 2))

    u = np.zeros(2)
    for part in np.linspace(0.1, 1, 10) * load:

        def misses(v: np.ndarray, part: float = part) -> list[float]:
            z = top(v, part)
            return [z[0] / half - 1, z[2] - slope]

        u = shoot(misses, u)
    return rise - float(top(u, load)[1]), -float(u[1]) * size


def lee_frame(rod: Rod, size: float, sinkings: Sequence[float]) -> Iterator[float]:
    """Yield the load of Lee's frame, both members ``size`` long, over the sinking under it."""
    unit = rod.EI / size**2

    def loaded(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        force = u[1:3] * unit
        corner = rod.end(size, (0, 0, np.pi / 2 + u[0], 0), force)
        corner[2] -= np.pi / 2
        under = rod.end(0.2 * size, corner, force)
        return under, rod.end(0.8 * size, under, force + [0, u[3] * unit])

    u = np.zeros(4)
    for sinking in sinkings:

        def misses(v: np.ndarray, sinking: float = sinking) -> list[float]:
            under, z = loaded(v)
            ends = [z[0] / size - 1, z[1] / size - 1, z[3] / (unit * size)]
            return [*ends, (under[1] + sinking) / size - 1]

        u = shoot(misses, u)
        yield float(u[3]) * unit


def deep_arch(half_angle: float, sinkings: Sequence[float]) -> Iterator[float]:
    """Yield the load on the crown of a circular arch, clamped and hinged, EI = R = 1."""
    rod = Rod(curvature=-1.0)
    begin = np.array([-np.sin(half_angle), np.cos(half_angle), half_angle])

    def crown(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        top = rod.end(half_angle, (*begin, u[0]), u[1:3])
        return top, rod.end(half_angle, top, u[1:3] + [0, u[3]])

    u = np.zeros(4)
    for sinking in sinkings:

        def misses(v: np.ndarray, sinking: float = sinking) -> list[float]:
            top, z = crown(v)
            return [z[0] + begin[0], z[1] - begin[1], z[3], top[1] + sinking - 1]

        u = shoot(misses, u)
        yield float(u[3])


def helix(moment: np.ndarray) -> np.ndarray:
    """Return the tip of a rod along x, EI = l = 1, under a tip moment of fixed direction."""
    return quad_vec(lambda s: Turn.from_rotvec(s * moment).apply([1, 0, 0]), 0, 1)[0]


def cable_sag(span: float, EA: float) -> float:
    """Return the sag of the elastic catenary, length and weight 1 (Irvine, Cable Structures)."""

    def half(thrust: float) -> float:
        return thrust * np.arcsinh(0.5 / thrust) + thrust * 0.5 / EA

    H = brentq(lambda thrust: half(thrust) - span / 2, 1e-2, 1e4, xtol=1e-14)
    return float(H * (np.hypot(1, 0.5 / H) - 1) + 0.125 / EA)


def string_sag(span: float, EA: float, load: float) -> float:
    """Return how far a string without weight, length 1, gives way to a load in the middle."""

    def force(sag: float) -> float:
        half = np.hypot(span / 2, sag)
        return 2 * EA * (2 * half - 1) * sag / half

    return float(brentq(lambda sag: force(sag) - load, 0, 1, xtol=1e-15))
