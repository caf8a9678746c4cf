"""Points of a mechanism whose parameters are varied, and its linearization there.

Used by `mbcore.optimization.trial` alone; it stands apart because that says what users ask for,
and this how it is found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbcore.drivers.driver import UNFELT, UNSTEADY, Driver, checked_names
from mbcore.drivers.equations_driver import EquationsDriver
from mbcore.drivers.fmu_flow import ignorable
from mbcore.equations.equations import Equations
from mbcore.model import near_names
from mbcore.model.errors import ModelError
from mbcore.optimization.varied import Varied
from mbcore.periodic.varied_point import VariedPoint

CLOSED = 1e-9
"""Influence of other states, in nominal values, below which some stand for themselves."""


class TrialPoints:
    """Points with some values of parameters.

    Parameters
    ----------
    driver : Driver
        The system.
    values : mapping of str to float
        Values of the parameters that are varied.
    """

    def __init__(self, driver: Driver, values: Mapping[str, float]) -> None:
        self.driver, self.values = driver, values
        self._massive = False

    def equations(self) -> Equations:
        """Return the equations.

        Raises
        ------
        ModelError
            The system is an FMU.
        """
        if not isinstance(self.driver, EquationsDriver):
            raise ModelError(
                f"optimize: {self.driver.name} is an FMU, which has no second derivatives; build "
                "the objective of response(...)"
            )
        return self.driver.equations

    def kind(self, owner: str, name: str) -> str:
        """Return whether a name is a state, an input or a parameter."""
        driver = self.driver
        if name in self.values:
            raise ModelError(f"{owner}: {name!r} is varied itself; remove it from over=")
        for kind, names in (
            ("state", driver.states),
            ("input", driver.inputs),
            ("parameter", driver.parameters),
        ):
            if name in names:
                return kind
        known = (*driver.states, *driver.inputs, *driver.parameters)
        raise ModelError(f"{owner}: {near_names.unknown('variable', name, known)}")

    def place(self, e: VariedPoint, kind: str, name: str) -> int:
        """Return the place of a variable among states, inputs and parameters."""
        names = {
            "state": self.driver.states,
            "input": self.driver.inputs,
            "parameter": self.driver.parameters,
        }
        first = {"state": 0, "input": e.s.size, "parameter": e.s.size + e.u.size}
        return first[kind] + names[kind].index(name)

    def point(
        self,
        at: Mapping[str, Any] | None,
        inputs: Mapping[str, float] | None,
        parameters: Mapping[str, float] | None = None,
    ) -> tuple[VariedPoint, dict[str, np.ndarray]]:
        """Return the point at states, and derivatives of those that have some."""
        known = {n: v.gradient for n, v in (at or {}).items() if isinstance(v, Varied)}
        plain = {n: float(v) if isinstance(v, Varied) else v for n, v in (at or {}).items()}
        twice = [name for name in parameters or {} if name in self.values]
        if twice:
            raise ModelError(f"optimize: {twice[0]!r} is varied; do not give it another value")
        e = VariedPoint(self.equations(), {**(parameters or {}), **self.values}, inputs, {})
        e.start(plain, at_rest=self._massive)
        self._massive = True
        return e, known

    def matrix(self, e: VariedPoint, states: Sequence[str] | None) -> tuple[np.ndarray, list[int]]:
        """Return A, and the places of the states whose eigenvalues are wanted.

        Raises
        ------
        ModelError
            The motion is not steady, or other states have influence.
        """
        names, owner = self.driver.states, f"eigenvalues of {self.driver.name}"
        nominal = np.array([self.driver.nominal(name) for name in names])
        matrix = e.rates_by_states(range(e.s.size))
        influence = np.abs(matrix) * nominal / nominal[:, None]
        if states is None:
            still = ignorable(influence)
            chosen = [i for i in range(e.s.size) if i not in still]
        else:
            chosen = [names.index(n) for n in checked_names(owner, "state", states, names)]
        others = [i for i in range(e.s.size) if i not in chosen]
        felt = influence[np.ix_(chosen, others)].max(axis=0, initial=0.0)
        if felt.max(initial=0.0) > max(CLOSED, UNFELT * influence.max()):
            name = names[others[int(np.argmax(felt))]]
            raise ModelError(f"{owner}: the states depend on {name!r}; name it, too")
        rates = np.abs(e.derivative()[chosen])
        unsteady = rates > UNSTEADY * (nominal + np.abs(matrix) @ nominal)[chosen]
        if unsteady.any():
            i = int(np.flatnonzero(unsteady)[0])
            raise ModelError(
                f"{owner}: the motion is not steady, {names[chosen[i]]} changes by "
                f"{e.derivative()[chosen[i]]:.4g} per second; give at=trial.steady([...]), or "
                "values of all states"
            )
        return matrix, chosen

    def by(self, e: VariedPoint, known: Mapping[str, np.ndarray], slope: np.ndarray) -> np.ndarray:
        """Return derivatives by what is varied of those by states, inputs and parameters."""
        first = e.s.size + e.u.size
        own = [first + self.driver.parameters.index(name) for name in self.values]
        found = slope[own].copy()
        for name, change in known.items():
            found = found + slope[self.driver.states.index(name)] * change
        return found

    def varied_places(self, e: VariedPoint) -> list[int]:
        """Return the places of what is varied in a variation (s, t, u, p)."""
        first = e.s.size + 1 + e.u.size
        return [first + self.driver.parameters.index(name) for name in self.values]

    def rates_by(self, e: VariedPoint, places: Sequence[int]) -> np.ndarray:
        """Return the rates' derivatives by places of a variation, shape (ns, n)."""
        return np.column_stack([self._changed(e, {place: 1.0})[0] for place in places])

    def outputs_by(self, e: VariedPoint, known: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the outputs' derivatives by what is varied, shape (ny, n)."""
        columns = []
        for k, place in enumerate(self.varied_places(e)):
            moved = {self.driver.states.index(name): by[k] for name, by in known.items()}
            columns.append(self._changed(e, {place: 1.0, **moved})[1])
        return np.column_stack(columns)

    @staticmethod
    def _changed(e: VariedPoint, direction: Mapping[int, float]) -> tuple[np.ndarray, np.ndarray]:
        """Return changes of rates and outputs along a direction in (s, t, u, p)."""
        for place, change in direction.items():
            e.whole_variation[place] = change
        rates, outputs = e.call("change").results
        found = rates[:, 0].copy(), outputs[:, 0].copy()
        e.whole_variation[:] = 0.0
        return found
