"""Three optima against brute force: all places of a grid over the bounds, then ever finer grids.

Brute force uses no code of mbcore: the bicycle's published matrices and stability conditions, the
belt's motion s = R φ - sin φ from the middle of a dwell, and the characteristic polynomial of the
caster. Prints optima, what brute force finds and their relative differences; returns 1 where one of
these is above 1e-4.

    python -m benchmarks.analyses.optima
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from mbcore import OptimizeOptions, Optimum, optimize
from mbcore.examples.bicycles.bicycle_canonical import (
    DATA,
    TILT,
    TRAIL,
    self_stable_speeds,
    width,
)
from mbcore.examples.bicycles.bicycle_widest_range import OVER, stable_speeds
from mbcore.fmus import bicycle, caster
from tests.optimization.models import (
    DAMPERS,
    DECAY,
    DWELL,
    RIPPLE,
    SPEEDS,
    dampings,
    decays,
    dwell,
    dwelling,
    ripple,
)

WITHIN = 1e-4
FIXED = (
    "gravity",
    "rear_wheel.radius",
    "front_wheel.radius",
    "rear_frame.inertia_yy",
    "front_frame.inertia_yy",
    "front_frame.inertia_xz",
)
"""Data of the bicycle that are not among the twenty."""
QUIET = OptimizeOptions(progress=False)
Places = np.ndarray
"""Shape (n, 2)."""


def forced(
    worth: Callable[[Places], np.ndarray],
    bounds: Sequence[tuple[float, float]],
    first: int,
    finer: int,
    shrinks: float = 0.6,
) -> tuple[np.ndarray, float, int]:
    """Return the place of two values where a quantity is largest, it, and how many were tried.

    Each finer grid has 21 by 21 places around the best one so far, and reaches less far.
    """
    low, high = np.array(bounds, dtype=float).T

    def grid(begin: np.ndarray, end: np.ndarray, count: int) -> Places:
        axes = [np.linspace(a, b, count) for a, b in zip(begin, end, strict=True)]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)

    places, reach, tried, best = grid(low, high, first), 2 * (high - low) / first, 0, (low, -np.inf)
    for _ in range(finer + 1):
        found = worth(places)
        tried += len(places)
        top = int(np.nanargmax(found))
        if found[top] > best[1]:
            best = places[top], float(found[top])
        places = grid(np.maximum(best[0] - reach, low), np.minimum(best[0] + reach, high), 21)
        reach = reach * shrinks
    return best[0], best[1], tried


def bicycle_widths(places: Places) -> np.ndarray:
    """Return the widths of ranges by trail and tilt, m/s."""
    return np.array([width(*place) for place in places])


def dwells(places: Places) -> np.ndarray:
    """Return half the crank's angle, rad, where the belt moves by the ripple at most, or -1."""
    half, radius = places.T
    angles = half[:, None] * np.linspace(0, 1, 101)
    moved = np.abs(radius[:, None] * angles - np.sin(angles)).max(axis=1)
    return np.where(moved <= RIPPLE, half, -1.0)


def least_dampers(places: Places) -> np.ndarray:
    """Return what dampers of the swivel and the strut cost, negative; -9 where something grows."""
    swivel, strut = places.T
    growth = []
    for v in SPEEDS:
        rows = np.zeros((len(places), 3, 3))
        powers = np.stack([0.2 * v + swivel + strut, strut * v + 0.3, 0.3 * v + 0 * strut], axis=1)
        rows[:, 0], rows[:, 1, 0], rows[:, 2, 1] = -powers / 0.25, 1.0, 1.0
        growth.append(np.linalg.eigvals(rows).real.max(axis=1))
    decay = np.max(growth, axis=0) <= -DECAY
    return np.where(decay, -(strut**2) - swivel**2, -9.0)


def compared(found: Optimum, names: Sequence[str], brute: tuple[np.ndarray, float, int]) -> float:
    """Print an optimum beside brute force; return the largest relative difference."""
    place, worth, tried = brute
    rows = [("objective", found.objective, abs(worth))]
    rows += [(name, found.values[name], float(x)) for name, x in zip(names, place, strict=True)]
    print(f"{found.name}: {found.evaluations} evaluations; brute force: {tried:,} places")
    for name, ours, reference in rows:
        print(f"  {name:18}{ours:15.9g}{reference:15.9g}{ours / reference - 1:12.1e}")
    return max(abs(ours / reference - 1) for _, ours, reference in rows)


def twenty() -> float:
    """Print the widest range over twenty parameters, each within 10 %; return how far it is off.

    Its width is compared with that of the published formulas there, and with those of random
    places within the bounds and of the corners next to the optimum's.
    """
    names = [name for name in DATA if name not in FIXED]
    low, high = np.sort([[0.9 * DATA[n], 1.1 * DATA[n]] for n in names]).T
    over = {name: ends for name, *ends in zip(names, low, high, strict=True)}
    own = optimize(bicycle.model(), stable_speeds, over=over, maximize=True, options=QUIET)
    best = np.array([own.values[name] for name in names])
    random = np.random.default_rng(1)
    others = [low + random.random(len(names)) * (high - low) for _ in range(1000)]
    for k in range(len(names)):
        others.append(np.where(np.arange(len(names)) == k, low + high - best, best))
    widths = []
    for place in (best, *others):
        weave, capsize = self_stable_speeds({**DATA, **dict(zip(names, place, strict=True))})
        widths.append(capsize - weave)
    print(f"bicycle, {len(names)} parameters: {own.evaluations} evaluations")
    print(f"  by formulas {widths[0]:.9g}, others up to {np.nanmax(widths[1:]):.9g}")
    return max(abs(own.objective / widths[0] - 1), np.nanmax(widths[1:]) / widths[0] - 1)


def main() -> int:
    """Search and compare; return 1 where an optimum is farther off than `WITHIN`."""
    begun = time.process_time()
    own = optimize(bicycle.model(), stable_speeds, over=OVER, maximize=True, options=QUIET)
    apart = [compared(own, (TRAIL, TILT), forced(bicycle_widths, list(OVER.values()), 41, 8, 0.3))]
    own = optimize(
        dwelling(), dwell, over=DWELL, subject_to=[(ripple, -RIPPLE, RIPPLE)], maximize=True,
        options=QUIET,
    )  # fmt: skip
    apart.append(compared(own, (*DWELL,), forced(dwells, list(DWELL.values()), 1001, 40, 0.7)))
    limits = [(decays, -np.inf, -DECAY)]
    own = optimize(caster.model(), dampings, over=DAMPERS, subject_to=limits, options=QUIET)
    bounds = [(low, high) for low, high, _ in DAMPERS.values()]
    apart.append(compared(own, (*DAMPERS,), forced(least_dampers, bounds, 201, 40, 0.7)))
    apart.append(twenty())
    print(f"at most {max(apart):.1e} apart; {time.process_time() - begun:.0f} s of processor time")
    return int(max(apart) > WITHIN)


if __name__ == "__main__":
    raise SystemExit(main())
