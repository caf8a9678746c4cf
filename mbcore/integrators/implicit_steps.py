"""SciPy's implicit steps with the tolerance of rates that C has."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import Radau


class RadauSteps(Radau):
    """Radau IIA, whose rates of fast parts count by what they change in values.

    The absolute tolerance of a rate is at least a share of that of its value, over the step's
    length. ``mb_implicit_error_norm`` in C does the same.

    Parameters
    ----------
    fun, t0, y0, t_bound, options
        As for SciPy's class.
    dofs, speeds : int
        Numbers of degrees of freedom, whose rates are the first states, and of the last of them
        that have no value; the values follow.
    share : float
        `mbcore.equations.tolerances.SHARE_OF_VALUE`.
    """

    def __init__(
        self,
        fun: Any,
        t0: float,
        y0: np.ndarray,
        t_bound: float,
        *,
        dofs: int = 0,
        speeds: int = 0,
        share: float = 0.0,
        **options: Any,
    ) -> None:
        super().__init__(fun, t0, y0, t_bound, **options)
        valued = dofs - speeds
        self._of_rates = np.broadcast_to(np.asarray(options.get("atol", 1e-6), float), self.n)
        self._of_values = share * self._of_rates[dofs : dofs + valued]

    def _step_impl(self) -> tuple[bool, str | None]:
        length = min(self.h_abs, self.max_step, abs(self.t_bound - self.t))
        self.atol = self._of_rates.copy()
        valued = slice(self._of_values.size)
        self.atol[valued] = np.maximum(self.atol[valued], self._of_values / length)
        done: tuple[bool, str | None] = super()._step_impl()
        return done
