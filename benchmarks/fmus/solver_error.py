"""Instructions that seeing the errors of an importer's solver takes, in Model Exchange.

``exchange.c`` moves FMUs with impacts, and one without, by the classical Runge-Kutta method under
callgrind. FMUs are exported twice; in one, the C that follows the solver returns at once. Both make
the same steps and events where forces are constant.

    python -m benchmarks.fmus.solver_error ball
"""

from __future__ import annotations

import argparse
import importlib
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import fmpy

from benchmarks import common
from benchmarks.scaling.contacts import dropped_balls, loose_chain
from mbcore.codegen.runtime import whole_runtime
from mbcore.fmi.component import Component
from mbcore.model.model import Model

STEP, STEPS = 1e-3, 400
WATCHES = "void mb_watch_solver(mb_instance *m)\n{\n    m->solver_watched = 0;\n"


def of(name: str, model: Model) -> Component:
    """Return what is exported of a model, by a name that FMI takes."""
    return Component(name, name, model.equations())


def by_name(name: str) -> Callable[[], Component]:
    """Return what makes a shipped FMU."""
    return lambda: importlib.import_module(f"mbcore.fmus.{name}").component()


CASES: dict[str, Callable[[], Component]] = {
    "ball": lambda: of("ball", dropped_balls(1)),
    "ten balls": lambda: of("balls", dropped_balls(10)),
    "chain of three loose joints": lambda: of("joints", loose_chain(3)),
    "vehicle, without impacts": by_name("vehicle"),
}


def blind_runtime() -> str:
    """Return the runtime without what follows the importer's solver."""
    text = whole_runtime()
    if text.count(WATCHES) != 1:
        raise RuntimeError("mb_watch_solver has changed; write it into WATCHES")
    return text.replace(WATCHES, f"{WATCHES}    return;\n")


def instructions(host: Path, unit: common.Unit) -> tuple[int, int, int]:
    """Return the instructions of a run after its first step, its steps and its events."""
    first, whole = (of_run(host, unit, steps) for steps in (1, STEPS))
    return whole[0] - first[0], whole[1] - first[1], whole[2] - first[2]


def of_run(host: Path, unit: common.Unit, steps: int) -> tuple[int, int, int]:
    """Return the instructions of so many steps of full length, the steps made and their events."""
    description = fmpy.read_model_description(str(unit.path))
    sizes = len(description.derivatives), description.numberOfEventIndicators
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(host)]
    command += [str(unit.library), unit.token, *map(str, (*sizes, steps, STEP))]
    done = subprocess.run(command, capture_output=True, text=True)
    spent = re.search(r"Collected : (\d+)", done.stderr)
    made = re.findall(r"(?:steps|events) (\d+)", done.stdout)
    if done.returncode or spent is None:
        raise RuntimeError(done.stderr[-2000:])
    made_steps, events = map(int, made)
    return int(spent[1]), made_steps, events


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[*CASES])
    results = common.Table("Model Exchange: instructions that seeing a solver's errors takes")
    with common.folder() as where:
        host = common.compile_host([common.HERE / "fmus" / "exchange.c"], where / "exchange")
        for name in parser.parse_args().names:
            source, folder = CASES[name](), where / name.replace(" ", "_")
            with patch("mbcore.fmi.packing.sources.whole_runtime", blind_runtime):
                blind = instructions(host, common.build_units(source, folder / "blind")[0])
            seeing = instructions(host, common.build_units(source, folder / "seeing")[0])
            for what, (_, steps, events) in (("blind", blind), ("seeing", seeing)):
                print(f"{name}, {what}: {steps} steps, {events} events")
            more = seeing[0] - blind[0]
            results.number(f"{name}, instructions of a step without", blind[0] / blind[1])
            results.number(f"{name}, more for each event", more / max(seeing[2], 1))
            results.number(f"{name}, more in all", more / blind[0])
    results.print()


if __name__ == "__main__":
    main()
