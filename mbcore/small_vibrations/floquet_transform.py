"""Floquet's transform of periodic equations by Newton's method.

x = P(t) z has z' = B z with constant B, and P has the period of the equations. For any periodic P,
z' = G(t) z with

    G = P⁻¹ (A P - P').

Newton's method P ← P (1 + Z) removes from G all that is not constant,

    Z_k,ij = -G_k,ij / (λ_i - λ_j - i k ω),    λ_i = mean of G_ii,

for the harmonics k. Z_ii, by which an exponent changes along the period, is taken as exp(Z_ii),
which is right however large it is. Where the divisor is small, G_k,ij is kept, and couples columns
in resonance. The exponents' error is the square of the rest of G over the divisor.

Used by `mbcore.small_vibrations.floquet` alone; it stands apart because it knows one system of
equations, not a family.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import fft

from mbcore.small_vibrations.floquet_basis import Basis, own
from mbcore.small_vibrations.floquet_resonances import Transform

RESONANT = 0.15
"""Divisors, in parts of ω, below which entries of G are kept."""
ACCURACY = 5e-13
"""Error of exponents relative to the largest."""
COUPLED = 1e-11
"""Kept entries, in parts of the largest exponent, that couple; less is rounding."""
PASSES = 10
"""Largest number of Newton's steps."""
LOST = 10.0
"""Entry of Z from which Newton's method does not come back."""
USED = 0.3
"""The highest harmonic of Z in parts of the number of places. P has all: it must not lose a part of
P Z."""
NEAR, INVERTED = 0.5, 5e-6
"""Errors of an inverse from which it is improved, and whose cube is rounding."""


@np.errstate(all="ignore")  # what is not a finite number is refused
def transformed(A: np.ndarray, begin: Basis) -> Transform | None:
    """Return the transform that Newton's method finds, or None.

    Parameters
    ----------
    A : ndarray, shape (N, n, n)
        In parts of ω, at equally spaced places.
    begin : Basis
        Where the method begins, at these places.
    """
    N, n = A.shape[:2]
    P, inverse, pairs, over = begin.values, begin.inverse, begin.pairs, _period(N)
    rows = own(n, pairs)
    diagonal = slice(None), np.arange(len(rows)), rows
    least = np.inf
    for _ in range(PASSES):
        if (improved := _inverted(P, inverse)) is None:
            return None
        inverse = improved
        G = _of_pairs(inverse @ (A @ P - over.rates(P)), pairs)
        along = np.ascontiguousarray(G[diagonal])
        means, modulation = _of_all(along.mean(axis=0), pairs), np.exp(over.integrals(along))
        shrinking = 1 / modulation
        G *= shrinking[..., None] * _of_all(modulation, pairs)[:, None]
        low = over.harmonics(G)
        low[diagonal] = 0.0
        divisor = (means[rows, None] - means) - 1j * over.orders[:, None, None]
        far, size, sizes = np.abs(divisor), float(np.abs(means).max()), np.abs(low)
        kept = far < RESONANT
        left = float(np.where(kept, 0.0, sizes / np.sqrt(far)).max())
        enough = np.sqrt(ACCURACY * size)
        if left < enough:
            coupled = kept & (sizes > COUPLED * size)
            is_cut = not over.highest(G) < enough
            return Transform(Basis(P, inverse, pairs, modulation), means, low, coupled, is_cut)
        Z = over.values(np.where(kept, 0.0, -1 / divisor) * low)
        Z *= modulation[..., None] * _of_all(shrinking, pairs)[:, None]
        if not (left < 10 * least and np.abs(Z).max() < LOST):
            return None
        least = min(least, left)
        change = _of_real(Z, pairs)
        P, inverse = P + P @ change, inverse - change @ inverse
    return None


@dataclass(frozen=True)
class _Period:
    """Harmonics and derivatives of functions that are known at an odd number N of places.

    Products with matrices take less than Fourier's transform of so few places.

    Attributes
    ----------
    rate, integral : ndarray, shape (N, N)
        Derivatives of functions; integrals without means.
    orders : ndarray of int, shape (2 m + 1,)
        Orders of the harmonics of G and Z, as they are in spectra: 0, 1, ..., m, -m, ..., -1.
    forth, back : ndarray of complex, shapes (2 m + 1, N), (N, 2 m + 1)
        These harmonics of functions, and functions of these harmonics.
    """

    rate: np.ndarray
    integral: np.ndarray
    orders: np.ndarray
    forth: np.ndarray
    back: np.ndarray

    def rates(self, values: np.ndarray) -> np.ndarray:
        """Return the derivatives of real functions, (N, ...)."""
        return _times(self.rate, values)

    def integrals(self, values: np.ndarray) -> np.ndarray:
        """Return the integrals of functions less their means, (N, n)."""
        return _times(self.integral, values.view(float)).view(complex)

    def harmonics(self, values: np.ndarray) -> np.ndarray:
        """Return the harmonics of functions, (2 m + 1, ...)."""
        return _times(self.forth, values)

    def highest(self, values: np.ndarray) -> float:
        """Return the largest size of harmonics of other orders."""
        spectrum = fft.fft(values, axis=0, norm="forward")
        most = len(self.orders) // 2
        return float(np.abs(spectrum[most + 1 : len(values) - most]).max())

    def values(self, harmonics: np.ndarray) -> np.ndarray:
        """Return functions by their harmonics, (N, ...)."""
        return _times(self.back, harmonics)


def _times(matrix: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return linear combinations of arrays, (N, ...)."""
    found = matrix @ values.reshape(len(values), -1)
    return found.reshape(len(matrix), *values.shape[1:])


@cache
def _period(places: int) -> _Period:
    """Return what is the same for all functions that are known at so many places."""
    spectrum = fft.rfft(np.eye(places), axis=0)
    turning = 1j * np.arange(len(spectrum))[:, None]
    integral = np.zeros_like(spectrum)
    integral[1:] = spectrum[1:] / turning[1:]
    most = int(USED * places)
    orders = np.r_[: most + 1, -most:0]
    forth = fft.fft(np.eye(places), axis=0, norm="forward")[orders]
    return _Period(
        rate=fft.irfft(turning * spectrum, places, axis=0),
        integral=fft.irfft(integral, places, axis=0),
        orders=orders,
        forth=forth,
        back=np.ascontiguousarray(places * forth.conj().T),
    )


def _of_all(rows: np.ndarray, pairs: int) -> np.ndarray:
    """Return values of all columns from those of one of each pair and of real ones, (..., n)."""
    c = 2 * pairs
    found = np.empty((*rows.shape[:-1], rows.shape[-1] + pairs), complex)
    found[..., :c:2], found[..., c:] = rows[..., :pairs], rows[..., pairs:]
    np.conjugate(rows[..., :pairs], out=found[..., 1:c:2])
    return found


def _inverted(P: np.ndarray, guess: np.ndarray) -> np.ndarray | None:
    """Return inverses by products, which are cheap, of third order; None where there are none."""
    one = np.eye(P.shape[1])
    before = np.inf
    while True:
        error = one - guess @ P
        size = float(np.sqrt(np.einsum("kij,kij->k", error, error).max()))
        if not size < min(NEAR, before):
            try:
                return np.asarray(np.linalg.inv(P))
            except np.linalg.LinAlgError:
                return None
        guess, before = guess + error @ (guess + error @ guess), size
        if size < INVERTED:
            return guess


def _of_pairs(G: np.ndarray, pairs: int) -> np.ndarray:
    """Return rows for one of each pair and for real columns from a matrix for real columns.

    With p = a + i b, and coordinates u of a and w of b, G p = G a + i G b and z = (u - i w) / 2.
    """
    c, n = 2 * pairs, G.shape[2]
    rows = np.empty((len(G), n - pairs, n), complex)
    np.multiply(0.5, G[:, :c:2], out=rows.real[:, :pairs])
    np.multiply(-0.5, G[:, 1:c:2], out=rows.imag[:, :pairs])
    rows[:, pairs:] = G[:, c:]
    first, second = rows[..., :c:2], 1j * rows[..., 1:c:2]
    found = np.empty_like(rows)
    np.add(first, second, out=found[..., :c:2])
    np.subtract(first, second, out=found[..., 1:c:2])
    found[..., c:] = rows[..., c:]
    return found


def _of_real(Z: np.ndarray, pairs: int) -> np.ndarray:
    """Return the opposite of ``_of_pairs``."""
    c, n = 2 * pairs, Z.shape[2]
    found = np.empty((len(Z), n, n))
    one, other = Z[..., :c:2], Z[..., 1:c:2].conj()
    paired = found[..., :c].view(complex)
    np.add(one[:, :pairs], other[:, :pairs], out=paired[:, :c:2])
    np.multiply(1j, one[:, :pairs] - other[:, :pairs], out=paired[:, 1:c:2])
    paired[:, c:] = one[:, pairs:]
    alone = Z[..., c:]
    np.multiply(2.0, alone.real[:, :pairs], out=found[:, :c:2, c:])
    np.multiply(-2.0, alone.imag[:, :pairs], out=found[:, 1:c:2, c:])
    found[:, c:, c:] = alone.real[:, pairs:]
    return found
