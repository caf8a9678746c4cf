"""The columns of Floquet's transform at equally spaced places of the period.

Columns are pairs of conjugates or real. The real part of one of a pair and its imaginary part stand
side by side, then real columns: so all are real, and those of pairs are complex numbers in memory.
Where columns are numbered, a pair is one column and its conjugate, side by side too.

The number of places is odd: a harmonic of half an even one has no derivative.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy import fft, linalg

NEAR_EIGENVALUES = 0.15
"""Distance of eigenvalues, in parts of ω, below which they get an orthogonal basis where their
eigenvectors are nearly parallel."""
CONDITION = 30.0
"""Condition number of eigenvectors above which they count as nearly parallel."""


@dataclass(frozen=True)
class Combination:
    """Columns that are turned by multiples of ω, and combinations of them.

    Attributes
    ----------
    members, turns : list of int
        The columns, and the multiples.
    vectors : ndarray of complex, shape (k, c)
        Combinations: of all k members, or of half of them, whose conjugates are the others.
    """

    members: list[int]
    turns: list[int]
    vectors: np.ndarray


@dataclass(frozen=True)
class Basis:
    """P exp(D).

    Attributes
    ----------
    values, inverse : ndarray, shape (N, n, n)
        P at N places, and nearly its inverse.
    pairs : int
        Number of pairs.
    modulation : ndarray of complex, shape (N, n - pairs)
        Diagonal of exp(D), for one of each pair and for real columns.
    """

    values: np.ndarray
    inverse: np.ndarray
    pairs: int
    modulation: np.ndarray

    @property
    def places(self) -> int:
        """N."""
        return int(self.values.shape[0])

    def at(self, places: int) -> Basis:
        """Return P at another number of places."""
        if places == self.places:
            return self
        n = self.values.shape[1]
        known = fft.rfft(self.values, axis=0, norm="forward")[: (places + 1) // 2]
        values = fft.irfft(known, places, axis=0, norm="forward")
        modulation = np.ones((places, n - self.pairs), complex)
        return Basis(values, np.zeros_like(values), self.pairs, modulation)

    def columns(self, scales: np.ndarray | float = 1.0) -> np.ndarray:
        """Return harmonics -m to m of one column of each pair and of real ones, (N, n, n - pairs).

        Rows are multiplied by ``scales``, (n,).
        """
        P, c = self.values * np.reshape(scales, (-1, 1)), 2 * self.pairs
        columns = np.concatenate([P[..., :c].view(complex), P[..., c:]], axis=2)
        columns *= self.modulation[:, None]
        spectrum = fft.fft(columns, axis=0, norm="forward", overwrite_x=True)
        return np.asarray(fft.fftshift(spectrum, axes=0))

    def beyond(self, before: Basis, step: float) -> Basis:
        """Return what comes after a step in parts of that from another one to this one."""
        change, inverse = self.values - before.values, self.inverse - before.inverse
        return replace(
            self, values=self.values + step * change, inverse=self.inverse + step * inverse
        )

    def combined(self, combinations: list[Combination]) -> Basis:
        """Return combinations of columns in place of these."""
        values, modulation, columns = self.values.copy(), self.modulation.copy(), self.columns()
        conjugate = conjugates(values.shape[1], self.pairs)
        for one in combinations:
            mixed = turned(columns, self.pairs, one.members, one.turns) @ one.vectors
            mixed = fft.ifft(fft.ifftshift(mixed, axes=0), axis=0, norm="forward")
            places = np.minimum(one.members, conjugate[one.members])
            if one.vectors.shape[1] < places.size:
                places = np.unique(places)
            values[..., places], values[..., places + 1] = mixed.real, mixed.imag
            modulation[:, places // 2] = 1.0
        return Basis(values, np.zeros_like(values), self.pairs, modulation)


def mean_basis(A: np.ndarray, places: int) -> Basis:
    """Return the eigenvectors of a constant matrix, (n, n)."""
    values, vectors = np.linalg.eig(A)
    clusters = [[i] for i in np.flatnonzero(values.imag >= 0).tolist()]
    if np.linalg.cond(vectors) > CONDITION:
        clusters = _clusters(values)
    first: list[np.ndarray] = []
    real: list[np.ndarray] = []
    for c in clusters:
        columns = vectors[:, c] if len(c) == 1 else _orthonormal(A, values, c)
        if values[c].imag.min() > 0:
            first.append(columns)
        else:
            spanned, _, _ = np.linalg.svd(np.hstack([columns.real, columns.imag]))
            real.append(spanned[:, : len(c)])
    one = np.hstack([*first, np.zeros((len(A), 0), complex)])
    P = np.hstack([np.ascontiguousarray(one).view(float), *real])
    values, inverse = (np.repeat(part[None], places, axis=0) for part in (P, np.linalg.inv(P)))
    pairs = one.shape[1]
    return Basis(values, inverse, pairs, np.ones((places, len(A) - pairs), complex))


def _clusters(values: np.ndarray) -> list[list[int]]:
    """Return groups of near eigenvalues; of those that are conjugate to each other only one."""
    left = set(range(len(values)))
    found = []
    while left:
        members = [left.pop()]
        for i in members:
            near = {j for j in left if abs(values[i] - values[j]) < NEAR_EIGENVALUES}
            left -= near
            members += near
        if values[members].imag.max() >= 0:
            found.append(members)
    return found


def _orthonormal(A: np.ndarray, values: np.ndarray, members: list[int]) -> np.ndarray:
    """Return an orthonormal basis of what some eigenvectors span, also where they are parallel."""

    def belongs(value: complex) -> bool:
        return int(np.abs(values - value).argmin()) in members

    _, basis, _ = linalg.schur(A, output="complex", sort=belongs)
    return np.asarray(basis[:, : len(members)])


def turned(columns: np.ndarray, pairs: int, members: list[int], turns: list[int]) -> np.ndarray:
    """Return columns of some harmonics -m to m, each turned: its harmonics moved by places.

    Parameters
    ----------
    columns : ndarray of complex, shape (N, n, n - pairs)
        As ``Basis.columns`` returns them.
    """
    found = np.zeros((*columns.shape[:2], len(members)), complex)
    for j, (member, turn) in enumerate(zip(members, turns, strict=True)):
        low, high = max(turn, 0), len(columns) + min(turn, 0)
        if member >= 2 * pairs:
            column = columns[..., member - pairs]
        elif member % 2:
            column = columns[::-1, :, member // 2].conj()
        else:
            column = columns[..., member // 2]
        found[low:high, :, j] = column[low - turn : high - turn]
    return found


@cache
def conjugates(n: int, pairs: int) -> np.ndarray:
    """Return the number of each column's conjugate, (n,)."""
    every = np.arange(n)
    return np.where(every < 2 * pairs, every ^ 1, every)


@cache
def own(n: int, pairs: int) -> np.ndarray:
    """Return the numbers of one column of each pair and of real ones, (n - pairs,)."""
    return np.r_[: 2 * pairs : 2, 2 * pairs : n]


def odd_places(least: int) -> int:
    """Return the least odd number from one on whose Fourier transform is fast."""
    found = least | 1
    while fft.next_fast_len(found) != found:
        found += 2
    return int(found)
