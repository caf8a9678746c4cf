"""Instructions of a fixed step of 1 ms in the FMUs, outside the model's functions and libm.

``do_step.c`` runs under callgrind with 300 and with 100 steps, an input before each; the difference
is what 200 steps take. Instructions are counted by source file: the model's C, libm, and the rest,
which is the runtime, the FMI layer and libc.
"""

from __future__ import annotations

import argparse
import importlib
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from benchmarks import common
from mbcore.codegen.compiler import Compiler

CASES = {"vehicle": "steer.angle", "caster": "swivel.torque", "bicycle": "steer.torque"}
CASES["iltis"] = "rack.acceleration"
GOALS = {"vehicle": 2500.0, "caster": 2500.0, "bicycle": 8000.0, "iltis": 30000.0}
LONG, SHORT = 300, 100
_COST = re.compile(r"^(?:\+|-|\*)?\d* ?")


@contextmanager
def with_symbols() -> Iterator[None]:
    """Compile libraries with the lines of their sources and keep their symbols."""
    plain = Compiler.run

    def run(self: Compiler, *arguments: str | Path) -> None:
        plain(self, "-g", *(argument for argument in arguments if argument not in ("-s", "-g0")))

    with patch.object(Compiler, "run", run):
        yield


def instructions(profile: Path) -> Counter[tuple[str, str]]:
    """Return the instructions of a callgrind profile by (file, function), without those called."""
    names: dict[str, str] = {}
    spent: Counter[tuple[str, str]] = Counter()
    place = {"ob": "", "fl": "", "fn": ""}
    called = False
    for line in profile.read_text().splitlines():
        if match := re.match(r"^(ob|fl|fi|fe|fn|cfn|cfi|cfl|cob)=(\(\d+\))(?: (.*))?$", line):
            kind, number, name = match.groups()
            table = {"f": "fl", "o": "ob"}[kind.lstrip("c")[0]]
            table = "fn" if kind.endswith("fn") else table
            if name is not None:
                names[table + number] = name
            if not kind.startswith("c"):
                place["fl" if kind in ("fi", "fe") else kind] = names[table + number]
        elif line.startswith("calls="):
            called = True
        elif line[:1] in "0123456789+-*" and line:
            if not called:
                where = "libm" if "libm" in place["ob"] else Path(place["fl"]).name
                spent[where, place["fn"]] += int(line.split()[1])
            called = False
    return spent


def profile(
    host: Path, unit: common.Unit, driven: str, steps: int, where: Path, method: str = "3"
) -> Counter:
    """Run so many steps under callgrind, by a method's number."""
    references = [unit.references[name] for name in ("solver.method", driven, driven)]
    file = where / f"{unit.library.stem}.{steps}.callgrind"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}", str(host)]
    command += [str(unit.library), "2", unit.token, method, str(steps), *map(str, references)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return instructions(file)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(CASES))
    parser.add_argument("--functions", type=int, default=0, help="list so many functions")
    chosen = parser.parse_args()
    results = common.Table("Instructions of a fixed step of 1 ms, FMI 2.0")
    with common.folder() as where, with_symbols():
        host = common.compile_host([common.HERE / "fmus" / "do_step.c"], where / "do_step")
        for name in chosen.names:
            source = importlib.import_module(f"mbcore.fmus.{name}").component()
            unit = common.build_units(source, where / name)[0]
            spent = profile(host, unit, CASES[name], LONG, where)
            spent.subtract(profile(host, unit, CASES[name], SHORT, where))
            by: Counter[str] = Counter()
            for (file, _), count in spent.items():
                kind = "libm" if file == "libm" else "model" if _is_model(file) else "rest"
                by[kind] += count
            for kind, count in by.items():
                goal = GOALS[name] if kind == "rest" else None
                results.number(f"{name}, {kind}", count / (LONG - SHORT), goal)
            for (file, function), count in spent.most_common(chosen.functions):
                print(f"{count / (LONG - SHORT):10.0f}  {file:28} {function}")
    results.print()


def _is_model(file: str) -> bool:
    return file.endswith(".c") and not file.startswith(("mb_", "fmi", "do_step"))


if __name__ == "__main__":
    main()
