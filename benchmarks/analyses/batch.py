"""Many instances in vector lanes: what lanes and threads give over one instance after the other.

Each model takes steps of 1 ms by Runge and Kutta's method of order 4. One instance after the other
is ``simulate(backend="c")``; one lane is the same text compiled for one number at a time.

Run: python benchmarks/analyses/batch.py [--instances N]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from mbcore import simulate, simulate_many
from mbcore.fmus import bicycle, clearance_joint, rolling_disk, vehicle
from mbcore.host.vectors import VARIABLE, widest

MODELS = {
    "bicycle": (bicycle.model, "bicycle.lean_rate", 3.3, 2.0),
    "rolling disk": (rolling_disk.model, "disk.yaw_rate", 3.5, 2.0),
    "vehicle": (vehicle.model, "chassis.speed", 1.5, 1.3),
}
"""Model, the state that differs, and the goals for 8 and 4 lanes over one."""
STEP, SECONDS, RATE = 1e-3, 2.0, 0.7e6
WHIRL = 87.0
"""s: the disk's motion of the adaptive runs."""
TURN = 2 * np.pi / 523.6
"""s: of the crank whose joint rattles, with some 70 events."""


def processor_time(work: Callable[[], object]) -> float:
    """Return the least processor time of three runs, s."""
    found = []
    for _ in range(3):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def compare(results: common.Table, name: str, instances: int) -> None:
    """Measure a model in lanes, in one lane, and one instance after the other."""
    make, state, *goals = MODELS[name]
    spread = 1e-3 * np.linspace(-1, 1, instances)
    options = {"method": "classical", "max_step": STEP, "progress": False}
    seconds = {}
    for lanes in sorted({1, 4, 8} & set(range(1, widest().lanes + 1))):
        os.environ[VARIABLE] = str(lanes)
        equations = make().equations()
        start = next(s.start for s in equations.states if s.name == state)
        given = {state: start + spread}
        simulate_many(equations, STEP, start=given, threads=1, **options)  # compiles
        seconds[lanes] = processor_time(
            lambda q=equations, s=given: simulate_many(q, SECONDS, start=s, threads=1, **options)
        )
    steps = instances * SECONDS / STEP
    few = slice(None, None, max(1, instances // 8))
    alone = processor_time(
        lambda: [
            simulate(
                equations, SECONDS, start={state: v}, samples=[SECONDS], backend="c", **options
            )
            for v in given[state][few]
        ]
    )
    for lanes, goal in zip((8, 4), goals, strict=True):
        if lanes in seconds:
            results.number(
                f"{name}, {lanes} lanes over one", seconds[1] / seconds[lanes], at_least=goal
            )
    fastest = seconds[max(seconds)]
    goal = RATE if name == "bicycle" else None
    results.number(f"{name}, steps a second and core", steps / fastest, at_least=goal)
    one = alone / len(given[state][few])
    results.number(f"{name}, lanes over simulate in C", one / (fastest / instances))
    if (os.cpu_count() or 1) > 1:
        clock = []
        for threads in (1, 2):
            began = time.perf_counter()
            simulate_many(equations, SECONDS, start=given, threads=threads, **options)
            clock.append(time.perf_counter() - began)
        results.number(
            f"{name}, two threads over one, by the clock", clock[0] / clock[1], at_least=1.9
        )


def rattle(results: common.Table, instances: int) -> None:
    """Measure starts of a joint that rattles, with adaptive steps and their events."""
    equations = clearance_joint.model().equations()
    starts = np.random.default_rng(1).uniform(-1e-4, 1e-4, instances)
    options = {"rtol": 1e-9, "progress": False}
    simulate_many(equations, TURN / 100, start={"joint.x_rate": starts}, threads=1, **options)
    many = processor_time(
        lambda: simulate_many(equations, TURN, start={"joint.x_rate": starts}, threads=1, **options)
    )
    few = starts[:: max(1, instances // 16)]
    alone = processor_time(
        lambda: [
            simulate(
                equations, TURN, start={"joint.x_rate": v}, samples=[TURN], backend="c", **options
            )
            for v in few
        ]
    )
    results.number("rattling, ms a turn each", 1e3 * many / instances)
    results.number("rattling, lanes over simulate in C", alone / len(few) / (many / instances))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=2048)
    instances = parser.parse_args().instances
    results = common.Table("Many instances in lanes")
    for name in MODELS:
        compare(results, name, instances)
    os.environ[VARIABLE] = str(widest().lanes)
    disk = rolling_disk.model().equations()
    rates = {"disk.yaw_rate": 1e-3 * np.linspace(-1, 1, instances)}
    options = {"method": "RK45", "rtol": 1e-6, "atol": 1e-8, "threads": 1, "progress": False}
    simulate_many(disk, 1.0, start=rates, **options)
    adaptive = processor_time(lambda: simulate_many(disk, WHIRL, start=rates, **options))
    results.number("disk, adaptive to 87 s, ms each", 1e3 * adaptive / instances, 2.0)
    rattle(results, instances)
    results.print()


if __name__ == "__main__":
    main()
