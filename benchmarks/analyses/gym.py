"""Environments of Gymnasium in lanes: steps of ``differential_drive`` a second of one core.

Each step of an environment is one of Runge and Kutta's method of order 4, of 20 ms. Beside it, the
lanes' own rate: the same instances by ``simulate_many`` over many steps with constant inputs, and
one environment by itself.

Run: python benchmarks/analyses/gym.py [--instances N]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from mbcore import simulate_many
from mbcore.fmus import differential_drive
from mbcore.gym import Environment, Task, VectorEnvironment

STEP, STEPS, GOAL = 0.02, 50, 1e6
SEEN = {"base.speed": (-9.0, 9.0), "base.yaw_rate": (-9.0, 9.0)}
TORQUES = {"left.torque": (-1.0, 1.0), "right.torque": (-1.0, 1.0)}


def processor_time(work: Callable[[], object]) -> float:
    """Return the least processor time of five runs, s."""
    found = []
    for _ in range(5):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=4096)
    count = parser.parse_args().instances
    options = {"method": "classical", "max_step": STEP}
    task = Task(
        equations=differential_drive.model().equations(),
        step=STEP,
        duration=100.0,
        observation=SEEN,
        action=TORQUES,
        reward="base.speed",
        start={"base.speed": (0.5, 1.0)},
        **options,
    )
    results = common.Table("Environments of differential_drive")
    many = VectorEnvironment(task, count)
    speeds = many.reset(seed=1)[0][:, 0]
    actions = np.random.default_rng(1).uniform(-0.05, 0.05, (count, 2))
    steps = count * STEPS
    seconds = processor_time(lambda: [many.step(actions) for _ in range(STEPS)])
    results.number("steps a second and core, environments in lanes", steps / seconds, at_least=GOAL)

    def lanes() -> None:
        given = {name: actions[:, k] for k, name in enumerate(TORQUES)}
        simulate_many(
            task.equations,
            STEP * STEPS,
            start={"base.speed": speeds},
            inputs=given,
            outputs=[*SEEN],
            threads=1,
            progress=False,
            backend="c",
            **options,
        )

    results.number("steps a second and core, the lanes themselves", steps / processor_time(lanes))
    one = Environment(task)
    one.reset(seed=1)
    seconds = processor_time(lambda: [one.step(actions[0]) for _ in range(STEPS)])
    results.number("steps a second and core, one environment", STEPS / seconds)
    results.print()


if __name__ == "__main__":
    main()
