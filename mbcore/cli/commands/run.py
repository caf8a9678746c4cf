"""The subcommand ``run``: simulates a component or an FMU, and shows where it ends."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from mbcore.cli.definitions import definitions, located
from mbcore.cli.fmu_variables import Display
from mbcore.cli.given_inputs import add_input_options, end_time, given_table
from mbcore.cli.loading import load
from mbcore.cli.parameters_option import add_parameters_option, chosen_values
from mbcore.cli.remarks import said, without_effect
from mbcore.cli.robot_options import (
    add_robot_options,
    only_robot_options,
    refuse_without_robot,
    robot_options,
)
from mbcore.cli.run_fmu import INTERFACES, run_fmu
from mbcore.cli.settings import (
    Settings,
    add_set_option,
    check_rows,
    checked_path,
    chosen_names,
    sorted_values,
    table,
    time_in_seconds,
)
from mbcore.cli.tyre_option import add_tyre_options, refuse_for_fmu, tyre_options
from mbcore.cli.wrong_call import WrongCallError
from mbcore.evaluation.input_file import column_of
from mbcore.fmi.component import Component
from mbcore.fmi.packing.interruption import ended_in_order
from mbcore.model.interface.values import checked_values
from mbcore.model.parameter_files.read import merged
from mbcore.model.parameter_sets.parameter_set import some_of
from mbcore.model.units.units import display_factor
from mbcore.model.wording import count, formatted
from mbcore.results.result import Result
from mbcore.simulation.simulate import Signal, simulate

HELP = "simulate an FMU, a component of the library or a file, and print the final values"
ONE_PROCESS = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of a run."""
    parser.add_argument(
        "name",
        metavar="NAME",
        help="one of 'mbcore list', a file NAME.py, robot.urdf or robot.xml (all run in Python) or "
        "NAME.fmu",
    )
    add_set_option(parser)
    add_parameters_option(parser)
    add_tyre_options(parser)
    add_robot_options(parser)
    add_input_options(parser)
    parser.add_argument("--step", metavar="TIME", help="time between results, as in '10 ms'")
    parser.add_argument(
        "--show", metavar="A,B", help="variables to print and to plot; outputs by default"
    )
    parser.add_argument(
        "--backend", choices=("auto", "python", "c"), default="auto",
        help="c: compile the equations, for long runs; cached for later ones. Not for FMUs, which "
        "are compiled",
    )  # fmt: skip
    parser.add_argument(
        "--interface",
        choices=tuple(INTERFACES),
        help="of an FMU; Co-Simulation where it offers that",
    )
    parser.add_argument("--csv", metavar="FILE.csv", help="write all variables there")
    parser.add_argument("--plot", metavar="FILE.png", help="draw them there (.png, .pdf or .svg)")


def run(options: argparse.Namespace) -> int:
    """Simulate, print and write by the options; return the exit status."""
    csv = checked_path("--csv", options.csv, (".csv",)) if options.csv is not None else None
    pictures = (".png", ".pdf", ".svg")
    plot = checked_path("--plot", options.plot, pictures) if options.plot is not None else None
    remarks: list[str] = []
    began = time.perf_counter()
    if options.name.lower().endswith(".fmu"):
        refuse_for_fmu(options)
        refuse_without_robot({}, robot_options(options))
        with ended_in_order():
            result, outputs, display_units, remarks = run_fmu(Path(options.name), options)
    else:
        if options.interface is not None:
            raise WrongCallError(
                f"--interface {options.interface}: {options.name} is not an FMU and runs without "
                f"one; 'mbcore build {options.name}' makes its FMU, NAME.fmu, which has interfaces"
            )
        file = located(options.name, definitions())
        component = load(file, tyre_options(options) | only_robot_options(options, file))
        began = time.perf_counter()
        result = _simulated(component, options)
        remarks = _remarks(component, options, result)
        equations = component.equations
        records: list[Any] = [*equations.states, *equations.outputs, *equations.discretes]
        outputs = [r.name for r in records if r.visibility == "output"]
        display_units = {
            r.name: displayed(r.unit, r.display_unit) for r in (*records, *equations.inputs)
        }
    taken = time.perf_counter() - began
    names = chosen_names("--show", options.show, list(result), outputs)
    happened = f", {count(len(result.events), 'event')}" if result.events else ""
    span = f"{result.time[0]:g} s to {result.time[-1]:g} s"
    print(f"{result.name}: {span} in {taken:.2g} s, {result.time.size} rows{happened}")
    print(final_values(result, names, display_units))
    for remark in remarks:
        print(remark)
    if csv:
        print(f"wrote {result.to_csv(csv)}")
    if plot:
        figure = result.plot(*names)
        figure.savefig(plot)
        print(f"wrote {plot}")
    return 0


def _simulated(component: Component, options: argparse.Namespace) -> Result:
    """Simulate a component's equations in Python."""
    equations = component.equations
    settings = _settings(component, options)
    calculated: list[Any] = [*equations.states, *equations.outputs, *equations.discretes]
    columns = {record.name: column_of(record) for record in equations.inputs}
    names = [record.name for record in calculated]
    table = given_table(options, columns, names, settings.inputs)
    signals: dict[str, Signal] = {**settings.inputs, **(table or {})}
    until = end_time(options, table, component.experiment.stop)
    step = time_in_seconds("--step", options.step)
    return simulate(
        equations,
        until,
        start=settings.start,
        parameters=settings.parameters,
        inputs=signals,
        samples=None if step is None else sample_times(until, step),
        backend=options.backend,
    )


def _settings(component: Component, options: argparse.Namespace) -> Settings:
    """Return the values of the definition, of ``--parameters`` and of ``--set``, the latter first.

    A definition may have values of its FMU's solver, which does not run here.
    """
    q = component.equations
    known = [record.name for records in (q.states, q.parameters, q.inputs) for record in records]
    arrays = [array.name for array in q.arrays if array.kind != "output"]
    own = some_of(component.parameters, {*known, *arrays})
    return sorted_values(q, merged(own, chosen_values(options, known), known))


def _remarks(component: Component, options: argparse.Namespace, result: Result) -> list[str]:
    """Return what a component says of inputs without effect, and of outputs that became false."""
    page, parameters = component.page, component.equations.parameters
    settings = _settings(component, options)
    values = checked_values("parameter", parameters, settings.parameters)
    limits = {p.name: float(value) for p, value in zip(parameters, values, strict=True)}
    given = (name for name in page.used_with if name in settings.inputs)
    unused = without_effect(page.used_with, given, component.equations, limits)
    return [*unused, *said(page.remarks, limits, result)]


def sample_times(until: float, step: float) -> np.ndarray:
    """Return multiples of the step, and the end, s.

    Raises
    ------
    ModelError
        They are more than any memory holds.
    """
    check_rows(until, step)
    times = np.arange(0.0, until, step)
    return np.append(times[times < until * (1 - 1e-12)], until)


def displayed(unit: str, asked: str | None) -> Display | None:
    """Return the unit that people expect and the factor to it; None where it is ``unit``."""
    usual = {"rad": "deg", "m/s": "km/h"}.get(unit)
    display = asked or usual
    return (display, display_factor(unit, display)) if display and display != unit else None


def final_values(result: Result, names: list[str], display_units: dict[str, Display | None]) -> str:
    """Return a table of last values with units, and in the units people expect."""
    rows = []
    for name in names:
        value, unit = result.final(name), result.units[name]
        display = display_units.get(name)
        other = f"= {formatted(value * display[1])} {display[0]}" if display else ""
        rows.append((name, formatted(value), "" if unit == "1" else unit, other))
    return table(rows, right=(1,)) if rows else "nothing to show: no variable is an output"
