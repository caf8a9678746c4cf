"""Exponents from Floquet's transform, where the rest of G couples columns.

A constant matrix couples the z_i of a resonance, each turned by a multiple of ω; its eigenvalues
are exponents. So nothing is singular at the ends of zones of instability, where
exponents meet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from mbcore.small_vibrations.floquet_basis import (
    CONDITION,
    Basis,
    Combination,
    conjugates,
    own,
    turned,
)

STRONG = 0.04
"""Kept entries, in parts of ω, that delay Newton's method where other divisors are small."""
ALIKE = 1e-6
"""Relative difference of weights that counts as none."""


@dataclass(frozen=True)
class Transform:
    """Floquet's transform.

    Attributes
    ----------
    basis : Basis
        P exp(D).
    means : ndarray of complex, shape (n,)
        λ.
    G : ndarray of complex, shape (2 m + 1, n - pairs, n)
        Harmonics 0, 1, ..., m, -m, ..., -1 of what couples columns, without the rows of conjugates.
    coupled : ndarray of bool, shape (2 m + 1, n - pairs, n)
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
        conjugate, columns = conjugates(n, pairs), self.basis.columns(scales)
        left, values, combined = np.ones(n, bool), [], []
        has_conjugate: list[bool] = []
        for members, turns in resonances:
            if not left[members[0]]:  # conjugate to another one
                continue
            λ, vectors = np.linalg.eig(self._constant(members, turns))
            values.append(λ)
            combined.append(turned(columns, pairs, members, turns) @ vectors)
            partners = conjugate[members]
            left[members] = left[partners] = False
            has_conjugate += [partners[0] not in members] * len(members)
        every = own(n, pairs)
        alone = left[every]
        values.append(self.means[every[alone]])
        combined.append(columns[..., alone])
        has_conjugate += (np.flatnonzero(alone) < pairs).tolist()
        likely = _likely_images(np.concatenate(values), np.concatenate(combined, axis=2))
        return np.concatenate([likely, likely[has_conjugate].conj()])

    def _resonances(self, coupled: np.ndarray) -> list[tuple[list[int], list[int]]] | None:
        """Return columns that are coupled, with the turns of each; None where they contradict."""
        shifts: dict[int, list[tuple[int, int]]] = {}
        for i, j, k in self._couplings(coupled):
            shifts.setdefault(i, []).append((j, k))
            shifts.setdefault(j, []).append((i, -k))
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

    def _couplings(self, coupled: np.ndarray) -> Iterator[tuple[int, int, int]]:
        """Give i, j and the harmonic k of entries of G and of those that are conjugate to them."""
        n, pairs, count = len(self.means), self.basis.pairs, len(coupled)
        conjugate, rows = conjugates(n, pairs).tolist(), own(n, pairs).tolist()
        for k, row, j in np.argwhere(coupled).tolist():
            order = k if 2 * k < count else k - count
            yield rows[row], j, order
            yield conjugate[rows[row]], conjugate[j], -order

    def _constant(self, members: list[int], turns: list[int]) -> np.ndarray:
        """Return the matrix of a resonance: with z_i = u_i exp(i l_i t), G_k,ij with k = l_i - l_j.

        Kept entries are constant among u.
        """
        n, pairs, most = len(self.means), self.basis.pairs, (len(self.G) + 1) // 2
        conjugate = conjugates(n, pairs)
        row = {int(i): place for place, i in enumerate(own(n, pairs))}
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

    def strong_resonances(self) -> list[Combination]:
        """Return strong resonances with their eigenvectors; those of real columns stay."""
        strong = self.coupled & (np.abs(self.G) > STRONG)
        if not strong.any():
            return []
        pairs, found = self.basis.pairs, []
        conjugate = conjugates(len(self.means), pairs)
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
            found.append(Combination(members, turns, vectors))
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
