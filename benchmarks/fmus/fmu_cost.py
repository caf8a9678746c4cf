"""Cost of FMUs besides their equations, and their longest calls.

``fmu_cost.c`` is linked with the runtime and a model and calls FMI 3.0's functions. Overhead is the
time of a step less that of the model's functions called in it, each timed by itself at that point.

    python benchmarks/fmus/fmu_cost.py                     overhead, states, memory, threads
    python benchmarks/fmus/fmu_cost.py --long 100000000    memory over so many steps of the vehicle
    python benchmarks/fmus/fmu_cost.py --absurd 60         the longest call with any values
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import common
from mbcore.codegen.c_model import generate
from mbcore.codegen.headers import write_headers
from mbcore.codegen.runtime import ROOMS, runtime_files
from mbcore.codegen.table import Table, table
from mbcore.fmi.component import Component
from mbcore.fmi.packing.compiler import FACES, find_compiler

FIXED_STEP = 3
DRIVEN = {
    "vehicle": "steer.angle",
    "caster": "swivel.torque",
    "rolling_disk": "yaw.torque",
    "clearance_joint": "slider.force",
    "caster_flexible": "attachment.acceleration",
    "bicycle": "lean.torque",
    "vehicle_grip": "steer.angle",
    "clearance": "journal.angle",
    "journal_bearing": "journal.speed",
}
STEPS = {"clearance_joint": 1e-6, "bicycle": 1e-3}
"""Size of the fixed steps where it is not a millisecond, s."""
IN_USE = "-Dmb_generated_model=(*model_in_use)"


def host(name: str, where: Path) -> tuple[Path, Component, Table]:
    """Link a model, the runtime and the host; return the program with what it was made of."""
    component = importlib.import_module(f"mbcore.fmus.{name}").component()
    rows = table(component.equations, component.experiment.step)
    compiler = find_compiler()
    folder = where / name
    folder.mkdir()
    written = folder / "model.c"
    written.write_text(generate(component.equations, rows).source)
    places = [f"-I{place}" for place in (*ROOMS, write_headers(folder), common.HEADERS)]
    sources = [
        (written, ()),
        (common.HERE / "fmus" / "fmu_cost.c", ()),
        (common.HERE / "fmus" / "fmu_absurd.c", ()),
    ]
    sources += [(file, (IN_USE,)) for file in [*runtime_files("*.c"), *sorted(FACES.glob("*.c"))]]
    objects = []
    for source, options in sources:
        objects.append(folder / f"{source.stem}.o")
        flags = (*common.FLAGS, *options, *places)
        compiler.run(*flags, "-c", source, "-o", objects[-1])
    program = folder / "host"
    compiler.run(*objects, "-o", program, "-lm", "-lpthread")
    return program, component, rows


def costs(names: list[str]) -> None:
    """Measure overhead, states and threads; print them."""
    with common.folder() as where:
        for name in names:
            program, _, rows = host(name, where)
            size = STEPS.get(name, 1e-3)
            arguments = (FIXED_STEP, size, 200_000, rows.named(DRIVEN[name]).reference)
            took = common.run_host(program, "cost", *arguments)
            equations = took["equations"][0]
            results = common.Table(
                f"{name}: fixed steps of {size:g} s from C, an input before each"
            )
            results.time("step", took["step"], "us")
            results.time("its equations", took["equations"], "us")
            over = [seconds - equations for seconds in took["step"]]
            results.time("overhead", over, "us", 0.3)
            for what in ("save", "restore", "serialize", "deserialize"):
                results.time(f"{what} a state", took[what], "us")
            results.number("bytes of an instance", took["memory"][0])
            results.number("bytes of a serialized state", took["state"][0])
            threads = (FIXED_STEP, size, 2_000, rows.named(DRIVEN[name]).reference)
            different = common.run_host(program, "threads", *threads)["different"][0]
            results.number("of 100 instances in 4 threads, others than one alone", different, 0)
            results.print()
            print()


def long_run(steps: int) -> None:
    """Make many fixed steps of the vehicle; print memory on the way."""
    with common.folder() as where:
        program, _, rows = host("vehicle", where)
        steer = rows.named(DRIVEN["vehicle"]).reference
        took = common.run_host(program, "long", FIXED_STEP, 1e-3, steps, steer)
        results = common.Table(f"vehicle: {steps:g} fixed steps")
        results.number("s", took["seconds"][0])
        resident = took["resident"]
        results.number("bytes that memory grows by", resident[-1] - resident[0], 0)
        results.print()


def absurd(names: list[str], seconds: float, seed: int) -> None:
    """Search for long calls; print the longest of each FMU."""
    results = common.Table("The longest call with any finite values, s")
    with common.folder() as where:
        for name in names:
            took = common.run_host(host(name, where)[0], "absurd", seconds, seed)
            results.number(f"{name}, {took['calls'][0]:g} calls", took["longest"][0], 1)
    results.print()


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(DRIVEN), help="FMUs; all by default")
    parser.add_argument("--long", type=int, metavar="STEPS")
    parser.add_argument("--absurd", type=float, metavar="SECONDS")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.long:
        long_run(given.long)
    elif given.absurd:
        absurd(given.names, given.absurd, given.seed)
    else:
        costs(given.names)


if __name__ == "__main__":
    main()
