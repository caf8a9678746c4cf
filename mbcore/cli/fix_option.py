"""The option ``--fix``: parameters that become constants of an FMU."""

from __future__ import annotations

import argparse

from mbcore.cli.settings import plain
from mbcore.cli.wrong_call import refusing_calls
from mbcore.model.errors import ModelError
from mbcore.model.variables import Value


def add_fix_option(parser: argparse.ArgumentParser) -> None:
    """Add the option to a parser."""
    parser.add_argument(
        "--fix",
        action="append",
        default=[],
        metavar="NAME[=VALUE]",
        help="a parameter to make a constant, at its start value or a given one; 'front.*' stands "
        "for all that begin so; may be given several times",
    )


@refusing_calls()
def fixed_values(options: argparse.Namespace) -> dict[str, Value | None]:
    """Return what is fixed: values by name, None for the start value.

    Raises
    ------
    WrongCallError
        A name or value lacks, or a name comes twice.
    """
    found: dict[str, Value | None] = {}
    for given in options.fix:
        name, equals, text = (part.strip() for part in given.partition("="))
        if not name or (equals and not text):
            raise ModelError(f"--fix {given!r}: give NAME or NAME=VALUE, as in road=direct")
        if name in found:
            raise ModelError(f"--fix: {name} is given twice; leave one out")
        found[name] = plain(f"--fix: {name}", text) if equals else None
    return found
