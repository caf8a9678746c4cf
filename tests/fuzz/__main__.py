"""Fuzz the FMUs: ``python -m tests.fuzz --calls 1000000 --model vehicle``.

Every model's runtime and equations are compiled with sanitizers, together with calls in any order
and with any arguments, drawn from a seed. A finding is printed with the line that repeats it, and
ends the run of that model with status 1.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from mbcore.fmi.packing.compiler import find_compiler
from tests.fuzz.build import MODELS, build

MEMCHECK = (
    "valgrind",
    "-q",
    "--error-exitcode=9",
    "--leak-check=full",
    "--errors-for-leak-kinds=all",
)
SETTINGS = {"ASAN_OPTIONS": "detect_leaks=1", "UBSAN_OPTIONS": "print_stacktrace=1"}


def main() -> int:
    """Run what the command line asks for; return 1 where there was a finding."""
    parser = argparse.ArgumentParser("python -m tests.fuzz", description=__doc__)
    parser.add_argument("--model", action="append", choices=MODELS, help="all where absent")
    parser.add_argument("--fmi", action="append", choices=("2", "3"), help="both where absent")
    parser.add_argument("--calls", type=int, default=20_000, help="of each model and version")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--episode", type=int, help="only this part of the calls")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds of one call")
    parser.add_argument("--soak", type=int, help="so many steps instead, with --fast")
    parser.add_argument("--threads", type=int, help="so many instead, by the thread sanitizer")
    parser.add_argument("--memcheck", action="store_true", help="by valgrind, with --fast")
    parser.add_argument("--trace", action="store_true", help="print every call")
    parser.add_argument("--fast", action="store_true", help="optimized, without sanitizers")
    parser.add_argument("--keep", type=Path, help="folder for the programs")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fuzz_", ignore_cleanup_errors=True) as folder:
        place = given.keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        sanitized = not (given.fast or given.memcheck)
        programs = build(
            find_compiler(), given.model or MODELS, place, sanitized, threads=bool(given.threads)
        )
        line = ["--calls", str(given.calls), "--seed", str(given.seed)]
        line += ["--limit", str(given.limit)] + ["--trace"] * given.trace
        line += [] if given.episode is None else ["--episode", str(given.episode)]
        line += [] if given.threads is None else ["--threads", str(given.threads)]
        line += [] if given.soak is None else ["--soak", str(given.soak)]
        results = [
            fuzz(*(MEMCHECK if given.memcheck else ()), program, "--fmi", version, *line)
            for program in programs.values()
            for version in (given.fmi or ("2", "3"))[: 1 if given.soak or given.threads else 2]
        ]
    return int(any(results))


def fuzz(*line: str | Path) -> int:
    """Run a fuzzer; return its exit status."""
    return subprocess.run(line, env=os.environ | SETTINGS, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
