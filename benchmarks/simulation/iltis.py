"""Cost of the road vehicle ILTIS: a right-hand side and its parts, real time, code, building.

    python benchmarks/simulation/iltis.py               all
    python benchmarks/simulation/iltis.py --no-build    without building by the command

* ``build_fmu.py iltis`` in a process of its own: seconds until both FMUs are built, validated and
  run, the compiler's largest memory, and the bytes of all C sources.
* Right-hand side in Model Exchange (``right_hand_side.c``): configuration by Newton's iteration and
  derivatives, at states near the start.
* Each generated function by itself (``model_parts.c``). What a right-hand side consists of follows
  from the time of ``newton`` and of ``place`` and from the time of ``derivative``, which is divided
  by operations: velocities, inertia with convective terms, forces, elimination.
* 5 s of the ramp-to-step steer at 30 m/s in Co-Simulation (``ramp_steer.c``): communication steps
  of 10 ms with a tolerance of 1e-5, and of 1 ms with one fixed step each. Times are of the
  process; a real-time factor is that of the fastest run, for others may load the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shlex
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import casadi as ca
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from benchmarks.scaling import peers
from mbcore import Equations
from mbcore.codegen.c_model import generate
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmi.component import Component
from mbcore.fmi.description.variables import variables
from mbcore.fmus.iltis import component
from mbcore.model.expressions import column

HERE = Path(__file__).resolve().parent
SPEED, RACK_RATE, RACK = 30.0, 0.004, 0.002
UNTIL = 5.0
BLOCKS, SECONDS = 7, 0.2
RUNS = 5
ROWS, DISTANCE = 9, 1e-3
ADAPTIVE, FIXED_STEP = 1, 3
NEWTON_STEPS = 3
"""Of a configuration near the last one, before the one after rounding."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-build", action="store_true", help="do not build by the command")
    options = parser.parse_args()
    results = common.Table("ILTIS")
    with common.folder() as where:
        if not options.no_build:
            measure_building(results, where)
        car = component()
        unit = common.build_units(car, where / "units")[0]
        whole = measure_right_hand_side(results, car.equations, unit, where)
        measure_parts(results, car, where, whole)
        measure_ramp(results, unit, where)
    results.print()


def measure_building(results: common.Table, where: Path) -> None:
    """Build by the command, with the compiler watched."""
    log = where / "compiler.log"
    meter = [sys.executable, str(common.HERE / "compiler_meter.py"), str(log)]
    environment = {**os.environ, "CC": shlex.join([*meter, *common.find_compiler().command])}
    command = [sys.executable, str(common.ROOT / "build_fmu.py"), "iltis", "--out", str(where)]
    start, before = perf_counter(), _children_seconds()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    seconds = perf_counter() - start
    noted = [json.loads(line) for line in log.read_text().splitlines()]
    sizes = {Path(name).name: size for run in noted for name, size in run["sources"].items()}
    results.number("model to both FMUs, validated and run, s", seconds, at_most=60)
    results.number("processors' seconds of it", _children_seconds() - before)
    results.number("source of model and runtime, MB", sum(sizes.values()) / 1e6, at_most=2)
    memory = max(run["memory"] for run in noted) / 1e6
    results.number("compiler's memory, MB", memory, at_most=1000)


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure_right_hand_side(
    results: common.Table, equations: Equations, unit: common.Unit, where: Path
) -> float:
    """Return the seconds of a right-hand side."""
    random, start = np.random.default_rng(0), equations.start_state
    around = start + DISTANCE * random.choice([-1.0, 1.0], (ROWS, start.size))
    peers.write_table(where / "states.txt", np.vstack([start, around[1:]]))
    host = common.compile_host([common.HERE / "right_hand_side.c"], where / "right_hand_side")
    took = common.run_host(host, unit.library, unit.token, where / "states.txt", BLOCKS, SECONDS)[
        "right_hand_side"
    ]
    results.time("right-hand side", took, "us", 25)
    return min(took)


def measure_parts(results: common.Table, car: Component, where: Path, whole: float) -> None:
    """Time the generated functions, and divide a right-hand side by them."""
    equations = car.equations
    table = variables(car)
    (where / "model.c").write_text(generate(equations, table).source)
    point = Evaluation(equations)
    point.start()
    solver = table.parameters - len(equations.parameters)
    values = [[0.0], point.s, point.d, point.u, [*point.p, *([0.0] * solver)], point.x]
    rows = np.concatenate([np.ravel(part) for part in values])[:, None]
    peers.write_table(where / "point.txt", rows)
    model = f'-DMODEL="{where / "model.c"}"'
    host = common.compile_host([HERE / "model_parts.c"], where / "parts", [model])
    took = common.run_host(host, where / "point.txt", BLOCKS, SECONDS)
    for name, seconds in took.items():
        results.time(f"function {name}", seconds, "us")
    best = {name: min(seconds) for name, seconds in took.items()}
    position = (NEWTON_STEPS + 1) * best["newton"] + best["place"]
    counts = operations_of_parts(equations)
    total = sum(counts.values())
    results.number("right-hand side: position, part", position / whole)
    for name, count in counts.items():
        results.number(f"right-hand side: {name}, part", best["derivative"] * count / total / whole)
        results.number(f"derivative: {name}, operations", count)


def operations_of_parts(equations: Equations) -> dict[str, int]:
    """Operations of the derivative, by what they are for, each beside those before it."""
    reduced = equations.dynamics.reduced
    A, known = reduced.assembly, equations.arguments
    steps = {
        "velocities": [reduced.settling[1]],
        "inertia and convective terms": [A.M, reduced.settled(A.h), reduced.settled(reduced.right)],
        "forces": [reduced.settled(reduced.applied)],
        "elimination": [equations.dynamics.derivative],
    }
    found: dict[str, int] = {}
    so_far: list[ca.SX] = []
    before = 0
    for name, expressions in steps.items():
        so_far += [ca.vec(ca.densify(e)) for e in expressions if e.numel()]
        whole = ca.cse(A.in_coordinates(column(so_far)))
        function = ca.Function(name.replace(" ", "_"), known, [whole], {"allow_free": True})
        moves = whole.numel() + sum(function.numel_in(i) for i in range(function.n_in()))
        found[name] = function.n_instructions() - moves - before
        before += found[name]
    return found


def measure_ramp(results: common.Table, unit: common.Unit, where: Path) -> None:
    """Run the ramp-to-step steer with both settings."""
    host = common.compile_host([HERE / "ramp_steer.c"], where / "ramp_steer")
    settings = (
        ("10 ms, tolerance 1e-5", 1e-2, ADAPTIVE, 20),
        ("1 ms, fixed steps", 1e-3, FIXED_STEP, 10),
    )
    for label, step, method, asked in settings:
        ramp = (unit.references["rack.displacement"], RACK_RATE, RACK, RUNS)
        took = common.run_host(
            host,
            unit.library,
            unit.token,
            step,
            UNTIL,
            1e-5,
            unit.references["solver.method"],
            method,
            *ramp,
            unit.references["cabin.speed"],
            SPEED,
        )["run"]
        results.time(f"{UNTIL:g} s at {label}", took, "ms")
        results.number(f"real-time factor at {label}", UNTIL / min(took), at_least=asked)


if __name__ == "__main__":
    main()
