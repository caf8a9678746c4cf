"""The rolling disk's right-hand side in generated C, beside one derived by hand.

Generated: Newton iteration to convergence from a configuration 1e-2 away, as the FMU does it, then
the derivative; and the same with the output function, which gives the wheel's three contact forces.
By hand: ``hand_disk.c``, explicit equations for this one system, which have no position problem.
Both are compared with the library at random states first.

Then the disk as an FMU (2.0, Co-Simulation) through FMPy's low-level interface: one run to t = 87,
in one doStep and in 87, at a tolerance where the contact point is right to 1e-6.
"""

from __future__ import annotations

import ctypes
import sys
import time
from pathlib import Path

import numpy as np
from fmpy.fmi2 import FMU2Slave

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from benchmarks.simulation.disk import END, REFERENCE, rolling_disk
from mbcore import Equations
from mbcore.codegen.c_model import generate
from mbcore.codegen.table import table
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmi.packing.compiler import compile_runtime, find_compiler

HERE = Path(__file__).resolve().parent
TOLERANCE = 1e-10
REPETITIONS = 15
Doubles = ctypes.POINTER(ctypes.c_double)


def difference_by_hand(equations: Equations, where: Path, points: int = 200) -> float:
    """Return the largest difference of rates and forces at random states, relative above 1."""
    library = ctypes.CDLL(
        str(
            common.compile_host(
                [HERE / "hand_disk.c"],
                where / "hand_disk.so",
                ["-shared", "-fPIC"],
            )
        )
    )
    function = library.hand_disk_with_forces
    function.argtypes, function.restype = [Doubles] * 3, None
    random = np.random.default_rng(1)
    largest = 0.0
    for _ in range(points):
        evaluation = Evaluation(equations)
        evaluation.start()
        s = random.uniform(-1, 1, 8)
        evaluation.s[:] = s
        evaluation.configure()
        ours = np.concatenate([evaluation.derivative(), evaluation.output()])
        theirs = np.zeros(11)
        arrays = (s, theirs[:8], theirs[8:])
        function(*(array.ctypes.data_as(Doubles) for array in arrays))
        largest = max(largest, float(np.max(np.abs(ours - theirs) / (1 + np.abs(theirs)))))
    return largest


def time_right_hand_sides(equations: Equations, where: Path) -> dict[str, list[float]]:
    """Return seconds per call of each function of ``rolling_disk_rhs.c``."""
    compiler = find_compiler()
    source = where / "generated.c"
    source.write_text(generate(equations, table(equations, 1e-3)).source)
    host = common.compile_host(
        [
            HERE / "rolling_disk_rhs.c",
            HERE / "hand_disk.c",
            source,
            *compile_runtime(compiler, where),
        ],
        where / "rolling_disk_rhs",
        compiler=compiler,
    )
    return common.run_host(host)


def run_unit(unit: common.Unit, steps: int) -> tuple[float, float]:
    """Run the FMU to the end once; return seconds of its steps and the contact point's error."""
    slave = FMU2Slave(
        guid=unit.token,
        unzipDirectory=str(unit.path),
        modelIdentifier=unit.identifier,
        instanceName="disk",
    )
    slave.instantiate()
    slave.setupExperiment(startTime=0.0, tolerance=TOLERANCE)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    step = END / steps
    start = time.perf_counter()
    for i in range(steps):
        slave.doStep(i * step, step)
    seconds = time.perf_counter() - start
    found = slave.getReal([unit.references[name] for name in ("contact.x", "contact.y")])
    slave.terminate()
    slave.freeInstance()
    return seconds, max(abs(a - b) for a, b in zip(found, REFERENCE, strict=True))


def main() -> None:
    """Measure and print."""
    equations = rolling_disk().equations()
    results = common.Table("Rolling disk: right-hand side and FMU")
    with common.folder() as where:
        results.number(
            "by hand against library, 200 random states",
            difference_by_hand(equations, where),
            1e-12,
        )
        took = time_right_hand_sides(equations, where)
        results.number("start: a coordinate's largest distance", took["distance"][0])
        results.time("one Newton step", took["newton_step"], "us")
        results.time("derivative alone", took["derivative"], "us")
        results.time("Newton iteration to convergence", took["newton"], "us")
        whole = results.time("iteration and derivative", took["right_hand_side"], "us", 1.5)
        forces = results.time("... and contact forces", took["with_forces"], "us", 2.5)
        hand = results.time("by hand", took["by_hand"], "us")
        hand_forces = results.time("by hand, and contact forces", took["by_hand_with_forces"], "us")
        results.number("ratio to by hand", whole / hand)
        results.number("ratio to by hand, with forces", forces / hand_forces)

        unit = common.build_units(equations, where)[0]
        for steps in (1, 87):
            runs = [run_unit(unit, steps) for _ in range(REPETITIONS)]
            label = f"FMU to t = 87, {steps} doStep{'s' if steps > 1 else ''}"
            results.time(f"{label}, tolerance {TOLERANCE:g}", [run[0] for run in runs], "ms", 15)
            results.number("... error of the contact point", runs[0][1], 1e-6)
    results.print()


if __name__ == "__main__":
    main()
