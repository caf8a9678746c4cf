"""Which tyre property files become the FMU ``car``: ``benchmarks/fmus/tyre_files.py FOLDER``.

For each ``.tir`` file of the folder the car's equations are made with its tyres, and evaluated at
the start; with ``--build`` its FMU 2.0 is built and checked, in a process of its own. Files of
other formulas are refused, which is printed. Times are by the clock and of the processor.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from mbcore import ModelError
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmus import car


def evaluated(file: Path) -> str:
    """Return what has become of a file: loads in front and behind, or why it is refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            point = Evaluation(car.model(file).equations())
            point.start()
            names = [output.name for output in point.equations.outputs]
            shown = dict(zip(names, point.output(), strict=True))
    except ModelError as error:
        return f"refused: {error}"
    if not np.isfinite(point.derivative()).all():
        return "rates that are not finite"
    front, rear = (shown[f"{axle}_left.load"] for axle in ("front", "rear"))
    return f"car, loads of {front:.0f} and {rear:.0f} N"


def built(file: Path) -> str:
    """Return the last words of ``mbcore build car --tyre FILE``."""
    with common.folder() as where:
        command = [sys.executable, "-m", "mbcore", "build", "car", "--fmi", "2.0"]
        done = subprocess.run(
            [*command, "--tyre", str(file), "--out", str(where)],
            capture_output=True,
            text=True,
            check=False,
        )
        sizes = [path.stat().st_size / 1e6 for path in where.glob("fmi?/*.fmu")]
    if done.returncode:
        return f"not built: {done.stderr.splitlines()[-1]}"
    return f"valid FMU of {max(sizes):.2f} MB"


def _processor_time() -> float:
    """Return the processor time, s, of this process and of those that it waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--build", action="store_true", help="build its FMU too")
    options = parser.parse_args()
    make = built if options.build else evaluated
    for file in sorted(options.folder.glob("*.tir")):
        start, worked = time.perf_counter(), _processor_time()
        said = make(file)
        took, worked = time.perf_counter() - start, _processor_time() - worked
        print(f"{file.name:32} {took:6.1f} s  {worked:6.1f} s  {said}", flush=True)


if __name__ == "__main__":
    main()
