"""The rotor linearized at any speed: whirls on inertial axes, critical speeds, orbits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from mbcore import Equations
from mbcore.vibration import AppliedForce, NominalMotion, nominal_motion


@dataclass(frozen=True)
class Whirl:
    """A mode on inertial axes: y + i z = shape(x) e^{eigenvalue t}.

    Attributes
    ----------
    shape : ndarray of complex, shape (2, n)
        Displacement of the nodes and slope there, of largest displacement one.
    """

    eigenvalue: complex
    shape: np.ndarray

    @property
    def direction(self) -> str:
        """Forward turns as the shaft does."""
        return "forward" if self.eigenvalue.imag > 0 else "backward"

    @property
    def tabled(self) -> complex:
        """The eigenvalue with a positive frequency."""
        return complex(self.eigenvalue.real, abs(self.eigenvalue.imag))


class Spun:
    """The rotor about its straight position at any speed, from nominal motions at three.

    Parameters
    ----------
    equations : Equations
        With outputs y, its slope, z and its slope at each node, in this order.
    seal : AppliedForce
        What acts on the small motions beside.
    speed, eccentricity : float
        A speed, rad/s, and an unbalance, m, for which it is made.
    """

    def __init__(
        self, equations: Equations, seal: AppliedForce, speed: float, eccentricity: float
    ) -> None:
        def at(value: float, **others: float) -> NominalMotion:
            parameters = {"rotor.speed": value, **others}
            nominal = nominal_motion(equations, 2 * np.pi / value, parameters=parameters, samples=8)
            return nominal.with_forces(seal)

        speeds = speed * np.array([0.5, 1.0, 2.0])
        found = [at(float(value)) for value in speeds]
        # on co-rotating axes all samples are the same
        powers = np.linalg.inv(np.vander(speeds, increasing=True))
        self.nominal = found[1]
        self.M = self.nominal.M[0]
        self._C = np.tensordot(powers, [motion.C[0] for motion in found], 1)
        self._K = np.tensordot(powers, [motion.K[0] for motion in found], 1)
        # at time 0 the co-rotating axes are the inertial ones
        outputs = self.nominal.output_matrix[0, :, len(self.M) :]
        plane = outputs[0::4] + 1j * outputs[2::4]
        slope = outputs[1::4] + 1j * outputs[3::4]
        self._shown = np.array([plane, slope])
        self._unbalance = at(speed, **{"disk.eccentricity": eccentricity}).f[0] / speed**2

    def matrices(self, speed: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return M, C and K at a speed, rad/s."""
        powers = speed ** np.arange(3)
        return self.M, np.tensordot(powers, self._C, 1), np.tensordot(powers, self._K, 1)

    def whirls(self, speed: float) -> list[Whirl]:
        """Return the modes on inertial axes, the slowest first."""
        M, C, K = self.matrices(speed)
        n = len(M)
        system = np.block([[np.zeros((n, n)), np.eye(n)], [-K, -C]])
        system[n:] = np.linalg.solve(M, system[n:])
        values, vectors = np.linalg.eig(system)
        found = []
        for value, vector in zip(values, vectors[:n].T, strict=True):
            shape = self._shown @ vector  # of e^{λt}; that of the conjugate follows
            other = self._shown @ vector.conj()
            if np.abs(shape[0]).max() > np.abs(other[0]).max():
                largest = shape[0][np.argmax(np.abs(shape[0]))]
                found.append(Whirl(complex(value + 1j * speed), shape / largest))
        return sorted(found, key=lambda whirl: abs(whirl.eigenvalue.imag))

    def orbit(self, speed: float) -> np.ndarray:
        """Return y + i z of the nodes at time 0 with the unbalance, m, complex, shape (n,)."""
        _, _, K = self.matrices(speed)
        bent = -np.linalg.solve(K, speed**2 * self._unbalance)
        return np.asarray(self._shown[0] @ bent)


def critical_speeds(rotor: Spun, most: float) -> list[float]:
    """Return the speeds up to ``most`` at which a forward whirl has the shaft's speed, rad/s."""

    def ahead(speed: float, i: int) -> float:
        forward = [w for w in rotor.whirls(speed) if w.direction == "forward"]
        return forward[i].eigenvalue.imag - speed

    def leading(speed: float) -> list[bool]:
        whirls = rotor.whirls(speed)
        return [w.eigenvalue.imag > speed for w in whirls if w.direction == "forward"]

    found, ends = [], (0.0, most)
    for i, (before, after) in enumerate(zip(*map(leading, ends), strict=True)):
        if before and not after:
            found.append(float(brentq(ahead, *ends, args=(i,), xtol=1e-9)))
    return found
