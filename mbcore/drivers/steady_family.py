"""Equilibria and steady motions of a driver's system over a parameter, for `continuation`.

`mbcore.drivers.fmu_driver` uses it for FMUs; families of equations know their coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mbcore.continuation.branch_data import Record
from mbcore.continuation.branch_tracer import Beginning
from mbcore.continuation.chosen_rows import ChosenRows
from mbcore.continuation.relative_equilibria import Condition
from mbcore.continuation.varied import ParameterRange, Varied, varied
from mbcore.drivers.driver import Driver, Point
from mbcore.equilibria.steady_motion import SteadyMotion
from mbcore.model import checks
from mbcore.model.errors import ModelError, SimulationError

STEADY = 1e-7
"""Largest rate, in parts of nominal values, that is left in a steady motion."""
NOTHING = 1e-12
"""Part of a nominal value that counts as zero at the start."""


@dataclass(frozen=True)
class Sought:
    """The steady motions that a branch follows.

    Attributes
    ----------
    conditions : mapping of str to float
        States or outputs with their values.
    find : sequence of str
        Inputs that are found.
    parameters, inputs : mapping of str to float
        Values that differ from the system's.
    at_rest : bool
        Whether nothing may change: an equilibrium.
    """

    conditions: Mapping[str, float]
    find: Sequence[str]
    parameters: Mapping[str, float]
    inputs: Mapping[str, float]
    at_rest: bool


class SteadyFamily:
    """States that are felt, and inputs that are found, at which the states' rates vanish.

    In a family of steady motions some rates vanish by themselves. The equations are those
    combinations of rates and conditions that change most, chosen anew at each solution; that the
    others vanish too is seen there. Exponents are eigenvalues of the felt states' matrix, without
    the zeros that the dimension of the family brings.

    Parameters
    ----------
    driver : Driver
        The system.
    sought : Sought
        What it is about, with the varied condition among the conditions.
    over : Varied or Condition
        What varies.
    first : SteadyMotion
        The first one.
    span : float
        Length of the range.
    """

    accuracy = 1e-12

    def __init__(
        self,
        driver: Driver,
        sought: Sought,
        over: Varied | Condition,
        first: SteadyMotion,
        span: float,
    ) -> None:
        self._driver, self._sought, self._over, self._span = driver, sought, over, span
        self._felt = [i for i, n in enumerate(driver.states) if n not in first.ignorable]
        self._found = [driver.inputs.index(name) for name in sought.find]
        self._states = np.array([first.state[name] for name in driver.states])
        self._inputs = {n: v for n, v in first.inputs.items() if n != over.name}
        self._nominal = np.array([driver.nominal(name) for name in driver.states])
        self._sizes = np.array([abs(first.inputs[name]) or 1.0 for name in sought.find])
        self.start = np.r_[
            (self._states / self._nominal)[self._felt],
            np.array([first.inputs[name] for name in sought.find]) / self._sizes,
        ]
        # what is left of zeros would count as the size of the whole branch
        self.start[np.abs(self.start) < NOTHING] = 0.0
        self._rows = ChosenRows(self.start.size, span)
        self._last: tuple[np.ndarray, Point] | None = None
        self._zeros = first.dimensions - len(sought.find)

    @property
    def scale(self) -> np.ndarray:
        """Natural sizes: unknowns are in parts of theirs."""
        return np.ones(self.start.size)

    def _placed(
        self, unknowns: np.ndarray, value: float
    ) -> tuple[np.ndarray, dict[str, float], dict[str, float]]:
        """Return states, inputs and parameters."""
        states, n = self._states.copy(), len(self._felt)
        states[self._felt] = unknowns[:n] * self._nominal[self._felt]
        inputs, parameters = dict(self._inputs), dict(self._sought.parameters)
        for name, part, size in zip(self._sought.find, unknowns[n:], self._sizes, strict=True):
            inputs[name] = float(part * size)
        if isinstance(self._over, Varied):
            (inputs if self._over.is_input else parameters)[self._over.name] = float(value)
        return states, inputs, parameters

    def _at(self, unknowns: np.ndarray, value: float) -> Point:
        y = np.r_[unknowns, value]
        if self._last is None or not np.array_equal(self._last[0], y):
            states, inputs, parameters = self._placed(unknowns, value)
            self._last = y, self._driver.point(0.0, states, inputs, parameters)
        return self._last[1]

    def _all(self, unknowns: np.ndarray, value: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return all that must vanish, (m,), with derivatives by unknowns and value."""
        driver, felt, nominal = self._driver, self._felt, self._nominal
        point, ns = self._at(unknowns, value), len(driver.states)
        whole = np.hstack([(point.A * nominal)[:, felt], point.B[:, self._found] * self._sizes])
        shown = np.hstack([(point.C * nominal)[:, felt], point.D[:, self._found] * self._sizes])
        by = self._by_value(point)
        values = [point.derivatives[felt] / nominal[felt]]
        rows = [(whole / nominal[:, np.newaxis])[felt]]
        last = [by[:ns][felt] / nominal[felt]]
        for name, given in self._sought.conditions.items():
            wanted, moves = (value, 1.0) if name == self._over.name else (given, 0.0)
            if name in driver.states:
                i = driver.states.index(name)
                row, now, size = np.zeros(self.start.size), point.state[i], nominal[i]
                row[felt.index(i)], change = nominal[i], 0.0
            else:
                i = driver.outputs.index(name)
                row, now, size = shown[i], point.values[i], max(abs(given), 1.0)
                change = float(by[ns + i])
            values.append(np.array([(now - wanted) / size]))
            rows.append(row[np.newaxis] / size)
            last.append(np.array([(change - moves) / size]))
        return np.concatenate(values), np.vstack(rows), np.concatenate(last)

    def _by_value(self, point: Point) -> np.ndarray:
        """Return derivatives of rates and outputs by what varies, (ns + no,)."""
        if isinstance(self._over, Condition):
            return np.zeros(point.derivatives.size + point.values.size)
        if self._over.is_input:
            i = self._driver.inputs.index(self._over.name)
            return np.r_[point.B[:, i], point.D[:, i]]
        return np.asarray(point.by_parameters([self._over.name])[:, 0])

    def residual(
        self, unknowns: np.ndarray, value: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the chosen combinations of rates and conditions, and their derivatives."""
        return self._rows.of(*self._all(unknowns, value))

    def exponents(self, unknowns: np.ndarray, value: float) -> np.ndarray:
        """Return eigenvalues without the zeros that there always are."""
        A = self._at(unknowns, value).A[np.ix_(self._felt, self._felt)]
        found = np.linalg.eigvals(A).astype(complex)
        return np.delete(found, np.argsort(np.abs(found), kind="stable")[: self._zeros])

    def kind(self, exponent: complex, unknowns: np.ndarray, value: float) -> str:
        """Return "hopf" for one of a pair."""
        return "hopf" if exponent.imag else ""

    def accept(self, unknowns: np.ndarray, value: float) -> None:
        """Choose the equations anew.

        Raises
        ------
        SimulationError
            Rates remain that are not among them.
        """
        left, by_unknowns, by_value = self._all(unknowns, value)
        self._rows.choose(by_unknowns, by_value)
        worst, what = float(np.abs(left).max(initial=0.0)), "steady"
        if self._sought.at_rest:
            every = np.abs(self._at(unknowns, value).derivatives) / self._nominal
            worst, what = max(worst, float(every.max(initial=0.0))), "at rest"
        if not worst <= STEADY:
            raise SimulationError(
                f"{self._driver.name}: the system is not {what}: {worst:.3g} of a nominal rate or "
                "condition remains; choose other conditions"
                + (", or SteadyMotions(...)" if self._sought.at_rest else "")
            )

    def record(self, unknowns: np.ndarray, value: float) -> Record:
        """Return the data recorded for a solution."""
        point, driver = self._at(unknowns, value), self._driver
        _, _, parameters = self._placed(unknowns, value)
        shown = [i for i, name in enumerate(driver.outputs) if name not in driver.states]
        return Record(
            point.state.copy(),
            point.values[shown],
            np.array([parameters.get(name, driver.start(name)) for name in driver.parameters]),
            point.inputs_there.copy(),
        )


Search = Callable[[Mapping[str, float], Mapping[str, float], Mapping[str, float]], SteadyMotion]
"""Finds the first one for conditions, parameters and inputs."""


def steady_branch(
    driver: Driver, records: object, over: ParameterRange, sought: Sought, search: Search
) -> Beginning:
    """Return the first solution of a branch, where the range ``over`` begins.

    Raises
    ------
    ModelError
        A name is unknown, a value impossible, or what varies is given or found, too.
    SimulationError
        There is none near the start, or conditions are too few or too many.
    """
    equations, owner = records, f"continuation over {over.name}"
    parameters = checks.values("parameter", sought.parameters, equations.parameters)  # type: ignore[attr-defined]
    inputs = checks.values("input", sought.inputs, equations.inputs)  # type: ignore[attr-defined]
    met = None if sought.at_rest else _condition(driver, over.name)
    ends = (over.low, over.high)
    what = met or varied(equations, over.name, ends, parameters, inputs)  # type: ignore[arg-type]
    conditions = dict(sought.conditions)
    if over.name in conditions or over.name in sought.find:
        raise ModelError(f"{owner}: it varies; leave it out among the conditions and find")
    if isinstance(what, Varied):
        here, there = what.among(over.first, parameters, inputs)
    else:
        here, there = parameters, inputs
        conditions[over.name] = over.first
    try:
        first = search(conditions, here, there)
    except SimulationError as error:
        kind = "equilibrium" if sought.at_rest else "steady motion"
        raise SimulationError(
            f"continuation: no {kind} at {over.name} = {over.first:g} from this start; {error}"
        ) from error
    own = Sought(conditions, sought.find, here, there, sought.at_rest)
    family = SteadyFamily(driver, own, what, first, over.span)
    family.accept(family.start, over.first)
    return Beginning(family, what.unit, family.start, over.first)


def _condition(driver: Driver, name: object) -> Condition | None:
    """Return a state or output by name; None if there is none."""
    if name in (*driver.states, *driver.outputs):
        return Condition(str(name), driver.unit(str(name)))
    return None
