"""Analyses by compiled functions beside the same in Python: processor time of one core.

Compiled code is cached before. The bicycle is linearized at one point and, for its eigenvalues, at
20,000 points of speed and trail; Python does a hundredth of the map, and its time is multiplied.
Flows with derivatives give the periodic motion of the slider-crank with an elastic rod, from that
of the linear equations on, and the Lyapunov exponents of Ueda's oscillator. Of the rattling joint's
500 starts, Python does one turn of one, and C does fifty starts.

Run: python benchmarks/analyses/compiled.py [--long] [PART ...]

``--long`` adds the shimmy's limit cycle in Python, and all long examples of the gallery.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import casadi as ca
import numpy as np
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from benchmarks.analyses.vibration import SPEED, at_speed, scan
from docs.site import gallery
from mbcore import (
    Body,
    Equations,
    Linearizer,
    Model,
    Samples,
    compile_equations,
    evaluate_by,
    linearizations,
    linearize,
    simulations,
    sweep,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.contact.rattling_statistics import (
    SQUARE,
    STARTS,
    TURN,
    TURNS,
    by_turns,
    rattling,
)
from mbcore.examples.vibration import drive_shaft_model
from mbcore.examples.vibration import slider_crank_periodic as crank
from mbcore.fmus import bicycle
from mbcore.vibration import lyapunov_exponents, periodic_solution

SPEEDS, TRAILS = 200, 100
PART = 10
"""Steps of both axes that Python leaves out."""
LABELS = {"python": "Python", "c": "C"}
SHIMMY = common.ROOT / "examples" / "bicycles" / "shimmy_limit_cycle.py"
RATTLED = 50
"""Starts of rattling that C simulates."""
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


def spent_in(call: Callable[[], object]) -> float:
    """Return the processor time of a call and of the processes that have ended in it, s."""
    began = processor_time()
    call()
    return processor_time() - began


def bicycle_points(results: common.Table, long: bool) -> None:
    """Measure one point of the bicycle, and the map of 20,000."""
    equations = bicycle.model().equations()
    for backend, count in (("python", 20), ("c", 1000)):
        if backend == "c":
            compile_equations(equations)
        evaluate_by(equations, backend)  # type: ignore[arg-type]
        linearizer, point = Linearizer(equations), Evaluation(equations)
        point.start()

        def at_point(linearizer: Linearizer = linearizer) -> None:
            linearizer.at_unchanged({}, unsteady=True)

        asked = {"c": (60.0, 100.0, 1.5)}.get(backend, (None, None, None))
        label = LABELS[backend]
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


def drive_shaft(results: common.Table, long: bool) -> None:
    """Measure periodic solutions and stability at 200 speeds, [Schwab2002] Figure 4.10."""
    for backend, asked in (("python", None), ("c", 1.0)):
        equations = drive_shaft_model.mechanism().equations()
        if backend == "c":
            compile_equations(equations)
            at_speed(drive_shaft_model.mechanism().equations(), SPEED, "c")  # compiled if it is not
        evaluate_by(equations, backend)  # type: ignore[arg-type]
        spent = spent_in(lambda equations=equations: scan(equations))
        results.time(f"{LABELS[backend]}: drive shaft, 200 speeds, stability", [spent], "s", asked)


def flows(results: common.Table, long: bool) -> None:
    """Measure analyses that flows with derivatives make."""
    elastic, chaotic = crank.equations(), hardening().equations()
    values = crank.given(crank.SPEED, crank.SHARE)
    guess = crank.nominal(elastic, crank.SPEED, crank.SHARE).periodic(crank.HARMONICS)

    def solve() -> object:
        return periodic_solution(elastic, 2 * np.pi / crank.SPEED, guess=guess, parameters=values)

    for backend, asked in (("python", None), ("c", 0.2)):
        for equations in (elastic, chaotic):
            if backend == "c":
                compile_equations(equations)
            evaluate_by(equations, backend)  # type: ignore[arg-type]
        label = LABELS[backend]
        spent = times_of(solve, 1, 1 if backend == "python" else 5)
        results.time(f"{label}: elastic slider-crank by shooting", spent, "s", asked)
        exponents = times_of(lambda: lyapunov_exponents(chaotic, CHAOS), 1, 3)
        results.time(f"{label}: Lyapunov exponents over {CHAOS:g} s", exponents, "s")


def shimmy(results: common.Table, long: bool) -> None:
    """Measure the example of the caster's limit cycle with its figures, the second time in C."""
    with tempfile.TemporaryDirectory() as folder:

        def show(backend: str) -> float:
            command = [sys.executable, str(SHIMMY), "--figures", folder]
            return spent_in(lambda: run_alone(command, {"MBCORE_BACKEND": backend}))

        if long:
            results.time("Python: shimmy_limit_cycle", [show("python")], "s")
        show("auto")
        results.time("C: shimmy_limit_cycle, second run", [show("auto")], "s", 5.0)


def run_alone(command: list[str], environment: Mapping[str, str]) -> None:
    """Run a command with one thread of BLAS and with bytecode, as installed packages have it."""
    alone = {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "", **environment}
    subprocess.run(
        command, env=os.environ | alone, check=True, stdout=subprocess.DEVNULL, cwd=common.ROOT
    )


def rattling_starts(results: common.Table, long: bool) -> None:
    """Measure statistics of rattling: one turn of one start in Python, and some starts in C."""
    times = {}
    for backend, starts, turns in (("python", 1, 1), ("c", RATTLED, TURNS)):
        options = {"rtol": 1e-7, "atol": 1e-9, "backend": backend}
        task = simulations(rattling, turns * TURN, outputs=by_turns, **options)
        places = {"joint.x": SQUARE, "joint.y": SQUARE}

        def spread(count: int, task: object = task, places: object = places) -> None:
            found = sweep(task, places, workers=1, samples=Samples(count, seed=1), progress=False)  # type: ignore[arg-type]
            assert not (found.error != "").any()

        if backend == "c":
            spread(1)  # compiled where it has not been
        spent = spent_in(lambda count=starts: spread(count)) * STARTS / starts * TURNS / turns
        times[backend] = results.time(
            f"{LABELS[backend]}: rattling, {STARTS} starts (from {starts})", [spent], "s"
        )
    results.number("... in Python over in C", times["python"] / times["c"], at_least=30)


def long_examples(results: common.Table, long: bool) -> None:
    """Measure all long examples of the gallery together, a process each."""
    if not long:
        return
    names = [n for group in gallery.GROUPS for n in group.examples if n not in gallery.SHORT]
    folders = {n: g.folder for g in gallery.GROUPS for n in g.examples}
    total = 0.0
    with tempfile.TemporaryDirectory() as out:
        for name in names:
            file = gallery.EXAMPLES / folders[name] / f"{name}.py"
            command = [sys.executable, str(file), "--figures", out]
            total += spent_in(lambda command=command: run_alone(command, {}))
    results.time(f"{len(names)} long examples of the gallery", [total], "s", 400.0)


PARTS = {
    "bicycle": bicycle_points,
    "shaft": drive_shaft,
    "flows": flows,
    "shimmy": shimmy,
    "rattling": rattling_starts,
    "gallery": long_examples,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="also what takes many minutes")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    given = parser.parse_args()
    for part in given.parts:
        if part not in PARTS:
            parser.error(f"no part {part!r}; there is {', '.join(PARTS)}")
    results = common.Table("Analyses in Python and in C, processor time")
    with threadpool_limits(1, user_api="blas"):
        for part in given.parts or PARTS:
            PARTS[part](results, given.long)
    results.print()


if __name__ == "__main__":
    main()
