"""SciPy's implicit steps with the tolerance of rates that C has, and fewer Jacobians."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import Radau

from mbcore.integrators.shifted_jacobian import Factors, MultipleOfIdentity, ShiftedJacobian
from mbcore.integrators.states import NOTHING_KNOWN, States
from mbcore.integrators.work import work_of_jacobian

BEST = 10
"""Evaluations of a step with three iterations of Newton's method."""
LEFT = 1e-3
"""Part of the tolerance that Newton's iteration may leave [Hairer and Wanner: Solving Ordinary
Differential Equations II, section IV.8]. SciPy asks for the root of ``rtol`` where that is less,
which rounding does not permit where the fastest motion is much faster than the steps."""


class RadauSteps(Radau):
    """Radau IIA, whose rates of fast parts count by what they change in values.

    The absolute tolerance of a rate is at least a share of that of its value, over the step's
    length. ``mb_implicit_error_norm`` in C does the same.

    A Jacobian stays until Newton's iteration fails with it, or until the evaluations that its age
    has taken cost as much as a new one. SciPy makes a new one where three iterations leave more
    than a thousandth of the last change; that is for systems whose Jacobian is cheap.

    Parameters
    ----------
    fun, t0, y0, t_bound, options
        As for SciPy's class.
    states : States
        What they are, and the share.
    known_jacobian : ndarray, optional
        One of a point near the first one, to begin with.
    """

    begins_with_known_jacobian = True

    jac: Any
    current_jac: bool
    newton_tol: float

    def __init__(
        self,
        fun: Any,
        t0: float,
        y0: np.ndarray,
        t_bound: float,
        *,
        states: States = NOTHING_KNOWN,
        known_jacobian: np.ndarray | None = None,
        **options: Any,
    ) -> None:
        make = options.get("jac")
        if known_jacobian is not None:
            options["jac"] = lambda t, y: known_jacobian
        super().__init__(fun, t0, y0, t_bound, **options)
        values = slice(states.rates, states.rates + states.values)
        self._of_rates = np.broadcast_to(np.asarray(options.get("atol", 1e-6), float), self.n)
        self._of_values = states.share * self._of_rates[values]
        self.newton_tol = max(self.newton_tol, LEFT)
        self._make_jacobian, self.jac = self.jac, self.jac and self._jacobian
        if known_jacobian is not None:
            self._make_jacobian = self._counted(make)
            self.current_jac, self.njev = False, 0
        self._evaluated = self._wasted = 0
        self.I: Any = MultipleOfIdentity(1.0, states)
        self.lu, self.solve_lu = self._factorized, Factors.solve

    def _step_impl(self) -> tuple[bool, str | None]:
        length = min(self.h_abs, self.max_step, abs(self.t_bound - self.t))
        self.atol = self._of_rates.copy()
        valued = slice(self._of_values.size)
        self.atol[valued] = np.maximum(self.atol[valued], self._of_values / length)
        self._evaluated = self.nfev
        done: tuple[bool, str | None] = super()._step_impl()
        self.current_jac = self.current_jac and self._wasted == 0
        return done

    def _jacobian(self, t: float, y: np.ndarray, f: np.ndarray) -> np.ndarray:
        """Return the Jacobian; the last one where it has not cost too much yet."""
        is_retry = t == self.t  # else the step is made, and the Jacobian is for the next one
        self._wasted += max(self.nfev - self._evaluated - BEST, 1)
        if not is_retry and self._wasted < work_of_jacobian(self.n):
            return self.J
        self._wasted = 0
        made: np.ndarray = self._make_jacobian(t, y, f)
        return made

    def _counted(self, make: Any) -> Any:
        """Return a function that makes a Jacobian and counts it, as SciPy's does."""

        def made(t: float, y: np.ndarray, _: np.ndarray) -> np.ndarray:
            self.njev += 1
            return np.asarray(make(t, y), float)

        return made

    def _factorized(self, matrix: ShiftedJacobian) -> Factors:
        """Return the factors of a matrix."""
        self.nlu += 1
        return Factors(matrix)
