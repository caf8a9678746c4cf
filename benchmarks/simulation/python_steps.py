"""Time of an evaluation within steps in Python, beside that of the functions which it calls.

python benchmarks/simulation/python_steps.py
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from benchmarks.simulation.disk import rolling_disk
from mbcore import Equations, evaluate_by
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.stepper import StepControl, Stepper
from mbcore.fmus import bicycle
from mbcore.integrators.methods import dop853

TOLERANCE = 1e-8
BLOCK, BLOCKS, BEFORE = 4, 150, 60
"""Steps that are timed together, how often, and steps before."""
NEWTON_STEPS = 3
"""Of a stage, mostly."""
CASES = (("disk", rolling_disk, 10.0), ("bicycle", bicycle.model, 30.0))
"""Model, and what is asked of an evaluation, us."""


def within_steps(equations: Equations) -> list[float]:
    """Return the processor time of an evaluation in each block of steps, s."""
    evaluation = Evaluation(equations)
    point = MovingPoint(evaluation, {})
    evaluation.start()
    stepper = Stepper(point, dop853.METHOD, StepControl(TOLERANCE, TOLERANCE))
    steps = stepper.advance(1e9)
    found: list[float] = []
    list(islice(steps, BEFORE))
    for _ in range(BLOCKS):
        begin, calls = process_time(), point.calls
        list(islice(steps, BLOCK))
        found.append((process_time() - begin) / (point.calls - calls))
    return found


def alone(run: Callable[[], object], times: int = 500) -> float:
    """Return the processor time of a call, s; the least of several."""
    found = []
    for _ in range(BLOCKS):
        begin = process_time()
        for _ in range(times):
            run()
        found.append((process_time() - begin) / times)
    return min(found)


def main() -> None:
    """Measure and print."""
    results = common.Table("Explicit steps in Python: an evaluation")
    for name, make, asked in CASES:
        equations = make().equations()
        evaluate_by(equations, "python")
        evaluation = Evaluation(equations)
        evaluation.start()
        once = {f: alone(evaluation.call(f).run) for f in ("newton", "conditioning", "derivative")}
        functions = once["derivative"] + once["conditioning"] + NEWTON_STEPS * once["newton"]
        times = [t * 1e6 for t in within_steps(equations)]
        results.number(f"{name}: least of {BLOCKS}, us", min(times), asked)
        results.number("... its functions, each alone, us", functions * 1e6)
    results.print()


if __name__ == "__main__":
    main()
