"""An FMU of FMI 3.0 with arrays: a chain of masses, its export, and all places in one call.

Times are of the processor, of the compiler's too; a call through ctypes has some 0.5 us of its own.

    python benchmarks/fmus/arrays.py --masses 1000
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from ctypes import c_double, c_size_t, c_uint32
from pathlib import Path
from typing import Any

import casadi as ca
import fmpy
import numpy as np

from mbcore import Model
from mbcore.fmi import export

CALLS, ROUNDS = 20_000, 10


def chain(masses: int) -> Model:
    """Return masses between springs, with a force on each, as arrays."""
    model = Model("masses")
    stiffness = model.parameter("stiffness", np.full(masses + 1, 1e3), unit="N/m", minimum=0)
    mass = model.parameter("mass", np.ones(masses), unit="kg", positive=True)
    force = model.input("force", np.zeros(masses), unit="N")
    x = model.state("x", start=np.zeros(masses), unit="m")
    v = model.state("v", start=np.zeros(masses), unit="m/s")
    wall = ca.SX(1, 1)
    tension = stiffness * (ca.vertcat(x, wall) - ca.vertcat(wall, x))
    model.derivative("x", v)
    model.derivative("v", (tension[1:] - tension[:-1] + force) / mass)
    model.output("place", x, unit="m")
    model.output("tension", tension, unit="N")
    return model


def processor_time() -> float:
    """Return the time of this process and of its children, s."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(of.ru_utime + of.ru_stime for of in used)


def time_of_call(fmu: Any, reference: int, values: int) -> float:
    """Return the least time of a call of fmi3GetFloat64, s."""
    get = fmu.dll.fmi3GetFloat64
    arguments = (
        fmu.component,
        (c_uint32 * 1)(reference),
        c_size_t(1),
        (c_double * values)(),
        c_size_t(values),
    )
    assert get(*arguments) == 0
    found = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        for _ in range(CALLS):
            get(*arguments)
        found.append((time.process_time() - begin) / CALLS)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--masses", type=int, default=1000)
    masses = parser.parse_args().masses
    begin = processor_time()
    with tempfile.TemporaryDirectory() as folder:
        [path] = export(chain(masses).equations(), folder, fmi="3.0")
        print(f"export: {processor_time() - begin:.1f} s, {path.stat().st_size / 1e6:.2f} MB")
        description = fmpy.read_model_description(str(path))
        references = {v.name: v.valueReference for v in description.modelVariables}
        unpacked = fmpy.extract(str(path), unzipdir=Path(folder, "unpacked"))
        fmu = fmpy.instantiate_fmu(unpacked, description, "ModelExchange")
        fmu.enterInitializationMode()
        fmu.exitInitializationMode()
        for name in ("x", "place", "der(v)"):
            took = time_of_call(fmu, references[name], masses)
            print(f"fmi3GetFloat64 of {name}, {masses} values: {1e6 * took:.2f} us")
        fmu.freeInstance()


if __name__ == "__main__":
    main()
