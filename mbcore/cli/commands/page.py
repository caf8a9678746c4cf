"""The subcommand ``page``: one HTML file in which a component is simulated, seen and driven."""

from __future__ import annotations

import argparse
import sys
import webbrowser
from pathlib import Path

from mbcore.cli.compiler_option import add_compiler_option
from mbcore.cli.definitions import definitions, located
from mbcore.cli.loading import load
from mbcore.cli.parameters_option import add_parameters_option, file_values
from mbcore.cli.robot_options import add_robot_options, only_robot_options
from mbcore.cli.settings import checked_path
from mbcore.cli.tyre_option import add_tyre_options, tyre_options
from mbcore.fmi.packing.compiler import LONGEST
from mbcore.fmi.packing.interruption import ended_in_order
from mbcore.page import write_page

HELP = "write a page that simulates and shows a component in the browser, to be driven"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of a page."""
    parser.add_argument(
        "name",
        metavar="NAME",
        help="one of 'mbcore list', or a file NAME.py, robot.urdf or robot.xml",
    )
    parser.add_argument("--out", metavar="FILE.html", help="where to; NAME.html here by default")
    add_compiler_option(parser, LONGEST)
    add_tyre_options(parser)
    add_robot_options(parser)
    add_parameters_option(parser)
    parser.add_argument("--open", action="store_true", help="open it in the browser")


def run(options: argparse.Namespace) -> int:
    """Write the page, and open it on request; return the exit status."""
    out = checked_path("--out", options.out, (".html", ".htm")) if options.out is not None else None
    file = located(options.name, definitions())
    component = load(file, tyre_options(options) | only_robot_options(options, file))
    component = component.started_at(file_values(options))

    def report(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    with ended_in_order():
        path = write_page(
            component,
            out or Path(f"{component.name}.html"),
            compiler_timeout=options.compiler_timeout or LONGEST,
            progress=report,
        )
    print(f"wrote {path} ({path.stat().st_size / 1e6:.2g} MB); it needs no server and no network")
    if options.open and not webbrowser.open(path.resolve().as_uri()):
        print(f"warning: no browser was found here; open {path.resolve()} in one", file=sys.stderr)
    return 0
