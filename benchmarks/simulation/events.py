"""Evaluations of motions with many events, in C and in Python.

A block that stands on two corners rocks and comes to rest. Each method seeks events on its
interpolant; in C, steps that end at the event follow for those whose interpolant is coarser.

    python benchmarks/simulation/events.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from mbcore import simulate
from tests.contact.test_impact import block

ASKED = 1.5
"""Evaluations in C by those in Python."""
TILT, UNTIL = 0.05, 2.0
"""Where it begins, rad, on one corner, and how long it moves, s."""
CASES = (("DOP853", 0.5, ASKED), ("DOP853", 0.8, ASKED), ("RK45", 0.5, None))
"""Method, coefficient of restitution, and what is asked."""


def main() -> None:
    """Count and print."""
    results = common.Table(f"A block that rocks for {UNTIL:g} s: evaluations")
    start = {"y": 0.1 * np.sin(TILT) + 0.5 * np.cos(TILT)}
    for method, e, asked in CASES:
        equations = block(e).equations()
        python, c = (
            simulate(equations, UNTIL, start=start, method=method, backend=backend)
            for backend in ("python", "c")
        )
        name, counts = f"{method}, e = {e:g}", [r.statistics["evaluations"] for r in (python, c)]
        results.number(f"{name}: events in Python", len(python.events))
        results.number("... in C", len(c.events))
        results.number("... evaluations in Python", counts[0])
        results.number("... in C", counts[1])
        results.number("... C by Python", counts[1] / counts[0], asked)
    results.print()


if __name__ == "__main__":
    main()
