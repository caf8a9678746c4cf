"""Tables: accuracy, energy, instructions in C, roads of many points, and a map of a million points.

Splines are compared with those of exact fractions, lines and monotone cubics with the same formulas
in fractions or with SciPy. ``everywhere`` evaluates in lanes, FMUs and a page, which needs
ziglang and node. Instructions need valgrind. Times are of the processor, so that other
processes matter little.

    python benchmarks/simulation/tables.py [accuracy everywhere energy instructions roads map]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from benchmarks.simulation.disk import rolling_disk
from benchmarks.simulation.table_places import everywhere
from mbcore import Body, Model, Table, Table2D, simulate
from mbcore.codegen.c_model import generate
from mbcore.codegen.table import table
from mbcore.fmi import export
from mbcore.fmus import car
from tests.model.tables.exact_splines import exact, exact_curve, exact_values

POINTS = 10_000
ORDERS = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
KINDS = ("linear", "monotone", "smooth")
PERIODS = 10_000
EVALUATIONS = 20_000
STEPS, STEP, ROUNDS = 20_000, 1e-4, 3
References = dict[str, Callable[[int], np.ndarray]]
"""By kinds of curves, values at the places by the order of the derivative."""
HOST = """
#include <stdio.h>
#include <stdlib.h>
void mb_model_output(const double **arg, double **res, double *w);
int main(int arguments, char **argument)
{
    double u[1], y[1], w[1], total = 0;
    const double *arg[64] = {0};
    double *res[64] = {y};
    int count = arguments > 1 ? atoi(argument[1]) : 0;
    arg[3] = u;
    for (int i = 0; i < count; i++) {
        u[0] = (i + 0.5) / count;
        mb_model_output(arg, res, w);
        total += y[0];
    }
    printf("%g\\n", total);
    return 0;
}
"""


def processor_time() -> float:
    """Return the time of this process and of its children, s."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(of.ru_utime + of.ru_stime for of in used)


def places(x: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    """Return the knots, both ends included, and random places between them."""
    return np.concatenate([x, random.uniform(x[0], x[-1], count - len(x))])


def accuracy(results: common.Table) -> None:
    """Compare curves and surfaces in Python with exact ones, in parts of the largest value."""
    random = np.random.default_rng(3)
    curves, at, references = _curves(random)
    for kind, wanted in references.items():
        for order in range(3):
            error = _error(curves[kind].derivative(at, order), wanted(order))
            results.number(f"{kind}, derivative {order}, {POINTS} points", error, 1e-14)
    _surfaces(results, random)


def _curves(random: np.random.Generator) -> tuple[dict[str, Table], np.ndarray, References]:
    """Return a curve of each kind, places on it, and what its derivatives are there."""
    x = np.sort(random.uniform(-2, 3, 37))
    y = np.cumsum(random.standard_normal(37))
    at = places(x, POINTS, random)
    slopes = [float((b - a) / (d - c)) for a, b, c, d in _steps(x, y)]
    piece = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2)
    straight = np.array(slopes)[piece]
    lines = (y[piece] + straight * (at - x[piece]), straight, 0 * at)
    references: References = {
        "linear": lambda order: lines[order],
        "monotone": lambda order: PchipInterpolator(x, y)(at, nu=order),
        "smooth": lambda order: exact_curve(x, y)(at, nu=order),
    }
    return {kind: Table(x, y, interpolation=kind) for kind in KINDS}, at, references


def in_all_places(results: common.Table) -> None:
    """Compare curves and a surface in lanes, FMUs and a page with exact ones."""
    random = np.random.default_rng(3)
    curves, at, references = _curves(random)
    model = Model("curves")
    model.state("clock", 1.0, visibility="output")
    argument = model.input("argument", start=float(at[0]))
    wanted, names = [], []
    for kind, curve in curves.items():
        for order in range(3):
            names.append(f"{kind}_{order}")
            wanted.append(references[kind](order))
            model.output(names[-1], curve.derivative(argument, order))
    x, y = (np.sort(random.uniform(-2, 3, n)) for n in (9, 12))
    z = random.standard_normal((9, 12))
    across = float(random.uniform(y[0], y[-1]))
    surface = Table2D(x, y, z, interpolation="smooth", beyond="hold")
    on = (at >= x[0]) & (at <= x[-1])
    for orders in ORDERS:
        names.append("surface_{}_{}".format(*orders))
        along = exact_values(exact(y), [list(row) for row in zip(*map(exact, z), strict=True)],
                             [Fraction(across)], orders[1])[0]  # fmt: skip
        rows = exact_values(exact(x), [[a] for a in along], exact(at[on]), orders[0])
        wanted.append(np.array([float(row[0]) for row in rows]))
        model.output(names[-1], surface.derivative(argument, across, *orders))
    with tempfile.TemporaryDirectory() as folder:
        found = everywhere(model.equations(), "argument", at, names, Path(folder))
    for where, table_ in found.items():
        columns = [table_[on, i] if "surface" in n else table_[:, i] for i, n in enumerate(names)]
        errors = [_error(a, b) for a, b in zip(columns, wanted, strict=True)]
        worst = int(np.argmax(errors))
        said = f"{where}: curves and a surface, worst of {len(names)} ({names[worst]})"
        results.number(said, errors[worst], 1e-14)


def _steps(x: np.ndarray, y: np.ndarray) -> Any:
    a, b = exact(x), exact(y)
    return zip(b, b[1:], a, a[1:], strict=False)


def _error(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.max(abs(found - wanted)) / max(np.max(abs(wanted)), 1e-300))


def _surfaces(results: common.Table, random: np.random.Generator) -> None:
    """Compare smooth surfaces of uneven grids, at the lines and between them."""
    worst = dict.fromkeys(ORDERS, 0.0)
    for _ in range(4):
        x, y = (np.sort(random.uniform(-2, 3, n)) for n in (9, 12))
        z = random.standard_normal((9, 12))
        a, b = places(x, 50, random), places(y, 50, random)
        surface = Table2D(x, y, z, interpolation="smooth")
        for orders in ORDERS:
            along = exact_values(exact(x), [exact(row) for row in z], exact(a), orders[0])
            turned = [list(column) for column in zip(*along, strict=True)]
            wanted = exact_values(exact(y), turned, exact(b), orders[1])
            found = surface.derivative(a[None, :], b[:, None], *orders)
            pairs = zip(found.ravel(), (w for row in wanted for w in row), strict=True)
            largest = max(abs(w) for row in wanted for w in row)
            error = float(max(abs(Fraction(float(f)) - w) for f, w in pairs) / largest)
            worst[orders] = max(worst[orders], error)
    for orders, error in worst.items():
        results.number(f"smooth surface, derivatives {orders}, {POINTS} points", error, 1e-14)


def energy(results: common.Table) -> None:
    """Let a mass swing on a spring by a table for many periods."""
    x = np.linspace(-1, 1, 41)
    for kind in KINDS:
        model = Model("mass")
        place = model.point("place")
        model.add(Body("body", place, mass=1))
        place.y.fix()
        force = Table(x, x + x**3, interpolation=kind, end_steps=True)  # type: ignore[arg-type]
        place.x.dof("x", "v", start=0.7).spring(force)
        model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
        period = 2 * np.pi / 1.17
        run = simulate(
            model.equations(),
            until=PERIODS * period,
            method="DOP853",
            max_step=period / 160,
            samples=101,
            backend="c",
        )
        drift = float(np.max(abs(run["energy"] / run["energy"][0] - 1)))
        results.number(f"energy on a {kind} spring, {PERIODS} periods", drift, 1e-9)


def instructions(results: common.Table) -> None:
    """Count the instructions of an evaluation along a path, less those of an empty table."""
    with tempfile.TemporaryDirectory() as folder:
        loop = _per_evaluation(None, Path(folder))
        for points in (10, 1000, 100_000):
            x = np.linspace(0, 1, points)
            curve = Table(x, np.sin(x), interpolation="smooth", beyond="hold")
            number = _per_evaluation(curve, Path(folder)) - loop
            results.number(f"instructions, {points} points", number, 60)


def _per_evaluation(curve: Table | None, where: Path) -> float:
    """Return the instructions of a call of a model's output function in C."""
    model = Model("looked_up")
    model.state("clock", 1.0, visibility="output")
    argument = model.input("argument", start=0.5)
    model.output("value", argument if curve is None else curve(argument))
    equations = model.equations()
    source = where / "looked_up.c"
    source.write_text(generate(equations, table(equations, 1e-3)).functions + HOST)
    host = common.compile_host([source], where / "looked_up")
    counts = [_counted(host, n, where) for n in (EVALUATIONS, 2 * EVALUATIONS)]
    return (counts[1] - counts[0]) / EVALUATIONS


def _counted(host: Path, evaluations: int, where: Path) -> int:
    file = where / "callgrind"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}", str(host)]
    subprocess.run([*command, str(evaluations)], check=True, capture_output=True)
    [line] = [line for line in file.read_text().splitlines() if line.startswith("summary:")]
    return int(line.split()[1])


def roads(results: common.Table) -> None:
    """Time right-hand sides of a car and of a rolling disk on a road of 100,000 points."""
    x = np.linspace(-100, 900, 100_001)
    heights = 0.01 * (1 - np.cos(x / 2))
    road, level = (
        Table(
            x[::apart],
            rough * heights[::apart],
            units=("m", "m"),
            interpolation="smooth",
            beyond="hold",
            name="road",
        )
        for apart, rough in ((1, 1), (10_000, 0))
    )
    cases = {
        "car": [car.component(road=one).equations for one in (None, level, road)],
        "disk": [_disk(one) for one in (None, level, road)],
    }
    for name, models in cases.items():
        flat, few, many = map(_time, models)
        results.number(f"{name} on a plane, us", 1e6 * flat)
        results.number(f"{name} on a road of 11 points, by that on a plane", few / flat, 1.1)
        results.number(f"{name} on a road of 100,000 points, by that on a plane", many / flat, 1.1)
        results.number(f"{name} on 100,000 points, by that on 11", many / few, 1.1)


def _disk(road: Table | None) -> Any:
    """Return the equations of the rolling disk on a level plane, or on a road."""
    if road is None:
        return rolling_disk().equations()
    return rolling_disk(surface=lambda place: place[2] - road(place[0])).equations()


def _time(equations: Any) -> float:
    """Return the least time of a right-hand side, compiled, in equal steps of four of them, s."""
    found = [[_run(equations, steps) for steps in (STEPS, 3 * STEPS)] for _ in range(ROUNDS + 1)]
    short, long = np.min(found[1:], axis=0)  # the first run compiles
    return float(long - short) / (2 * STEPS) / 4


def _run(equations: Any, steps: int) -> float:
    begin = time.process_time()
    simulate(equations, steps * STEP, method="classical", max_step=STEP, samples=2, backend="c")
    return time.process_time() - begin


def large_map(results: common.Table) -> None:
    """Export a linear map of a million points."""
    x, y = np.linspace(-3, 3, 1000), np.linspace(0, 2, 1000)
    model = Model("mapped")
    throttle = model.input("throttle", start=0.5)
    model.state("clock", 1.0, visibility="output")
    surface = Table2D(x, y, np.outer(np.sin(x), np.cos(y)), name="map", beyond="hold")
    model.output("torque", surface(model.time, throttle))
    begin = processor_time()
    equations = model.equations()
    results.number("map of a million points: equations, s", processor_time() - begin, 2)
    with tempfile.TemporaryDirectory() as folder:
        begin = processor_time()
        [path] = export(equations, folder, fmi="3.0")
        results.number("map: export of an FMU, s", processor_time() - begin, 10)
        results.number("map: FMU, MB", path.stat().st_size / 1e6, 9)


MEASURED = {
    "accuracy": accuracy,
    "everywhere": in_all_places,
    "energy": energy,
    "instructions": instructions,
    "roads": roads,
    "map": large_map,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *MEASURED], help="by default all")
    results = common.Table("Tables")
    for name in parser.parse_args().names or MEASURED:
        MEASURED[name](results)
    results.print()


if __name__ == "__main__":
    main()
