"""Inputs whose rates are inputs too: whether what is given for both fits together.

A rate that contradicts what its input does leaves equations that are not those of any motion. It
is told once for each input, where a prescribed motion or a force uses the rate at present.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mbcore.equations.tolerances import RATE_AGREES, RATE_FLOOR
from mbcore.evaluation.evaluation import Evaluation

Signals = dict[int, Callable[[float], float]]


class RateWatch:
    """Looks at inputs and their rates, and tells once for each input what does not fit.

    Parameters
    ----------
    evaluation : Evaluation
        Where the inputs' values are, and what they are used for.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        inputs = evaluation.equations.inputs
        place = {record.name: i for i, record in enumerate(inputs)}
        self._open = {i: place[r.rate.name] for i, r in enumerate(inputs) if r.rate is not None}

    @property
    def is_open(self) -> bool:
        """Whether there is a rate of which nothing has been told."""
        return bool(self._open)

    def follow(self, evaluation: Evaluation) -> None:
        """Go on with another evaluation of the same inputs."""
        self._evaluation = evaluation

    def of_signals(self, signals: Signals, span: float, end: float) -> None:
        """Compare at the present time what inputs do within a short span with their rates.

        Parameters
        ----------
        signals : dict of int to callable
            Inputs that are functions of time, by their places; the others are constant.
        span : float
            Time on both sides over which inputs change, s; never before 0 nor after ``end``.
        """
        e = self._evaluation
        now = float(e.t[0])
        times = sorted({max(now - span, 0.0), now, min(now + span, end)})
        for value, rate in list(self._open.items()):
            given = [signals[value](t) if value in signals else float(e.u[value]) for t in times]
            rates = [signals[rate](t) if rate in signals else float(e.u[rate]) for t in times]
            slopes = np.diff(given) / np.diff(times)
            if self._contradict(slopes, rates, span, given) and self._used(value):
                self._tell(value, rate, f"at t = {now:.9g}", float(slopes[-1]), rates)

    def of_steps(self, before: float, u: np.ndarray) -> None:
        """Compare the present inputs with those since the time ``before``, which are ``u``."""
        e = self._evaluation
        span = float(e.t[0]) - before
        if not span > 0:
            return
        for value, rate in list(self._open.items()):
            given, rates = [u[value], e.u[value]], [u[rate], e.u[rate]]
            slope = np.diff(given) / span
            if self._contradict(slope, rates, span, given) and self._used(value):
                when = f"from t = {before:.9g} to t = {e.t[0]:.9g}"
                self._tell(value, rate, when, float(slope[0]), rates)

    def _contradict(
        self, slopes: np.ndarray, rates: list[float], span: float, given: list[float]
    ) -> bool:
        """Whether the ranges of slopes and rates lie apart by more than the tolerance."""
        apart = max(min(slopes) - max(rates), min(rates) - max(slopes))
        largest = max(np.abs(slopes).max(), np.abs(rates).max())
        noise = RATE_FLOOR * (1.0 + np.abs(given).max()) / span
        return bool(apart > RATE_AGREES * largest + noise)

    def _used(self, value: int) -> bool:
        return bool(self._evaluation.rate_use()[value] != 0.0)

    def _tell(self, value: int, rate: int, when: str, slope: float, rates: list[float]) -> None:
        del self._open[value]
        q = self._evaluation.equations
        name, partner = q.inputs[value].name, q.inputs[rate].name
        self._evaluation.on_warning(
            f"{q.name}: input {name} changes by {slope:.6g} per second {when}, but its rate "
            f"{partner} is {rates[-1]:.6g} there; motions and forces that use both are wrong. "
            f"Give {partner} the derivative of {name}, and name times where {name} jumps (breaks)"
        )
