"""Cost of the check of accelerations: instructions of a step of 1 ms with it and without.

``do_step.c`` runs the explicit method of order 5 under callgrind, as in ``instructions.py``. FMUs
are exported twice, and the difference is in parts of the step without the check.

    python -m benchmarks.fmus.virtual_power bicycle iltis
"""

from __future__ import annotations

import argparse
import importlib
from collections import Counter
from dataclasses import replace
from pathlib import Path

from benchmarks import common
from benchmarks.fmus.instructions import CASES, LONG, SHORT, profile, with_symbols
from benchmarks.scaling.chains import planar_chain, spatial_chain
from mbcore.fmi.component import Component, as_component

GOAL = 0.03
"""Part of a step that the check may take."""
CHAINS = {"planar_chain": planar_chain, "spatial_chain": spatial_chain}
LINKS = 20
METHOD = "1"
"""Number of the explicit method of order 5, with six stages."""


def case(name: str) -> tuple[Component, str]:
    """Return what is exported, and the input that is driven."""
    if name not in CHAINS:
        return importlib.import_module(f"mbcore.fmus.{name}").component(), CASES[name]
    model = CHAINS[name](LINKS)
    push = model.input("push", unit="N.m")
    model.elements["hinge 0"].angle.law(-push)
    return as_component(model.equations()), "push"


def instructions(host: Path, source: Component, driven: str, where: Path) -> float:
    """Return the instructions of a step of an FMU, of all its files."""
    unit = common.build_units(source, where)[0]
    spent = Counter(profile(host, unit, driven, LONG, where, METHOD))
    spent.subtract(profile(host, unit, driven, SHORT, where, METHOD))
    return sum(spent.values()) / (LONG - SHORT)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[*CASES, *CHAINS])
    results = common.Table("Share of a step of 1 ms that the check of accelerations takes")
    with common.folder() as where, with_symbols():
        host = common.compile_host([common.HERE / "fmus" / "do_step.c"], where / "do_step")
        for name in parser.parse_args().names:
            source, driven = case(name)
            spent = [
                instructions(host, replace(source, checked=checked), driven, where / f"{name}{i}")
                for i, checked in enumerate((False, True))
            ]
            results.number(f"{name}, instructions of a step without", spent[0])
            results.number(f"{name}, more with the check", spent[1] / spent[0] - 1, GOAL)
    results.print()


if __name__ == "__main__":
    main()
