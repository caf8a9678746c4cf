"""An evaluation with exact derivatives of rates, indicators and jumps.

They are by states, time, inputs and parameters; the configuration follows these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ModelError
from mbcore.model.interface.values import checked_values

SLOPE_SPAN = 1e-6
"""Time, s, over which the slope of an input that is a function of time is taken, each side."""


class VariedPoint(Evaluation):
    """A point with exact derivatives of rates, indicators and jumps.

    Parameters
    ----------
    equations : Equations
        The equations.
    parameters, inputs : mapping of str to float
        Values that differ from the model's.
    signals : mapping of int to callable
        Inputs that are functions of time, by their places.
    vary : str, optional
        A parameter, or an input that is constant, by which derivatives are wanted.

    Attributes
    ----------
    vary : str or None
        Its name.

    Raises
    ------
    ModelError
        If ``vary`` is neither a parameter nor a constant input.
    """

    def __init__(
        self,
        equations: Equations,
        parameters: Mapping[str, float] | None,
        inputs: Mapping[str, float] | None,
        signals: Mapping[int, Callable[[float], float]],
        vary: str | None = None,
    ) -> None:
        super().__init__(equations, parameters, inputs)
        self.signals, self.vary = signals, vary
        names = [record.name for record in equations.parameters]
        constant = [r.name for i, r in enumerate(equations.inputs) if i not in signals]
        if vary is not None and vary not in (*names, *constant):
            raise ModelError(
                f"{equations.name}: {vary!r} is neither a parameter nor an input that is constant; "
                f"there is {', '.join((*names, *constant)) or 'none'}"
            )
        self._is_parameter = vary in names
        self._place = names.index(vary) if vary in names else -1
        if vary in constant:
            self._place = [record.name for record in equations.inputs].index(vary)

    @property
    def value(self) -> float:
        """Value of what is varied."""
        return float((self.p if self._is_parameter else self.u)[self._place])

    def vary_to(self, value: float) -> None:
        """Give what is varied another value.

        Raises
        ------
        ModelError
            If nothing is varied, or the value is out of its range.
        """
        if self.vary is None:
            raise ModelError(f"{self.equations.name}: nothing is varied; give vary='NAME'")
        equations = self.equations
        records = equations.parameters if self._is_parameter else equations.inputs
        kind = "parameter" if self._is_parameter else "input"
        given = checked_values(kind, records, {self.vary: value})
        (self.p if self._is_parameter else self.u)[self._place] = given[self._place]

    def rates_by_states(self, states: Sequence[int]) -> np.ndarray:
        """Return the change of all rates with some of the states, shape (ns, n)."""
        columns = np.empty((self.s.size, len(states)))
        for k, i in enumerate(states):
            self.direction[i] = 1.0
            columns[:, k] = self.call("tangent").results[0][:, 0]
            self.direction[i] = 0.0
        return columns

    def rates_by_value(self) -> np.ndarray:
        """Return the change of all rates with what is varied, shape (ns,)."""
        return self._along("rate_change", self.by_value())

    def rates_by_time(self) -> np.ndarray:
        """Return the change of all rates with time, inputs following it, shape (ns,)."""
        return self._along("rate_change", self.by_time())

    def indicators_by(self, directions: np.ndarray) -> np.ndarray:
        """Return changes of the indicators along directions, (m, n), in (s, t, u, p): (ne, n)."""
        return np.column_stack([self._along("indicator_change", d) for d in directions.T])

    def jump_by(self, directions: np.ndarray) -> np.ndarray:
        """Return changes of the states after what has fired along directions, shape (ns, n)."""
        return np.column_stack([self._along("jump_change", d) for d in directions.T])

    def projection_by(self, directions: np.ndarray) -> np.ndarray:
        """Return changes of the states with closed gaps closed again, shape (ns, n)."""
        return np.column_stack([self._along("project_change", d) for d in directions.T])

    def by_value(self) -> np.ndarray:
        """Return the direction, (m,), in which what is varied changes alone; zero for nothing."""
        direction = np.zeros(self.variation.size)
        if self.vary is not None:
            first = self.s.size + 1 + (self.u.size if self._is_parameter else 0)
            direction[first + self._place] = 1.0
        return direction

    def by_time(self) -> np.ndarray:
        """Return the direction, (m,), in which time changes, and inputs that follow it."""
        direction = np.zeros(self.variation.size)
        n, t = self.s.size, float(self.t[0])
        direction[n] = 1.0
        for i, signal in self.signals.items():
            rise = signal(t + SLOPE_SPAN) - signal(t - SLOPE_SPAN)
            direction[n + 1 + i] = rise / (2 * SLOPE_SPAN)
        return direction

    def by_states(self) -> np.ndarray:
        """Return the directions, (m, ns), in which one state after the other changes."""
        return np.eye(self.variation.size, self.s.size)

    def _along(self, name: str, direction: np.ndarray) -> np.ndarray:
        self.variation[:] = direction
        result = self.call(name).results[0][:, 0].copy()
        self.variation[:] = 0.0
        return result
