"""A search from one start by SciPy's methods for objectives with conditions.

Used by `mbcore.optimization.optimize` alone; it stands apart because that chooses starts.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.optimize import Bounds, NonlinearConstraint, minimize
from tqdm import tqdm

from mbcore.optimization.problem import MET, Evaluated, Problem

POOR = 10.0
"""By how much, in the first objective's size, a trial that fails is worse than all others, so that
a line search or a trust region takes a smaller step."""


class _UsedUpError(Exception):
    """All evaluations are used up."""


class Search:
    """A search, in parameters divided by their scales.

    Parameters
    ----------
    problem : Problem
        What is minimized.
    first : Evaluated
        The start.
    bar : tqdm
        Shows what has been reached.
    """

    def __init__(self, problem: Problem, first: Evaluated, bar: tqdm[Any]) -> None:
        self._problem, self._first, self._bar = problem, first, bar
        self._scales, self._sign = problem.scales, -1.0 if problem.maximize else 1.0
        goal = first.objective
        steepness = float(np.abs(goal.gradient * self._scales).max(initial=0.0))
        self._size = max(abs(float(goal.value)), steepness) or 1.0
        self._last, self._failed = first, False
        self._here, self._worst = first.values / self._scales, abs(float(goal.value)) / self._size
        self._used = 0
        self.best = first

    def run(self) -> tuple[Evaluated, str, bool]:
        """Return the best trial, why the search has ended, and whether by Ctrl-C."""
        options = self._problem.options
        ends = Bounds(*(side / self._scales for side in self._problem.bounds))
        arguments: dict[str, Any] = {
            "jac": lambda z: (
                self._sign * self._at(z).objective.gradient * self._scales / self._size
            ),
            "bounds": ends,
            "constraints": self._constraints(),
        }
        if options.method == "slsqp":
            settings = {"ftol": options.tolerance, "maxiter": options.most_evaluations}
        else:
            # SciPy's own test of the gradient also ends before conditions can hold the optimum.
            arguments["callback"] = self._settled
            settings = {
                "gtol": 0.0,
                "xtol": options.tolerance,
                "maxiter": options.most_evaluations,
            }
        start = self._first.values / self._scales
        method = "SLSQP" if options.method == "slsqp" else "trust-constr"
        try:
            with warnings.catch_warnings():
                # SciPy tells trust-constr's users of objectives that are linear, as a parameter is.
                warnings.filterwarnings("ignore", "delta_grad == 0.0", UserWarning)
                found = minimize(self._goal, start, method=method, options=settings, **arguments)
        except KeyboardInterrupt:
            return self.best, "interrupted", True
        except _UsedUpError:
            return self.best, f"{options.most_evaluations} evaluations are used up", False
        last = self._at(found.x)
        if self._failed or last.violation > MET >= self.best.violation:
            last = self.best
        settled = method == "trust-constr" and found.status == 3
        return last, "converged: the gradient is zero" if settled else str(found.message), False

    def _settled(self, _: np.ndarray, state: Any) -> bool:
        """Return whether trust-constr has ended: the gradient vanishes, and so has the barrier."""
        enough, tolerance = (
            np.sqrt(self._problem.options.tolerance),
            self._problem.options.tolerance,
        )
        small = max(state.optimality, state.constr_violation) < enough
        return bool(small and getattr(state, "barrier_parameter", 0.0) <= max(tolerance, 1e-8))

    def _at(self, z: np.ndarray) -> Evaluated:
        """Return the trial there, or the last one that succeeded."""
        if np.array_equal(z, self._here):
            return self._last
        if self._used >= self._problem.options.most_evaluations:
            raise _UsedUpError
        self._used += 1
        low, high = self._problem.bounds
        found = self._problem.tried(np.clip(z * self._scales, low, high))
        self._here, self._failed = np.array(z), found is None
        if found is not None:
            self._last = found
            self._worst = max(self._worst, abs(float(found.objective.value)) / self._size)
            if self._better(found):
                self.best = found
        self._bar.update()
        self._bar.set_postfix(objective=f"{float(self.best.objective.value):.6g}")
        return self._last

    def _better(self, found: Evaluated) -> bool:
        mine, other = found.violation, self.best.violation
        if max(mine, other) > MET:
            return mine < other
        return self._sign * float(found.objective.value - self.best.objective.value) < 0

    def _goal(self, z: np.ndarray) -> float:
        found = self._at(z)
        if self._failed:
            return self._worst + POOR
        return self._sign * float(found.objective.value) / self._size

    def _slope(self, z: np.ndarray) -> np.ndarray:
        gradient = self._at(z).objective.gradient
        return self._sign * gradient * self._scales / self._size

    def _constraints(self) -> list[NonlinearConstraint]:
        made = []
        for k, (one, size) in enumerate(
            zip(self._problem.conditions, self._problem.sizes, strict=True)
        ):

            def values(z: np.ndarray, k: int = k, size: float = size) -> np.ndarray:
                return self._at(z).conditions[k].value / size

            def slopes(z: np.ndarray, k: int = k, size: float = size) -> np.ndarray:
                return self._at(z).conditions[k].gradient * self._scales / size

            made.append(NonlinearConstraint(values, one.low / size, one.high / size, jac=slopes))
        return made
