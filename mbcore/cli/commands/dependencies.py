"""The subcommand ``dependencies``: what an FMU declares beside what its derivatives show."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

from mbcore.cli.definitions import definitions
from mbcore.cli.settings import checked_path
from mbcore.cli.wrong_call import WrongCallError, refusing_calls
from mbcore.fmi.running.observed_dependencies import (
    POINTS,
    ObservedDependencies,
    Pair,
    observed_dependencies,
)
from mbcore.model.near_names import near
from mbcore.model.wording import count, listed

HELP = "list declared dependencies on inputs that never show, with reasons"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("name", type=Path, metavar="NAME.fmu", help="an FMU with Model Exchange")
    parser.add_argument(
        "--points",
        type=int,
        default=POINTS,
        metavar="N",
        help=f"random points, {POINTS} by default",
    )
    parser.add_argument("--csv", metavar="FILE.csv", help="write all pairs there")


def run(options: argparse.Namespace) -> int:
    """Print the findings; return 1 where a dependency shows that is not declared."""
    file = checked_path("--csv", options.csv, (".csv",)) if options.csv is not None else None
    tell = (lambda line: print(line, file=sys.stderr)) if sys.stderr.isatty() else None
    _refuse_missing(options.name)
    with refusing_calls():
        found = observed_dependencies(options.name, options.points, progress=tell)
    print(_summary(found))
    for line in _lines(found):
        print(line)
    if file is not None:
        with file.open("w", newline="") as target:
            rows = csv.writer(target)
            rows.writerow(["of", "by", "declared", "shown"])
            rows.writerows((p.of, p.by, p.kind, p.shown or "at the points") for p in found.pairs)
        print(f"wrote {file}")
    return 1 if found.undeclared else 0


def _refuse_missing(file: Path) -> None:
    """Refuse a file that does not exist, with how to build one of its name or of a similar one."""
    if file.exists():
        return
    known = list(definitions())
    meant = [] if file.stem in known else near(file.stem, known, 1)
    name = meant[0] if meant else file.stem
    hint = f"did you mean {name!r}? Give" if meant else "give"
    raise WrongCallError(
        f"there is no FMU {file}; {hint} the file, as in build/fmi3/{name}.fmu, which 'mbcore "
        f"build {name}' writes"
    )


def _summary(found: ObservedDependencies) -> str:
    declared = sum(bool(pair.kind) for pair in found.pairs)
    return (
        f"{found.name}: {declared} dependencies of outputs and derivatives on inputs declared; "
        f"{len(found.unseen)} of them not seen at {count(found.points, 'random point')}, "
        f"{len(found.undeclared)} seen that are not declared"
        f"{'; by differences, as it has no directional derivatives' * found.by_differences}"
    )


def _lines(found: ObservedDependencies) -> list[str]:
    """Return the pairs, those of one reason and one input together."""
    grouped: dict[str, dict[str, list[Pair]]] = {}
    for pair in (*found.undeclared, *found.unseen):
        reason = pair.shown if pair.kind else "not declared"
        grouped.setdefault(reason, {}).setdefault(pair.by, []).append(pair)
    lines = []
    for reason, inputs in grouped.items():
        lines.append(f"{reason}: {sum(map(len, inputs.values()))}")
        lines += [f"    by {by}: {listed(p.of for p in pairs)}" for by, pairs in inputs.items()]
    if found.untried:
        lines.append(f"could not be evaluated near the start: {listed(found.untried)}")
    return lines
