"""The options ``--inputs``, ``--start`` and ``--until``: inputs over time, and when a run ends."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Mapping

from mbcore.cli.settings import plain, time_in_seconds
from mbcore.cli.wrong_call import WrongCallError, refusing_calls
from mbcore.evaluation.input_file import Column, read_table
from mbcore.evaluation.input_table import InputTable, tell_ends
from mbcore.model.errors import ModelError
from mbcore.model.units.text_units import value_in
from mbcore.model.wording import listed

FIRST = "first"
REMEDY = f"; give --start {FIRST} to begin with the first row"
LEAST_COVERED = 0.5
"""Part of a run, whose end is that of its inputs' rows, that these cover at least."""


def add_input_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--inputs",
        metavar="FILE.csv",
        help="table of inputs: a column 'time' and one for each input, with units as in "
        "'steer.angle [deg]'; linear between rows, two rows of one time make a jump",
    )
    parser.add_argument(
        "--start", metavar="TIME", help="time of the inputs' file at which the run begins, from "
        "which it counts, as in '100 s'; 'first' is that of the first row; by default 0"
    )  # fmt: skip
    parser.add_argument(
        "--until", metavar="TIME", help="end, as in '10 s'; by default that of the inputs' file, "
        "else of the component's experiment"
    )  # fmt: skip


def given_table(
    options: argparse.Namespace,
    columns: Mapping[str, Column],
    others: Iterable[str],
    constants: Iterable[str],
) -> InputTable | None:
    """Return the table of ``--inputs`` in the time of the run; None where none is given.

    Parameters
    ----------
    options : Namespace
    columns : mapping of str to Column
        The inputs that there are.
    others : iterable of str
        Names of other variables.
    constants : iterable of str
        Variables that ``--set`` gives values.

    Raises
    ------
    WrongCallError
        The file cannot be read or holds something wrong, ``--start`` is not a time or given without
        a file, or an input is given by both options.
    """
    if options.inputs is None:
        if options.start is not None:
            raise WrongCallError(
                f"--start = {options.start!r} is a time of the inputs' file; give --inputs as well"
            )
        return None
    with refusing_calls():
        table = read_table(options.inputs, columns, others)
    both = [name for name in constants if name in table]
    if both:
        raise WrongCallError(
            f"{listed(both)}: given by --set and by --inputs; leave it to one of them"
        )
    begin = _begin(options.start, table)
    return table.begun_at(begin) if begin else table


def end_time(options: argparse.Namespace, table: InputTable | None, stop: float | None) -> float:
    """Return the end of a run, s: as given, or that of the inputs or of the experiment.

    Raises
    ------
    WrongCallError
        There is none, or rows of the inputs and the run have no time in common.
    """
    until = time_in_seconds("--until", options.until)
    if until is None and table is not None and table.time[-1] > 0:
        until = _covered(options, table)
    if until is None:
        until = stop
    if until is None:
        raise WrongCallError("there is no default experiment: give --until, as in '10 s'")
    if table is not None:
        with refusing_calls():
            tell_ends(str(options.inputs), table, until, REMEDY)
    return until


def _covered(options: argparse.Namespace, table: InputTable) -> float:
    """Return the time of the last row, where rows cover most of a run until then."""
    first, last = float(table.time[0]), float(table.time[-1])
    if last - first < LEAST_COVERED * last and table.time.size > 1:
        begin = table.begin
        raise WrongCallError(
            f"{options.inputs}: its rows are from {begin + first:.9g} s to {begin + last:.9g} s, "
            f"and the run begins at {begin:.9g} s{REMEDY}, or give --until for a run "
            "that holds the first row until then"
        )
    return last


@refusing_calls()
def _begin(text: str | None, table: InputTable) -> float:
    """Return the time of a table at which a run begins, s."""
    if text is None:
        return 0.0
    if text.strip() == FIRST:
        return float(table.time[0])
    value = plain("--start", text)
    seconds = value_in("--start", value, "s") if isinstance(value, str) else value
    if not math.isfinite(seconds):
        raise ModelError(f"--start = {text!r}: give a time, as in '100 s', or {FIRST}")
    return seconds
