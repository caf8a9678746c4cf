"""Linear equations with periodic coefficients: their normal form, [Schwab2002] (4.3) and (4.8)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import fft

from mbcore.model import summary, wording
from mbcore.model.errors import ModelError


@dataclass(frozen=True, repr=False)
class PeriodicEquations(summary.Summarized):
    """ÿ_2 and ẏ_1 + P(t) ẏ_2 + Q(t) y = r(t), with y = (y_2, y_1), at equally spaced times.

    y_2 has second derivatives: small motions of the degrees of freedom. y_1 has first ones:
    generalized speeds and kinematic coordinates. A state is (ẏ_2, s, y_2, k), with y_1 = (s, k)
    the speeds and the coordinates, as in all equations of this library.

    Attributes
    ----------
    name : str
        Name of the system, for messages.
    period : float
        s.
    P, Q, r : ndarray, shapes (n, N, n2), (n, N, N), (n, N)
        Coefficients at 0, T/n, ...; n2 is the number of y_2.
    speeds : int
        Number of the generalized speeds, the first of y_1.
    names : tuple of str
        Of y.
    """

    name: str
    period: float
    P: np.ndarray
    Q: np.ndarray
    r: np.ndarray
    speeds: int = 0
    names: tuple[str, ...] = ()

    def _title(self) -> str:
        return f"periodic equations of {self.name}"

    def _facts(self) -> list[str]:
        sizes = f"{self.samples} samples, {self.unknowns} unknowns, {self.states} states"
        return [f"period {self.period:g} s", sizes, wording.listed(self.names)]

    @cached_property
    def mixture(self) -> Mixture | None:
        """Of which equations these are made, where that is known."""
        return None

    @property
    def samples(self) -> int:
        """Number of times."""
        return int(self.Q.shape[0])

    @property
    def most_harmonics(self) -> int:
        """Number of harmonics that the samples determine."""
        return max(self.samples // 2 - 1, 0)

    @property
    def unknowns(self) -> int:
        """Number of y."""
        return int(self.Q.shape[1])

    @property
    def second(self) -> int:
        """Number of y_2."""
        return int(self.P.shape[2])

    @property
    def frequency(self) -> float:
        """ω = 2π/T, rad/s."""
        return 2 * np.pi / self.period

    @property
    def states(self) -> int:
        """Number of states."""
        return self.unknowns + self.second

    @cached_property
    def state_matrices(self) -> np.ndarray:
        """A(t) of ẋ = A(t) x + b(t), [Schwab2002] (4.8), shape (n, ns, ns)."""
        return self._of_states(-self.P, -self.Q)

    @property
    def state_harmonics(self) -> np.ndarray:
        """Fourier coefficients of A(t) that the samples determine, from order 0 on."""
        by_rates, by_values = self.harmonics
        found = self._of_states(-by_rates, -by_values)
        rates, values = self.places
        found[1:, values[: self.second], rates] = 0.0
        return found

    @cached_property
    def mean_sizes(self) -> np.ndarray:
        """Mean sizes of the entries of A(t), shape (ns, ns)."""
        return self._of_states(np.abs(self.P).mean(axis=0), np.abs(self.Q).mean(axis=0))

    def _of_states(self, by_rates: np.ndarray, by_values: np.ndarray) -> np.ndarray:
        """Return matrices of first order from rows of second order, shape (..., ns, ns)."""
        shape = *by_values.shape[:-2], self.states, self.states
        found = np.zeros(shape, by_values.dtype)
        rates, values = self.places
        found[..., values[: self.second], rates] = 1.0
        found[..., self.rows[:, None], rates] = by_rates
        found[..., self.rows[:, None], values] = by_values
        return found

    @cached_property
    def state_forcing(self) -> np.ndarray:
        """b(t) of ẋ = A(t) x + b(t), shape (n, ns)."""
        b = np.zeros((self.samples, self.states))
        b[:, self.rows] = self.r
        return b

    @cached_property
    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """Indices of ẏ_2 and of y among the states."""
        n2, end = self.second, self.second + self.speeds
        y_2 = np.arange(end, end + n2)
        y_1 = np.r_[np.arange(n2, end), np.arange(end + n2, self.states)]
        return np.arange(n2), np.r_[y_2, y_1]

    @cached_property
    def rows(self) -> np.ndarray:
        """Index of the state whose derivative each row gives."""
        rates, values = self.places
        return np.r_[rates, values[self.second :]]

    def coefficients(self, samples: np.ndarray, most: int) -> np.ndarray:
        """Return Fourier coefficients c_-most, ..., c_most of samples, (2 most + 1, ...).

        Those that the samples do not determine are zero, as is the highest for an even number.
        """
        return _of_both_signs(_harmonics(samples), most)

    @cached_property
    def harmonics(self) -> tuple[np.ndarray, np.ndarray]:
        """Fourier coefficients of P and Q that the samples determine, from order 0 on."""
        return _harmonics(self.P), _harmonics(self.Q)

    def coefficients_of_rows(self, rows: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
        """Return Fourier coefficients of P and Q in some rows, as `coefficients` does.

        ``rows`` are the indices of these rows, and ``most`` is the highest order.
        """
        P, Q = (_of_both_signs(part[:, rows], most) for part in self.harmonics)
        return P, Q

    def checked_harmonics(self, owner: str, harmonics: object) -> int:
        """Return the number of harmonics; refuse one that the samples do not determine.

        Messages begin with ``owner``.

        Raises
        ------
        ModelError
            If they are no positive number, or there are less than 2 (m + 1) samples for m.
        """
        whole = isinstance(harmonics, int | np.integer) and not isinstance(harmonics, bool)
        if not whole or harmonics < 1:  # type: ignore[operator]
            raise ModelError(f"{owner}: harmonics = {harmonics!r}; give a whole number, at least 1")
        m = int(harmonics)  # type: ignore[call-overload]
        if self.samples < 2 * (m + 1):
            raise ModelError(
                f"{owner}: {self.name}: {self.samples} samples determine "
                f"{self.most_harmonics} harmonics, not {m}; give nominal_motion at least "
                f"samples={2 * (m + 1)}, or ask for fewer harmonics"
            )
        return m


@dataclass(frozen=True)
class Family:
    """Equations at some frequencies, of which others are mixtures.

    Attributes
    ----------
    members : tuple of PeriodicEquations
    known : dict
        Results for all mixtures, by kind.
    """

    members: tuple[PeriodicEquations, ...]
    known: dict[Hashable, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Mixture:
    """Coefficients P, Q and r that are sums of those of a family, with weights whose sum is one.

    Attributes
    ----------
    family : Family
    weights : ndarray, shape (k,)
    """

    family: Family
    weights: np.ndarray


def _harmonics(samples: np.ndarray) -> np.ndarray:
    """Return Fourier coefficients c_0, c_1, ... of samples, without that of half their number."""
    found = fft.rfft(samples, axis=0, norm="forward")
    return np.asarray(found[: (samples.shape[0] + 1) // 2])


def _of_both_signs(positive: np.ndarray, most: int) -> np.ndarray:
    """Return c_-most, ..., c_most from c_0, c_1, ... of real functions."""
    found = np.zeros((2 * most + 1, *positive.shape[1:]), complex)
    known = positive[: most + 1]
    found[most : most + len(known)] = known
    found[most + 1 - len(known) : most] = known[:0:-1].conj()
    return found
