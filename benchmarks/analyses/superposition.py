"""Superposed equations beside the nonlinear ones: a slider-crank with play between crank and rod.

[Schwab2002] 4.4.5 calls the superposed analysis far more efficient than one of the complete system.
Here the complete system is in minimal coordinates already, so that both integrate two degrees of
freedom and solve one position problem in each right-hand side. Superposition saves none of that,
and adds the derivative of the equations in the direction of the small motion.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from mbcore import Equations, Result, superpose
from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.contact.offset_slider_crank import CLEARANCE, SHOWN, mechanism, rattle

CALLS = 2000


def main() -> None:
    """Measure and print."""
    results = common.Table(f"Slider-crank with clearance over {SHOWN} revolutions, DOP853 at 1e-11")
    nonlinear = measure(results, "nonlinear", lambda: mechanism("clearance").equations())
    superposed = measure(results, "superposed", lambda: superpose(mechanism("clearance")))
    for what, ours, other in zip(("right-hand side", "run"), superposed, nonlinear, strict=True):
        results.number(f"superposed over nonlinear: {what}", ours / other)
    results.print()


def measure(results: common.Table, name: str, make: Callable[[], Equations]) -> tuple[float, float]:
    """Add rows; return the seconds of a right-hand side and of a run."""
    made: list[Equations] = []
    runs: list[Result] = []
    results.time(f"{name}: build", common.repeat(lambda: made.append(make()), 3), "ms")
    equations = made[-1]
    for function in ("newton", "derivative", "tangent"):
        operations = equations.functions[function].n_instructions()
        results.number(f"{name}: operations of {function}", operations)
    one = results.time(f"{name}: right-hand side", right_hand_sides(equations), "us")
    several = common.repeat(lambda: runs.append(rattle(equations, CLEARANCE, 0.0)), 3)
    run = results.time(f"{name}: run", several, "s")
    results.number("... right-hand sides", runs[-1].statistics["evaluations"])
    return one, run


def right_hand_sides(equations: Equations) -> list[float]:
    """Return the seconds that right-hand sides take, the position problem included."""
    evaluation = Evaluation(equations)
    evaluation.start({"x": CLEARANCE})

    def call() -> None:
        evaluation.t[0] += 1e-7
        evaluation.configure()
        evaluation.derivative()

    return common.repeat(call, CALLS)


if __name__ == "__main__":
    main()
