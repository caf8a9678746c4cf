"""Equilibrium of a cantilever of many elements under a tip force: where the time goes.

Processor time, s. Everything before the search is done once for a model. The nodes' coordinates are
the degrees of freedom, EA = 1e6 EI/l², P l²/EI = 10; the exact tip without stretch is at
(0.4450044, 0.8106090).

Run: python benchmarks/analyses/statics.py [ELEMENTS ...]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from mbcore import Equations, Model, equilibrium
from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.mechanisms import structures
from mbcore.linear.linearizer import linearizer_of

Made = TypeVar("Made")


def cantilever(n: int) -> Model:
    model = Model("cantilever")
    load = model.input("load", 0.0)
    stiffness = {"bending_stiffness": 1.0, "axial_stiffness": 1e6}
    points, angles = structures.beams(model, structures.line(n), **stiffness)
    points[0].fix()
    angles[0].fix()
    structures.free_nodes([*points, *angles])
    model.force(points[-1], (0, load))
    model.output("x", points[-1].x.value)
    model.output("y", points[-1].y.value)
    return model


def timed(work: Callable[[], Made]) -> tuple[Made, float]:
    begin = time.process_time()
    made = work()
    return made, time.process_time() - begin


def prepare(equations: Equations) -> None:
    """Make the functions that every evaluation needs."""
    Evaluation(equations).start(at_rest=True)


def main() -> None:
    print(f"{'elements':>10}{'equations':>12}{'functions':>12}{'variation':>12}{'search':>10}")
    for n in [int(a) for a in sys.argv[1:]] or [25, 50, 100, 200]:
        equations, first = timed(cantilever(n).equations)
        _, second = timed(lambda e=equations: prepare(e))
        _, third = timed(lambda e=equations: linearizer_of(e))
        found, fourth = timed(lambda e=equations: equilibrium(e, inputs={"load": 10.0}))
        x, y = found.outputs["x"], found.outputs["y"]
        times = f"{first:12.2f}{second:12.2f}{third:12.2f}{fourth:10.2f}"
        print(f"{n:10}{times}   tip at ({x:.7f}, {y:.7f}), residual {found.residual:.1e}")


if __name__ == "__main__":
    main()
