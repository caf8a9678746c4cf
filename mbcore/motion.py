"""A point that moves: what SciPy's integrators call, and where events lie in their steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import optimize

from mbcore.errors import ConfigurationError, SimulationError
from mbcore.evaluation import Evaluation

ENDLESS = 10000
"""Events in one simulation after which it is given up."""


@dataclass
class Motion:
    """An evaluation that moves with time: right-hand sides for SciPy's integrators, and events."""

    evaluation: Evaluation
    signals: dict[int, Callable[[float], float]]
    calls: int = 0
    failure: Exception | None = None

    def move(self, t: float, s: np.ndarray) -> None:
        """Go to a point and find its configuration."""
        e = self.evaluation
        e.t[0] = t
        e.s[:] = s
        for i, signal in self.signals.items():
            e.u[i] = signal(t)
            if not np.isfinite(e.u[i]):
                name = e.equations.inputs[i].name
                raise SimulationError(f"input {name} is {e.u[i]} at t = {t:.9g}: not a number")
        e.configure()

    def derivative(self, t: float, s: np.ndarray) -> np.ndarray:
        """Right-hand side; a configuration that fails is NaN, which shortens the step."""
        self.calls += 1
        try:
            self.move(t, s)
        except ConfigurationError as failure:
            self.failure = failure
            return np.full(s.shape, np.nan)
        return self.evaluation.derivative().copy()

    def jacobian(self, t: float, s: np.ndarray) -> np.ndarray:
        """Exact Jacobian for the implicit methods."""
        self.move(t, s)
        return self.evaluation.jacobian().copy()

    def _indicators(self, t: float, s: np.ndarray) -> np.ndarray:
        """Indicators with their band, positive where the mode is right."""
        self.move(t, s)
        e = self.evaluation
        sign = np.where(e.d[: len(e.equations.events)] > 0.5, 1.0, -1.0)
        band = np.array([event.band for event in e.equations.events])
        return sign * e.indicator() + band

    def first_crossing(
        self, interpolant: Callable[[float], np.ndarray], before: float, after: float
    ) -> float | None:
        """Return the time just after the first event in a step, or None."""
        if not self.evaluation.equations.events:
            return None
        ends = self._indicators(after, interpolant(after))
        found = []
        for i in np.flatnonzero(ends < 0):

            def signed(t: float, i: int = int(i)) -> float:
                return float(self._indicators(t, interpolant(t))[i])

            value = signed(before)
            if value < 0:
                found.append(before)
                continue
            t, further = before, float(np.spacing(after))
            if value > 0:
                t = float(optimize.brentq(signed, before, after, xtol=1e-300, rtol=1e-15))
            while signed(t) >= 0 and t < after:  # just beyond, so that the event has happened
                t, further = min(after, t + further), 2 * further
            found.append(t)
        return min(found) if found else None

    def handle_events(self, so_far: int) -> list[tuple[float, str]]:
        """Let modes follow their indicators here; return time and name of what happened.

        Raises
        ------
        SimulationError
            If there were endlessly many events before.
        """
        e = self.evaluation
        if so_far > ENDLESS:
            raise SimulationError(
                f"{e.equations.name}: more than {ENDLESS} events by t = {e.t[0]:.9g}; does one "
                "repeat without end? Give it a band"
            )
        modes = e.d[: len(e.equations.events)].copy()
        e.fire()
        e.accept()
        return [
            (float(e.t[0]), event.name)
            for event, old, new in zip(e.equations.events, modes, e.d, strict=False)
            if old != new
        ]
