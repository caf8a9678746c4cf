"""Inputs whose rates are inputs too: whether what is given for both fits together.

A rate that contradicts what its input does leaves equations that are not those of any motion. It
is told once for each input, where a prescribed motion or a force uses the rate at present.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mbcore.equations.tolerances import (
    RATE_AGREES,
    RATE_DOUBTS,
    RATE_FAR,
    RATE_FAR_STEPS,
    RATE_FLOOR,
    RATE_NOISE,
)
from mbcore.evaluation.evaluation import Evaluation

Signals = dict[int, Callable[[float], float]]


@dataclass
class _Sampled:
    """History of an input that is constant over steps, and of its rate.

    The runtime in C does the same, and says why: ``contradicts`` in ``mb_inputs.c``.
    """

    largest: float = 0.0
    doubts: int = 0
    far: int = 0
    since: float = 0.0
    until: float = 0.0
    slope: float = 0.0
    rate: float = 0.0

    def contradict(self, ends: list[tuple[float, float]], since: float, span: float) -> bool:
        """Compare values with rates at both ends of a step; return whether to warn."""
        (before, first), (now, rate) = ends
        slope = (now - before) / span
        apart = max(slope - max(first, rate), min(first, rate) - slope)
        noise = (RATE_FLOOR + RATE_NOISE * max(abs(before), abs(now))) / span
        self.largest = max(self.largest, abs(slope), abs(first), abs(rate))
        most = RATE_FAR * self.largest + noise
        if self.far and not apart > most and abs(rate - self.slope) > most:
            return True
        self.far = self.far + 1 if apart > most else 0
        self.doubts = self.doubts + 1 if apart > RATE_AGREES * self.largest + noise else 0
        self.since, self.until, self.slope, self.rate = since, since + span, slope, rate
        return self.far >= RATE_FAR_STEPS or self.doubts >= RATE_DOUBTS


class InputRateCheck:
    """Compares inputs with their rates, and warns once for each input of a contradiction.

    Parameters
    ----------
    evaluation : Evaluation
        Point with the values of the inputs.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        inputs = evaluation.equations.inputs
        place = {record.name: i for i, record in enumerate(inputs)}
        self._seen = [_Sampled() for _ in inputs]
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
                partner, name = (e.equations.inputs[i].name for i in (rate, value))
                self._tell(
                    value,
                    f"by {slopes[-1]:.6g} per second at t = {now:.9g}, but its rate {partner} is "
                    f"{rates[-1]:.6g} there; motions and forces that use both are wrong. Give "
                    f"{partner} the derivative of {name}, and name times where {name} jumps "
                    "(breaks)",
                )

    def of_steps(self, before: float, u: np.ndarray) -> None:
        """Compare the present inputs with those held since the time ``before``, which are ``u``.

        The warning is that of the FMUs' runtime.
        """
        e = self._evaluation
        span = float(e.t[0]) - before
        if not span > 0:
            return
        for value, rate in list(self._open.items()):
            seen = self._seen[value]
            ends = [(float(v[value]), float(v[rate])) for v in (u, e.u)]
            if seen.contradict(ends, before, span) and self._used(value):
                partner, name = (e.equations.inputs[i].name for i in (rate, value))
                self._tell(
                    value,
                    f"by {seen.slope:.6g} per second from t = {seen.since:.9g} to "
                    f"t = {seen.until:.9g}, but its rate {partner} is {seen.rate:.6g} there; "
                    f"motions and forces take both as given. If {partner} is the derivative of "
                    f"{name}, this is the error of inputs that are held over a step: shorter steps "
                    "make it smaller. If not, connect it",
                )

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

    def _tell(self, value: int, what: str) -> None:
        del self._open[value]
        equations = self._evaluation.equations
        self._evaluation.on_warning(
            f"{equations.name}: input {equations.inputs[value].name} changes {what}"
        )
