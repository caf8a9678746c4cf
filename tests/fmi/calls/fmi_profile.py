"""Which rows of the FMI project's Optimization and Dynamics profiles an FMU fulfils.

``python -m tests.fmi.calls.fmi_profile FMU...`` prints both profiles row by row for each FMU. Every
row is shown on the FMU itself: it is run, saved, restored, differentiated and interrupted, whatever
its model description claims. The rows are those of the FMI Guides' Feature Profiles (development
version of 2026); event mode belongs to neither, and is shown all the same.

The exit status is 0 where every FMU fulfils both profiles in all rows that have a meaning for it.
"""

from __future__ import annotations

import argparse
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.fmi.calls import fmi_rows as rows
from tests.fmi.calls.fmi_subject import MissingError, Subject

PROFILES = ("Optimization", "Dynamics")


@dataclass(frozen=True)
class Row:
    """A feature, whether each profile requires it (R), recommends it (r) or neither."""

    feature: str
    optimization: str
    dynamics: str
    show: Callable[[Subject], str]

    def belongs(self, profile: str) -> str:
        return self.optimization if profile == "Optimization" else self.dynamics


@dataclass(frozen=True)
class Finding:
    """What a row showed: ``yes``, ``no`` or ``not applicable``, and what was seen."""

    row: Row
    verdict: str
    seen: str


ROWS = (
    Row("tunable parameters", "R", "R", rows.tunable_parameters),
    Row("store and restore the state", "R", "R", rows.store_and_restore),
    Row("serialize and deserialize the state", "R", "R", rows.serialize),
    Row("string inputs and outputs", "", "R", rows.variables_of("String")),
    Row("binary inputs and outputs", "", "R", rows.variables_of("Binary")),
    Row(
        "new integer types",
        "R",
        "R",
        rows.variables_of("Int8", "UInt8", "Int16", "UInt16", "UInt32", "Int64", "UInt64"),
    ),
    Row("input and output arrays of fixed size", "R", "R", rows.arrays(False, "input", "output")),
    Row("resizable input and output arrays", "", "R", rows.arrays(True, "input", "output")),
    Row("parameter arrays of fixed size", "R", "R", rows.arrays(False, "parameter")),
    Row("resizable parameter arrays", "R", "R", rows.arrays(True, "parameter")),
    Row("variable communication step size", "R", "R", rows.variable_step),
    Row("dependencies of rates and outputs", "R", "R", rows.dependencies),
    Row("output derivatives", "R", "R", rows.output_derivatives),
    Row("directional derivatives", "R", "r", rows.directional_derivatives),
    Row("adjoint derivatives", "R", "", rows.adjoint_derivatives),
    Row("intermediate output values", "R", "R", rows.intermediate_values),
    Row("early return that can go on", "", "R", rows.early_return),
    Row("clocks in Co-Simulation", "", "R", rows.clocks),
    Row("event mode in Co-Simulation", "", "", rows.event_mode),
    Row("binaries for desktop platforms", "R", "R", rows.desktop_binaries),
)


def examine(path: Path, start: Mapping[str, float] | None = None) -> list[Finding]:
    """Show every row on an FMU, from start values, its own by default."""
    with Subject.opened(path, start) as subject:
        return [_show(row, subject) for row in ROWS]


def _show(row: Row, subject: Subject) -> Finding:
    try:
        return Finding(row, "yes", row.show(subject))
    except rows.NotApplicable as why:
        return Finding(row, "not applicable", str(why))
    except MissingError as what:
        return Finding(row, "no", str(what))
    except Exception as error:  # a foreign FMU may do anything
        return Finding(row, "no", f"{type(error).__name__}: {error}")


def lacking(found: Sequence[Finding], profile: str) -> list[str]:
    """Return the features that a profile requires and the FMU does not show."""
    return [f.row.feature for f in found if f.row.belongs(profile) == "R" and f.verdict == "no"]


def verdict(found: Sequence[Finding], profile: str) -> str:
    """Return in a line what an FMU lacks of a profile, and which rows say nothing of it."""
    missing = lacking(found, profile)
    if missing:
        return f"not fulfilled, for it lacks {', '.join(missing)}"
    aside = [
        f.row.feature
        for f in found
        if f.row.belongs(profile) == "R" and f.verdict == "not applicable"
    ]
    return "fulfilled" + (f", but for what does not apply: {', '.join(aside)}" if aside else "")


def _print(path: Path, found: Sequence[Finding]) -> None:
    print(f"\n{path}")
    width = max(len(row.feature) for row in ROWS)
    print(f"  {'':{width}}  O D  (R required, r recommended)")
    for f in found:
        marks = f"{f.row.optimization or '-'} {f.row.dynamics or '-'}"
        print(f"  {f.row.feature:{width}}  {marks}  {f.verdict:14}  {f.seen}")
    for profile in PROFILES:
        print(f"  {profile}: {verdict(found, profile)}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("fmus", nargs="+", type=Path, metavar="FMU")
    complete = True
    for path in parser.parse_args(argv).fmus:
        if not zipfile.is_zipfile(path):
            parser.error(f"{path} is no FMU")
        found = examine(path)
        _print(path, found)
        complete &= not any(lacking(found, profile) for profile in PROFILES)
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
