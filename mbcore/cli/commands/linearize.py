"""The subcommand ``linearize``: about the start, the point of a run, or a steady motion."""

from __future__ import annotations

import argparse
import csv
import math
from pathlib import Path
from typing import Any

import numpy as np

from mbcore.cli.definitions import definitions, located
from mbcore.cli.foreign.foreign_fmu import how, is_fmu, numbers, opened, sorted_for
from mbcore.cli.loading import load
from mbcore.cli.parser import refuse_idle
from mbcore.cli.robot_options import add_robot_options, only_robot_options
from mbcore.cli.settings import (
    Settings,
    add_set_option,
    checked_path,
    chosen_names,
    given_values,
    sorted_values,
    table,
    time_in_seconds,
)
from mbcore.cli.tyre_option import add_tyre_options, tyre_options
from mbcore.cli.wrong_call import WrongCallError, refusing_calls
from mbcore.drivers.driver import Point
from mbcore.equations.equations import Equations
from mbcore.equilibria.steady_motion import steady_motion
from mbcore.linear.linearization import Linearization
from mbcore.linear.linearize import linearize
from mbcore.model.errors import warn_user
from mbcore.model.wording import listed
from mbcore.simulation.simulate import simulate

HELP = "print matrices and eigenvalues of the equations about a state"
ONE_PROCESS = True

MOST_PRINTED = 10
"""States up to which the matrix A is printed."""
ROBOTS = (
    "tyre",
    "limits",
    "rolling",
    "caster",
    "mecanum",
    "support",
    "speed",
    "odometry",
    "meshes",
    "floating",
)
"""Options that an FMU has no use for."""
NOTHING = 1e-12
"""Part of a nominal value below which a value is printed as zero."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of a linearization."""
    parser.add_argument(
        "name",
        metavar="NAME",
        help="one of 'mbcore list', or a file NAME.py, robot.urdf, robot.xml or any NAME.fmu",
    )
    add_set_option(parser)
    add_tyre_options(parser)
    add_robot_options(parser)
    parser.add_argument(
        "--at",
        metavar="TIME",
        help="about the point that a simulation reaches then, as in '5 s'; by default the start",
    )
    parser.add_argument(
        "--steady", action="append", nargs="?", const="", metavar='"NAME=VALUE"',
        help="about a steady motion that is sought near the start, with this state or output; may "
        "be given several times, and alone where there is but one",
    )  # fmt: skip
    parser.add_argument(
        "--find", metavar="A,B", help="inputs that --steady finds too, one condition more for each"
    )
    parser.add_argument(
        "--unsteady", action="store_true", help="do not warn where the motion changes there"
    )
    parser.add_argument("--csv", metavar="FILE.csv", help="write A, B, C, D with names there")
    parser.add_argument("--npz", metavar="FILE.npz", help="write them as a NumPy archive")


def run(options: argparse.Namespace) -> int:
    """Linearize, print and write by the options; return the exit status."""
    csv_file = checked_path("--csv", options.csv, (".csv",)) if options.csv is not None else None
    npz_file = checked_path("--npz", options.npz, (".npz",)) if options.npz is not None else None
    time = time_in_seconds("--at", options.at)
    if options.find is not None and options.steady is None:
        raise WrongCallError("--find: inputs are found for a steady motion; give --steady as well")
    if time is not None and options.steady is not None:
        raise WrongCallError(
            "--at linearizes about a point of a run, --steady about a steady motion; leave one out"
        )
    if time is not None or options.steady is not None:
        why = "with --at or --steady, which give no such warning; leave it out"
        refuse_idle(options, ("unsteady",), why)
    if is_fmu(options.name):
        return _run_fmu(options, time, csv_file, npz_file)
    file = located(options.name, definitions())
    equations = load(file, tyre_options(options) | only_robot_options(options, file)).equations
    given = sorted_values(equations, given_values("--set", options.set))
    about = _found(equations, given, time, options)
    print(f"{equations.name} about t = {about.time:g} s")
    if options.steady is not None:
        print(_place(about))
    _tell(about, csv_file, npz_file)
    return 0


def _tell(about: Linearization | Point, csv_file: Path | None, npz_file: Path | None) -> None:
    """Print a linearization, and write it where that is asked for."""
    print(_summary(about))
    if csv_file:
        _write_csv(csv_file, about)
        print(f"wrote {csv_file}")
    if npz_file:
        np.savez(npz_file, **_named_matrices(about))  # type: ignore[arg-type]
        print(f"wrote {npz_file}")


def _run_fmu(
    options: argparse.Namespace, time: float | None, csv_file: Path | None, npz_file: Path | None
) -> int:
    """Linearize an FMU by its binary alone, print and write; return the exit status."""
    refuse_idle(options, ROBOTS, "for an FMU, whose tyres and wheels are in it; leave it out")
    with opened(options.name) as driver:
        given = sorted_for(driver, given_values("--set", options.set))
        state, inputs = given.start, given.inputs
        if time is not None:
            reached = driver.simulate(
                [time], start=state, parameters=given.parameters, inputs=inputs, outputs=()
            )
            state = dict(zip(driver.states, map(float, reached.states[-1]), strict=True))
        elif options.steady is not None:
            asked = given_values("--steady", filter(None, options.steady))
            wanted = numbers("--steady", driver, asked)
            find = chosen_names("--find", options.find, driver.inputs, ())
            with refusing_calls():
                motion = driver.steady(wanted, find, state, given.parameters, inputs)
            state, inputs = dict(motion.state), dict(motion.inputs)
        quiet = time is not None or options.unsteady
        about = driver.linearized(state, given.parameters, inputs, time or 0.0, quiet)
        print(f"{driver.name} about t = {about.time:g} s, {how(driver)}")
        if options.steady is not None:
            facts = [
                _fact(name, value, driver.unit(name))
                for name, value in {**state, **inputs}.items()
                if abs(value) > NOTHING
            ]
            print(f"steady motion: {', '.join(facts) or 'all states are zero'}")
        _tell(about, csv_file, npz_file)
    return 0


def _found(
    equations: Equations, given: Settings, time: float | None, options: argparse.Namespace
) -> Linearization:
    """Return the equations linearized about the start, a run's point, or a steady motion."""
    state, inputs = given.start, given.inputs
    if time is not None:
        reached = simulate(
            equations,
            time,
            start=state,
            parameters=given.parameters,
            inputs=dict(inputs),
            singular="stop",
        )
        state = {record.name: reached.final(record.name) for record in equations.states}
    elif options.steady is not None:
        wanted = given_values("--steady", filter(None, options.steady))
        both = [name for name in wanted if name in state]
        if both:
            raise WrongCallError(f"{listed(both)}: given by --set and by --steady; leave one out")
        find = chosen_names("--find", options.find, [i.name for i in equations.inputs], ())
        with refusing_calls():  # one that is not found is another error
            motion = steady_motion(
                equations,
                wanted,
                find=find,
                guess=state,
                parameters=given.parameters,
                inputs=inputs,
            )
        state, inputs = dict(motion.state), dict(motion.inputs)
    about = linearize(
        equations,
        state,
        parameters=given.parameters,
        inputs=inputs,
        time=time or 0.0,
        unsteady=True,
    )
    changing = about.changing()
    if changing is not None and time is None and not options.unsteady:
        warn_user(
            f"{equations.name} is not at rest or in a steady motion there, {changing}; eigenvalues "
            "then say nothing about stability. Give --steady, with the states or outputs of the "
            "steady motion, other start values by --set, or --unsteady if this is wanted"
        )
    return about


def _place(about: Linearization) -> str:
    """Return the states and inputs that are not zero."""
    equations = about.equations
    records: list[Any] = [*equations.states, *equations.inputs]
    values = [*about.state, *about.inputs]
    facts = [
        _fact(record.name, value, record.unit)
        for record, value in zip(records, values, strict=True)
        if abs(value) > NOTHING * getattr(record, "nominal", 1.0)
    ]
    return f"steady motion: {', '.join(facts)}" if facts else "steady motion: all states are zero"


def _fact(name: str, value: float, unit: str) -> str:
    """Return a value in words, ``v = 2 m/s``."""
    return f"{name} = {value:.6g} {'' if unit == '1' else unit}".rstrip()


def _named_matrices(about: Linearization | Point) -> dict[str, np.ndarray]:
    if isinstance(about, Point):
        return {
            **{name: getattr(about, name) for name in "ABCD"},
            **{n: np.array(getattr(about, n), dtype=str) for n in ("states", "inputs", "outputs")},
            "state": about.state,
            "input": about.inputs_there,
        }
    equations = about.equations
    return {
        "A": np.where(about.depends, about.state_matrix, 0.0),
        "B": about.input_matrix,
        "C": about.output_matrix,
        "D": about.feedthrough,
        "states": np.array([record.name for record in equations.states], dtype=str),
        "inputs": np.array([record.name for record in equations.inputs], dtype=str),
        "outputs": np.array([record.name for record in equations.outputs], dtype=str),
        "state": about.state,
        "input": about.inputs,
    }


def _summary(about: Linearization | Point) -> str:
    """Return the matrices' sizes, A where it is small, and eigenvalues."""
    found = _named_matrices(about)
    sizes = {name: found[name].shape for name in "ABCD"}
    parts = [", ".join(f"{name}: {rows} x {columns}" for name, (rows, columns) in sizes.items())]
    states = found["states"].tolist()
    if len(states) <= MOST_PRINTED:
        lines = [("A", *(str(i) for i in range(1, len(states) + 1)), "")]
        lines += [
            (str(i), *(f"{x + 0.0:.4g}" for x in row), f"d({name})/dt")
            for i, (name, row) in enumerate(zip(states, found["A"], strict=True), 1)
        ]
        parts.append(table(lines, right=range(len(states) + 1)))
    parts.append(_modes(about))
    if isinstance(about, Linearization) and about.structural_zeros:
        parts.append(f"zero by structure: {', '.join(about.structural_zeros)}")
    return "\n\n".join(parts)


def _modes(about: Linearization | Point) -> str:
    """Return eigenvalues with frequency and damping, a pair in one row; no structural zeros."""
    rows = [("eigenvalue [1/s]", "frequency [Hz]", "damping ratio", "mostly in")]
    for mode in about.modes():
        value = mode.eigenvalue
        if value.imag < 0:
            continue
        pair, real = value.imag > 0, value.real + 0.0  # no -0
        rows.append(
            (
                f"{real:.6g} +- {value.imag:.6g}i" if pair else f"{real:.6g}",
                f"{value.imag / 2 / math.pi:.6g}" if pair else "",
                f"{mode.damping_ratio + 0.0:.4g}" if pair else "",
                ", ".join(mode.largest[:3]),
            )
        )
    return table(rows)


def _write_csv(path: Path, about: Linearization | Point) -> None:
    """Write the four matrices one below the other, each with names of rows and columns."""
    found = _named_matrices(about)
    names = {kind: found[kind].tolist() for kind in ("states", "inputs", "outputs")}
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        for matrix, down, across in (
            ("A", "states", "states"),
            ("B", "states", "inputs"),
            ("C", "outputs", "states"),
            ("D", "outputs", "inputs"),
        ):
            writer.writerow([matrix, *names[across]])
            for name, row in zip(names[down], found[matrix], strict=True):
                writer.writerow([name, *(repr(float(x)) for x in row)])
            writer.writerow([])
