"""First and second simulations of models that grow, each in a process of its own.

    python benchmarks/scaling/first_runs.py                        all models and sizes
    python benchmarks/scaling/first_runs.py --models balls --sizes 20 100
    python benchmarks/scaling/first_runs.py --backend c --markdown
    python benchmarks/scaling/first_runs.py --once                  without the second simulations

Times are of the processors, compilers included; each process begins with an empty cache of compiled
equations, and the second simulation begins when they are compiled. The last column
says what is asked, and whether it is reached.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.scaling import beams, chains, contacts
from benchmarks.scaling import scaling_report as report
from mbcore import Model

MODELS: dict[str, tuple[Callable[[int], Model], float, tuple[int, ...]]] = {
    "balls": (contacts.dropped_balls, 1.0, (10, 100, 1000)),
    "pendulums": (contacts.loose_pendulums, 0.1, (20, 200)),
    "loose_chain": (contacts.loose_chain, 0.05, (5, 20)),
    "falling_chain": (contacts.falling_chain, 0.15, (10, 50)),
    "plane_cantilever": (beams.plane_cantilever, 0.05, (40, 80)),
    "space_cantilever": (beams.space_cantilever, 0.01, (20,)),
    "crank": (beams.crank_with_rod, 2 * math.pi / 150, (10, 20, 40)),
    "scissors": (chains.scissors, 0.2, (40, 80, 160)),
    "spatial_chain": (chains.spatial_chain, 0.2, (160, 320)),
}
"""By name: what makes one of a size, until when it is simulated, s, and the sizes."""
GOALS: dict[tuple[str, int], dict[str, float]] = {
    ("balls", 100): {"in all": 4.0, "again": 0.2},
    ("balls", 1000): {"in all": 30.0, "again": 2.0},
    ("pendulums", 20): {"in all": 3.0},
    ("pendulums", 200): {"in all": 25.0},
    ("plane_cantilever", 40): {"in all": 4.0, "MB": 400.0},
    ("plane_cantilever", 80): {"in all": 8.0, "MB": 400.0},
    ("space_cantilever", 20): {"in all": 3.0, "MB": 400.0},
    ("crank", 10): {"again": 0.2},
    ("crank", 20): {"again": 0.5},
    ("crank", 40): {"again": 1.2},
    ("scissors", 160): {"equations": 3.0},
    ("spatial_chain", 160): {"in all": 2.5, "MB": 400.0},
    ("spatial_chain", 320): {"in all": 5.0, "MB": 400.0},
}
"""Asked, by name and size: times of the processors, s, and memory, MB; "in all" is the equations
and the first simulation."""
LIMIT = 900.0
"""Longest time of a process, s."""


def main() -> None:
    """Measure and print, or measure one model in this process."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--models", nargs="+", choices=MODELS, default=[*MODELS], metavar="NAME")
    parser.add_argument("--sizes", nargs="+", type=int, metavar="N", help="instead of each own")
    parser.add_argument("--backend", default="auto", choices=("auto", "python", "c"))
    parser.add_argument("--markdown", action="store_true", help="print a table in Markdown")
    parser.add_argument("--once", action="store_true", help="no second simulation")
    parser.add_argument("--here", action="store_true", help="one model in this process, as JSON")
    options = parser.parse_args()
    if options.here:
        one, size = options.models[0], options.sizes[0]
        print(json.dumps(measured(one, size, options.backend, options.once)))
        return
    rows: list[tuple[str, ...]] = [
        ("model", "size", "equations s", "first s", "again s", "events", "MB", "asked")
    ]
    for name in options.models:
        for size in options.sizes or MODELS[name][2]:
            rows.append((name, str(size), *_row(name, size, options.backend, options.once)))
    print((report.markdown if options.markdown else report.plain)(rows))


def _row(name: str, size: int, backend: str, once: bool) -> tuple[str, ...]:
    asked = ["--here", "--models", name, "--sizes", str(size), "--backend", backend]
    asked += ["--once"] * once
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        command = [sys.executable, __file__, *asked]
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=LIMIT, check=True
            )
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
            return (type(error).__name__, "", "", "", "", "")
    found = json.loads(done.stdout.splitlines()[-1])
    times = (f"{found[key]:.2f}" for key in ("equations", "first", "again"))
    found["in all"], found["MB"] = found["equations"] + found["first"], found["memory"] / 1e6
    asked = (
        f"{what} <= {goal:g}: {'yes' if found[what] <= goal else 'NO'}"
        for what, goal in GOALS.get((name, size), {}).items()
    )
    return (*times, str(found["events"]), f"{found['MB']:.0f}", ", ".join(asked))


def measured(name: str, size: int, backend: str, once: bool) -> dict[str, float]:
    """Return processor times of the equations and of two simulations, s, and memory, bytes.

    The second one takes nothing where there is to be only one.
    """
    from mbcore import simulate

    build, until, _ = MODELS[name]
    begin = _processor_time()
    equations = build(size).equations()
    made = _processor_time()
    run = simulate(equations, until, backend=backend)
    first = _processor_time()
    memory = 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if backend == "auto" and not once:
        simulate(equations, until / 1000, backend="c")  # waits for the compiler
    compiled = _processor_time()
    if not once:
        simulate(equations, until, backend=backend)
    again = _processor_time()
    return {
        "equations": made - begin,
        "first": first - made,
        "again": again - compiled,
        "events": len(run.events),
        "memory": memory,
    }


def _processor_time() -> float:
    """Return that of this process and of the compilers that it has waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


if __name__ == "__main__":
    main()
