"""The rolling disk to t = 87 in Python: ``simulate`` beside equations written by hand in numpy.

Both use SciPy's DOP853 with rtol = atol = 1e-10. ``simulate`` solves the position problem, checks
each step and records outputs; by hand there is only the right-hand side of ``hand_disk.c``. The
contact point is compared with the reference of ``disk.py``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from benchmarks.simulation.disk import END, REFERENCE, rolling_disk
from mbcore import Equations, Result, simulate

TOLERANCE = 1e-10
A, B = 0.25, 0.5
"""Moments of inertia, diametral and axial."""


def by_hand(t: float, s: np.ndarray) -> np.ndarray:
    """Return the rates of (yaw, lean and pitch rate, yaw, lean, pitch, contact x, y)."""
    yaw_rate, lean_rate, pitch_rate, yaw, lean = s[:5]
    sine, cosine = np.sin(lean), np.cos(lean)
    W2 = yaw_rate * sine
    w1, w2, w3 = lean_rate, pitch_rate + W2, yaw_rate * cosine
    w1_rate = ((B + 1) * w2 * w3 - A * W2 * w3 + sine) / (A + 1)
    w2_rate = -w1 * w3 / (B + 1)
    w3_rate = -w1 * (B * w2 - A * W2) / A
    yaw_acceleration = (w3_rate + yaw_rate * lean_rate * sine) / cosine
    pitch_acceleration = w2_rate - yaw_acceleration * sine - yaw_rate * lean_rate * cosine
    return np.array(
        [
            yaw_acceleration,
            w1_rate,
            pitch_acceleration,
            yaw_rate,
            lean_rate,
            pitch_rate,
            pitch_rate * np.cos(yaw),
            pitch_rate * np.sin(yaw),
        ]
    )


def run(equations: Equations) -> Result:
    """Simulate with the library."""
    return simulate(equations, END, rtol=TOLERANCE, atol=TOLERANCE, progress=False)


def main() -> None:
    """Measure and print."""
    results = common.Table(f"Rolling disk to t = 87 in Python, DOP853 at {TOLERANCE:g}")
    made: list[Equations] = []
    runs: list[Result] = []
    build = common.repeat(lambda: made.append(rolling_disk(energy=True).equations()), 3)
    first = common.repeat(lambda: run(made[-1]), 1)  # makes the functions
    library = common.repeat(lambda: runs.append(run(made[-1])), 9)

    found, statistics = runs[0], runs[0].statistics
    start = found_states(found)
    solutions = []

    def solve() -> None:
        solutions.append(
            solve_ivp(by_hand, (0, END), start, method="DOP853", rtol=TOLERANCE, atol=TOLERANCE)
        )

    hand = common.repeat(solve, 9)

    results.time("library: model to equations", build, "s")
    results.time("library: first run, makes functions", first, "s")
    seconds = results.time("library: run", library, "s", 0.3)
    results.number("... right-hand sides", statistics["evaluations"], 3500)
    end = (found.final("contact.x"), found.final("contact.y"))
    results.number("... error of the contact point", distance(end), 1e-6)
    results.number("... drift of energy", float(np.ptp(found["energy"])), 1e-9)
    results.number("... largest residual", statistics["largest residual"], 1e-10)
    by_numpy = results.time("numpy by hand: run", hand, "s")
    results.number("... right-hand sides", solutions[0].nfev)
    results.number("... error of the contact point", distance(solutions[0].y[6:, -1]))
    results.number("ratio of times", seconds / by_numpy)
    results.print()


def found_states(found: Result) -> list[float]:
    """Return the states at the start, in the order of ``by_hand``."""
    names = ("yaw_rate", "lean_rate", "pitch_rate", "yaw", "lean", "pitch")
    return [float(found[name][0]) for name in (*names, "contact.x", "contact.y")]


def distance(end: tuple[float, float] | np.ndarray) -> float:
    """Return the larger coordinate of the difference to the reference."""
    return max(abs(float(a) - b) for a, b in zip(end, REFERENCE, strict=True))


if __name__ == "__main__":
    main()
