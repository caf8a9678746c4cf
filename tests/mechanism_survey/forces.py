"""What acts on the bodies of the judge: springs, dampers, loads, and elastic beams with mass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.mechanism_survey.joints import Shift, Turn, length
from tests.mechanism_survey.maximal import STEP, Spot, State, jacobian, skew, velocity

GAUSS = np.polynomial.legendre.leggauss(5)
"""Points and weights that integrate the squares of cubics exactly."""


@dataclass(frozen=True, eq=False)
class Spring:
    """A linear spring and damper on a measure."""

    measure: Turn | Shift
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0

    def act(self, state: State, twist: np.ndarray, M: np.ndarray, f: np.ndarray) -> None:
        rows, _ = jacobian(self.measure, state, len(f))
        stretch = np.real(self.measure.value(state)) - self.rest
        pace = float(self.measure.rate(state, twist)[0])
        f -= (self.stiffness * stretch + self.damping * pace) * rows[0]


@dataclass(frozen=True, eq=False)
class Load:
    """A constant force on a spot."""

    spot: Spot
    force: np.ndarray

    def act(self, state: State, twist: np.ndarray, M: np.ndarray, f: np.ndarray) -> None:
        f[self.spot.body, :3] += self.force
        f[self.spot.body, 3:] += np.cross(state.arm(self.spot), self.force)


def smeared(
    rate: Callable[[State, np.ndarray], np.ndarray],
    weight: float,
    acceleration: np.ndarray,
    at: tuple[State, np.ndarray],
    sums: tuple[np.ndarray, np.ndarray],
) -> None:
    """Add the inertia of mass whose velocity, (…, k), follows from those of the bodies.

    ``acceleration`` is that of gravity, (k,). With v = J ν, J (n, 6, k): M = m J Jᵀ, and the
    force is m J (g - J̇ ν).
    """
    (state, twist), (M, f) = at, sums
    n = len(f)
    unit = np.eye(6 * n).reshape(6 * n, n, 6)
    J = np.real(rate(state, unit)).reshape(n, 6, -1)
    still = np.imag(rate(state.moved(twist), twist)) / STEP
    M += weight * np.einsum("aik,bjk->aibj", J, J)
    f += weight * J @ (acceleration - still)


@dataclass(frozen=True, eq=False)
class ElasticBeam:
    """A beam from spot p to spot q, straight and along ``axes_p``'s first column at the start.

    Its deformations are the published ones (Schwab 2002, chapter 4), with the chord for the
    elongation; its energy is Hooke's, Euler and Bernoulli's, and Saint-Venant's. Its mass lies on
    Hermite's cubics, and is summed at Gauss' points.

    Attributes
    ----------
    axes_p, axes_q : ndarray (3, 3)
        Its axes on those of both bodies, as columns.
    axial, bending, torsional : float
        EA, EI about both axes, and G I_t; the last one without meaning in the plane.
    density, polar : float
        ρA, kg/m, and ρ I_p, kg.m, whose spin runs linearly from end to end.
    """

    p: Spot
    q: Spot
    axes_p: np.ndarray
    axes_q: np.ndarray
    length: float
    axial: float
    bending: float
    torsional: float
    density: float = 0.0
    polar: float = 0.0
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def energy(self, state: State) -> complex:
        """Return the elastic energy, J."""
        r = state.point(self.q) - state.point(self.p)
        _, y_p, z_p = (state.turned[self.p.body] @ self.axes_p).T
        _, y_q, z_q = (state.turned[self.q.body] @ self.axes_q).T
        l = self.length  # noqa: E741, the letter of the texts
        found = self.axial * (length(r) - l) ** 2 / (2 * l)
        about_y, about_z = (-z_p @ r, z_q @ r), (y_p @ r, -y_q @ r)
        for one, other in (about_y, about_z):
            found += self.bending * ((one + other) ** 2 + 3 * (one - other) ** 2) / (2 * l**3)
        torsion = l * (z_p @ y_q - y_p @ z_q) / 2
        torsion += (about_y[1] * about_z[0] - about_y[0] * about_z[1]) / l
        return found + self.torsional * torsion**2 / (2 * l**3)

    def act(self, state: State, twist: np.ndarray, M: np.ndarray, f: np.ndarray) -> None:
        for body in {self.p.body, self.q.body}:
            for column in range(6):
                step = np.zeros_like(twist)
                step[body, column] = 1.0
                f[body, column] -= np.imag(self.energy(state.moved(step, 0.0))) / STEP
        if self.density:
            self._add_mass(state, twist, M, f)

    def _add_mass(self, state: State, twist: np.ndarray, M: np.ndarray, f: np.ndarray) -> None:
        for x, weight in zip((GAUSS[0] + 1) / 2, GAUSS[1] / 2 * self.length, strict=True):
            shares = (1 - 3 * x**2 + 2 * x**3, 3 * x**2 - 2 * x**3)
            slopes = ((x - 2 * x**2 + x**3) * self.length, (x**3 - x**2) * self.length)

            def line(s: State, v: np.ndarray, h: tuple = shares, d: tuple = slopes) -> np.ndarray:
                found = h[0] * velocity(s, v, self.p) + h[1] * velocity(s, v, self.q)
                ends = ((self.p.body, self.axes_p), (self.q.body, self.axes_q))
                for slope, (body, axes) in zip(d, ends, strict=True):
                    found = found + slope * (v[..., body, 3:] @ skew(s.axis(body, axes[:, 0])))
                return found

            smeared(line, weight * self.density, np.array(self.gravity), (state, twist), (M, f))
        if self.polar:
            self._add_spin(state, twist, M, f)

    def _add_spin(self, state: State, twist: np.ndarray, M: np.ndarray, f: np.ndarray) -> None:
        """Add the spin s(ξ) = (1 - ξ) s_p + ξ s_q of the sections, s = ω · e_x of an end.

        The momentum of an end is h e_x with h = ∂T/∂s; its rate has the part h ω × e_x.
        """
        ends = ((self.p.body, self.axes_p), (self.q.body, self.axes_q))
        e = [state.axis(body, axes[:, 0]) for body, axes in ends]
        s = [twist[body, 3:] @ axis for (body, _), axis in zip(ends, e, strict=True)]
        shares = self.polar * self.length * np.array([[2, 1], [1, 2]]) / 6
        for i, (one, _) in enumerate(ends):
            f[one, 3:] -= shares[i] @ s * np.cross(twist[one, 3:], e[i])
            for j, (other, _) in enumerate(ends):
                M[one, 3:, other, 3:] += shares[i, j] * np.outer(e[i], e[j])
