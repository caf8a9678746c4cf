"""Identifiability: the rank of sensitivities, and combinations that data do not distinguish."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mbcore.identification.combinations import determined
from mbcore.identification.problem import Problem
from mbcore.identification.reduction import reduced
from mbcore.identification.search import weighted
from mbcore.model import summary, wording
from mbcore.model.errors import ConfigurationError, SimulationError

NOTHING = 1e-6
"""Size of a change, in parts of what single unknowns bring, that counts as nothing."""
UNSEEN = 1e-8
"""Size of a sensitivity, in parts of the largest one, below which nothing is felt."""
PART = 1e-6
"""Part of a null direction that counts as none."""
FELT = 1e-3
"""Size of a sensitivity, in standard deviations, that is not amplified beyond 1."""
SPREAD, LEAST_SPREAD = 0.3, 1e-3
"""Parts of their values by which parameters are changed, to see whether a direction is the same;
less where there is no motion with them, for example with an inertia that no body has."""
POINTS, MANY_POINTS = 4, 24
"""Places where null directions are compared, for products and sums, and for polynomials."""


@dataclass(frozen=True, repr=False)
class Identifiability(summary.Summarized):
    """Identifiability of unknown values from data.

    Attributes
    ----------
    names : tuple of str
        The unknowns.
    rank : int
        How many combinations of them the data tell.
    sizes : ndarray
        Singular values of the sensitivities, their columns of the length 1.
    unseen : tuple of str
        Unknowns that change nothing that is measured.
    directions : tuple of dict of str to float
        Changes of the others that cancel, in parts of their values.
    combinations : tuple of str
        What is determined of them: ``"mass · height"``, ``"inertia + mass · height²"``.
    telling : tuple of str
        Outputs and states that are not measured and would tell more.
    """

    names: tuple[str, ...]
    rank: int
    sizes: np.ndarray
    unseen: tuple[str, ...]
    directions: tuple[dict[str, float], ...]
    combinations: tuple[str, ...]
    telling: tuple[str, ...]

    def _title(self) -> str:
        return "identifiability"

    def _facts(self) -> list[str]:
        return [
            f"{self.rank} of {wording.count(len(self.names), 'unknown')} determined",
            self.missing,
        ]

    @property
    def complete(self) -> bool:
        """Whether the data tell all unknowns."""
        return self.rank == len(self.names)

    @property
    def missing(self) -> str:
        """Combinations that the data leave open, in words; empty where there is none."""
        said = []
        if self.unseen:
            said.append(f"nothing measured depends on {wording.listed(self.unseen)}")
        if self.directions:
            apart = dict.fromkeys(name for one in self.directions for name in one)
            known = f", only {wording.listed(self.combinations)}" if self.combinations else ""
            said.append(f"the data do not determine {wording.listed(apart)}{known}")
            if not self.combinations:
                said += [_in_parts(one) for one in self.directions[:3]]
        if said:
            further = (
                f"measure {wording.listed(self.telling)} as well"
                if self.telling
                else ("no other output or state would help")
            )
            said.append(further)
        return "; ".join(said)


def _in_parts(direction: dict[str, float]) -> str:
    largest = max(map(abs, direction.values()))
    parts = [f"{name} {100 * value / largest:+.3g} %" for name, value in direction.items()]
    return f"nothing changes with {', '.join(parts)}"


def of_problem(problem: Problem, z: np.ndarray, deviations: np.ndarray) -> Identifiability:
    """Return what the data of a fit can tell at values of its unknowns."""
    n = len(problem.sought)
    scales = np.array([one.scale for one in problem.sought])
    low, high = (end[:n] for end in problem.bounds())

    def sensitivities(values: np.ndarray) -> np.ndarray:
        whole = z.copy()
        whole[:n] = values
        at = problem.at(whole) if np.array_equal(whole, z) else problem.evaluate(whole)
        _, jacobian = weighted(problem, at, deviations)
        jacobian = _evened(jacobian, problem.sensor_of, scales)
        found = reduced(np.zeros(len(jacobian)), jacobian, at.segment_of)[1]
        if found.shape[1] == n:
            return found
        nodes_first = np.hstack([found[:, n:], found[:, :n]])
        factor = np.asarray(np.linalg.qr(nodes_first, mode="r"))
        return factor[-n:, -n:]  # what starts of segments leave

    def telling(values: np.ndarray, space: np.ndarray) -> tuple[str, ...]:
        whole = z.copy()
        whole[:n] = values
        return problem.telling(whole, space)

    names = tuple(one.name for one in problem.sought)
    return identified(names, z[:n], scales, (low, high), sensitivities, telling)


def _evened(jacobian: np.ndarray, sensor_of: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Return rows with each sensor's as large as another's: weights do not change what is told.

    A sensor that feels nothing but rounding errors stays small.
    """
    found = jacobian.copy()
    for j in range(int(sensor_of.max(initial=-1)) + 1):
        rows = np.flatnonzero(sensor_of == j)
        lengths = np.linalg.norm(jacobian[rows, : scales.size] * scales, axis=0)
        found[rows] /= max(lengths.max(initial=0.0), FELT)
    rest = found[sensor_of.size :]  # gaps between segments, and what was known before
    found[sensor_of.size :] = rest / np.maximum(np.linalg.norm(rest, axis=1, keepdims=True), FELT)
    return found


def identified(
    names: Sequence[str],
    values: np.ndarray,
    scales: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    sensitivities: Callable[[np.ndarray], np.ndarray],
    telling: Callable[[np.ndarray, np.ndarray], tuple[str, ...]] | None = None,
) -> Identifiability:
    """Return what can be told of values, from sensitivities.

    Parameters
    ----------
    names : sequence of str
        Of the unknowns.
    values, scales : ndarray, shape (n,)
        Their values, and changes that count.
    bounds : (ndarray, ndarray)
        Where they may be.
    sensitivities : callable
        Derivatives of all that is measured at values, (m, n).
    telling : callable, optional
        Names what would tell more at values, from null directions, (n, d).
    """
    sizes, unseen, space = null_space(sensitivities(values), scales)
    names = tuple(names)
    felt = [i for i in range(len(names)) if i not in unseen]
    d = space.shape[1]
    more: tuple[str, ...] = ()
    if (d or unseen) and telling is not None:
        whole = np.hstack([space, np.eye(len(names))[:, unseen]])
        more = telling(values, whole)
    lost = tuple(names[i] for i in unseen)
    rank = len(names) - len(unseen) - d
    if not d:
        return Identifiability(names, rank, sizes, lost, (), (), more)
    involved = [
        i for i in felt if np.abs(space[i] / scales[i]).max() > PART * _largest(space, scales)
    ]
    combinations: tuple[str, ...] = ()
    random = np.random.default_rng(0)
    points, spaces, spread = [values[involved]], [space[involved]], SPREAD
    for count in (POINTS, MANY_POINTS):
        while len(points) < count:
            there = _beside(values, spread * scales, bounds, involved, random)
            try:
                other = null_space(sensitivities(there), scales)[2]
            except (SimulationError, ConfigurationError):  # no such mechanism, or no motion
                spread /= 2
                if spread < LEAST_SPREAD:
                    raise
                continue
            if other.shape[1] == d:
                points.append(there[involved])
                spaces.append(other[involved])
            elif other.shape[1] < d:  # a place where less can be told than beside it
                rank = len(names) - len(unseen) - other.shape[1]
                return Identifiability(
                    names, rank, sizes, lost, _directions(names, other, scales), (), more
                )
        combinations = determined([names[i] for i in involved], points, spaces)
        if len(combinations) == len(involved) - d:
            break
    combinations = tuple(one for one in combinations if one not in names)
    return Identifiability(
        names, rank, sizes, lost, _directions(names, space, scales), combinations, more
    )


def _largest(space: np.ndarray, scales: np.ndarray) -> float:
    return float(np.abs(space / scales[:, None]).max())


def _beside(
    values: np.ndarray,
    changes: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    involved: Sequence[int],
    random: np.random.Generator,
) -> np.ndarray:
    """Return values with those in null directions changed at random, within their bounds."""
    there = values.copy()
    for i in involved:
        there[i] += changes[i] * random.uniform(-1, 1)
        there[i] = min(max(there[i], bounds[0][i]), bounds[1][i])
    return there


def null_space(
    jacobian: np.ndarray, scales: np.ndarray
) -> tuple[np.ndarray, list[int], np.ndarray]:
    """Return singular values, unknowns that are not felt, and null directions of the rest, (n, d).

    Directions are in the unknowns' own units.
    """
    relative = jacobian * scales
    lengths = np.linalg.norm(relative, axis=0)
    unseen = [int(i) for i in np.flatnonzero(lengths <= UNSEEN * lengths.max(initial=0.0))]
    felt = [i for i in range(len(scales)) if i not in unseen]
    if not felt:
        return np.zeros(0), unseen, np.zeros((len(scales), 0))
    _, sizes, rows = np.linalg.svd(relative[:, felt] / lengths[felt], full_matrices=True)
    whole = np.append(sizes, np.zeros(len(felt) - sizes.size))
    lost = rows[whole <= NOTHING * whole.max(initial=0.0)]
    space = np.zeros((len(scales), len(lost)))
    space[felt] = (lost / lengths[felt] * scales[felt]).T
    return whole, unseen, space


def _directions(
    names: Sequence[str], space: np.ndarray, scales: np.ndarray
) -> tuple[dict[str, float], ...]:
    """Return null directions by names in parts of values, as sparse as elimination makes them."""
    relative = (space / scales[:, None]).T
    found = []
    for row in _echelon(relative):
        found.append({n: float(v) for n, v in zip(names, row, strict=True) if abs(v) > PART})
    return tuple(found)


def _echelon(rows: np.ndarray) -> np.ndarray:
    """Return rows in reduced echelon form by complete pivoting, largest entries 1."""
    found, free = rows.copy(), list(range(rows.shape[1]))
    for k in range(len(found)):
        column = max(free, key=lambda j: abs(found[k:, j]).max())
        pivot = k + int(np.abs(found[k:, column]).argmax())
        found[[k, pivot]] = found[[pivot, k]]
        found[k] /= found[k, column]
        free.remove(column)
        for other in range(len(found)):
            if other != k:
                found[other] -= found[other, column] * found[k]
    return found
