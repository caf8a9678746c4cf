"""The subcommand ``list``: what there is, and the variables of one."""

from __future__ import annotations

import argparse
from typing import Any

from mbcore.cli.build import list_definitions
from mbcore.cli.definitions import definitions, load, located
from mbcore.cli.settings import table

HELP = "list the components of the library, or the variables of one"


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
    q = load(located(options.name, found)).equations
    kinds: tuple[tuple[str, Any, str], ...] = (
        ("parameter", q.parameters, "value"),
        ("input", q.inputs, "start"),
        ("state", q.states, "start"),
        ("output", (*q.outputs, *q.discretes), ""),
    )
    rows = [("kind", "name", "value", "unit", "description")]
    for kind, records, value in kinds:
        for record in records:
            items = getattr(record, "items", ())
            shown = f"{getattr(record, value):.6g}" if value else ""
            if items:
                shown = items[int(record.value) - 1].name
            choice = "one of " + ", ".join(item.name for item in items) if items else ""
            words = "; ".join(filter(None, (record.description, choice)))
            unit = "" if record.unit == "1" else record.unit
            rows.append((kind, record.name, shown, unit, words))
    print(table(rows, right=(2,)))
    return 0
