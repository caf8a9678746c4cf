"""Meijaard's explicit method of one stage, [Schwab2002] (5.28), as one of SciPy's solvers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import DenseOutput, OdeSolver


class OneStage(OdeSolver):
    r"""Equal steps with one evaluation each, for s = (q̇, q, others).

        k = q̈(t + h/2, q + h/2 q̇, q̇),    q += h q̇ + h²/2 k,    q̇ += h k

    The order is 2 where accelerations do not depend on rates, else 1; kinematic coordinates and
    auxiliary states change with their rates at the same point. Undamped systems are stable for
    steps below 2 over the highest angular frequency.

    Parameters
    ----------
    fun, t0, y0, t_bound
        As for SciPy's solvers; forwards in time.
    dofs : int
        Number of degrees of freedom.
    max_step : float
        The step, s; shortened so that all steps are equal.
    """

    t: float
    y: np.ndarray

    def __init__(
        self,
        fun: Callable[[float, np.ndarray], np.ndarray],
        t0: float,
        y0: np.ndarray,
        t_bound: float,
        *,
        dofs: int,
        max_step: float,
        **options: object,
    ) -> None:
        super().__init__(fun, t0, y0, t_bound, vectorized=False)
        self._dofs = dofs
        self._begin, self._count = t0, max(1, int(np.ceil((t_bound - t0) / max_step - 1e-9)))
        self._done = 0
        self._others = self.fun(t0, self.y)[2 * dofs :] if y0.size > 2 * dofs else np.zeros(0)

    def _step_impl(self) -> tuple[bool, str | None]:
        n, t, s = self._dofs, self.t, self.y
        self._done += 1
        share = self._done / self._count
        end = self._begin + share * (self.t_bound - self._begin)
        self.t = self.t_bound if self._done == self._count else end
        h = self.t - t
        rates, values, others = s[:n], s[n : 2 * n], s[2 * n :]
        middle = np.concatenate([rates, values + h / 2 * rates, others + h / 2 * self._others])
        stage = self.fun(t + h / 2, middle)
        if not np.all(np.isfinite(stage)):
            return False, "the derivative is not finite"
        k, self._others = stage[:n], stage[2 * n :]
        self._before = s
        self.y = np.concatenate(
            [rates + h * k, values + h * rates + h**2 / 2 * k, others + h * self._others]
        )
        return True, None

    def _dense_output_impl(self) -> DenseOutput:
        return _Interpolant(self.t_old, self.t, self._before, self.y, self._dofs)


class _Interpolant(DenseOutput):
    """Values of third order from values and rates at both ends (5.23), the rest linear."""

    def __init__(
        self, before: float, after: float, s0: np.ndarray, s1: np.ndarray, dofs: int
    ) -> None:
        super().__init__(before, after)
        self._s0, self._s1, self._dofs = s0, s1, dofs

    def _call_impl(self, t: np.ndarray) -> np.ndarray:
        n, h = self._dofs, self.t - self.t_old
        x = (t - self.t_old) / h
        s = self._s0 + (self._s1 - self._s0) * x
        values = slice(n, 2 * n)
        a, b, c = x**2 * (3 - 2 * x), x * (1 - x) ** 2 * h, x**2 * (x - 1) * h
        s[values] = (
            (1 - a) * self._s0[values] + b * self._s0[:n] + a * self._s1[values] + c * self._s1[:n]
        )
        return s
