"""The subcommand ``list``: what there is, and the variables of one."""

from __future__ import annotations

import argparse
import importlib

from mbcore.cli.definitions import definitions, list_definitions, located
from mbcore.cli.parser import refuse_idle

HELP = "list the components of the library, or the variables of one"
ONE_PROCESS = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what may be listed."""
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="a component or a file NAME.py: lists its variables"
    )
    parser.add_argument(
        "--all", action="store_true", help="with NAME: internal outputs, too, as modes of events"
    )


def run(options: argparse.Namespace) -> int:
    """Print what there is; return the exit status."""
    found = definitions()
    if options.name is None:
        refuse_idle(options, ("all",), "without a NAME; name the component whose variables to list")
        return list_definitions(found)
    # imported here: it takes a second, for which a list of names need not wait
    variables = importlib.import_module("mbcore.cli.variables")
    print(variables.of_component(located(options.name, found), options.all))
    return 0
