"""Steady motions of a driver's system: nothing changes but states on which nothing depends.

`mbcore.drivers.fmu_driver` uses it for FMUs; equations have a search of their own, which knows
their coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbcore.drivers.driver import Driver, Point, checked_names
from mbcore.equilibria.steady_motion import ACCURACY, SteadyMotion
from mbcore.model.errors import SimulationError
from mbcore.model.wording import listed

MOST_STEPS = 60
SMALLEST_PART = 1e-3
DEPENDENT = 1e-8
"""Singular value, relative to the largest, of a free direction."""


class SteadySearch:
    """Newton's method for a steady motion.

    Parameters
    ----------
    driver : Driver
        The system.
    ignorable : sequence of str
        States that may go on changing.
    conditions : mapping of str to float
        States or outputs with the values that they shall have.
    find : sequence of str
        Inputs that are found too.
    start, inputs, parameters : mapping of str to float
        Where the search begins.

    Raises
    ------
    ModelError
        A name is unknown.
    """

    def __init__(
        self,
        driver: Driver,
        ignorable: Sequence[str],
        conditions: Mapping[str, float],
        find: Sequence[str],
        start: Mapping[str, float],
        inputs: Mapping[str, float],
        parameters: Mapping[str, float],
    ) -> None:
        self._driver, self._conditions = driver, dict(conditions)
        self._owner = f"FMU {driver.name}"
        self._find = checked_names(self._owner, "input", find, driver.inputs)
        checked_names(self._owner, "condition", list(conditions), [*driver.states, *driver.outputs])
        self._ignorable, self._parameters = tuple(ignorable), dict(parameters)
        self._felt = [i for i, name in enumerate(driver.states) if name not in ignorable]
        self._inputs = {name: inputs.get(name, driver.start(name)) for name in driver.inputs}
        self._states = np.array([start.get(n, driver.start(n)) for n in driver.states])
        self._nominal = np.array([driver.nominal(name) for name in driver.states])

    def _at(self, states: np.ndarray, inputs: Mapping[str, float]) -> Point:
        return self._driver.point(0.0, states, inputs, self._parameters)

    def _equations(self, point: Point, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        """Return residuals, their derivatives, and how many of them are rates."""
        driver, nominal = self._driver, self._nominal
        found = [driver.inputs.index(name) for name in self._find]
        sizes = np.array([abs(self._inputs[name]) or 1.0 for name in self._find])
        rates = point.derivatives[self._felt] / nominal[self._felt]
        by = np.hstack([point.A * nominal, point.B[:, found] * sizes])[self._felt]
        rows, values = [by / nominal[self._felt][:, np.newaxis]], [rates]
        for name, wanted in self._conditions.items():
            if name in driver.states:
                i = driver.states.index(name)
                row = np.zeros(by.shape[1])
                row[i], value, size = 1.0, float(states[i]), float(nominal[i])
            else:
                i = driver.outputs.index(name)
                row = np.hstack([point.C[i] * nominal, point.D[i, found] * sizes])
                value, size = float(point.values[i]), max(abs(wanted), 1.0)
                row = row / size
            rows.append(row[np.newaxis])
            values.append(np.array([(value - wanted) / size]))
        return np.concatenate(values), np.vstack(rows), len(self._felt)

    def found(self) -> SteadyMotion:
        """Return the steady motion.

        Raises
        ------
        SimulationError
            There is none near the start, or conditions are too few or too many.
        """
        states, inputs = self._states.copy(), dict(self._inputs)
        point = self._at(states, inputs)
        left, slopes, rates = self._equations(point, states)
        for _ in range(MOST_STEPS):
            if np.abs(left).max(initial=0.0) <= ACCURACY * 1e-3:
                break
            step = np.linalg.lstsq(slopes, -left, rcond=DEPENDENT)[0]
            part, better = 1.0, None
            while better is None and part >= SMALLEST_PART:
                moved = self._moved(states, inputs, part * step)
                try:
                    there = self._at(*moved)
                except SimulationError:
                    part /= 2
                    continue
                trial = self._equations(there, moved[0])
                if np.abs(trial[0]).max(initial=0.0) < np.abs(left).max(initial=0.0):
                    better = moved
                    (states, inputs), point = moved, there
                    left, slopes, rates = trial
                part /= 2
            if better is None:
                break
        return self._judged(point, states, inputs, left, slopes, rates)

    def _moved(
        self, states: np.ndarray, inputs: Mapping[str, float], step: np.ndarray
    ) -> tuple[np.ndarray, dict[str, float]]:
        ns, moved = states.size, dict(inputs)
        for name, change in zip(self._find, step[ns:], strict=True):
            moved[name] += float(change) * (abs(self._inputs[name]) or 1.0)
        return states + step[:ns] * self._nominal, moved

    def _judged(
        self,
        point: Point,
        states: np.ndarray,
        inputs: Mapping[str, float],
        left: np.ndarray,
        slopes: np.ndarray,
        rates: int,
    ) -> SteadyMotion:
        """Return the motion; refuse one that is none, or one of a family."""
        driver, worst = self._driver, float(np.abs(left).max(initial=0.0))
        moving = [k for k in range(slopes.shape[1]) if k not in self._still()]
        free = len(moving) - _rank(slopes[:rates, moving])
        if not worst <= ACCURACY:
            raise SimulationError(
                f"{self._owner}: no steady motion near the guess; {worst:.3g} of a nominal rate or "
                f"condition remains; give a nearer guess or other conditions ({free} of them)"
            )
        if len(moving) > _rank(slopes[:, moving]):
            names = [*driver.states, *self._find]
            told = listed([names[k] for k in moving])
            raise SimulationError(
                f"{self._owner}: the steady motions are a family of dimension {free}, and "
                f"{len(self._conditions)} conditions are given; give one more, of {told}"
            )
        return SteadyMotion(
            dict(zip(driver.states, map(float, states), strict=True)),
            dict(zip(driver.outputs, map(float, point.values), strict=True)),
            self._ignorable,
            float(np.abs(left[:rates]).max(initial=0.0)),
            {name: float(value) for name, value in inputs.items()},
            free,
            {n: driver.unit(n) for n in (*driver.states, *driver.inputs, *driver.outputs)},
        )

    def _still(self) -> list[int]:
        return [i for i, name in enumerate(self._driver.states) if name in self._ignorable]


def _rank(matrix: np.ndarray) -> int:
    if not matrix.size:
        return 0
    sizes: Any = np.linalg.svd(matrix, compute_uv=False)
    return int((sizes > DEPENDENT * sizes[0]).sum()) if sizes[0] > 0 else 0
