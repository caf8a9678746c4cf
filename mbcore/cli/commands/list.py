"""The subcommand ``list``: what there is, and the variables of one."""

from __future__ import annotations

import argparse
import importlib

from mbcore.cli.definitions import definitions, list_definitions, located

HELP = "list the components of the library, or the variables of one"
ONE_PROCESS = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what may be listed."""
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="a component or a file NAME.py: lists its variables"
    )


def run(options: argparse.Namespace) -> int:
    """Print what there is; return the exit status."""
    found = definitions()
    if options.name is None:
        return list_definitions(found)
    # imported here: it takes a second, for which a list of names need not wait
    variables = importlib.import_module("mbcore.cli.variables")
    print(variables.of_component(located(options.name, found)))
    return 0
