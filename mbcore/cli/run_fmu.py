"""Runs an FMU, of this library or any other, by FMPy."""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import sys
import zipfile
from collections import deque
from collections.abc import Iterator
from ctypes import byref
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy import fmi2
from fmpy.logging import addLoggerProxy
from fmpy.model_description import ModelDescription, ScalarVariable
from fmpy.model_description import Unit as UnitDefinition
from fmpy.simulation import settable_in_initialization_mode, settable_in_instantiated

from mbcore.cli.definitions import definitions
from mbcore.cli.input_table import InputTable, read_input_table, refuse_both
from mbcore.cli.settings import check_rows, given_values, time_in_seconds
from mbcore.cli.wrong_call import WrongCallError, refusing_calls
from mbcore.host.workspace import workspace
from mbcore.model.errors import ModelError, SimulationError
from mbcore.model.near_names import near, unknown
from mbcore.model.units.text_units import value_in
from mbcore.model.units.units import BASE_UNITS, Unit, parse
from mbcore.model.variables import Value
from mbcore.results.result import Result

Display = tuple[str, float]
"""A display unit, and the factor to it."""
REAL = ("Real", "Float64", "Float32")
ROWS = 500
"""Rows that a result has by default."""
WARNING, DISCARD = 1, 2
"""Statuses of messages."""


def run_fmu(
    path: Path, options: argparse.Namespace
) -> tuple[Result, list[str], dict[str, Display | None]]:
    """Run an FMU in Co-Simulation (in Model Exchange where it has nothing else).

    Returns
    -------
    tuple
        The result, names of the outputs, and display units by name.

    Raises
    ------
    WrongCallError
        A name or value is wrong, or there is a backend.
    ModelError
        There is no such file, or it is no FMU.
    SimulationError
        It did not run to the end; says how far it came and what it logged.
    """
    if options.backend != "auto":
        raise WrongCallError(
            f"--backend {options.backend}: {path} brings its own compiled code; leave that option"
        )
    description = _description(path)
    variables = {v.name: v for v in description.modelVariables}
    units = {name: _unit(v, description) for name, v in variables.items()}
    start = _start_values(variables, units, given_values("--set", options.set))
    _refuse_calculated([variables[name] for name in start], description)
    inputs = {n: units[n] or "1" for n, v in variables.items() if v.causality == "input"}
    given = options.inputs is not None
    table = read_input_table(options.inputs, inputs, variables) if given else None
    if table:
        refuse_both(start, table)
    outputs = [name for name, v in variables.items() if v.causality == "output"]
    until = _end(options.until, table, description)
    step = time_in_seconds("--step", options.step) or until / ROWS
    check_rows(until, step)
    rows = _simulate(path, description, start, table, [*inputs, *outputs], until, step)
    columns = {n: np.asarray(rows[n], float) for n in rows.dtype.names or () if n != "time"}
    named = {name: _unit_name(variables[name]) for name in columns}
    result = Result(description.modelName, np.asarray(rows["time"]), columns, named)
    return result, outputs, {n: _display(variables[n], description) for n in columns}


def _description(path: Path) -> ModelDescription:
    if not path.is_file():
        raise ModelError(f"there is no file {path}{_remedy(path)}")
    if not zipfile.is_zipfile(path):
        raise ModelError(f"{path} is no FMU: it is no ZIP archive")
    try:
        return fmpy.read_model_description(str(path))
    except Exception as error:
        raise ModelError(f"{path} is no valid FMU: {error}") from error


def _remedy(path: Path) -> str:
    """Return the remedy for a file that does not exist: similar names, or how to build it."""
    built = [*Path().glob(f"build/fmi?/{path.name}")]
    here = near(path.name, [other.name for other in path.parent.glob("*.fmu")])
    meant = [str(other) for other in built] or [str(path.with_name(name)) for name in here]
    if meant:
        return f"; did you mean {' or '.join(meant)}?"
    for source in (path.stem, f"{path.stem}.py"):
        if source in definitions() or (Path(source).suffix == ".py" and Path(source).is_file()):
            return f"; 'mbcore build {source}' builds {Path('build', 'fmi3', path.name)}"
    return "; 'mbcore list' lists the components that can be built"


def _unit_name(variable: ScalarVariable) -> str:
    declared = variable.declaredType
    return variable.unit or (declared.unit if declared is not None else None) or "1"


def _definition(variable: ScalarVariable, of: ModelDescription) -> UnitDefinition | None:
    name = _unit_name(variable)
    return next((d for d in of.unitDefinitions if d.name == name), None)


def _unit(variable: ScalarVariable, of: ModelDescription) -> Unit | None:
    """Return a real variable's unit as the FMU defines it; None where nothing says what it is."""
    if variable.type not in REAL:
        return None
    name, definition = _unit_name(variable), _definition(variable, of)
    base = definition.baseUnit if definition is not None else None
    if base is not None:
        if float(base.offset):
            return None
        return Unit(name, float(base.factor), tuple(int(getattr(base, b)) for b in BASE_UNITS))
    try:
        return parse(name)
    except ModelError:
        return None


def _display(variable: ScalarVariable, of: ModelDescription) -> Display | None:
    """Return the display unit that the FMU asks for, where it has no offset."""
    declared, definition = variable.declaredType, _definition(variable, of)
    asked = variable.displayUnit or (declared.displayUnit if declared is not None else None)
    if definition is None or not asked or asked == definition.name:
        return None
    found = {unit.name: unit for unit in definition.displayUnits}.get(asked)
    return None if found is None or float(found.offset) else (asked, float(found.factor))


@refusing_calls()
def _start_values(
    variables: dict[str, ScalarVariable], units: dict[str, Unit | None], given: dict[str, Value]
) -> dict[str, Any]:
    """Return values in the FMU's own units, of enumerations the items' values."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in variables:
            raise ModelError(f"--set: {unknown('variable', name, variables)}")
        variable, unit = variables[name], units[name]
        declared = variable.declaredType
        items = {i.name: i.value for i in declared.items} if declared is not None else {}
        if isinstance(value, str) and items:
            if value not in items:
                raise ModelError(f"--set: {name} = {value!r}: give one of {', '.join(items)}")
            value = int(items[value])
        elif isinstance(value, str) and variable.type == "Boolean":
            if value not in ("true", "false"):
                raise ModelError(f"--set: {name} = {value!r}: give true or false")
        elif isinstance(value, str) and variable.type != "String":
            if unit is None:
                raise ModelError(f"--set: {name} = {value!r} has no unit here: give a number")
            value = value_in(f"--set: {name}", value, unit)
        elif variable.type == "String":
            value = value if isinstance(value, str) else f"{value:.17g}"
        elif variable.type not in REAL and not isinstance(value, str):
            if value != int(value):
                raise ModelError(f"--set: {name} = {value:g}: give a whole number")
            value = int(value)
        found[name] = value
    return found


@refusing_calls()
def _refuse_calculated(given: list[ScalarVariable], of: ModelDescription) -> None:
    """Refuse values of calculated variables, which FMPy would ignore silently."""
    for variable in given:
        if of.fmiVersion == "1.0":
            taken = variable.start is not None
        else:
            taken = settable_in_instantiated(variable) or settable_in_initialization_mode(variable)
        if variable.variability == "constant":
            raise ModelError(f"--set: {variable.name} is a constant, which nothing changes")
        if not taken:
            raise ModelError(f"--set: {variable.name} is calculated; set what it follows from")


def _end(text: str | None, table: InputTable | None, of: ModelDescription) -> float:
    """Return the end time: as given, or the end of the inputs or of the default experiment."""
    said = time_in_seconds("--until", text)
    if said is None and table is not None and table.time[-1] > 0:
        said = float(table.time[-1])
    experiment = of.defaultExperiment
    if said is None and experiment is not None and experiment.stopTime is not None:
        said = float(experiment.stopTime)
    if said is None:
        raise ModelError(f"{of.modelName} has no default experiment: give --until, as in '10 s'")
    return said


def _simulate(
    path: Path,
    description: ModelDescription,
    start: dict[str, Any],
    table: InputTable | None,
    names: list[str],
    until: float,
    step: float,
) -> np.ndarray:
    log = Log(description.modelName)
    try:
        # FMPy prints which inputs are not given, and leaves its folder behind after a failure.
        with contextlib.redirect_stdout(io.StringIO()), _logger_lent(), workspace() as folder:
            fmpy.extract(str(path), unzipdir=str(folder))
            rows = fmpy.simulate_fmu(
                str(folder),
                validate=False,
                start_time=0.0,
                stop_time=until,
                output_interval=step,
                start_values=start,
                input=None if table is None else table.as_array(),
                output=names,
                debug_logging=True,  # else many FMUs do not log why they discard a call
                logger=log.note,
                step_finished=log.finish_step,
                model_description=description,
            )
    except Exception as error:
        said = str(error).rstrip(".")
        raise SimulationError(f"{path}: {said}{log.reached(until)}{log.reasons()}") from error
    end = float(rows["time"][-1])
    if end < (due := _due_end(description, until, step)) and not math.isclose(end, due):
        log.time = end  # where an FMU ends the run, FMPy returns the rows so far
        raise SimulationError(f"{path}: the FMU ended the run{log.reached(until)}{log.reasons()}")
    return rows


_PRINTING = fmi2.fmi2CallbackLoggerTYPE(fmi2.printLogMessage)
"""FMPy's own logger; C calls it by its address, so it lives as long as the process."""


@contextlib.contextmanager
def _logger_lent() -> Iterator[None]:
    """Give FMPy its own logger back after a run with another one.

    It keeps the latest logger for all FMUs of FMI 2.0 in the process, by address alone. Where that
    of a run is gone, the next message of any FMU ends the process.
    """
    try:
        yield
    finally:
        callbacks = fmi2.fmi2CallbackFunctions()
        callbacks.logger = _PRINTING
        addLoggerProxy(byref(callbacks))


def _due_end(of: ModelDescription, until: float, step: float) -> float:
    """Return where FMPy ends a run: earlier if equal steps do not meet the end."""
    if of.coSimulation is None or of.coSimulation.canHandleVariableCommunicationStepSize:
        return until
    return step * math.floor(until / step * (1 + 1e-9))


class Log:
    """Messages of an FMU: warnings are printed, the rest explains a failure.

    Parameters
    ----------
    name : str
        The model's.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.time: float | None = None
        self._warned: set[str] = set()
        self._said: deque[tuple[int, str]] = deque(maxlen=100)

    def note(self, *message: Any) -> None:
        """Take a message, whose last arguments in each version are status, category and text."""
        status, text = int(message[-3]), message[-1] or b""
        text = text.decode(errors="replace") if isinstance(text, bytes) else str(text)
        self._said.append((status, text.strip()))
        if status == WARNING and text not in self._warned:
            self._warned.add(text)
            print(f"{self.name}: {text}", file=sys.stderr, flush=True)

    def finish_step(self, time: float, _recorder: Any) -> bool:
        """Drop the messages of a step that succeeded; continue."""
        self.time = float(time)
        self._said.clear()
        return True

    def reached(self, until: float) -> str:
        """Return how far the run came, in words to append; nothing where no step was done."""
        return "" if self.time is None else f"; it reached t = {self.time:.9g} s of {until:.9g} s"

    def reasons(self) -> str:
        """Return the last messages, of failures where there are any, in words to append."""
        failures = [text for status, text in self._said if status >= DISCARD]
        texts = failures or [text for _, text in self._said]
        last = list(dict.fromkeys(text for text in texts if text))[-3:]
        return ". It says: " + "; ".join(last) if last else "; it does not say why"
