"""A mechanism with some values of its parameters, as an objective sees it.

`mbcore.optimization.problem` makes it; it stands apart because users write objectives with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbcore.drivers.driver import Driver, checked_names, checked_times
from mbcore.model import checks
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError, SimulationError
from mbcore.model.near_names import Suggesting
from mbcore.optimization.eigenvalue_changes import EigenvalueChanges
from mbcore.optimization.stable_range import StableRange, stable_range
from mbcore.optimization.trial_points import TrialPoints
from mbcore.optimization.varied import Varied
from mbcore.periodic.varied_point import VariedPoint

STEPS = 30
"""Newton steps in which a steady motion has to be found."""


class Trial(Suggesting):
    """A mechanism with values of its parameters: what an objective is calculated of.

    ``trial["wheel.mass"]`` is the value of a parameter. All numbers are `Varied`: they have their
    derivatives by the parameters that are varied.

    Parameters
    ----------
    driver : Driver
        The system.
    values : mapping of str to float
        Values of the parameters that are varied.
    changes : EigenvalueChanges, optional
        Of the equations; by default made.
    tolerance : float
        Of simulations, relative.

    Attributes
    ----------
    driver, values
        As given.
    """

    def __init__(
        self,
        driver: Driver,
        values: Mapping[str, float],
        changes: EigenvalueChanges | None = None,
        tolerance: float = 1e-10,
    ) -> None:
        self.driver, self.values = driver, dict(values)
        self._changes, self._tolerance = changes, tolerance
        self._points = TrialPoints(driver, self.values)
        self._none = np.zeros(len(self.values))

    def __repr__(self) -> str:
        said = ", ".join(f"{name} = {value:.6g}" for name, value in self.values.items())
        return f"<trial of {self.driver.name}: {said}>"

    def __getitem__(self, name: str) -> Varied:
        """Return a parameter's value, with its derivative where it is varied."""
        if name in self.values:
            place = list(self.values).index(name)
            return Varied(self.values[name], np.eye(len(self.values))[place])
        checked_names(f"trial of {self.driver.name}", "parameter", (name,), self.driver.parameters)
        return Varied(self.driver.start(name), self._none)

    @explains_arguments
    def eigenvalues(
        self,
        states: Sequence[str] | None = None,
        *,
        at: Mapping[str, Any] | None = None,
        inputs: Mapping[str, float] | None = None,
        parameters: Mapping[str, float] | None = None,
    ) -> Varied:
        """Return eigenvalues of a steady motion, 1/s, complex, largest real part first.

        Parameters
        ----------
        states : sequence of str, optional
            States whose eigenvalues are wanted, on which no other has influence; by default all
            but those on which nothing depends.
        at : mapping of str to float or Varied, optional
            Values of states that differ from the start values, such as those of `steady`.
        inputs, parameters : mapping of str to float, optional
            Values that differ, parameters those that are not varied.

        Raises
        ------
        ModelError
            A name is unknown, the system is an FMU, the motion is not steady, or other states have
            influence.
        SimulationError
            Two eigenvalues coincide and have no derivative.
        """
        e, known = self._points.point(at, inputs, parameters)
        matrix, chosen = self._points.matrix(e, states)
        changes = self._own_changes()
        values, left, right = changes.at(e, matrix, chosen)
        slopes = [changes.slopes(e, *pair) for pair in zip(left.T, right.T, strict=True)]
        return Varied(values, np.array([self._points.by(e, known, slope) for slope in slopes]))

    @explains_arguments
    def stable_range(
        self,
        name: str,
        between: tuple[float, float],
        states: Sequence[str] | None = None,
        *,
        at: Mapping[str, float] | None = None,
        inputs: Mapping[str, float] | None = None,
        samples: int = 60,
    ) -> StableRange:
        """Return the longest range of a state, an input or a parameter in which all decays.

        Parameters
        ----------
        name : str
            State, input or parameter that is not varied, such as a speed.
        between : (float, float)
            Where it is searched.
        states, at, inputs
            As in `eigenvalues`.
        samples : int
            Values that are looked at; a range between two of them is not seen.

        Raises
        ------
        ModelError
            As in `eigenvalues`, or ``between`` is not rising.
        SimulationError
            No value is stable.
        """
        owner = f"stable_range of {self.driver.name}"
        low, high = checks.numbers(owner, "between", between, 2, "(1, 10)")
        if not low < high:
            raise ModelError(f"{owner}: between = {between!r}; the lower value comes first")
        checks.whole(owner, "samples", samples, 2)
        kind = self._points.kind(owner, name)
        given: dict[str, dict[str, Any]] = {
            "state": dict(at or {}),
            "input": dict(inputs or {}),
            "parameter": {},
        }

        def there(value: float) -> tuple[VariedPoint, np.ndarray, list[int]]:
            given[kind][name] = value
            e, _ = self._points.point(given["state"], given["input"], given["parameter"])
            return e, *self._points.matrix(e, states)

        def largest(value: float) -> float:
            _, matrix, chosen = there(value)
            values = np.linalg.eigvals(matrix[np.ix_(chosen, chosen)])
            return float(values.real.max(initial=-np.inf))

        def slope(value: float) -> np.ndarray:
            e, matrix, chosen = there(value)
            changes = self._own_changes()
            _, left, right = changes.at(e, matrix, chosen)
            found = changes.slopes(e, left[:, 0], right[:, 0]).real
            return -self._points.by(e, {}, found) / found[self._points.place(e, kind, name)]

        return stable_range(owner, np.linspace(low, high, samples), largest, slope)

    @explains_arguments
    def steady(
        self,
        states: Sequence[str],
        *,
        at: Mapping[str, float] | None = None,
        inputs: Mapping[str, float] | None = None,
    ) -> dict[str, Any]:
        """Return values of states at which their rates vanish, by Newton's method.

        Parameters
        ----------
        states : sequence of str
            States that are found; their first guess is in ``at`` or the start value.
        at : mapping of str to float, optional
            Values of states that differ from the start values, kept for the others.
        inputs : mapping of str to float, optional
            Values that differ.

        Returns
        -------
        dict of str to Varied or float
            Those found and those in ``at``, for ``at`` of other methods.

        Raises
        ------
        ModelError
            A name is unknown, or the system is an FMU.
        SimulationError
            There is none nearby, or it is singular.
        """
        owner = f"steady motion of {self.driver.name}"
        names = checked_names(owner, "state", states, self.driver.states)
        places = [self.driver.states.index(name) for name in names]
        given: dict[str, Any] = dict(at or {})
        for _ in range(STEPS):
            e, _ = self._points.point(given, inputs)
            rates, matrix = e.derivative()[places].copy(), e.rates_by_states(places)[places]
            try:
                step = np.linalg.solve(matrix, rates)
            except np.linalg.LinAlgError:
                raise SimulationError(
                    f"{owner}: rates of {', '.join(names)} do not determine their values; leave "
                    "out states on which nothing depends"
                ) from None
            found = e.s[places] - step
            size = np.array([self.driver.nominal(name) for name in names]) + np.abs(found)
            given |= dict(zip(names, map(float, found), strict=True))
            if (np.abs(step) <= 1e-13 * size).all() or (np.abs(rates) <= 1e-13 * size).all():
                break
        else:
            raise SimulationError(f"{owner}: no steady motion found in {STEPS} steps from there")
        e, _ = self._points.point(given, inputs)
        order = self._points.varied_places(e)
        matrix, pushed = e.rates_by_states(places)[places], self._points.rates_by(e, order)[places]
        slopes = -np.linalg.solve(matrix, pushed)
        return given | {
            name: Varied(given[name], slope) for name, slope in zip(names, slopes, strict=True)
        }

    @explains_arguments
    def outputs(
        self,
        names: Sequence[str],
        *,
        at: Mapping[str, Any] | None = None,
        times: Sequence[float] | np.ndarray = (0.0,),
        inputs: Mapping[str, float] | None = None,
    ) -> dict[str, Varied]:
        """Return outputs at rising times, s, with states as they are at first: a geometry.

        Motions that are prescribed as functions of time go on, states do not.

        Parameters
        ----------
        names : sequence of str
            Outputs.
        at, inputs
            As in `eigenvalues`.
        times : sequence of float
            s.

        Returns
        -------
        dict of str to Varied
            Values at the times.

        Raises
        ------
        ModelError
            A name is unknown, times do not rise, or the system is an FMU.
        ConfigurationError
            The mechanism cannot be assembled there.
        """
        owner = f"outputs of {self.driver.name}"
        rows = checked_times(owner, times)
        chosen = checked_names(owner, "output", names, self.driver.outputs)
        places = [self.driver.outputs.index(name) for name in chosen]
        e, known = self._points.point(at, inputs)
        values, slopes = [], []
        for time in rows:
            e.t[0] = time
            e.configure()
            e.accept()
            values.append(e.output()[places].copy())
            slopes.append(self._points.outputs_by(e, known)[places])
        value, slope = np.array(values), np.array(slopes)
        return {name: Varied(value[:, k], slope[:, k]) for k, name in enumerate(chosen)}

    @explains_arguments
    def response(
        self,
        times: Sequence[float] | np.ndarray,
        outputs: Sequence[str] | None = None,
        *,
        start: Mapping[str, float] | None = None,
        inputs: Mapping[str, Any] | None = None,
    ) -> dict[str, Varied]:
        """Return outputs of the motion from t = 0, at rising times, s; through events.

        Parameters
        ----------
        times : sequence of float
            s.
        outputs : sequence of str, optional
            Outputs, by default all.
        start, inputs
            As in `mbcore.driver` 's ``simulate``.

        Raises
        ------
        ModelError, ConfigurationError, SimulationError, FmuError
            As there.
        """
        found = self.driver.simulate(
            times,
            start=start,
            parameters=self.values,
            inputs=inputs,
            outputs=outputs,
            columns=tuple(self.values),
            tolerance=self._tolerance,
        )
        return {
            name: Varied(found.values[:, k], found.columns[:, k])
            for k, name in enumerate(found.outputs)
        }

    def _own_changes(self) -> EigenvalueChanges:
        if self._changes is None:
            self._changes = EigenvalueChanges(self._points.equations())
        return self._changes
