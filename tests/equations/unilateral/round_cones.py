"""Accelerations of bodies at rest on contacts in space, by Coulomb's round cones.

Where nothing moves and the normal forces are known, friction minimizes

    ½ aᵀ M a - fᵀ a + Σ μ N |J a|,    whose dual is    min |M^-1/2 (f + Σ Jᵀ T)|²,    |T| <= μ N,

a second-order cone for each contact. The accelerations are unique. A projected gradient method
finds which contacts slide, Newton's method the digits, and the conditions of the minimum are the
proof. It shares nothing with the library.
"""

from __future__ import annotations

import numpy as np

ROUNDS = 20_000
"""Steps of the projected gradient method, at most."""
CLOSE = 1e-9
"""Part of the friction limit, or of gravity, by which a condition may be missed at the end."""


def accelerations(
    mass: np.ndarray, force: np.ndarray, slips: np.ndarray, limits: np.ndarray, scale: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the accelerations, (n,), and which contacts slide, (k,).

    Parameters
    ----------
    mass, force : ndarray, shapes (n, n) and (n,)
        M and f.
    slips : ndarray, shape (k, 2, n)
        J of each contact.
    limits : ndarray, shape (k,)
        μ N, N.
    scale : float
        Natural size of accelerations of slips, m/s2.
    """
    if not len(limits):
        return np.linalg.solve(mass, force), np.zeros(0, dtype=bool)
    held = _gradient(mass, force, slips, limits)
    found = np.linalg.solve(mass, force + np.einsum("kin,ki->n", slips, held))
    slides = np.linalg.norm(slips @ found, axis=1) > 1e-5 * scale
    for _ in range(2 * len(limits) + 1):
        a, forces = _newton(mass, force, slips, limits, slides, found)
        sizes = np.linalg.norm(forces, axis=1)
        speeds = np.linalg.norm(slips @ a, axis=1)
        backwards = slides & (np.einsum("ki,ki->k", forces, slips @ a) > -0.5 * limits * speeds)
        wrong = (~slides & (sizes > (1 + CLOSE) * limits)) | backwards
        if not wrong.any():
            return a, slides
        slides, found = slides ^ wrong, a
    raise AssertionError("no way to stick and slide was found")


def _gradient(
    mass: np.ndarray, force: np.ndarray, slips: np.ndarray, limits: np.ndarray
) -> np.ndarray:
    """Return friction forces, (k, 2), by Nesterov's accelerated projected gradient."""
    flat = slips.reshape(-1, slips.shape[-1])
    matrix = flat @ np.linalg.solve(mass, flat.T)
    right = flat @ np.linalg.solve(mass, force)
    step = 1 / np.linalg.eigvalsh(matrix)[-1]
    old = ahead = np.zeros(len(right))
    weight = 1.0
    for _ in range(ROUNDS):
        new = ahead - step * (matrix @ ahead + right)
        pairs = new.reshape(-1, 2)
        pairs *= np.minimum(1, limits / np.maximum(np.linalg.norm(pairs, axis=1), 1e-300))[:, None]
        if (new - old) @ (ahead - new) > 0:
            weight = 1.0
        following = (1 + np.sqrt(1 + 4 * weight**2)) / 2
        change = new - old
        ahead, old, weight = new + (weight - 1) / following * change, new, following
        if np.abs(change).max() < 1e-14 * limits.max():
            break
    return old.reshape(-1, 2)


def _newton(
    mass: np.ndarray,
    force: np.ndarray,
    slips: np.ndarray,
    limits: np.ndarray,
    slides: np.ndarray,
    a: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return accelerations and friction forces, (k, 2), of one way to stick and slide."""
    n, forces = len(mass), np.zeros((len(limits), 2))
    held = slips[~slides].reshape(-1, n)
    for _ in range(60):
        residual, slope = mass @ a - force, mass.copy()
        for J, limit in zip(slips[slides], limits[slides], strict=True):
            rate = J @ a
            size = np.linalg.norm(rate)
            along = rate / size
            residual += limit * J.T @ along
            slope += limit / size * J.T @ (np.eye(2) - np.outer(along, along)) @ J
        zeros = np.zeros((len(held), len(held)))
        whole = np.block([[slope, -held.T], [held, zeros]])
        # Forces of contacts that stick may not be unique; the accelerations are.
        step = np.linalg.lstsq(whole, -np.concatenate([residual, held @ a]), rcond=1e-12)[0]
        a = a + _length(step[:n], slips[slides], a) * step[:n]
        if np.abs(step[:n]).max() < 1e-13 * max(1.0, np.abs(a).max()):
            break
    for k in np.flatnonzero(slides):
        rate = slips[k] @ a
        forces[k] = -limits[k] * rate / np.linalg.norm(rate)
    if len(held):
        forces[~slides] = _within(mass @ a - force, slips, forces, slides, limits)
    return a, forces


def _length(step: np.ndarray, slips: np.ndarray, a: np.ndarray) -> float:
    """Return the part of a step that turns no sliding contact back."""
    part = 1.0
    while part > 1e-3 and any((J @ (a + part * step)) @ (J @ a) <= 0 for J in slips):
        part /= 2
    return part


def _within(
    missing: np.ndarray,
    slips: np.ndarray,
    forces: np.ndarray,
    slides: np.ndarray,
    limits: np.ndarray,
) -> np.ndarray:
    """Return forces of contacts that stick, inside their limits if there are such, (m, 2)."""
    right = missing - np.einsum("kin,ki->n", slips, forces)
    held, limit = slips[~slides], limits[~slides]
    rows = held.reshape(-1, held.shape[-1])
    found = np.linalg.lstsq(rows.T, right, rcond=1e-12)[0]
    free = np.eye(len(found)) - np.linalg.pinv(rows.T, rcond=1e-12) @ rows.T
    for _ in range(ROUNDS):  # alternating projections onto what balances, and onto the cones
        pairs = found.reshape(-1, 2)
        sizes = np.linalg.norm(pairs, axis=1)
        if (sizes <= (1 + CLOSE / 10) * limit).all():
            break
        inside = pairs * np.minimum(1, limit / np.maximum(sizes, 1e-300))[:, None]
        found = found + free @ (inside.ravel() - found)
    return found.reshape(-1, 2)
