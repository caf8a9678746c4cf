"""Sweeps that choose their number of workers: against one worker and two, at several lengths.

Simulations and linearizations of the disk and the bicycle at 10 to 400 points, and a function of
the user's, which is never called in the process of the caller. One worker, two and the choice take
turns; each time is the least of its rounds. The clock asks for an idle machine. Time of processors
is that of this process and half of the workers': what the clock shows where two are free.

Run: python benchmarks/analyses/workers.py [--rounds N] [--only TEXT]
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from mbcore import linearizations, simulations, sweep
from mbcore.fmus import bicycle, rolling_disk
from mbcore.sweeps.measured import Cost

ASKED_TWO, ASKED_SMALL = 1.7, 1.05


def tasks() -> dict[str, tuple[Any, Mapping[str, Callable[[int], np.ndarray]], tuple[int, ...]]]:
    """Return tasks, what is swept, and numbers of points."""
    disk, bike = rolling_disk.model().equations(), bicycle.model().equations()
    lean = {"disk.lean": lambda n: np.linspace(0.1, 0.4, n)}
    trail = {"geometry.trail": lambda n: np.linspace(-0.05, 0.2, n)}
    steady = {"bicycle.lean_rate": 0.0}
    return {
        "simulations of 4 s": (simulations(disk, 4.0), lean, (10, 40, 400)),
        "simulations of 20 s": (simulations(disk, 20.0), lean, (10, 40, 400)),
        "linearizations": (linearizations(bike, steady), trail, (40, 2000)),
        "a function": (lambda point: point["disk.lean"] ** 2, lean, (40,)),
    }


def worked() -> float:
    """Return the processor time of this process, and half of that of two workers, s."""
    own, theirs = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + (theirs.ru_utime + theirs.ru_stime) / 2


def seconds(
    task: Any, grid: Mapping[str, np.ndarray], workers: int | None
) -> tuple[float, float, str]:
    """Return the time of a sweep by the clock and by processors, s, and what was used."""
    few = {name: values[:100] for name, values in grid.items()}
    sweep(task, few, workers=1, progress=False)  # takes back pages that workers before it shared
    began, before = time.perf_counter(), worked()
    found = sweep(task, grid, workers=workers, progress=False)
    after = worked() - before
    return time.perf_counter() - began, after, found.attrs.get("workers", "")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="tasks whose names begin with this")
    options = parser.parse_args()
    results = common.Table("Sweeps by one worker, by two, and by as many as pay")
    for name, (task, swept, numbers) in tasks().items():
        if not name.startswith(options.only):
            continue
        seconds(task, {key: row(10) for key, row in swept.items()}, 1)
        for number in numbers:
            grid = {key: row(number) for key, row in swept.items()}
            least = {workers: np.full(2, np.inf) for workers in (1, 2, None)}
            for _ in range(options.rounds):
                for workers, before in least.items():
                    *taken, used = seconds(task, grid, workers)
                    least[workers] = np.minimum(before, taken)
            one, large = least[1], number >= 400 and name == "simulations of 20 s"
            title = f"{number} {name}"
            results.number(f"{title}, one worker (ms)", 1e3 * one[0])
            results.number(f"{title}, one over two by the clock", (one / least[2])[0])
            results.number(f"{title}, one over the choice by the clock", (one / least[None])[0])
            bound = {"at_least": ASKED_TWO} if large else {"at_least": 1 / ASKED_SMALL}
            results.number(f"{title}, the same by processors", (one / least[None])[1], **bound)
            print(f"{title}: {used}")
    cost = Cost.of("fork")
    results.number("a forked worker, assumed: first point (ms)", 1e3 * cost.begin)
    results.number("a forked worker, assumed: start (ms)", 1e3 * cost.each)
    results.print()


if __name__ == "__main__":
    main()
