"""Time of the import and of a first result; time and memory of CSV, a page and a film.

Each is measured in a process of its own, in processor time. Memory is what the process takes at
most beyond that of the result. Run it as ``python -m benchmarks.simulation.outputs``.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import casadi as ca
import numpy as np

from benchmarks.common import Table
from benchmarks.simulation.disk import END, rolling_disk
from mbcore import simulate

ROWS = 1_000_000
SHOWN = 5.0
"""Length of the motion that becomes a film, s."""
IMPORT = (
    "from mbcore import Model, simulate; import resource;"
    "used = resource.getrusage(resource.RUSAGE_SELF); print(used.ru_utime + used.ru_stime)"
)
FIRST = (
    "import time; from benchmarks.simulation.disk import rolling_disk; from mbcore import simulate;"
    "equations = rolling_disk().equations(); start = time.process_time();"
    "simulate(equations, 5.0); print(time.process_time() - start)"
)
"""Without compiled equations, whose compiler goes on beside."""
STORED = 10_000_000
"""Rows of a run that goes to a file."""
POINTS = (100, 1000)
"""Of a road that is a piecewise linear function."""
GOALS = {"csv": 2.0, "html": 2.0, "gif": 1.0}
TIMES = 3


def rows_of_the_disk() -> tuple[float, float]:
    """Return seconds and MB of a million rows of the disk, with compiled equations in the cache."""
    equations = rolling_disk().equations()
    simulate(equations, 1.0, backend="c")
    before, start = _most(), time.process_time()
    simulate(equations, END, samples=np.linspace(0, END, ROWS), backend="c")
    return time.process_time() - start, _most() - before


def on_a_road(points: int) -> tuple[float, float]:
    """Return seconds and MB of equations and 5 s of a disk on a road of `casadi.pw_lin`."""
    x = np.linspace(-20, 20, points)
    before, start = _most(), time.process_time()
    disk = rolling_disk(
        surface=lambda place: place[2] - ca.pw_lin(place[0], x, 1e-3 * np.sin(x) ** 2)
    )
    simulate(disk.equations(), SHOWN)
    return time.process_time() - start, _most() - before


def measured(suffix: str) -> tuple[float, float]:
    """Return seconds and MB that a file of the disk's motion takes."""
    if suffix == "rows":
        return rows_of_the_disk()
    if suffix.startswith("road"):
        return on_a_road(int(suffix.removeprefix("road")))
    equations = rolling_disk().equations()
    if suffix in ("gif", "nc"):
        run = simulate(equations, SHOWN, backend="c" if suffix == "nc" else "auto")
    else:
        run = simulate(equations, END, samples=np.linspace(0, END, ROWS))
    clear = Path("/proc/self/clear_refs")
    if clear.exists():
        clear.write_text("5")  # the most memory so far is forgotten
    with tempfile.TemporaryDirectory() as folder:
        target, before, start = Path(folder) / f"disk.{suffix}", _most(), time.process_time()
        if suffix == "nc":
            simulate(equations, END, samples=STORED, store=target, backend="c")
            return time.process_time() - start, _most() - before
        if suffix == "csv":
            run.to_csv(target)
        else:
            run.animate(target, progress=False)
        return time.process_time() - start, _most() - before


def _most() -> float:
    """Return the most memory so far, MB."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return float(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print the table; with a suffix, measure that file."""
    if sys.argv[1:]:
        print(*measured(sys.argv[1]))
        return
    table = Table("Import and files of long results, processor time")
    seconds = [float(_said("-c", IMPORT)) for _ in range(TIMES)]
    table.time("from mbcore import Model, simulate", seconds, "s", below=0.35)
    seconds = [_first_result() for _ in range(TIMES)]
    table.time("rolling disk, first simulate, empty cache", seconds, "s", below=0.3)
    for suffix, goal in GOALS.items():
        what = f"{SHOWN:g} s as .gif" if suffix == "gif" else f"{ROWS} rows as .{suffix}"
        found = [_said("-m", "benchmarks.simulation.outputs", suffix).split() for _ in range(TIMES)]
        table.time(what, [float(s) for s, _ in found], "s", below=goal)
        table.number(f"{what}: MB", min(float(mb) for _, mb in found), at_most=300)
    seconds, memory = map(float, _said("-m", "benchmarks.simulation.outputs", "rows").split())
    table.time(f"{ROWS} rows by simulate in C", [seconds], "s", below=2.0)
    table.number(f"{ROWS} rows by simulate in C: MB", memory, at_most=300)
    for points in POINTS:
        with tempfile.TemporaryDirectory() as empty:
            asked = ("-m", "benchmarks.simulation.outputs", f"road{points}")
            seconds = float(_said(*asked, cache=empty).split()[0])
        table.time(f"disk on a piecewise road of {points} points, empty cache", [seconds], "s")
    seconds, memory = map(float, _said("-m", "benchmarks.simulation.outputs", "nc").split())
    table.time(f"{STORED} rows to a file by simulate in C", [seconds], "s")
    table.number(f"{STORED} rows to a file by simulate in C: MB", memory, at_most=300)
    table.print()


def _said(*arguments: str, cache: str | None = None) -> str:
    """Return what a process of its own prints, perhaps with another cache of compiled equations."""
    environment = {**os.environ, **({"XDG_CACHE_HOME": cache} if cache else {})}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=True
    ).stdout


def _first_result() -> float:
    with tempfile.TemporaryDirectory() as empty:
        return float(_said("-c", FIRST, cache=empty))


if __name__ == "__main__":
    main()
