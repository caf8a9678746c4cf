"""Exponents of many periodic equations, each from the transform of those before.

Floquet's transform x = P(t) z has z' = B z with constant B, and P has the period of the equations.
For any periodic P, z' = G(t) z with

    G = P⁻¹ (A P - P').

Newton's method P ← P (1 + Z) removes from G all that is not constant,

    Z_{k,ij} = -G_{k,ij} / (λ_i - λ_j - i k ω),    λ_i = mean of G_ii,

for the harmonics k. Where the divisor is small, G_k,ij is kept. What is kept couples the z_i of a
resonance, each turned by a multiple of ω, by a constant matrix, whose eigenvalues are exponents. So
nothing is singular at the ends of zones of instability, where exponents meet. The exponents' error
is the square of what is left of G.

Frequencies decrease along the way, for few harmonics count where they are high. Hill's determinant
gives the first transform. Newton's method alone decides on the result, so that the way is not seen
in it. Where a step is too large, it goes over mixtures of the equations at both ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import fft, linalg

from mbcore.host.threads import single_threaded
from mbcore.model.errors import ModelError
from mbcore.small_vibrations.hill import balance_scales, hill_families, shifted
from mbcore.small_vibrations.periodic_equations import PeriodicEquations
from mbcore.small_vibrations.stability import sorted_exponents

RESONANT = 0.15
"""Divisors, in parts of ω, below which entries of G are kept."""
ACCURACY = 5e-13
"""Error of exponents relative to the largest: the square of what is left of G over the divisor."""
MEETING = 1e-3
"""Distance of exponents, in parts of ω, below which eigenvectors may be nearly parallel."""
COUPLED = 1e-11
"""Kept entries, in parts of the largest exponent, that couple; less is rounding."""
PASSES = 8
"""Largest number of Newton's steps."""
LOST = 40.0
"""What is left of G, in parts of ω, from which Newton's method does not come back."""
HALVINGS = 3
"""How often a step of the way may be halved."""
CONDITION = 30.0
"""Condition number of eigenvectors above which a resonance keeps an orthogonal basis."""
EDGE = 1e-7
"""Share of the highest harmonics in P above which it needs more of them."""
USED = 0.4
"""Harmonics of P in parts of the number of places."""
FIRST = 8
"""Harmonics of Hill's determinant that are tried first."""
MOST_PLACES = 256
"""Places in a period at which P is known."""
ALIKE = 1e-6
"""Relative difference of weights that counts as none."""


@dataclass(frozen=True)
class _Scaled:
    """A/ω at equally spaced places of the period, (N, n, n), in scaled states; ω is 1 in it."""

    A: np.ndarray

    def mixed(self, other: _Scaled) -> _Scaled:
        """Return the mean of both."""
        return _Scaled((self.A + other.A) / 2)


@dataclass(frozen=True)
class _Transform:
    """P at N places, (N, n, n), and the exponents of its columns in parts of ω, (n,)."""

    P: np.ndarray
    exponents: np.ndarray


@single_threaded
def exponents_along(family: Sequence[PeriodicEquations]) -> np.ndarray:
    """Return the characteristic exponents of equations that change little from one to the next.

    They are those of Hill's determinant, of each family of images the one with the largest middle
    harmonic, at a fraction of its cost. Where neighbours in the family differ too much, Hill's
    determinant is solved there.

    Parameters
    ----------
    family : sequence of PeriodicEquations
        As those of one system at many speeds; the order does not matter.

    Returns
    -------
    ndarray of complex, shape (count, ns)
        1/s, the largest real part first in each row.

    Raises
    ------
    ModelError
        If they differ in their number of states, or an entry is no finite number.
    """
    if not family:
        return np.zeros((0, 0), complex)
    n = family[0].states
    for e in family:
        if e.states != n:
            raise ModelError(
                f"exponents_along: {e.name} has {e.states} states, {family[0].name} has {n}; give "
                "equations of one system"
            )
        if not np.isfinite(e.state_matrices).all():
            raise ModelError(f"exponents_along: {e.name}: a coefficient is no finite number")
    found = np.zeros((len(family), n), complex)
    order = np.argsort([e.period for e in family], kind="stable")
    scales = balance_scales(family[order[0]])
    places = fft.next_fast_len(int(1.6 * max(e.samples for e in family)))
    before: tuple[PeriodicEquations, _Transform] | None = None
    for index in order:
        e = family[index]
        reached = None if before is None else _reached(*before, e, scales)
        values = np.zeros(0)
        if reached is None:
            values, reached = _begun(e, scales, places)
        if reached is not None:
            values = e.frequency * _centred(reached, scales / balance_scales(e))
        before = None if reached is None else (e, reached)
        found[index] = sorted_exponents(values)
    return found


def _reached(
    before: PeriodicEquations, transform: _Transform, e: PeriodicEquations, scales: np.ndarray
) -> _Transform | None:
    """Return the transform from that of other equations, with as many places as it needs."""
    P = transform.P
    while P.shape[0] <= MOST_PLACES:
        start, end = (_scaled(equations, scales, P.shape[0]) for equations in (before, e))
        found = _continued(start, end, P)
        if found is not None and not _cut(found.P):
            return found
        P = _resampled(P, 2 * P.shape[0])
    return None


def _scaled(e: PeriodicEquations, scales: np.ndarray, places: int) -> _Scaled:
    """Return A/ω by its trigonometric interpolant."""
    A = e.state_matrices * scales / scales[:, None] / e.frequency
    spectrum = np.fft.rfft(A, axis=0) / A.shape[0]
    if A.shape[0] % 2 == 0:
        spectrum[-1] = 0.0  # as in [Schwab2002] (4.5)
    return _Scaled(np.fft.irfft(spectrum * places, places, axis=0))


def _begun(
    e: PeriodicEquations, scales: np.ndarray, places: int
) -> tuple[np.ndarray, _Transform | None]:
    """Return exponents by Hill's determinant, and the transform if Newton's method finds it.

    The determinant has few harmonics first, and in the end all that the samples determine.
    """
    most = e.most_harmonics
    values = np.zeros(0)
    for m in sorted({min(FIRST, most), most}):
        values, images, own = hill_families(e, m)
        spectrum = np.zeros((places, *images.shape[1:]), complex)
        images = _independent(values / e.frequency, images)
        spectrum[np.arange(-m, m + 1)] = images * (own / scales)[:, None]
        P = fft.ifft(spectrum, axis=0)
        while P.shape[0] <= MOST_PLACES:
            found = _newton(_scaled(e, scales, P.shape[0]), P)
            if found is not None and not _cut(found.P):
                return values, found
            P = _resampled(P, 2 * P.shape[0])
    return values, None


def _independent(exponents: np.ndarray, images: np.ndarray) -> np.ndarray:
    """Return harmonics of eigenvectors, those of near exponents orthogonal to each other.

    Where exponents meet, eigenvectors are parallel but for a shift of their harmonics.
    """
    found = images / np.linalg.norm(images, axis=(0, 1))
    for i in range(exponents.size):
        for j in range(i):
            shift = int(np.round((exponents[i] - exponents[j]).imag))
            apart = abs(exponents[i] - exponents[j] - 1j * shift)
            if apart < MEETING and abs(shift) < images.shape[0] // 2:
                other = shifted(found[..., j], -shift)
                found[..., i] -= other * np.vdot(other, found[..., i]) / np.vdot(other, other).real
        found[..., i] /= np.linalg.norm(found[..., i])
    return np.asarray(found)


def _continued(before: _Scaled, now: _Scaled, P: np.ndarray, depth: int = 0) -> _Transform | None:
    """Return the transform from that of other equations, in two steps where one is too large."""
    found = _newton(now, P)
    if found is not None or depth == HALVINGS:
        return found
    middle = before.mixed(now)
    between = _continued(before, middle, P, depth + 1)
    return None if between is None else _continued(middle, now, between.P, depth + 1)


def _newton(now: _Scaled, P: np.ndarray) -> _Transform | None:
    """Return the transform that Newton's method finds, or None."""
    N, n = P.shape[:2]
    k = np.rint(np.fft.fftfreq(N, 1 / N)).astype(int)
    cut = np.abs(k) > USED * N
    turning = 1j * k[:, None, None]
    spectrum = fft.fft(P / np.sqrt((np.abs(P) ** 2).mean(axis=0).sum(axis=0)), axis=0)
    least = np.inf
    for _ in range(PASSES):
        spectrum[cut] = 0.0
        P = fft.ifft(spectrum, axis=0)
        change = _product(now.A, P) - fft.ifft(turning * spectrum, axis=0)
        try:
            G = fft.fft(np.linalg.solve(P, change), axis=0) / N
        except np.linalg.LinAlgError:
            return None
        G[cut] = 0.0
        λ = np.diagonal(G[0])
        divisor = λ[:, None] - λ - turning
        kept = np.abs(divisor) < RESONANT
        kept[cut] = False
        G_left = np.where(kept, 0.0, G)
        size, left = np.abs(λ).max(), float(np.abs(G_left).max())
        if left**2 < ACCURACY * RESONANT * size:
            coupled = kept & (np.abs(G) > COUPLED * size)
            coupled[0, range(n), range(n)] = False
            return _decoupled(P, G, coupled, k)
        if not left < min(LOST, 10 * least):
            return None
        least = min(least, left)
        Z = -G_left / np.where(kept, 1.0, divisor)
        spectrum = fft.fft(P + P @ (fft.ifft(Z, axis=0) * N), axis=0)
    return None


def _product(A: np.ndarray, P: np.ndarray) -> np.ndarray:
    """Return A P of real and complex matrices in real arithmetic."""
    return np.asarray((A @ P.view(float)).view(complex))


def _decoupled(
    P: np.ndarray, G: np.ndarray, coupled: np.ndarray, k: np.ndarray
) -> _Transform | None:
    """Return the transform with the eigenvectors of each resonance; None where shifts disagree.

    With z_i = u_i exp(i l_i t), kept entries G_k,ij with k = l_i - l_j are constant among u.
    """
    N, n = P.shape[:2]
    angle = 2 * np.pi * np.arange(N)[:, None, None] / N
    λ, P = np.diagonal(G[0]).copy(), P.copy()
    seen, turns = np.zeros(n, bool), np.zeros(n, int)
    for first in np.flatnonzero(coupled.any(axis=(0, 2))):
        if seen[first]:
            continue
        members = [int(first)]
        seen[first] = True
        for i in members:
            for place, j in np.argwhere(coupled[:, i]):
                if not seen[j]:
                    seen[j], turns[j] = True, turns[i] - k[place]
                    members.append(int(j))
                elif turns[j] != turns[i] - k[place]:
                    return None
        c = np.array(members)
        B = G[turns[c][:, None] - turns[c], c[:, None], c] - 1j * np.diag(turns[c])
        λ[c], basis = np.linalg.eig(B)
        if np.linalg.cond(basis) > CONDITION:
            basis = linalg.schur(B, output="complex")[1]
        P[:, :, c] = (P[:, :, c] * np.exp(1j * angle * turns[c])) @ basis
    return _Transform(P, λ)


def _resampled(P: np.ndarray, places: int) -> np.ndarray:
    """Return P at more places."""
    k = np.rint(np.fft.fftfreq(P.shape[0], 1 / P.shape[0])).astype(int)
    spectrum = np.zeros((places, *P.shape[1:]), complex)
    spectrum[k] = fft.fft(P, axis=0)
    return np.asarray(fft.ifft(spectrum, axis=0) * (places / P.shape[0]))


def _cut(P: np.ndarray) -> bool:
    """Return whether P has a share in its highest harmonics."""
    N = P.shape[0]
    order = np.abs(np.fft.fftfreq(N, 1 / N))
    size = np.linalg.norm(fft.fft(P, axis=0), axis=1)
    edge = size[(order > 0.9 * USED * N) & (order <= USED * N)]
    return bool((edge.max(axis=0) > EDGE * size.max(axis=0)).any())


def _centred(transform: _Transform, scales: np.ndarray) -> np.ndarray:
    """Return of each exponent the image with the largest middle harmonic, in parts of ω.

    Weights are those of states times ``scales``. Of images with the same weight it is the one with
    the least imaginary part, and of two the positive one.
    """
    N = transform.P.shape[0]
    order = np.fft.fftfreq(N, 1 / N)
    weight = np.linalg.norm(fft.fft(transform.P * scales[:, None], axis=0), axis=1)
    images = transform.exponents + 1j * order[:, None]
    likely = weight > (1 - ALIKE) * weight.max(axis=0)
    measure = np.abs(images.imag) - ALIKE * np.sign(images.imag)
    place = np.argmin(np.where(likely, measure, np.inf), axis=0)
    return np.asarray(images[place, np.arange(images.shape[1])])
