"""An FMU that offers Co-Simulation alone, in its process: whole runs, and their differences.

It solves its own equations, so its states are unknown and nothing of it but a whole run can be
differentiated. `mbcore.drivers.fmu_worker` answers questions about it by this.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mbcore.drivers.fmu_channel import Channel, MessageLimit, signals
from mbcore.drivers.fmu_variation import bounds_of, variation_size, varied
from mbcore.fmi.running.cosimulation import CoSimulation
from mbcore.fmi.running.followed_inputs import FollowedInputs
from mbcore.fmi.running.importing import Importing
from mbcore.model.errors import ModelError, SimulationError

REALS = ("Real", "Float64", "Float32")
PARTS = 500
"""Steps of a run at least, where the description has no step size."""
PROBES = 7
"""Runs whose differences tell the noise, after [MoreWild2011]."""
BESIDE = 1e-6
"""Their distance, in parts of a value."""
LEAST_NOISE = 2e-16
FIFTH = 1 / 5
"""Power of the noise that is the best step of a difference of fourth order."""
STEPS = (1e-3, 5e-2)
"""Least and largest step of differences, in parts of a value."""
SAME = 1e-9
"""Part of a step within which a time is one of its multiples."""


class CosimulationRun(CoSimulation):
    """An FMU in Co-Simulation that begins again and again.

    Parameters
    ----------
    path : Path
        The FMU.
    limit : MessageLimit
        Takes its messages.
    """

    def __init__(self, path: Path, limit: MessageLimit) -> None:
        self.limit, self._step = limit, math.inf
        super().__init__(path, importing=Importing(log=limit.note))

    @property
    def longest(self) -> float | None:
        """Longest step where moving inputs are held, s; None where the FMU's steps are equal."""
        return self._step if self.takes_any_step else None

    @property
    def takes_any_step(self) -> bool:
        """Whether its steps may differ."""
        return bool(self.description.coSimulation.canHandleVariableCommunicationStepSize)

    @property
    def step_told(self) -> float | None:
        """The step size of its description, s."""
        found = self.description.defaultExperiment
        told = None if found is None else found.stepSize
        return float(told) if told is not None and 0 < float(told) < math.inf else None

    def begin(
        self,
        start: Mapping[str, float],
        inputs: Mapping[str, Callable[[float], float]],
        step: float,
        tolerance: float | None,
    ) -> None:
        """Begin anew; an FMU that cannot be reset is instantiated again.

        Raises
        ------
        ModelError
            A name is unknown or cannot have a start value.
        SimulationError
            The FMU fails.
        """
        self.limit.begin()
        self.variables.check_start(start)
        self.variables.check_inputs("inputs", inputs)
        self.inputs = FollowedInputs(self.description, inputs, ())
        self._tolerance, self._step, self._passed = tolerance, step, 0.0
        try:
            self._call(self._fmu.reset)
        except SimulationError:
            self._fmu.freeInstance()
            self._begin()
        self.time = 0.0
        self._initialize(start)

    def _explained(self, what: str) -> str:
        return f"FMU {self.name}, t = {self.time:.9g} s: {what}{self.limit.said}"


class CosimulationWorker:
    """An FMU in Co-Simulation in this process, which answers questions.

    Parameters
    ----------
    path : str
        The FMU.
    channel : Channel
        To the parent.
    """

    def __init__(self, path: str, channel: Channel) -> None:
        self._channel = channel
        self._run = CosimulationRun(Path(path), MessageLimit())
        variables = self._run.variables
        self._records = {
            one: v
            for v in self._run.description.modelVariables
            if v.type in REALS
            for one in variables.elements(v.name)
        }
        self._outputs = tuple(name for name in variables.outputs if name in self._records)
        self._noise: float | None = None

    def about(self) -> dict[str, Any]:
        """Return all that the driver tells of the FMU."""
        run, records = self._run, self._records
        parameters = [name for name, v in records.items() if v.causality == "parameter"]
        inputs = [name for name in run.variables.inputs if name in records]
        started = [
            name
            for name, v in records.items()
            if v.causality in ("local", "output") and v.initial in ("exact", "approx")
        ]
        names = list(dict.fromkeys([*started, *inputs, *self._outputs, *parameters]))
        return {
            "interface": "Co-Simulation",
            "name": run.name,
            "version": run.version,
            "states": (),
            "started": tuple(started),
            "inputs": tuple(inputs),
            "outputs": self._outputs,
            "parameters": tuple(parameters),
            "units": {name: run.variables.unit(name) for name in names},
            "starts": dict(zip(names, run.get(names), strict=True)),
            "bounds": {name: bounds_of(records[name]) for name in names},
            "nominal": {},
            "has_derivatives": False,
            "saves_state": False,
            "noise": LEAST_NOISE,
            "indicators": 0,
            "step": run.step_told,
        }

    def simulate(
        self,
        times: np.ndarray,
        values: Mapping[str, float],
        inputs: Mapping[str, Any],
        outputs: Sequence[str],
        columns: Sequence[str],
        tolerance: float | None,
        step: float | None,
    ) -> dict[str, Any]:
        """Return outputs at times, s, with columns by parameters and start values.

        Columns come by differences of whole runs, whose distance follows from the runs' noise.
        """
        longest = step or self._run.step_told or max(float(times[-1]), 1e-9) / PARTS
        count = 0

        def course(start: Mapping[str, float]) -> np.ndarray:
            nonlocal count
            found, steps = self._course(times, start, inputs, outputs, longest, tolerance)
            count += steps
            return found

        found, n, no = course(values), len(times), len(outputs)
        by = np.zeros((n, no, len(columns)))
        for k, name in enumerate(columns):
            value, record = self._value(name, values), self._records[name]
            if self._noise is None:
                self._noise = self._measured_noise(name, values, value, course)
            apart = min(max(self._noise**FIFTH, STEPS[0]), STEPS[1])
            by[:, :, k] = varied(name, values, value, record, course, apart=apart)
        return {
            "values": found,
            "states": np.zeros((n, 0)),
            "columns": by,
            "state_columns": np.zeros((n, 0, len(columns))),
            "evaluations": count,
            "events": (),
            "compared": tuple(columns),
            "noise": self._noise or LEAST_NOISE,
        }

    def _value(self, name: str, values: Mapping[str, float]) -> float:
        if name in values:
            return float(values[name])
        self._run.begin(values, {}, math.inf, None)
        return self._run.get([name])[0]

    def _measured_noise(
        self,
        name: str,
        values: Mapping[str, float],
        value: float,
        course: Callable[[Mapping[str, float]], np.ndarray],
    ) -> float:
        """Return the relative error of runs, by differences of runs that lie close together."""
        record = self._records[name]
        size = max(abs(value), variation_size(value, record))
        low, high = bounds_of(record)
        side = 1.0 if value + PROBES * BESIDE * size <= high else -1.0
        places = np.clip(value + side * BESIDE * size * np.arange(PROBES), low, high)
        rows = np.array([course({**values, name: float(at)}) for at in places])
        largest, order = np.abs(rows).max(axis=(0, 1)) + 1e-300, PROBES - 2
        share = math.factorial(order) ** 2 / math.factorial(2 * order)
        level = np.sqrt(share * np.mean(np.diff(rows, order, axis=0) ** 2, axis=0)) / largest
        found = float(level.max(initial=0.0))
        return max(found, LEAST_NOISE) if math.isfinite(found) else LEAST_NOISE

    def _course(
        self,
        times: np.ndarray,
        values: Mapping[str, float],
        inputs: Mapping[str, Any],
        outputs: Sequence[str],
        longest: float,
        tolerance: float | None,
    ) -> tuple[np.ndarray, int]:
        """Return outputs at times, s, and the number of steps."""
        run, count, moment = self._run, 0, 0.0
        run.begin(values, signals(inputs, self._channel), longest, tolerance)
        rows = []
        for wanted in self._reached(times, longest):
            pieces = max(1, math.ceil((wanted - moment) / longest - SAME))
            for k in range(1, pieces + 1):
                if wanted > moment:
                    self._channel.beat(run.time)
                    run.advance(moment + k * (wanted - moment) / pieces)
                    count += 1
            moment = wanted
            rows.append(run.get(outputs))
        return np.array(rows).reshape(len(times), len(outputs)), count

    def _reached(self, times: np.ndarray, step: float) -> list[float]:
        """Return times, as multiples of the step where all steps must be equal.

        Raises
        ------
        ModelError
            One is not a multiple.
        """
        if self._run.takes_any_step:
            return [float(t) for t in times]
        whole = np.round(times / step)
        wrong = np.abs(times - whole * step) > SAME * step
        if wrong.any():
            raise ModelError(
                f"FMU {self._run.name} accepts only steps of {step:g} s, and "
                f"t = {times[np.argmax(wrong)]:.9g} s is not a multiple of it; give other times, "
                "or another step="
            )
        return [float(k * step) for k in whole]
