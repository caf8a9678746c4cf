"""SciPy's implicit steps with the tolerance of rates that C has."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import Radau

from mbcore.integrators.states import NOTHING_KNOWN, States


class RadauSteps(Radau):
    """Radau IIA, whose rates of fast parts count by what they change in values.

    The absolute tolerance of a rate is at least a share of that of its value, over the step's
    length. ``mb_implicit_error_norm`` in C does the same.

    Parameters
    ----------
    fun, t0, y0, t_bound, options
        As for SciPy's class.
    states : States
        What they are, and the share.
    """

    def __init__(
        self,
        fun: Any,
        t0: float,
        y0: np.ndarray,
        t_bound: float,
        *,
        states: States = NOTHING_KNOWN,
        **options: Any,
    ) -> None:
        super().__init__(fun, t0, y0, t_bound, **options)
        values = slice(states.rates, states.rates + states.values)
        self._of_rates = np.broadcast_to(np.asarray(options.get("atol", 1e-6), float), self.n)
        self._of_values = states.share * self._of_rates[values]

    def _step_impl(self) -> tuple[bool, str | None]:
        length = min(self.h_abs, self.max_step, abs(self.t_bound - self.t))
        self.atol = self._of_rates.copy()
        valued = slice(self._of_values.size)
        self.atol[valued] = np.maximum(self.atol[valued], self._of_values / length)
        done: tuple[bool, str | None] = super()._step_impl()
        return done
