"""Analyses by compiled functions beside the same in Python: processor time of one core.

Compiled code is cached before. The bicycle is linearized at one point and, for its eigenvalues, at
20,000 points of speed and trail; Python does a hundredth of the map, and its time is multiplied.
Flows with derivatives give the periodic motion of the slider-crank with an elastic rod, from that
of the linear equations on, and the Lyapunov exponents of Ueda's oscillator.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import casadi as ca
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from examples.vibration import slider_crank_periodic as crank
from mbcore import (
    Body,
    Equations,
    Linearizer,
    Model,
    compile_equations,
    evaluate_by,
    linearizations,
    linearize,
    sweep,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import bicycle
from mbcore.vibration import lyapunov_exponents, periodic_solution

SPEEDS, TRAILS = 200, 100
PART = 10
"""Steps of both axes that Python leaves out."""
CHAOS = 300.0
"""Duration over which exponents are averaged, s."""


def processor_time() -> float:
    """Return the processor time of this process and those that have ended, s."""
    use = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in use)


def times_of(call: Callable[[], object], count: int, repeat: int = 5) -> list[float]:
    """Return processor times of one of ``count`` calls, s."""
    call()
    found = []
    for _ in range(repeat):
        began = time.process_time()
        for _ in range(count):
            call()
        found.append((time.process_time() - began) / count)
    return found


def map_times(equations: Equations, workers: int, left_out: int) -> tuple[float, float]:
    """Return processor time and time of the map, s."""
    [trail] = [r.value for r in equations.parameters if r.name == "geometry.trail"]
    grid = {
        "bicycle.speed": np.linspace(-20, -3, SPEEDS)[::left_out],
        "geometry.trail": np.linspace(0.9, 1.1, TRAILS)[::left_out] * trail,
    }
    task = linearizations(equations, unsteady=True, give=["eigenvalues", "stable"])
    began, began_here = processor_time(), time.perf_counter()
    found = sweep(task, grid, workers=workers, progress=False)
    assert not (found.error != "").any()
    return processor_time() - began, time.perf_counter() - began_here


def hardening() -> Model:
    """Return Ueda's oscillator, x'' + 0.05 x' + x³ = 7.5 cos t."""
    model = Model("hardening")
    mass = model.point("mass", (0, 0))
    mass.y.fix()
    law = 0.05 * mass.x.rate + mass.x.value**3 - 7.5 * ca.cos(model.time)
    mass.x.dof("x", "v", 2.5).law(law)
    model.add(Body("body", mass, mass=1))
    return model


def flows() -> common.Table:
    """Return the times of analyses that flows with derivatives make."""
    results = common.Table("Flows with derivatives in Python and in C, processor time")
    elastic, chaotic = crank.equations(), hardening().equations()
    values = crank.given(crank.SPEED, crank.SHARE)
    guess = crank.nominal(elastic, crank.SPEED, crank.SHARE).periodic(crank.HARMONICS)

    def solve() -> object:
        return periodic_solution(elastic, 2 * np.pi / crank.SPEED, guess=guess, parameters=values)

    for label, backend, asked in (("Python", "python", None), ("C", "c", 0.2)):
        for equations in (elastic, chaotic):
            if backend == "c":
                compile_equations(equations)
            evaluate_by(equations, backend)  # type: ignore[arg-type]
        results.time(f"{label}: elastic slider-crank by shooting", times_of(solve, 1), "s", asked)
        exponents = times_of(lambda: lyapunov_exponents(chaotic, CHAOS), 1, 3)
        results.time(f"{label}: Lyapunov exponents over {CHAOS:g} s", exponents, "s")
    return results


def main() -> None:
    """Measure and print."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    flows().print()
    equations = bicycle.model().equations()
    results = common.Table("Bicycle: analyses in Python and in C, processor time")
    for backend, count in (("python", 20), ("c", 1000)):
        if backend == "c":
            compile_equations(equations)
        evaluate_by(equations, backend)  # type: ignore[arg-type]
        linearizer, point = Linearizer(equations), Evaluation(equations)
        point.start()

        def at_point(linearizer: Linearizer = linearizer) -> None:
            linearizer.at_unchanged({}, unsteady=True)

        asked = {"c": (60.0, 100.0, 1.5)}.get(backend, (None, None, None))
        label = {"python": "Python", "c": "C"}[backend]
        results.time(f"{label}: Linearizer.at_unchanged", times_of(at_point, count), "us", asked[0])
        own = times_of(lambda: linearize(equations, unsteady=True), count)
        results.time(f"{label}: linearize", own, "us", asked[1])
        rates = times_of(point.derivative, 20 * count)
        results.time(f"{label}: rates", rates, "us")
        results.time(f"{label}: configuration", times_of(point.configure, 20 * count), "us")
        equations.__dict__.pop("_linearizer", None)
        if backend == "python":
            spent = map_times(equations, 1, PART)[0] * PART**2
            results.time("Python: map of 20,000 points", [spent], "s")
        else:
            map_times(equations, 1, 50)
            spent, _ = map_times(equations, 1, 1)
            results.time("C: map of 20,000 points", [spent], "s", asked[2])
            both, duration = map_times(equations, 2, 1)
            results.time("C: the same with two workers", [both], "s")
            results.time("C: the same with two workers, by the clock", [duration], "s", 0.8)
    results.print()


if __name__ == "__main__":
    main()
