"""Sweeps over the benchmark bicycle: time of 20,000 linearizations, and what a second worker gives.

One and two workers linearize the same points in turn, in one run, so that both meet the same
machine; each first makes a small sweep, after which the equations are there. What is compared is
the ratio of each pair. The whole map then is made by two workers.

Run: python benchmarks/analyses/sweep.py [--points N] [--pairs N]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from mbcore import linearizations, sweep
from mbcore.fmus import bicycle

ASKED_SECONDS, ASKED_RATIO = 60.0, 1.8
WHOLE = (200, 100)
"""Speeds and trails of the whole map."""


def grid(speeds: int, trails: int) -> dict[str, np.ndarray]:
    """Return values of speed, m/s, and trail, m."""
    return {
        "bicycle.speed": np.linspace(0.5, 10.0, speeds),
        "geometry.trail": np.linspace(-0.05, 0.2, trails),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--points", type=int, default=2000, help="in each of a pair's sweeps")
    parser.add_argument("--pairs", type=int, default=3)
    options = parser.parse_args()
    task = linearizations(bicycle.model, {"bicycle.lean_rate": 0.0})

    def seconds(points: dict[str, np.ndarray], workers: int) -> float:
        began = time.perf_counter()
        sweep(task, points, workers=workers)
        return time.perf_counter() - began

    seconds(grid(5, 2), 1)
    chosen = grid(options.points // 20, 20)
    pairs = [(seconds(chosen, 1), seconds(chosen, 2)) for _ in range(options.pairs)]
    ratios = [one / two for one, two in pairs]
    before = os.times()
    whole = seconds(grid(*WHOLE), 2)
    after = os.times()
    busy = sum(after[:4]) - sum(before[:4])
    results = common.Table("Sweep over speed and trail of the benchmark bicycle")
    results.number("20,000 linearizations, 2 workers (s)", whole, at_most=ASKED_SECONDS)
    results.number("their processors' time, each (ms)", 1e3 * busy / np.prod(WHOLE))
    results.number("2 workers over one, median", median(ratios), at_least=ASKED_RATIO)
    results.number("smallest", min(ratios))
    results.number("largest", max(ratios))
    each = median(one for one, _ in pairs) / options.points
    results.number("one linearization, one worker (ms)", 1e3 * each)
    results.print()


if __name__ == "__main__":
    main()
