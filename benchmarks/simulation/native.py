"""Simulations in Python and in C, one after the other in the same run.

What takes C once is taken in an empty cache: writing the equations as C and compiling them, with
the runtime the first time. Python's times are those of one call, C's the medians of five.

    python benchmarks/simulation/native.py            # the rolling disk, with what is asked
    python benchmarks/simulation/native.py --models   # FMUs' models too: minutes, in Python
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from mbcore import Body, Equations, Hinge, Model, Wheel, simulate
from mbcore.fmus import bicycle, clearance_joint, iltis, vehicle_grip

TIMES = 5


@dataclass(frozen=True)
class Case:
    """A simulation, and at most how many seconds C may take and how much faster it has to be."""

    name: str
    make: Callable[[], Model]
    until: float
    options: dict[str, Any] = field(default_factory=dict)
    below: float | None = None
    faster: float | None = None


def disk() -> Model:
    """Return the rolling disk of the guide on models."""
    model = Model("my_disk", gravity=(0, 0, -1))
    yaw, lean, pitch = (model.rotation(name) for name in ("yaw", "lean", "pitch"))
    centre, contact = model.point("centre", (0, 0, 1)), model.point("contact", (0, 0, 0))
    model.add(Hinge("yaw hinge", model.ground, yaw, axis=(0, 0, 1))).angle.dof("yaw")
    tilt = model.add(Hinge("lean hinge", yaw, lean, axis=(1, 0, 0)))
    tilt.angle.dof("lean", "lean_rate", rate_start=-0.01)
    roll = model.add(Hinge("pitch hinge", lean, pitch, axis=(0, 1, 0)))
    roll.angle.dof("pitch", "pitch_rate", rate_start=0.4116)
    wheel = model.add(Wheel("wheel", centre, pitch, contact, radius=1))
    contact.x.kinematic("contact.x")
    contact.y.kinematic("contact.y")
    model.add(Body("disk", centre, pitch, mass=1, inertia=(1 / 4, 1 / 2, 1 / 4)))
    model.output("normal_force", wheel.normal_force, unit="N")
    return model


ASKED = Case("rolling disk, 87 s at 1e-6", disk, 87.0, {"rtol": 1e-6, "atol": 1e-6}, 15e-3, 20.0)
SINE = {"steer.angle": lambda t: 0.02 * math.sin(t)}
MODELS = (
    Case("the same at 1e-10", disk, 87.0, {"rtol": 1e-10, "atol": 1e-10}),
    Case("bicycle, 10 s", bicycle.model, 10.0),
    Case("vehicle_grip, 10 s", vehicle_grip.model, 10.0),
    Case("the same, steered by a function of time", vehicle_grip.model, 10.0, {"inputs": SINE}),
    Case("clearance_joint, 0.01 s", clearance_joint.model, 0.01),
    Case("iltis, 10 s", iltis.model, 10.0),
)


def seconds_of(equations: Equations, case: Case, backend: str) -> float:
    """Return how long one simulation takes."""
    start = time.perf_counter()
    simulate(
        equations,
        case.until,
        backend=backend,
        progress=False,
        **case.options,  # type: ignore
    )
    return time.perf_counter() - start


def measure(cases: tuple[Case, ...]) -> None:
    """Measure and print."""
    results = common.Table("simulate(), rows as by default")
    for case in tqdm(cases):
        equations = case.make().equations()
        first = seconds_of(equations, case, "c")
        c = [seconds_of(equations, case, "c") for _ in range(TIMES)]
        python = seconds_of(equations, case, "python")
        results.time(f"{case.name}: the first time in C", [first], "s")
        results.time(f"{case.name}: Python", [python], "s")
        unit, scale = "ms", 1e3
        results.time(f"{case.name}: C", c, unit, case.below and case.below * scale)
        results.number(f"{case.name}: Python / C", python / median(c), at_least=case.faster)
    results.print()


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", action="store_true", help="FMUs' models too")
    asked = parser.parse_args()
    with common.folder() as empty:
        os.environ["MBCORE_CACHE"] = str(empty)
        measure((ASKED, *MODELS) if asked.models else (ASKED,))


if __name__ == "__main__":
    main()
