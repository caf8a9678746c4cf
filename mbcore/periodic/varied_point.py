"""An evaluation with exact derivatives of rates, indicators and jumps.

They are by states, time, inputs and parameters; the configuration follows these. Numbers that
events set and motion depends on are further states, behind the others, without a rate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.equations.fixed_equations import felt_numbers
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.interface.values import checked_values
from mbcore.model.variables import Value

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
    vary : str or sequence of str, optional
        Parameters, or inputs that are constant, by which derivatives are wanted.
    chosen : bool
        Whether to leave out the numbers of laws that parameters do not choose.

    Attributes
    ----------
    vary : tuple of str
        Their names.
    numbers : tuple of int
        Places, among the discrete variables, of the nm numbers that are further states.

    Raises
    ------
    ModelError
        If one is neither a parameter nor a constant input.
    """

    def __init__(
        self,
        equations: Equations,
        parameters: Mapping[str, float] | None,
        inputs: Mapping[str, float] | None,
        signals: Mapping[int, Callable[[float], float]],
        vary: str | Sequence[str] | None = None,
        chosen: bool = False,
    ) -> None:
        super().__init__(equations, parameters, inputs)
        self.signals, self._chosen = signals, chosen
        several = () if vary is None else (vary,) if isinstance(vary, str) else vary
        self.vary = checks.names(equations.name, "vary", several)
        self._varied = [self._place(name) for name in self.vary]
        self.numbers = self._felt_numbers()

    def renew(
        self,
        parameters: Mapping[str, Value] | None = None,
        inputs: Mapping[str, Value] | None = None,
    ) -> None:
        """Become the same as a new one with these values, see `Evaluation.renew`."""
        super().renew(parameters, inputs)
        self.numbers = self._felt_numbers()

    def _felt_numbers(self) -> tuple[int, ...]:
        if not self._chosen:
            return self.equations.remembered.numbers
        parameters = zip(self.equations.parameters, self.p, strict=True)
        return felt_numbers(self.equations, {r.name: float(v) for r, v in parameters})

    def _place(self, name: str) -> tuple[np.ndarray, int, int]:
        """Return the array that holds what is varied, its place there, and in a variation.

        Raises
        ------
        ModelError
            If it is neither a parameter nor a constant input.
        """
        equations = self.equations
        parameters = [record.name for record in equations.parameters]
        inputs = [record.name for record in equations.inputs]
        constant = [r for i, r in enumerate(inputs) if i not in self.signals]
        if name in parameters:
            place = parameters.index(name)
            return self.p, place, self.s.size + 1 + self.u.size + place
        if name not in constant:
            raise ModelError(
                f"{equations.name}: {name!r} is neither a parameter nor an input that is constant; "
                f"there is {', '.join((*parameters, *constant)) or 'none'}"
            )
        place = inputs.index(name)
        return self.u, place, self.s.size + 1 + place

    def follow(self, signals: Mapping[int, Callable[[float], float]]) -> None:
        """Take other inputs that are functions of time.

        Raises
        ------
        ModelError
            If one of them is varied.
        """
        self.signals = signals
        self._varied = [self._place(name) for name in self.vary]

    @property
    def states(self) -> np.ndarray:
        """States, and numbers that are remembered, shape (ns + nm,); a copy."""
        return np.concatenate([self.s, self.d[list(self.numbers)]])

    def rates(self) -> np.ndarray:
        """Return the rates of all these, shape (ns + nm,); a copy."""
        return np.concatenate([self.derivative(), np.zeros(len(self.numbers))])

    @property
    def values(self) -> np.ndarray:
        """Values of all that is varied, shape (n,)."""
        return np.array([array[place] for array, place, _ in self._varied])

    @property
    def value(self) -> float:
        """Value of the varied quantity, the first of several."""
        return float(self.values[0])

    def vary_to(self, value: float) -> None:
        """Give what is varied, the first of several, another value.

        Raises
        ------
        ModelError
            If nothing is varied, or the value is out of its range.
        """
        if not self.vary:
            raise ModelError(f"{self.equations.name}: nothing is varied; give vary='NAME'")
        array, place, _ = self._varied[0]
        equations, is_parameter = self.equations, array is self.p
        records = equations.parameters if is_parameter else equations.inputs
        kind = "parameter" if is_parameter else "input"
        array[place] = checked_values(kind, records, {self.vary[0]: value})[place]

    def rates_by_states(self, states: Sequence[int]) -> np.ndarray:
        """Return the change of the states' rates with some of ``states``, shape (ns, n)."""
        columns, own = np.empty((self.s.size, len(states))), self.s.size
        for k, i in enumerate(states):
            if i >= own:
                columns[:, k] = self._along("remembered_change", self.by_states()[:, i])
                continue
            self.direction[i] = 1.0
            columns[:, k] = self.call("tangent").results[0][:, 0]
            self.direction[i] = 0.0
        return columns

    def rates_by_value(self) -> np.ndarray:
        """Return the change of all rates with each that is varied, shape (ns, n)."""
        columns = [self._along("rate_change", d) for d in self.by_value().T]
        return np.array(columns).reshape(-1, self.s.size).T

    def rates_along(self, columns: np.ndarray) -> np.ndarray:
        """Return rates of columns of a derivative, (ns + nm, n), the last ones by what is varied.

        Each takes an evaluation along it, instead of one by each state: shape (ns, n).
        """
        directions = self.by_states() @ columns
        directions[:, columns.shape[1] - len(self.vary) :] += self.by_value()
        found = [self._along("rate_change", d) for d in directions.T]
        if self.numbers:
            added = [self._along("remembered_change", d) for d in directions.T]
            found = [one + more for one, more in zip(found, added, strict=True)]
        return np.array(found).reshape(-1, self.s.size).T

    def rates_by_time(self) -> np.ndarray:
        """Return the change of all rates with time, inputs following it, shape (ns,)."""
        return self._along("rate_change", self.by_time())

    def indicators_by(self, directions: np.ndarray) -> np.ndarray:
        """Return changes of indicators along directions, (m, n), in (s, t, u, p, d): (ne, n)."""
        return np.column_stack([self._along("indicator_change", d) for d in directions.T])

    def jump_by(self, directions: np.ndarray) -> np.ndarray:
        """Return changes of ``states`` after what has fired along directions, (ns + nm, n)."""
        changes, of_numbers = [], list(self.numbers)
        for direction in directions.T:
            self.whole_variation[:] = direction
            states, discretes = self.call("jump_change").results
            changes.append(np.concatenate([states[:, 0], discretes[of_numbers, 0]]))
        self.whole_variation[:] = 0.0
        return np.column_stack(changes)

    def projection_by(self, directions: np.ndarray) -> np.ndarray:
        """Return changes of ``states`` with closed gaps closed again, shape (ns + nm, n)."""
        of_states = [self._along("project_change", d) for d in directions.T]
        return np.vstack([np.column_stack(of_states), directions[self._number_places]])

    @property
    def varied_places(self) -> list[int]:
        """Places in a variation (s, t, u, p) of all that is varied."""
        return [in_variation for _, _, in_variation in self._varied]

    @property
    def _number_places(self) -> list[int]:
        """Places of the numbers in a variation."""
        return [self.variation.size + i for i in self.numbers]

    def by_value(self) -> np.ndarray:
        """Return the directions, (m, n), in which one that is varied changes after the other."""
        return np.eye(self.whole_variation.size)[:, self.varied_places]

    def by_time(self) -> np.ndarray:
        """Return the direction, (m,), in which time changes, and inputs that follow it."""
        direction = np.zeros(self.whole_variation.size)
        n, t = self.s.size, float(self.t[0])
        direction[n] = 1.0
        for i, signal in self.signals.items():
            rise = signal(t + SLOPE_SPAN) - signal(t - SLOPE_SPAN)
            direction[n + 1 + i] = rise / (2 * SLOPE_SPAN)
        return direction

    def by_states(self) -> np.ndarray:
        """Return the directions, (m, ns + nm), in which one state changes after the other."""
        places = [*range(self.s.size), *self._number_places]
        return np.eye(self.whole_variation.size)[:, places]

    def _along(self, name: str, direction: np.ndarray) -> np.ndarray:
        self.whole_variation[:] = direction
        result = self.call(name).results[0][:, 0].copy()
        self.whole_variation[:] = 0.0
        return result
