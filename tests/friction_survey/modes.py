"""Which motions the frictions of a mechanism admit at a state: every mode, every solution of it.

A joint that moves slides one way. One at rest sticks, or begins to slide either way, by its static
friction; it sticks if that takes less than this, and slides if it is not accelerated the other way.
In each of these modes the dry frictions y >= 0 of the joints that slide obey y = N(m + R y), where
the levers N are seminorms of the multipliers, and so |N(a) - N(b)| <= N(a - b). With that bound,
boxes are excluded until there are no solutions, or boxes so small that Newton's method finds those
that are left. In homogeneous coordinates (y, τ) no solution is too far away to be found, and one at
infinity is seen as well. A joint that no freedom moves sticks without friction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import least_squares

from tests.friction_survey.rubbing import Reactions

LOCKED = 1e-12
"""Acceleration by a unit friction, in parts of that of others, below which no freedom moves it."""
AT_REST = 1e-6
"""Rate below which a joint may stick, rad/s or m/s."""
MARGIN = 1e-6
"""Part of the static friction that a joint that sticks must leave: without it, it just slides."""
SMALLEST = 2.0**-9
"""Half width of boxes in which Newton's method looks for solutions."""
MOST = 40_000
"""Boxes of one mode, at most."""
INFINITE = 1e-6
"""Residual, in parts of the frictions, up to which a solution counts as being at infinity."""
FAR = 1e12
"""The largest friction of a solution at infinity, N."""
SMALL = 1e-6
"""Acceleration, rad/s² or m/s², against the sense in which a joint begins to slide, at most."""
STEP = 1e-30


class TooManyError(Exception):
    """There are more boxes than can be looked at."""


@dataclass(frozen=True)
class Admitted:
    """A motion that is admitted: the sense of each joint, 0 where it sticks, and its frictions."""

    senses: tuple[int, ...]
    frictions: np.ndarray
    determinant: float


def refused_rightly(reactions: Reactions) -> str:
    """Return why friction admits no motion, or more than one of a mode; empty if neither."""
    found = admitted(reactions)
    if not found:
        return "no motion is admitted"
    modes = [one.senses for one in found]
    for senses in modes:
        if modes.count(senses) > 1:
            same = [one.determinant for one in found if one.senses == senses]
            said = ", ".join(f"{determinant:.3g}" for determinant in same)
            return f"{len(same)} motions of one mode are admitted, with determinants {said}"
    return ""


def admitted(reactions: Reactions) -> list[Admitted]:
    """Return all motions that the laws of friction admit at a state.

    Raises
    ------
    TooManyError
        If there are too many boxes.
    """
    places = reactions.places
    rates = [reactions.rates[place] for place in places]
    moving = np.array([np.abs(rate).max() > AT_REST for rate in rates])
    units = np.eye(len(reactions.rates))
    moved = [np.abs(reactions.held([], unit, 0.0)[1] @ unit) for unit in units]
    stays = np.array(moved) < LOCKED * max(*moved, LOCKED)
    locked = np.array([bool(np.all(stays[place])) for place in places])
    for rate, moves, stuck in zip(rates, moving, locked, strict=True):
        if not moves and not stuck and len(rate) > 1:
            raise TooManyError("a contact at rest may slide in any direction")
    choices = [
        (1,) if moves else (0,) if stuck else (0, 1, -1)
        for moves, stuck in zip(moving, locked, strict=True)
    ]
    return [
        found
        for senses in product(*choices)
        for found in _of_mode(reactions, senses, moving, locked)
    ]


def _of_mode(
    reactions: Reactions, senses: tuple[int, ...], moving: np.ndarray, locked: np.ndarray
) -> Iterator[Admitted]:
    """Yield the motions in which joints slide in these ``senses``, 1 for that of what moves."""
    rubbings, places = reactions.rubbings, reactions.places
    at_rest = [i for i, sense in enumerate(senses) if sense == 0 and not locked[i]]
    held = [k for i in at_rest for k in range(places[i].start, places[i].stop)]
    sliding = [i for i, sense in enumerate(senses) if sense != 0]
    directions, viscous = np.zeros(len(reactions.rates)), np.zeros(len(reactions.rates))
    columns = np.zeros((len(reactions.rates), len(sliding)))
    for column, i in enumerate(sliding):
        rates = reactions.rates[places[i]]
        way = rubbings[i].direction(rates) if moving[i] else np.array([float(senses[i])])
        directions[places[i]] = columns[places[i], column] = way
        viscous[places[i]] = rubbings[i].viscous * rubbings[i].arms ** 2 * rates * moving[i]
    coefficients = [r.coefficient if m else r.static for r, m in zip(rubbings, moving, strict=True)]
    shares = np.array([rubbings[i].share(coefficients[i]) for i in sliding])

    def solved(y: np.ndarray, part: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return reactions.held(held, part * viscous + columns @ y, part)

    start = solved(np.zeros(len(sliding)))[2]
    rows = [solved(unit, 0.0)[2] for unit in np.eye(len(sliding))]

    def levers(multipliers: np.ndarray) -> np.ndarray:
        every = reactions.levers(multipliers)
        return shares * every[sliding]

    for y in solutions(levers, start, rows):
        if np.max(y, initial=0.0) >= FAR:
            far = columns @ y
            yield Admitted(senses, far, reactions.determinant(far, directions))
            continue
        frictions, accelerations, multipliers = solved(y)
        limits = np.array([r.share(r.static) for r in rubbings]) * reactions.levers(multipliers)
        dry = [rubbing.dry(frictions[p]) for rubbing, p in zip(rubbings, places, strict=True)]
        sticks = all(dry[i] < (1 - MARGIN) * abs(limits[i]) for i in at_rest)
        along = [float(directions[p] @ accelerations[p]) for p in places]
        goes = all(moving[i] or along[i] > -SMALL for i in sliding)
        if sticks and goes:
            determinant = reactions.determinant(frictions, directions)
            yield Admitted(senses, frictions, determinant)


def solutions(
    levers: Callable[[np.ndarray], np.ndarray], start: np.ndarray, rows: list[np.ndarray]
) -> list[np.ndarray]:
    """Return all y >= 0 with y = levers(start + rows y), of the size `FAR` where at infinity."""
    n = len(rows)
    if n == 0:
        return [np.zeros(0)]
    every = np.array([*rows, start])
    slopes = np.real([levers(row) for row in every]).T  # how fast levers change, at most
    far = slopes + np.eye(n, n + 1)

    def missed(x: np.ndarray) -> np.ndarray:
        return x[:n] - np.real(levers(x @ every))

    found: list[np.ndarray] = []
    boxes, count = [], 0
    for face in range(n + 1):
        centre, half = np.full(n + 1, 0.5), np.full(n + 1, 0.5)
        centre[face], half[face] = 1.0, 0.0
        boxes.append((centre, half))
    while boxes:
        centre, half = boxes.pop()
        count += 1
        if count > MOST:
            raise TooManyError
        if np.any(np.abs(missed(centre)) > far @ half + INFINITE):
            continue
        widest = int(np.argmax(half))
        if half[widest] > SMALLEST:
            for side in (-1, 1):
                part, less = centre.copy(), half.copy()
                less[widest] /= 2
                part[widest] += side * less[widest]
                boxes.append((part, less))
            continue
        near = [_newton(levers, every, centre)]
        if centre[n] <= SMALLEST:
            near.append(_at_infinity(missed, centre))
        for y in near:
            known = any(np.allclose(y, old, rtol=1e-6, atol=1e-9) for old in found if y is not None)
            if y is not None and not known:
                found.append(y)
    return found


def _at_infinity(missed: Callable[[np.ndarray], np.ndarray], near: np.ndarray) -> np.ndarray | None:
    """Return a solution near homogeneous coordinates with τ = 0, if there is one but for rounding.

    The largest of its frictions is `FAR`.
    """
    n = len(near) - 1
    face = int(np.argmax(near))
    free = [i for i in range(n) if i != face]

    def residual(values: np.ndarray) -> np.ndarray:
        x = np.zeros(n + 1)
        x[face], x[free] = near[face], values
        return missed(x)

    others = np.zeros(0)
    if free:
        others = least_squares(residual, near[free], xtol=1e-15, ftol=1e-15, gtol=1e-15).x
    if not (np.abs(residual(others)).max() < INFINITE and np.all(others > -INFINITE)):
        return None
    direction = np.ones(n)
    direction[free] = np.maximum(others, 0)
    return FAR * direction


def _newton(
    levers: Callable[[np.ndarray], np.ndarray], every: np.ndarray, near: np.ndarray
) -> np.ndarray | None:
    """Return a solution near homogeneous coordinates, if there is one."""
    n = len(near) - 1
    if not near[n] > SMALLEST / 4:
        return None
    y = near[:n] / near[n]
    for _ in range(30):
        missed = y - np.real(levers(every[n] + y @ every[:n]))
        columns = [
            np.imag(levers(every[n] + y @ every[:n] + 1j * STEP * row)) / STEP for row in every[:n]
        ]
        try:
            change = np.linalg.solve(np.eye(n) - np.array(columns).T, missed)
        except np.linalg.LinAlgError:
            return None
        y = y - change
        if np.abs(change).max() <= 1e-12 * (1 + np.abs(y).max()):
            return y if np.all(y >= -1e-12) else None
    return None
