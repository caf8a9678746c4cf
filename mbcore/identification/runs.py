"""Recorded runs: what sensors measured, what went in, and how each began."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.interpolate import PPoly, make_interp_spline

from mbcore.drivers.driver import Driver
from mbcore.evaluation.input_table import TimedInput
from mbcore.identification.measured_table import MeasuredTable, measured_table
from mbcore.model import checks, near_names
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError, warn_user
from mbcore.model.wording import listed

KINDS = ("linear", "held", "smooth")
ROUNDING = 1e-12
"""Part of a table's span by which times differ by rounding."""


@explains_construction
@dataclass(frozen=True)
class Run:
    """A recorded run.

    Attributes
    ----------
    data : path, DataFrame, Dataset, mapping, or tuple of these
        A table with the time, inputs and outputs; or several, of sensors with other rates.
    start : mapping of str to float, (float, float) or Unknown
        Start values of states at the first sample; bounds where the value is unknown. States that
        are measured are unknown by default and begin with their first sample; others have the
        model's start value.
    inputs : mapping of str to float or callable
        Inputs that are not in the table: constants, or functions of the time in it, s.
    between : {"linear", "held", "smooth"}
        What inputs do between samples: straight lines, steps, or a cubic spline.
    begin : float, optional
        Time in the table at which the motion begins, s; by default that of its first row.
    """

    data: Any
    start: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    between: str = "linear"
    begin: float | None = None


@dataclass(frozen=True)
class Samples:
    """Samples of a sensor in a run.

    Attributes
    ----------
    variable : str
        What it measures.
    time : ndarray, shape (n,)
        s, from the start of the motion.
    values : ndarray, shape (n,)
        In the variable's unit.
    """

    variable: str
    time: np.ndarray
    values: np.ndarray


@dataclass(frozen=True)
class Recorded:
    """A run as numbers.

    Attributes
    ----------
    name : str
        What messages call it.
    samples : dict of str to Samples
        Of each sensor that measured in it.
    inputs : dict of str to float or callable
        By the time from the start of the motion.
    start : dict of str to float
        Known start values.
    unknown : dict of str to object
        Unknown start values, as they are given; None where they begin with the first sample.
    begin : float
        Time in the table at which the motion begins, s.
    """

    name: str
    samples: dict[str, Samples]
    inputs: dict[str, Any]
    start: dict[str, float]
    unknown: dict[str, Any]
    begin: float

    @property
    def end(self) -> float:
        """Time of the last sample, s."""
        return max(float(one.time[-1]) for one in self.samples.values())


def recorded(
    driver: Driver, data: Any, outputs: Sequence[str] | Mapping[str, str] | None
) -> list[Recorded]:
    """Return runs as numbers.

    Parameters
    ----------
    driver : Driver
        Whose variables they are.
    data : table, Run, or list of these
        As users give it.
    outputs : sequence of str, or mapping of str to str, optional
        Outputs and states that are fitted; by the names of sensors where these differ; by default
        all that the tables have.

    Raises
    ------
    ModelError
        Data are wrong, or nothing in them is measured.
    """
    several = data if isinstance(data, list) else [data]
    if not several:
        raise ModelError("fit: data = []; give at least one run")
    sensors = _sensors(driver, outputs)
    runs = [one if isinstance(one, Run) else Run(one) for one in several]
    names = [f"run {k}" if len(runs) > 1 else "the run" for k in range(1, len(runs) + 1)]
    found = [_recorded(driver, *pair, sensors) for pair in zip(runs, names, strict=True)]
    for sensor in sensors if outputs is not None else ():
        if not any(sensor in run.samples for run in found):
            has = ", ".join(dict.fromkeys(name for run in found for name in run.samples))
            raise ModelError(f"fit: no table has a column {sensor!r}; there is {has}")
    return found


def _sensors(driver: Driver, outputs: Sequence[str] | Mapping[str, str] | None) -> dict[str, str]:
    """Return the variables that sensors measure, by their names."""
    measurable = dict.fromkeys((*driver.outputs, *driver.states))
    if outputs is None:
        return {name: name for name in measurable}
    if isinstance(outputs, Mapping):
        sensors = {str(sensor): str(variable) for sensor, variable in outputs.items()}
    else:
        sensors = {name: name for name in checks.names("fit", "outputs", outputs)}
    if not sensors:
        raise ModelError(f"fit: outputs = {outputs!r}; name at least one, as in ['x']")
    for variable in sensors.values():
        if variable not in measurable:
            raise ModelError(f"fit: {near_names.unknown('output or state', variable, measurable)}")
    return sensors


def _recorded(driver: Driver, run: Run, name: str, sensors: dict[str, str]) -> Recorded:
    tables = run.data if isinstance(run.data, tuple) else (run.data,)
    known = (*driver.inputs, *driver.outputs, *driver.states, *sensors)
    read = [measured_table(table, known, f"fit: data of {name}") for table in tables]
    checks.choice("fit", "between", run.between, KINDS)
    begin = min(float(table.time[0]) for table in read)
    if run.begin is not None:
        begin = checks.real("Run", "begin", run.begin, unit="s")
    samples: dict[str, Samples] = {}
    inputs: dict[str, Any] = {}
    for table in read:
        _warn_of_unused(driver, table, sensors)
        for column in table.columns:
            if column in sensors and column not in samples:
                samples[column] = _samples(driver, table, column, sensors[column], begin)
            elif column in driver.inputs:
                inputs[column] = _input(driver, table, column, begin, run.between)
    if not samples:
        raise ModelError(
            f"{read[0].owner}: no column is an output or state of {driver.name}; there is "
            f"{listed(sensors)}"
        )
    for given in run.inputs:
        if given not in driver.inputs:
            raise ModelError(f"fit: {near_names.unknown('input', given, driver.inputs)}")
    for key, value in run.inputs.items():
        inputs[key] = delayed(value, -begin) if callable(value) else float(value)
    return Recorded(name, samples, inputs, *_starts(driver, run, samples), begin)


def _starts(
    driver: Driver, run: Run, samples: Mapping[str, Samples]
) -> tuple[dict[str, float], dict[str, Any]]:
    """Return known and unknown start values of a run."""
    known: dict[str, float] = {}
    unknown: dict[str, Any] = {}
    for one in samples.values():
        if one.variable in driver.states and one.time[0] < 0.1 * (one.time[-1] or 1.0):
            unknown[one.variable] = None
    for state, value in run.start.items():
        if state not in driver.started:
            raise ModelError(f"fit: {near_names.unknown('state', state, driver.started)}")
        unknown.pop(state, None)
        if np.isscalar(value) and not isinstance(value, str):
            known[state] = checks.real("fit", f"start of {state}", value)
        else:
            unknown[state] = value
    return known, unknown


def _warn_of_unused(driver: Driver, table: MeasuredTable, sensors: Mapping[str, str]) -> None:
    """Warn of columns that are not used, with similar names."""
    measurable = (*driver.outputs, *driver.states)
    for column in table.columns:
        if column not in sensors and column not in driver.inputs and column not in measurable:
            wrong = near_names.unknown("variable", column, (*driver.inputs, *sensors))
            warn_user(f"{table.owner}: column {column!r} is not used: {wrong}")


def _samples(
    driver: Driver, table: MeasuredTable, column: str, variable: str, begin: float
) -> Samples:
    values = table.in_unit(column, driver.unit(variable))
    there = np.isfinite(values) & (table.time >= begin)
    if there.sum() < 2:
        raise ModelError(
            f"{table.owner}: column {column!r} has {there.sum()} samples from {begin:g} s on; give "
            "at least two, or leave it out"
        )
    return Samples(variable, table.time[there] - begin, values[there])


def _input(
    driver: Driver, table: MeasuredTable, column: str, begin: float, between: str
) -> Callable[[float], float]:
    values = table.in_unit(column, driver.unit(column))
    there = np.isfinite(values)
    if not there.any():
        raise ModelError(f"{table.owner}: column {column!r} has no samples; leave it out")
    time, values = table.time[there] - begin, values[there]
    if between == "smooth" and time.size > 3:
        return _spline(time, values)
    return TimedInput(time, values, between == "held")


def _spline(time: np.ndarray, values: np.ndarray) -> PPoly:
    """Return a cubic spline that is held before its first sample and behind its last one."""
    pieces = PPoly.from_spline(make_interp_spline(time, values))
    there = np.diff(pieces.x) > 0
    powers = np.pad(pieces.c[:, there], ((0, 0), (1, 1)))
    powers[-1, [0, -1]] = values[[0, -1]]
    knots = np.append(pieces.x[:-1][there], time[-1])
    return PPoly(powers, np.concatenate([[time[0] - 1.0], knots, [time[-1] + 1.0]]))


def _shifted(signal: Callable[[float], float], delay: float) -> Callable[[float], float]:
    return lambda t: signal(t - delay)


def delayed(signal: Any, delay: float) -> Any:
    """Return an input that comes later by a time, s."""
    if isinstance(signal, TimedInput):
        time = signal.time + delay
        time[np.abs(time) < ROUNDING * np.ptp(time)] = 0.0  # a row at the start jumps there
        return TimedInput(time, signal.values, signal.holds)
    if isinstance(signal, PPoly):
        return PPoly(signal.c, signal.x + delay, signal.extrapolate)
    return _shifted(signal, delay) if callable(signal) else signal
