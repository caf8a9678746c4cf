"""The vehicle FMU's doStep of 1 ms, called from C: one million steps.

``do_step.c`` loads the library of the FMI 2.0 and of the FMI 3.0 unit, sets a slowly varying
steering angle before each step and does nothing else, as a real-time host would. The time of a
step contains setting the input. Every time is that of a tenth of the steps. Also what it costs to
set an input and to get outputs: those already calculated, and all of them after a change.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from mbcore.fmus.vehicle import component

METHODS = (
    # number of solver.method, name, steps, asked in us
    (1, "adaptive, tolerance 1e-6", 1_000_000, 5.0),
    (3, "fixed_step, solver.step 1e-3", 1_000_000, 1.5),
    (2, "rosenbrock, tolerance 1e-6", 100_000, None),
)


def main() -> None:
    """Measure and print."""
    car = component()
    outputs = [output.name for output in car.equations.outputs if output.kind == "real"]
    results = common.Table("Vehicle FMU: doStep of 1 ms from C, steering before each")
    with common.folder() as where:
        host = common.compile_host([common.HERE / "fmus" / "do_step.c"], where / "do_step")
        for version, unit in zip((2, 3), common.build_units(car, where), strict=True):
            names = ["solver.method", "steer.angle", "chassis.x", *outputs]
            method_ref, *others = (unit.references[name] for name in names)
            for method, label, steps, below in METHODS:
                arguments = (version, unit.token, method, steps, method_ref)
                took = common.run_host(host, unit.library, *arguments, *others)
                label = f"FMI {version}, {label}"
                results.time(label, took["step"], "us", below)
            results.time(f"FMI {version}, set an input", took["set"], "us")
            results.time(f"FMI {version}, get an output, known", took["get"], "us")
            label = f"FMI {version}, get {len(outputs)} outputs"
            results.time(f"{label}, known", took["get_all"], "us")
            results.time(f"{label} after setting an input", took["set_and_get_all"], "us")
    results.print()


if __name__ == "__main__":
    main()
