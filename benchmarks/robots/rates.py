"""Time of a right-hand side in C: a base with four casters, and rovers with 4 to 20 wheels.

    python -m benchmarks.robots.rates

Each runs by steps of a fixed number of evaluations; the time is that of the processor over these,
with the integration's share. Operations are those of one evaluation, which a loaded machine does
not change. All wheels of a rover roll along; those that are too many slide sideways.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks.robots import odometry
from benchmarks.scaling.operations import right_hand_side
from mbcore import Caster, Model, ModelWarning, Rolling, from_urdf, simulate
from mbcore.equations.equations import Equations

GOAL = 30.0
"""Of the base with four casters, µs."""
WHEELS = (4, 8, 12, 16, 20)
STEP, STEPS = 1e-3, 20_000


def rover(wheels: int) -> Model:
    """Return a rover with half of its wheels on each side, whose joints have torques."""
    parts = [
        '<robot name="rover"><link name="base"><inertial><origin xyz="0.1 0 0.2"/>'
        '<mass value="60"/><inertia ixx="2" iyy="4" izz="5"/></inertial></link>'
    ]
    for i in range(wheels):
        x, y = 0.3 * (i // 2 - wheels / 4), 0.4 if i % 2 else -0.4
        parts.append(
            f'<link name="wheel{i}">{odometry.WHEEL}</link><joint name="joint{i}" '
            f'type="continuous"><parent link="base"/><child link="wheel{i}"/>'
            f'<origin xyz="{x} {y} 0"/><axis xyz="0 1 0"/></joint>'
        )
    rolling = {f"wheel{i}": Rolling(odometry.RADIUS) for i in range(wheels)}
    return _read("".join([*parts, "</robot>"]), rolling)


def casters() -> Model:
    """Return the cart with four casters, whose driven joints have torques."""
    rolling: dict[str, Rolling | Caster] = {
        f"{side}_wheel": Rolling(odometry.RADIUS) for side in ("left", "right")
    }
    rolling |= {f"caster{i}": Caster(0.05, odometry.TRAIL, 0.3 * i) for i in range(4)}
    return _read(odometry.text(), rolling)


def _read(text: str, rolling: dict) -> Model:
    with tempfile.TemporaryDirectory(prefix="mbcore_") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        file = Path(folder) / "robot.urdf"
        file.write_text(text)
        return from_urdf(file, rolling=rolling)


def microseconds(equations: Equations) -> float:
    """Return the processor time of an evaluation in C, µs."""
    inputs = {record.name: 0.05 * (k + 1) for k, record in enumerate(equations.inputs)}
    best = np.inf
    for _ in range(3):
        start = time.process_time()
        run = simulate(
            equations, STEP * STEPS, inputs=inputs, method="classical", max_step=STEP,
            samples=2, backend="c",
        )  # fmt: skip
        best = min(best, (time.process_time() - start) / run.statistics["evaluations"])
    return 1e6 * float(best)


def main() -> int:
    """Print a row for each; the status says whether the base with casters meets its goal."""
    print("robot              states  operations  µs")
    cases = {"4 casters": casters()} | {f"{n} wheels": rover(n) for n in WHEELS}
    times, operations = {}, {}
    for name, model in cases.items():
        equations = model.equations()
        operations[name] = sum(right_hand_side(equations.functions).values())
        times[name] = microseconds(equations)
        print(
            f"{name:18} {len(equations.states):6} {operations[name]:11} {times[name]:6.2f}",
            flush=True,
        )
    counts = [operations[f"{n} wheels"] for n in WHEELS]
    slope, offset = np.polyfit(WHEELS, counts, 1)
    off = np.abs(np.polyval([slope, offset], WHEELS) / counts - 1).max()
    print(f"operations of rovers: {slope:.1f} a wheel, within {off:.1%} of a line")
    return int(times["4 casters"] > GOAL)


if __name__ == "__main__":
    raise SystemExit(main())
