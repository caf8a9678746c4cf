"""The search for what fits best, by SciPy's least squares, with noise estimated on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult, least_squares
from tqdm import tqdm

from mbcore.identification.problem import Problem
from mbcore.identification.reduction import reduced
from mbcore.identification.segments import Evaluated
from mbcore.model.errors import ConfigurationError, SimulationError

SAME = 0.02
"""Relative change of estimated noise below which it is left."""
ROUNDS = 6
"""Estimates of the noise at most."""
NEAR = 1e-3
"""Relative change of the sum of squares at which a search ends while noise is a guess."""
ENOUGH = 0.02
"""Change of the sum of squares at which a search ends: the last step was 0.14 standard deviations
long, and as steps of Gauss and Newton shrink, the next one would be far shorter."""
SURE = 0.01
"""Part of that change below which the change that a linear model predicts ends a search without a
step: the minimum is then 0.014 standard deviations away."""
POOR = 25.0
"""Mean square of errors, in squares of the noise that samples show, at which a motion is missed."""
PARTS = (0.5, 0.25, 0.1)
"""Parts of the runs that are tried where the whole cannot be followed from the first guess."""
WINDOWS = (0.25, 0.5)
"""Parts of the runs that are fitted before the whole where the whole is missed."""
GAPS = (1e-2, 1.0, 1e2, 1e4)
"""Weights of gaps between segments, one search after the other: where motions are unstable and
parameters are far off, segments hardly hang together at first."""
ENDS = {
    0: "ended after the most evaluations that are allowed",
    1: "converged: the gradient is zero",
    2: "converged: the sum of squares falls no more",
    3: "converged: the values change no more",
    4: "converged: neither the sum of squares nor the values change any more",
}
"""Why a search has ended, by the status of `scipy.optimize.least_squares`."""
FLOOR = 1e-9
"""Noise in parts of what a sensor measures below which none is assumed."""
MEDIAN = 1.4826
"""Standard deviation of a normal distribution by its median distance from zero."""


@dataclass(frozen=True)
class Found:
    """Where a search has come to.

    Attributes
    ----------
    at : Evaluated
        Errors there.
    deviations : ndarray, shape (sensors,)
        Standard deviations of the sensors' noise.
    cost : float
        Half the sum of weighted squares, and the logarithms of the deviations.
    evaluations : int
        Evaluations with derivatives.
    message : str
        Why it has ended.
    interrupted : bool
        Whether it was ended by Ctrl-C.
    """

    at: Evaluated
    deviations: np.ndarray
    cost: float
    evaluations: int
    message: str
    interrupted: bool


class Search:
    """A search from one start.

    Parameters
    ----------
    problem : Problem
        The errors.
    bar : tqdm
        That shows what has been reached.
    """

    def __init__(self, problem: Problem, bar: tqdm) -> None:
        self.problem, self._bar = problem, bar
        self._best: tuple[float, np.ndarray] | None = None
        self._weight, self._rows = GAPS[-1], 0
        self._known: tuple[tuple[Any, ...], tuple[np.ndarray, np.ndarray]] | None = None

    def run(self, first: np.ndarray) -> Found:
        """Search from values of the unknowns, (nz,).

        Raises
        ------
        SimulationError, ConfigurationError
            The motion cannot be followed from the first values.
        """
        problem = self.problem
        before = problem.evaluations
        low, high = problem.bounds()
        z = np.clip(first, low, high)
        problem.at(z)
        deviations = noise_of_samples(problem)
        message, interrupted = "", False
        try:
            z = self._from_beginning(z, deviations)
            gaps = problem.at(z).gaps.size
            for self._weight in GAPS if gaps else GAPS[-1:]:
                z = self._near(z, deviations)
                deviations = noise_of_errors(problem, problem.at(z))
            for _ in range(ROUNDS):
                result = self._solve(z, deviations, ENOUGH / problem.sensor_of.size)
                z, message = result.x, ENDS.get(result.status, str(result.message))
                now = noise_of_errors(problem, problem.at(z))
                changed = np.abs(np.log(now / deviations)).max(initial=0.0)
                deviations = now
                if changed < SAME:
                    break
        except KeyboardInterrupt:
            interrupted, message = True, "ended by Ctrl-C"
            z = self._best[1] if self._best is not None else z
        at = problem.at(z)
        deviations = deviations if interrupted else noise_of_errors(problem, at)
        count = np.bincount(problem.sensor_of, minlength=deviations.size)
        cost = 0.5 * np.sum((at.errors / deviations[problem.sensor_of]) ** 2)
        cost += float(count @ np.log(deviations))
        spent = problem.evaluations - before
        return Found(at, deviations, float(cost), spent, message, interrupted)

    def followable(self, first: np.ndarray) -> np.ndarray:
        """Return values from which the runs can be followed to their ends.

        Where the first ones lead to an end too early, the first part of the runs is fitted.

        Raises
        ------
        SimulationError, ConfigurationError
            No part of the runs can be followed.
        """
        problem = self.problem
        try:
            problem.at(first)
            return first
        except (SimulationError, ConfigurationError) as error:
            early = error
        for problem.part in PARTS:
            try:
                z = self._solve(first, noise_of_samples(problem), NEAR).x
                problem.part = 1.0
                problem.at(z)
                return z
            except (SimulationError, ConfigurationError):
                continue
            finally:
                problem.part = 1.0
        raise type(early)(
            f"fit: the motion cannot be simulated from the first guess: {early}"
        ) from early

    def _from_beginning(self, z: np.ndarray, deviations: np.ndarray) -> np.ndarray:
        """Return what fits the beginning of the runs, where the whole fits better there, too."""
        problem, length = self.problem, self.problem.options.begin_with
        part = 1.0 if length is None else length / max(run.end for run in problem.runs)
        if part >= 1:
            return z
        first = self._errors(z, deviations)
        problem.part = part
        try:
            found = self._solve(z, deviations, ENOUGH / (part * problem.sensor_of.size)).x
        finally:
            problem.part = 1.0
        self._best = float(first @ first), z
        then = self._errors(found, deviations)
        return found if then @ then < first @ first else z

    def _near(self, z: np.ndarray, deviations: np.ndarray) -> np.ndarray:
        """Return what fits nearly; through parts of the runs where the whole leads nowhere.

        Motions from wrong values drift away from what was measured, so that errors at the end of a
        long run say little of the values; those of its first part do.
        """
        problem = self.problem
        direct = self._solve(z, deviations, NEAR)
        size = len(problem.sensor_of)
        if 2 * direct.cost < POOR * size or problem.at(z).gaps.size:
            return direct.x
        try:
            for problem.part in WINDOWS:
                z = self._solve(z, deviations, NEAR).x
        finally:
            problem.part = 1.0
        whole = self._solve(z, deviations, NEAR)
        return whole.x if whole.cost < direct.cost else direct.x

    def _solve(self, z: np.ndarray, deviations: np.ndarray, enough: float) -> OptimizeResult:
        """Return SciPy's result for given deviations of the noise."""
        self._best = None
        options, reached = self.problem.options, [z]

        def slopes(x: np.ndarray) -> np.ndarray:
            errors, jacobian = self._least_squares(x, deviations)
            if options.loss == "linear" and _is_least(errors, jacobian, SURE * enough):
                reached[0] = x.copy()
                raise _EnoughError
            return jacobian

        try:
            return least_squares(
                lambda x: self._errors(x, deviations),
                z,
                slopes,
                bounds=self.problem.bounds(),
                x_scale="jac",
                loss=options.loss,
                ftol=enough,
                xtol=1e-10,
                gtol=1e-12,
                max_nfev=options.most_evaluations,
            )
        except _EnoughError:
            errors = self._least_squares(reached[0], deviations)[0]
            cost = 0.5 * float(errors @ errors)
            return OptimizeResult(x=reached[0], cost=cost, status=2, message=ENDS[2])

    def _errors(self, z: np.ndarray, deviations: np.ndarray) -> np.ndarray:
        """Return weighted errors, infinite where the motion cannot be followed."""
        try:
            self.problem.at(z)
        except (SimulationError, ConfigurationError):
            if self._best is None:
                raise
            return np.full(self._rows, np.inf)
        found = self._least_squares(z, deviations)[0]
        self._rows = found.size
        reached = float(found @ found)
        if self._best is None or reached < self._best[0]:
            self._best = reached, z.copy()
            self._bar.set_postfix_str(f"mean square {reached / self.problem.sensor_of.size:.4g}")
        self._bar.update()
        return found

    def _least_squares(
        self, z: np.ndarray, deviations: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return weighted errors and their Jacobian, in fewer rows where no loss asks for each."""
        problem, at = self.problem, self.problem.at(z)
        asked = at, self._weight, deviations
        if self._known is not None and all(
            a is b for a, b in zip(self._known[0], asked, strict=True)
        ):
            return self._known[1]
        found = weighted(problem, at, deviations, self._weight)
        if problem.options.loss == "linear":
            found = reduced(*found, at.segment_of)
        self._known = asked, found
        return found


class _EnoughError(Exception):
    """A search is where no step would gain anything."""


def _is_least(errors: np.ndarray, jacobian: np.ndarray, part: float) -> bool:
    """Return whether no linear step lets the sum of squares fall by more than a part of it."""
    sizes = np.linalg.norm(jacobian, axis=0)
    scaled = jacobian / np.where(sizes > 0, sizes, 1.0)
    step = np.linalg.lstsq(scaled, errors, rcond=None)[0]
    return float(np.sum((scaled @ step) ** 2)) < part * float(errors @ errors)


def weighted(
    problem: Problem, at: Evaluated, deviations: np.ndarray, weight: float = GAPS[-1]
) -> tuple[np.ndarray, np.ndarray]:
    """Return errors in standard deviations, gaps and priors below them, and their Jacobian."""
    scale = deviations[problem.sensor_of]
    errors = [at.errors / scale, weight * at.gaps]
    changes = [at.jacobian / scale[:, None], weight * at.gap_jacobian]
    for i, one in enumerate(problem.sought):
        if one.prior is not None:
            row = np.zeros((1, problem.size))
            row[0, i] = 1 / one.prior[1]
            errors.append(np.array([(at.unknowns[i] - one.prior[0]) / one.prior[1]]))
            changes.append(row)
    return np.concatenate(errors), np.vstack(changes)


def noise_of_samples(problem: Problem) -> np.ndarray:
    """Return standard deviations of noise by third differences of samples, (sensors,).

    A cubic has no fourth difference; what is left of a smooth motion is noise.
    """
    found = []
    for j, name in enumerate(problem.sensors):
        known = problem.known[name].deviation
        values = [run.samples[name].values for run in problem.runs if name in run.samples]
        differences = np.concatenate([np.diff(v, 3) for v in values if v.size > 3] or [np.zeros(0)])
        noise = np.sqrt(np.mean(differences**2) / 20) if differences.size else 0.0
        found.append(known or max(noise, _floor(problem, j), 1e-3 * _size_of(problem, j)))
    return np.array(found)


def noise_of_errors(problem: Problem, at: Evaluated) -> np.ndarray:
    """Return standard deviations of errors, (sensors,), each with its share of what was found."""
    count = np.bincount(problem.sensor_of, minlength=len(problem.sensors)).astype(float)
    share = len(problem.sought) * count / count.sum()
    found = []
    for j, name in enumerate(problem.sensors):
        known = problem.known[name].deviation
        errors = at.errors[problem.sensor_of == j]
        if problem.options.loss == "linear":
            noise = np.sqrt(np.sum(errors**2) / max(count[j] - share[j], 1.0))
        else:
            noise = MEDIAN * float(np.median(np.abs(errors)))
        found.append(known or max(float(noise), _floor(problem, j)))
    return np.array(found)


def _size_of(problem: Problem, sensor: int) -> float:
    """Return the spread of what a sensor measured."""
    name = problem.sensors[sensor]
    every = [run.samples[name].values for run in problem.runs if name in run.samples]
    return float(np.ptp(np.concatenate(every))) or 1.0


def _floor(problem: Problem, sensor: int) -> float:
    return FLOOR * _size_of(problem, sensor)
