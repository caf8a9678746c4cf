"""Characteristic exponents from Hill's truncated determinant, [Schwab2002] (4.14) to (4.16).

Each exponent λ comes with its images λ + i l ω. An image whose eigenvector has its weight in the
middle harmonics is least disturbed by the truncation; those at the edges are spurious.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

from mbcore.model.errors import SimulationError, warn_user
from mbcore.small_vibrations.periodic_equations import PeriodicEquations

Choice = Literal["weight", "least_imaginary"]
SAME = 0.5
"""Remainder of an eigenvector, outside the span of images, below which it is an image."""
CONGRUENT = 1e-2
"""Distance, in parts of ω, within which exponents may be images of each other."""
AROUND = 6
"""Number of eigenvalues sought near a shift beyond the number of exponents wanted."""
MOST_SHIFTS = 25
"""Largest number of shifts about which eigenvalues are sought."""
TWICE = 1e-4
"""Difference of eigenvalues, in parts of ω, and of eigenvectors, below which they coincide."""
MIDDLE = 0.3
"""Size of the middle harmonic, in parts of the eigenvector, that no distant image has."""
ITERATIONS = 2000
CUT = 1e-3
"""Share of the highest harmonics in an eigenvector that is reported; the error is its square."""


def hill_exponents(
    equations: PeriodicEquations,
    harmonics: int,
    *,
    choose: Choice = "weight",
    count: int | None = None,
) -> np.ndarray:
    """Return exponents of ẋ = A(t) x, one of each family, 1/s, [Schwab2002] (4.14).

    Parameters
    ----------
    harmonics : int
        m: the determinant is that of harmonics -m to m.
    choose : {"weight", "least_imaginary"}
        How an exponent is selected among its images: by the weight of the middle harmonic in its
        eigenvector, or by the least imaginary part as in the text.
    count : int, optional
        Number of exponents, sought up to the frequencies of as many least damped modes of the mean
        equations; by default all.

    Returns
    -------
    ndarray of complex, shape (ns,) or (count,)
    """
    A, scales = balanced(equations)
    every = equations.coefficients(A, 2 * harmonics)
    if count is not None and count < equations.states:
        values, images = _some(equations, every, scales, harmonics, count)
        images = images / np.linalg.norm(images, axis=(0, 1))
        middle = np.linalg.norm(images[harmonics], axis=0) > MIDDLE
        values, images = values[middle], images[..., middle]
        families = values[_one_of_each(values, images, choose, equations, None)]
        return families[np.argsort(-families.real, kind="stable")[:count]]
    values, images = _every_image(equations, every, harmonics)
    return values[_one_of_each(values, images, choose, equations, equations.states)]


def balance_scales(equations: PeriodicEquations) -> np.ndarray:
    """Return scales of the states that make their sizes comparable, (ns,)."""
    # Weights of harmonics compare states with each other, so units must not matter.
    mean = equations.mean_sizes
    _, (scales, _) = linalg.matrix_balance(mean, permute=False, separate=True)
    return np.asarray(scales)


def balanced(equations: PeriodicEquations) -> tuple[np.ndarray, np.ndarray]:
    """Return A(t) in states scaled to comparable size, (n, ns, ns), and the scales, (ns,)."""
    scales = balance_scales(equations)
    return equations.state_matrices * scales / scales[:, None], scales


def _every_image(
    equations: PeriodicEquations, every: np.ndarray, m: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return all eigenvalues of the truncated determinant, and eigenvectors, (2m+1, ns, k)."""
    values, vectors = linalg.eig(_real_form(every, m, equations.frequency))
    shaped = vectors.reshape(2 * m + 1, equations.states, -1)
    cosines, sines = shaped[: m + 1], shaped[m + 1 :]
    images = np.concatenate(
        [(cosines[1:] - 1j * sines)[::-1], cosines[:1], cosines[1:] + 1j * sines]
    )
    return values, images


def _real_form(every: np.ndarray, m: int, ω: float) -> np.ndarray:
    """Return Hill's matrix for real and imaginary parts of harmonics 0 to m.

    It is [Schwab2002] (4.15) for the system of first order [Schwab2002] (4.8): linear in λ.
    For complex exponents these parts are complex themselves; the matrix is real.
    """
    n = every.shape[1]
    k, orders = np.arange(m + 1), np.arange(-m, m + 1)
    W = every[k[:, None] - orders + 2 * m]
    plus, minus = W[:, m:], W[:, m::-1]
    by_real, by_imaginary = plus + minus, 1j * (plus - minus)
    by_real[:, 0] = plus[:, 0]
    columns = np.concatenate([by_real, by_imaginary[:, 1:]], axis=1)
    rows = np.concatenate([columns.real, columns.imag[1:]])
    index = np.arange(n)
    for order in range(1, m + 1):  # minus i l ω
        rows[order, m + order, index, index] += order * ω
        rows[m + order, order, index, index] -= order * ω
    size = (2 * m + 1) * n
    return rows.transpose(0, 2, 1, 3).reshape(size, size)


def _one_of_each(
    values: np.ndarray,
    images: np.ndarray,
    choose: Choice,
    equations: PeriodicEquations,
    count: int | None,
) -> list[int]:
    """Return the index of one exponent of each family of images.

    Parameters
    ----------
    values, images : ndarray, shapes (k,), (2m+1, ns, k)
        Exponents with the harmonics of their eigenvectors.
    """
    ω = equations.frequency
    images = images / np.linalg.norm(images, axis=(0, 1))
    measure = -np.linalg.norm(images[images.shape[0] // 2], axis=0)
    if choose == "least_imaginary":
        # Rounded, so that the order of conjugate pairs does not depend on the last digit.
        measure = np.round(np.abs(values.imag) / ω, 9)
    order = np.argsort(measure, kind="stable")
    found: list[int] = []
    others: list[int] = []
    for i in order:
        if len(found) == count:
            break
        (others if _is_image(int(i), found, values, images, ω) else found).append(int(i))
    if count is not None:
        # An exponent that was taken for an image by mistake is better than one too few.
        found += others[: count - len(found)]
    if choose == "weight":
        _warn_of_truncation(images[..., found], equations)
    return found


def _warn_of_truncation(images: np.ndarray, equations: PeriodicEquations) -> None:
    """Warn of eigenvectors that reach the highest harmonics, where they are truncated."""
    edge = float(np.linalg.norm(images[[0, -1]], axis=1).max())
    if edge > CUT:
        warn_user(
            f"{equations.name}: with {images.shape[0] // 2} harmonics, eigenvectors of Hill's "
            f"determinant have {edge:.2g} of their size at the highest ones; exponents may be "
            f"wrong by some {edge**2 * equations.frequency:.2g} 1/s: ask for more harmonics"
        )


def _is_image(
    i: int, found: Iterable[int], values: np.ndarray, images: np.ndarray, ω: float
) -> bool:
    """Return whether an eigenvector is a combination of shifted eigenvectors found before."""
    span = []
    for j in found:
        apart = (values[i] - values[j]) / (1j * ω)
        shift = round(apart.real)
        if abs(apart - shift) < CONGRUENT and shift != 0 and abs(shift) < images.shape[0]:
            span.append(shifted(images[..., j], -shift).ravel())
    if not span:
        return False
    vector = images[..., i].ravel()
    inside = np.linalg.lstsq(np.array(span).T, vector, rcond=None)[0]
    return bool(np.linalg.norm(vector - np.array(span).T @ inside) < SAME)


def shifted(image: np.ndarray, shift: int) -> np.ndarray:
    """Return harmonics moved by ``shift`` places, zero where there are none."""
    found = np.zeros_like(image)
    if shift >= 0:
        found[shift:] = image[: image.shape[0] - shift]
    else:
        found[:shift] = image[-shift:]
    return found


def _some(
    equations: PeriodicEquations, every: np.ndarray, scales: np.ndarray, m: int, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues and eigenvectors up to the frequencies of the least damped mean modes."""
    ω = equations.frequency
    mean = linalg.eigvals(every[2 * m].real)
    wanted = mean[np.argsort(-mean.real, kind="stable")[:count]]
    top = float(wanted.imag.max()) + ω  # periodic coefficients shift frequencies by less
    places = np.linspace(0.0, top, min(MOST_SHIFTS, int(np.ceil(top / ω)) + 1))
    values: list[complex] = []
    images: list[np.ndarray] = []

    def take(value: complex, image: np.ndarray) -> None:
        """Collect an eigenvector, unless another shift has found it before."""
        for other, known in zip(values, images, strict=True):
            if abs(value - other) < TWICE * equations.frequency:
                alike = abs(np.vdot(known, image))
                if alike > (1 - TWICE) * np.linalg.norm(known) * np.linalg.norm(image):
                    return
        values.append(value)
        images.append(image)

    for place in places:
        found, vectors = _near(equations, scales, m, complex(0.0, place), count + AROUND)
        for value, image in zip(found, vectors, strict=True):
            take(value, image)
            # The equations are real, so conjugates need no search of their own.
            take(value.conjugate(), image[::-1].conj())
    return np.array(values), np.moveaxis(np.array(images), 0, -1)


def _near(
    equations: PeriodicEquations, scales: np.ndarray, m: int, shift: complex, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues nearest to a shift by Arnoldi's method, and vectors (k, 2m+1, ns).

    The matrix of [Schwab2002] (4.15) itself is factorized; it has half the size of that of first
    order.
    """
    e, n2, N = equations, equations.second, equations.unknowns
    rates, places = e.places
    orders = np.arange(-m, m + 1)
    turning = shift + 1j * e.frequency * orders
    difference = orders[:, None] - orders + 2 * m
    P = e.coefficients(e.P, 2 * m)[difference]
    W = e.coefficients(e.Q, 2 * m)[difference]
    # λ² I + λ V + W of [Schwab2002] (4.15) with λ = shift, by the blocks of [Schwab2002] (4.16):
    # turning is λ + i l ω, of whose square and of P times which they are sums.
    W[..., :n2] += turning[None, :, None, None] * P
    for i in range(N):
        W[range(2 * m + 1), range(2 * m + 1), i, i] += turning**2 if i < n2 else turning
    size = (2 * m + 1) * N
    factors = linalg.lu_factor(W.transpose(0, 2, 1, 3).reshape(size, size))

    def inverted(vector: np.ndarray) -> np.ndarray:
        """Solve H x - shift x = b, where the rates are eliminated first."""
        b = vector.reshape(2 * m + 1, e.states) * scales
        of_values, given = b[:, places], np.zeros((2 * m + 1, N), complex)
        given[:, :n2] = -b[:, rates] - turning[:, None] * of_values[:, :n2]
        given[:, n2:] = -of_values[:, n2:]
        given -= np.einsum("klij,lj->ki", P, of_values[:, :n2])
        y = linalg.lu_solve(factors, given.ravel()).reshape(2 * m + 1, N)
        x = np.empty_like(b)
        x[:, places] = y
        x[:, rates] = turning[:, None] * y[:, :n2] + of_values[:, :n2]
        return np.asarray((x / scales).ravel())

    whole = (2 * m + 1) * e.states
    operator = LinearOperator((whole, whole), matvec=inverted, dtype=complex)
    start = np.ones(whole) / np.sqrt(whole)  # a random start would change results from run to run
    try:
        values, vectors = eigs(operator, k=min(count, whole - 2), v0=start, maxiter=ITERATIONS)
    except ArpackNoConvergence as error:
        raise SimulationError(
            f"{e.name}: exponents near {shift:.6g} 1/s do not converge; leave out count, or use "
            'method="monodromy"'
        ) from error
    return shift + 1 / values, vectors.T.reshape(-1, 2 * m + 1, e.states)
