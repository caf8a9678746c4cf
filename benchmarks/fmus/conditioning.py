"""Cost of following how regular the configuration of an FMU is.

Each FMU is built twice: as it is, and with equations that claim to have no block that can become
singular, so that the runtime neither measures any nor compares branches. Both are driven in turn by
``do_step.c``, a step of 1 ms at a time, so that what else the machine does falls on both.

    python benchmarks/fmus/conditioning.py --rounds 9
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from statistics import median

import casadi as ca
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from benchmarks.fmus.steps import RUNS, seconds_of
from mbcore.equations.equations import Equations

ASKED = 1.1
"""Times that a step with measures may take of one without."""


def without_measures(equations: Equations) -> Equations:
    """Return the equations, which say from now on that nothing can become singular."""
    vars(equations)["_conditioning"] = ([], ca.SX(0, 1))
    return equations


def build(name: str, measured: bool, where: Path) -> common.Unit:
    """Build one FMU of a name."""
    component = importlib.import_module(f"mbcore.fmus.{name}").component()
    if not measured:
        without_measures(component.equations)
    return common.build_units(component, where / ("with" if measured else "without"))[0]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    results = common.Table("doStep of 1 ms from C, with and without conditioning measures")
    with common.folder() as where, tqdm(total=2 * len(RUNS) * rounds, unit="run") as bar:
        host = common.compile_host([common.HERE / "fmus" / "do_step.c"], where / "do_step")
        units = {
            (name, measured): build(name, measured, where)
            for name in sorted({run.name for run in RUNS})
            for measured in (True, False)
        }
        for run in RUNS:
            taken: dict[bool, list[float]] = {True: [], False: []}
            for _ in range(rounds):
                for measured, seconds in taken.items():
                    seconds.append(seconds_of(host, units[run.name, measured], run))
                    bar.update()
            for measured, seconds in taken.items():
                label = "with" if measured else "without"
                results.time(f"{run.name}, {run.label}, {label}", seconds, "us")
            ratio = median(a / b for a, b in zip(taken[True], taken[False], strict=True))
            results.number(f"{run.name}, {run.label}, with / without", ratio, ASKED)
    results.print()


if __name__ == "__main__":
    main()
