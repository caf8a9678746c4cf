"""Harmonic balance of the full equations, alternating between time and frequency.

States are truncated Fourier series over the period, s(τ) = c_0 + Σ (c_l cos 2πlτ + d_l sin 2πlτ),
plus whole turns of angles. Rates and their exact Jacobians are taken at equally spaced times, more
than there are coefficients, and projected on the same series:

    D c - T P f(c) = 0,

which Newton's method solves for the coefficients and, where nothing depends on time, the period.

Used by `mbcore.periodic.balanced` alone; it stands apart because it is the discretized problem,
which the other module solves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbcore.model.errors import SimulationError
from mbcore.periodic.shooting import Shooting

OVERSAMPLED = 4
"""Samples for each harmonic."""


@dataclass(frozen=True)
class Balance:
    """Residual and Jacobian at coefficients."""

    residual: np.ndarray
    jacobian: np.ndarray

    @property
    def size(self) -> float:
        """Norm of the residual, infinite where it is no number."""
        size = float(np.linalg.norm(self.residual))
        return size if np.isfinite(size) else np.inf


class HarmonicBalance:
    """The balance of a number of harmonics, for the states on which anything depends.

    Parameters
    ----------
    shooting : Shooting
        The system, its period and its advance.
    harmonics : int
        Number of harmonics m.

    Attributes
    ----------
    times : ndarray, shape (n,)
        Parts of the period at which rates are taken.
    basis : ndarray, shape (n, 2 m + 1)
        Values of the series' terms there: one, cosines, sines.
    """

    def __init__(self, shooting: Shooting, harmonics: int) -> None:
        self.shooting, self.harmonics = shooting, harmonics
        m, count = harmonics, OVERSAMPLED * (harmonics + 1)
        self.times = np.arange(count) / count
        self.basis = self.terms(self.times)
        self.projection = self.basis.T * (2.0 / count)
        self.projection[0] /= 2
        self.slope = np.zeros((2 * m + 1, 2 * m + 1))
        for k in range(1, m + 1):
            self.slope[k, m + k] = 2 * np.pi * k
            self.slope[m + k, k] = -2 * np.pi * k
        self._reference: np.ndarray | None = None

    def terms(self, times: np.ndarray) -> np.ndarray:
        """Return values of the series' terms at parts of the period, shape (n, 2 m + 1)."""
        turned = 2 * np.pi * np.outer(times, np.arange(1, self.harmonics + 1))
        return np.hstack([np.ones((times.size, 1)), np.cos(turned), np.sin(turned)])

    def coefficients(self, samples: np.ndarray) -> np.ndarray:
        """Return the unknowns of samples at `times`, (n, nf), in parts of nominal values."""
        level = (samples - np.outer(self.times, self.advance)) / self.shooting.nominal
        return np.asarray(self.projection @ level)

    def states(self, coefficients: np.ndarray) -> np.ndarray:
        """Return the samples of coefficients, (2 m + 1, nf), at `times`, shape (n, nf)."""
        return self.basis @ coefficients * self.shooting.nominal + np.outer(
            self.times, self.advance
        )

    @property
    def advance(self) -> np.ndarray:
        """Increase of the unknown states in a period, shape (nf,)."""
        return self.shooting.known_advance[self.shooting.felt]

    def anchor(self, coefficients: np.ndarray) -> None:
        """Set the phase condition by these coefficients, (2 m + 1, nf)."""
        self._reference = coefficients.copy()

    def at(self, coefficients: np.ndarray, period: float) -> Balance:
        """Return the balance at coefficients, (2 m + 1, nf), and a period, s.

        Raises
        ------
        ConfigurationError, SimulationError
            If a sample has no configuration, or an event is between them.
        """
        nf, terms = len(self.shooting.felt), 2 * self.harmonics + 1
        f, J = self._rates(coefficients, period)
        rise = np.zeros((terms, nf))
        rise[0] = self.advance / self.shooting.nominal
        mean = self.projection @ f
        residual = self.slope @ coefficients + rise - period * mean
        by = np.einsum("aj,jb,jkl->akbl", self.projection, self.basis, J, optimize=True)
        size = terms * nf
        jacobian = np.kron(self.slope, np.eye(nf)) - period * by.reshape(size, size)
        if not self.shooting.autonomous:
            return Balance(residual.ravel(), jacobian)
        assert self._reference is not None
        along = (self.slope @ self._reference).ravel()
        along /= np.linalg.norm(along)
        phase = along @ (coefficients - self._reference).ravel()
        whole = np.block(
            [[jacobian, -mean.reshape(-1, 1) * self.shooting.period_guess], [along, np.zeros(1)]]
        )
        return Balance(np.append(residual.ravel(), phase), whole)

    def _rates(self, coefficients: np.ndarray, period: float) -> tuple[np.ndarray, np.ndarray]:
        """Return rates, (n, nf), and their Jacobians, (n, nf, nf), at the samples, scaled."""
        shooting, flow = self.shooting, self.shooting.flow
        felt, nominal, e = shooting.felt, shooting.nominal, shooting.flow.point
        samples = self.states(coefficients)
        f = np.empty(samples.shape)
        J = np.empty((*samples.shape, len(felt)))
        whole = shooting.start_of(samples[0] / nominal)
        flow.begin(whole)
        modes = e.d.copy()
        self._refuse_constraints(modes)
        for j, sample in enumerate(samples):
            whole[felt] = sample
            flow.run.move(float(self.times[j]) * period, whole)
            f[j] = e.derivative()[felt] / nominal
            J[j] = e.rates_by_states(felt)[felt] * nominal / nominal[:, None]
            if e.equations.events:
                self._refuse_events(modes)
            e.accept()
        return f, J

    def _refuse_constraints(self, modes: np.ndarray) -> None:
        e = self.shooting.flow.point
        for event, mode in zip(e.equations.events, modes, strict=False):
            if event.kind == "held_slip" and mode > 0.5:
                raise SimulationError(
                    f"{e.equations.name}: {event.name} at t = {e.t[0]:.6g}, and harmonic balance "
                    "does not keep a held slip at zero; use method='shooting'"
                )

    def _refuse_events(self, modes: np.ndarray) -> None:
        e = self.shooting.flow.point
        for event, value, mode in zip(e.equations.events, e.indicator(), modes, strict=False):
            if (value > event.band) if mode < 0.5 else (value < -event.band):
                raise SimulationError(
                    f"{e.equations.name}: {event.name} occurs at t = {e.t[0]:.6g}, and harmonic "
                    "balance takes smooth motions; use method='shooting'"
                )
