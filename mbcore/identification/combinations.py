"""Products and sums of parameters that null directions leave determined.

A function φ(p) is determined where its gradient is orthogonal to the null directions at all p.
Products, Π p_i^a_i, and sums, Σ c_i p_i, follow from null spaces of numbers; polynomials such as
``inertia + mass · height²`` are looked for among the sums of at most three products. Used by
`mbcore.identification.identifiability` alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import scipy.linalg

SAME = 1e-5
"""Part of a vector that counts as nothing."""
MOST_VARIABLES = 6
"""Parameters in a polynomial at most."""
DEGREE = 3
"""Of products in polynomials."""
TERMS = 3
"""Products in a polynomial at most."""
LARGEST = 12
"""Denominator of a coefficient that is written as a fraction."""


def determined(
    names: Sequence[str], points: Sequence[np.ndarray], spaces: Sequence[np.ndarray]
) -> tuple[str, ...]:
    """Return products and sums that null directions leave as they are.

    Parameters
    ----------
    names : sequence of str
        Of the parameters, each in some null direction.
    points : sequence of ndarray, each shape (n,)
        Values of the parameters.
    spaces : sequence of ndarray, each shape (n, d)
        Null directions there.

    Returns
    -------
    tuple of str
        As many as are determined beside the null directions, where they are found.
    """
    wanted = len(names) - spaces[0].shape[1]
    if wanted == 0:
        return ()
    if all(np.all(point != 0) for point in points):
        relative = [space / point[:, None] for space, point in zip(spaces, points, strict=True)]
        powers = _orthogonal(np.hstack(relative).T)
        if len(powers) == wanted:
            return tuple(_product(names, row) for row in powers)
    sums = _orthogonal(np.hstack(spaces).T)
    if len(sums) == wanted:
        return tuple(_sum(names, row) for row in sums)
    return _polynomials(names, points, spaces, wanted)


def _orthogonal(rows: np.ndarray) -> np.ndarray:
    """Return vectors orthogonal to all rows, in reduced echelon form."""
    scale = np.linalg.norm(rows, axis=1)
    kernel = scipy.linalg.null_space(rows / scale[:, None], rcond=SAME).T
    return _reduced(kernel)


def _reduced(rows: np.ndarray) -> np.ndarray:
    """Return rows in reduced echelon form, by the largest pivots, smallest entries zero."""
    found, done = rows.copy(), 0
    for column in range(found.shape[1]):
        if done == len(found):
            break
        pivot = done + int(np.abs(found[done:, column]).argmax())
        if abs(found[pivot, column]) < SAME:
            continue
        found[[done, pivot]] = found[[pivot, done]]
        found[done] /= found[done, column]
        for k in range(len(found)):
            if k != done:
                found[k] -= found[k, column] * found[done]
        done += 1
    found[np.abs(found) < SAME] = 0.0
    return found


def _product(names: Sequence[str], powers: np.ndarray) -> str:
    """Return a product of powers: ``"mass · height"``, ``"stiffness / mass"``."""
    fractions = [Fraction(float(p)).limit_denominator(LARGEST) for p in powers]
    common = np.lcm.reduce([f.denominator for f in fractions])
    whole = [int(f * int(common)) for f in fractions]
    above = [_power(n, p) for n, p in zip(names, whole, strict=True) if p > 0]
    below = [_power(n, -p) for n, p in zip(names, whole, strict=True) if p < 0]
    text = " · ".join(above) or "1"
    if not below:
        return text
    return f"{text} / {below[0]}" if len(below) == 1 else f"{text} / ({' · '.join(below)})"


def _power(name: str, power: int) -> str:
    return name if power == 1 else name + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(c)] for c in str(power))


def _sum(names: Sequence[str], factors: np.ndarray) -> str:
    """Return a sum: ``"inertia + 0.25 · mass"``."""
    terms = [(n, float(c)) for n, c in zip(names, factors, strict=True) if c]
    text = ""
    for name, factor in terms:
        size = _coefficient(abs(factor))
        sign = " - " if factor < 0 else " + "
        text += f"{sign if text else '-' if factor < 0 else ''}{size}{name}"
    return text


def _coefficient(size: float) -> str:
    return "" if abs(size - 1) < 100 * SAME else f"{size:.4g} · "


def _polynomials(
    names: Sequence[str], points: Sequence[np.ndarray], spaces: Sequence[np.ndarray], wanted: int
) -> tuple[str, ...]:
    """Return sums of at most three products of powers, the simplest ones."""
    n = len(names)
    if n > MOST_VARIABLES:
        return ()
    powers = [p for p in itertools.product(range(DEGREE + 1), repeat=n) if 0 < sum(p) <= DEGREE]
    powers.sort(key=lambda p: (sum(p), sum(bool(x) for x in p)))
    size = np.mean([np.abs(point) for point in points], axis=0)
    grown = np.array([_gradients(powers, point / size) for point in points])  # (points, n, terms)
    along = [np.linalg.qr(space / size[:, None])[0] for space in spaces]
    changes = np.vstack([v.T @ g for v, g in zip(along, grown, strict=True)])
    norms = np.linalg.norm(changes, axis=0)
    usual = np.linalg.norm(grown.reshape(-1, len(powers)), axis=0)
    found: list[str] = []
    gradients: list[np.ndarray] = []
    for count in range(1, TERMS + 1):
        for chosen in itertools.combinations(range(len(powers)), count):
            columns = changes[:, chosen] / usual[list(chosen)]
            if count > 1 and np.any(norms[list(chosen)] < SAME * usual[list(chosen)]):
                continue  # it is determined alone
            _, sizes, rows = np.linalg.svd(columns, full_matrices=False)
            if sizes[-1] > SAME * max(sizes[0], SAME) and sizes[-1] > SAME:
                continue
            factors = rows[-1] / usual[list(chosen)]
            if count > 1 and np.abs(rows[-1]).min() < SAME:
                continue
            gradient = grown[0][:, chosen] @ factors
            independent = np.linalg.matrix_rank(
                np.array([*gradients, gradient / np.linalg.norm(gradient)]), tol=100 * SAME
            )
            if independent > len(gradients):
                gradients.append(gradient / np.linalg.norm(gradient))
                found.append(_polynomial(names, [powers[i] for i in chosen], factors, size))
            if len(found) == wanted:
                return tuple(found)
    return tuple(found)


def _gradients(powers: Sequence[tuple[int, ...]], point: np.ndarray) -> np.ndarray:
    """Return the gradients of products of powers at a point, (n, terms)."""
    exponents = np.array(powers, float)  # (terms, n)
    values = np.prod(point**exponents, axis=1)
    return np.asarray((exponents / point).T * values)


def _polynomial(
    names: Sequence[str],
    powers: Sequence[tuple[int, ...]],
    factors: np.ndarray,
    size: np.ndarray,
) -> str:
    """Return a sum of products in words; the first one has the factor 1."""
    plain = factors / np.array([np.prod(size ** np.array(p)) for p in powers])
    plain = plain / plain[0]
    terms = [_product(names, np.array(p, float)) for p in powers]
    return _sum(terms, plain)
