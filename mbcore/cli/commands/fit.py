"""The subcommand ``fit``: finds parameters of a component or an FMU from measurements."""

from __future__ import annotations

import argparse
import re
from typing import Any

from mbcore.cli.definitions import definitions, located
from mbcore.cli.loading import load
from mbcore.cli.settings import checked_path, names_in, table, time_in_seconds
from mbcore.cli.wrong_call import WrongCallError, refusing_calls
from mbcore.fmi.packing.interruption import ended_in_order
from mbcore.identification.fit import fit
from mbcore.identification.fit_result import Fit
from mbcore.identification.options import ERRORS, LOSSES, FitOptions
from mbcore.identification.unknowns import Unknown
from mbcore.model.wording import formatted

HELP = "find parameters of a component or an FMU from measurements"
ONE_PROCESS = True
_BOUNDS = re.compile(r"(?P<low>.+?)\.\.(?P<high>[^@]+)(?:@(?P<start>.+))?")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of a fit."""
    parser.add_argument(
        "name", metavar="NAME", help="one of 'mbcore list', a file NAME.py, or NAME.fmu"
    )
    parser.add_argument(
        "data",
        nargs="+",
        metavar="DATA.csv",
        help="a run each: a column 'time', columns of outputs and inputs, with units as in "
        "'wheel.angle [deg]'; empty cells are missing samples",
    )
    parser.add_argument(
        "--parameters",
        nargs="+",
        required=True,
        metavar="NAME=LOW..HIGH",
        help="bounds of what is unknown, as in strut.stiffness=0.05..5; a first guess other than "
        "the model's value behind them: strut.stiffness=0.05..5@1",
    )
    parser.add_argument(
        "--outputs",
        metavar="A,B",
        help="columns that are fitted; all outputs and states by default",
    )
    parser.add_argument(
        "--segment", metavar="TIME", help="multiple shooting with segments of this length, as in "
        "'0.5 s', for unstable motions and poor first guesses"
    )  # fmt: skip
    parser.add_argument("--error", choices=ERRORS, default="output", help="what is compared")
    parser.add_argument("--loss", choices=LOSSES, default="linear", help="all others bear outliers")
    parser.add_argument("--starts", type=int, default=1, metavar="N", help="starts in the bounds")
    parser.add_argument("--report", metavar="FILE.html", help="write a report with pictures there")
    parser.add_argument("--plot", metavar="FILE.png", help="draw motions and residuals there")
    parser.add_argument(
        "--write", metavar="FILE.ssv", help="write the values there (.ssv, .csv, .json or .toml)"
    )


def run(options: argparse.Namespace) -> int:
    """Fit, print and write by the options; return the exit status."""
    report = _path("--report", options.report, (".html",))
    plot = _path("--plot", options.plot, (".png", ".pdf", ".svg"))
    values = _path("--write", options.write, (".ssv", ".csv", ".json", ".toml"))
    parameters = dict(_unknown(text) for text in options.parameters)
    with refusing_calls():
        how = FitOptions(
            segment=time_in_seconds("--segment", options.segment),
            error=options.error,
            loss=options.loss,
        )
    source: Any = options.name
    if not options.name.lower().endswith(".fmu"):
        source = load(located(options.name, definitions()), {})
    outputs = names_in(options.outputs) if options.outputs is not None else None
    with refusing_calls(), ended_in_order():
        result = fit(
            source,
            list(options.data),
            parameters,
            outputs=outputs,
            starts=options.starts,
            options=how,
        )
    print(_summary(result))
    if report:
        print(f"wrote {result.report(report)}")
    if plot:
        result.plot().savefig(plot)
        print(f"wrote {plot}")
    if values:
        print(f"wrote {result.write(values)}")
    return 0


def _path(option: str, given: str | None, endings: tuple[str, ...]) -> Any:
    return checked_path(option, given, endings) if given is not None else None


def _unknown(text: str) -> tuple[str, Unknown]:
    """Return a name with bounds: ``strut.stiffness=0.05..5@1``.

    Raises
    ------
    WrongCallError
        It has not this form.
    """
    name, _, given = text.partition("=")
    match = _BOUNDS.fullmatch(given.strip())
    if not name.strip() or not match:
        raise WrongCallError(
            f"--parameters {text!r}: give NAME=LOW..HIGH, as in strut.stiffness=0.05..5"
        )
    start = match["start"]
    first = None if start is None else start.strip()
    return name.strip(), Unknown(match["low"].strip(), match["high"].strip(), first)


def _summary(result: Fit) -> str:
    """Return values with their intervals, and what is left of the sensors."""
    rows: list[tuple[str, ...]] = [("", "value", "unit", "95 % from", "to")]
    for name, row in result.table().iterrows():
        unit = "" if row.unit == "1" else str(row.unit)
        rows.append(
            (str(name), formatted(row.value), unit, formatted(row.low), formatted(row.high))
        )
    noise: list[tuple[str, ...]] = [("sensor", "noise", "unit", "residuals")]
    for name, one in result.sensors.items():
        said = "white" if one.whiteness.white else "not white: the model lacks an effect"
        unit = "" if one.unit == "1" else one.unit
        noise.append((name, formatted(one.deviation), unit, said))
    how = f"{result.name}: {result.evaluations} evaluations, {result.derivatives} derivatives"
    if result.starts.said:
        how += f"; {result.starts.said}"
    return "\n\n".join([how, table(rows), table(noise)])
