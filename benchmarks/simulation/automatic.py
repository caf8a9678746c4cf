"""The automatic choice of a method where a model is not stiff: the same digits, and its cost.

    python benchmarks/simulation/automatic.py            all FMUs and examples with a model
    python benchmarks/simulation/automatic.py caster     those whose names contain this

Each model runs in C by DOP853 and by the automatic choice, in turns, with its start values and
without inputs; the cost is the ratio of the least processor times of both. Where the choice stays
explicit, all columns must have the same bits. Models that the choice finds stiff are named; those
that need inputs, fall over or have no motion are left out.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from benchmarks.analyses.equations import models
from mbcore import Result, simulate
from mbcore.equations.equations import Equations
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError

UNTIL = 2.0
"""s."""
LEAST = 0.02
"""Time of a measurement at least, s: short runs are repeated."""
ROUNDS = 7
ASKED = 1.05


def timed(equations: Equations, method: str, repeats: int) -> tuple[float, Result]:
    """Return the processor time of a run, s, and its result."""
    began = process_time()
    for _ in range(repeats):
        run = simulate(equations, UNTIL, method=method, backend="c", samples=101, progress=False)
    return (process_time() - began) / repeats, run


def compared(equations: Equations) -> tuple[float, float, bool, str]:
    """Return ratios of time and of evaluations, whether bits are equal, and the methods used."""
    first, explicit = timed(equations, "DOP853", 1)  # compiles
    first, explicit = timed(equations, "DOP853", 1)
    repeats = max(1, round(LEAST / first))
    least = {"DOP853": np.inf, "auto": np.inf}
    chosen = explicit
    for _ in range(ROUNDS):
        for method in least:
            taken, run = timed(equations, method, repeats)
            least[method] = min(least[method], taken)
            chosen = run if method == "auto" else chosen
    same = all(np.array_equal(explicit[n], chosen[n], equal_nan=True) for n in explicit)
    evaluations = chosen.statistics["evaluations"] / explicit.statistics["evaluations"]
    used = " ".join(dict.fromkeys(name for _, name in chosen.steps))
    return least["auto"] / least["DOP853"], evaluations, same, used


def main() -> None:
    """Print the ratio of each model, and the middle and the largest of all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("only", nargs="*", help="parts of the models' names")
    only = parser.parse_args().only
    warnings.simplefilter("ignore")
    print(f"{common.machine()}\n{'':44}{'time':>6}{'evaluations':>13}  bits")
    ratios, differing = [], []
    for name, make in models():
        if only and not any(part in name for part in only):
            continue
        try:
            time, evaluations, same, used = compared(make().equations())
        except (ModelError, ConfigurationError, SimulationError) as refused:
            print(f"{name:44}left out: {str(refused)[:60]}", flush=True)
            continue
        print(
            f"{name:44}{time:6.2f}{evaluations:13.3f}  {'same' if same else 'other'}  {used}",
            flush=True,
        )
        if used == "DOP853":
            ratios.append(time)
            differing += [] if same else [name]
    middle = np.median(ratios)
    print(f"{len(ratios)} not stiff: middle {middle:.3f}, largest {max(ratios):.3f} (<= {ASKED})")
    print(f"other bits: {', '.join(differing) or 'none'} (asked: none)")


if __name__ == "__main__":
    main()
