"""An FMU in Model Exchange that is placed at any point: rates, indicators, outputs, derivatives.

It runs in the process that `mbcore.drivers.fmu_process` starts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from ctypes import POINTER, c_double
from pathlib import Path
from typing import Any

import numpy as np
from fmpy.fmi1 import FMICallException

from mbcore.drivers.differences import CENTRAL
from mbcore.drivers.fmu_channel import MessageLimit
from mbcore.fmi.running.capabilities import Capabilities, capabilities
from mbcore.fmi.running.followed_inputs import FollowedInputs
from mbcore.fmi.running.importing import Importing
from mbcore.fmi.running.model_exchange import ModelExchange
from mbcore.model.errors import ModelError, SimulationError

FIFTH = 1 / 5
"""Power of the noise that is the best step of a difference of fourth order."""
LEAST_NOISE = 2e-16
PROBES = 7
"""Evaluations whose differences tell the noise."""
APART = 1e-9
"""Their distance, in nominal values."""
SIZES = (8, 16, 32, 64)
"""Of integers of FMI 3.0, bits."""
WHOLE = ("Integer", "Enumeration", "Boolean", *(f"{u}Int{n}" for u in ("", "U") for n in SIZES))
"""Types of variables that are whole numbers, or may be written so."""
FAILURES = (FMICallException, SimulationError)


class FmuPoint(ModelExchange):
    """An FMU in Model Exchange, placed at times and states by others.

    Parameters
    ----------
    path : path
        The FMU.
    beat : callable
        Called at each evaluation with the time, s.

    Attributes
    ----------
    states, outputs : tuple of str
        Names of the continuous states, and of real outputs.
    nominal : ndarray, shape (ns,)
        Of the states.
    noise : float
        Relative error of the rates, that differences must exceed.
    has_derivatives, saves_state : bool
        What its Model Exchange can do.
    evaluations : int
        Of the rates.
    """

    def __init__(self, path: Path, beat: Callable[[float], None]) -> None:
        self.can: Capabilities = capabilities(path)
        offered = self.can.model_exchange
        if offered is None:
            raise ModelError(
                f"{path} offers no Model Exchange, in which an FMU has states and rates; "
                "export it with Model Exchange, or simulate and fit it as it is"
            )
        self.has_derivatives, self.saves_state = offered.has_derivatives, offered.saves_state
        self._beat, self._limit = beat, MessageLimit()
        self.evaluations = 0
        super().__init__(path, importing=Importing(log=self._limit.note))
        self.states = tuple(self.rates)
        self._rates = tuple(self.rates.values())
        variables = {v.name: v for v in self.description.modelVariables}
        self._types = {name: variable.type for name, variable in variables.items()}
        reals = ("Real", "Float64", "Float32")
        self.outputs = tuple(
            name
            for name in self.variables.outputs
            if variables[self.variables.whole(name)].type in reals
        )
        ns, nz = len(self.states), int(self.description.numberOfEventIndicators)
        self._x, self._dx, self._z = np.zeros(ns), np.zeros(ns), np.zeros(nz)
        own = (self._x, self._dx, self._z)
        self._of = [array.ctypes.data_as(POINTER(c_double)) for array in own]
        self.nominal = self._nominals()
        self.noise = LEAST_NOISE

    def _explained(self, what: str) -> str:
        return f"FMU {self.name}, t = {self.time:.9g} s: {what}{self._limit.said}"

    def begin(
        self, start: Mapping[str, Any], inputs: Mapping[str, Callable[[float], float]]
    ) -> None:
        """Begin anew with start values, and inputs over time.

        Raises
        ------
        ModelError
            A name is unknown or cannot have a start value.
        SimulationError
            The FMU fails.
        """
        self._limit.begin()
        self.variables.check_inputs("inputs", inputs)
        self.inputs = FollowedInputs(self.description, inputs, ())
        self.restart({name: self._typed(name, value) for name, value in start.items()})
        self.nominal = self._nominals()

    def _typed(self, name: str, value: Any) -> Any:
        """Return a start value as its variable's type wants it."""
        if self._types.get(name) not in WHOLE:
            return value
        if value != int(value):
            raise ModelError(f"FMU {self.name}: {name} = {value}; give a whole number")
        return int(value)

    def _nominals(self) -> np.ndarray:
        found = np.zeros(len(self.states))
        self._call(
            self._fmu.getNominalsOfContinuousStates,
            found.ctypes.data_as(POINTER(c_double)),
            found.size,
        )
        return np.where((found > 0) & np.isfinite(found), found, 1.0)

    def present(self) -> np.ndarray:
        """Return the present states, shape (ns,)."""
        self._call(self._fmu.getContinuousStates, self._of[0], self._x.size)
        return self._x.copy()

    def place(self, t: float, x: np.ndarray) -> None:
        """Go to a time, s, and states, (ns,), in Continuous-Time Mode."""
        self.time = t
        self._beat(t)
        self._move(t)
        self._x[:] = x
        self._call(self._fmu.setContinuousStates, self._of[0], self._x.size)

    def rates_at(self, t: float, x: np.ndarray) -> np.ndarray:
        """Return the rates of the states at a time, s, and states, (ns,)."""
        self.place(t, x)
        self.evaluations += 1
        late = self.version == "3.0"
        get = self._fmu.getContinuousStateDerivatives if late else self._fmu.getDerivatives
        self._call(get, self._of[1], self._dx.size)
        return self._dx.copy()

    def rates_or_nan(self, t: float, x: np.ndarray) -> np.ndarray:
        """Return the rates; NaN where the FMU refuses the point, which shortens a step."""
        if not np.isfinite(x).all():
            return np.full(x.shape, np.nan)
        try:
            return self.rates_at(t, x)
        except FAILURES as failure:
            self.failure = failure
            return np.full(x.shape, np.nan)

    failure: Exception | None = None
    """Why it refused a point last."""

    def indicators_at(self, t: float, x: np.ndarray) -> np.ndarray:
        """Return the event indicators at a time, s, and states, (ns,)."""
        self.place(t, x)
        if self._z.size:
            self._call(self._fmu.getEventIndicators, self._of[2], self._z.size)
        return self._z.copy()

    def outputs_at(self, t: float, x: np.ndarray) -> np.ndarray:
        """Return the outputs at a time, s, and states, (ns,)."""
        self.place(t, x)
        return np.array(self.get(self.outputs))

    def both_at(self, t: float, x: np.ndarray) -> np.ndarray:
        """Return rates, then outputs."""
        return np.concatenate([self.rates_at(t, x), self.get(self.outputs)])

    def segment_to(self, stop: float) -> None:
        """Let inputs have the values before a jump at the end of what is integrated next, s."""
        self._segment_end = stop

    @property
    def next_event(self) -> float:
        """Time of the next time event, s."""
        return self._next_event

    def expect(self, time: float) -> None:
        """Expect the next time event at a time, s, as before a state was restored."""
        self._next_event = time

    def needs_event(self) -> bool:
        """Tell the FMU that a step is complete; return whether it asks for an event."""
        if not self.description.modelExchange.needsCompletedIntegratorStep:
            return False
        stepped, ended = self._call(self._fmu.completedIntegratorStep)
        self._refuse_end(ended)
        return bool(stepped)

    def pass_event(self) -> np.ndarray:
        """Process an event at the present point; return the states behind it, (ns,)."""
        self._event()
        return self.present()

    def measure_noise(self, t: float, x: np.ndarray) -> None:
        """Measure the error of the rates, by differences of neighbours, after [MoreWild2011]."""
        wave = self.nominal * np.cos(1.0 + np.arange(x.size))
        rows = np.array([self.rates_at(t, x + k * APART * wave) for k in range(PROBES)])
        size, found = np.abs(rows).max(axis=0) + 1e-300, LEAST_NOISE
        order, differences = PROBES - 2, rows
        for _ in range(order):
            differences = np.diff(differences, axis=0)
        share = math.factorial(order) ** 2 / math.factorial(2 * order)
        level = np.sqrt(share * np.mean(differences**2, axis=0)) / size
        found = max(found, float(level.max(initial=0.0)))
        self.noise = min(found, 1e-6) if math.isfinite(found) else LEAST_NOISE
        self.place(t, x)

    @property
    def step(self) -> float:
        """Step of differences, in nominal values."""
        return float(max(self.noise, LEAST_NOISE) ** FIFTH)

    def slopes(
        self, t: float, x: np.ndarray, by: Sequence[str] = (), outputs: bool = False
    ) -> np.ndarray:
        """Return derivatives of rates, and of outputs where asked, by states, then ``by`` names.

        Shape (ns, ns + n) or (ns + no, ns + n). Names are inputs, or parameters where the FMU gives
        directional derivatives.
        """
        self.place(t, x)
        if self.has_derivatives:
            of = [*self._rates, *(self.outputs if outputs else ())]
            return self._taken(self.jacobian(of, [*self.states, *by]), len(of))
        function = self.both_at if outputs else self.rates_at
        columns = []
        for i, size in enumerate(self.nominal):
            h, along = self.step * size, np.zeros(x.size)
            along[i] = h
            ends = [weight * function(t, x + at * along) for at, weight in CENTRAL]
            columns.append(np.sum(ends, axis=0) / h)
        self.place(t, x)
        for name in by:
            columns.append(self._by_input(name, t, x, function))
        rows = x.size + (len(self.outputs) if outputs else 0)
        return np.column_stack(columns) if columns else np.zeros((rows, 0))

    def _taken(self, found: np.ndarray, rows: int) -> np.ndarray:
        return found.reshape(rows, -1) if found.size else np.zeros((rows, 0))

    def _by_input(
        self, name: str, t: float, x: np.ndarray, function: Callable[..., np.ndarray]
    ) -> np.ndarray:
        """Return a column by differences of an input."""
        held = self.get([name])[0]
        variable = next(
            v for v in self.description.modelVariables if v.name == self.variables.whole(name)
        )
        h = self.step * max(abs(held), float(variable.nominal or 1.0))
        ends = []
        for at, weight in CENTRAL:
            self.set({name: held + at * h})
            ends.append(weight * function(t, x))
        self.set({name: held})
        return np.asarray(np.sum(ends, axis=0) / h)

    def output_slopes(self, t: float, x: np.ndarray, by: Sequence[str] = ()) -> np.ndarray:
        """Return derivatives of outputs by states, then ``by`` parameters, (no, ns + n)."""
        self.place(t, x)
        if self.has_derivatives:
            known = [*self.states, *by]
            return self._taken(self.jacobian(self.outputs, known), len(self.outputs))
        return self.slopes(t, x, (), True)[x.size :]

    def change_by(self, parameter: str, t: float, x: np.ndarray) -> np.ndarray | None:
        """Return the rates' directional derivative by a parameter, (ns,); None without one."""
        if not self.has_derivatives or not self.states:
            return None
        try:
            self.place(t, x)
            found = self.jacobian(self._rates, [parameter])[:, 0]
        except FAILURES:
            self._limit.begin()
            return None
        return found if np.isfinite(found).all() else None

    def indicator_slopes(self, t: float, x: np.ndarray, which: int) -> np.ndarray:
        """Return the derivative of an indicator by the states, by differences, (ns,)."""
        found = np.zeros(x.size)
        for i, size in enumerate(self.nominal):
            h, along = self.step * size, np.zeros(x.size)
            along[i] = h
            found[i] = (
                sum(w * self.indicators_at(t, x + at * along)[which] for at, w in CENTRAL) / h
            )
        self.place(t, x)
        return found
