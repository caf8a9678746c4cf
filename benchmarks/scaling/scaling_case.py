"""One model in a process of its own, so that time and memory are its own; prints a line of JSON.

    scaling_case.py equations FAMILY SIZE FOLDER    equations and their functions, and in Python
    scaling_case.py fmu FAMILY SIZE FOLDER          the FMU

FOLDER gets the states at which everything is evaluated, and the FMU.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # this checkout's mbcore

if TYPE_CHECKING:
    import numpy as np

    from mbcore.equations.equations import Equations

STATE_FILES = 3
ROWS = 9
DISTANCE = 1e-2
"""By how much each state of the rows differs from that of the first, whose configuration is the
start of the others'; for other models than open chains it is divided by the size."""
PYTHON_SECONDS = 1.0
MOST_MEMORY = 8 * 2**30


def main() -> None:
    """Do what the arguments say."""
    what, family, size, folder = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    action = {"equations": make_equations, "fmu": make_fmu}[what]
    print(json.dumps(action(family, int(size), Path(folder))))


def peak_memory() -> float:
    """Return the largest memory of this process so far, bytes."""
    try:  # what the kernel notes for getrusage starts with the parent's memory
        status = Path("/proc/self/status").read_text()
    except OSError:
        return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return 1024.0 * float(status.partition("VmHWM:")[2].split()[0])


def builder(family: str, size: int) -> Callable[[], Equations]:
    """Return what makes a model's equations; everything is imported before."""
    from benchmarks.scaling.families import FAMILIES

    if family in FAMILIES:
        build = FAMILIES[family].build
        return lambda: build(size).equations()
    if family == "disk":
        from benchmarks.simulation.disk import rolling_disk

        return lambda: rolling_disk().equations()
    return lambda: importlib.import_module(f"mbcore.fmus.{family}").component().equations


def make_equations(family: str, size: int, folder: Path) -> dict[str, object]:
    """Make the equations and the functions of the right-hand side, then evaluate in Python."""
    from benchmarks.scaling import operations

    build = builder(family, size)
    imported = peak_memory()
    start, cpu = time.perf_counter(), time.process_time()
    equations = build()
    made = time.perf_counter() - start
    functions = [n for n in operations.RIGHT_HAND_SIDE if n in equations.functions]
    seconds = time.perf_counter() - start
    found: dict[str, object] = {
        "model": made,
        "seconds": seconds,
        "cpu": time.process_time() - cpu,
        "memory": peak_memory(),
        "imported": imported,
        "functions": functions,
        "operations": operations.right_hand_side(equations.functions),
        "states": len(equations.states),
    }
    files = [write_states(equations, family, size, folder, i) for i in range(STATE_FILES)]
    found["python"] = time_python(equations, files[0])
    return found


def write_states(
    equations: Equations, family: str, size: int, folder: Path, seed: int
) -> np.ndarray:
    """Write a file of states, and return them, shape (ROWS, ns).

    An open chain begins anywhere, other models near their start.
    """
    import numpy as np

    from benchmarks.scaling import peers
    from benchmarks.scaling.families import FAMILIES

    random, start, nd = np.random.default_rng(seed), equations.start_state, equations.dofs
    distance = DISTANCE / size
    if family in FAMILIES and FAMILIES[family].links:
        start = np.r_[random.uniform(-1, 1, nd), random.uniform(-0.5, 0.5, nd)]
        distance = DISTANCE
    around = start + distance * random.choice([-1.0, 1.0], (ROWS, start.size))
    rows = np.vstack([start, around[1:]])
    peers.write_table(folder / f"states_{seed}.txt", rows)
    return rows


def time_python(equations: Equations, rows: np.ndarray) -> float:
    """Return the median seconds of a configuration and the derivative in Python."""
    import numpy as np

    from mbcore.evaluation.evaluation import Evaluation

    point = Evaluation(equations)
    point.start()
    point.s[:] = rows[0]
    point.configure()
    point.accept()
    taken: list[float] = []
    begin = time.perf_counter()
    while len(taken) < 3 * ROWS or time.perf_counter() - begin < PYTHON_SECONDS:
        point.s[:] = rows[1 + len(taken) % (ROWS - 1)]
        start = time.perf_counter()
        point.configure()
        point.derivative()
        taken.append(time.perf_counter() - start)
    return float(np.median(taken[ROWS:]))


def make_fmu(family: str, size: int, folder: Path) -> dict[str, object]:
    """Make a model and export it; the parent measures the compiler."""
    from mbcore.fmi import export

    start = time.perf_counter()
    equations = builder(family, size)()
    made = time.perf_counter() - start
    paths = export(equations, folder)
    return {
        "equations": made,
        "seconds": time.perf_counter() - start,
        "memory": peak_memory(),
        "fmus": [str(path) for path in paths],
    }


if __name__ == "__main__":
    main()
