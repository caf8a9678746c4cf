"""Cost of each part of a model as it grows: time and memory of equations, and of compiling.

    python benchmarks/scaling/growth.py                          all families, 20 to 640 parts
    python benchmarks/scaling/growth.py --models trees --sizes 20 80
    python benchmarks/scaling/growth.py --compile --sizes 20 80  with functions and the compiler

Each size has a process of its own, which makes the equations of a small model first, so that
imports do not count. Times are of the processors, memory is the most that a process takes beyond
that of the small model. Asked is that the cost of a part differs by at most 30 % between the sizes.
Functions and the compiler count beside equations; large models take minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.scaling import assorted, beams, chains, contacts
from benchmarks.scaling import scaling_report as report
from mbcore import Model, simulate

FAMILIES: dict[str, Callable[[int], Model]] = {
    "scissors": chains.scissors,
    "four_bars": assorted.four_bars,
    "spatial_chains": chains.spatial_chain,
    "trees": assorted.tree,
    "plane_beams": beams.plane_cantilever,
    "space_beams": beams.space_cantilever,
    "trailers": assorted.trailers,
    "casters": assorted.casters,
    "wheels": assorted.wheels,
    "contacts": contacts.dropped_balls,
    "tables": assorted.tables,
}
SIZES = (20, 160, 640)
SMALL = 4
"""Parts of the model that is made first."""
ASKED = 1.3
LIMIT = 900.0
"""Longest time of a process, s."""


def main() -> None:
    """Measure and print, or measure one model in this process."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--models", nargs="+", choices=FAMILIES, default=[*FAMILIES], metavar="NAME"
    )
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, metavar="N")
    parser.add_argument("--compile", action="store_true", help="functions and compiler, too")
    parser.add_argument("--markdown", action="store_true", help="print a table in Markdown")
    parser.add_argument("--here", action="store_true", help="one model in this process, as JSON")
    options = parser.parse_args()
    if options.here:
        print(json.dumps(measured(options.models[0], options.sizes[0], options.compile)))
        return
    columns = ["model", "equations"] + (["compile"] if options.compile else [])
    sizes = [str(size) for size in options.sizes]
    heads = [f"{what} {size}: ms" for what in columns for size in sizes]
    heads += [f"memory {size}: kB" for size in sizes]
    rows: list[tuple[str, ...]] = [("each part", *heads, f"equations, most / least <= {ASKED}")]
    for name in options.models:
        found = [_apart(name, size, options.compile) for size in options.sizes]
        print(name, *(json.dumps(one) for one in found), file=sys.stderr, flush=True)
        rows.append((name, *_cells(found, options.sizes, columns)))
    print((report.markdown if options.markdown else report.plain)(rows))


def _cells(found: list[dict[str, float]], sizes: tuple[int, ...], columns: list[str]) -> list[str]:
    each = {
        what: [one.get(what, float("nan")) / size for one, size in zip(found, sizes, strict=True)]
        for what in (*columns, "memory")
    }
    cells = [f"{1e3 * value:.3g}" for what in columns for value in each[what]]
    cells += [f"{value / 1e3:.3g}" for value in each["memory"]]
    return [*cells, f"{max(each['equations']) / min(each['equations']):.2f}"]


def _apart(name: str, size: int, compiled: bool) -> dict[str, float]:
    """Return what a process of its own measures; nothing if it does not end."""
    command = [sys.executable, __file__, "--here", "--models", name, "--sizes", str(size)]
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        try:
            done = subprocess.run(
                [*command, *(["--compile"] if compiled else [])],
                env=environment, capture_output=True, text=True, timeout=LIMIT, check=True,
            )  # fmt: skip
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            return {}
    return json.loads(done.stdout.splitlines()[-1])


def measured(name: str, size: int, compiled: bool = False) -> dict[str, float]:
    """Return processor times of a model and its equations, s, and memory, bytes."""
    build = FAMILIES[name]
    small = build(SMALL).equations()
    if compiled:
        simulate(small, 1e-6, backend="c")  # compiles what all models share
    before, begin = _most(), _processor_time()
    model = build(size)
    built = _processor_time()
    equations = model.equations()
    made = _processor_time()
    found = {"model": built - begin, "equations": made - built, "memory": _most() - before}
    if compiled:
        simulate(equations, 1e-6, backend="c", samples=2)
        found["compile"] = _processor_time() - made
    return found


def _most() -> float:
    return 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _processor_time() -> float:
    """Return that of this process and of the compilers that it has waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


if __name__ == "__main__":
    main()
