"""The loop of an FMU and a controller in Python, which measures and commands at sample times."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from mbcore.equations.equations import Equations
from mbcore.evaluation.input_table import TimedInput, tell_ends
from mbcore.fmi.component import Component
from mbcore.fmi.controllers import (
    OWNER,
    SAME,
    Controller,
    Law,
    Measurements,
    Sampled,
    is_system,
    sampling_time,
)
from mbcore.fmi.export import export
from mbcore.fmi.running.cosimulation import CoSimulation
from mbcore.fmi.running.importing import Importing
from mbcore.host.workspace import workspace
from mbcore.model import checks
from mbcore.model.calls import explains_arguments, explains_construction
from mbcore.model.errors import ModelError
from mbcore.results.result import Result
from mbcore.simulation.arguments import checked_signal

LONG = 2.0
"""Seconds after which a bar is shown."""
Given = float | Callable[[float], float]
"""An external input: a value, a function of time, s, that is sampled from row to row, or an input
of a table, which is followed between rows, too."""


@explains_construction
@dataclass(frozen=True)
class LoopOptions:
    """How a closed loop is run and recorded.

    Attributes
    ----------
    outputs : sequence of str, optional
        Columns of the result besides measurements and inputs; by default all outputs.
    delay : float
        From a measurement to the moment when its command is set, s; until the first one, inputs
        keep their start values.
    rows : int
        Results in each sample.
    stop : callable, optional
        ``stop(t, measured)`` ends the run where it returns true, before the controller is asked.
    tolerance : float, optional
        Of the solver in the FMU.
    progress : bool
        Show a bar on runs that take longer than two seconds.
    """

    outputs: Sequence[str] | None = None
    delay: float = 0.0
    rows: int = 1
    stop: Callable[[float, Mapping[str, float]], bool] | None = None
    tolerance: float | None = None
    progress: bool = True

    def checked(self) -> LoopOptions:
        """Return these options with numbers of their types.

        Raises
        ------
        ModelError
            If the delay is negative, or ``rows`` or ``stop`` is impossible.
        """
        rows, stop = self.rows, self.stop
        if isinstance(rows, bool) or not isinstance(rows, int | np.integer) or rows < 1:
            raise ModelError(f"{OWNER}: rows = {rows!r}; give a whole number, at least 1")
        if stop is not None and not callable(stop):
            raise ModelError(f"{OWNER}: stop = {stop!r}; give a function of time and measurements")
        delay = checks.real(OWNER, "delay", self.delay, least=0, unit="s")
        return replace(self, delay=delay, rows=int(rows))


OPTIONS = LoopOptions()


@explains_arguments
def closed_loop(
    fmu: str | Path | Component | Equations,
    controller: Controller | Any,
    *,
    sample_time: float | None = None,
    until: float,
    start: Mapping[str, float] | None = None,
    measurements: Sequence[str] | None = None,
    inputs: Mapping[str, Given] | None = None,
    options: LoopOptions = OPTIONS,
) -> Result:
    """Simulate an FMU in Co-Simulation with a controller that measures and commands periodically.

    At 0, T, 2T, ... the controller gets the time and the measurements, and the inputs that it
    returns are constant until its next command. Outputs that depend on inputs directly are measured
    with the inputs before.

    Parameters
    ----------
    fmu : path, Component or Equations
        An FMU of FMI 2.0 or 3.0 for this machine; or what one is made of, in a temporary folder.
    controller : callable or discrete system of python-control
        ``controller(t, measured)`` returns inputs by name, the same ones in each sample. A system
        measures what its inputs are labelled, and commands what its outputs are labelled; dots
        may be written as ``_``.
    sample_time : float
        T, s; a discrete system has its own.
    until : float
        End time, s; the controller is asked there as well, if it is a sample time.
    start : mapping of str to float
        Start values of parameters, states and inputs.
    measurements : sequence of str, optional
        Arguments of the controller, any variables of the FMU; by default all outputs.
    inputs : mapping of str to float or callable
        Other inputs: values, or functions of time that are sampled from row to row, or a whole
        `mbcore.InputTable`, whose lines are followed and whose jumps happen at their time.
    options : LoopOptions
        Delay, recorded columns, and the end of the run.

    Returns
    -------
    Result
        Commands, other inputs, measurements and outputs over time, after inputs are set: at the
        end, too, where other inputs have their values then and commands those of the last sample.
        Where ``stop`` ends the run, the last row has the values that it got, before inputs are
        set.

    Raises
    ------
    ModelError
        A name is unknown, a time not positive, or the controller returns something else.
    SimulationError
        The FMU or the controller fails; gives the time and the messages of the FMU.
    """
    period = sampling_time(controller, sample_time)
    end = checks.real(OWNER, "until", until, above=0, unit="s")
    options = options.checked()
    if not callable(controller) and not is_system(controller):
        raise ModelError(
            f"{OWNER}: controller = {controller!r}; give a function of time and measurements, or "
            "a discrete system of python-control"
        )
    given = _given(inputs)
    tell_ends(OWNER, inputs, end)
    moving = {name: value for name, value in given.items() if isinstance(value, TimedInput)}
    begin = {name: signal(0.0) for name, signal in given.items()}
    begin = _finite(checks.values(f"{OWNER}: start value", start)) | begin
    with (
        _file(fmu) as path,
        CoSimulation(path, begin, options.tolerance, importing=Importing(inputs=moving)) as plant,
    ):
        plant.variables.check_inputs("inputs", given)
        if is_system(controller):
            controller = Sampled(controller, plant.variables)
            measurements = controller.measured if measurements is None else measurements
        law = Law(controller, plant.variables, given)
        names = _names(plant, measurements, options.outputs)
        loop = _Loop(plant, law, given, names, period, end, options)
        loop.run()
        return loop.result()


class _Loop:
    """A run: its schedule of inputs, and its rows of results."""

    def __init__(
        self,
        plant: CoSimulation,
        law: Law,
        given: Mapping[str, Callable[[float], float]],
        names: tuple[Sequence[str], Sequence[str]],
        period: float,
        end: float,
        options: LoopOptions,
    ) -> None:
        self._plant, self._law, self._given = plant, law, given
        self._measured, self._shown = names
        self._period, self._rows, self._end = period, options.rows, end
        self._options, delay = options, options.delay
        self._near = SAME * min(period, end)
        late = math.floor(delay / period + SAME)
        self._late, self._rest = late, max(0.0, delay - late * period)
        if self._rest < SAME * period:
            self._rest = 0.0
        self._waiting: deque[dict[str, float]] = deque()
        self._times: list[float] = []
        self._values: list[list[float]] = []
        self._columns: tuple[str, ...] = ()

    def run(self) -> None:
        """Run to the end, or until ``stop`` returns true."""
        end, stop = self._end, self._options.stop
        last = math.floor(end / self._period + SAME)
        with tqdm(
            total=end,
            delay=LONG,
            unit="s",
            disable=None if self._options.progress else True,  # None: on terminals only
            leave=False,
            bar_format="{l_bar}{bar}| {n:.3g}/{total:.3g} s [{elapsed}<{remaining}]",
        ) as bar:
            for k in range(last + 1):
                time = min(k * self._period, end)
                values = self._plant.get(self._measured)
                measured = Measurements(zip(self._measured, values, strict=True))
                if stop is not None and stop(time, measured):
                    self._record(time)
                    return
                self._waiting.append(self._law(time, measured))
                reached = min((k + 1) * self._period, end)
                self._sample(time, reached)
                bar.update(reached - time)
            if end - self._times[-1] > self._near:
                due = last * self._period + self._rest
                self._set(end, abs(due - end) <= self._near)

    def _sample(self, begin: float, end: float) -> None:
        """Keep inputs constant from a sample time to the next one, or to the end."""
        due = begin + self._rest
        near = self._near
        marks = [begin + j * self._period / self._rows for j in range(self._rows)]
        marks = [due, *(mark for mark in marks if abs(mark - due) > near)]
        for mark in sorted(mark for mark in marks if mark == begin or end - mark > near):
            self._advance(mark)
            self._set(mark, mark == due)
        self._advance(end)

    def _set(self, time: float, due: bool) -> None:
        """Set external inputs, and a command where one is due, and record the row."""
        values = {name: signal(time) for name, signal in self._given.items()}
        if due and len(self._waiting) > self._late:
            values |= self._waiting.popleft()
        self._plant.set(values)
        self._record(time)

    def _advance(self, time: float) -> None:
        if time - self._plant.time > self._near:
            self._plant.advance(time)

    def _record(self, time: float) -> None:
        if not self._times:
            names = (*self._law.commands, *self._given, *self._measured, *self._shown)
            self._columns = tuple(dict.fromkeys(names))
        self._times.append(time)
        self._values.append(self._plant.get(self._columns))

    def result(self) -> Result:
        """Return the recorded result."""
        variables, names = self._plant.variables, self._columns
        table = np.array(self._values, float).reshape(len(self._times), len(names))
        return Result(
            self._plant.name,
            np.array(self._times),
            {name: table[:, i] for i, name in enumerate(names)},
            {name: variables.unit(name) for name in names},
            statistics={"samples": self._law.asked},
            descriptions={name: variables.text(name) for name in names if variables.text(name)},
        )


def _finite(start: Mapping[str, float]) -> dict[str, float]:
    return {name: checks.real(OWNER, f"start value {name}", v) for name, v in start.items()}


def _given(inputs: Mapping[str, Given] | None) -> dict[str, Callable[[float], float]]:
    """Return external inputs as functions of time that give finite numbers only."""
    if inputs is not None and not isinstance(inputs, Mapping):
        raise ModelError(f"{OWNER}: inputs = {inputs!r}; give values or functions of time by name")
    return {name: _signal(name, given) for name, given in (inputs or {}).items()}


def _signal(name: str, given: Given) -> Callable[[float], float]:
    if isinstance(given, TimedInput):
        return given
    signal = checked_signal(name, given) if callable(given) else None

    def value(time: float) -> float:
        found = signal(time) if signal else given
        return checks.real(f"{OWNER}: input {name}, t = {time:.9g} s", "value", found)

    return value


@contextmanager
def _file(fmu: str | Path | Component | Equations) -> Iterator[Path]:
    """Yield the file of an FMU; a definition is exported into a temporary folder."""
    if isinstance(fmu, Component | Equations):
        with workspace() as folder:
            yield export(fmu, folder, fmi="3.0")[0]
        return
    if not isinstance(fmu, str | Path):
        raise ModelError(f"{OWNER}: fmu = {fmu!r}; give the file of an FMU, or a component")
    yield Path(fmu)


def _names(
    plant: CoSimulation, measurements: Sequence[str] | None, outputs: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of measurements and of columns."""
    found = []
    for what, names in (("measurements", measurements), ("outputs", outputs)):
        if isinstance(names, str):
            raise ModelError(f"{OWNER}: {what} = {names!r}; give a list, [{names!r}]")
        chosen = plant.variables.outputs if names is None else tuple(names)
        for name in chosen:
            plant.variables.kind(name)
        found.append(chosen)
    return found[0], found[1]
