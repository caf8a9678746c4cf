"""Equal steps of Meijaard's explicit method of one stage.

Used by `mbcore.integrators.methods.one_stage` alone; it stands apart because it needs SciPy's
solvers, which are imported only on demand.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import DenseOutput

from mbcore.integrators.equal_steps import EqualSteps, Function, Interpolant


class OneStage(EqualSteps):
    r"""Meijaard's explicit method of one stage, [Schwab2002] (5.28), for s = (q̇, q, others).

        k = q̈(t + h/2, q + h/2 q̇, q̇),    q += h q̇ + h²/2 k,    q̇ += h k

    The order is 2 where accelerations do not depend on rates, else 1; kinematic coordinates and
    auxiliary states change with their rates at the same point. Undamped systems are stable for
    steps below 2 over the highest angular frequency.
    """

    def __init__(
        self, fun: Function, t0: float, y0: np.ndarray, t_bound: float, **options: object
    ) -> None:
        super().__init__(fun, t0, y0, t_bound, **options)  # type: ignore[arg-type]
        n = self._dofs + self._valued
        self._others = self.fun(t0, self.y)[n:] if y0.size > n else np.zeros(0)
        self._others_before = self._others

    def _begin_anew(self) -> None:
        self._others = self._others_before

    def _after(self, t: float, s: np.ndarray, h: float) -> np.ndarray:
        n, m = self._dofs, self._valued  # generalized speeds have no values
        rates, values, others = s[:n], s[n : n + m], s[n + m :]
        middle = np.concatenate([rates, values + h / 2 * rates[:m], others + h / 2 * self._others])
        stage = self.fun(t + h / 2, middle)
        k = stage[:n]
        self._others_before, self._others = self._others, stage[n + m :]
        moved = values + h * rates[:m] + h**2 / 2 * k[:m]
        return np.concatenate([rates + h * k, moved, others + h * self._others])

    def _dense_output_impl(self) -> DenseOutput:
        n, m = self._dofs, self._valued
        values = slice(n, n + m)
        rates = self._before[:m], self.y[:m]
        return Interpolant(self.t_old, self.t, self._before, self.y, rates, values)
