"""Many instances on a graphics processor, against lanes of one core of the same machine.

Each model takes steps of 1 ms by Runge and Kutta's method of order 4; both make the same steps, and
the greatest difference of their states is printed. Needs CuPy and a card of NVIDIA.

Run: python benchmarks/analyses/graphics_processor.py [--instances N]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from benchmarks.analyses.batch import MODELS, SECONDS, STEP, processor_time
from mbcore import cuda_source, simulate_many
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.native.cuda import FLAGS

BLOCK = 64
"""Threads of a block."""
COMPARED = 512
"""Instances that lanes make as well."""


def stepped(
    equations: Equations, state: str, spread: np.ndarray, results: common.Table
) -> np.ndarray:
    """Return the states of all instances after the run, (states, instances); add its times."""
    import cupy

    count = len(spread)
    began = time.perf_counter()
    module = cupy.RawModule(code=cuda_source(equations), options=FLAGS)
    kernel = module.get_function("mb_steps")
    results.time(f"{equations.name}: compiled by NVRTC", [time.perf_counter() - began], "s")
    start = Evaluation(equations)
    start.start()
    row = [record.name for record in equations.states].index(state)
    taken = []
    for _ in range(4):
        host = {name: np.tile(getattr(start, name)[:, None], (1, count)) for name in "sdupx"}
        host["s"] = host["s"].astype(float)
        host["s"][row] += spread
        arrays = [cupy.asarray(np.ascontiguousarray(host[name], float)) for name in "sdupx"]
        scale = cupy.asarray(np.array(start.scale, float))
        made, outcome = cupy.zeros(count, cupy.int64), cupy.zeros(count, cupy.uint8)
        steps = np.int64(round(SECONDS / STEP))
        given = (np.int64(count), steps, 0.0, STEP, *arrays, scale, made, outcome)
        cupy.cuda.Device().synchronize()
        began = time.perf_counter()
        kernel((-(-count // BLOCK),), (BLOCK,), given)
        cupy.cuda.Device().synchronize()
        taken.append(time.perf_counter() - began)
    if not bool((made == steps).all()):
        print(f"{equations.name}: {int((made < steps).sum())} of {count} left before the end")
    results.number(f"{equations.name}: million steps a second", 1e-6 * count * steps / min(taken))
    return cupy.asnumpy(arrays[0])


def compare(results: common.Table, name: str, instances: int) -> None:
    """Run a model on both, and add how far they differ and how much faster the card is."""
    make, state, *_ = MODELS[name]
    equations = make().equations()
    spread = 1e-3 * np.linspace(-1, 1, instances)
    values = stepped(equations, state, spread, results)
    every = max(1, instances // COMPARED)
    few = spread[::every]
    start = next(s.start for s in equations.states if s.name == state)
    options = {"method": "classical", "max_step": STEP, "threads": 1, "progress": False}
    given = {state: start + few}
    simulate_many(equations, STEP, start=given, backend="c", **options)  # compiles
    lanes = simulate_many(equations, SECONDS, start=given, backend="c", **options)
    apart = 0.0
    for record, row in zip(equations.states, values, strict=True):
        other = lanes[record.name].values[:, -1]
        size = max(1.0, float(np.abs(other).max()))
        apart = max(apart, float(np.abs(row[::every] - other).max()) / size)
    results.number(f"{equations.name}: greatest difference from lanes", apart, at_most=1e-11)
    core = processor_time(
        lambda: simulate_many(equations, SECONDS, start=given, backend="c", **options)
    )
    rate = len(few) * SECONDS / STEP / core
    results.number(f"{equations.name}: million steps a second of a core's lanes", 1e-6 * rate)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=1 << 16)
    instances = parser.parse_args().instances
    results = common.Table("Many instances on a graphics processor")
    for name in MODELS:
        compare(results, name, instances)
    results.print()


if __name__ == "__main__":
    main()
