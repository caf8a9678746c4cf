"""A step of 1 ms of the vehicle: the native FMU beside the Python flavour, in one run of FMPy.

Both are FMI 2.0 Co-Simulation units at a tolerance of 1e-6, stepped in turns through FMPy's
low-level interface, which itself takes about a microsecond a call: ``do_step.py`` measures without.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from fmpy.fmi2 import FMU2Slave

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from mbcore.fmi import export
from mbcore.fmi.python.python_flavour import export_python
from mbcore.fmus import vehicle

STEP = 1e-3
ROUNDS = 9
NATIVE_STEPS, PYTHON_STEPS = 20_000, 200


class Stepper:
    """An FMU in Co-Simulation that goes on by equal steps."""

    def __init__(self, unit: common.Unit) -> None:
        self.slave = FMU2Slave(
            guid=unit.token,
            unzipDirectory=str(unit.path),
            modelIdentifier=unit.identifier,
            instanceName="car",
        )
        self.slave.instantiate()
        self.slave.setupExperiment(startTime=0.0, tolerance=1e-6)
        self.slave.enterInitializationMode()
        self.slave.exitInitializationMode()
        self.done = 0

    def seconds_per_step(self, steps: int) -> float:
        """Go on and return what a step took."""
        start = time.perf_counter()
        for i in range(self.done, self.done + steps):
            self.slave.doStep(i * STEP, STEP)
        self.done += steps
        return (time.perf_counter() - start) / steps

    def close(self) -> None:
        """Free the FMU's instance."""
        self.slave.terminate()
        self.slave.freeInstance()


def main() -> None:
    """Measure and print."""
    results = common.Table("Vehicle FMU through FMPy: doStep of 1 ms, native and Python flavour")
    with common.folder() as where:
        car = vehicle.component()
        native = Stepper(common.unpack(export(car, where, fmi="2.0")[0]))
        python = Stepper(common.unpack(export_python(car, vehicle.__file__, where)))
        python.seconds_per_step(10)  # makes its functions
        rounds = [
            (native.seconds_per_step(NATIVE_STEPS), python.seconds_per_step(PYTHON_STEPS))
            for _ in range(ROUNDS)
        ]
        native.close()
        python.close()
    of_native = results.time("native", [a for a, _ in rounds], "us")
    of_python = results.time("Python flavour", [b for _, b in rounds], "us")
    results.number("ratio", of_python / of_native)
    results.print()


if __name__ == "__main__":
    main()
