"""Runs an FMU, of this library or any other: FMI 2.0 and 3.0 as a master, FMI 1.0 by FMPy."""

from __future__ import annotations

import argparse
import math
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy.model_description import ModelDescription, ScalarVariable

from mbcore.cli.definitions import definitions
from mbcore.cli.fmu_log import Log, logger_lent
from mbcore.cli.fmu_variables import (
    Display,
    by_element,
    column,
    display,
    elements_of,
    refuse_calculated,
    start_values,
    tell_unused,
    unit,
    unit_name,
)
from mbcore.cli.given_inputs import end_time, given_table
from mbcore.cli.parameters_option import chosen_values
from mbcore.cli.remarks import said
from mbcore.cli.settings import check_rows, names_in, time_in_seconds
from mbcore.cli.wrong_call import WrongCallError
from mbcore.evaluation.input_table import InputTable
from mbcore.fmi.description.remarks import remarks_in
from mbcore.fmi.running.cosimulation import CoSimulation
from mbcore.fmi.running.fmi1 import rows_of_fmi1
from mbcore.fmi.running.followed_inputs import Transfer
from mbcore.fmi.running.importing import Importing
from mbcore.fmi.running.instance import FmuInstance
from mbcore.fmi.running.model_exchange import ModelExchange
from mbcore.model.arrays.elements import elements_named
from mbcore.model.errors import SimulationError, warn_user
from mbcore.model.near_names import near
from mbcore.results.result import Result

ROWS = 500
"""Rows that a result has by default."""
HELD_STEPS = 5000
"""Steps of a run at least where an FMU can only hold moving inputs over a step."""
NEAR = 1e-9
"""Part of the distance of rows within which two times are one."""
TOLERANCE = 1e-8
"""Largest relative tolerance, so that an FMU runs as what it was made of does."""
TOLERANCE_SET = "solver.tolerance"
"""The parameter of this library's FMUs."""
INTERFACES = {"co-simulation": CoSimulation, "model-exchange": ModelExchange}


def run_fmu(
    path: Path, options: argparse.Namespace
) -> tuple[Result, list[str], dict[str, Display | None], list[str]]:
    """Run an FMU in Co-Simulation (in Model Exchange where asked, or where it has nothing else).

    Returns
    -------
    tuple
        The result, names of the outputs, display units by name, and remarks on outputs that have
        become false.

    Raises
    ------
    WrongCallError
        There is no such file, it is not an FMU or lacks the interface, a name or value is wrong, or
        there is a backend.
    SimulationError
        It did not run to the end; gives the time reached and the FMU's log.
    """
    if options.backend != "auto":
        raise WrongCallError(
            f"--backend {options.backend}: {path} contains its own compiled code; leave out this "
            "option"
        )
    description = _description(path)
    variables = by_element({v.name: v for v in description.modelVariables})
    units = {name: unit(v, description) for name, v in variables.items()}
    whole = [v for v in description.modelVariables if v.dimensions]
    given = chosen_values(options, [name for v in whole for name in elements_of(v)])
    start = start_values(variables, units, given)
    refuse_calculated([variables[name] for name in start], description, given)
    inputs = {
        n: None if v.dimensions and n == v.name else column(v, units[n])
        for n, v in variables.items()
        if v.causality == "input"
    }
    known = {name: what for name, what in inputs.items() if what is not None}
    table = given_table(options, known, variables, start)
    tell_unused(path, [variables[name] for name in dict.fromkeys((*start, *(table or ())))])
    experiment = description.defaultExperiment
    stop = None if experiment is None else experiment.stopTime
    until = end_time(options, table, None if stop is None else float(stop))
    step = time_in_seconds("--step", options.step) or until / ROWS
    check_rows(until, step)
    kind = _interface(path, options.interface, description)
    times = _times(description, kind, until, step)
    if description.fmiVersion.startswith("1"):
        rows, names = _rows_of_1(path, description, kind, start, table, times)
    else:
        marks = table.time if table is not None and options.step is None else np.zeros(0)
        importing = Importing(
            description=description,
            stop=until,
            inputs=table,
            longest=min(step, until / HELD_STEPS),
            log=Log(description.modelName),
            start=start,
        )
        also = _also_shown(options.show, variables)
        rows, names = _simulate(path, kind, importing, times, (marks, also))
    columns = {name: rows[:, i] for i, name in enumerate(names, 1)}
    named = {name: unit_name(variables[name]) for name in columns}
    arrays = {v.name: v.shape for v in description.modelVariables if elements_of(v)[0] in columns}
    arrays = {name: tuple(map(int, shape)) for name, shape in arrays.items() if shape}
    result = Result(description.modelName, rows[:, 0], columns, named, arrays=arrays)
    outputs = [name for name in columns if variables[name].causality == "output"]
    displays = {n: display(variables[n], description) for n in columns}
    return result, outputs, displays, _remarks(path, variables, start, result)


def _remarks(
    path: Path, variables: dict[str, ScalarVariable], start: dict[str, Any], result: Result
) -> list[str]:
    """Return the FMU's remarks on its outputs that have become false."""
    with zipfile.ZipFile(path) as archive:
        remarks = remarks_in(archive.read("modelDescription.xml"))
    used = {remark.limit for remark in remarks.values()} & set(variables)
    values = {name: start.get(name, variables[name].start) for name in used}
    limits = {name: float(value) for name, value in values.items() if value is not None}
    return said(remarks, limits, result)


def _interface(path: Path, asked: str | None, of: ModelDescription) -> type[FmuInstance]:
    """Return how an FMU is run.

    Raises
    ------
    WrongCallError
        It does not offer the interface.
    """
    offered = {
        name: found
        for name, found in zip(INTERFACES, (of.coSimulation, of.modelExchange), strict=True)
        if found is not None
    }
    if not offered:
        raise WrongCallError(f"{path} offers neither Co-Simulation nor Model Exchange")
    if asked is not None and asked not in offered:
        raise WrongCallError(f"--interface {asked}: {path} has only {', '.join(offered)}")
    return INTERFACES[asked or next(iter(offered))]


def _times(of: ModelDescription, kind: type[FmuInstance], until: float, step: float) -> np.ndarray:
    """Return times of rows, s, which end earlier where equal steps do not meet the end."""
    count = math.floor(until / step * (1 + NEAR))
    times = step * np.arange(count + 1)
    equal = kind is CoSimulation and not of.coSimulation.canHandleVariableCommunicationStepSize
    if until - times[-1] <= NEAR * step:
        times[-1] = until
    elif not equal:
        times = np.append(times, until)
    if len(times) < 2:
        raise WrongCallError(
            f"--step = {step:g} s is longer than the run, {until:g} s, and {of.modelName} makes "
            "equal steps only; give a shorter one"
        )
    return times


def _description(path: Path) -> ModelDescription:
    if not path.is_file():
        raise WrongCallError(f"there is no file {path}{_remedy(path)}")
    if not zipfile.is_zipfile(path):
        raise WrongCallError(f"{path} is not an FMU: it is not a ZIP archive")
    try:
        return fmpy.read_model_description(str(path))
    except Exception as error:
        raise WrongCallError(f"{path} is not a valid FMU: {error}") from error


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


def _rows(
    plant: FmuInstance, log: Log, sampled: np.ndarray, more: tuple[np.ndarray, list[str]]
) -> np.ndarray:
    """Run to the end; return rows of time and variables.

    Parameters
    ----------
    plant : FmuInstance
        In Initialization Mode.
    log : Log
        Its messages.
    sampled : ndarray
        Times of rows, s.
    more : (ndarray, list of str)
        Times that have a row, too, s, and where inputs jump one on each side; and the names of the
        variables.
    """
    marks, names = more
    found = []

    def record() -> None:
        found.append([plant.time, *plant.get(names)])

    plant.initialized()
    record()
    near = NEAR * (sampled[1] - sampled[0])
    inside = marks[(marks > 0) & (marks < sampled[-1])]
    after = np.searchsorted(sampled, inside)
    beside = np.minimum(sampled[after] - inside, inside - sampled[after - 1]) > near
    jumps = {float(t) for t in inside if plant.inputs.jumps_at(float(t))}
    for t in map(float, np.unique([*sampled[1:], *inside[beside]])):
        plant.advance(t)
        log.finish_step(t)
        record()
        if any(abs(t - jump) <= near for jump in jumps):
            plant.pass_row()
            record()
    return np.array(found)


def _also_shown(show: str | None, variables: Mapping[str, ScalarVariable]) -> list[str]:
    """Return what ``--show`` names that is neither input nor output, arrays by element."""
    each = [one for name in names_in(show or "") for one in elements_named(name, variables)]
    found = [
        one
        for name in each
        if name in variables and variables[name].causality not in ("input", "output")
        for one in (elements_of(variables[name]) if name == variables[name].name else (name,))
        if variables[name].type not in ("String", "Binary", "Clock")
    ]
    return [*dict.fromkeys(found)]


def _simulate(
    path: Path,
    kind: type[FmuInstance],
    importing: Importing,
    times: np.ndarray,
    more: tuple[np.ndarray, Sequence[str]],
) -> tuple[np.ndarray, list[str]]:
    """Return rows of an FMU of FMI 2.0 or 3.0, and the names of their columns behind the time.

    ``more`` has further times with rows, and names of variables that are neither input nor output.

    Raises
    ------
    SimulationError
        It did not run to the end; gives the time reached and the FMU's log.
    """
    log, until = importing.log, float(times[-1])
    assert isinstance(log, Log)
    try:
        with (
            logger_lent(),
            kind(
                path, tolerance=_tolerance(importing), initialize=False, importing=importing
            ) as plant,
        ):
            _tell_held(path, plant, float(times[1] - times[0]))
            names = [*plant.variables.inputs, *plant.variables.outputs, *more[1]]
            return _rows(plant, log, times, (more[0], names)), names
    except SimulationError as error:
        said = str(error).rstrip(".")
        raise SimulationError(f"{path}: {said}{log.reached(until)}{log.reasons()}") from error


def _tolerance(importing: Importing) -> float | None:
    """Return the tolerance to ask for; None where the FMU has none, or its parameter is set.

    An importer's tolerance has precedence over `TOLERANCE_SET`, which would have no effect.
    """
    if TOLERANCE_SET in importing.start:
        return None
    experiment = importing.description and importing.description.defaultExperiment
    found = experiment and experiment.tolerance
    return min(float(found), TOLERANCE) if found else None


def _tell_held(path: Path, plant: FmuInstance, step: float) -> None:
    """Warn of moving inputs that an FMU can only hold over a step, and by how much they differ."""
    if not isinstance(plant, CoSimulation) or plant.inputs.transfer is not Transfer.HELD:
        return
    over = min(step, plant.longest or step)
    apart = [
        f"{name} by up to {most:.3g} {plant.variables.unit(name)}".removesuffix(" 1")
        for name, most in plant.inputs.remaining(over).items()
    ]
    if apart:
        lacks = (
            "canInterpolateInputs" if plant.version == "2.0" else "intermediate updates of inputs"
        )
        warn_user(
            f"{path} has no {lacks}, so inputs are held at their means over steps of {over:.3g} s: "
            f"{', '.join(apart)} off within them; a shorter --step makes that smaller"
        )


def _rows_of_1(
    path: Path,
    of: ModelDescription,
    kind: type[FmuInstance],
    start: dict[str, Any],
    table: InputTable | None,
    times: np.ndarray,
) -> tuple[np.ndarray, list[str]]:
    """Return rows of an FMU of FMI 1.0, as `_simulate` does."""
    names = [
        v.name
        for v in of.modelVariables
        if v.causality in ("input", "output") and v.type != "String"
    ]
    log, until, step = Log(of.modelName), float(times[-1]), float(times[1])
    equal = kind is CoSimulation and not of.coSimulation.canHandleVariableCommunicationStepSize
    parts = 1 if table is None or equal else max(1, math.ceil(step * HELD_STEPS / until))
    if table is not None:
        warn_user(f"{path} is of FMI 1.0: inputs are held over steps of {step / parts:.3g} s")
    try:
        with logger_lent():
            rows = rows_of_fmi1(
                path,
                of,
                "CoSimulation" if kind is CoSimulation else "ModelExchange",
                start=start,
                table=table,
                names=names,
                times=(until, step, parts),
                log=log,
            )
    except Exception as error:
        said = str(error).rstrip(".")
        raise SimulationError(f"{path}: {said}{log.reached(until)}{log.reasons()}") from error
    end = float(rows[-1, 0])
    if end < until and not math.isclose(end, until):
        log.time = end  # where an FMU ends the run, FMPy returns the rows so far
        raise SimulationError(f"{path}: the FMU ended the run{log.reached(until)}{log.reasons()}")
    return rows, names
