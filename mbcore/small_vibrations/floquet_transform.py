"""Floquet's transform of periodic equations by Newton's method.

x = P(t) z has z' = B z with constant B, and P has the period of the equations. For any periodic P,
z' = G(t) z with

    G = P⁻¹ (A P - P').

Newton's method P ← P (1 + Z) removes from G all that is not constant,

    Z_k,ij = -G_k,ij / (λ_i - λ_j - i k ω),    λ_i = mean of G_ii,

for the harmonics k. Z_ii, by which an exponent changes along the period, is taken as exp(Z_ii),
which is right however large it is. Where the divisor is small, G_k,ij is kept. What is kept couples
the z_i of a resonance, each turned by a multiple of ω, by a constant matrix, whose eigenvalues are
exponents. So nothing is singular at the ends of zones of instability, where exponents meet. The
exponents' error is the square of what is left of G.

Columns of P are pairs of conjugates or real, so that products are those of real matrices.

Used by `mbcore.small_vibrations.floquet` alone; it stands apart because it knows one system of
equations, not a family.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy import fft, linalg

RESONANT = 0.15
"""Divisors, in parts of ω, below which entries of G are kept."""
ACCURACY = 5e-13
"""Error of exponents relative to the largest: the square of what is left of G over the divisor."""
COUPLED = 1e-11
"""Kept entries, in parts of the largest exponent, that couple; less is rounding."""
STRONG = 0.04
"""Kept entries, in parts of ω, that delay Newton's method where other divisors are small."""
PASSES = 10
"""Largest number of Newton's steps."""
LOST = 10.0
"""Entry of Z from which Newton's method does not come back."""
CONDITION = 30.0
"""Condition number of mean eigenvectors above which near ones get an orthogonal basis."""
USED = 0.3
"""The highest harmonic of Z in parts of the number of places. P has all: it must not lose a part of
P Z."""
NEAR, INVERTED = 0.5, 5e-6
"""Errors of an inverse from which it is improved, and whose cube is rounding."""
ALIKE = 1e-6
"""Relative difference of weights that counts as none."""


@dataclass(frozen=True)
class Resonance:
    """Columns that are coupled to others turned by multiples of ω, and combinations of them.

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
    """P exp(D): of pairs the real parts of one column, then its imaginary parts; then real columns.

    Where columns are numbered, these are one of each pair, then their conjugates, then real ones.

    Attributes
    ----------
    harmonics : ndarray of complex, shape (m + 1, n, n)
        Of P, from 0 on.
    inverse : ndarray, shape (N, n, n)
        Nearly the inverse of P at N equally spaced places.
    pairs : int
        Number of pairs.
    modulation : ndarray of complex, shape (N, n)
        Diagonal of exp(D).
    """

    harmonics: np.ndarray
    inverse: np.ndarray
    pairs: int
    modulation: np.ndarray

    @property
    def places(self) -> int:
        """N."""
        return int(self.inverse.shape[0])

    def at(self, places: int) -> Basis:
        """Return the same at another number of places."""
        if places == self.places:
            return self
        m, n = (places - 1) // 2, self.harmonics.shape[1]
        found = np.zeros((m + 1, n, n), complex)
        known = min(m + 1, len(self.harmonics))
        found[:known] = self.harmonics[:known]
        unknown = np.zeros((places, n, n))
        return Basis(found, unknown, self.pairs, np.ones((places, n), complex))

    def columns(self, scales: np.ndarray | float = 1.0) -> np.ndarray:
        """Return harmonics -m to m of the columns of P exp(D), (2m + 1, n, rows)."""
        N, c, n = self.places, self.pairs, self.harmonics.shape[1]
        P = _values(self.harmonics, N) * np.reshape(scales, (-1, 1))
        columns = np.empty((N, n, n - c), complex)
        columns.real[..., :c], columns.imag[..., :c] = P[..., :c], P[..., c : 2 * c]
        columns[..., c:] = P[..., 2 * c :]
        columns *= self.modulation[:, None, _rows(n, c)]
        m = (N - 1) // 2
        spectrum = fft.fft(columns, axis=0, norm="forward", overwrite_x=True)
        return np.concatenate([spectrum[N - m :], spectrum[: m + 1]])

    def beyond(self, before: Basis, step: float) -> Basis:
        """Return what comes after a step in parts of that from another one to this one."""
        change, inverse = self.harmonics - before.harmonics, self.inverse - before.inverse
        return replace(
            self, harmonics=self.harmonics + step * change, inverse=self.inverse + step * inverse
        )

    def combined(self, resonances: list[Resonance]) -> Basis:
        """Return combinations of columns in place of these."""
        found, modulation, columns = self.harmonics.copy(), self.modulation.copy(), self.columns()
        conjugate = _conjugates(found.shape[1], self.pairs)
        middle = len(columns) // 2
        for r in resonances:
            mixed = _turned(columns, self.pairs, r.members, r.turns) @ r.vectors
            positive, negative = mixed[middle:], mixed[middle::-1].conj()
            partners = conjugate[r.members]
            places = np.unique(np.minimum(r.members, partners))
            if r.vectors.shape[1] == len(r.members):
                places = np.minimum(r.members, partners)
            found[..., places] = (positive + negative) / 2
            found[..., self.pairs + places] = (positive - negative) / 2j
            modulation[:, r.members] = modulation[:, partners] = 1.0
        return Basis(found, np.zeros_like(self.inverse), self.pairs, modulation)


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
    nothing = np.zeros((len(A), 0))
    one = np.hstack([*first, nothing])
    P = np.hstack([one.real, one.imag, *real])
    harmonics = np.zeros(((places - 1) // 2 + 1, *A.shape), complex)
    harmonics[0] = P
    inverse = np.repeat(np.linalg.inv(P)[None], places, axis=0)
    return Basis(harmonics, inverse, one.shape[1], np.ones((places, len(A)), complex))


def _clusters(values: np.ndarray) -> list[list[int]]:
    """Return groups of near eigenvalues; of those that are conjugate to each other only one."""
    left = set(range(len(values)))
    found = []
    while left:
        members = [left.pop()]
        for i in members:
            near = {j for j in left if abs(values[i] - values[j]) < RESONANT}
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


@dataclass(frozen=True)
class Transform:
    """Floquet's transform.

    Attributes
    ----------
    basis : Basis
        P exp(D).
    means : ndarray of complex, shape (n,)
        λ.
    G : ndarray of complex, shape (2 m + 1, rows, n)
        Harmonics 0, 1, ..., m, -m, ..., -1 of what couples columns, without the rows of conjugates.
    coupled : ndarray of bool, shape (2 m + 1, rows, n)
        Which entries of G are kept and more than rounding.
    is_cut : bool
        Whether G has a share in harmonics above those of Z, so that more places are needed.
    """

    basis: Basis
    means: np.ndarray
    G: np.ndarray
    coupled: np.ndarray
    is_cut: bool

    def exponents(self, scales: np.ndarray) -> np.ndarray | None:
        """Return the exponents in parts of ω, (n,); None where resonances contradict each other.

        Of images it is the one with the largest middle harmonic, by weights of states times
        ``scales``. Of images with the same weight it is the one with the least imaginary part, and
        of two the positive one.
        """
        resonances = self._resonances(self.coupled)
        if resonances is None:
            return None
        n, pairs = len(self.means), self.basis.pairs
        conjugate, columns = _conjugates(n, pairs), self.basis.columns(scales)
        found, left = [], np.ones(n, bool)
        for members, turns in resonances:
            if not left[members[0]]:  # conjugate to another one
                continue
            values, vectors = np.linalg.eig(self._constant(members, turns))
            likely = _likely_images(values, _turned(columns, pairs, members, turns) @ vectors)
            partners = conjugate[members]
            left[members] = left[partners] = False
            found += [likely] if partners[0] in members else [likely, likely.conj()]
        own = _rows(n, pairs)
        alone = left[own]
        likely = _likely_images(self.means[own[alone]], columns[..., alone])
        return np.concatenate([*found, likely, likely[: alone[:pairs].sum()].conj()])

    def _resonances(self, coupled: np.ndarray) -> list[tuple[list[int], list[int]]] | None:
        """Return columns that are coupled, with the turns of each; None where they contradict."""
        n, pairs = len(self.means), self.basis.pairs
        conjugate, rows = _conjugates(n, pairs), _rows(n, pairs)
        orders = _orders(len(coupled))
        shifts: dict[int, list[tuple[int, int]]] = {}
        for place, row, j in np.argwhere(coupled).tolist():
            i, k = int(rows[row]), int(orders[place])
            for a, b, shift in ((i, j, k), (int(conjugate[i]), int(conjugate[j]), -k)):
                shifts.setdefault(a, []).append((b, shift))
                shifts.setdefault(b, []).append((a, -shift))
        turn: dict[int, int] = {}
        found = []
        for first in sorted(shifts):
            if first in turn:
                continue
            turn[first], members = 0, [first]
            for i in members:
                for j, shift in shifts[i]:
                    if j not in turn:
                        turn[j] = turn[i] - shift
                        members.append(j)
                    elif turn[j] != turn[i] - shift:
                        return None
            found.append((members, [turn[i] for i in members]))
        return found

    def _constant(self, members: list[int], turns: list[int]) -> np.ndarray:
        """Return the matrix of a resonance: with z_i = u_i exp(i l_i t), G_k,ij with k = l_i - l_j.

        Kept entries are constant among u.
        """
        n, pairs, most = len(self.means), self.basis.pairs, (len(self.G) + 1) // 2
        conjugate = _conjugates(n, pairs)
        row = {int(i): place for place, i in enumerate(_rows(n, pairs))}
        found = np.zeros((len(members), len(members)), complex)
        for a, (i, l_i) in enumerate(zip(members, turns, strict=True)):
            for b, (j, l_j) in enumerate(zip(members, turns, strict=True)):
                k = l_i - l_j
                if abs(k) >= most or i == j:
                    continue
                if i in row:
                    found[a, b] = self.G[k, row[i], j]
                else:
                    found[a, b] = self.G[-k, row[int(conjugate[i])], conjugate[j]].conj()
            found[a, a] = self.means[i] - 1j * l_i
        return found

    def strong_resonances(self) -> list[Resonance]:
        """Return strong resonances with their eigenvectors; those of real columns stay."""
        strong = self.coupled & (np.abs(self.G) > STRONG)
        if not strong.any():
            return []
        pairs, found = self.basis.pairs, []
        conjugate = _conjugates(len(self.means), pairs)
        seen: set[int] = set()
        for members, turns in self._resonances(strong) or []:
            B, partners = self._constant(members, turns), conjugate[members].tolist()
            if max(members) >= 2 * pairs or not seen.isdisjoint(members):
                continue
            seen.update(partners)
            if partners[0] in members:
                order = [members.index(partner) for partner in partners]
                vectors = _pairs_of(B, order, turns[0] + turns[order[0]])
            else:
                _, vectors = np.linalg.eig(B)
                if np.linalg.cond(vectors) > CONDITION:
                    vectors = linalg.schur(B, output="complex")[1]
            found.append(Resonance(members, turns, vectors))
        return found


def _pairs_of(B: np.ndarray, order: list[int], turns: int) -> np.ndarray:
    """Return vectors that with their conjugates span a resonance with its own, (n, n / 2).

    Parameters
    ----------
    B : ndarray of complex, shape (n, n)
        The resonance's matrix; B + i turns/2 is real in the basis e_i + e_j, i (e_i - e_j).
    order : list of int
        The conjugate j of each i.
    """
    n = len(order)
    real = np.zeros((n, n), complex)
    for place, (i, j) in enumerate((i, j) for i, j in enumerate(order) if i < j):
        real[[i, j], 2 * place] = np.sqrt(0.5)
        real[[i, j], 2 * place + 1] = 1j * np.sqrt(0.5), -1j * np.sqrt(0.5)
    C = (real.conj().T @ (B + 0.5j * turns * np.eye(n)) @ real).real
    values, vectors = np.linalg.eig(C)
    alone, first = values.imag == 0, values.imag > 0
    paired = vectors[:, first]
    if np.linalg.cond(vectors) > CONDITION:
        triangle, vectors = linalg.schur(C)
        first = np.append(np.diag(triangle, -1) != 0, False)
        alone = ~first & ~np.roll(first, 1)
        paired = vectors[:, first] + 1j * np.roll(vectors, -1, axis=1)[:, first]
    single = vectors[:, alone].real
    return np.asarray(real @ np.hstack([paired, single[:, ::2] + 1j * single[:, 1::2]]))


def _turned(columns: np.ndarray, pairs: int, members: list[int], turns: list[int]) -> np.ndarray:
    """Return columns of some harmonics -m to m, each turned: its harmonics moved by places."""
    found = np.zeros((*columns.shape[:2], len(members)), complex)
    for j, (member, turn) in enumerate(zip(members, turns, strict=True)):
        low, high = max(turn, 0), len(columns) + min(turn, 0)
        if pairs <= member < 2 * pairs:
            column = columns[::-1, :, member - pairs].conj()
        else:
            column = columns[..., member if member < pairs else member - pairs]
        found[low:high, :, j] = column[low - turn : high - turn]
    return found


def _likely_images(values: np.ndarray, harmonics: np.ndarray) -> np.ndarray:
    """Return of the images of each value the one with the largest middle harmonic, (k,).

    Parameters
    ----------
    values, harmonics : ndarray of complex, shapes (k,), (2m + 1, n, k)
        Values in parts of ω, and harmonics -m to m of their columns.
    """
    weight = np.sqrt((harmonics.real**2 + harmonics.imag**2).sum(axis=1))
    images = values + 1j * (np.arange(len(weight)) - len(weight) // 2)[:, None]
    likely = weight > (1 - ALIKE) * weight.max(axis=0, initial=0.0)
    measure = np.abs(images.imag) - ALIKE * np.sign(images.imag)
    place = np.argmin(np.where(likely, measure, np.inf), axis=0)
    return np.asarray(images[place, np.arange(len(values))])


@cache
def _conjugates(n: int, pairs: int) -> np.ndarray:
    """Return the index of the conjugate of each column, (n,)."""
    return np.r_[pairs : 2 * pairs, :pairs, 2 * pairs : n]


@cache
def _rows(n: int, pairs: int) -> np.ndarray:
    """Return which columns have a row: all but conjugates."""
    return np.r_[:pairs, 2 * pairs : n]


def _orders(places: int) -> np.ndarray:
    """Return the orders of harmonics as they are in spectra."""
    return np.rint(fft.fftfreq(places, 1 / places)).astype(int)


@dataclass(frozen=True)
class _Period:
    """Harmonics and derivatives of functions that are known at N equally spaced places.

    Products with matrices take less than Fourier's transform of so few places, and are of real
    numbers.

    Attributes
    ----------
    projection, rate, integral : ndarray, shape (N, N)
        Functions without the harmonic N/2, which has no derivative; their derivatives; integrals
        without means.
    used : int
        The highest harmonic of Z.
    """

    projection: np.ndarray
    rate: np.ndarray
    integral: np.ndarray
    used: int

    @property
    def orders(self) -> np.ndarray:
        """Orders of the harmonics of G and Z, as they are in spectra: 0, 1, ..., -1."""
        return _orders(2 * self.used + 1)

    def harmonics(self, values: np.ndarray) -> tuple[np.ndarray, float]:
        """Return harmonics of those orders, and the largest size of others."""
        spectrum = fft.fft(values, axis=0, norm="forward", overwrite_x=True)
        end = len(values) - self.used
        high = float(np.abs(spectrum[self.used + 1 : end]).max())
        return np.concatenate([spectrum[: self.used + 1], spectrum[end:]]), high

    def values(self, harmonics: np.ndarray) -> np.ndarray:
        """Return a function from its harmonics of those orders."""
        N = len(self.rate)
        spectrum = np.zeros((N, *harmonics.shape[1:]), complex)
        spectrum[: self.used + 1] = harmonics[: self.used + 1]
        spectrum[N - self.used :] = harmonics[self.used + 1 :]
        return np.asarray(fft.ifft(spectrum, axis=0, norm="forward", overwrite_x=True))


@cache
def _period(places: int) -> _Period:
    """Return what is the same for all functions that are known at so many places."""
    spectrum = fft.rfft(np.eye(places), axis=0)[: (places + 1) // 2]
    turning = 1j * np.arange(len(spectrum))[:, None]
    integral = np.zeros_like(spectrum)
    integral[1:] = spectrum[1:] / turning[1:]

    def matrix(part: np.ndarray) -> np.ndarray:
        return np.asarray(fft.irfft(part, places, axis=0))

    rate = matrix(turning * spectrum)
    return _Period(matrix(spectrum), rate, matrix(integral), int(USED * places))


def _times(matrix: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return a linear combination of places, of real or complex arrays, shape (N, ...)."""
    real = np.ascontiguousarray(values).view(float)
    found = matrix @ real.reshape(len(values), -1)
    return found.reshape(real.shape).view(values.dtype)


@np.errstate(all="ignore")  # what is no finite number is refused
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
    pairs, inverse, own, over = begin.pairs, begin.inverse, _rows(n, begin.pairs), _period(N)
    every, turning = range(len(own)), 1j * over.orders[:, None, None]
    P, least = _values(begin.harmonics, N), np.inf
    for _ in range(PASSES):
        if (improved := _inverted(P, inverse)) is None:
            return None
        inverse = improved
        G = _of_pairs(inverse @ (A @ P - _times(over.rate, P)), pairs)
        means, growing = _along(G[:, every, own], pairs, over)
        shrinking = 1 / growing
        G *= growing[:, None, :] * shrinking[:, own, None]
        G, high = over.harmonics(G)
        G[:, every, own] = 0.0
        divisor = means[own, None] - means - turning
        kept = np.abs(divisor) < RESONANT
        size, sizes = float(np.abs(means).max()), np.abs(G)
        left = float(np.where(kept, 0.0, sizes).max())
        enough = np.sqrt(ACCURACY * RESONANT * size)
        if left < enough:
            basis = Basis(_spectrum(P), inverse, pairs, growing)
            coupled = kept & (sizes > COUPLED * size)
            return Transform(basis, means, G, coupled, not high < enough)
        Z = over.values(np.where(kept, 0.0, -1 / divisor) * G)
        Z *= shrinking[:, None, :] * growing[:, own, None]
        if not (left < 10 * least and np.abs(Z).max() < LOST):
            return None
        least = min(least, left)
        P = _times(over.projection, P + P @ _of_real(Z, pairs))
    return None


def _along(diagonal: np.ndarray, pairs: int, over: _Period) -> tuple[np.ndarray, np.ndarray]:
    """Return means and exp(D) of all columns, (n,), (N, n), by G_ii of rows, (N, rows)."""
    found, values = np.exp(_times(over.integral, diagonal)), diagonal.mean(axis=0)

    def every(part: np.ndarray) -> np.ndarray:
        one, real = part[..., :pairs], part[..., pairs:]
        return np.concatenate([one, one.conj(), real], axis=-1)

    return every(values), every(found)


def _values(harmonics: np.ndarray, places: int) -> np.ndarray:
    """Return real functions at equally spaced places of the period."""
    return np.asarray(fft.irfft(harmonics * places, places, axis=0))


def _spectrum(values: np.ndarray) -> np.ndarray:
    """Return harmonics of real functions, shape (m + 1, ...)."""
    return np.asarray(fft.rfft(values, axis=0)[: (len(values) + 1) // 2] / len(values))


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
    """Return rows for one of each pair and for real columns from a matrix for real columns."""
    c, n = pairs, G.shape[2]
    one, other, real = slice(c), slice(c, 2 * c), slice(2 * c, n)
    found = np.empty((len(G), n - c, n), complex)
    parts = found.view(float).reshape(*found.shape, 2)
    re, im, half = parts[..., 0], parts[..., 1], 0.5 * G[:, : 2 * c]
    a, b, d, e = half[:, one, one], half[:, one, other], half[:, other, one], half[:, other, other]
    np.add(a, e, out=re[:, one, one])
    np.subtract(b, d, out=im[:, one, one])
    np.subtract(a, e, out=re[:, one, other])
    np.negative(b + d, out=im[:, one, other])
    re[:, one, real] = half[:, one, real]
    np.negative(half[:, other, real], out=im[:, one, real])
    re[:, c:, one] = re[:, c:, other] = G[:, real, one]
    im[:, c:, one] = G[:, real, other]
    np.negative(G[:, real, other], out=im[:, c:, other])
    found[:, c:, real] = G[:, real, real]
    return found


def _of_real(Z: np.ndarray, pairs: int) -> np.ndarray:
    """Return the opposite of ``_of_pairs``."""
    c, n = pairs, Z.shape[2]
    one, other, real = slice(c), slice(c, 2 * c), slice(2 * c, n)
    found = np.empty((len(Z), n, n))
    parts = Z.view(float).reshape(*Z.shape, 2)
    re, im = parts[..., 0], parts[..., 1]
    first, second = (slice(None), one, one), (slice(None), one, other)
    np.add(re[first], re[second], out=found[:, one, one])
    np.subtract(re[first], re[second], out=found[:, other, other])
    np.subtract(im[first], im[second], out=found[:, one, other])
    np.negative(im[first] + im[second], out=found[:, other, one])
    np.multiply(2.0, re[:, one, real], out=found[:, one, real])
    np.multiply(-2.0, im[:, one, real], out=found[:, other, real])
    found[:, real, one] = 0.5 * (re[:, c:, one] + re[:, c:, other])
    found[:, real, other] = 0.5 * (im[:, c:, one] - im[:, c:, other])
    found[:, real, real] = re[:, c:, real]
    return found
