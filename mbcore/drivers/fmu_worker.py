"""The process of a foreign FMU, which answers requests of `mbcore.drivers.fmu_process`.

Each question is the name of a method of `ModelExchangeWorker` or `CosimulationWorker`, and its
arguments; the answer is its result, or an error's kind and text. In between the worker tells that
it is alive, and asks for inputs that are functions of time.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fmpy.fmi1 import FMICallException

from mbcore.drivers.cosimulation_worker import CosimulationWorker
from mbcore.drivers.fmu_channel import Channel, end_with_parent, signals
from mbcore.drivers.fmu_jump import NoDerivativeError
from mbcore.drivers.fmu_motion import FmuMotion, Part, Steps
from mbcore.drivers.fmu_notes import Notes, Recording
from mbcore.drivers.fmu_point import WHOLE, FmuPoint
from mbcore.drivers.fmu_variation import bounds_of, varied
from mbcore.fmi.running.capabilities import capabilities
from mbcore.model.errors import ModelError, SimulationError

FINE = 1e-12
"""Tolerance of runs that are compared."""
ASIDE = 0.1
"""Distance from the start, in nominal values, at which an FMU's derivatives are compared."""
PLACES = 7
"""Places at which influences of states, and of time, are looked at."""
UNSEEN = 1e-8
"""Change of an indicator with a state, in parts of its size, that counts as none."""
SPAN = 1e-6
"""Part of a period over which the change of rates with time is taken, each side."""
LIES = 1e-4
"""Relative difference up to which they agree with a difference."""


class ModelExchangeWorker:
    """An FMU in Model Exchange in this process, which answers questions.

    Parameters
    ----------
    path : str
        The FMU.
    channel : Channel
        To the parent.
    """

    def __init__(self, path: str, channel: Channel) -> None:
        self._path, self._channel = Path(path), channel
        self._point = FmuPoint(self._path, channel.beat)
        self._records = {
            one: v
            for v in self._point.description.modelVariables
            for one in self._point.variables.elements(v.name)
        }
        self._trusted: dict[str, bool] = {}

    def about(self) -> dict[str, Any]:
        """Return all that the driver tells of the FMU."""
        point, records = self._point, self._records
        reals = ("Real", "Float64", "Float32")
        parameters = [
            name
            for name, v in records.items()
            if v.causality == "parameter"
            and v.type in reals
            and not (v.dimensions and name in point.variables.arrays)
        ]
        inputs = [name for name in point.variables.inputs if records[name].type in reals]
        choices = [
            name
            for name, v in records.items()
            if v.causality == "parameter" and v.type in WHOLE and not v.dimensions
        ]
        names = [*point.states, *inputs, *point.outputs, *parameters, *choices]
        point.begin({}, {})
        if point.states:
            point.measure_noise(0.0, point.present())
        values = dict(zip(names, point.get(names), strict=True))
        return {
            "interface": "Model Exchange",
            "name": point.name,
            "version": point.version,
            "states": point.states,
            "started": point.states,
            "inputs": tuple(inputs),
            "outputs": point.outputs,
            "parameters": tuple(parameters),
            "choices": tuple(choices),
            "units": {name: point.variables.unit(name) for name in names},
            "starts": values,
            "bounds": {name: bounds_of(records[name]) for name in names},
            "nominal": dict(zip(point.states, point.nominal.tolist(), strict=True)),
            "has_derivatives": point.has_derivatives,
            "saves_state": point.saves_state,
            "noise": point.noise,
            "indicators": int(point.description.numberOfEventIndicators),
            "step": None,
        }

    def _begin(self, values: Mapping[str, Any], inputs: Mapping[str, Any]) -> np.ndarray:
        """Begin with start values of any kind, and inputs over time; return the states.

        States that take no start value are set behind the initialization.
        """
        point = self._point
        later: dict[str, float] = {}
        first: dict[str, Any] = {}
        for name, value in values.items():
            is_state = name in point.states
            variable = self._records.get(name)
            takes = variable is None or variable.initial in ("exact", "approx")
            (later if is_state and not takes else first)[name] = value
        point.begin(first, signals(inputs, self._channel))
        x = point.present()
        for name, value in later.items():
            x[point.states.index(name)] = value
        if later:
            point.place(0.0, x)
        return x

    def point(
        self,
        t: float,
        values: Mapping[str, float],
        by: Sequence[str],
        parameters: Sequence[str] = (),
    ) -> dict[str, np.ndarray]:
        """Return rates, outputs and their derivatives at a time, s, and start values.

        By states and inputs, or by ``parameters`` alone where there are some.
        """
        x = self._begin(values, {})
        both = self._point.both_at(t, x)
        if not parameters:
            return {"both": both, "state": x, "slopes": self._point.slopes(t, x, by, True)}
        given = {**values, **dict(zip(self._point.states, x.tolist(), strict=True))}
        columns = []
        for name in parameters:
            if self._takes(name, given):
                self._begin(given, {})
                self._point.place(t, x)
                of = [*self._point.rates.values(), *self._point.outputs]
                columns.append(self._point.jacobian(of, [name])[:, 0])
            else:
                columns.append(self._varied(name, given, lambda v: self._at_state(t, x, v)))
        return {"columns": np.column_stack(columns)}

    def _at_state(self, t: float, x: np.ndarray, values: Mapping[str, float]) -> np.ndarray:
        self._begin(values, {})
        return self._point.both_at(t, x)

    def _varied(
        self,
        name: str,
        values: Mapping[str, float],
        function: Callable[[Mapping[str, float]], np.ndarray],
    ) -> np.ndarray:
        """Return the derivative of a function of all start values by one, by differences."""
        record = self._records[name]
        value = float(values[name]) if name in values else self._value(name, values)
        state = name in self._point.states
        nominal = self._point.nominal[self._point.states.index(name)] if state else None
        return varied(name, values, value, record, function, nominal=nominal)

    def _takes(self, name: str, values: Mapping[str, float]) -> bool:
        """Return whether the FMU's derivatives by a parameter are there, and true.

        Some give zero by parameters that they take for constant, so one is compared with a
        difference, beside the start, where hardly anything vanishes by chance.
        """
        if name not in self._trusted:
            x = self._begin(values, {})
            x = x + ASIDE * self._point.nominal * np.cos(1.0 + np.arange(x.size))
            told = self._point.change_by(name, 0.0, x)
            self._trusted[name] = told is not None and self._agrees(name, values, x, told)
        return self._trusted[name]

    def _agrees(
        self, name: str, values: Mapping[str, float], x: np.ndarray, told: np.ndarray
    ) -> bool:
        def rates(start: Mapping[str, float]) -> np.ndarray:
            self._begin(start, {})
            return self._point.rates_at(0.0, x)

        try:
            seen = self._varied(name, values, rates)
        except (ModelError, SimulationError):
            return False
        return bool((np.abs(seen - told) <= LIES * (1e-3 + np.abs(seen) + np.abs(told))).all())

    def _value(self, name: str, values: Mapping[str, float]) -> float:
        self._begin(values, {})
        return self._point.get([name])[0]

    def simulate(
        self,
        times: np.ndarray,
        values: Mapping[str, float],
        inputs: Mapping[str, Any],
        outputs: Sequence[str],
        columns: Sequence[str],
        tolerance: float,
    ) -> dict[str, Any]:
        """Return the motion at times, s, with columns by states' starts and parameters."""
        compared: list[str] = []
        try:
            found = self._course(times, values, inputs, outputs, columns, tolerance)
            compared = found.pop("compared")
        except NoDerivativeError:
            compared = list(columns)
            found = self._course(times, values, inputs, outputs, (), tolerance)
            found["columns"] = np.zeros((*found["values"].shape, len(columns)))
            found["state_columns"] = np.zeros((*found["states"].shape, len(columns)))
        for name in compared:
            k, count = list(columns).index(name), found["evaluations"]

            def run(start: Mapping[str, float]) -> np.ndarray:
                fine = min(FINE, tolerance)
                course = self._course(times, start, inputs, outputs, (), fine)
                found["evaluations"] += course["evaluations"]
                return np.hstack([course["values"], course["states"]])

            both = self._varied(name, values, run)
            assert found["evaluations"] >= count
            found["columns"][:, :, k] = both[:, : len(outputs)]
            found["state_columns"][:, :, k] = both[:, len(outputs) :]
        found["compared"] = tuple(compared)
        return found

    def rates(self, values: Mapping[str, float], t: float, x: np.ndarray) -> np.ndarray:
        """Return the rates at a time, s, and states, (ns,), in the modes of the start."""
        self._begin({**values, **self._named(x)}, {})
        return self._point.rates_at(t, x)

    def _named(self, x: np.ndarray) -> dict[str, float]:
        return dict(zip(self._point.states, map(float, x), strict=True))

    def influence(self, values: Mapping[str, float], x: np.ndarray, span: float) -> np.ndarray:
        """Return how much each state changes the rates of all, (ns, ns), around a state.

        In nominal values, the largest of some places in the time span, s. A state that indicators
        depend on counts as influencing itself.
        """
        point, n = self._point, x.size
        found = np.zeros((n, n))
        self._begin({**values, **self._named(x)}, {})
        size = point.nominal
        for k in range(PLACES):
            wave = np.sin(1.0 + np.arange(n) * (k + 1.7))
            with contextlib.suppress(SimulationError, FMICallException):
                at, place = k * span / PLACES, x + ASIDE * wave * size
                slopes = np.abs(np.nan_to_num(point.slopes(at, place)))
                found = np.fmax(found, slopes * size / size[:, np.newaxis])
                for which in range(int(point.description.numberOfEventIndicators)):
                    changes = np.abs(point.indicator_slopes(at, place, which)) * size
                    level = abs(point.indicators_at(at, place)[which]) + changes.max(initial=0.0)
                    seen = changes > UNSEEN * level
                    found[seen, seen] = np.fmax(found[seen, seen], 1.0)
        return found

    def later(
        self, values: Mapping[str, float], inputs: Mapping[str, Any], x: np.ndarray, period: float
    ) -> list[tuple[float, np.ndarray, np.ndarray, np.ndarray]]:
        """Return, at some times, s: rates, their change with time, and rates a period later."""
        point, rows = self._point, []
        self._begin({**values, **self._named(x)}, inputs)
        for k in range(2 * PLACES):
            t, h = period * (k // 2 + 0.618) / PLACES, SPAN * period
            wave = (k % 2) * np.sin(1.0 + np.arange(x.size) * (k + 1.7))
            place = x + ASIDE * wave * point.nominal
            with contextlib.suppress(SimulationError, FMICallException):
                now = point.rates_at(t, place)
                slope = (point.rates_at(t + h, place) - point.rates_at(t - h, place)) / (2 * h)
                rows.append((t, now, slope, point.rates_at(t + period, place)))
        return rows

    def record(
        self,
        values: Mapping[str, float],
        inputs: Mapping[str, Any],
        x: np.ndarray,
        span: float,
        tolerance: float,
    ) -> dict[str, Any]:
        """Return states and outputs at the interpolation points of all steps of a time span, s."""
        kept = Recording(self._point)
        own = {**values, **self._named(x)}
        found = self._course(np.array([span]), own, inputs, (), (), tolerance, kept.add)
        return {**kept.found(), **found}

    def segments(
        self,
        values: Mapping[str, float],
        inputs: Mapping[str, Any],
        starts: np.ndarray,
        times: np.ndarray,
        still: Sequence[int],
        how: tuple[float, bool, bool],
    ) -> dict[str, Any]:
        """Return the motion in segments, each from its own states in the modes before it.

        Parameters
        ----------
        starts : ndarray, shape (n, ns)
            States at their beginnings; later ones are those at the end before where there is but
            one row, and those of the states ``still`` always are.
        times : ndarray, shape (n + 1,)
            Their ends, s.
        how : tuple of float, bool and bool
            Tolerance, and whether derivatives and a recording are wanted.
        """
        tolerance, wanted, record = how
        point = self._point
        x = self._begin(values, inputs)
        recording = Recording(point)
        keep = recording.add if record else _ignore
        first = np.eye(x.size)[:, : x.size * wanted]
        motion = FmuMotion(point, 0.0, (), Steps(tolerance, tolerance), wanted, keep, first)
        found = motion.segments(starts, times, still)
        return {"segments": found, **recording.found()}

    def _starting(
        self, values: Mapping[str, float], inputs: Mapping[str, Any], columns: Sequence[str]
    ) -> np.ndarray:
        """Return derivatives of the first states by start values, (ns, n)."""
        found = [self._varied(name, values, lambda v: self._begin(v, inputs)) for name in columns]
        return np.column_stack(found) if found else np.zeros((len(self._point.states), 0))

    def _course(
        self,
        times: np.ndarray,
        values: Mapping[str, float],
        inputs: Mapping[str, Any],
        outputs: Sequence[str],
        columns: Sequence[str],
        tolerance: float,
        on_each: Callable[[Part], None] | None = None,
    ) -> dict[str, Any]:
        """Return the motion; ``compared`` has the columns that are left to whole runs."""
        point = self._point
        began = point.evaluations
        starting = self._starting(values, inputs, columns)
        by = [name for name in columns if name not in point.states]
        if not all(self._takes(name, values) for name in by):
            by = []
        x = self._begin(values, inputs)
        kept = [name for name in columns if name in point.states] + by
        notes = Notes(point, times, outputs, columns, kept, len(by))

        def on_part(part: Part) -> None:
            if on_each is not None:
                on_each(part)
            notes.add(part)

        steps, wanted = Steps(tolerance, tolerance), bool(kept)
        begun = starting[:, [list(columns).index(name) for name in kept]]
        motion = FmuMotion(point, 0.0, by, steps, wanted, on_part, begun)
        if times[0] == 0.0:
            notes.note(0, x, motion.columns)
        motion.go(float(times[-1]))
        compared = [name for name in columns if name not in kept]
        if motion.shifted:
            compared = [name for name in columns if name not in point.states]
        return {
            **notes.found(),
            "evaluations": point.evaluations - began,
            "events": tuple(motion.events),
            "compared": compared,
        }


def _ignore(part: Part) -> None:
    """Keep nothing of a step."""


def _opened(path: str, channel: Channel) -> Any:
    """Return what answers questions: by Model Exchange where the FMU offers it."""
    offered = capabilities(Path(path))
    if offered.model_exchange is None and offered.cosimulation is not None:
        return CosimulationWorker(path, channel)
    return ModelExchangeWorker(path, channel)


def main() -> None:
    """Answer questions until there are no more."""
    read, write = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the FMU prints must not be taken for answers
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    end_with_parent()
    channel = Channel(read, write)
    worker: Any = None
    while True:
        try:
            question, arguments = channel.receive()
        except EOFError:
            return
        try:
            if question == "open":
                worker = _opened(str(arguments[0]), channel)
                answer: Any = worker.about()
            else:
                answer = getattr(worker, question)(*arguments)
            channel.send(("answer", answer))
        except ModelError as error:
            channel.send(("ModelError", str(error)))
        except SimulationError as error:
            channel.send(("SimulationError", str(error)))
        except BaseException as error:
            channel.send(("failure", f"{type(error).__name__}: {error}"))
