"""The FMU ``car``, FMI 2.0: its size, and processor time of its steps, steered at 20 m/s.

    python benchmarks/fmus/car.py              builds it first
    python benchmarks/fmus/car.py car.fmu      one that is built

Steps are called from Python, by FMPy, which costs some microseconds each.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import fmpy
from fmpy.fmi2 import FMU2Slave

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from mbcore.fmi import export
from mbcore.fmus.car import component

METHODS = (
    # number of solver.method, name, step in s, asked in us, asked times real time
    (3, "fixed_step", 1e-3, 40.0, None),
    (1, "runge_kutta, tolerance 1e-6", 1e-2, None, 100.0),
    (2, "rosenbrock, tolerance 1e-6", 1e-2, None, None),
)
PARTS = 6
PART = 0.5
"""Seconds of motion of each part."""


def costs(archive: Path, unzipped: str, method: int, step: float) -> list[float]:
    """Return the processor time of a step, s, in each part of a motion."""
    description = fmpy.read_model_description(str(archive))
    references = {v.name: v.valueReference for v in description.modelVariables}
    unit = fmpy.instantiate_fmu(unzipped, description, "CoSimulation")
    assert isinstance(unit, FMU2Slave)
    unit.setupExperiment(startTime=0.0)
    unit.setInteger([references["solver.method"]], [method])
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    unit.setReal([references["steering_wheel.angle"]], [0.3])
    found, steps = [], round(PART / step)
    for part in range(PARTS):
        start = time.process_time()
        for i in range(steps):
            unit.doStep((part * steps + i) * step, step)
        found.append((time.process_time() - start) / steps)
    unit.terminate()
    unit.freeInstance()
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", nargs="?", type=Path)
    given = parser.parse_args().archive
    results = common.Table("The FMU car, processor time")
    with common.folder() as where:
        if given is None:
            (given,) = export(component(), where, "2.0")
        results.number("size / MB", given.stat().st_size / 1e6, at_most=3)
        unzipped = fmpy.extract(str(given), unzipdir=str(where / "unzipped"))
        for method, name, step, below, faster in METHODS:
            took = costs(given, unzipped, method, step)
            results.time(f"{name}, a step of {1000 * step:g} ms", took, "us", below)
            results.number(f"{name}, times real time", step / min(took), at_least=faster)
    results.print()


if __name__ == "__main__":
    main()
